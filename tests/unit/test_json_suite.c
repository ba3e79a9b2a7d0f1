// SPDX-License-Identifier: Apache-2.0
//
// The 318 parsing cases of JSONTestSuite, which are data:
// tests/spec/json/parsing.txt says for each what the reader must answer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mica/json.h>

#include "unit.h"

static struct mica_text
read_file(const char *pathz)
{
    FILE *file = fopen(pathz, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", pathz);
    char *bytes = malloc(1 << 20);
    size_t len = fread(bytes, 1, 1 << 20, file);
    ck_assert_uint_lt(len, 1 << 20);
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

// Decodes one escape of the data file, behind its backslash.
static void
decode_escape(struct mica_buffer *bytes, struct mica_text *rest)
{
    char kind = rest->len > 0 ? rest->ptr[0] : '\0';
    if (kind == '\\') {
        mica_buffer_char(bytes, '\\');
        *rest = mica_text_slice(*rest, 1, rest->len);
    } else if (kind == 'x') {
        char digits[3] = {rest->ptr[1], rest->ptr[2], '\0'};
        mica_buffer_char(bytes, (char)strtoul(digits, NULL, 16));
        *rest = mica_text_slice(*rest, 3, rest->len);
    } else {
        ck_assert_int_eq(kind, '*');
        unsigned long count = strtoul(rest->ptr + 1, NULL, 10);
        take(rest, '(');
        struct mica_text unit = take(rest, ')');
        for (unsigned long i = 0; i < count; i++)
            mica_buffer_text(bytes, unit);
    }
}

static void
decode(struct mica_buffer *bytes, struct mica_text text)
{
    while (text.len > 0) {
        const char *escape = memchr(text.ptr, '\\', text.len);
        size_t plain = escape != NULL ? (size_t)(escape - text.ptr) : text.len;
        mica_buffer_text(bytes, mica_text_slice(text, 0, plain));
        text = mica_text_slice(text, plain + 1, text.len);
        if (escape != NULL)
            decode_escape(bytes, &text);
    }
}

struct test_case {
    struct mica_text name, expected, bytes, reason;
};

// The code of the answer to exactly these bytes, which nothing follows in
// memory.
static const char *
answer(struct mica_text bytes, const struct mica_json_limits *limits)
{
    struct mica_arena arena;
    struct mica_error error;
    struct mica_json value;
    char *exact = malloc(bytes.len > 0 ? bytes.len : 1);
    if (bytes.len > 0)
        memcpy(exact, bytes.ptr, bytes.len);
    mica_arena_init(&arena, 1 << 20);
    enum mica_status status = mica_json_read(
        &arena, (struct mica_text){exact, bytes.len}, limits, &error, &value);
    if (status != MICA_OK) {
        ck_assert_int_eq(error.status, status);
        ck_assert_msg(strstr(error.message, "line ") == error.message, "%s",
                      error.message);
    }
    mica_arena_fini(&arena);
    free(exact);
    return status == MICA_OK ? "accept" : mica_status_code(status);
}

static void
check_case(const struct test_case *test)
{
    struct mica_buffer bytes;
    struct mica_json_limits limits = {.duplicate_names = true};
    mica_buffer_init(&bytes, NULL, 1 << 20);
    decode(&bytes, test->bytes);
    struct mica_text text = mica_buffer_as_text(&bytes);
    ck_assert_msg(mica_text_is(test->expected, answer(text, &limits)), "%.*s",
                  MICA_ARG(test->name));

    // mica's own rule is the only difference that its default makes.
    bool duplicate = mica_text_starts(test->name, "y_object_duplicated_key");
    ck_assert_msg(duplicate ? mica_text_is(mica_text("DUPLICATE_FIELD"),
                                           answer(text, NULL))
                            : mica_text_is(test->expected, answer(text, NULL)),
                  "%.*s", MICA_ARG(test->name));
    mica_buffer_fini(&bytes);
}

// The suite's own prefix says what may be expected at all.
static void
check_expectation(const struct test_case *test)
{
    bool accept = mica_text_is(test->expected, "accept");
    ck_assert(mica_text_starts(test->name, "y_") == accept ||
              mica_text_starts(test->name, "i_"));
    ck_assert(!mica_text_starts(test->name, "n_") || !accept);
    ck_assert((test->reason.len > 0) == mica_text_starts(test->name, "i_"));
}

START_TEST(all_318_cases_have_the_expected_answer)
{
    struct mica_text file =
        read_file(MICA_SOURCE "/tests/spec/json/parsing.txt");
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
        test.reason = line;
        check_expectation(&test);
        check_case(&test);
        count[0] += mica_text_starts(test.name, "y_");
        count[1] += mica_text_starts(test.name, "n_");
        count[2] += mica_text_starts(test.name, "i_");
    }
    ck_assert_uint_eq(count[0], 95);
    ck_assert_uint_eq(count[1], 188);
    ck_assert_uint_eq(count[2], 35);
    char *bytes;
    memcpy(&bytes, &file.ptr, sizeof bytes);
    free(bytes);
}
END_TEST

START_TEST(five_hundred_levels_are_read_when_the_limit_allows)
{
    struct mica_json_limits limits = {.depth = 512};
    char text[1000];
    memset(text, '[', 500);
    memset(text + 500, ']', 500);
    ck_assert_str_eq(answer((struct mica_text){text, 1000}, &limits), "accept");
    limits.depth = 499;
    ck_assert_str_eq(answer((struct mica_text){text, 1000}, &limits),
                     "LIMIT_EXCEEDED");
}
END_TEST

UNIT_MAIN("json_suite", all_318_cases_have_the_expected_answer,
          five_hundred_levels_are_read_when_the_limit_allows)
