// SPDX-License-Identifier: Apache-2.0
//
// The ring of the Inspector: what of an exchange is kept, how much of it, and what never
// enters.
#include "http/inspection.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mica/json.h>

#include "unit.h"

enum {
    TEXT_BYTES = 16 << 20
};

static struct mica_inspection *ring;
static struct mica_arena arena;

static void
open_ring(void)
{
    ring = mica_inspection_open();
    ck_assert_ptr_nonnull(ring);
    mica_arena_init(&arena, 4 * (size_t)TEXT_BYTES);
}

static void
close_ring(void)
{
    mica_inspection_close(&ring);
    ck_assert_ptr_null(ring);
    mica_arena_fini(&arena);
}

static const struct mica_inspected_request plain = {
    .surface = "mcp",
    .at_ms = 1700000000123,
    .verb = {"POST", 4},
    .path = {"/mcp", 4},
    .body = {"{\"jsonrpc\":\"2.0\"}", 17}};

static uint64_t
begin(struct mica_text body)
{
    struct mica_inspected_request request = plain;

    request.body = body;
    return mica_inspection_begin(ring, &request);
}

// Strict JSON, also as an event is sent: on one line.
static const struct mica_json *
read_json(const struct mica_buffer *text)
{
    struct mica_json *value = mica_arena_alloc(&arena, sizeof *value);
    struct mica_error error;

    ck_assert(!text->overflow);
    ck_assert_ptr_null(memchr(text->ptr, '\n', text->len));
    ck_assert_msg(mica_json_read(&arena, mica_buffer_as_text(text), NULL,
                                 &error, value) == MICA_OK,
                  "%s", error.message);
    return value;
}

// What is newer than `after`; *last_out is the last change.
static const struct mica_json *
list_after(uint64_t after, uint64_t *last_out)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &arena, TEXT_BYTES);
    *last_out = mica_inspection_list(ring, after, &text);
    return read_json(&text);
}

static size_t
count_of(const struct mica_json *list)
{
    return mica_json_get(list, "exchanges")->count;
}

static const struct mica_json *
one(uint64_t number)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &arena, TEXT_BYTES);
    if (!mica_inspection_write(ring, number, &text))
        return NULL;
    return read_json(&text);
}

static struct mica_text
body_of(const struct mica_json *exchange, const char *namez)
{
    return mica_json_get_text(mica_json_get(exchange, namez), "text");
}

static bool
is_cut(const struct mica_json *exchange, const char *namez)
{
    return mica_text_is(
        mica_json_get(mica_json_get(exchange, namez), "cut")->raw, "true");
}

START_TEST(an_exchange_is_its_request_its_message_and_its_reply)
{
    open_ring();
    uint64_t number = begin(plain.body);
    const struct mica_inspected_message message = {
        .version = MICA_LITERAL("2026-07-28"),
        .method = MICA_LITERAL("tools/call"),
        .name = MICA_LITERAL("tip")};
    const struct mica_inspected_reply reply = {
        .status = 200,
        .type = MICA_LITERAL("application/json"),
        .body = MICA_LITERAL("{\"id\":1}"),
        .bytes = 8};

    ck_assert_uint_eq(number, 1);
    ck_assert_ptr_null(mica_json_get(one(number), "outcome"));
    mica_inspection_name(ring, number, &message);
    mica_inspection_reply(ring, number, &reply);
    mica_inspection_end(ring, number, "sent", 1500000);
    const struct mica_json *shown = one(number);
    ck_assert(mica_text_is(mica_json_get_text(shown, "method"), "tools/call"));
    ck_assert(mica_text_is(mica_json_get_text(shown, "name"), "tip"));
    ck_assert(mica_text_is(mica_json_get_text(shown, "outcome"), "sent"));
    ck_assert(mica_text_is(mica_json_get(shown, "duration_us")->raw, "1500"));
    ck_assert(mica_text_is(mica_json_get(shown, "reply_bytes")->raw, "8"));
    ck_assert(mica_text_equal(body_of(shown, "request"), plain.body));
    ck_assert(mica_text_is(body_of(shown, "reply"), "{\"id\":1}"));
    ck_assert(!is_cut(shown, "request") && !is_cut(shown, "reply"));
    ck_assert_ptr_null(one(2));
    ck_assert_ptr_null(one(0));
    close_ring();
}
END_TEST

