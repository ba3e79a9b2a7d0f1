// SPDX-License-Identifier: Apache-2.0
//
// engines/running-pace.c
// What the widget computed, as an engine.
#include <math.h>
#include <mica/engine.h>

struct input {
    double distance_km;
    int64_t minutes, seconds;
};
MICA_RECORD(input,
            MICA_NUMBER(distance_km, "How far it was, in kilometres.",
                        .minimum = 0.1, .maximum = 1000),
            MICA_INTEGER(minutes, "Whole minutes that it took.", .minimum = 0,
                         .maximum = 10000),
            MICA_INTEGER(seconds, "Seconds beside the minutes.", .minimum = 0,
                         .maximum = 59, .fallback = MICA_JSON(0)));

struct output {
    struct mica_text pace;
    double speed_kmh;
};
MICA_RECORD(output,
            MICA_TEXT(pace, "Minutes and seconds for a kilometre, as 5:40."),
            MICA_NUMBER(speed_kmh, "Mean speed in km/h, to one decimal."));

static double // Math.round of JavaScript: halves go up
nearest(double value)
{
    double below = floor(value);

    return below + (value - below >= 0.5);
}

static enum mica_status
calculate(struct mica_call *call, const struct input *in, struct output *out)
{
    double total = (double)(in->minutes * 60 + in->seconds);
    int per_km = (int)nearest(total / in->distance_km);

    if (total == 0)
        return mica_fail(
            call, "NO_TIME", "minutes",
            "Minutes and seconds are both 0, but no runner is that "
            "fast. Pass how long it took.");
    out->pace = mica_format(call, "%d:%02d", per_km / 60, per_km % 60);
    out->speed_kmh = nearest(in->distance_km / total * 36000) / 10;
    return MICA_OK;
}

MICA_ENGINE(running_pace, input, output, calculate, .title = "Running pace",
            .category = "sport",
            .description =
                "Calculate pace and mean speed of a run from its distance "
                "and time. The pace is rounded to the nearest second.",
            .examples = MICA_EXAMPLES(
                {"10 km in 56:40",
                 MICA_JSON({"distance_km": 10, "minutes": 56, "seconds": 40}),
                 MICA_JSON({"pace": "5:40", "speed_kmh": 10.6})},
                {"No time at all", MICA_JSON({"distance_km": 10, "minutes": 0}),
                 .error = "NO_TIME"}));
