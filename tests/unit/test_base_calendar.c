// SPDX-License-Identifier: Apache-2.0
//
// The calendar: every day of it, known moments, and the text of RFC 3339.
#include <string.h>

#include "unit.h"

START_TEST(every_day_follows_the_one_before)
{
    struct mica_date date = {1, 1, 1};
    for (int64_t days = -719162; days <= 2932896; days++) {
        struct mica_date back = mica_date_from_days(days);
        UNIT_MUST(mica_date_valid(date) && mica_date_to_days(date) == days &&
                      back.year == date.year && back.month == date.month &&
                      back.day == date.day,
                  "day %lld", (long long)days);
        if (++date.day > mica_days_in_month(date.year, date.month)) {
            date.day = 1;
            if (++date.month > 12) {
                date.month = 1;
                date.year++;
            }
        }
    }
    ck_assert_int_eq(date.year, 10000);
}
END_TEST

START_TEST(days_outside_the_calendar_give_no_date)
{
    static const int64_t outside[] = {-719163, 2932897, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < MICA_COUNT(outside); i++) {
        ck_assert(!mica_date_valid(mica_date_from_days(outside[i])));
        ck_assert(!mica_date_valid(
            mica_time_from_seconds(outside[i] == INT64_MIN ||
                                           outside[i] == INT64_MAX
                                       ? outside[i]
                                       : outside[i] * 86400,
                                   0)
                .date));
    }
}
END_TEST

START_TEST(months_have_their_lengths)
{
    ck_assert_int_eq(mica_days_in_month(2024, 2), 29);
    ck_assert_int_eq(mica_days_in_month(2023, 2), 28);
    ck_assert_int_eq(mica_days_in_month(1900, 2), 28);
    ck_assert_int_eq(mica_days_in_month(2000, 2), 29);
    ck_assert_int_eq(mica_days_in_month(2000, 4), 30);
    ck_assert_int_eq(mica_days_in_month(2000, 0), 0);
    ck_assert_int_eq(mica_days_in_month(2000, 13), 0);
}
END_TEST

START_TEST(dates_read_and_write_the_same)
{
    static const char *const good[] = {"0001-01-01", "1970-01-01", "2024-02-29",
                                       "9999-12-31"};
    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        struct mica_buffer buffer;
        struct mica_date date;
        mica_buffer_init(&buffer, NULL, 100);
        ck_assert(mica_date_read(mica_text(good[i]), &date));
        mica_date_write(&buffer, date);
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), good[i]);
        mica_buffer_fini(&buffer);
    }
}
END_TEST

START_TEST(other_texts_are_no_dates)
{
    static const char *const bad[] = {
        "",           "2024-02-30",  "2023-02-29", "0000-01-01",  "2024-13-01",
        "2024-00-01", "2024-01-00",  "2024-1-1",   "2024-01-01 ", " 2024-01-01",
        "2024/01/01", "20240101",    "24-01-01",   "+2024-01-01", "2024-01-0a",
        "2024-01-32", "2024-01-01T", "-024-01-01",
    };
    struct mica_date date = {7, 7, 7};
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!mica_date_read(mica_text(bad[i]), &date), "%s", bad[i]);
    ck_assert_int_eq(date.year, 7);
}
END_TEST

START_TEST(known_moments_have_their_seconds)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } moments[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1969-12-31T23:59:59Z", -1},
        {"2001-09-09T01:46:40Z", 1000000000},
        {"2026-11-20T09:30:00+01:00", 1795163400},
        {"2026-11-20T03:30:00-05:00", 1795163400},
        {"2038-01-19T03:14:08Z", 2147483648},
        {"0001-01-01T00:00:00Z", -62135596800},
        {"9999-12-31T23:59:59Z", 253402300799},
    };
    for (size_t i = 0; i < MICA_COUNT(moments); i++) {
        struct mica_time time;
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, NULL, 100);
        ck_assert(mica_time_read(mica_text(moments[i].text), &time));
        ck_assert_int_eq(mica_time_to_seconds(time), moments[i].seconds);
        mica_time_write(&buffer, mica_time_from_seconds(moments[i].seconds,
                                                        time.offset_minutes));
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), moments[i].text);
        mica_buffer_fini(&buffer);
    }
}
END_TEST

