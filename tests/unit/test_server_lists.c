// SPDX-License-Identifier: Apache-2.0
//
// Pages of lists in the MCP core, with a sealer that shows what it is given: the
// real one has its own tests (test_store_seal.c).
#include "server/sealer.h"
#include "test_server.h"
#include "unit.h"

// "bound|plain", so that a test can look inside and make its own.
static enum mica_status
seal(void *user, int64_t now, struct mica_text plain, struct mica_text bound,
     struct mica_error *error, struct mica_buffer *text_out)
{
    int *calls = user;

    if (++*calls > 100000)
        return mica_error_set(error, MICA_E_IO, "", "the store is gone");
    ck_assert_int_eq(now, 42);
    mica_buffer_text(text_out, bound);
    mica_buffer_char(text_out, '|');
    mica_buffer_text(text_out, plain);
    return MICA_OK;
}

static enum mica_status
unseal(void *user, int64_t now, struct mica_text text, struct mica_text bound,
       struct mica_error *error, struct mica_buffer *plain_out)
{
    (void)user;
    ck_assert_int_eq(now, 42);
    if (text.len <= bound.len || text.ptr[bound.len] != '|' ||
        !mica_text_equal(mica_text_slice(text, 0, bound.len), bound))
        return mica_error_set(error, MICA_E_FORMAT, "", "not ours");
    mica_buffer_text(plain_out, mica_text_slice(text, bound.len + 1, text.len));
    return MICA_OK;
}

static int64_t
always(void)
{
    return 42;
}

static int sealed;
static const struct mica_sealer sealer = {
    .seal = seal, .open = unseal, .user = &sealed};

// r0 … r24 behind the eight tools, three to a page.
static void
open_pages(void)
{
    static char uris[25][16];
    const struct mica_server_options options = {
        .name = "test", .version = "1", .page_items = 3};

    start_server(&options);
    harness.server->sealer = &sealer;
    harness.server->now = always;
    sealed = 0;
    for (int i = 0; i < 25; i++) {
        struct mica_resource resource = {.name = "r", .text = "x"};
        snprintf(uris[i], sizeof uris[i], "t:%d", i);
        resource.uri = uris[i];
        ck_assert_int_eq(
            mica_server_add_resource(harness.server, &resource, NULL, NULL),
            MICA_OK);
    }
}

// One page; its cursor without quotes, or "" on the last.
static const char *
page(const char *method, const char *cursor)
{
    static char next[256];
    struct mica_text text;

    line(quoted("{" V2 ",'id':1,'method':'%s','params':{" META "%s%s%s}}",
                method, cursor != NULL ? ",'cursor':'" : "",
                cursor != NULL ? cursor : "", cursor != NULL ? "'" : ""));
    text = mica_json_get_text(mica_json_get(&harness.last, "result"),
                              "nextCursor");
    ck_assert_uint_lt(text.len, sizeof next);
    memcpy(next, text.ptr != NULL ? text.ptr : "", text.len);
    next[text.len] = '\0';
    return next;
}

static size_t
items(const char *member)
{
    const struct mica_json *list =
        mica_json_get(mica_json_get(&harness.last, "result"), member);

    return list != NULL ? list->count : 0;
}

START_TEST(pages_together_are_the_list)
{
    const char *cursor = page("resources/list", NULL);
    int next = 0;

    for (int pages = 0; pages < 20; pages++) {
        for (size_t i = 0; i < items("resources"); i++, next++)
            ck_at(quoted("/result/resources/%zu/uri", i),
                  quoted("'t:%d'", next));
        ck_at("/result/cacheScope", "'public'");
        if (cursor[0] == '\0')
            break;
        ck_assert_uint_eq(items("resources"), 3);
        cursor = page("resources/list", cursor);
    }
    ck_assert_int_eq(next, 25);
    ck_assert_uint_eq(items("resources"), 1);
    cursor = page("tools/list", NULL);
    ck_assert_uint_eq(items("tools"), 3);
    (void)page("tools/list", cursor);
    ck_at("/result/tools/0/name", "'silent'");
    shake_hands("2025-03-26");
    line(quoted("{" V2 ",'id':1,'method':'tools/list'}"));
    ck_assert_uint_eq(items("tools"), 3);
    ck_says("/result/nextCursor", "|");
}
END_TEST

START_TEST(a_list_that_fits_has_no_cursor)
{
    harness.server->registry.main->page_items = 25;
    ck_assert_str_eq(page("resources/list", NULL), "");
    ck_assert_uint_eq(items("resources"), 25);
    ck_assert_int_eq(sealed, 0);
    harness.server->registry.main->page_items = 3;
    harness.server->sealer = NULL; // no one could open a cursor
    ck_assert_str_eq(page("resources/list", NULL), "");
    ck_assert_uint_eq(items("resources"), 25);
    (void)page("resources/list", "x");
    ck_error("-32602", "NOT_FOUND", "1");
}
END_TEST

