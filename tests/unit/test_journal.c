// SPDX-License-Identifier: Apache-2.0
//
// The journal of a call: its invariants, its bytes, and the questions in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/journal.h"
#include "call/turn.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_journal journal;
static struct mica_error error;

static void
setup(void)
{
    mica_arena_init(&arena, 64 << 20);
    mica_journal_init(&journal, &arena);
}

static enum mica_status
add(struct mica_entry entry)
{
    return mica_journal_add(&journal, &entry, &error);
}

static enum mica_status
add_ask(const char *key, uint32_t scope)
{
    return add((struct mica_entry){.kind = MICA_ENTRY_ASK,
                                   .scope = scope,
                                   .key = mica_text(key),
                                   .number = MICA_ASK_FORM,
                                   .hash = 0x0123456789ABCDEF,
                                   .time = 1700000000000,
                                   .due = 1700000600000});
}

static enum mica_status
add_answer(uint32_t ask, uint32_t scope)
{
    return add((struct mica_entry){.kind = MICA_ENTRY_ANSWER,
                                   .scope = scope,
                                   .number = ask,
                                   .data = MICA_LITERAL("{\"a\":1}")});
}

static enum mica_status
add_child(const char *key, uint32_t scope, uint32_t opens)
{
    return add((struct mica_entry){.kind = MICA_ENTRY_SCOPE,
                                   .scope = scope,
                                   .key = mica_text(key),
                                   .number = opens});
}

// One entry of every kind.
static void
fill(void)
{
    ck_assert_int_eq(add_ask("pick", 0), MICA_OK);
    ck_assert_int_eq(add_answer(0, 0), MICA_OK);
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_PHASE,
                                .key = MICA_LITERAL("before"),
                                .data = MICA_LITERAL("{\"n\": [1]}")}),
        MICA_OK);
    ck_assert_int_eq(
        add((struct mica_entry){
            .kind = MICA_ENTRY_STEP,
            .key = MICA_LITERAL("charge"),
            .status = MICA_FAILED,
            .data = MICA_LITERAL(
                "{\"code\":\"NO\",\"message\":\"é\",\"path\":\"\"}")}),
        MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_CLIENT,
                                             .number = MICA_SAMPLING,
                                             .status = MICA_E_CAPABILITY}),
                     MICA_OK);
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_TIME, .time = INT64_MIN}),
        MICA_OK);
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_RANDOM, .hash = UINT64_MAX}),
        MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_REPORTED,
                                             .number = 300,
                                             .time = 7}),
                     MICA_OK);
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_SCOPE,
                                .key = MICA_LITERAL("greet"),
                                .number = 1,
                                .hash = 0xFEDCBA9876543210,
                                .data = MICA_LITERAL("{\"name\":\"Ann\"}"),
                                .version = MICA_LITERAL("0123456789abcdef")}),
        MICA_OK);
    ck_assert_int_eq(add_ask("greet/mood", 1), MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_CLEANED,
                                             .scope = 1,
                                             .key = MICA_LITERAL("greet/go")}),
                     MICA_OK);
    ck_assert_int_eq(add_answer(9, 1), MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_ENDED,
                                             .scope = 1,
                                             .key = MICA_LITERAL("greet"),
                                             .data = MICA_LITERAL("{}")}),
                     MICA_OK);
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_CONTENT,
                                .key = MICA_LITERAL("after"),
                                .data = MICA_LITERAL("{\"blocks\":[]}")}),
        MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_END,
                                             .status = MICA_E_TIMEOUT,
                                             .data = MICA_LITERAL("{}")}),
                     MICA_OK);
}

static bool
same_entry(const struct mica_entry *a, const struct mica_entry *b)
{
    return a->kind == b->kind && a->scope == b->scope &&
           a->number == b->number && a->status == b->status &&
           a->hash == b->hash && a->time == b->time && a->due == b->due &&
           a->answer == b->answer && mica_text_equal(a->key, b->key) &&
           mica_text_equal(a->data, b->data) &&
           mica_text_equal(a->version, b->version);
}