START_TEST(secrets_never_enter)
{
    const struct mica_header headers[] = {
        {MICA_LITERAL("Authorization"), MICA_LITERAL("Bearer SECRET")},
        {MICA_LITERAL("authorization"), MICA_LITERAL("Bearer SECRET")},
        {MICA_LITERAL("Cookie"), MICA_LITERAL("a=SECRET")},
        {MICA_LITERAL("Proxy-Authorization"), MICA_LITERAL("SECRET")},
        {MICA_LITERAL("X-Api-Key"), MICA_LITERAL("SECRET")},
        {MICA_LITERAL("Mcp-Session-Id"), MICA_LITERAL("abcdefghSECRET")},
        {MICA_LITERAL("Mcp-Param-Region"), MICA_LITERAL("eu")},
        {MICA_LITERAL("Accept"), MICA_LITERAL("application/json")}};
    struct mica_inspected_request request = plain;
    struct mica_buffer text;

    open_ring();
    request.headers = headers;
    request.header_count = MICA_COUNT(headers);
    (void)mica_inspection_begin(ring, &request);
    request.surface = "sse";
    request.query = MICA_LITERAL("session=ijklmnopSECRET&x=SECRET");
    (void)mica_inspection_begin(ring, &request);
    request.query = MICA_LITERAL("%73ession=SECRETSECRET");
    (void)mica_inspection_begin(ring, &request);
    mica_inspection_session(ring, 3, MICA_LITERAL("qrstuvwxSECRET"));
    mica_buffer_init(&text, &arena, TEXT_BYTES);
    (void)mica_inspection_list(ring, 0, &text);
    for (uint64_t i = 1; i <= 3; i++)
        ck_assert(mica_inspection_write(ring, i, &text));
    mica_buffer_char(&text, '\0');
    ck_assert_ptr_null(strstr(text.ptr, "SECRET"));
    ck_assert_ptr_null(strcasestr(text.ptr, "authorization"));
    ck_assert_ptr_null(strcasestr(text.ptr, "cookie"));
    ck_assert_ptr_nonnull(strstr(text.ptr, "\"session\":\"abcdefgh\""));
    ck_assert_ptr_nonnull(strstr(text.ptr, "?session=ijklmnop…"));
    ck_assert_ptr_nonnull(strstr(text.ptr, "\"session\":\"qrstuvwx\""));
    ck_assert_ptr_nonnull(strstr(text.ptr, "Mcp-Param-Region"));
    close_ring();
}
END_TEST

START_TEST(a_body_is_cut_and_that_is_said)
{
    static char large[MICA_INSPECTION_BODY_BYTES + 2];
    const struct mica_text whole = {large, MICA_INSPECTION_BODY_BYTES},
                           more = {large, sizeof large};

    open_ring();
    memset(large, 'x', sizeof large);
    uint64_t fits = begin(whole), longer = begin(more);
    ck_assert(!is_cut(one(fits), "request"));
    ck_assert_uint_eq(body_of(one(fits), "request").len, whole.len);
    ck_assert(is_cut(one(longer), "request"));
    ck_assert_uint_eq(body_of(one(longer), "request").len, whole.len);
    ck_assert(mica_text_is(mica_json_get(one(longer), "request_bytes")->raw,
                           "65538"));
    // Once something is missing nothing more is added behind the gap.
    mica_inspection_add(ring, fits, more);
    mica_inspection_add(ring, fits, MICA_LITERAL("y"));
    ck_assert(is_cut(one(fits), "reply"));
    ck_assert_uint_eq(body_of(one(fits), "reply").len, whole.len);
    ck_assert(
        mica_text_is(mica_json_get(one(fits), "reply_bytes")->raw, "65539"));
    close_ring();
}
END_TEST

START_TEST(what_is_no_text_does_not_break_the_json)
{
    open_ring();
    uint64_t number = begin((struct mica_text){"a\xff\x00z", 4});
    ck_assert(is_cut(one(number), "request"));
    ck_assert(mica_text_is(body_of(one(number), "request"), "a"));
    // A character that comes in two pieces of a stream is whole at the end.
    mica_inspection_add(ring, number, MICA_LITERAL("\xc3"));
    ck_assert(is_cut(one(number), "reply"));
    mica_inspection_add(ring, number, MICA_LITERAL("\xa9"));
    ck_assert(!is_cut(one(number), "reply"));
    ck_assert(mica_text_is(body_of(one(number), "reply"), "é"));
    close_ring();
}
END_TEST

START_TEST(a_reply_on_a_stream_may_come_before_its_status)
{
    const struct mica_inspected_reply accepted = {.status = 202};

    open_ring();
    uint64_t number = begin(plain.body);
    mica_inspection_add(ring, number, MICA_LITERAL("{}"));
    mica_inspection_reply(ring, number, &accepted);
    ck_assert(mica_text_is(body_of(one(number), "reply"), "{}"));
    ck_assert(mica_text_is(mica_json_get(one(number), "status")->raw, "202"));
    // Only a part of this one is in memory.
    const struct mica_inspected_reply late = {
        .status = 200, .body = MICA_LITERAL("{\"blob\":\""), .bytes = 5000};
    number = begin(plain.body);
    mica_inspection_reply(ring, number, &late);
    ck_assert(is_cut(one(number), "reply"));
    ck_assert(
        mica_text_is(mica_json_get(one(number), "reply_bytes")->raw, "5000"));
    close_ring();
}
END_TEST

