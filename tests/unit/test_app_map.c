// SPDX-License-Identifier: Apache-2.0
//
// Argument maps: what they make, what is found in them, and that what a map makes is what
// a second, slow implementation makes.
#include "apps/app_map.h"

#include <stdio.h>
#include <string.h>

#include "apps/app_pointer.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_app_findings findings;
static struct mica_app_map map;
static struct mica_error error;

static const struct mica_json *
read_json(const char *json)
{
    struct mica_json *value = mica_arena_zero(&arena, 1, sizeof *value);
    enum mica_status status =
        mica_json_read(&arena, mica_text(json), NULL, &error, value);

    ck_assert_msg(status == MICA_OK, "%s: %s", json, error.message);
    return value;
}

static void
read_map(const char *json)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 8 << 20);
    mica_app_findings_init(&findings, &arena);
    mica_app_map_read(read_json(json), "/m", &arena, &findings, &map);
}

static enum mica_status
run_status(const char *source, struct mica_text *made_out)
{
    struct mica_buffer out;
    enum mica_status status;

    mica_buffer_init(&out, &arena, 2 * MICA_APP_MAP_BYTES);
    status = mica_app_map_run(&map, read_json(source), &out, &error);
    mica_buffer_char(&out, '\0');
    *made_out = (struct mica_text){out.ptr, out.len - 1};
    return status;
}

static const char *
made(const char *json, const char *source)
{
    struct mica_text text;

    read_map(json);
    ck_assert_msg(findings.count == 0, "%s", findings.items[0].message.ptr);
    ck_assert_int_eq(run_status(source, &text), MICA_OK);
    return text.ptr;
}

static const char *
found(void)
{
    static char lines[4096];
    size_t at = 0;

    lines[0] = '\0';
    for (size_t i = 0; i < findings.count; i++) {
        at += (size_t)snprintf(lines + at, sizeof lines - at, "%s %s\n",
                               findings.items[i].codez,
                               findings.items[i].path.ptr);
        ck_assert_uint_lt(at, sizeof lines);
        ck_assert_int_eq(findings.items[i].severity, MICA_APP_UNFINISHED);
    }
    return lines;
}

// ---- Running ---------------------------------------------------------------------

START_TEST(pointers_and_constants_make_an_object)
{
    ck_assert_str_eq(made("{\"/amount\":{\"pointer\":\"/context/amount\"},"
                          "\"/people\":{\"value\":3}}",
                          "{\"message\":\"m\",\"context\":{\"amount\":12.50}}"),
                     "{\"amount\":12.50,\"people\":3}");
    ck_assert_str_eq(made("{\"/a/b\":{\"value\":1},\"/a/c\":{\"pointer\":"
                          "\"/message\"},\"/d\":{\"value\":null}}",
                          "{\"message\":\"x\\ny\"}"),
                     "{\"a\":{\"b\":1,\"c\":\"x\\ny\"},\"d\":null}");
    ck_assert_str_eq(made("{}", "{}"), "{}");
    ck_assert_str_eq(made("{\"\":{\"pointer\":\"/context\"}}",
                          "{\"context\":{\"z\":[1,2]}}"),
                     "{\"z\":[1,2]}");
    ck_assert_str_eq(made("{\"/all\":{\"pointer\":\"\"}}", "{\"a\":1}"),
                     "{\"all\":{\"a\":1}}");
    ck_assert_str_eq(
        made("{\"/a~1b\":{\"value\":1},\"/~0\":{\"value\":2}}", "{}"),
        "{\"a/b\":1,\"~\":2}");
    ck_assert_str_eq(made("{\"/\\\"\":{\"value\":1}}", "{}"), "{\"\\\"\":1}");
    ck_assert_str_eq(made("{\"/\":{\"value\":1}}", "{}"), "{\"\":1}");
}
END_TEST

START_TEST(indexes_make_an_array)
{
    ck_assert_str_eq(made("{\"/items/1/t\":{\"value\":\"b\"},\"/items/0/t\":{"
                          "\"value\":\"a\"},\"/items/0/u\":{\"value\":1},"
                          "\"/items/2\":{\"value\":[]}}",
                          "{}"),
                     "{\"items\":[{\"t\":\"a\",\"u\":1},{\"t\":\"b\"},[]]}");
    // Eleven items: by their number, not by their letters.
    ck_assert_str_eq(
        made("{\"/i/10\":{\"value\":10},\"/i/9\":{\"value\":9},\"/i/8\":{"
             "\"value\":8},\"/i/7\":{\"value\":7},\"/i/6\":{\"value\":6},"
             "\"/i/5\":{\"value\":5},\"/i/4\":{\"value\":4},\"/i/3\":{"
             "\"value\":3},\"/i/2\":{\"value\":2},\"/i/1\":{\"value\":1},"
             "\"/i/0\":{\"value\":0}}",
             "{}"),
        "{\"i\":[0,1,2,3,4,5,6,7,8,9,10]}");
    // "00" and "-" are names.
    ck_assert_str_eq(
        made("{\"/i/00\":{\"value\":1},\"/i/-\":{\"value\":2}}", "{}"),
        "{\"i\":{\"-\":2,\"00\":1}}");
}
END_TEST

