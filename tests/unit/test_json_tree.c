// SPDX-License-Identifier: Apache-2.0
//
// Looking into values: members, pointers, equality.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mica/json.h>

#include "unit.h"

static struct mica_json
read_into(struct mica_arena *arena, struct mica_text text)
{
    struct mica_json value;
    struct mica_error error;
    enum mica_status status = mica_json_read(arena, text, NULL, &error, &value);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    return value;
}

START_TEST(members_are_found_by_name)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 16);
    struct mica_json root = read_into(
        &arena,
        MICA_LITERAL("{\"a\":1,\"ab\":\"x\",\"\":null,\"c\\u0000\":2}"));
    UNIT_TEXT_EQ(mica_json_get(&root, "a")->text, "1");
    UNIT_TEXT_EQ(mica_json_get_text(&root, "ab"), "x");
    ck_assert_int_eq(mica_json_get(&root, "")->kind, MICA_JSON_NULL);
    ck_assert_ptr_null(mica_json_get(&root, "b"));
    ck_assert_ptr_null(mica_json_get(&root, "A"));
    ck_assert_ptr_null(mica_json_get(&root, "c"));
    ck_assert_ptr_null(mica_json_get(NULL, "a"));
    ck_assert_ptr_null(mica_json_get(mica_json_get(&root, "a"), "a"));
    ck_assert_ptr_null(mica_json_get_text(&root, "a").ptr);
    ck_assert_ptr_null(mica_json_get_text(&root, "b").ptr);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(kinds_have_the_names_of_the_schema)
{
    ck_assert_str_eq(mica_json_kind_name(MICA_JSON_NULL), "null");
    ck_assert_str_eq(mica_json_kind_name(MICA_JSON_FALSE), "boolean");
    ck_assert_str_eq(mica_json_kind_name(MICA_JSON_TRUE), "boolean");
    ck_assert_str_eq(mica_json_kind_name(MICA_JSON_NUMBER), "number");
    ck_assert_str_eq(mica_json_kind_name(MICA_JSON_STRING), "string");
    ck_assert_str_eq(mica_json_kind_name(MICA_JSON_ARRAY), "array");
    ck_assert_str_eq(mica_json_kind_name(MICA_JSON_OBJECT), "object");
}
END_TEST

// ---- Pointers -------------------------------------------------------------------

START_TEST(the_pointers_of_rfc_6901_find_their_values)
{
    static const char *const cases[][2] = {
        {"/foo", "[\"bar\", \"baz\"]"},
        {"/foo/0", "\"bar\""},
        {"/foo/1", "\"baz\""},
        {"/", "0"},
        {"/a~1b", "1"},
        {"/c%d", "2"},
        {"/e^f", "3"},
        {"/g|h", "4"},
        {"/i\\j", "5"},
        {"/k\"l", "6"},
        {"/ ", "7"},
        {"/m~0n", "8"},
        {"/~01", "9"},
        {"/deep/0/x", "true"},
    };
    static const char *const absent[] = {
        "foo",
        "/fo",
        "/foo/2",
        "/foo/-",
        "/foo/00",
        "/foo/01",
        "/foo/",
        "/foo/a",
        "/foo/0/",
        "/a/b",
        "/m~n",
        "/m~2n",
        "/m~",
        "//",
        "/foo/18446744073709551616",
        "/foo/99999999999999999999999999",
        "/deep/0/x/y",
        "/foo/1e0",
        "/foo/123",
    };
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 16);
    struct mica_json root = read_into(
        &arena,
        MICA_LITERAL("{\"foo\":[\"bar\", \"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,"
                     "\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,"
                     "\"m~n\":8,\"~1\":9,\"deep\":[{\"x\":true}]}"));
    ck_assert_ptr_eq(mica_json_pointer_get(&root, mica_text("")), &root);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        const struct mica_json *found =
            mica_json_pointer_get(&root, mica_text(cases[i][0]));
        ck_assert_msg(found != NULL, "%s", cases[i][0]);
        UNIT_TEXT_EQ(found->raw, cases[i][1]);
    }
    for (size_t i = 0; i < MICA_COUNT(absent); i++)
        ck_assert_msg(mica_json_pointer_get(&root, mica_text(absent[i])) ==
                          NULL,
                      "%s", absent[i]);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(pointers_are_built_token_by_token)
{
    struct mica_buffer pointer;
    mica_buffer_init(&pointer, NULL, 100);
    mica_json_pointer_add(&pointer, MICA_LITERAL("a/b"));
    mica_json_pointer_add(&pointer, MICA_LITERAL("m~n"));
    mica_json_pointer_add(&pointer, MICA_LITERAL(""));
    mica_json_pointer_add(&pointer, MICA_LITERAL("0"));
    UNIT_TEXT_EQ(mica_buffer_as_text(&pointer), "/a~1b/m~0n//0");
    mica_buffer_fini(&pointer);
    mica_buffer_init(&pointer, NULL, 5);
    mica_json_pointer_add(&pointer, MICA_LITERAL("ab"));
    mica_json_pointer_add(&pointer, MICA_LITERAL("cd"));
    ck_assert(pointer.overflow);
    UNIT_TEXT_EQ(mica_buffer_as_text(&pointer), "/ab");
    mica_buffer_fini(&pointer);
}
END_TEST

