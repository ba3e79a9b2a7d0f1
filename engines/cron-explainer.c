// SPDX-License-Identifier: Apache-2.0
//
// Says in plain English when a line of a crontab runs, and lists the next runs.
// Each field becomes a set of bits; both answers are read off the sets, so that
// they cannot disagree. The rules are those of crontab(5) by Paul Vixie.
#include <mica/engine.h>

struct input {
    struct mica_text expression;
    struct mica_time from;
    int64_t count;
};
MICA_RECORD(
    input,
    MICA_TEXT(
        expression,
        "The five fields minute, hour, day of the month, month and day of "
        "the week, e.g. '*/15 9-17 * * MON-FRI', or one of @yearly, "
        "@annually, @monthly, @weekly, @daily, @midnight, @hourly. No "
        "command, no field for seconds.",
        .min_length = 1, .max_length = 200),
    MICA_DATE_TIME(from,
                   "The runs after this moment are listed, on the clock of its "
                   "offset; changes of that clock, as for daylight saving, are "
                   "not known."),
    MICA_INTEGER(count, "How many runs to list.", .minimum = 1, .maximum = 100,
                 .fallback = MICA_JSON(5)));

struct output {
    struct mica_text expression, explanation;
    struct {
        size_t count;
        const struct mica_time *items;
    } next_runs;
};
MICA_RECORD(
    output,
    MICA_TEXT(expression, "The five fields, with an @name written out."),
    MICA_TEXT(explanation, "When it runs, in English.", .answer = true),
    MICA_LIST(next_runs, date_time,
              "The next runs after the given moment, in its offset; fewer than "
              "asked for when 400 years hold no more."));

