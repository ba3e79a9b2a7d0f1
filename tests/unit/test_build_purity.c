// SPDX-License-Identifier: Apache-2.0
//
// What an engine may not do, and what it is told to do instead.
#include "test_build.h"

static const struct {
    const char *header, *body; // of an impure engine
    const char *name, *advice; // in the message
} impure[] = {
    {"#include <stdlib.h>\n", "out->b = rand();",
     "cannot use rand:", "take a \"seed\" field"},
    {"#include <stdlib.h>\n", "srandom(1); out->b = (double)random();",
     "random", "\"seed\""},
    {"#include <time.h>\n", "out->b = (double)time(0);",
     "cannot use time:", "MICA_DATE_TIME"},
    {"#include <time.h>\n",
     "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); out->b = t.tv_nsec;",
     "clock_gettime", "has no clock"},
    {"#include <time.h>\n",
     "time_t t = (time_t)in->a; out->b = localtime(&t)->tm_hour;", "localtime",
     "no time zone"},
    {"#include <stdio.h>\n", "printf(\"%d\\n\", (int)in->a);", "printf",
     "cannot print"},
    {"#include <stdio.h>\n", "puts(\"hello\");",
     "cannot use puts:", "fields of the output"},
    {"#include <stdlib.h>\n",
     "char *p = malloc((size_t)in->a); p[3] = 1; out->b = (double)(size_t)p;",
     "cannot use malloc:", "MICA_NEW"},
    {"#include <stdlib.h>\nstatic int by(const void *a, const void *b)\n"
     "{ return *(const int *)a - *(const int *)b; }\n",
     "int x[3] = {(int)in->a, 2, 1}; qsort(x, 3, sizeof *x, by); out->b = x[0];",
     "cannot use qsort:", "mica_sort"},
    {"#include <stdio.h>\n",
     "char s[99]; snprintf(s, sizeof s, \"%f\", in->a); out->b = s[0];",
     "snprintf", "mica_format"},
    {"#include <stdlib.h>\n", "out->b = strtod(in->t.ptr, 0);",
     "cannot use strtod:", "mica_number_read"},
    {"#include <stdlib.h>\n", "out->b = atoi(in->t.ptr);",
     "cannot use atoi:", "mica_integer_read"},
    {"#include <string.h>\n", "char s[] = \"a,b\"; out->b = *strtok(s, \",\");",
     "cannot use strtok:", "loop"},
    {"#include <string.h>\n",
     "char s[99]; strcpy(s, in->t.ptr); out->b = s[(int)in->a];", "strcpy",
     "mica_builder"},
    {"#include <ctype.h>\n", "out->b = toupper((int)in->a);",
     "cannot use toupper:", "locale"},
    {"#include <stdlib.h>\n", "out->b = getenv(\"HOME\") != 0;",
     "cannot use getenv:", "no environment"},
    {"#include <stdio.h>\n", "out->b = fopen(in->t.ptr, \"r\") != 0;",
     "cannot use fopen:", "no files"},
    {"#include <errno.h>\n", "out->b = errno;", "errno", "check the arguments"},
    {"#include <stdlib.h>\n", "if (in->a > 3) abort();",
     "cannot use abort:", "mica_fail"},
    {"#include <assert.h>\n", "assert(in->a > 3);", "__assert_fail",
     "MICA_UNREACHABLE"},
    {"#include <math.h>\n", "out->b = lgamma(in->a);",
     "cannot use lgamma:", "global variable"},
    {"#include <math.h>\n", "out->b = sinf((float)in->a);",
     "cannot use sinf:", "for double"},
    {"", "volatile long double x = in->a; x *= x; out->b = (double)x;", "tf",
     "use double"},
    {"int elsewhere(int);\n", "out->b = elsewhere(1);", "elsewhere",
     "<mica/engine.h> declares"},
    {"extern char __heap_base;\n", "out->b = (double)(size_t)&__heap_base;",
     "__heap_base", "<mica/engine.h> declares"},
    // Variables that outlive a call.
    {"static int counter;\n", "out->b = ++counter;", "\"counter\"",
     "make it const"},
    {"static int counter = 7;\n", "out->b = ++counter;", "\"counter\"",
     "every call of an engine starts fresh"},
    {"int common;\n", "out->b = ++common;", "\"common\"", "make it const"},
    {"", "static double last; out->b = last; last = in->a;",
     "\"static last\" in handle()", "a variable of the function"},
    {"static _Thread_local int mine;\n", "out->b = ++mine;", "mine",
     "make it const"},
    {"static volatile int set;\n"
     "__attribute__((constructor)) static void before(void) { set = 1; }\n",
     "out->b = set;", "\"set\"", "make it const"},
    // What its libc does not even declare.
    {"#include <unistd.h>\n", "out->b = fork();",
     "cannot use fork:", "no processes"},
    {"#include <sys/socket.h>\n", "out->b = socket(2, 1, 0);",
     "cannot use socket:", "no network"},
    // Imports by name.
    {"__attribute__((import_module(\"wasi_snapshot_preview1\"), "
     "import_name(\"random_get\"))) int wild(void *, int);\n",
     "int x; wild(&x, 4); out->b = x;", "wild", "write the rest in"},
    {"__attribute__((import_module(\"env\"), import_name(\"x\"))) "
     "double mica_secret(double);\n",
     "out->b = mica_secret(in->a);", "imports env.x", "imports nothing"},
};

