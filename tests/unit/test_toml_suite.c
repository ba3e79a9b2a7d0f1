// SPDX-License-Identifier: Apache-2.0
//
// The 709 cases of toml-test for TOML 1.0.0, which are data: tests/spec/toml/cases.txt
// says for each what the reader must answer, and the values of what it accepts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mica/json.h>

#include "toml/toml.h"
#include "unit.h"

enum {
    FILE_BYTES = 1 << 20,
    MEMORY_BYTES = 8 << 20
};

struct test_case {
    struct mica_text name, expected, bytes, values;
};

static struct mica_text
read_file(const char *pathz)
{
    FILE *file = fopen(pathz, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", pathz);
    char *bytes = malloc(FILE_BYTES);
    size_t len = fread(bytes, 1, FILE_BYTES, file);
    ck_assert_uint_lt(len, FILE_BYTES);
    fclose(file);
    return (struct mica_text){bytes, len};
}

// Takes what comes before `end` off `*rest`, and `end` with it.
static struct mica_text
take(struct mica_text *rest, char end)
{
    const char *found = memchr(rest->ptr, end, rest->len);
    size_t len = found != NULL ? (size_t)(found - rest->ptr) : rest->len;
    struct mica_text taken = mica_text_slice(*rest, 0, len);
    *rest = mica_text_slice(*rest, len + 1, rest->len);
    return taken;
}

// The bytes of a case, in memory of exactly their size.
static char *
decode(struct mica_text text, size_t *size_out)
{
    struct mica_buffer bytes;

    mica_buffer_init(&bytes, NULL, FILE_BYTES);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\\') {
            mica_buffer_char(&bytes, text.ptr[i]);
        } else if (text.ptr[++i] == '\\') {
            mica_buffer_char(&bytes, '\\');
        } else {
            char digits[3] = {text.ptr[i + 1], text.ptr[i + 2], '\0'};
            ck_assert_int_eq(text.ptr[i], 'x');
            mica_buffer_char(&bytes, (char)strtoul(digits, NULL, 16));
            i += 2;
        }
    }
    char *exact = malloc(bytes.len > 0 ? bytes.len : 1);
    if (bytes.len > 0)
        memcpy(exact, bytes.ptr, bytes.len);
    *size_out = bytes.len;
    mica_buffer_fini(&bytes);
    return exact;
}

// ---- Values ------------------------------------------------------------------------

static bool
same_float(double value, struct mica_text written)
{
    char text[64] = "";

    ck_assert_uint_lt(written.len, sizeof text);
    memcpy(text, written.ptr, written.len);
    double wanted = strtod(text, NULL); // also "inf", "-inf" and "nan"
    return isnan(wanted) ? isnan(value) : value == wanted;
}

// A scalar as the suite writes it: {"type": …, "value": …}.
static bool
same_scalar(const struct mica_toml *value, const struct mica_json *wanted)
{
    struct mica_text type = mica_json_get_text(wanted, "type");
    struct mica_text written = mica_json_get_text(wanted, "value");
    char room[32];
    struct mica_buffer number = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    switch (value->kind) {
    case MICA_TOML_STRING:
        return mica_text_is(type, "string") &&
               mica_text_equal(value->text, written);
    case MICA_TOML_INTEGER:
        mica_buffer_format(&number, "%lld", (long long)value->integer);
        return mica_text_is(type, "integer") &&
               mica_text_equal(mica_buffer_as_text(&number), written);
    case MICA_TOML_FLOAT:
        return mica_text_is(type, "float") &&
               same_float(value->number, written);
    case MICA_TOML_BOOLEAN:
        return mica_text_is(type, "bool") &&
               mica_text_is(written, value->boolean ? "true" : "false");
    case MICA_TOML_ARRAY:
    case MICA_TOML_TABLE:
        return false;
    }
    return false;
}

static bool
same_value(const struct mica_toml *value, const struct mica_json *wanted)
{
    size_t index = 0;

    if (value->kind == MICA_TOML_ARRAY) {
        if (wanted->kind != MICA_JSON_ARRAY || wanted->count != value->count)
            return false;
        for (const struct mica_toml *item = value->items; item != NULL;
             item = item->next)
            if (!same_value(item, &wanted->items[index++]))
                return false;
        return index == value->count;
    }
    if (value->kind != MICA_TOML_TABLE)
        return same_scalar(value, wanted);
    if (wanted->kind != MICA_JSON_OBJECT || wanted->count != value->count)
        return false;
    for (const struct mica_toml *item = value->items; item != NULL;
         item = item->next) {
        const struct mica_json *other = mica_json_member(wanted, item->name);
        ck_assert_ptr_eq(mica_toml_member(value, item->name), item);
        if (other == NULL || !same_value(item, other))
            return false;
        index++;
    }
    return index == value->count;
}

// ---- Cases -------------------------------------------------------------------------

static void
check_refusal(const struct test_case *test, enum mica_status status,
              const struct mica_error *error)
{
    ck_assert_msg(status != MICA_OK, "%.*s", MICA_ARG(test->name));
    ck_assert_int_eq(error->status, status);
    ck_assert_msg(strncmp(error->message, "line ", 5) == 0, "%.*s: %s",
                  MICA_ARG(test->name), error->message);
    if (mica_text_is(test->expected, "BAD_FORMAT"))
        ck_assert_msg(strstr(error->message, "dates and times") != NULL,
                      "%.*s: %s", MICA_ARG(test->name), error->message);
}

static void
check_case(const struct test_case *test)
{
    struct mica_json_limits limits = {.duplicate_names = true};
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    struct mica_json wanted;
    struct mica_toml *root;
    size_t size;
    char *bytes = decode(test->bytes, &size);

    mica_arena_init(&arena, MEMORY_BYTES);
    enum mica_status status =
        mica_toml_read(&arena, (struct mica_text){bytes, size}, &error, &root);
    if (!mica_text_is(test->expected, "accept")) {
        check_refusal(test, status, &error);
    } else {
        ck_assert_msg(status == MICA_OK, "%.*s: %s", MICA_ARG(test->name),
                      error.message);
        ck_assert_int_eq(
            mica_json_read(&arena, test->values, &limits, &error, &wanted),
            MICA_OK);
        ck_assert_msg(same_value(root, &wanted), "%.*s: other values",
                      MICA_ARG(test->name));
    }
    mica_arena_fini(&arena);
    free(bytes);
}

START_TEST(all_709_cases_have_the_expected_answer)
{
    struct mica_text file = read_file(MICA_SOURCE "/tests/spec/toml/cases.txt");
    struct mica_text rest = file;
    size_t count[3] = {0, 0, 0};
    while (rest.len > 0) {
        struct mica_text line = take(&rest, '\n');
        if (mica_text_starts(line, "#"))
            continue;
        struct test_case test;
        test.name = take(&line, '\t');
        test.expected = take(&line, '\t');
        test.bytes = take(&line, '\t');
        test.values = line;
        check_case(&test);
        count[0] += mica_text_is(test.expected, "accept");
        count[1] += mica_text_is(test.expected, "BAD_FORMAT");
        count[2] += mica_text_is(test.expected, "refuse");
    }
    ck_assert_uint_eq(count[0], 191);
    ck_assert_uint_eq(count[1], 19);
    ck_assert_uint_eq(count[2], 499);
    char *bytes;
    memcpy(&bytes, &file.ptr, sizeof bytes);
    free(bytes);
}
END_TEST

UNIT_MAIN("toml_suite", all_709_cases_have_the_expected_answer)
