// SPDX-License-Identifier: Apache-2.0
//
// Queries: how they are taken apart, and how their values become the JSON of a
// call by a schema with every kind that a tool may take.
#include <stdio.h>
#include <string.h>

#include "rest/query.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_error error;

// The pairs as "name=value|name=value", or the code of the refusal.
static const char *
pairs_of(const char *query)
{
    struct mica_query read;
    struct mica_buffer text;
    enum mica_status status;

    mica_arena_init(&arena, 8 << 20);
    status = mica_query_read(&arena, mica_text(query), &error, &read);
    if (status != MICA_OK)
        return mica_status_code(status);
    mica_buffer_init(&text, &arena, 1 << 20);
    for (size_t i = 0; i < read.count; i++)
        mica_buffer_format(&text, "%s%.*s=%.*s", i > 0 ? "|" : "",
                           MICA_ARG(read.pairs[i].name),
                           MICA_ARG(read.pairs[i].value));
    mica_buffer_char(&text, '\0');
    return text.ptr;
}

#define ck_pairs(query, expected)                    \
    do {                                             \
        ck_assert_str_eq(pairs_of(query), expected); \
        mica_arena_fini(&arena);                     \
    } while (0)

START_TEST(names_and_values_come_apart)
{
    ck_pairs("", "");
    ck_pairs("a=1", "a=1");
    ck_pairs("a=1&b=2&a=3", "a=1|b=2|a=3");
    ck_pairs("a=", "a=");
    ck_pairs("a", "a=");
    ck_pairs("a=b=c", "a=b=c");
    ck_pairs("a=1&&b=2&", "a=1|b=2");
    ck_pairs("&", "");
    ck_pairs("a=?&b=/", "a=?|b=/");
}
END_TEST

START_TEST(blanks_and_bytes_are_decoded)
{
    ck_pairs("a=x+y", "a=x y");
    ck_pairs("a=x%20y", "a=x y");
    ck_pairs("a=%2B%26%3d", "a=+&=");
    ck_pairs("%61%3D=1", "a==1");
    ck_pairs("a=%c3%a4%E2%82%AC", "a=ä€");
    ck_pairs("a=%F0%9F%99%82", "a=🙂");
    ck_pairs("a=ä", "a=ä"); // as some write it
    ck_pairs("a=%01%7f", "a=\x01\x7f");
}
END_TEST

