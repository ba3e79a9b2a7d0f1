// SPDX-License-Identifier: Apache-2.0
//
// Every input and output field, at every depth: what it is, in which unit, and
// what a seed does. Every field of a form: what a person is asked for.
#include <stdio.h>
#include <string.h>

#include "check/field_names.h"
#include "check/fields.h"
#include "check/subject.h"

enum {
    PATH_BYTES = 256,
    DESCRIPTION_MIN = 8,
    DESCRIPTION_MAX = 400
};

// Does what looks like a field, MICA_KIND(name, …), describe something else?
static bool
is_no_field(struct mica_text word)
{
    static const char *const others[] = {
        "MICA_CHOICES", "MICA_ENGINE",  "MICA_FETCH_TOOL", "MICA_FORM",
        "MICA_FROM",    "MICA_HANDOFF", "MICA_INTO",       "MICA_RECORD",
        "MICA_STEP",    "MICA_TOOL"};

    for (size_t i = 0; i < MICA_COUNT(others); i++) {
        if (mica_text_is(word, others[i])) {
            return true;
        }
    }
    return false;
}

// The line of `MICA_KIND(name,` when there is just one such in the source.
static unsigned
field_line(const struct mica_subject *subject, struct mica_text name)
{
    const struct mica_source *source = subject->source;
    struct mica_text word;
    unsigned line = 0;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t open = mica_source_skip(source, at);
        struct mica_text argument;

        if (!mica_text_starts(word, "MICA_") || open >= source->code.len ||
            source->code.ptr[open] != '(' || is_no_field(word) ||
            mica_source_arguments(source, open, &argument, 1) < 2 ||
            !mica_text_equal(argument, name)) {
            continue;
        }
        if (line > 0) {
            return 0;
        }
        line = mica_source_line(source, mica_source_at(source, word));
    }
    return line;
}

static void
check_description(const struct mica_subject *subject,
                  const struct mica_field_view *field, unsigned line)
{
    struct mica_text text = mica_json_get_text(field->schema, "description");
    size_t length = mica_text_length(text);

    if (length == 0) {
        mica_report_add(subject->report, MICA_RULE_FIELD_UNDESCRIBED, line,
                        field->path,
                        "'%.*s' has no description. Say what it is, in which "
                        "unit or form, and what an edge value means.",
                        MICA_ARG(field->name));
        return;
    }
    if (length < DESCRIPTION_MIN || length > DESCRIPTION_MAX) {
        mica_report_add(subject->report, MICA_RULE_FIELD_DESCRIPTION_SIZE, line,
                        field->path,
                        "The description of '%.*s' has %zu characters; it "
                        "should have %d to %d. %s",
                        MICA_ARG(field->name), length, DESCRIPTION_MIN,
                        DESCRIPTION_MAX,
                        length < DESCRIPTION_MIN
                            ? "Say what it is and in which unit or form."
                            : "Keep what a caller needs; the rest belongs into "
                              "the tool's description or the documentation.");
    } else if (!mica_words_add(text, field->name)) {
        mica_report_add(subject->report, MICA_RULE_FIELD_DESCRIPTION_EMPTY,
                        line, field->path,
                        "The description of '%.*s' only repeats its name: "
                        "'%.*s'. Say what a caller cannot guess: what it "
                        "counts or measures, from where to where.",
                        MICA_ARG(field->name), MICA_ARG(text));
    }
    mica_rule_visible(subject, text, line, field->path);
}

// ---- Units ---------------------------------------------------------------------

// Whether a field of `record` names `sibling` as its unit.
static bool
is_declared(const struct mica_json *record, struct mica_text sibling)
{
    const struct mica_json *fields = mica_json_get(record, "properties");

    for (size_t i = 0; fields != NULL && i < fields->count; i++) {
        struct mica_text unit =
            mica_json_get_text(&fields->members[i].value, "x-unit");

        if (unit.len > 0 && mica_text_equal(unit, sibling)) {
            return true;
        }
    }
    return false;
}

// A "unit", "units" or "currency" beside the field, or beside a list or record
// that holds it, which some field there has declared to be the unit: it stands
// for all.
static bool
has_common_unit(const struct mica_field_view *field)
{
    for (; field != NULL; field = field->parent) {
        const struct mica_json *fields =
            mica_json_get(field->record, "properties");

        for (size_t i = 0; fields != NULL && i < fields->count; i++) {
            struct mica_text name = fields->members[i].name;

            if (mica_name_is_unit(name) && is_declared(field->record, name)) {
                return true;
            }
        }
    }
    return false;
}