START_TEST(what_is_absent_is_left_out)
{
    ck_assert_str_eq(
        made("{\"/a\":{\"pointer\":\"/x\"},\"/b\":{\"pointer\":"
             "\"/y/0\"},\"/c/d\":{\"pointer\":\"/x\"},\"/e/0\":{"
             "\"pointer\":\"/x\"},\"/e/1\":{\"pointer\":\"/y/1\"}}",
             "{\"y\":[7,8]}"),
        "{\"b\":7,\"e\":[8]}");
    ck_assert_str_eq(made("{\"/a\":{\"pointer\":\"/x\"}}", "{}"), "{}");
    ck_assert_str_eq(made("{\"\":{\"pointer\":\"/x\"}}", "{}"), "{}");
    ck_assert_str_eq(made("{\"/a\":{\"pointer\":\"/x\"}}", "{\"x\":null}"),
                     "{\"a\":null}");
}
END_TEST

START_TEST(a_run_is_bounded)
{
    static char source[MICA_APP_MAP_BYTES + 64];
    struct mica_text text;
    size_t at;

    read_map("{\"/a\":{\"pointer\":\"/x\"}}");
    at = (size_t)sprintf(source, "{\"x\":\"");
    memset(source + at, 'x', MICA_APP_MAP_BYTES);
    strcpy(source + at + MICA_APP_MAP_BYTES, "\"}");
    ck_assert_int_eq(run_status(source, &text), MICA_E_LIMIT);
    // Many values that are small each.
    at = (size_t)sprintf(source, "{\"x\":\"");
    memset(source + at, 'x', MICA_APP_MAP_BYTES / 4);
    strcpy(source + at + MICA_APP_MAP_BYTES / 4, "\"}");
    ck_assert_int_eq(run_status(source, &text), MICA_OK);
    read_map("{\"/a\":{\"pointer\":\"/x\"},\"/b\":{\"pointer\":\"/x\"},\"/c\":{"
             "\"pointer\":\"/x\"},\"/d\":{\"pointer\":\"/x\"}}");
    ck_assert_int_eq(run_status(source, &text), MICA_E_LIMIT);
    ck_assert_uint_lt(text.len, 2 * MICA_APP_MAP_BYTES);
}
END_TEST

START_TEST(a_run_refuses_what_a_script_would_misread)
{
    struct mica_text text;

    read_map("{\"/a\":{\"pointer\":\"/context\"}}");
    ck_assert_int_eq(
        run_status("{\"context\":[{\"__proto__\":{\"x\":1}}]}", &text),
        MICA_E_FORMAT);
    ck_assert_int_eq(run_status("{\"context\":\"__proto__\"}", &text), MICA_OK);
    read_map("{\"\":{\"pointer\":\"/context\"}}");
    ck_assert_int_eq(run_status("{\"context\":[]}", &text), MICA_E_TYPE);
}
END_TEST

// ---- Reading ---------------------------------------------------------------------