START_TEST(times_are_written_in_one_form)
{
    static const char *const forms[][2] = {
        {"2026-11-20T09:30:00+00:00", "2026-11-20T09:30:00Z"},
        {"2026-11-20T09:30:00-00:00", "2026-11-20T09:30:00Z"},
        {"2026-11-20T09:30:00.5Z", "2026-11-20T09:30:00.500Z"},
        {"2026-11-20T09:30:00.000Z", "2026-11-20T09:30:00Z"},
        {"2026-11-20T09:30:00.0005Z", "2026-11-20T09:30:00.000500Z"},
        {"2026-11-20T09:30:00.123456789-23:59",
         "2026-11-20T09:30:00.123456789-23:59"},
        {"2026-11-20T09:30:00.000000001Z", "2026-11-20T09:30:00.000000001Z"},
    };
    for (size_t i = 0; i < MICA_COUNT(forms); i++) {
        struct mica_time time;
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, NULL, 100);
        ck_assert_msg(mica_time_read(mica_text(forms[i][0]), &time), "%s",
                      forms[i][0]);
        mica_time_write(&buffer, time);
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), forms[i][1]);
        mica_buffer_fini(&buffer);
    }
}
END_TEST

START_TEST(other_texts_are_no_times)
{
    static const char *const bad[] = {
        "2026-11-20",
        "2026-11-20T09:30:00",
        "2026-11-20 09:30:00Z",
        "2026-11-20t09:30:00Z",
        "2026-11-20T09:30:00z",
        "2026-11-20T24:00:00Z",
        "2026-11-20T09:60:00Z",
        "2026-12-31T23:59:60Z",
        "2026-11-20T09:30Z",
        "2026-11-20T09:30:00.Z",
        "2026-11-20T09:30:00.1234567890Z",
        "2026-11-20T09:30:00+0100",
        "2026-11-20T09:30:00+24:00",
        "2026-11-20T09:30:00+01:60",
        "2026-11-20T09:30:00+01:00 ",
        "2026-02-30T09:30:00Z",
        "",
    };
    struct mica_time time;
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!mica_time_read(mica_text(bad[i]), &time), "%s", bad[i]);
}
END_TEST

START_TEST(months_are_added_up_to_the_last_day)
{
    static const struct {
        struct mica_date from;
        int64_t months;
        struct mica_date to;
    } cases[] = {
        {{2026, 1, 31}, 1, {2026, 2, 28}},
        {{2028, 1, 31}, 1, {2028, 2, 29}},
        {{2026, 11, 20}, 0, {2026, 11, 20}},
        {{2026, 11, 30}, 2, {2027, 1, 30}},
        {{2026, 12, 1}, -12, {2025, 12, 1}},
        {{2026, 3, 31}, -1, {2026, 2, 28}},
        {{2000, 2, 29}, 1200, {2100, 2, 28}},
        {{1, 1, 1}, 9999 * 12 - 1, {9999, 12, 1}},
        {{9999, 12, 31}, 1 - 9999 * 12, {1, 1, 31}},
        {{9999, 12, 1}, 1, {0, 0, 0}},
        {{1, 1, 1}, -1, {0, 0, 0}},
        {{2026, 1, 1}, INT64_MAX, {0, 0, 0}},
        {{2026, 1, 1}, INT64_MIN, {0, 0, 0}},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_date to =
            mica_date_add_months(cases[i].from, cases[i].months);
        ck_assert_msg(memcmp(&to, &cases[i].to, sizeof to) == 0,
                      "case %zu: %d-%d-%d", i, to.year, to.month, to.day);
    }
}
END_TEST

START_TEST(days_of_the_week_follow_each_other)
{
    ck_assert_int_eq(mica_weekday(0), MICA_THURSDAY);
    ck_assert_int_eq(mica_weekday(-1), MICA_WEDNESDAY);
    ck_assert_int_eq(
        mica_weekday(mica_date_to_days((struct mica_date){2026, 11, 20})),
        MICA_FRIDAY);
    ck_assert_int_eq(mica_weekday(-719162), MICA_MONDAY); // 0001-01-01
    for (int64_t day = -1000; day < 1000; day++)
        ck_assert_int_eq(mica_weekday(day + 1), (mica_weekday(day) + 1) % 7);
    ck_assert_uint_le(mica_weekday(INT64_MIN), MICA_SUNDAY);
    ck_assert_uint_le(mica_weekday(INT64_MAX), MICA_SUNDAY);
}
END_TEST

UNIT_MAIN("base_calendar", every_day_follows_the_one_before,
          days_outside_the_calendar_give_no_date, months_have_their_lengths,
          dates_read_and_write_the_same, other_texts_are_no_dates,
          known_moments_have_their_seconds, times_are_written_in_one_form,
          other_texts_are_no_times, months_are_added_up_to_the_last_day,
          days_of_the_week_follow_each_other)
