// SPDX-License-Identifier: Apache-2.0
//
// How often models draft apps for people.
#include "publish/draft_limit.h"

#include "unit.h"

static struct mica_draft_limit limit;
static struct mica_error error;
static unsigned retry_s;

static enum mica_status
draft(const char *person, int64_t now)
{
    return mica_draft_limit_count(&limit, mica_text(person), now, &error,
                                  &retry_s);
}

START_TEST(a_person_has_ten_drafts_a_minute)
{
    mica_draft_limit_open(&limit);
    for (int64_t i = 0; i < MICA_DRAFTS_PERSON; i++)
        ck_assert_int_eq(draft("ada", 1000000 + i * 1000), MICA_OK);
    ck_assert_int_eq(draft("ada", 1010000), MICA_E_RATE);
    ck_assert_uint_eq(retry_s, 50);
    ck_assert_int_eq(draft("eve", 1010000), MICA_OK);
    // A refusal does not count.
    ck_assert_int_eq(draft("ada", 1059999), MICA_E_RATE);
    ck_assert_uint_eq(retry_s, 1);
    ck_assert_int_eq(draft("ada", 1060000), MICA_OK);
    ck_assert_int_eq(draft("ada", 1060000), MICA_E_RATE);
    mica_draft_limit_close(&limit);
}
END_TEST

START_TEST(all_have_sixty_drafts_a_minute)
{
    char person[2] = "a";

    mica_draft_limit_open(&limit);
    for (size_t i = 0; i < MICA_DRAFTS_ALL; i++) {
        person[0] = (char)('a' + i % 20);
        ck_assert_int_eq(draft(person, 1000000), MICA_OK);
    }
    ck_assert_int_eq(draft("z", 1000000), MICA_E_RATE);
    ck_assert_uint_eq(retry_s, 60);
    ck_assert_int_eq(draft("z", 1060000), MICA_OK);
    mica_draft_limit_close(&limit);
}
END_TEST

START_TEST(a_clock_that_was_set_back_waits_no_longer_than_a_minute)
{
    mica_draft_limit_open(&limit);
    for (size_t i = 0; i < MICA_DRAFTS_PERSON; i++)
        ck_assert_int_eq(draft("ada", 9000000), MICA_OK);
    ck_assert_int_eq(draft("ada", 1000000), MICA_E_RATE);
    ck_assert_uint_eq(retry_s, 60);
    ck_assert_int_eq(draft("ada", 1059999), MICA_E_RATE);
    ck_assert_int_eq(draft("ada", 1060000), MICA_OK);
    mica_draft_limit_close(&limit);
}
END_TEST

UNIT_MAIN("draft_limit", a_person_has_ten_drafts_a_minute,
          all_have_sixty_drafts_a_minute,
          a_clock_that_was_set_back_waits_no_longer_than_a_minute)