START_TEST(wrong_entries_are_found)
{
    static const char *const cases[][2] = {
        {"[]", ""},
        {"[1]", "WRONG_TYPE /m\n"},
        {"{\"a\":{\"value\":1}}", "BAD_FORMAT /m/a\n"},
        {"{\"/a~\":{\"value\":1}}", "BAD_FORMAT /m/~1a~0\n"},
        {"{\"/a~2\":{\"value\":1}}", "BAD_FORMAT /m/~1a~02\n"},
        {"{\"/__proto__/x\":{\"value\":1}}", "BAD_FORMAT /m/~1__proto__~1x\n"},
        {"{\"/a/constructor\":{\"value\":1}}",
         "BAD_FORMAT /m/~1a~1constructor\n"},
        {"{\"/prototype\":{\"value\":1}}", "BAD_FORMAT /m/~1prototype\n"},
        {"{\"/a\":{\"pointer\":\"/__proto__\"}}", "BAD_FORMAT /m/~1a\n"},
        {"{\"/a\":{\"pointer\":\"x\"}}", "BAD_FORMAT /m/~1a\n"},
        {"{\"/a\":{\"pointer\":5}}", "WRONG_TYPE /m/~1a\n"},
        {"{\"/a\":5}", "WRONG_TYPE /m/~1a\n"},
        {"{\"/a\":{}}", "MISSING_FIELD /m/~1a\n"},
        {"{\"/a\":{\"value\":1,\"pointer\":\"/x\"}}", "MISSING_FIELD /m/~1a\n"},
        {"{\"/a\":{\"valu\":1}}", "UNKNOWN_FIELD /m/~1a\n"},
        {"{\"/a\":{\"value\":{\"__proto__\":1}}}", "BAD_FORMAT /m/~1a\n"},
        {"{\"/a\":{\"value\":1},\"/a/b\":{\"value\":2}}",
         "ALREADY_EXISTS /m/~1a~1b\n"},
        {"{\"/a/b\":{\"value\":1},\"\":{\"value\":{}}}",
         "ALREADY_EXISTS /m/~1a~1b\n"},
        {"{\"/a\":{\"value\":1},\"/a-b\":{\"value\":1},\"/a/b\":{\"value\":2}}",
         "ALREADY_EXISTS /m/~1a~1b\n"},
        {"{\"/0\":{\"value\":1}}", "BAD_FORMAT /m/~10\n"},
        {"{\"/a/1\":{\"value\":1}}", "BAD_FORMAT /m/~1a~11\n"},
        {"{\"/a/0\":{\"value\":1},\"/a/2\":{\"value\":1}}",
         "BAD_FORMAT /m/~1a~12\n"},
        {"{\"/a/0\":{\"value\":1},\"/a/b\":{\"value\":1}}",
         "BAD_FORMAT /m/~1a~1b\n"},
        {"{\"/1/2/3/4/5/6/7/8/9\":{\"value\":1}}",
         "BAD_FORMAT /m/~11~12~13~14~15~16~17~18~19\n"}};
    char json[1024];

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        read_map(cases[i][0]);
        ck_assert_msg(strcmp(found(), cases[i][1]) == 0, "%s: %s", cases[i][0],
                      found());
    }
    sprintf(json, "{\"/%0256d\":{\"value\":1}}", 0);
    read_map(json);
    ck_assert_uint_eq(findings.count, 1);
    ck_assert_uint_eq(map.count, 0);
    sprintf(json, "{\"/%0255d\":{\"value\":1}}", 0);
    read_map(json);
    ck_assert_uint_eq(findings.count, 0);
    ck_assert_uint_eq(map.count, 1);
}
END_TEST

START_TEST(the_number_of_entries_is_bounded)
{
    char json[4096];

    for (int count = MICA_APP_MAP_ENTRIES; count <= MICA_APP_MAP_ENTRIES + 1;
         count++) {
        size_t at = (size_t)sprintf(json, "{");
        for (int i = 0; i < count; i++)
            at += (size_t)sprintf(json + at, "%s\"/n%d\":{\"value\":1}",
                                  i > 0 ? "," : "", i);
        sprintf(json + at, "}");
        read_map(json);
        ck_assert_str_eq(
            found(), count > MICA_APP_MAP_ENTRIES ? "LIMIT_EXCEEDED /m\n" : "");
    }
}
END_TEST

// ---- Checking --------------------------------------------------------------------

#define TARGET                                                                 \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"},\"s\":{" \
    "\"type\":\"string\",\"maxLength\":3},\"o\":{\"$ref\":\"#/$defs/o\"},"     \
    "\"l\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/o\"}},\"any\":"   \
    "true},\"required\":[\"n\"],\"additionalProperties\":false,\"$defs\":{"    \
    "\"o\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"boolean\"}," \
    "\"y\":{\"enum\":[1,2]}},\"required\":[\"x\"],\"additionalProperties\":"   \
    "false}}}"
#define SOURCE                                                                \
    "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}," \
    "\"context\":{\"type\":\"object\"}},\"additionalProperties\":false}"

static const char *
checked(const char *json, const char *target, const char *source)
{
    read_map(json);
    ck_assert_msg(findings.count == 0, "%s", json);
    mica_app_map_check(
        &map, "/m", "the tool", target != NULL ? read_json(target) : NULL,
        source != NULL ? read_json(source) : NULL, &arena, &findings);
    return found();
}

