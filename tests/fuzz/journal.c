// SPDX-License-Identifier: Apache-2.0
//
// Journals: the input is one, as an enemy writes it. What is taken is written as
// the same bytes, keeps its invariants, can be told, and continues.
#include <string.h>

#include "call/journal.h"
#include "target.h"

static void
must_keep_its_invariants(const struct mica_journal *journal)
{
    uint32_t asks = 0, answers = 0;

    for (uint32_t i = 0; i < journal->count; i++) {
        const struct mica_entry *entry = &journal->entries[i];
        FUZZ_MUST(entry->scope < journal->scope_count);
        FUZZ_MUST(entry->kind != MICA_ENTRY_END || i + 1 == journal->count);
        if (entry->kind == MICA_ENTRY_ASK && entry->answer > 0)
            asks++;
        if (entry->kind != MICA_ENTRY_ANSWER)
            continue;
        answers++;
        FUZZ_MUST(entry->number < i);
        FUZZ_MUST(journal->entries[entry->number].answer == i + 1);
    }
    FUZZ_MUST(asks == answers && journal->count <= MICA_JOURNAL_ENTRIES);
}

// Writes every entry again, into another journal.
static void
must_be_written_the_same(const struct mica_journal *journal,
                         struct mica_arena *arena)
{
    struct mica_journal copy;

    mica_journal_init(&copy, arena);
    for (uint32_t i = 0; i < journal->count; i++)
        FUZZ_MUST(mica_journal_add(&copy, &journal->entries[i], NULL) ==
                  MICA_OK);
    FUZZ_MUST(mica_text_equal(mica_buffer_as_text(&copy.bytes),
                              mica_buffer_as_text(&journal->bytes)));
}

static void
must_be_reported(const struct mica_journal *journal, struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer text;
    struct mica_json value;

    mica_buffer_init(&text, arena, 32 << 20);
    mica_journal_describe(journal, &text);
    FUZZ_MUST(mica_utf8_valid(mica_buffer_as_text(&text)) == text.len);
    mica_buffer_init(&text, arena, 32 << 20);
    mica_json_writer_init(&writer, &text);
    mica_journal_write_json(journal, &writer);
    if (!text.overflow && !arena->overflow)
        FUZZ_MUST(mica_json_read(arena, mica_buffer_as_text(&text),
                                 &(struct mica_json_limits){.depth = 100,
                                                            .bytes = 64 << 20},
                                 NULL, &value) == MICA_OK);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct mica_entry end = {.kind = MICA_ENTRY_END};
    struct mica_text text = {(const char *)bytes, size};
    struct mica_journal journal;
    struct mica_arena arena;
    struct mica_error error;
    enum mica_status status;

    mica_arena_init(&arena, 256 << 20);
    if (mica_journal_read(&journal, &arena, text, &error) == MICA_OK) {
        FUZZ_MUST(mica_text_equal(mica_buffer_as_text(&journal.bytes), text));
        must_keep_its_invariants(&journal);
        must_be_written_the_same(&journal, &arena);
        must_be_reported(&journal, &arena);
        // Refused where the scope or the call has ended, or there is no room.
        status = mica_journal_close_asks(&journal, 0, MICA_E_TIMEOUT, &error);
        if (status == MICA_OK)
            status = mica_journal_add(&journal, &end, &error);
        FUZZ_MUST(status == MICA_OK || status == MICA_E_USAGE ||
                  status == MICA_E_LIMIT);
        must_keep_its_invariants(&journal);
    } else {
        FUZZ_MUST(error.status == MICA_E_FORMAT ||
                  error.status == MICA_E_STATE || error.status == MICA_E_LIMIT);
    }
    mica_arena_fini(&arena);
    return 0;
}