static enum mica_status
read_bytes(struct mica_text bytes, struct mica_journal *other)
{
    memset(&error, 0, sizeof error);
    return mica_journal_read(other, &arena, bytes, &error);
}

// ---- Bytes -------------------------------------------------------------------

START_TEST(what_was_written_is_read_and_goes_on)
{
    struct mica_journal other;

    setup();
    fill();
    ck_assert_int_eq(read_bytes(mica_buffer_as_text(&journal.bytes), &other),
                     MICA_OK);
    ck_assert_uint_eq(other.count, journal.count);
    ck_assert_uint_eq(other.scope_count, 2);
    ck_assert_uint_eq(other.scopes[1].ended, 13);
    for (uint32_t i = 0; i < other.count; i++)
        ck_assert(same_entry(&journal.entries[i], &other.entries[i]));
    ck_assert(mica_text_equal(mica_buffer_as_text(&other.bytes),
                              mica_buffer_as_text(&journal.bytes)));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_empty_journal_is_three_bytes)
{
    struct mica_journal other;

    setup();
    UNIT_TEXT_EQ(mica_buffer_as_text(&journal.bytes), "MJ\x02");
    ck_assert_int_eq(read_bytes(mica_buffer_as_text(&journal.bytes), &other),
                     MICA_OK);
    ck_assert_uint_eq(other.count, 0);
    mica_arena_fini(&arena);
}
END_TEST

// The bytes of version 2 as docs/journal.md has them: what is stored today must
// be read by every later mica.
START_TEST(the_bytes_of_version_2_stay)
{
    static const unsigned char expected[] = {
        'M', 'J', 2,
        // ask 0 "pick": key, kind, hash, time 1 (zigzag 2), due -1 (zigzag 1)
        1, 0, 16, 4, 'p', 'i', 'c', 'k', 1, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45,
        0x23, 0x01, 2, 1,
        // answer to 0, MICA_OK, {}
        2, 0, 5, 0, 0, 2, '{', '}',
        // told 300 events, notification 3
        8, 0, 3, 0xAC, 2, 6,
        // child "go", opens scope 1: hash, its arguments, version "v"
        9, 0, 17, 2, 'g', 'o', 1, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23,
        0x01, 2, '{', '}', 1, 'v',
        // end: CANCELLED
        12, 0, 11, 9, 'C', 'A', 'N', 'C', 'E', 'L', 'L', 'E', 'D', 0};

    setup();
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_ASK,
                                             .key = MICA_LITERAL("pick"),
                                             .number = MICA_ASK_FORM,
                                             .hash = 0x0123456789ABCDEF,
                                             .time = 1,
                                             .due = -1}),
                     MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_ANSWER,
                                             .data = MICA_LITERAL("{}")}),
                     MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_REPORTED,
                                             .number = 300,
                                             .time = 3}),
                     MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_SCOPE,
                                             .key = MICA_LITERAL("go"),
                                             .number = 1,
                                             .hash = 0x0123456789ABCDEF,
                                             .data = MICA_LITERAL("{}"),
                                             .version = MICA_LITERAL("v")}),
                     MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_END,
                                             .status = MICA_E_CANCELLED}),
                     MICA_OK);
    ck_assert_uint_eq(journal.bytes.len, sizeof expected);
    ck_assert_mem_eq(journal.bytes.ptr, expected, sizeof expected);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(every_cut_and_every_changed_byte_is_refused_or_a_journal)
{
    struct mica_journal other;
    struct mica_text all;
    char *copy;
    size_t whole = 0;

    setup();
    fill();
    all = mica_buffer_as_text(&journal.bytes);
    copy = malloc(all.len);
    for (size_t i = 0; i < all.len; i++) {
        if (read_bytes(mica_text_slice(all, 0, i), &other) == MICA_OK)
            whole++;
        else
            ck_assert_int_eq(error.status, MICA_E_FORMAT);
    }
    // A prefix is a journal only at the end of an entry.
    ck_assert_uint_eq(whole, journal.count);
    for (size_t i = 0; i < all.len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(copy, all.ptr, all.len);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            if (read_bytes((struct mica_text){copy, all.len}, &other) ==
                MICA_OK)
                ck_assert_mem_eq(other.bytes.ptr, copy, all.len);
        }
    }
    free(copy);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_is_no_journal_is_told_with_its_byte)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *message;
    } cases[] = {
        {"", 0, "byte 0: this is no journal"},
        {"MK\1", 3, "byte 0: this is no journal"},
        {"MJ\2\16\0\0", 6, "byte 3: the journal has an entry of an unknown"},
        {"MJ\2\0\0\0", 6, "byte 3: the journal has an entry of an unknown"},
        {"MJ\2\6\0\5\0", 7, "byte 3: the journal has an entry that is cut"},
        {"MJ\2\6\0\2\0\0", 8, "whose fields do not fill it"},
        {"MJ\2\6\0\2\x80\0", 8, "whose fields do not fill it"},
        {"MJ\2\6\x80\0\1\0", 8, "byte 3: the journal has an entry that is cut"},
        {"MJ\2\13\0\2\1\xFF", 8, "whose fields do not fill it"},
        {"MJ\2\14\0\3\1Z\0", 9, "whose fields do not fill it"},
        {"MJ\2\6\1\1\0", 7, "J3"},
        {"MJ\2\14\0\2\0\0\6\0\1\0", 12, "byte 8: the journal has J5"},
    };
    struct mica_journal other;

    setup();
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_text bytes = {cases[i].bytes, cases[i].size};
        ck_assert_int_eq(read_bytes(bytes, &other), MICA_E_FORMAT);
        ck_assert_msg(strstr(error.message, cases[i].message) != NULL,
                      "%zu: \"%s\"", i, error.message);
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_journal_of_another_version_is_told_apart_from_what_is_none)
{
    struct mica_journal other;

    setup();
    ck_assert_int_eq(read_bytes(MICA_LITERAL("MJ\1"), &other), MICA_E_STATE);
    ck_assert_ptr_nonnull(strstr(error.message, "its journal has version 1"));
    ck_assert_int_eq(read_bytes(MICA_LITERAL("MJ\3\xFF"), &other),
                     MICA_E_STATE);
    ck_assert_ptr_nonnull(strstr(error.message, "this one reads 2"));
    mica_arena_fini(&arena);
}
END_TEST