// 300 KB each, and one that is larger than a page.
static void
add_large(int count)
{
    static char text[300001], larger[2000001];

    memset(text, 'x', sizeof text - 1);
    memset(larger, 'y', sizeof larger - 1);
    for (int i = 0; i < count; i++) {
        char uri[16];
        struct mica_resource resource = {.uri = uri, .name = "r", .text = "x"};
        snprintf(uri, sizeof uri, "l:%d", i);
        resource.description = i == 4 ? larger : text;
        ck_assert_int_eq(
            mica_server_add_resource(harness.server, &resource, NULL, NULL),
            MICA_OK);
    }
}

START_TEST(a_page_has_a_bound_in_bytes_too)
{
    static const size_t sizes[] = {25 + 3, 1, 1, 3, 2};
    const char *cursor = NULL;

    harness.server->registry.main->page_items = 1000;
    add_large(10);
    for (size_t i = 0; i < MICA_COUNT(sizes); i++) {
        cursor = page("resources/list", cursor);
        ck_assert_uint_eq(items("resources"), sizes[i]);
        // The one that is larger comes alone.
        ck_assert_uint_lt(strlen(harness.reply), i == 2 ? 2100000 : 1 << 20);
        ck_assert_int_eq(cursor[0] == '\0', i == MICA_COUNT(sizes) - 1);
    }
    ck_at("/result/resources/1/uri", "'l:9'");
}
END_TEST

// A list may take a quarter of what a message may.
START_TEST(a_page_is_smaller_where_memory_is)
{
    mica_arena_fini(&harness.arena);
    harness.server->registry.main->page_items = 1000;
    harness.server->options.call_bytes = 4 << 20;
    mica_arena_init(&harness.arena, 4 << 20);
    add_large(4);
    (void)page("resources/list", NULL);
    ck_assert_uint_eq(items("resources"), 25 + 3);
    harness.server->options.call_bytes = 2 << 20;
    (void)page("resources/list", NULL);
    ck_assert_uint_eq(items("resources"), 25 + 1);
}
END_TEST

// [LIST-CURSOR]
START_TEST(a_cursor_that_was_not_given_out_is_refused)
{
    static const char *const wrong[] = {"", "x", "cursor 0|2 count",
                                        "cursor 11 t:2"};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        (void)page("resources/list", wrong[i]);
        ck_error("-32602", "NOT_FOUND", "1");
        ck_says("/error/message", "call resources/list without one");
    }
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META
                ",'cursor':null}}"));
    ck_error("-32602", "NOT_FOUND", "1");
    (void)page("resources/templates/list", page("resources/list", NULL));
    ck_error("-32602", "NOT_FOUND", "1");
}
END_TEST

// [CACHE-SCOPE]
START_TEST(a_cursor_is_its_owners)
{
    const struct mica_principal ann = {
        MICA_LITERAL("i"), MICA_LITERAL("ann"), {NULL, 0}};
    struct mica_text text = MICA_LITERAL("cursor 1|2 t:2");
    struct mica_message *message = &harness.message;

    // As ann: a cursor for callers without a name is not hers.
    mica_arena_reset(&harness.arena);
    mica_message_init(message, harness.server, &harness.arena);
    message->context.principal = &ann;
    mica_message_line(message, &harness.state,
                      mica_text(quoted("{" V2 ",'id':1,'method':"
                                       "'resources/list','params':{" META
                                       ",'cursor':'%.*s'}}",
                                       MICA_ARG(text))));
    finish_message();
    ck_error("-32602", "NOT_FOUND", "1");
    mica_arena_reset(&harness.arena);
    mica_message_init(message, harness.server, &harness.arena);
    message->context.principal = &ann;
    mica_message_line(
        message, &harness.state,
        mica_text(quoted(
            "{" V2 ",'id':1,'method':'resources/list','params':{" META "}}")));
    finish_message();
    ck_at("/result/nextCursor", "'cursor 1 1 iann|2 t:2'");
    ck_at("/result/cacheScope", "'private'");
}
END_TEST

START_TEST(what_comes_and_goes_between_pages_moves_no_other)
{
    static const struct mica_resource more = {
        .uri = "t:more", .name = "m", .text = "x"};

    (void)page("resources/list", "cursor 1|8 t:8");
    ck_at("/result/resources/0/uri", "'t:9'");
    // One before the place goes, one is added: the key finds it.
    ck_assert_int_eq(mica_server_remove(harness.server,
                                        MICA_DEFINITION_RESOURCE, "t:1", NULL),
                     MICA_OK);
    ck_assert_int_eq(
        mica_server_add_resource(harness.server, &more, NULL, NULL), MICA_OK);
    (void)page("resources/list", "cursor 1|8 t:8");
    ck_at("/result/resources/0/uri", "'t:9'");
    // The place itself goes: its position, where the next one is now.
    ck_assert_int_eq(mica_server_remove(harness.server,
                                        MICA_DEFINITION_RESOURCE, "t:9", NULL),
                     MICA_OK);
    (void)page("resources/list", "cursor 1|8 t:9");
    ck_at("/result/resources/0/uri", "'t:10'");
    (void)page("resources/list", "cursor 1|500 t:none");
    ck_assert_uint_eq(items("resources"), 0);
    ck_at("/result/nextCursor", "(absent)");
    ck_at("/result/resources", "[]");
}
END_TEST