START_TEST(an_impure_engine_is_refused_with_advice)
{
    struct bench bench;
    char text[4096];
    open_bench(&bench);
    (void)snprintf(text, sizeof text, "%s" BEFORE HANDLER "%s" AFTER("impure"),
                   impure[_i].header, impure[_i].body);
    write_source(&bench, "impure.c", text);
    builds_to(&bench, "impure.c", MICA_E_IMPURE, impure[_i].name);
    ck_assert_msg(strstr(bench.error.message, impure[_i].advice) != NULL, "%s",
                  bench.error.message);
    close_bench(&bench);
}
END_TEST

START_TEST(every_finding_is_listed)
{
    struct bench bench;
    open_bench(&bench);
    write_source(
        &bench, "many.c",
        "#include <stdlib.h>\n#include <time.h>\n" BEFORE
        "static int a, b;\n" HANDLER
        "out->b = rand() + (double)time(0) + ++a + ++b;" AFTER("many"));
    // The first is the error, and is not said again.
    builds_to(&bench, "many.c", MICA_E_IMPURE,
              "many.c:12: an engine cannot use rand:");
    ck_assert_ptr_null(strstr(bench.diagnostics.ptr, "cannot use rand:"));
    ck_assert_ptr_nonnull(strstr(bench.diagnostics.ptr, "cannot use time:"));
    write_source(&bench, "state.c",
                 BEFORE "static int a, b;\n" HANDLER
                        "out->b = ++a + ++b;" AFTER("state"));
    builds_to(&bench, "state.c", MICA_E_IMPURE, "the variable \"a\"");
    ck_assert_ptr_nonnull(strstr(bench.diagnostics.ptr, "variable \"b\""));
    close_bench(&bench);
}
END_TEST

START_TEST(what_computes_from_its_arguments_is_allowed)
{
    struct bench bench;
    open_bench(&bench);
    write_source(
        &bench, "pure.c",
        "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n" BEFORE
        "static const char *const words[] = {\"a\", \"b\"};\n"
        "static const double table[] = {1, 2, 3};\n"
        "struct pair { const char *name; double (*f)(double); };\n"
        "static const struct pair pairs[] = {{\"sin\", sin}, {\"tgamma\", "
        "tgamma}};\n" HANDLER "static const int primes[] = {2, 3, 5, 7, 11};\n"
        "size_t n = strlen(words[in->a > 1]) + strnlen(in->t.ptr, in->t.len);\n"
        "__int128 wide = (__int128)n * (long long)in->a / 7;\n"
        "double whole, x = pow(in->a, 2.5) + fmod(in->a, 3) + hypot(in->a, 1)\n"
        "    + cbrt(in->a) + modf(in->a, &whole) + lround(in->a)\n"
        "    + exp(in->a) + log10(in->a) + atan2(in->a, 2) + round(in->a);\n"
        "char copy[16];\n"
        "memset(copy, (int)n, sizeof copy);\n"
        "memcpy(copy, words[0], 2);\n"
        "x += memcmp(copy, words[1], 2) + (strchr(copy, 'a') != NULL)\n"
        "    + strcmp(copy, \"b\") + llabs((long long)in->a);\n"
        "out->b = x + whole + (double)wide + table[n % 3] + primes[n % 5]\n"
        "    + pairs[n % 2].f(in->a);" AFTER("pure"));
    builds_to(&bench, "pure.c", MICA_OK, "");
    close_bench(&bench);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("purity");
    TCase *all = tcase_create("purity");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, an_impure_engine_is_refused_with_advice, 0,
                        MICA_COUNT(impure));
    tcase_add_test(all, every_finding_is_listed);
    tcase_add_test(all, what_computes_from_its_arguments_is_allowed);
    suite_add_tcase(suite, all);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
