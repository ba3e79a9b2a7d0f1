// SPDX-License-Identifier: Apache-2.0
//
// The time between two days: in days, weeks, years with months and days, and
// business days. All of it is counted on whole days, so no clock change and no
// time zone can shift it.
#include <mica/engine.h>

enum weekend {
    SATURDAY_SUNDAY,
    FRIDAY_SATURDAY,
    FRIDAY,
    SUNDAY,
    NO_WEEKEND
};
MICA_CHOICES(weekend, [SATURDAY_SUNDAY] = "saturday-sunday",
             [FRIDAY_SATURDAY] = "friday-saturday", [FRIDAY] = "friday",
             [SUNDAY] = "sunday", [NO_WEEKEND] = "none");

struct input {
    struct mica_date from, to;
    bool include_end;
    enum weekend weekend;
    struct {
        size_t count;
        const struct mica_date *items;
    } holidays;
};
MICA_RECORD(
    input, MICA_DATE(from, "First day, e.g. 2026-01-31."),
    MICA_DATE(to, "Last day. It may lie before from: direction and the sign of "
                  "days then say so."),
    MICA_BOOLEAN(include_end,
                 "Whether the later day counts as well: from Monday to Friday "
                 "is 4 days without and 5 days with it.",
                 .fallback = MICA_JSON(false)),
    MICA_CHOICE(weekend, weekend, "Days of the week that are no business days.",
                .fallback = MICA_JSON("saturday-sunday")),
    MICA_LIST(holidays, date,
              "Further days that are no business days. Those outside the time "
              "or on a weekend change nothing.",
              .fallback = MICA_JSON([]), .max_items = 10000));

enum direction {
    FORWARD,
    SAME_DAY,
    BACKWARD
};
MICA_CHOICES(direction, [FORWARD] = "forward", [SAME_DAY] = "same-day",
             [BACKWARD] = "backward");

struct in_weeks {
    int64_t weeks, days;
};
MICA_RECORD(in_weeks, MICA_INTEGER(weeks, "Whole weeks."),
            MICA_INTEGER(days, "Days beyond them, 0 to 6."));

struct in_calendar {
    int64_t years, months, days;
};
MICA_RECORD(in_calendar, MICA_INTEGER(years, "Whole years."),
            MICA_INTEGER(months, "Whole months beyond them, 0 to 11."),
            MICA_INTEGER(days, "Days beyond both, 0 to 30."));

struct output {
    int64_t days, business_days;
    enum direction direction;
    struct in_weeks in_weeks;
    struct in_calendar in_calendar;
    enum mica_weekday from_weekday, to_weekday;
};
MICA_RECORD(
    output,
    MICA_INTEGER(days,
                 "Days from the first day to the second; below 0 if backward."),
    MICA_CHOICE(direction, direction,
                "Where the second day lies, seen from the first."),
    MICA_NESTED(in_weeks, in_weeks, "The same time in weeks, without sign."),
    MICA_NESTED(in_calendar, in_calendar,
                "The same time in years, months and days, without sign: as "
                "many whole months as fit from the earlier day on (the last "
                "day of a month stands in for a day it lacks), then days."),
    MICA_INTEGER(business_days,
                 "Days from the earlier day on, without the later one unless "
                 "include_end is true, that are neither weekend nor holiday."),
    MICA_CHOICE(from_weekday, mica_weekday,
                "Day of the week of the first day."),
    MICA_CHOICE(to_weekday, mica_weekday,
                "Day of the week of the second day."));

static int64_t
months_later(struct mica_date date, int64_t months)
{
    return mica_date_to_days(mica_date_add_months(date, months));
}

static struct in_calendar
in_calendar(struct mica_date first, int64_t end)
{
    struct mica_date last = mica_date_from_days(end);
    int64_t months = (last.year - first.year) * 12 + last.month - first.month;

    months -= months_later(first, months) > end;
    return (struct in_calendar){months / 12, months % 12,
                                end - months_later(first, months)};
}