START_TEST(a_failing_store_is_said)
{
    sealed = 100000;
    (void)page("resources/list", NULL);
    ck_error("-32603", "IO_ERROR", "1");
    ck_at("/error/message", "'the store is gone'");
}
END_TEST

// ---- A sealer that is a key ----------------------------------------------------

static struct mica_text
seal_with(const struct mica_sealer *siphash, const char *plain,
          const char *bound)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &harness.last_arena, MICA_SEALED_BYTES);
    ck_assert_int_eq(siphash->seal(siphash->user, 0, mica_text(plain),
                                   mica_text(bound), NULL, &text),
                     MICA_OK);
    return mica_buffer_as_text(&text);
}

static enum mica_status
open_with(const struct mica_sealer *siphash, struct mica_text text,
          const char *bound)
{
    struct mica_error error;
    struct mica_buffer plain;
    enum mica_status status;

    mica_buffer_init(&plain, &harness.last_arena, MICA_SEALED_BYTES);
    status =
        siphash->open(siphash->user, 0, text, mica_text(bound), &error, &plain);
    if (status != MICA_OK)
        ck_assert_uint_eq(plain.len, 0);
    return status;
}

// The tag is what SipHash-2-4-128 of another library makes of the bound's length,
// the bound and the text.
START_TEST(a_key_makes_the_same_cursor_everywhere)
{
    static const unsigned char key[MICA_CURSOR_KEY_BYTES] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const struct mica_sealer *siphash =
        mica_siphash_sealer(&harness.last_arena, key);
    struct mica_text text = seal_with(siphash, "2 t:2", "cursor 1");

    ck_assert(mica_text_is(text, "EDymPJaedDAujo8XuztpajIgdDoy"));
    ck_assert_int_eq(open_with(siphash, text, "cursor 1"), MICA_OK);
    ck_assert_int_eq(open_with(siphash, text, "cursor 2"), MICA_E_FORMAT);
    // What moves from the bound to the text is something else.
    text = seal_with(siphash, "12", "");
    ck_assert_int_eq(open_with(siphash, text, "1"), MICA_E_FORMAT);
    ck_assert_int_eq(open_with(siphash, MICA_LITERAL("AAAA"), ""),
                     MICA_E_FORMAT);
    ck_assert_int_eq(open_with(siphash, MICA_LITERAL(""), ""), MICA_E_FORMAT);
}
END_TEST

START_TEST(a_key_seals_nothing_without_end)
{
    static const unsigned char key[MICA_CURSOR_KEY_BYTES];
    static char plain[MICA_SEALED_BYTES];
    const struct mica_sealer *siphash =
        mica_siphash_sealer(&harness.last_arena, key);
    struct mica_error error;
    struct mica_buffer text;

    memset(plain, 'x', sizeof plain);
    mica_buffer_init(&text, &harness.last_arena, MICA_SEALED_BYTES);
    ck_assert_int_eq(siphash->seal(siphash->user, 0,
                                   (struct mica_text){plain, sizeof plain},
                                   (struct mica_text){NULL, 0}, &error, &text),
                     MICA_E_LIMIT);
    plain[MICA_SEALED_BYTES / 4 * 3 - 16] = '\0';
    ck_assert_int_eq(open_with(siphash, seal_with(siphash, plain, "b"), "b"),
                     MICA_OK);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("lists");
    TCase *pages = tcase_create("pages");

    tcase_add_checked_fixture(pages, open_pages, close_server);
    suite_add_tcase(suite, pages);
    tcase_add_test(pages, pages_together_are_the_list);
    tcase_add_test(pages, a_list_that_fits_has_no_cursor);
    tcase_add_test(pages, a_page_has_a_bound_in_bytes_too);
    tcase_add_test(pages, a_page_is_smaller_where_memory_is);
    tcase_add_test(pages, a_cursor_that_was_not_given_out_is_refused);
    tcase_add_test(pages, a_cursor_is_its_owners);
    tcase_add_test(pages, what_comes_and_goes_between_pages_moves_no_other);
    tcase_add_test(pages, a_failing_store_is_said);
    tcase_add_test(pages, a_key_makes_the_same_cursor_everywhere);
    tcase_add_test(pages, a_key_seals_nothing_without_end);
    return run_suite(suite);
}