static void
check_unit(const struct mica_subject *subject,
           const struct mica_field_view *field, unsigned line)
{
    const struct mica_json *leaf;
    enum mica_value_kind kind = mica_value_leaf(field->schema, &leaf);
    bool whole = kind == MICA_VALUE_INTEGER;

    if ((!whole && kind != MICA_VALUE_NUMBER) ||
        !mica_name_is_quantity(field->name, whole) ||
        mica_json_get(field->schema, "x-unit") != NULL ||
        has_common_unit(field)) {
        return;
    }
    mica_report_add(
        subject->report, MICA_RULE_UNIT_MISSING, line, field->path,
        "'%.*s' is a quantity, but nothing says in which unit. Add a field "
        "beside it with the unit or the ISO 4217 code and name it: .unit = "
        "\"currency\"; or put a unit that never changes into the name: "
        "'%.*s_minutes', '%.*s_percent'.",
        MICA_ARG(field->name), MICA_ARG(field->name), MICA_ARG(field->name));
}

// A double that names a currency as its unit. An integer counts smallest units, and
// a sibling of another name says nothing for sure.
static void
check_money(const struct mica_subject *subject,
            const struct mica_field_view *field, unsigned line)
{
    const struct mica_json *leaf;
    struct mica_text unit = mica_json_get_text(field->schema, "x-unit");

    if (mica_value_leaf(field->schema, &leaf) != MICA_VALUE_NUMBER ||
        mica_json_get(leaf, "x-decimal") != NULL ||
        !mica_text_is(unit, "currency")) {
        return;
    }
    mica_report_add(
        subject->report, MICA_RULE_MONEY_AS_DOUBLE, line, field->path,
        "'%.*s' is an amount of money, but a double, which cannot hold 0.1. "
        "Make it MICA_DECIMAL and its member a struct mica_decimal "
        "(mica/decimal.h).",
        MICA_ARG(field->name));
}

// ---- Times and seeds -------------------------------------------------------------

static void
check_time(const struct mica_subject *subject,
           const struct mica_field_view *field, unsigned line)
{
    const struct mica_json *leaf;

    if (mica_value_leaf(field->schema, &leaf) == MICA_VALUE_TEXT &&
        mica_name_is_time(field->name)) {
        mica_report_add(
            subject->report, MICA_RULE_TIME_AS_TEXT, line, field->path,
            "'%.*s' says when, but it is a text that can hold anything. Make "
            "it MICA_DATE (\"2026-11-20\") or MICA_DATE_TIME "
            "(\"2026-11-20T09:30:00+01:00\"), or name it after what it holds "
            "instead.",
            MICA_ARG(field->name));
    }
}

static void
check_seed(const struct mica_subject *subject,
           const struct mica_field_view *field, unsigned line)
{
    struct mica_text text = mica_json_get_text(field->schema, "description");

    if (field->output || !mica_name_is_seed(field->name) ||
        memmem(text.ptr, text.len, "random", 6) != NULL ||
        memmem(text.ptr, text.len, "Random", 6) != NULL) {
        return;
    }
    mica_report_add(
        subject->report, MICA_RULE_SEED_UNEXPLAINED, line, field->path,
        "The description of '%.*s' does not say that it sets the randomness. "
        "Say so: 'Sets the randomness: the same seed gives the same pick.'",
        MICA_ARG(field->name));
}

static void
check_field(void *context, const struct mica_field_view *field)
{
    const struct mica_subject *subject = context;
    unsigned line = field_line(subject, field->name);

    check_description(subject, field, line);
    check_unit(subject, field, line);
    check_money(subject, field, line);
    check_time(subject, field, line);
    check_seed(subject, field, line);
}

// A form is shown without units: these are for its description.
static void
check_form_field(void *context, const struct mica_field_view *field)
{
    const struct mica_subject *subject = context;
    unsigned line = field_line(subject, field->name);

    check_description(subject, field, line);
    check_time(subject, field, line);
}

static void
check_forms(struct mica_subject *subject)
{
    const struct mica_json *forms = mica_json_get(subject->manifest, "forms");
    char root[PATH_BYTES];

    for (size_t i = 0; forms != NULL && i < forms->count; i++) {
        const struct mica_json *form = &forms->items[i];
        struct mica_text name = mica_json_get_text(form, "name");

        (void)snprintf(root, sizeof root, "forms/%.*s", MICA_ARG(name));
        mica_fields_visit(subject->report->arena, mica_json_get(form, "schema"),
                          root, false, check_form_field, subject);
    }
}

void
mica_rule_fields(const struct mica_subject *subject)
{
    struct mica_subject copy = *subject;
    struct mica_arena *arena = subject->report->arena;

    mica_fields_visit(arena, mica_json_get(subject->manifest, "inputSchema"),
                      "input", false, check_field, &copy);
    mica_fields_visit(arena, mica_json_get(subject->manifest, "outputSchema"),
                      "output", true, check_field, &copy);
    check_forms(&copy);
}
