// SPDX-License-Identifier: Apache-2.0
//
// The open questions of a journal, and their answers. journal_entry.c has its entries in
// memory, journal_bytes.c their bytes.
#include "call/journal.h"

#include "call/turn.h"

bool
mica_journal_open_ask(const struct mica_journal *journal, uint32_t from,
                      uint32_t *number_out)
{
    for (uint32_t i = from; i < journal->count; i++) {
        const struct mica_entry *entry = &journal->entries[i];
        if (entry->kind == MICA_ENTRY_ASK && entry->answer == 0) {
            *number_out = i;
            return true;
        }
    }
    return false;
}

int64_t
mica_journal_due(const struct mica_journal *journal)
{
    int64_t due = INT64_MAX;
    uint32_t number;

    for (uint32_t i = 0; mica_journal_open_ask(journal, i, &number);
         i = number + 1) {
        if (journal->entries[number].due < due)
            due = journal->entries[number].due;
    }
    return due;
}

// The client's answer to an open ask, or NULL. If a name is there twice, the last counts.
static const struct mica_json *
find_answer(const struct mica_json *answers, struct mica_text key)
{
    for (size_t i = answers->count; i > 0; i--) {
        if (mica_text_equal(answers->members[i - 1].name, key))
            return &answers->members[i - 1].value;
    }
    return NULL;
}

static enum mica_status
check_answers(const struct mica_journal *journal,
              const struct mica_json *answers, struct mica_error *error)
{
    uint32_t number;

    if (answers->kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_TYPE, "",
                              "the answers are a %s; they must be an object "
                              "with the keys of the questions",
                              mica_json_kind_name(answers->kind));
    for (uint32_t i = 0; mica_journal_open_ask(journal, i, &number);
         i = number + 1) {
        struct mica_text key = journal->entries[number].key;
        const struct mica_json *answer = find_answer(answers, key);
        if (answer != NULL && answer->kind != MICA_JSON_OBJECT)
            return mica_error_set(error, MICA_E_TYPE, "",
                                  "the answer to \"%.*s\" is a %s; it must be "
                                  "an object, the result of the request",
                                  MICA_ARG(key),
                                  mica_json_kind_name(answer->kind));
    }
    return MICA_OK;
}

enum mica_status
mica_journal_answer(struct mica_journal *journal,
                    const struct mica_json *answers, struct mica_error *error)
{
    uint32_t number;

    MICA_TRY(check_answers(journal, answers, error));
    for (uint32_t i = 0; mica_journal_open_ask(journal, i, &number);
         i = number + 1) {
        const struct mica_entry *ask = &journal->entries[number];
        const struct mica_json *answer = find_answer(answers, ask->key);
        struct mica_entry entry = {
            .kind = MICA_ENTRY_ANSWER, .scope = ask->scope, .number = number};
        if (answer == NULL || ask->number == MICA_ASK_MODEL)
            continue;
        entry.data = answer->raw;
        MICA_TRY(mica_journal_add(journal, &entry, error));
    }
    return MICA_OK;
}

static bool
is_inside(const struct mica_journal *journal, uint32_t scope, uint32_t outer)
{
    while (scope > outer)
        scope = journal->scopes[scope].parent;
    return scope == outer;
}

enum mica_status
mica_journal_close_asks(struct mica_journal *journal, uint32_t scope,
                        enum mica_status status, struct mica_error *error)
{
    uint32_t number;

    for (uint32_t i = 0; mica_journal_open_ask(journal, i, &number);
         i = number + 1) {
        struct mica_entry entry = {.kind = MICA_ENTRY_ANSWER,
                                   .scope = journal->entries[number].scope,
                                   .number = number,
                                   .status = status};
        if (is_inside(journal, entry.scope, scope))
            MICA_TRY(mica_journal_add(journal, &entry, error));
    }
    return MICA_OK;
}
