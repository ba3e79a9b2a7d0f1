// SPDX-License-Identifier: Apache-2.0
//
// What every unit test program shares: running its tests as one suite. A test
// is a START_TEST whose name is a sentence; UNIT_MAIN lists them.
#ifndef MICA_TESTS_UNIT_H
#define MICA_TESTS_UNIT_H

#include <check.h>

#include <mica/base.h>

static inline int
unit_run(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 100);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(cases, tests[i]);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

// main() for the tests named.
#define UNIT_MAIN(name, ...)                             \
    int main(void)                                       \
    {                                                    \
        const TTest *const tests[] = {__VA_ARGS__};      \
        return unit_run(name, tests, MICA_COUNT(tests)); \
    }

// As ck_assert_msg, for loops of millions: check writes a note of every
// assertion to a file, this only of one that fails.
#define UNIT_MUST(condition, ...)      \
    do {                               \
        if (!(condition))              \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

// Fails unless a slice is this text.
#define UNIT_TEXT_EQ(slice, textz)                                          \
    do {                                                                    \
        struct mica_text unit_slice = (slice);                              \
        struct mica_text unit_text = mica_text(textz);                      \
        ck_assert_msg(mica_text_equal(unit_slice, unit_text),               \
                      "\"%.*s\" instead of \"%.*s\"", MICA_ARG(unit_slice), \
                      MICA_ARG(unit_text));                                 \
    } while (0)

#endif
