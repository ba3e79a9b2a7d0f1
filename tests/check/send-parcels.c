// SPDX-License-Identifier: Apache-2.0
//
// An engine that breaks no rule and has something of everything, for
// test_check.py to change in one place at a time.
#include <mica/engine.h>

enum speed {
    SLOW,
    FAST
};
MICA_CHOICES(speed, [SLOW] = "slow", [FAST] = "fast");

struct parcel {
    double weight;
    struct mica_text unit;
};
MICA_RECORD(parcel,
            MICA_NUMBER(weight, "How heavy the parcel is.", .minimum = 0,
                        .maximum = 1000, .unit = "unit"),
            MICA_TEXT(unit, "Unit of weight, such as kg or lb.",
                      .min_length = 1, .max_length = 8));

struct input {
    enum speed speed;
    struct mica_date posted;
    struct {
        size_t count;
        const struct parcel *items;
    } parcels;
    int64_t seed;
};
MICA_RECORD(input, MICA_CHOICE(speed, speed, "How fast they shall travel."),
            MICA_DATE(posted, "Day on which they are handed in."),
            MICA_LIST(parcels, parcel, "All that is sent, one entry each.",
                      .max_items = 20),
            MICA_INTEGER(seed,
                         "Sets the randomness: the same seed gives the "
                         "same delay.",
                         .fallback = MICA_JSON(0)));

struct output {
    int64_t count;
    struct mica_date arrival;
    struct mica_text note;
};
MICA_RECORD(output, MICA_INTEGER(count, "How many parcels travel."),
            MICA_DATE(arrival, "Day on which the last of them is there."),
            MICA_TEXT(note, "The same in words."));

static enum mica_status
post(struct mica_call *call, const struct input *in, struct output *out)
{
    int64_t days = in->seed % 2;

    if (in->parcels.count == 0) {
        return mica_fail(call, "NOTHING_TO_SEND", "parcels",
                         "There is no parcel. Pass at least one.");
    }
    if (in->posted.year > 9998) {
        return mica_fail(call, "TOO_LATE", "posted",
                         "No calendar has the day of arrival. Pass a day "
                         "before the year 9999.");
    }
    switch (in->speed) {
    case SLOW:
        days += 5;
        break;
    case FAST:
        days += 1;
        break;
    }
    out->count = (int64_t)in->parcels.count;
    out->arrival = mica_date_from_days(mica_date_to_days(in->posted) + days);
    out->note = mica_format(call, "%zu on the way", in->parcels.count);
    return MICA_OK;
}

MICA_ENGINE(
    send_parcels, input, output, post, .title = "Send parcels",
    .category = "post",
    .description = "Tell on which day parcels arrive that are handed "
                   "in on a given day.",
    .examples = MICA_EXAMPLES(
        {"One, slowly", MICA_JSON({
             "speed": "slow",
             "posted": "2026-11-20",
             "parcels": [{"weight": 2.5, "unit": "kg"}]
         }),
         MICA_JSON({"count": 1, "arrival": "2026-11-25"})},
        {"Two, fast", MICA_JSON({
             "speed": "fast",
             "posted": "2026-11-20",
             "parcels":
                 [{"weight": 1, "unit": "kg"}, {"weight": 9, "unit": "lb"}],
             "seed": 1
         }),
         MICA_JSON({"arrival": "2026-11-22", "note": "2 on the way"})},
        {"Nothing at all",
         MICA_JSON({"speed": "fast", "posted": "2026-11-20", "parcels": []}),
         .error = "NOTHING_TO_SEND"},
        {"At the end of time", MICA_JSON({
             "speed": "fast",
             "posted": "9999-12-31",
             "parcels": [{"weight": 1, "unit": "kg"}]
         }),
         .error = "TOO_LATE"}));