// ---- Equality -------------------------------------------------------------------

START_TEST(values_are_equal_whatever_their_text)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"null", "null", true},
        {"null", "false", false},
        {"true", "false", false},
        {"1", "1.0", true},
        {"1e2", "100", true},
        {"0", "-0.0", true},
        {"9007199254740993", "9007199254740992", false},
        {"9007199254740993", "9007199254740993.0", true},
        {"1e400", "10e399", true},
        {"1e400", "1e401", false},
        {"1e99999999999999999999", "1e99999999999999999998", false},
        {"1e99999999999999999999", "1e99999999999999999999", true},
        {"1", "\"1\"", false},
        {"\"\\u0041\"", "\"A\"", true},
        {"\"a\"", "\"b\"", false},
        {"[]", "[]", true},
        {"[]", "{}", false},
        {"[1,2]", "[2,1]", false},
        {"[1,2]", "[1]", false},
        {"{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}", true},
        {"{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false},
        {"{\"a\":1,\"b\":2}", "{\"a\":1}", false},
        {"{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", false},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_arena arena;
        mica_arena_init(&arena, 1 << 16);
        struct mica_json a = read_into(&arena, mica_text(cases[i].a));
        struct mica_json b = read_into(&arena, mica_text(cases[i].b));
        ck_assert_msg(mica_json_equal(&a, &b) == cases[i].equal, "%s %s",
                      cases[i].a, cases[i].b);
        ck_assert(mica_json_equal(&b, &a) == cases[i].equal);
        ck_assert(mica_json_equal(&a, &a));
        mica_arena_fini(&arena);
    }
}
END_TEST

// Members "0" to count - 1 from the last to the first or the other way; the
// value of `odd` differs from its name.
static struct mica_json
numbered(struct mica_arena *arena, unsigned count, bool reversed, unsigned odd)
{
    struct mica_buffer text;
    mica_buffer_init(&text, arena, 1 << 24);
    mica_buffer_char(&text, '{');
    for (unsigned i = 0; i < count; i++) {
        unsigned n = reversed ? count - 1 - i : i;
        mica_buffer_format(&text, "%s\"%u\":%u", i > 0 ? "," : "", n,
                           n == odd ? n + 1 : n);
    }
    mica_buffer_char(&text, '}');
    return read_into(arena, mica_buffer_as_text(&text));
}

START_TEST(large_objects_are_equal_in_any_order)
{
    for (unsigned count = 1; count < 200; count++) {
        struct mica_arena arena;
        mica_arena_init(&arena, 1 << 22);
        struct mica_json a = numbered(&arena, count, false, count);
        struct mica_json b = numbered(&arena, count, true, count);
        struct mica_json c = numbered(&arena, count, true, count / 2);
        ck_assert(mica_json_equal(&a, &b));
        ck_assert(!mica_json_equal(&a, &c));
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(reversed_order_does_not_make_equality_slow)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 27);
    struct mica_json a = numbered(&arena, 200000, false, 200000);
    struct mica_json b = numbered(&arena, 200000, true, 200000);
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    ck_assert(mica_json_equal(&a, &b));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    ck_assert_int_lt(after.tv_sec - before.tv_sec, 10);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("json_tree", members_are_found_by_name,
          kinds_have_the_names_of_the_schema,
          the_pointers_of_rfc_6901_find_their_values,
          pointers_are_built_token_by_token,
          values_are_equal_whatever_their_text,
          large_objects_are_equal_in_any_order,
          reversed_order_does_not_make_equality_slow)
