// SPDX-License-Identifier: Apache-2.0
//
// Days and moments as numbers, years 1 to 9999. Years are counted from March
// inside, so that the leap day is the last of its year and the months before
// it need no exception. Text is in calendar_text.c.
#include <mica/base.h>

enum {
    DAYS_OF_400_YEARS = 146097,
    DAYS_TO_1970 = 719468, // from 0000-03-01
    SECONDS_OF_DAY = 86400
};

static bool
is_leap(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int32_t
mica_days_in_month(int32_t year, int32_t month)
{
    static const int32_t days[] = {31, 28, 31, 30, 31, 30,
                                   31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12)
        return 0;
    return days[month - 1] + (month == 2 && is_leap(year));
}

bool
mica_date_valid(struct mica_date date)
{
    return date.year >= 1 && date.year <= 9999 && date.day >= 1 &&
           date.day <= mica_days_in_month(date.year, date.month);
}

int64_t
mica_date_to_days(struct mica_date date)
{
    // Shifted by 400 years, so that year 0 (before March of year 1) needs no
    // rounding towards minus infinity.
    int64_t year = date.year - (date.month <= 2) + 400;
    int64_t month = (date.month + 9) % 12; // March is 0
    int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
    return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year -
           DAYS_OF_400_YEARS - DAYS_TO_1970;
}

struct mica_date
mica_date_from_days(int64_t days)
{
    const struct mica_date first = {1, 1, 1}, last = {9999, 12, 31};
    if (days < mica_date_to_days(first) || days > mica_date_to_days(last))
        return (struct mica_date){0, 0, 0};
    int64_t day = days + DAYS_TO_1970; // from 0000-03-01; year 1 is later
    int64_t era = day / DAYS_OF_400_YEARS;
    int64_t in_era = day % DAYS_OF_400_YEARS;
    // Take the leap days out, so that every year has 365 days.
    int64_t year =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * in_year + 2) / 153; // March is 0
    int64_t in_month = in_year - (153 * month + 2) / 5;
    month = month < 10 ? month + 3 : month - 9;
    return (struct mica_date){(int32_t)(era * 400 + year + (month <= 2)),
                              (int32_t)month, (int32_t)(in_month + 1)};
}

struct mica_date
mica_date_add_months(struct mica_date date, int64_t months)
{
    enum {
        MONTHS = 9999 * 12 // of the calendar
    };
    if (months < -MONTHS || months > MONTHS)
        return (struct mica_date){0, 0, 0};
    int64_t month = (int64_t)(date.year - 1) * 12 + date.month - 1 + months;
    if (month < 0 || month >= MONTHS)
        return (struct mica_date){0, 0, 0};
    struct mica_date later = {(int32_t)(month / 12) + 1,
                              (int32_t)(month % 12) + 1, date.day};
    int32_t last = mica_days_in_month(later.year, later.month);
    later.day = later.day < last ? later.day : last;
    return later;
}

enum mica_weekday
mica_weekday(int64_t days)
{
    int64_t since_thursday = days % 7 + 7; // 1970-01-01 was one
    return (enum mica_weekday)((since_thursday + MICA_THURSDAY) % 7);
}

int64_t
mica_time_to_seconds(struct mica_time time)
{
    int64_t minutes = (int64_t)time.hour * 60 + time.minute;
    return mica_date_to_days(time.date) * SECONDS_OF_DAY +
           (minutes - time.offset_minutes) * 60 + time.second;
}

struct mica_time
mica_time_from_seconds(int64_t seconds, int32_t offset_minutes)
{
    // Far out of range, the sum must not wrap; the date is invalid anyway.
    int64_t days = seconds / SECONDS_OF_DAY;
    int64_t rest = seconds % SECONDS_OF_DAY + (int64_t)offset_minutes * 60;
    days += rest / SECONDS_OF_DAY;
    rest %= SECONDS_OF_DAY;
    if (rest < 0) {
        rest += SECONDS_OF_DAY;
        days--;
    }
    return (struct mica_time){
        .date = mica_date_from_days(days),
        .hour = (int32_t)(rest / 3600),
        .minute = (int32_t)(rest / 60 % 60),
        .second = (int32_t)(rest % 60),
        .offset_minutes = offset_minutes,
    };
}
