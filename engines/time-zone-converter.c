// SPDX-License-Identifier: Apache-2.0
//
// Shows a moment on the clock of another offset from UTC. Which offset a place
// has on a day is not known here, because the rules change every year: the
// caller passes it.
#include <mica/engine.h>

struct input {
    struct mica_time time;
    struct mica_text to_offset;
};
MICA_RECORD(
    input,
    MICA_DATE_TIME(time,
                   "The moment, with the offset of the place it is known in, "
                   "e.g. 2026-11-20T09:30:00+01:00 or 2026-11-20T08:30:00Z."),
    MICA_TEXT(to_offset,
              "Offset from UTC to convert to, as +HH:MM, -HH:MM or Z. Look up "
              "what the place has on that day: Berlin is +01:00 in winter and "
              "+02:00 in summer, New York -05:00 and -04:00, Kolkata +05:30.",
              .pattern = "^(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"));

struct output {
    struct mica_time time, utc;
    int64_t unix_seconds, day_shift, difference_minutes;
    enum mica_weekday weekday;
};
MICA_RECORD(output, MICA_DATE_TIME(time, "The same moment at to_offset."),
            MICA_DATE_TIME(utc, "The same moment in UTC."),
            MICA_INTEGER(unix_seconds,
                         "The moment as seconds since 1970-01-01T00:00:00Z, "
                         "without its fraction.",
                         .title = "Unix time"),
            MICA_CHOICE(weekday, mica_weekday, "Day of the week at to_offset."),
            MICA_INTEGER(day_shift,
                         "How many calendar days the clock at to_offset is "
                         "ahead of the given one: 1 means the next day."),
            MICA_INTEGER(difference_minutes,
                         "How many minutes the clock at to_offset is "
                         "ahead of the given one."));

// Minutes east of UTC of a text that has the pattern of to_offset.
static int32_t
minutes(struct mica_text offset)
{
    const char *d = offset.len == 6 ? offset.ptr : "+00:00";
    int32_t size = (d[1] - '0') * 600 + (d[2] - '0') * 60 + (d[4] - '0') * 10 +
                   (d[5] - '0');

    return d[0] == '-' ? -size : size;
}

static enum mica_status
convert(struct mica_call *call, const struct input *in, struct output *out)
{
    int32_t offset = minutes(in->to_offset);
    int64_t seconds = mica_time_to_seconds(in->time), day;

    out->time = mica_time_from_seconds(seconds, offset);
    out->utc = mica_time_from_seconds(seconds, 0);
    if (out->time.date.year == 0 || out->utc.date.year == 0) {
        return mica_fail(call, "DATE_OUT_OF_RANGE", "time",
                         "At offset %.*s or in UTC, this time falls outside "
                         "the years 1 to 9999. Pass a time at least a day "
                         "away from those ends.",
                         MICA_ARG(in->to_offset));
    }
    out->time.nanosecond = out->utc.nanosecond = in->time.nanosecond;
    day = mica_date_to_days(out->time.date);
    out->unix_seconds = seconds;
    out->weekday = mica_weekday(day);
    out->day_shift = day - mica_date_to_days(in->time.date);
    out->difference_minutes = offset - in->time.offset_minutes;
    return MICA_OK;
}

MICA_ENGINE(
    time_zone_converter, input, output, convert, .title = "Time zone converter",
    .category = "time",
    .description =
        "Convert a moment to the clock of another offset from UTC, and say "
        "which day it is there. Offsets are inputs: this tool holds no table "
        "of zones and no rules of daylight saving time.",
    .examples = MICA_EXAMPLES(
        {"A call from Berlin to New York",
         MICA_JSON(
             {"time": "2026-11-20T09:30:00+01:00", "to_offset": "-05:00"}),
         MICA_JSON({
             "time": "2026-11-20T03:30:00-05:00",
             "utc": "2026-11-20T08:30:00Z",
             "unix_seconds": 1795163400,
             "weekday": "friday",
             "day_shift": 0,
             "difference_minutes": -360
         })},
        {"The next day in Kolkata",
         MICA_JSON({"time": "2026-12-31T20:15:00.500Z", "to_offset": "+05:30"}),
         MICA_JSON({
             "time": "2027-01-01T01:45:00.500+05:30",
             "weekday": "friday",
             "day_shift": 1
         })},
        {"To UTC",
         MICA_JSON({"time": "1969-12-31T23:59:59-00:30", "to_offset": "Z"}),
         MICA_JSON({"time": "1970-01-01T00:29:59Z", "unix_seconds": 1799})},
        {"Past the last year",
         MICA_JSON({"time": "9999-12-31T23:00:00Z", "to_offset": "+02:00"}),
         .error = "DATE_OUT_OF_RANGE"}));
