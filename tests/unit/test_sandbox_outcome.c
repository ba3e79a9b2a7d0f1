// SPDX-License-Identifier: Apache-2.0
//
// How a call ends, from what its module left in memory: what no engine of the tests
// writes.
#include "test_sandbox.h"

#include "engine/run.h"
#include "sandbox/outcome.h"

// The JSON of an error may have any path, or none: one that is no text has no bytes
// that could be copied, which UBSan watches.
static const struct {
    const char *error, *path;
} reported[] = {
    {"{\"code\":\"NO_ROOM\",\"message\":\"no\"}", ""},
    {"{\"code\":\"NO_ROOM\",\"message\":\"no\",\"path\":null}", ""},
    {"{\"code\":\"NO_ROOM\",\"message\":\"no\",\"path\":17}", ""},
    {"{\"code\":\"NO_ROOM\",\"message\":\"no\",\"path\":\"\"}", ""},
    {"{\"code\":\"NO_ROOM\",\"message\":\"no\",\"path\":\"/a\"}", "/a"},
};

START_TEST(an_error_without_a_path_has_none)
{
    enum {
        EXCHANGE = 64,
        RESULT = 128
    };
    uint8_t bytes[512] = {0};
    const struct mica_memory memory = {.data = bytes, .size = sizeof bytes};
    const struct mica_ending ending = {.slug = "teller",
                                       .limits = {.output_bytes = 100},
                                       .returned = true,
                                       .memory = &memory,
                                       .exchange = EXCHANGE};
    const char *error = reported[_i].error;
    const struct mica_exchange exchange = {MICA_FAILED, RESULT,
                                           (uint32_t)strlen(error)};
    struct trial trial;

    memcpy(bytes + EXCHANGE, &exchange, sizeof exchange);
    memcpy(bytes + RESULT, error, strlen(error));
    start_trial(&trial);
    ck_assert_int_eq(mica_outcome(&ending, &trial.call), MICA_ENDED_WELL);
    ck_assert_int_eq(trial.call.result.status, MICA_FAILED);
    ck_assert_str_eq(trial.call.error.code, "NO_ROOM");
    ck_assert_str_eq(trial.call.error.message, "no");
    ck_assert_str_eq(trial.call.error.path, reported[_i].path);
    end_trial(&trial);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sandbox outcome");
    TCase *errors = tcase_create("errors");
    tcase_add_loop_test(errors, an_error_without_a_path_has_none, 0,
                        MICA_COUNT(reported));
    suite_add_tcase(suite, errors);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