START_TEST(what_is_malformed_is_refused)
{
    static const char *const bad[] = {
        "a=%",    "a=%4",    "a=%4x",    "a=%%41",      "%=1",
        "a=%zz",  "a=%00",   "%00=1",    "=1",          "a=1&=2",
        "a=%ff",  "a=%c3",   "a=%c0%af", "a=%ed%a0%80", "a=%f4%90%80%80",
        "\xff=1", "a=%u0041"};

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        ck_assert_msg(strcmp(pairs_of(bad[i]), "BAD_FORMAT") == 0, "%s",
                      bad[i]);
        ck_assert(strstr(error.message, "name=value") != NULL);
        ck_assert_uint_eq(mica_utf8_valid(mica_text(error.message)),
                          strlen(error.message));
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(length_and_number_have_bounds)
{
    char query[MICA_QUERY_BYTES + 2];
    size_t length = 0;

    memset(query, 'a', sizeof query);
    query[MICA_QUERY_BYTES] = '\0';
    ck_assert_uint_eq(strlen(pairs_of(query)), MICA_QUERY_BYTES + 1);
    mica_arena_fini(&arena);
    query[MICA_QUERY_BYTES] = 'a';
    query[MICA_QUERY_BYTES + 1] = '\0';
    ck_pairs(query, "LIMIT_EXCEEDED");
    for (int i = 0; i < MICA_QUERY_PAIRS; i++)
        length += (size_t)snprintf(query + length, sizeof query - length, "a&");
    ck_assert_uint_eq(strlen(pairs_of(query)), MICA_QUERY_PAIRS * 3 - 1);
    mica_arena_fini(&arena);
    strcpy(query + length, "a");
    ck_pairs(query, "LIMIT_EXCEEDED");
}
END_TEST

START_TEST(want_of_memory_is_told)
{
    struct mica_query read;

    mica_arena_init(&arena, 64);
    ck_assert_int_eq(mica_query_read(&arena, mica_text("a=1"), &error, &read),
                     MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Typing ---------------------------------------------------------------------

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"mode\":{\"type\":\"string\",\"enum\":[\"of\",\"ratio\"]},"
    "\"day\":{\"type\":\"string\",\"format\":\"date\"},"
    "\"a\":{\"type\":\"number\"},\"count\":{\"type\":\"integer\"},"
    "\"yes\":{\"type\":\"boolean\"},"
    "\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"n\":{\"type\":\"number\"}}}},"
    "\"price\":{\"type\":\"object\",\"properties\":{"
    "\"amount\":{\"type\":\"number\"},\"in\":{\"type\":\"object\","
    "\"properties\":{\"code\":{\"type\":\"string\"}}}},"
    "\"additionalProperties\":false},"
    "\"rates\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
    "\"number\"}},"
    "\"note\":{\"type\":[\"string\",\"null\"]},"
    "\"any\":{}"
    "},\"additionalProperties\":false}";

static const char *
json_of(const char *query)
{
    struct mica_query read;
    struct mica_json schema;
    struct mica_text json;
    enum mica_status status;

    mica_arena_init(&arena, 16 << 20);
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(schema_text), NULL, NULL, &schema),
        MICA_OK);
    status = mica_query_read(&arena, mica_text(query), &error, &read);
    if (status == MICA_OK)
        status = mica_pairs_read(&arena, &schema, read.pairs, read.count,
                                 "the manual", &error, &json);
    if (status != MICA_OK)
        return mica_status_code(status);
    return mica_arena_text(&arena, json).ptr;
}

#define ck_json(query, expected)                    \
    do {                                            \
        ck_assert_str_eq(json_of(query), expected); \
        mica_arena_fini(&arena);                    \
    } while (0)

START_TEST(a_name_of_any_length_is_named)
{
    static const int sizes[] = {10,   159,  160,  161,  199,  200,
                                201,  260,  511,  512,  1000, 2000,
                                4000, 4091, 4092, 4093, 4094};
    static const char *const forms[][2] = {{"", "=1"},
                                           {"price.", "=1"},
                                           {"rates.", "=x"},
                                           {"", ""},
                                           {"rates.", "=1"}};
    char name[4096], query[3 * 4096];

    for (size_t i = 0; i < MICA_COUNT(sizes); i++) {
        memset(name, 'q', (size_t)sizes[i]);
        name[sizes[i]] = '\0';
        for (size_t j = 0; j < MICA_COUNT(forms); j++) {
            (void)snprintf(query, sizeof query, "%s%s%s%s%s%s%s", forms[j][0],
                           name, forms[j][1], j == 4 ? "&" : "",
                           j == 4 ? forms[j][0] : "", j == 4 ? name : "",
                           j == 4 ? forms[j][1] : "");
            if (strlen(query) > MICA_QUERY_BYTES)
                continue;
            (void)json_of(query);
            ck_assert_msg(strstr(error.message, "qqqqqqqqqq") != NULL,
                          "%d %s: %s", sizes[i], query, error.message);
            ck_assert_msg(strstr(error.path, "/qqqqqqqqqq") != NULL,
                          "%d %s: %s", sizes[i], query, error.path);
            ck_assert_msg(
                strstr(error.message, j == 2   ? " takes a number"
                                      : j == 4 ? " is given 2 times"
                                               : "the tool has no ") != NULL,
                "%d %s: %s", sizes[i], query, error.message);
            mica_arena_fini(&arena);
        }
    }
}
END_TEST

START_TEST(each_kind_has_a_plain_form)
{
    ck_json("", "{}");
    ck_json("name=15&mode=of", "{\"name\":\"15\",\"mode\":\"of\"}");
    ck_json("name=%22x%22", "{\"name\":\"\\\"x\\\"\"}");
    ck_json("day=2027-02-28", "{\"day\":\"2027-02-28\"}");
    ck_json("a=-1.50&count=9007199254740993",
            "{\"a\":-1.50,\"count\":9007199254740993}");
    ck_json("yes=true", "{\"yes\":true}");
    ck_json("yes=no", "{\"yes\":false}");
    ck_json("note=null", "{\"note\":null}");
    ck_json("note=", "{\"note\":\"\"}");
}
END_TEST

START_TEST(a_list_comes_by_repetition_or_with_commas)
{
    ck_json("values=1&values=2", "{\"values\":[1,2]}");
    ck_json("values=1,2,3", "{\"values\":[1,2,3]}");
    ck_json("values=%5B1,2%5D", "{\"values\":[1,2]}");
    ck_json("values=", "{\"values\":[]}");
    ck_json("tags=a,b", "{\"tags\":[\"a\",\"b\"]}");
    ck_json("tags=a,b&tags=c", "{\"tags\":[\"a,b\",\"c\"]}");
    ck_json("rows=%7B%22n%22:1%7D&rows=%7B%22n%22:2%7D",
            "{\"rows\":[{\"n\":1},{\"n\":2}]}");
}
END_TEST

START_TEST(an_object_comes_by_its_members_or_as_json)
{
    ck_json("price.amount=10&price.in.code=EUR",
            "{\"price\":{\"amount\":10,\"in\":{\"code\":\"EUR\"}}}");
    ck_json("price=%7B%22amount%22:10%7D", "{\"price\":{\"amount\":10}}");
    ck_json("rates.EUR=1&rates.USD=1.1", "{\"rates\":{\"EUR\":1,\"USD\":1.1}}");
    ck_json("any=%5B1%5D", "{\"any\":[1]}");
    ck_json("any=x", "{\"any\":\"x\"}");
}
END_TEST

START_TEST(what_does_not_fit_names_its_key)
{
    static const struct {
        const char *query, *code, *path;
    } bad[] = {{"a=one", "WRONG_TYPE", "/a"},
               {"a=0x10", "WRONG_TYPE", "/a"},
               {"a=NaN", "WRONG_TYPE", "/a"},
               {"yes=1", "WRONG_TYPE", "/yes"},
               {"price.amount=x", "WRONG_TYPE", "/price/amount"},
               {"price=10", "WRONG_TYPE", "/price"},
               {"values=1,x", "WRONG_TYPE", "/values"},
               {"nam=1", "UNKNOWN_FIELD", "/nam"},
               {"price.amont=1", "UNKNOWN_FIELD", "/price/amont"},
               {"a=1&a=1", "DUPLICATE_FIELD", "/a"},
               {"price.amount=1&price=%7B%7D", "DUPLICATE_FIELD", "/price"}};

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        ck_assert_msg(strcmp(json_of(bad[i].query), bad[i].code) == 0, "%s: %s",
                      bad[i].query, error.code);
        ck_assert_str_eq(error.path, bad[i].path);
        mica_arena_fini(&arena);
    }
    ck_assert_str_eq(json_of("rows=%7B"), "INVALID_JSON");
    mica_arena_fini(&arena);
    ck_assert_str_eq(json_of("zzzzzzzz=1"), "UNKNOWN_FIELD");
    ck_assert(strstr(error.message, "the manual") != NULL);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_is_quoted_is_not_cut_within_a_character)
{
    char query[400] = "a=x";

    for (int i = 0; i < 60; i++)
        strcat(query, "ä");
    ck_assert_str_eq(json_of(query), "WRONG_TYPE");
    ck_assert_uint_eq(mica_utf8_valid(mica_text(error.message)),
                      strlen(error.message));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_long_name_is_like_no_other)
{
    char query[2000];

    for (size_t length = 1; length < sizeof query - 4; length += 61) {
        memset(query, 'x', length);
        strcpy(query + length, "=1");
        ck_assert_str_eq(json_of(query), "UNKNOWN_FIELD");
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(nesting_has_an_end)
{
    char query[400] = "any";

    for (int i = 0; i < 40; i++)
        strcat(query, ".x");
    strcat(query, "=1");
    ck_assert_str_eq(json_of(query), "LIMIT_EXCEEDED");
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("rest_query", names_and_values_come_apart,
          blanks_and_bytes_are_decoded, what_is_malformed_is_refused,
          length_and_number_have_bounds, want_of_memory_is_told,
          a_name_of_any_length_is_named, each_kind_has_a_plain_form,
          a_list_comes_by_repetition_or_with_commas,
          an_object_comes_by_its_members_or_as_json,
          what_does_not_fit_names_its_key,
          what_is_quoted_is_not_cut_within_a_character,
          a_long_name_is_like_no_other, nesting_has_an_end)
