// SPDX-License-Identifier: Apache-2.0
//
// What an author is told of a source: by compilers, and before they run.
#include <stdio.h>
#include <string.h>

#include "build/compiler_words.h"
#include "build/format_words.h"
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
    ck_assert_str_eq(
        told("a.c:6:1: error: static assertion failed: \"MICA_TEXT(name "
             "\\\"Who it is.\\\"): the description is missing: it stands "
             "before the options\"\n    6 | MICA_RECORD(input\n"),
        "a.c:6:1: error: MICA_TEXT(name): a comma is missing behind the "
        "member\n    6 | MICA_RECORD(input\n");
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

START_TEST(types_that_macros_expect_are_told_in_their_words)
{
    static const char format[] =
        ": error: .format of a field takes MICA_EMAIL, MICA_URI or MICA_UUID, "
        "without quotes\n";
    char expected[512];

    // gcc
    (void)snprintf(expected, sizeof expected,
                   "a.c:3:1%s    3 | MICA_RECORD(\na.c:9:1%s    9 | "
                   "MICA_RECORD(\n",
                   format, format);
    ck_assert_str_eq(
        told("a.c:3:1: error: initialization of 'const struct mica_text_format "
             "*' from incompatible pointer type 'char *' "
             "[-Werror=incompatible-pointer-types]\n    3 | MICA_RECORD(\n"
             "a.c:3:1: note: (near initialization for 'x')\n"
             "a.c:9:1: error: initialization of 'const struct mica_text_format "
             "*' from incompatible pointer type 'char *' "
             "[-Werror=incompatible-pointer-types]\n    9 | MICA_RECORD(\n"),
        expected);
    ck_assert_str_eq(
        told("a.c: In function 'mica_step_thunk_charge':\n"
             "a.c:9:1: error: passing argument 1 of 'charge' from incompatible "
             "pointer type [-Werror=incompatible-pointer-types]\n"
             "    9 | MICA_STEP(charge, request, receipt, charge);\n"
             "      | ^~~~~~~~~\n      | struct mica_server_call *\n"
             "a.c:7:26: note: expected 'struct mica_call *' but argument is of "
             "type 'struct mica_server_call *'\n"),
        "a.c:9:1: error: MICA_STEP: the function of a step takes `struct "
        "mica_server_call *call` first\n"
        "    9 | MICA_STEP(charge, request, receipt, charge);\n");
    // clang
    (void)snprintf(expected, sizeof expected, "a.c:3:125%sMICA_RECORD(\n",
                   format);
    ck_assert_str_eq(
        told("a.c:3:125: error: incompatible pointer types initializing 'const "
             "struct mica_text_format *' with an expression of type 'char[6]' "
             "[-Werror,-Wincompatible-pointer-types]\nMICA_RECORD(\n"),
        expected);
    // A call of the author's own has nothing to do with MICA_STEP.
    ck_assert_ptr_nonnull(strstr(
        told("a.c:9:1: error: passing argument 1 of 'f' from incompatible "
             "pointer type\n    9 | f(call);\na.c:7:26: note: expected "
             "'struct mica_server_call *'\n"),
        "passing argument 1 of 'f'"));
}
END_TEST

START_TEST(other_errors_are_told_as_they_are_but_once)
{
    ck_assert_str_eq(told("a.c: In function 'f':\n"
                          "a.c:3:4: error: 'x' undeclared\n  3 | x\n"
                          "a.c:3:4: note: each\n"
                          "a.c:3:4: error: 'x' undeclared\n"
                          "a.c:4:4: warning: unused\n"
                          "a.c:5:4: error: expression in static assertion is "
                          "not an integer\n"
                          "cc1: some warnings being treated as errors\n"
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

// What is found in a source of one line, by itself.
static const char *
format_fault(const char *sourcez)
{
    static struct mica_error error;
    struct mica_buffer said;
    enum mica_status status;

    mica_buffer_init(&said, NULL, 1 << 16);
    status = mica_formats_check(mica_text(sourcez), "a.c", &said, &error);
    mica_buffer_fini(&said);
    return status == MICA_OK ? "" : error.message;
}

START_TEST(formats_have_what_mica_prints)
{
    static const struct {
        const char *source, *directive;
    } cases[] = {
        {"x = mica_format(call, \"%s %.*s %-5d|%05u %zu %lld %%\", a);", ""},
        {"x = mica_format(call, \"%\" PRId64 \" of them\", a);", ""},
        {"x = mica_format(call, f, \"100%!\");", ""},
        {"// mica_format(call, \"%y\")", ""},
        {"printf(\"%o\", 1);", ""},
        {"x = mica_format(call, \"%o\", 1u);", "%o"},
        {"x = mica_format(call, /* , */ \"a\"\n\"%5.2d\", 1);", "%5.2d"},
        {"return mica_fail(call, \"A\", \"b\", \"%p\", p);", "%p"},
        {"mica_notify(call, 0.5, \"%g\", x);", "%g"},
        {"mica_notify(call, \"%+d\", x);", "%+d"},
        {"mica_log(call, MICA_LOG_INFO, \"%hhx\", x);", "%hhx"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        const char *fault = format_fault(cases[i].source);
        char wanted[80];
        (void)snprintf(wanted, sizeof wanted,
                       "a format of mica has no %s: ", cases[i].directive);
        ck_assert_msg(cases[i].directive[0] == '\0'
                          ? fault[0] == '\0'
                          : strstr(fault, wanted) != NULL,
                      "%s: %s", cases[i].source, fault);
    }
    ck_assert_int_eq(
        strncmp(format_fault("\n\nmica_log(c, l,\n\"%p\")"), "a.c:4: ", 7), 0);
}
END_TEST

UNIT_MAIN("words of compilers", formats_have_what_mica_prints,
          messages_of_the_headers_stand_alone,
          a_missing_has_member_is_told_once,
          types_that_macros_expect_are_told_in_their_words,
          other_errors_are_told_as_they_are_but_once,
          the_line_is_the_first_that_is_named,
          forbidden_calls_are_found_in_code_alone)
