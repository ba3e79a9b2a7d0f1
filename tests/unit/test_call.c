// SPDX-License-Identifier: Apache-2.0
//
// What a handler may call, and how a call ends.
#include <math.h>
#include <string.h>

#include <mica/server.h>

#include "call/call.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_call call;

static void
setup(size_t cap)
{
    mica_arena_init(&arena, cap);
    mica_call_init(&call, &arena);
}

START_TEST(a_failure_takes_any_spelling_of_a_path)
{
    static const struct {
        const char *given, *pointer;
    } cases[] = {{"b", "/b"},
                 {"/b", "/b"},
                 {"", ""},
                 {NULL, ""},
                 {"rows/2/price", "/rows/2/price"},
                 {"/rows/2/price", "/rows/2/price"}};
    setup(1 << 16);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_int_eq(mica_fail(&call, "NO_SUCH_THING", cases[i].given,
                                   "there is no %s", "thing"),
                         MICA_FAILED);
        ck_assert_str_eq(call.error.path, cases[i].pointer);
        ck_assert_str_eq(call.error.code, "NO_SUCH_THING");
        ck_assert_str_eq(call.error.message, "there is no thing");
        ck_assert_int_eq(call.error.status, MICA_FAILED);
    }
    char path[500];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    (void)mica_fail(&call, "LONG", path, "long");
    ck_assert_uint_lt(strlen(call.error.path), sizeof call.error.path);
    ck_assert_int_eq(call.error.path[0], '/');
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_failure_becomes_json)
{
    setup(1 << 16);
    (void)mica_fail(&call, "BAD_NAME", "name", "\"%s\" is\nbad", "x");
    mica_call_fail_error(&call);
    ck_assert_int_eq(call.result.status, MICA_FAILED);
    UNIT_TEXT_EQ(call.result.error,
                 "{\"code\":\"BAD_NAME\",\"message\":\"\\\"x\\\" is\\nbad\","
                 "\"path\":\"/name\"}");
    mica_call_fail(&call, MICA_E_CANCELLED, "", "%s", "stop");
    UNIT_TEXT_EQ(call.result.error, "{\"code\":\"CANCELLED\",\"message\":"
                                    "\"stop\",\"path\":\"\"}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_message_with_a_cut_character_stays_utf8)
{
    setup(1 << 16);
    (void)mica_fail(&call, "CUT", "", "%.*s|%s", 1, "é", "\xFF\xFE");
    mica_call_fail_error(&call);
    UNIT_TEXT_EQ(call.result.error, "{\"code\":\"CUT\",\"message\":\"�|��\","
                                    "\"path\":\"\"}");
    // All of a full message is wrong: it grows and is cut again.
    char bytes[600];
    memset(bytes, 0xC3, sizeof bytes);
    bytes[sizeof bytes - 1] = '\0';
    (void)mica_fail(&call, "CUT", "", "%s", bytes);
    mica_call_fail_error(&call);
    ck_assert_uint_eq(mica_utf8_valid(call.result.error),
                      call.result.error.len);
    ck_assert_uint_gt(call.result.error.len, 400);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(clean_text_is_not_copied)
{
    struct mica_text text = MICA_LITERAL("schön");
    setup(1 << 16);
    ck_assert_ptr_eq(mica_call_clean(&arena, text).ptr, text.ptr);
    ck_assert_uint_eq(arena.used, 0);
    UNIT_TEXT_EQ(mica_call_clean(&arena, MICA_LITERAL("\xE2\x82")), "��");
    UNIT_TEXT_EQ(mica_call_clean(&arena, MICA_LITERAL("a\x80z")), "a�z");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(text_and_numbers_are_made_in_the_call)
{
    setup(1 << 16);
    struct mica_text text =
        mica_format(&call, "%s and %d%%", mica_number(&call, 0.1), 5);
    UNIT_TEXT_EQ(text, "0.1 and 5%");
    ck_assert_int_eq(text.ptr[text.len], '\0');
    ck_assert_uint_eq(mica_format(&call, "%s", "").len, 0);
    ck_assert_str_eq(mica_number(&call, 1e21), "1e+21");
    ck_assert_str_eq(mica_number(&call, -0.0), "0");
    ck_assert_str_eq(mica_fixed(&call, 2.5, 0), "3");
    ck_assert_str_eq(mica_fixed(&call, 1.005, 2), "1.00");
    ck_assert_str_eq(mica_fixed(&call, (double)NAN, 2), "NaN");
    ck_assert_str_eq(mica_fixed(&call, -(double)INFINITY, 2), "-Infinity");
    ck_assert_uint_eq(strlen(mica_fixed(&call, 1, 100)), 102);
    ck_assert_uint_eq(strlen(mica_fixed(&call, 1, 4000000000)), 102);
    struct mica_buffer builder = mica_builder(&call);
    for (int i = 0; i < 1000; i++)
        mica_buffer_format(&builder, "%d,", i);
    ck_assert(!builder.overflow);
    ck_assert_uint_eq(builder.len, 10 + 90 * 2 + 900 * 3 + 1000);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(memory_is_zeroed_and_aligned)
{
    setup(1 << 16);
    memset(mica_arena_alloc(&arena, 512), 0xAA, 512);
    mica_arena_reset(&arena);
    unsigned char *memory = mica_alloc(&call, 512);
    for (size_t i = 0; i < 512; i++)
        ck_assert_uint_eq(memory[i], 0);
    (void)mica_alloc(&call, 1);
    double *numbers = MICA_NEW(&call, double, 3);
    ck_assert_uint_eq((uintptr_t)numbers % 16, 0);
    ck_assert_ptr_nonnull(mica_alloc(&call, 0));
    mica_arena_fini(&arena);
}
END_TEST

// ---- Running out -----------------------------------------------------------

static int
compare_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 1);
}

// Each asks for more than there is, and must not come back.
static void
exceed(struct mica_call *c, void *data)
{
    static const struct mica_content_options all = {.audience = "user",
                                                    .has_priority = true};
    int way = *(int *)data;
    *(int *)data = -1;
    size_t huge = SIZE_MAX / 2;
    struct mica_text text = {NULL, 0};
    switch (way) {
    case 0:
        (void)mica_alloc(c, 1 << 20);
        break;
    case 1:
        (void)mica_alloc_array(c, huge, 16);
        break;
    case 2:
        for (;;)
            (void)mica_number(c, 1);
    case 3:
        for (;;)
            (void)mica_fixed(c, 1, 100);
    case 4:
        for (;;)
            (void)mica_format(c, "%0500d", 1);
    case 5:
        for (;;)
            mica_add_text(c, text, &all);
    case 6:
        text = (struct mica_text){mica_alloc(c, 3000), 3000};
        mica_add_image(c, text.ptr, text.len, "image/png", NULL);
        break;
    default: {
        char *items = mica_alloc(c, 3000);
        mica_sort(c, items, 3000, 1, compare_bytes);
        break;
    }
    }
    *(int *)data = -2;
}

START_TEST(a_call_that_runs_out_of_memory_ends)
{
    for (int i = 0; i <= 7; i++) {
        int way = i;
        setup(4096);
        mica_call_guard(&call, exceed, &way);
        ck_assert_msg(way == -1, "way %d came back", i);
        ck_assert_int_eq(call.result.status, MICA_E_LIMIT);
        ck_assert_int_eq(call.error.status, MICA_E_LIMIT);
        ck_assert_ptr_null(call.unwind);
        struct mica_arena other;
        struct mica_json error;
        mica_arena_init(&other, 1 << 16);
        ck_assert_int_eq(
            mica_json_read(&other, call.result.error, NULL, NULL, &error),
            MICA_OK);
        UNIT_TEXT_EQ(mica_json_get_text(&error, "code"), "LIMIT_EXCEEDED");
        mica_arena_fini(&other);
        mica_arena_fini(&arena);
    }
}
END_TEST

static void
guard_again(struct mica_call *c, void *data)
{
    int way = 0;
    mica_call_guard(c, exceed, &way);
    *(bool *)data = true;
}

START_TEST(a_guard_inside_a_guard_leaves_both)
{
    bool came_back = false;
    setup(4096);
    mica_call_guard(&call, guard_again, &came_back);
    ck_assert(!came_back);
    ck_assert_int_eq(call.result.status, MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_failure_without_memory_is_a_limit)
{
    setup(600);
    (void)mica_arena_alloc(&arena, 500);
    mica_call_fail(&call, MICA_E_TYPE, "", "a message that needs room");
    ck_assert_int_eq(call.result.status, MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Settling --------------------------------------------------------------

START_TEST(a_handler_ends_as_its_contract_says)
{
    static const struct {
        bool fail;
        enum mica_status returned, settled;
        const char *messagez;
    } cases[] = {
        {false, MICA_OK, MICA_OK, NULL},
        {true, MICA_FAILED, MICA_FAILED, "why"},
        {false, MICA_FAILED, MICA_E_EXECUTION,
         "the handler returned MICA_FAILED without saying why; it must end "
         "with `return mica_fail(…)`"},
        {true, MICA_OK, MICA_E_EXECUTION,
         "the handler called mica_fail with BECAUSE but returned MICA_OK; it "
         "must end with `return mica_fail(…)`"},
        {false, MICA_E_JSON, MICA_E_EXECUTION,
         "the handler returned the status INVALID_JSON; it must end with "
         "MICA_OK or `return mica_fail(…)`"},
        {true, MICA_E_IO, MICA_E_EXECUTION, NULL},
        {false, (enum mica_status)999, MICA_E_EXECUTION, NULL},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        setup(1 << 16);
        if (cases[i].fail)
            (void)mica_fail(&call, "BECAUSE", "", "why");
        ck_assert_int_eq(mica_call_conclude(&call, cases[i].returned),
                         cases[i].settled == MICA_OK);
        ck_assert_int_eq(call.result.status, cases[i].settled);
        if (cases[i].messagez != NULL)
            ck_assert_str_eq(call.error.message, cases[i].messagez);
        mica_arena_fini(&arena);
    }
    setup(1 << 16);
    arena.overflow = true;
    ck_assert(!mica_call_conclude(&call, MICA_OK));
    ck_assert_int_eq(call.result.status, MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Sorting ---------------------------------------------------------------

struct item {
    int key, order;
    char rest[3];
};

static int comparisons;

static int
by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    comparisons++;
    return (x->key > y->key) - (x->key < y->key);
}

START_TEST(sorting_is_stable_and_bounded_for_every_size)
{
    static const int ranges[] = {1, 3, 1000000};
    uint32_t state = 1;
    for (int n = 0; n <= 600; n += n < 70 ? 1 : 53) {
        for (size_t r = 0; r < MICA_COUNT(ranges); r++) {
            struct item items[600];
            setup(1 << 20);
            for (int i = 0; i < n; i++) {
                state = state * 1664525 + 1013904223;
                items[i].key = (int)(state >> 8) % ranges[r];
                items[i].order = i;
            }
            comparisons = 0;
            mica_sort(&call, items, (size_t)n, sizeof items[0], by_key);
            for (int i = 1; i < n; i++) {
                ck_assert_int_le(items[i - 1].key, items[i].key);
                if (items[i - 1].key == items[i].key)
                    ck_assert_int_lt(items[i - 1].order, items[i].order);
            }
            double most = n < 2 ? 0 : n * (log2(n) + 5);
            ck_assert(comparisons <= most);
            mica_arena_fini(&arena);
        }
    }
}
END_TEST

START_TEST(sorting_what_is_sorted_is_linear)
{
    enum {
        MANY = 4096
    };
    static struct item items[MANY];
    setup(1 << 20);
    for (int i = 0; i < MANY; i++)
        items[i].key = i;
    comparisons = 0;
    mica_sort(&call, items, MANY, sizeof items[0], by_key);
    ck_assert_int_lt(comparisons, 2 * MANY);
    for (int i = 0; i < MANY; i++)
        items[i].key = -i;
    mica_sort(&call, items, MANY, sizeof items[0], by_key);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(items[i].key, i - MANY + 1);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Content ---------------------------------------------------------------

START_TEST(content_keeps_its_order_and_its_bytes)
{
    char text[] = "hello", uri[] = "file:///a";
    setup(1 << 16);
    mica_add_text(&call, mica_text(text), NULL);
    mica_add_image(
        &call, "\x00\xFF\x10", 3, "image/png",
        &(struct mica_content_options){.audience = "user  assistant",
                                       .priority = 0.5,
                                       .has_priority = true,
                                       .last_modified = "2026-11-20"});
    mica_add_audio(&call, "", 0, "audio/wav", NULL);
    mica_add_resource_text(&call, uri, NULL, MICA_LITERAL("t"), NULL);
    mica_add_resource_bytes(&call, uri, "a/b", "xyz", 3, NULL);
    mica_add_resource_link(&call, uri, "name", NULL, "text/plain", NULL);
    memset(text, 0, sizeof text);
    memset(uri, 0, sizeof uri);

    const struct mica_content *block = call.result.content;
    ck_assert_int_eq(block->kind, MICA_CONTENT_TEXT);
    UNIT_TEXT_EQ(block->data, "hello");
    ck_assert_uint_eq(block->annotations.len, 0);
    block = block->next;
    ck_assert_int_eq(block->kind, MICA_CONTENT_IMAGE);
    ck_assert(block->base64);
    UNIT_TEXT_EQ(block->data, "AP8Q");
    UNIT_TEXT_EQ(block->mime_type, "image/png");
    UNIT_TEXT_EQ(block->annotations,
                 "{\"audience\":[\"user\",\"assistant\"],\"priority\":0.5,"
                 "\"lastModified\":\"2026-11-20\"}");
    block = block->next;
    ck_assert_int_eq(block->kind, MICA_CONTENT_AUDIO);
    ck_assert_uint_eq(block->data.len, 0);
    block = block->next;
    ck_assert_int_eq(block->kind, MICA_CONTENT_RESOURCE);
    ck_assert(!block->base64 && block->mime_type.ptr == NULL);
    UNIT_TEXT_EQ(block->uri, "file:///a");
    UNIT_TEXT_EQ(block->data, "t");
    block = block->next;
    UNIT_TEXT_EQ(block->data, "eHl6");
    UNIT_TEXT_EQ(block->uri, "file:///a");
    block = block->next;
    ck_assert_int_eq(block->kind, MICA_CONTENT_LINK);
    UNIT_TEXT_EQ(block->name, "name");
    ck_assert_ptr_null(block->description.ptr);
    ck_assert_ptr_null(block->next);
    ck_assert_ptr_eq(call.result.last, block);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(content_is_made_fit_for_json)
{
    setup(1 << 16);
    mica_add_text(&call, MICA_LITERAL("a\xC3"),
                  &(struct mica_content_options){.has_priority = true,
                                                 .priority = (double)NAN});
    UNIT_TEXT_EQ(call.result.content->data, "a�");
    UNIT_TEXT_EQ(call.result.content->annotations, "{\"priority\":0}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(owner_cancellation_and_error_mark_belong_to_the_call)
{
    atomic_bool cancelled = false;
    int owner;
    setup(1 << 16);
    ck_assert(!mica_cancelled(&call));
    call.cancelled = &cancelled;
    ck_assert(!mica_cancelled(&call));
    cancelled = true;
    ck_assert(mica_cancelled(&call));
    call.user = &owner;
    ck_assert_ptr_eq(mica_user(&call), &owner);
    ck_assert(!call.result.is_error);
    mica_mark_error(&call);
    ck_assert(call.result.is_error);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("call", a_failure_takes_any_spelling_of_a_path,
          a_failure_becomes_json, a_message_with_a_cut_character_stays_utf8,
          clean_text_is_not_copied, text_and_numbers_are_made_in_the_call,
          memory_is_zeroed_and_aligned, a_call_that_runs_out_of_memory_ends,
          a_guard_inside_a_guard_leaves_both,
          a_failure_without_memory_is_a_limit,
          a_handler_ends_as_its_contract_says,
          sorting_is_stable_and_bounded_for_every_size,
          sorting_what_is_sorted_is_linear,
          content_keeps_its_order_and_its_bytes, content_is_made_fit_for_json,
          owner_cancellation_and_error_mark_belong_to_the_call)