START_TEST(a_map_fits_both_schemas)
{
#define N "\"/n\":{\"value\":1}"
    static const char *const cases[][2] = {
        {"{" N "}", ""},
        {"{}", "MISSING_FIELD /m/~1n\n"},
        {"{\"\":{\"pointer\":\"/context\"}}", ""},
        {"{\"\":{\"pointer\":\"/message\"}}", "WRONG_TYPE /m/\n"},
        {"{" N ",\"/m\":{\"value\":1}}", "UNKNOWN_FIELD /m/~1m\n"},
        {"{\"/n\":{\"value\":\"1\"}}", "WRONG_TYPE /m/~1n\n"},
        {"{\"/n\":{\"pointer\":\"/message\"}}", "WRONG_TYPE /m/~1n\n"},
        {"{\"/n\":{\"pointer\":\"/context/n\"}}", ""},
        {"{\"/n\":{\"pointer\":\"/contxt/n\"}}", "UNKNOWN_FIELD /m/~1n\n"},
        {"{\"/n\":{\"pointer\":\"/message/n\"}}", "UNKNOWN_FIELD /m/~1n\n"},
        {"{" N ",\"/s\":{\"pointer\":\"/message\"}}", ""},
        {"{" N ",\"/s\":{\"value\":\"abcd\"}}", "OUT_OF_RANGE /m/~1s\n"},
        {"{" N ",\"/any\":{\"value\":[]}}", ""},
        {"{" N ",\"/any/x/y\":{\"value\":[]}}", ""},
        {"{" N ",\"/s/x\":{\"value\":1}}", "UNKNOWN_FIELD /m/~1s~1x\n"},
        // Behind a reference.
        {"{" N ",\"/o\":{\"value\":{\"x\":true}}}", ""},
        {"{" N ",\"/o\":{\"value\":{\"x\":1}}}", "WRONG_TYPE /m/~1o\n"},
        {"{" N ",\"/o/y\":{\"value\":1}}", "MISSING_FIELD /m/~1o~1x\n"},
        {"{" N ",\"/o/x\":{\"value\":false},\"/o/y\":{\"value\":3}}",
         "NOT_A_CHOICE /m/~1o~1y\n"},
        {"{" N ",\"/o/x\":{\"value\":false},\"/o/z\":{\"value\":3}}",
         "UNKNOWN_FIELD /m/~1o~1z\n"},
        // Inside an array.
        {"{" N ",\"/l/0/x\":{\"value\":true},\"/l/1/y\":{\"value\":1}}",
         "MISSING_FIELD /m/~1l~11~1x\n"},
        {"{" N ",\"/l/0\":{\"value\":{\"x\":true}}}", ""},
        {"{" N ",\"/l/x\":{\"value\":1}}", "UNKNOWN_FIELD /m/~1l~1x\n"},
        {"{" N ",\"/l\":{\"pointer\":\"/message\"}}", "WRONG_TYPE /m/~1l\n"}};

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        const char *lines = checked(cases[i][0], TARGET, SOURCE);
        ck_assert_msg(strcmp(lines, cases[i][1]) == 0, "%s: %s", cases[i][0],
                      lines);
    }
    checked("{\"/n\":{\"pointer\":\"/contxt/n\"}}", TARGET, SOURCE);
    ck_assert_ptr_nonnull(
        strstr(findings.items[0].message.ptr, "did you mean \"context\"?"));
}
END_TEST

// A schema that leaves it open is not guessed about.
START_TEST(only_what_is_certain_is_found)
{
    static const char *const schemas[] = {
        "true",
        "{}",
        "{\"anyOf\":[{\"required\":[\"q\"]}]}",
        "{\"properties\":{\"b\":{}},\"patternProperties\":{\"^a\":{}},"
        "\"additionalProperties\":false}",
        "{\"$ref\":\"https://example.com/x\"}",
        "{\"$ref\":\"#\"}",
        "{\"$ref\":\"#/$defs/none\"}",
        "{\"required\":5}",
        "[]",
        "{\"properties\":[],\"type\":[\"object\",\"null\"]}",
        "{\"properties\":{\"a\":{\"$ref\":\"#/properties/a\"}}}",
        "{\"type\":5}"};

    for (size_t i = 0; i < MICA_COUNT(schemas); i++) {
        const char *lines =
            checked("{\"/a\":{\"value\":1},\"/a2/b\":{\"pointer\":\"/q/r\"}}",
                    schemas[i], schemas[i]);
        if (strcmp(schemas[i], "[]") == 0)
            continue; // no schema; that it does not crash counts
        ck_assert_msg(lines[0] == '\0', "%s: %s", schemas[i], lines);
    }
    ck_assert_str_eq(checked("{\"/a\":{\"value\":1}}", NULL, NULL), "");
}
END_TEST

