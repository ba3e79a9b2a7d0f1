// SPDX-License-Identifier: Apache-2.0
//
// What the build says of a source that does not compile (build/compiler_words.h).
#include <string.h>

#include "build/compiler_words.h"
#include "build/purity.h"
#include "unit.h"

// What is made of what compilers say, with a NUL behind it.
static char *
told(const char *saidz)
{
    static struct mica_buffer out;

    mica_buffer_fini(&out);
    mica_buffer_init(&out, NULL, 1 << 16);
    mica_compiler_words(mica_text(saidz), &out);
    mica_buffer_char(&out, '\0');
    return out.ptr;
}

START_TEST(messages_of_the_headers_stand_alone)
{
    ck_assert_str_eq(
        told("a.c:6:1: error: static assertion failed: \"MICA_NUMBER(a): "
             "wrong\"\n    6 | MICA_RECORD(input\n      | ^~~\n"
             "a.c:6:1: error: request for member\n"),
        "a.c:6:1: error: MICA_NUMBER(a): wrong\n    6 | MICA_RECORD(input\n");
    // clang quotes what was required, with quotes in it.
    ck_assert_str_eq(
        told("a.c:6:1: error: static_assert failed due to requirement "
             "'strcmp(\"x\", \".\") != 0' \"field\"\nMICA_RECORD(\n"),
        "a.c:6:1: error: field\nMICA_RECORD(\n");
}
END_TEST

START_TEST(a_missing_has_member_is_told_once)
{
    ck_assert_str_eq(
        told("a.c:6:1: error: 'struct g' has no member named 'has_a'\n"
             "    6 | MICA_RECORD(\n"
             "a.c:6:1: error: expression in static assertion is not an "
             "integer\n"
             "a.c:6:9: error: no member named \xE2\x80\x98has_a\xE2\x80\x99\n"),
        "a.c:6:1: error: MICA_OPTIONAL: the struct needs a member `bool "
        "has_a`, which says whether the field was given\n"
        "    6 | MICA_RECORD(\n");
}
END_TEST

START_TEST(other_errors_are_told_as_they_are_but_once)
{
    ck_assert_str_eq(told("a.c: In function 'f':\n"
                          "a.c:3:4: error: 'x' undeclared\n  3 | x\n"
                          "a.c:3:4: note: each\n"
                          "a.c:3:4: error: 'x' undeclared\n"
                          "a.c:4:4: warning: unused\n"
                          "2 errors generated.\n"),
                     "a.c:3:4: error: 'x' undeclared\n  3 | x\n"
                     "a.c:3:4: note: each\n"
                     "a.c:4:4: warning: unused\n");
    ck_assert_str_eq(told("ld: no such library\n"), "ld: no such library\n");
    ck_assert_str_eq(told(""), "");
}
END_TEST

START_TEST(the_line_is_the_first_that_is_named)
{
    const struct mica_text source = MICA_LITERAL("engines/a.c");

    ck_assert_uint_eq(
        mica_compiler_line(mica_text("engines/a.c: In function 'f':\n"
                                     "engines/a.c:12:3: error: x\n"),
                           source),
        12);
    ck_assert_uint_eq(mica_compiler_line(mica_text("other.c:3: x"), source), 0);
    ck_assert_uint_eq(mica_compiler_line(mica_text("engines/a.c"), source), 0);
}
END_TEST

START_TEST(forbidden_calls_are_found_in_code_alone)
{
    static const char source[] = "#include <time.h>\n"
                                 "// time(0)\n"
                                 "struct s { int time; } *s;\n"
                                 "static double gamma(double x);\n"
                                 "int f(void) { s->time (0); \"malloc(3)\";\n"
                                 "  gamma(3);\n"
                                 "  return time (0); }\n";
    struct mica_buffer said;
    struct mica_error error;

    mica_buffer_init(&said, NULL, 1 << 16);
    ck_assert_int_eq(
        mica_purity_source(mica_text(source), "a.c", &said, &error),
        MICA_E_IMPURE);
    ck_assert_msg(
        strncmp(error.message, "a.c:7: an engine cannot use time: ", 34) == 0,
        "%s", error.message);
    ck_assert_uint_eq(said.len, 0);
    mica_buffer_fini(&said);
    ck_assert_uint_eq(
        mica_purity_line(mica_text("x;\nprintf(1);"), MICA_LITERAL("puts")), 2);
}
END_TEST

UNIT_MAIN("words of compilers", messages_of_the_headers_stand_alone,
          a_missing_has_member_is_told_once,
          other_errors_are_told_as_they_are_but_once,
          the_line_is_the_first_that_is_named,
          forbidden_calls_are_found_in_code_alone)
