// SPDX-License-Identifier: Apache-2.0
//
// The day that lies so many years, months, weeks, days and business days from
// another one. The order of the steps is fixed, because it changes the answer.
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
    struct mica_date date;
    int64_t years, months, weeks, days, business_days;
    enum weekend weekend;
    struct {
        size_t count;
        const struct mica_date *items;
    } holidays;
};
MICA_RECORD(
    input, MICA_DATE(date, "Day to start from, e.g. 2026-01-31."),
    MICA_INTEGER(years, "Years to add; below 0 to go back.", .minimum = -10000,
                 .maximum = 10000, .fallback = MICA_JSON(0)),
    MICA_INTEGER(months,
                 "Months to add, together with the years. Where the month has "
                 "no such day, its last day is taken: a month after 31 January "
                 "is 28 or 29 February.",
                 .minimum = -120000, .maximum = 120000,
                 .fallback = MICA_JSON(0)),
    MICA_INTEGER(weeks, "Weeks to add then.", .minimum = -500000,
                 .maximum = 500000, .fallback = MICA_JSON(0)),
    MICA_INTEGER(days, "Days to add then.", .minimum = -3000000,
                 .maximum = 3000000, .fallback = MICA_JSON(0)),
    MICA_INTEGER(business_days,
                 "Business days to add at the end: 1 is the next day that is "
                 "neither weekend nor holiday, -1 the one before.",
                 .minimum = -5000, .maximum = 5000, .fallback = MICA_JSON(0)),
    MICA_CHOICE(weekend, weekend, "Days of the week that are no business days.",
                .fallback = MICA_JSON("saturday-sunday")),
    MICA_LIST(holidays, date, "Further days that are no business days.",
              .fallback = MICA_JSON([]), .max_items = 1000));

struct output {
    struct mica_date date;
    enum mica_weekday weekday;
    bool business_day;
    int64_t moved_days;
};
MICA_RECORD(output, MICA_DATE(date, "The day reached."),
            MICA_CHOICE(weekday, mica_weekday, "Its day of the week."),
            MICA_BOOLEAN(business_day,
                         "Whether it is neither weekend nor holiday."),
            MICA_INTEGER(moved_days,
                         "Days from the start to it; below 0 if it lies "
                         "before."));

// Far behind the last day of the calendar, whatever is subtracted.
#define NO_DAY ((int64_t)20000000)

static int64_t
months_later(struct mica_date date, int64_t months)
{
    struct mica_date later = mica_date_add_months(date, months);

    return later.year > 0 ? mica_date_to_days(later) : NO_DAY;
}

static bool
is_business_day(const struct input *in, int64_t day)
{
    static const unsigned weekends[] = {
        [SATURDAY_SUNDAY] = 1u << MICA_SATURDAY | 1u << MICA_SUNDAY,
        [FRIDAY_SATURDAY] = 1u << MICA_FRIDAY | 1u << MICA_SATURDAY,
        [FRIDAY] = 1u << MICA_FRIDAY,
        [SUNDAY] = 1u << MICA_SUNDAY,
        [NO_WEEKEND] = 0};
    bool business = !(weekends[in->weekend] >> mica_weekday(day) & 1);

    for (size_t i = 0; business && i < in->holidays.count; i++) {
        business = mica_date_to_days(in->holidays.items[i]) != day;
    }
    return business;
}

static enum mica_status
shift(struct mica_call *call, const struct input *in, struct output *out)
{
    int64_t start = mica_date_to_days(in->date), left = in->business_days;
    int64_t step = left < 0 ? -1 : 1;
    int64_t day = months_later(in->date, in->years * 12 + in->months) +
                  in->weeks * 7 + in->days;

    while (left != 0) {
        day += step;
        left -= is_business_day(in, day) ? step : 0;
    }
    out->date = mica_date_from_days(day);
    if (out->date.year == 0) {
        return mica_fail(call, "DATE_OUT_OF_RANGE", "",
                         "The day reached lies outside the years 1 to 9999. "
                         "Pass smaller steps, or a date further from those "
                         "ends.");
    }
    out->weekday = mica_weekday(day);
    out->business_day = is_business_day(in, day);
    out->moved_days = day - start;
    return MICA_OK;
}

MICA_ENGINE(
    date_shifter, input, output, shift, .title = "Date shifter",
    .category = "time",
    .description =
        "Add years, months, weeks, days and business days to a date, or take "
        "them off, with a choice of weekend and a list of holidays. Years and "
        "months come first, then weeks and days, then business days.",
    .examples = MICA_EXAMPLES(
        {"A month after the last of January",
         MICA_JSON({"date": "2028-01-31", "months": 1}), MICA_JSON({
             "date": "2028-02-29",
             "weekday": "tuesday",
             "business_day": true,
             "moved_days": 29
         })},
        {"Ten business days over New Year", MICA_JSON({
             "date": "2026-12-21",
             "business_days": 10,
             "holidays": ["2026-12-25", "2027-01-01"]
         }),
         MICA_JSON({"date": "2027-01-06", "moved_days": 16})},
        {"Back by a year and a bit", MICA_JSON({
             "date": "2026-03-01",
             "years": -1,
             "weeks": -1,
             "days": 6,
             "business_days": -1,
             "weekend": "friday-saturday"
         }),
         MICA_JSON({
             "date": "2025-02-27",
             "weekday": "thursday",
             "moved_days": -367
         })},
        {"Past the last day of the calendar",
         MICA_JSON({"date": "9999-12-01", "months": 1}),
         .error = "DATE_OUT_OF_RANGE"}));