// ---- Against a second implementation ---------------------------------------------

static uint64_t seed;

static unsigned
draw(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

static void
draw_pointer(char *out)
{
    static const char *const tokens[] = {"a", "b",  "c-d",  "0",  "1",
                                         "2", "10", "a~1b", "~0", ""};

    out[0] = '\0';
    for (unsigned depth = 1 + draw(3); depth > 0; depth--) {
        strcat(out, "/");
        strcat(out, tokens[draw(MICA_COUNT(tokens))]);
    }
}

// The value at the entries' own targets is what the entry says; nothing else is there.
// The check reads what was made, so it shares no code with the writing.
static size_t
count_leaves(const struct mica_json *value, const struct mica_json *marker)
{
    size_t leaves = 0;

    if (mica_json_equal(value, marker) || value->kind == MICA_JSON_NUMBER)
        return 1;
    for (size_t i = 0; i < value->count; i++)
        leaves += count_leaves(value->kind == MICA_JSON_OBJECT
                                   ? &value->members[i].value
                                   : &value->items[i],
                               marker);
    return leaves;
}

START_TEST(what_a_random_map_makes_has_each_value_at_its_place)
{
    unsigned clean = 0, faulty = 0, nested = 0;

    for (unsigned round = 0; round < 20000; round++) {
        char json[2048] = "{", pointer[64];
        size_t entries;
        struct mica_text text;
        const struct mica_json *result;

        seed = round;
        entries = 1 + draw(6);
        for (size_t i = 0; i < entries; i++) {
            draw_pointer(pointer);
            sprintf(json + strlen(json), "%s\"%s\":{\"value\":%u}",
                    i > 0 ? "," : "", pointer, (unsigned)i + 100);
        }
        strcat(json, "}");
        mica_arena_fini(&arena);
        mica_arena_init(&arena, 8 << 20);
        mica_app_findings_init(&findings, &arena);
        struct mica_json value;
        if (mica_json_read(&arena, mica_text(json), NULL, NULL, &value) !=
            MICA_OK)
            continue; // the same target twice
        mica_app_map_read(&value, "/m", &arena, &findings, &map);
        if (findings.count > 0) {
            faulty++;
            continue;
        }
        clean++;
        ck_assert_uint_eq(map.count, entries);
        ck_assert_int_eq(run_status("{}", &text), MICA_OK);
        result = read_json(text.ptr);
        ck_assert_uint_eq(count_leaves(result, &value), entries);
        for (size_t i = 0; i < entries; i++) {
            const struct mica_json *at =
                mica_json_pointer_get(result, value.members[i].name);
            ck_assert_msg(at != NULL, "%s makes %s", json, text.ptr);
            ck_assert(mica_json_equal(
                at, mica_json_get(&value.members[i].value, "value")));
            nested += memchr(value.members[i].name.ptr + 1, '/',
                             value.members[i].name.len - 1) != NULL;
        }
    }
    ck_assert_uint_gt(clean, 2000);
    ck_assert_uint_gt(faulty, 2000);
    ck_assert_uint_gt(nested, 1000);
}
END_TEST

START_TEST(the_order_of_pointers_is_an_order)
{
    char a[64], b[64], c[64];

    for (unsigned round = 0; round < 50000; round++) {
        seed = round;
        draw_pointer(a);
        draw_pointer(b);
        draw_pointer(c);
        int ab = mica_app_pointer_compare(mica_text(a), mica_text(b));
        int ba = mica_app_pointer_compare(mica_text(b), mica_text(a));
        int bc = mica_app_pointer_compare(mica_text(b), mica_text(c));
        int ac = mica_app_pointer_compare(mica_text(a), mica_text(c));
        ck_assert_int_eq(ab == 0, strcmp(a, b) == 0);
        ck_assert_int_eq(ab<0, ba> 0);
        if (ab < 0 && bc < 0)
            ck_assert_int_lt(ac, 0);
        if (mica_app_pointer_within(mica_text(b), mica_text(a)) &&
            strcmp(a, b) != 0)
            ck_assert_int_lt(ab, 0);
    }
}
END_TEST

UNIT_MAIN("app_map", pointers_and_constants_make_an_object,
          indexes_make_an_array, what_is_absent_is_left_out, a_run_is_bounded,
          a_run_refuses_what_a_script_would_misread, wrong_entries_are_found,
          the_number_of_entries_is_bounded, a_map_fits_both_schemas,
          only_what_is_certain_is_found,
          what_a_random_map_makes_has_each_value_at_its_place,
          the_order_of_pointers_is_an_order)
