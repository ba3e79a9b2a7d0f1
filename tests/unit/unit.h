// SPDX-License-Identifier: Apache-2.0
//
// What every unit test program shares: running its tests as one suite. A test
// is a START_TEST whose name is a sentence; UNIT_MAIN lists them.
#ifndef MICA_TESTS_UNIT_H
#define MICA_TESTS_UNIT_H

#include <check.h>
#include <time.h>

#include <mica/base.h>

// How long a test waits for what must come. Only one that fails waits so long:
// a machine may be busy, and sanitizers make a program ten times slower.
enum {
    UNIT_PATIENCE_MS = 60000
};

static inline int
unit_run(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 2 * UNIT_PATIENCE_MS / 1000);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(cases, tests[i]);
    suite_add_tcase(suite, cases);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}

// main() for the tests named.
#define UNIT_MAIN(name, ...)                             \
    int main(void)                                       \
    {                                                    \
        const TTest *const tests[] = {__VA_ARGS__};      \
        return unit_run(name, tests, MICA_COUNT(tests)); \
    }

static inline void
unit_sleep(unsigned ms)
{
    struct timespec pause = {.tv_sec = ms / 1000,
                             .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&pause, NULL);
}

// Waits until the condition holds; fails after UNIT_PATIENCE_MS with the message.
#define UNIT_AWAIT_MSG(condition, ...)                         \
    do {                                                       \
        bool unit_holds = (condition);                         \
        for (int unit_waited_ms = 0;                           \
             !unit_holds && unit_waited_ms < UNIT_PATIENCE_MS; \
             unit_waited_ms += 2) {                            \
            unit_sleep(2);                                     \
            unit_holds = (condition);                          \
        }                                                      \
        ck_assert_msg(unit_holds, __VA_ARGS__);                \
    } while (0)
#define UNIT_AWAIT(condition) \
    UNIT_AWAIT_MSG(condition, "waited in vain for %s", #condition)

// As ck_assert_msg, for loops of millions: check writes a note of every
// assertion to a file, this only of one that fails.
#define UNIT_MUST(condition, ...)      \
    do {                               \
        if (!(condition))              \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

// Defined where a sanitizer makes the program up to ten times slower.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#    define UNIT_SANITIZED 1
#elif defined(__has_feature)
#    if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#        define UNIT_SANITIZED 1
#    endif
#endif

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