static int
by_day(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

// Days of [first, end) that are neither weekend nor holiday.
static int64_t
business_days(struct mica_call *call, const struct input *in, int64_t first,
              int64_t end)
{
    static const unsigned weekends[] = {
        [SATURDAY_SUNDAY] = 1u << MICA_SATURDAY | 1u << MICA_SUNDAY,
        [FRIDAY_SATURDAY] = 1u << MICA_FRIDAY | 1u << MICA_SATURDAY,
        [FRIDAY] = 1u << MICA_FRIDAY,
        [SUNDAY] = 1u << MICA_SUNDAY,
        [NO_WEEKEND] = 0};
    unsigned weekend = weekends[in->weekend];
    int64_t *holidays = MICA_NEW(call, int64_t, in->holidays.count);
    int64_t count = 0;

    // Any seven days in a row hold each day of the week once.
    for (int64_t i = 0; i < 7; i++) {
        int64_t weeks = (end - first) / 7 + (i < (end - first) % 7);

        count += weekend >> mica_weekday(first + i) & 1 ? 0 : weeks;
    }
    for (size_t i = 0; i < in->holidays.count; i++) {
        holidays[i] = mica_date_to_days(in->holidays.items[i]);
    }
    mica_sort(call, holidays, in->holidays.count, sizeof(int64_t), by_day);
    for (size_t i = 0; i < in->holidays.count; i++) {
        count -= holidays[i] >= first && holidays[i] < end &&
                 (i == 0 || holidays[i] != holidays[i - 1]) &&
                 !(weekend >> mica_weekday(holidays[i]) & 1);
    }
    return count;
}

static enum mica_status
subtract(struct mica_call *call, const struct input *in, struct output *out)
{
    int64_t from = mica_date_to_days(in->from), to = mica_date_to_days(in->to);
    bool backward = to < from;
    int64_t first = backward ? to : from;
    int64_t end = (backward ? from : to) + in->include_end;
    struct mica_date earlier = backward ? in->to : in->from;

    if (mica_date_from_days(end).year == 0) {
        return mica_fail(call, "DATE_OUT_OF_RANGE", "include_end",
                         "The day after 9999-12-31 is beyond the calendar, "
                         "which ends there. Pass include_end=false and add "
                         "one day yourself, or an earlier date.");
    }
    out->days = backward ? first - end : end - first;
    out->direction = to > from ? FORWARD : backward ? BACKWARD : SAME_DAY;
    out->in_weeks = (struct in_weeks){(end - first) / 7, (end - first) % 7};
    out->in_calendar = in_calendar(earlier, end);
    out->business_days = business_days(call, in, first, end);
    out->from_weekday = mica_weekday(from);
    out->to_weekday = mica_weekday(to);
    return MICA_OK;
}

MICA_ENGINE(
    date_difference, input, output, subtract, .title = "Date difference",
    .category = "time",
    .description =
        "Count the time between two dates in days, in weeks, in years with "
        "months and days, and in business days, with a choice of weekend and a "
        "list of holidays.",
    .examples = MICA_EXAMPLES(
        {"A year's project",
         MICA_JSON({"from": "2026-01-31", "to": "2027-03-01"}), MICA_JSON({
             "days": 394,
             "direction": "forward",
             "in_weeks": {"weeks": 56, "days": 2},
             "in_calendar": {"years": 1, "months": 1, "days": 1},
             "business_days": 280,
             "from_weekday": "saturday",
             "to_weekday": "monday"
         })},
        {"A week of work around Christmas", MICA_JSON({
             "from": "2026-12-21",
             "to": "2026-12-27",
             "include_end": true,
             "holidays": ["2026-12-25", "2026-12-25", "2026-12-26"]
         }),
         MICA_JSON({"days": 7, "business_days": 4})},
        {"Backwards, with another weekend", MICA_JSON({
             "from": "2026-03-15",
             "to": "2026-03-01",
             "weekend": "friday-saturday"
         }),
         MICA_JSON({
             "days": -14,
             "direction": "backward",
             "business_days": 10,
             "in_calendar": {"years": 0, "months": 0, "days": 14}
         })},
        {"The same day", MICA_JSON({"from": "2024-02-29", "to": "2024-02-29"}),
         MICA_JSON({"days": 0, "direction": "same-day", "business_days": 0})},
        {"Past the last day of the calendar",
         MICA_JSON(
             {"from": "9999-12-01", "to": "9999-12-31", "include_end": true}),
         .error = "DATE_OUT_OF_RANGE"}));