// ---- Invariants ----------------------------------------------------------------

static void
must_refuse(enum mica_status status, const char *invariant)
{
    ck_assert_int_eq(status, MICA_E_USAGE);
    ck_assert_msg(strstr(error.message, invariant) != NULL, "%s",
                  error.message);
}

START_TEST(j1_what_stands_there_stays_when_more_is_added)
{
    struct mica_text before;
    struct mica_entry first;
    char *copy;

    setup();
    ck_assert_int_eq(add_ask("first", 0), MICA_OK);
    first = journal.entries[0];
    before = mica_buffer_as_text(&journal.bytes);
    copy = malloc(before.len);
    memcpy(copy, before.ptr, before.len);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_int_eq(
            add((struct mica_entry){.kind = MICA_ENTRY_TIME, .time = i}),
            MICA_OK);
    ck_assert_mem_eq(journal.bytes.ptr, copy, before.len);
    ck_assert(same_entry(&journal.entries[0], &first));
    // What is refused adds nothing.
    before = mica_buffer_as_text(&journal.bytes);
    must_refuse(add_ask("first", 0), "J4");
    ck_assert_uint_eq(journal.bytes.len, before.len);
    ck_assert_uint_eq(journal.count, 1001);
    free(copy);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(j2_an_answer_names_one_open_ask_before_it)
{
    setup();
    must_refuse(add_answer(0, 0), "J2");
    ck_assert_int_eq(add_ask("pick", 0), MICA_OK);
    ck_assert_int_eq(add_child("t", 0, 1), MICA_OK);
    must_refuse(add_answer(1, 0), "J2"); // no ask
    must_refuse(add_answer(0, 1), "J2"); // of another scope
    ck_assert_int_eq(add_answer(0, 0), MICA_OK);
    must_refuse(add_answer(0, 0), "J2");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(j3_a_scope_is_opened_by_one_child_and_closed_by_its_end)
{
    setup();
    must_refuse(add_ask("t/pick", 1), "J3");
    must_refuse(add_child("t", 0, 2), "J3");
    must_refuse(add_child("t", 0, 0), "J3");
    ck_assert_int_eq(add_child("t", 0, 1), MICA_OK);
    must_refuse(add_child("t", 0, 1), "J3");
    ck_assert_int_eq(add_ask("t/pick", 1), MICA_OK);
    must_refuse(add((struct mica_entry){.kind = MICA_ENTRY_ENDED}), "J3");
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_ENDED, .scope = 1}),
        MICA_OK);
    must_refuse(add_answer(1, 1), "J3");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(j4_no_two_asks_have_the_same_key)
{
    char key[16];

    setup();
    for (int i = 0; i < 600; i++) {
        snprintf(key, sizeof key, "pick#%d", i);
        ck_assert_int_eq(add_ask(key, 0), MICA_OK);
    }
    for (int i = 0; i < 600; i++) {
        snprintf(key, sizeof key, "pick#%d", i);
        must_refuse(add_ask(key, 0), "J4");
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(j5_behind_the_end_there_is_nothing)
{
    setup();
    ck_assert_int_eq(add_ask("pick", 0), MICA_OK);
    ck_assert_int_eq(add_child("t", 0, 1), MICA_OK);
    must_refuse(add((struct mica_entry){.kind = MICA_ENTRY_END, .scope = 1}),
                "J5");
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_END}), MICA_OK);
    must_refuse(add_answer(0, 0), "J5");
    must_refuse(add((struct mica_entry){.kind = MICA_ENTRY_END}), "J5");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(j6_a_journal_is_bounded_in_entries_and_bytes)
{
    struct mica_journal other;
    struct mica_text big;
    char *room = malloc(MICA_JOURNAL_BYTES + 1);
    size_t len;

    setup();
    memset(room, 'x', MICA_JOURNAL_BYTES + 1);
    for (uint32_t i = 0; i < MICA_JOURNAL_ENTRIES; i++)
        ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_RANDOM}),
                         MICA_OK);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_RANDOM}),
                     MICA_E_LIMIT);
    ck_assert_int_eq(read_bytes(mica_buffer_as_text(&journal.bytes), &other),
                     MICA_OK);
    mica_buffer_add(&journal.bytes, "\6\0\1\0", 4); // one entry too many
    ck_assert_int_eq(read_bytes(mica_buffer_as_text(&journal.bytes), &other),
                     MICA_E_LIMIT);
    mica_journal_init(&journal, &arena);
    big = (struct mica_text){room, MICA_JOURNAL_BYTES - 20};
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_END, .data = big}), MICA_OK);
    mica_journal_init(&journal, &arena);
    big.len = MICA_JOURNAL_BYTES - 4;
    len = journal.bytes.len;
    ck_assert_int_eq(
        add((struct mica_entry){.kind = MICA_ENTRY_END, .data = big}),
        MICA_E_LIMIT);
    ck_assert_uint_eq(journal.bytes.len, len);
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_END}), MICA_OK);
    big.len = MICA_JOURNAL_BYTES + 1;
    ck_assert_int_eq(read_bytes(big, &other), MICA_E_LIMIT);
    free(room);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_journal_without_memory_says_so)
{
    setup();
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 4096);
    mica_journal_init(&journal, &arena);
    enum mica_status status = MICA_OK;
    for (int i = 0; i < 4096 && status == MICA_OK; i++)
        status = add((struct mica_entry){.kind = MICA_ENTRY_TIME});
    ck_assert_int_eq(status, MICA_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "no memory"));
    mica_arena_fini(&arena);
}
END_TEST