START_TEST(the_oldest_go_by_their_number)
{
    uint64_t last;

    open_ring();
    for (int i = 0; i < MICA_INSPECTION_COUNT; i++)
        (void)begin(plain.body);
    ck_assert_uint_eq(count_of(list_after(0, &last)), MICA_INSPECTION_COUNT);
    ck_assert_ptr_nonnull(one(1));
    ck_assert_uint_eq(begin(plain.body), MICA_INSPECTION_COUNT + 1);
    ck_assert_ptr_null(one(1));
    const struct mica_json *list = list_after(0, &last);
    ck_assert_uint_eq(count_of(list), MICA_INSPECTION_COUNT);
    ck_assert(mica_text_is(mica_json_get(list, "forgotten")->raw, "1"));
    // What is told of one that has gone changes nothing.
    mica_inspection_add(ring, 1, MICA_LITERAL("x"));
    mica_inspection_end(ring, 1, "sent", 1);
    ck_assert_uint_eq(count_of(list_after(last, &last)), 0);
    close_ring();
}
END_TEST

START_TEST(the_oldest_go_by_their_bytes)
{
    static char large[MICA_INSPECTION_BODY_BYTES];
    const size_t most = MICA_INSPECTION_ALL_BYTES / sizeof large;
    uint64_t last, first = 0;

    open_ring();
    memset(large, 'x', sizeof large);
    for (size_t i = 0; i < 2 * most; i++)
        (void)begin((struct mica_text){large, sizeof large});
    const struct mica_json *list = list_after(0, &last);
    const struct mica_json *exchanges = mica_json_get(list, "exchanges");
    ck_assert_uint_lt(exchanges->count, most);
    ck_assert_uint_gt(exchanges->count, most / 2);
    // The last ones are there, without a gap.
    for (size_t i = 0; i < exchanges->count; i++) {
        int64_t number;
        ck_assert(mica_integer_read(
            mica_json_get(&exchanges->items[i], "number")->raw, &number));
        ck_assert(first == 0 || (uint64_t)number == first + i);
        first = first == 0 ? (uint64_t)number : first;
    }
    close_ring();
}
END_TEST

START_TEST(a_reader_is_given_what_is_newer)
{
    uint64_t last, next;

    open_ring();
    ck_assert_uint_eq(count_of(list_after(0, &last)), 0);
    uint64_t first = begin(plain.body);
    (void)begin(plain.body);
    ck_assert_uint_eq(count_of(list_after(last, &next)), 2);
    mica_inspection_end(ring, first, NULL, 1);
    const struct mica_json *list = list_after(next, &last);
    ck_assert_uint_eq(count_of(list), 1);
    ck_assert(mica_text_is(
        mica_json_get(&mica_json_get(list, "exchanges")->items[0], "number")
            ->raw,
        "1"));
    ck_assert_uint_eq(count_of(list_after(last, &next)), 0);
    ck_assert_uint_eq(last, next);
    close_ring();
}
END_TEST

// ---- Threads -----------------------------------------------------------------------

static void *
fill(void *data)
{
    (void)data;
    for (int i = 0; i < 2000; i++) {
        uint64_t number = begin(plain.body);
        mica_inspection_add(ring, number, MICA_LITERAL("data: {}\n\n"));
        mica_inspection_end(ring, number, "sent", 1);
    }
    return NULL;
}

START_TEST(threads_may_fill_while_one_reads)
{
    pthread_t threads[3];
    uint64_t last = 0;

    open_ring();
    for (size_t i = 0; i < MICA_COUNT(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, fill, NULL), 0);
    for (int i = 0; i < 20; i++) {
        (void)list_after(last, &last);
        mica_arena_reset(&arena);
    }
    for (size_t i = 0; i < MICA_COUNT(threads); i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    const struct mica_json *list = list_after(0, &last);
    ck_assert_uint_eq(count_of(list), MICA_INSPECTION_COUNT);
    ck_assert(mica_text_is(mica_json_get(list, "forgotten")->raw, "5744"));
    // What a thread says of an exchange that the others have pushed out is no change.
    ck_assert_uint_ge(last, 3 * 2000);
    ck_assert_uint_le(last, 3 * 2000 * 3);
    close_ring();
}
END_TEST

UNIT_MAIN("inspection", an_exchange_is_its_request_its_message_and_its_reply,
          secrets_never_enter, a_body_is_cut_and_that_is_said,
          what_is_no_text_does_not_break_the_json,
          a_reply_on_a_stream_may_come_before_its_status,
          the_oldest_go_by_their_number, the_oldest_go_by_their_bytes,
          a_reader_is_given_what_is_newer, threads_may_fill_while_one_reads)