static const struct {
    const char *name, *fields;
} shorthands[] = {{"@yearly", "0 0 1 1 *"},  {"@annually", "0 0 1 1 *"},
                  {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
                  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
                  {"@hourly", "0 * * * *"}};

static const char *const months[] = {
    "",     "January", "February",  "March",   "April",    "May",     "June",
    "July", "August",  "September", "October", "November", "December"};
static const char *const weekdays[] = {"Sunday",    "Monday",   "Tuesday",
                                       "Wednesday", "Thursday", "Friday",
                                       "Saturday",  "Sunday"};

enum {
    MINUTE,
    HOUR,
    DAY,
    MONTH,
    WEEKDAY,
    FIELDS
};
static const struct field {
    const char *name;
    int low, high;
    const char *const *names; // by value; the first three letters may be used
} fields[] = {{"minute", 0, 59, NULL},
              {"hour", 0, 23, NULL},
              {"day of the month", 1, 31, NULL},
              {"month", 1, 12, months},
              {"day of the week", 0, 7, weekdays}};

struct set {
    uint64_t bits;
    bool star; // the field begins with '*' and so restricts nothing by itself
};

// ---- Reading ---------------------------------------------------------------

static bool
taken(struct mica_text *rest, const char *sign)
{
    bool found = mica_text_starts(*rest, sign);

    *rest = mica_text_slice(*rest, found, rest->len);
    return found;
}

// A number of at most three digits; -1 when there is no number.
static int
read_number(struct mica_text *rest)
{
    int value = -1;

    while (rest->len > 0 && *rest->ptr >= '0' && *rest->ptr <= '9' &&
           value < 100) {
        value = (value < 0 ? 0 : value * 10) + (*rest->ptr - '0');
        *rest = mica_text_slice(*rest, 1, rest->len);
    }
    return value;
}

// A number, or the first three letters of a name; -1 when there is neither.
static int
read_value(const struct field *field, struct mica_text *rest)
{
    struct mica_text letters = mica_text_slice(*rest, 0, 3);
    int value = read_number(rest);

    for (int i = field->low; field->names != NULL && i <= field->high; i++) {
        struct mica_text name =
            mica_text_slice(mica_text(field->names[i]), 0, 3);

        if (value < 0 && mica_text_distance(letters, name, 0) == 0) {
            value = i;
            *rest = mica_text_slice(*rest, 3, rest->len);
        }
    }
    return value;
}

// One item of a list: '*', a value or a range, a range with an optional step.
// False when it is something else.
static bool
read_item(const struct field *field, struct mica_text *rest, struct set *set)
{
    int first = field->low, last = field->high, step = 1;
    bool range = taken(rest, "*");

    if (!range) {
        first = last = read_value(field, rest);
        range = taken(rest, "-");
        last = range ? read_value(field, rest) : last;
    }
    step = range && taken(rest, "/") ? read_number(rest) : step;
    if (first < field->low || last > field->high || first > last || step < 1) {
        return false;
    }
    for (int value = first; value <= last; value += step) {
        // Sunday is 0 and 7.
        set->bits |= 1ull << (field->names == weekdays ? value % 7 : value);
    }
    return true;
}

static bool
read_field(const struct field *field, struct mica_text text,
           struct set *set_out)
{
    bool good;

    *set_out = (struct set){0, mica_text_starts(text, "*")};
    do {
        good = read_item(field, &text, set_out);
    } while (good && taken(&text, ","));
    return good && text.len == 0;
}

static size_t
past(struct mica_text text, size_t at, bool blank)
{
    while (at < text.len && ((unsigned char)text.ptr[at] <= ' ') == blank) {
        at++;
    }
    return at;
}

// The next word of `rest`, cut off it.
static struct mica_text
take_word(struct mica_text *rest)
{
    size_t from = past(*rest, 0, true), to = past(*rest, from, false);
    struct mica_text found = mica_text_slice(*rest, from, to);

    *rest = mica_text_slice(*rest, to, rest->len);
    return found;
}

// ---- Explaining ------------------------------------------------------------

static bool
has(struct set set, int value)
{
    return set.bits >> value & 1;
}

static int
size(struct set set)
{
    return __builtin_popcountll(set.bits);
}

// n when the set is 0, n, 2n, … below `span`; `span` for {0}; else 0.
static int
step_of(struct set set, int span)
{
    int step = span % size(set) == 0 ? span / size(set) : 0;

    for (int i = 0; i < span; i++) {
        step = has(set, i) && (step == 0 || i % step != 0) ? 0 : step;
    }
    return step;
}

static void
put_value(struct mica_buffer *text, const struct field *field, int value)
{
    if (field->names != NULL) {
        mica_buffer_format(text, "%s", field->names[value]);
    } else {
        mica_buffer_format(text, "%d", value);
    }
}

// "1 to 5, 7 and 9"
static void
put_list(struct mica_buffer *text, const struct field *field, struct set set)
{
    struct {
        int first, last;
    } runs[60];
    int count = 0;

    for (int i = field->low; i <= field->high; i++) {
        // Two in a row are "1 and 2", three are "1 to 3".
        bool longer = count > 0 && runs[count - 1].last == i - 1 &&
                      (runs[count - 1].first < i - 1 || has(set, i + 1));

        if (has(set, i)) {
            count += !longer;
            runs[count - 1].first = longer ? runs[count - 1].first : i;
            runs[count - 1].last = i;
        }
    }
    for (int i = 0; i < count; i++) {
        mica_buffer_format(text, "%s",
                           i == 0           ? ""
                           : i == count - 1 ? " and "
                                            : ", ");
        put_value(text, field, runs[i].first);
        if (runs[i].last > runs[i].first) {
            mica_buffer_format(text, " to ");
            put_value(text, field, runs[i].last);
        }
    }
}

// "at 09:00 and 17:30"
static void
put_times(struct mica_buffer *text, const struct set sets[])
{
    int left = size(sets[HOUR]) * size(sets[MINUTE]);

    mica_buffer_format(text, "at ");
    for (int i = 0; i < 24 * 60; i++) {
        if (has(sets[HOUR], i / 60) && has(sets[MINUTE], i % 60)) {
            left--;
            mica_buffer_format(text, "%02d:%02d%s", i / 60, i % 60,
                               left > 1    ? ", "
                               : left == 1 ? " and "
                                           : "");
        }
    }
}

// "every 15 minutes, in the hours 9 to 17"
static void
put_pattern(struct mica_buffer *text, const struct set sets[])
{
    int minutes = step_of(sets[MINUTE], 60), hours = step_of(sets[HOUR], 24);

    if (minutes == 1) {
        mica_buffer_format(text, "every minute");
    } else if (minutes > 0 && minutes < 60) {
        mica_buffer_format(text, "every %d minutes", minutes);
    } else {
        mica_buffer_format(text, "at minute ");
        put_list(text, &fields[MINUTE], sets[MINUTE]);
        mica_buffer_format(text, "%s", hours == 1 ? ", every hour" : "");
    }
    if (hours > 1 && hours < 24) {
        mica_buffer_format(text, ", every %d hours from 00:00", hours);
    } else if (hours != 1) {
        mica_buffer_format(text, ", in the hour%s ",
                           size(sets[HOUR]) == 1 ? "" : "s");
        put_list(text, &fields[HOUR], sets[HOUR]);
    }
}

// Whether both fields of the day must match, or one of them is enough.
static bool
both_days(const struct set sets[])
{
    return sets[DAY].star || sets[WEEKDAY].star;
}

static void
put_days(struct mica_buffer *text, const struct set sets[])
{
    bool both = both_days(sets);
    bool any_day = size(sets[DAY]) == 31,
         any_weekday = size(sets[WEEKDAY]) == 7;
    bool every_day = both ? any_day && any_weekday : any_day || any_weekday;

    mica_buffer_format(text, "%s", every_day ? ", every day" : "");
    if (!every_day && !any_day) {
        mica_buffer_format(text, ", on day ");
        put_list(text, &fields[DAY], sets[DAY]);
        mica_buffer_format(text, " of the month");
    }
    if (!every_day && !any_weekday) {
        mica_buffer_format(text, "%s",
                           any_day ? ", on "
                           : both  ? ", but only on "
                                   : " and also on ");
        put_list(text, &fields[WEEKDAY], sets[WEEKDAY]);
    }
}

static struct mica_text
explain(struct mica_call *call, const struct set sets[])
{
    struct mica_buffer text = mica_builder(call);

    if (size(sets[MINUTE]) * size(sets[HOUR]) <= 4) {
        put_times(&text, sets);
    } else {
        put_pattern(&text, sets);
    }
    put_days(&text, sets);
    if (size(sets[MONTH]) < 12) {
        mica_buffer_format(&text, ", in ");
        put_list(&text, &fields[MONTH], sets[MONTH]);
    }
    mica_buffer_char(&text, '.');
    text.ptr[0] = (char)(text.ptr[0] & ~32); // a capital
    return mica_buffer_as_text(&text);
}

// ---- Next runs -------------------------------------------------------------

static bool
runs_on(const struct set sets[], int64_t day)
{
    struct mica_date date = mica_date_from_days(day);
    bool on_day = has(sets[DAY], date.day);
    bool on_weekday = has(sets[WEEKDAY], ((int)mica_weekday(day) + 1) % 7);

    return date.year > 0 && has(sets[MONTH], date.month) &&
           (both_days(sets) ? on_day && on_weekday : on_day || on_weekday);
}

// Appends to `runs` the minutes of `day` after `after`, up to `most` in all.
static size_t
add_runs(const struct set sets[], int64_t day, int after,
         const struct input *in, struct mica_time *runs, size_t count)
{
    for (int i = after + 1; i < 24 * 60; i++) {
        if (count < (size_t)in->count && has(sets[HOUR], i / 60) &&
            has(sets[MINUTE], i % 60)) {
            runs[count++] =
                (struct mica_time){.date = mica_date_from_days(day),
                                   .hour = i / 60,
                                   .minute = i % 60,
                                   .offset_minutes = in->from.offset_minutes};
        }
    }
    return count;
}

static size_t
next_runs(const struct set sets[], const struct input *in,
          struct mica_time *runs)
{
    enum {
        DAYS_OF_400_YEARS = 146097
    };
    int64_t first = mica_date_to_days(in->from.date);
    size_t count = 0;

    for (int64_t day = first; day - first <= DAYS_OF_400_YEARS; day++) {
        int after = day > first ? -1 : in->from.hour * 60 + in->from.minute;

        if (count < (size_t)in->count && runs_on(sets, day)) {
            count = add_runs(sets, day, after, in, runs, count);
        }
    }
    return count;
}

// ---- The call --------------------------------------------------------------

static enum mica_status
read_fields(struct mica_call *call, struct mica_text expression,
            struct set sets_out[])
{
    struct mica_text rest = expression, words[FIELDS + 1];
    size_t count = 0;

    do {
        words[count] = take_word(&rest);
    } while (words[count].len > 0 && ++count <= FIELDS);
    if (count != FIELDS) {
        return mica_fail(call, "WRONG_FIELD_COUNT", "expression",
                         "expression='%.*s' has %s five fields. Pass minute, "
                         "hour, day of the month, month and day of the week, "
                         "e.g. '30 9 * * MON-FRI', or a name such as @daily; "
                         "leave out seconds and the command.",
                         MICA_ARG(expression),
                         count < FIELDS ? "fewer than" : "more than");
    }
    for (size_t i = 0; i < FIELDS; i++) {
        const struct field *field = &fields[i];

        if (!read_field(field, words[i], &sets_out[i])) {
            return mica_fail(
                call, "BAD_FIELD", "expression",
                "'%.*s' is no %s. Pass *, a number from %d to %d%s, a range "
                "such as %d-%d that rises, any of these with a step behind * "
                "or a range (*/2), or several with commas between.",
                MICA_ARG(words[i]), field->name, field->low, field->high,
                field->names != NULL ? " or the first three letters of a name"
                                     : "",
                field->low, field->high);
        }
    }
    return MICA_OK;
}

static enum mica_status
schedule(struct mica_call *call, const struct input *in, struct output *out)
{
    struct mica_text expression = in->expression;
    struct mica_time *runs =
        MICA_NEW(call, struct mica_time, (size_t)in->count);
    struct set sets[FIELDS];

    for (size_t i = 0; i < MICA_COUNT(shorthands); i++) {
        expression = mica_text_is(in->expression, shorthands[i].name)
                         ? mica_text(shorthands[i].fields)
                         : expression;
    }
    MICA_TRY(read_fields(call, expression, sets));
    out->next_runs.items = runs;
    out->next_runs.count = next_runs(sets, in, runs);
    if (out->next_runs.count == 0) {
        return mica_fail(call, "NEVER_RUNS", "expression",
                         "expression='%.*s' does not run in the 400 years "
                         "after from (nor past the year 9999): no such day "
                         "exists. Correct the day of the month or the month.",
                         MICA_ARG(expression));
    }
    out->expression = expression;
    out->explanation = explain(call, sets);
    return MICA_OK;
}

MICA_ENGINE(
    cron_explainer, input, output, schedule, .title = "Cron explainer",
    .category = "time",
    .description =
        "Explain a five-field cron expression in plain English and list its "
        "next runs after a given moment. As in crontab(5), a day must match "
        "either of the two day fields when both are restricted; a field that "
        "begins with * is not.",
    .examples = MICA_EXAMPLES(
        {"Office hours", MICA_JSON({
             "expression": "*/15 9-17 * * MON-FRI",
             "from": "2026-11-20T17:40:00+01:00",
             "count": 2
         }),
         MICA_JSON({
             "explanation":
                 "Every 15 minutes, in the hours 9 to 17, on Monday to Friday.",
             "next_runs":
                 ["2026-11-20T17:45:00+01:00", "2026-11-23T09:00:00+01:00"]
         })},
        {"Either of two days", MICA_JSON({
             "expression": "30 4 1,15 * 5",
             "from": "2026-11-01T04:30:00Z",
             "count": 3
         }),
         MICA_JSON({
             "explanation":
                 "At 04:30, on day 1 and 15 of the month and also on Friday.",
             "next_runs": [
                 "2026-11-06T04:30:00Z", "2026-11-13T04:30:00Z",
                 "2026-11-15T04:30:00Z"
             ]
         })},
        {"A leap day", MICA_JSON({
             "expression": "0 0 29 2 *",
             "from": "2026-01-01T00:00:00Z",
             "count": 2
         }),
         MICA_JSON({
             "explanation": "At 00:00, on day 29 of the month, in February.",
             "next_runs": ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]
         })},
        {"A name", MICA_JSON({
             "expression": "@hourly",
             "from": "2026-12-31T23:00:30Z",
             "count": 1
         }),
         MICA_JSON({
             "expression": "0 * * * *",
             "explanation": "At minute 0, every hour, every day.",
             "next_runs": ["2027-01-01T00:00:00Z"]
         })},
        {"Every minute", MICA_JSON({
             "expression": "* */6 * * *",
             "from": "2026-12-31T18:59:00Z",
             "count": 1
         }),
         MICA_JSON({
             "explanation":
                 "Every minute, every 6 hours from 00:00, every day.",
             "next_runs": ["2027-01-01T00:00:00Z"]
         })},
        {"Six fields",
         MICA_JSON(
             {"expression": "0 0 9 * * 1", "from": "2026-01-01T00:00:00Z"}),
         .error = "WRONG_FIELD_COUNT"},
        {"An hour too late",
         MICA_JSON(
             {"expression": "0 24 * * *", "from": "2026-01-01T00:00:00Z"}),
         .error = "BAD_FIELD"},
        {"No such day",
         MICA_JSON(
             {"expression": "0 0 31 2 *", "from": "2026-01-01T00:00:00Z"}),
         .error = "NEVER_RUNS"}));