// ---- Answers -------------------------------------------------------------------

static const struct mica_json *
json(const char *text)
{
    struct mica_json *value = mica_arena_zero(&arena, 1, sizeof *value);

    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(text), NULL, &error, value), MICA_OK);
    return value;
}

START_TEST(answers_go_to_the_open_asks_of_their_keys)
{
    uint32_t number;

    setup();
    ck_assert(!mica_journal_open_ask(&journal, 0, &number));
    ck_assert_int_eq(mica_journal_due(&journal), INT64_MAX);
    ck_assert_int_eq(add_ask("a", 0), MICA_OK);
    ck_assert_int_eq(add_child("t", 0, 1), MICA_OK);
    ck_assert_int_eq(add_ask("t/a", 1), MICA_OK);
    ck_assert_int_eq(add_ask("b", 0), MICA_OK);
    ck_assert_int_eq(mica_journal_due(&journal), 1700000600000);
    ck_assert_int_eq(
        mica_journal_answer(
            &journal, json("{\"t/a\":{\"x\": 1},\"c\":{},\"b\":{}}"), &error),
        MICA_OK);
    ck_assert_uint_eq(journal.count, 6);
    UNIT_TEXT_EQ(journal.entries[4].data, "{\"x\": 1}");
    ck_assert_uint_eq(journal.entries[2].answer, 5);
    ck_assert(mica_journal_open_ask(&journal, 0, &number));
    ck_assert_uint_eq(number, 0);
    ck_assert(!mica_journal_open_ask(&journal, 1, &number));
    // Answered ones are not answered again.
    ck_assert_int_eq(
        mica_journal_answer(&journal, json("{\"b\":{\"y\":1}}"), &error),
        MICA_OK);
    ck_assert_uint_eq(journal.count, 6);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(answers_that_are_no_objects_are_refused_before_any_is_taken)
{
    static const char *const wrong[] = {"null", "[]", "{\"a\":{},\"b\":null}",
                                        "{\"b\":3,\"a\":{}}"};

    setup();
    ck_assert_int_eq(add_ask("a", 0), MICA_OK);
    ck_assert_int_eq(add_ask("b", 0), MICA_OK);
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ck_assert_int_eq(mica_journal_answer(&journal, json(wrong[i]), &error),
                         MICA_E_TYPE);
        ck_assert_uint_eq(journal.count, 2);
    }
    ck_assert_int_eq(
        mica_journal_answer(&journal, json("{\"zzz\":null}"), &error), MICA_OK);
    ck_assert_uint_eq(journal.count, 2);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(all_open_asks_can_come_to_the_same_end)
{
    uint32_t number;

    setup();
    ck_assert_int_eq(add_ask("a", 0), MICA_OK);
    ck_assert_int_eq(add_ask("b", 0), MICA_OK);
    ck_assert_int_eq(add_answer(0, 0), MICA_OK);
    ck_assert_int_eq(
        mica_journal_close_asks(&journal, 0, MICA_E_TIMEOUT, &error), MICA_OK);
    ck_assert_uint_eq(journal.count, 4);
    ck_assert_int_eq(journal.entries[3].status, MICA_E_TIMEOUT);
    ck_assert_uint_eq(journal.entries[3].number, 1);
    ck_assert(!mica_journal_open_ask(&journal, 0, &number));
    mica_arena_fini(&arena);
}
END_TEST

// ---- Telling -------------------------------------------------------------------

START_TEST(a_journal_is_told_to_people_line_by_line)
{
    struct mica_buffer text;

    setup();
    fill();
    mica_buffer_init(&text, &arena, 1 << 16);
    mica_journal_describe(&journal, &text);
    UNIT_TEXT_EQ(
        mica_buffer_as_text(&text),
        "   0  ask     pick (form), at 2023-11-14T22:13:20Z, until "
        "2023-11-14T22:23:20Z\n"
        "   1  answer  pick {\"a\":1}\n"
        "   2  phase   before {\"n\":[1]}\n"
        "   3  step    charge FAILED {\"code\":\"NO\",\"message\":\"é\","
        "\"path\":\"\"}\n"
        "   4  client  lacks sampling\n"
        "   5  time    -9223372036854775808\n"
        "   6  random  ffffffffffffffff\n"
        "   7  told    300 events\n"
        "   8  child   greet (build 0123456789ab) {\"name\":\"Ann\"}\n"
        "   9  ask     greet/mood (form), at 2023-11-14T22:13:20Z, until "
        "2023-11-14T22:23:20Z\n"
        "  10  cleaned greet/go\n"
        "  11  answer  greet/mood {\"a\":1}\n"
        "  12  ended   greet {}\n"
        "  13  said    after {\"blocks\":[]}\n"
        "  14  end      TIMEOUT {}\n");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_journal_is_told_as_json)
{
    struct mica_json_writer writer;
    struct mica_buffer text;
    struct mica_json value;

    setup();
    fill();
    mica_buffer_init(&text, &arena, 1 << 16);
    mica_json_writer_init(&writer, &text);
    mica_journal_write_json(&journal, &writer);
    ck_assert_int_eq(mica_json_read(&arena, mica_buffer_as_text(&text), NULL,
                                    &error, &value),
                     MICA_OK);
    ck_assert_uint_eq(value.count, journal.count);
    UNIT_TEXT_EQ(value.items[0].raw,
                 "{\"entry\":0,\"kind\":\"ask\",\"scope\":0,\"key\":\"pick\","
                 "\"asks\":\"form\",\"open\":false,\"hash\":"
                 "\"0123456789abcdef\",\"time\":\"2023-11-14T22:13:20Z\","
                 "\"due\":\"2023-11-14T22:23:20Z\"}");
    UNIT_TEXT_EQ(
        value.items[8].raw,
        "{\"entry\":8,\"kind\":\"child\",\"scope\":0,\"key\":\"greet\","
        "\"opens\":1,\"hash\":\"fedcba9876543210\",\"version\":"
        "\"0123456789abcdef\",\"data\":{\"name\":\"Ann\"}}");
    UNIT_TEXT_EQ(value.items[11].raw,
                 "{\"entry\":11,\"kind\":\"answer\",\"scope\":1,\"to\":9,"
                 "\"status\":\"OK\",\"data\":{\"a\":1}}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(data_that_is_no_json_is_told_as_a_text)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    setup();
    ck_assert_int_eq(add((struct mica_entry){.kind = MICA_ENTRY_END,
                                             .data = MICA_LITERAL("}{")}),
                     MICA_OK);
    mica_buffer_init(&text, &arena, 1 << 16);
    mica_json_writer_init(&writer, &text);
    mica_journal_write_json(&journal, &writer);
    UNIT_TEXT_EQ(mica_buffer_as_text(&text),
                 "[{\"entry\":0,\"kind\":\"end\",\"scope\":0,\"status\":"
                 "\"OK\",\"data\":\"}{\"}]");
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("journal", what_was_written_is_read_and_goes_on,
          an_empty_journal_is_three_bytes, the_bytes_of_version_2_stay,
          every_cut_and_every_changed_byte_is_refused_or_a_journal,
          what_is_no_journal_is_told_with_its_byte,
          a_journal_of_another_version_is_told_apart_from_what_is_none,
          j1_what_stands_there_stays_when_more_is_added,
          j2_an_answer_names_one_open_ask_before_it,
          j3_a_scope_is_opened_by_one_child_and_closed_by_its_end,
          j4_no_two_asks_have_the_same_key, j5_behind_the_end_there_is_nothing,
          j6_a_journal_is_bounded_in_entries_and_bytes,
          a_journal_without_memory_says_so,
          answers_go_to_the_open_asks_of_their_keys,
          answers_that_are_no_objects_are_refused_before_any_is_taken,
          all_open_asks_can_come_to_the_same_end,
          a_journal_is_told_to_people_line_by_line, a_journal_is_told_as_json,
          data_that_is_no_json_is_told_as_a_text)
