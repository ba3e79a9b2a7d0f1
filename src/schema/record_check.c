// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a record in ways the compiler cannot see. Run once, when an
// engine describes itself or a tool is added, so that decoding and encoding may
// trust the table.
#include "schema/record.h"

#include <math.h>
#include <string.h>

#include "schema/record_value.h"

enum {
    DEPTH_LIMIT = 16,
    FIELD_LIMIT = 48,
    CHOICE_LIMIT = 4096
};

// Which options a field's kind understands.
enum option {
    OPTION_NUMBER = 1,
    OPTION_WIDE = 2,
    OPTION_TEXT = 4,
};

static enum mica_status check_record(struct mica_checker *checker,
                                     const struct mica_place *up,
                                     const struct mica_record *record,
                                     unsigned depth);

static enum mica_status
record_wrong(const struct mica_checker *checker, const struct mica_place *place,
             const char *wordsz)
{
    return mica_value_fail(checker, place, MICA_E_USAGE, "%s", wordsz);
}

// ---- Bounds ----------------------------------------------------------------

static unsigned
options_of(enum mica_kind kind)
{
    if (kind == MICA_KIND_NUMBER || kind == MICA_KIND_DECIMAL)
        return OPTION_NUMBER;
    if (kind == MICA_KIND_INTEGER)
        return OPTION_NUMBER | OPTION_WIDE;
    return kind == MICA_KIND_TEXT ? OPTION_TEXT : 0;
}

static unsigned
options_set(const struct mica_bounds *bounds)
{
    unsigned set = 0;
    if (bounds->minimum != -MICA_INFINITY || bounds->maximum != MICA_INFINITY ||
        bounds->exclusive_minimum != -MICA_INFINITY ||
        bounds->exclusive_maximum != MICA_INFINITY)
        set |= OPTION_NUMBER;
    if (bounds->wide)
        set |= OPTION_WIDE;
    if (bounds->min_length > 0 || bounds->max_length > 0 ||
        bounds->pattern != NULL || bounds->format != NULL)
        set |= OPTION_TEXT;
    return set;
}

// A bound, but not one that a decimal can be compared with.
static bool
is_far(double bound)
{
    char text[MICA_NUMBER_SIZE];
    struct mica_decimal decimal;
    size_t len = mica_number_write(bound, text);
    return isfinite(bound) &&
           !mica_decimal_read((struct mica_text){text, len}, &decimal);
}

static enum mica_status
check_numbers(const struct mica_checker *checker,
              const struct mica_place *place, const struct mica_bounds *bounds,
              enum mica_kind kind)
{
    double low = bounds->minimum > bounds->exclusive_minimum
                     ? bounds->minimum
                     : bounds->exclusive_minimum;
    double high = bounds->maximum < bounds->exclusive_maximum
                      ? bounds->maximum
                      : bounds->exclusive_maximum;
    bool open =
        low == bounds->exclusive_minimum || high == bounds->exclusive_maximum;
    if (isnan(bounds->minimum) || isnan(bounds->maximum) ||
        isnan(bounds->exclusive_minimum) || isnan(bounds->exclusive_maximum))
        return record_wrong(checker, place, "has a bound that is not a number");
    if (kind == MICA_KIND_INTEGER) {
        double least =
            low == bounds->exclusive_minimum ? floor(low) + 1 : ceil(low);
        double most =
            high == bounds->exclusive_maximum ? ceil(high) - 1 : floor(high);
        if (isfinite(low) && isfinite(high) && least > most)
            return record_wrong(checker, place,
                                "has bounds that no whole number keeps");
        if (!bounds->wide && (least > (double)MICA_SAFE_INTEGER ||
                              most < (double)-MICA_SAFE_INTEGER ||
                              (isfinite(high) && high > 0x1p53) ||
                              (isfinite(low) && low < -0x1p53)))
            return record_wrong(
                checker, place,
                "has a bound beyond 2^53 - 1; say `.wide = true` to "
                "allow integers that large");
        return MICA_OK;
    }
    if (kind == MICA_KIND_DECIMAL &&
        (is_far(bounds->minimum) || is_far(bounds->maximum) ||
         is_far(bounds->exclusive_minimum) ||
         is_far(bounds->exclusive_maximum)))
        return record_wrong(
            checker, place,
            "has a bound that no decimal can have: the first digit is "
            "between 1e-99 and 1e99");
    if (low > high || (low == high && open))
        return record_wrong(checker, place, "has bounds that no number keeps");
    return MICA_OK;
}

static enum mica_status
check_texts(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_bounds *bounds)
{
    struct mica_regex regex;
    if (bounds->max_length > 0 && bounds->min_length > bounds->max_length)
        return record_wrong(checker, place,
                            "has a .min_length above its .max_length");
    if (bounds->pattern == NULL)
        return MICA_OK;
    if (mica_utf8_valid(mica_text(bounds->pattern)) != strlen(bounds->pattern))
        return record_wrong(checker, place, "has a .pattern that is not UTF-8");
    struct mica_error error = {.status = MICA_OK};
    if (mica_regex_compile(checker->arena, mica_text(bounds->pattern), &error,
                           &regex) == MICA_OK)
        return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_USAGE,
                           "has a .pattern that is not understood: %s",
                           error.message);
}

// Bounds that stand in `prefixz` ("", ".each", ".keys") of a field and apply to
// values of that kind; 0 is no value at all.
static enum mica_status
check_bounds(struct mica_checker *checker, const struct mica_place *place,
             const char *prefixz, const struct mica_bounds *bounds,
             enum mica_kind kind)
{
    unsigned odd = options_set(bounds) & ~options_of(kind);
    const char *what = odd & OPTION_NUMBER ? ".minimum or .maximum"
                       : odd & OPTION_WIDE ? ".wide"
                                           : "lengths, a pattern or a format";
    if (odd != 0)
        return mica_value_fail(
            checker, place, MICA_E_USAGE,
            "sets %s%s%s, which its kind does not have; bounds of the values "
            "in a list, map or nullable are .each.…, of a map's names .keys.…",
            prefixz, *prefixz != '\0' && *what != '.' ? ": " : "", what);
    if (kind == MICA_KIND_NUMBER || kind == MICA_KIND_INTEGER ||
        kind == MICA_KIND_DECIMAL)
        return check_numbers(checker, place, bounds, kind);
    if (kind == MICA_KIND_TEXT)
        return check_texts(checker, place, bounds);
    return MICA_OK;
}

// ---- Types -----------------------------------------------------------------

static enum mica_status
check_choices(const struct mica_checker *checker,
              const struct mica_place *place, const struct mica_type *type)
{
    if (type->size != sizeof(int))
        return record_wrong(checker, place,
                            "has an enum that is not as large as an int");
    if (type->choice_count == 0 || type->choice_count > CHOICE_LIMIT)
        return record_wrong(checker, place,
                            "has no choices, or more than 4096");
    for (size_t i = 0; i < type->choice_count; i++) {
        if (type->choices[i] == NULL)
            return mica_value_fail(checker, place, MICA_E_USAGE,
                                   "has a hole: the constant %zu of enum %s "
                                   "has no name in MICA_CHOICES",
                                   i, type->tag);
        for (size_t k = 0; k < i; k++)
            if (strcmp(type->choices[k], type->choices[i]) == 0)
                return mica_value_fail(checker, place, MICA_E_USAGE,
                                       "has the choice \"%s\" twice",
                                       type->choices[i]);
    }
    return MICA_OK;
}

// What is the same wherever a type stands, down to its innermost element.
static enum mica_status
check_type(struct mica_checker *checker, const struct mica_place *place,
           const struct mica_type *type, unsigned depth)
{
    if (depth > DEPTH_LIMIT)
        return mica_value_fail(checker, place, MICA_E_USAGE,
                               "nests more than %d deep", DEPTH_LIMIT);
    if (type->codec == NULL)
        return record_wrong(checker, place, "has a type without a codec");
    switch (type->kind) {
    case MICA_KIND_CHOICE:
        return check_choices(checker, place, type);
    case MICA_KIND_RECORD:
        return check_record(checker, place, type->record, depth + 1);
    case MICA_KIND_NULLABLE:
        if (type->element->kind == MICA_KIND_NULLABLE)
            return record_wrong(
                checker, place,
                "is a nullable of a nullable; JSON has one null");
        return check_type(checker, place, type->element, depth + 1);
    case MICA_KIND_LIST:
    case MICA_KIND_MAP:
        return check_type(checker, place, type->element, depth + 1);
    case MICA_KIND_TEXT:
    case MICA_KIND_NUMBER:
    case MICA_KIND_DECIMAL:
    case MICA_KIND_INTEGER:
    case MICA_KIND_BOOLEAN:
    case MICA_KIND_DATE:
    case MICA_KIND_DATE_TIME:
    case MICA_KIND_ANY:
        return MICA_OK;
    }
    return record_wrong(checker, place, "has a kind that does not exist");
}

// ---- Fields ----------------------------------------------------------------

static enum mica_status
check_options(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_field *field)
{
    const struct mica_type *type = field->type;
    const struct mica_type *counted =
        type->kind == MICA_KIND_NULLABLE ? type->element : type;
    bool holds =
        counted->kind == MICA_KIND_LIST || counted->kind == MICA_KIND_MAP;
    bool has_map = false;
    if (!holds && (field->min_items > 0 || field->max_items > 0))
        return record_wrong(
            checker, place,
            "sets .min_items or .max_items, but is no list or map");
    if (field->max_items > 0 && field->min_items > field->max_items)
        return record_wrong(checker, place, "has .min_items above .max_items");
    while (type->element != NULL) {
        has_map = has_map || type->kind == MICA_KIND_MAP;
        type = type->element;
    }
    MICA_TRY(
        check_bounds(checker, place, "", &field->bounds, field->type->kind));
    MICA_TRY(check_bounds(checker, place, ".each", &field->each,
                          type != field->type ? type->kind : 0));
    return check_bounds(checker, place, ".keys", &field->keys,
                        has_map ? MICA_KIND_TEXT : 0);
}

static enum mica_status
check_unit(const struct mica_checker *checker, const struct mica_place *place,
           const struct mica_record *record, const struct mica_field *field)
{
    if (field->unit == NULL)
        return MICA_OK;
    for (size_t i = 0; i < record->count; i++)
        if (mica_record_field(record, i) != field &&
            strcmp(mica_record_field(record, i)->name, field->unit) == 0)
            return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_USAGE,
                           "sets .unit = \"%s\", but there is no field of that "
                           "name beside it",
                           field->unit);
}

// The next column that the chart names, and the character behind it; what stands
// behind " over " is the index. Empty at the end.
static struct mica_text
chart_column(struct mica_text *rest, bool *index_out)
{
    struct mica_text name;
    size_t end = 0;
    *index_out = mica_text_starts(*rest, "over ");
    if (*index_out)
        *rest = mica_text_slice(*rest, 5, rest->len);
    while (end < rest->len && rest->ptr[end] != ' ' && rest->ptr[end] != ',')
        end++;
    name = mica_text_slice(*rest, 0, end);
    while (end < rest->len && strchr(" ,+", rest->ptr[end]) != NULL)
        end++;
    *rest = mica_text_slice(*rest, end, rest->len);
    return name;
}

static bool
is_column(const struct mica_record *record, struct mica_text name, bool number)
{
    for (size_t i = 0; i < record->count; i++) {
        enum mica_kind kind = mica_record_field(record, i)->type->kind;
        if (mica_text_is(name, mica_record_field(record, i)->name))
            return !number || kind == MICA_KIND_NUMBER ||
                   kind == MICA_KIND_DECIMAL || kind == MICA_KIND_INTEGER;
    }
    return false;
}

static enum mica_status
check_chart(const struct mica_checker *checker, const struct mica_place *place,
            const struct mica_record *record, const struct mica_field *field)
{
    const struct mica_type *row = field->type->element;
    const char *chart = mica_field_chart(record, field);
    struct mica_text rest = mica_text(chart);
    bool index = false;
    if (chart == NULL)
        return MICA_OK;
    if (field->type->kind != MICA_KIND_LIST || row->kind != MICA_KIND_RECORD)
        return record_wrong(checker, place,
                            "sets .chart, but is no list of records");
    do {
        struct mica_text name = chart_column(&rest, &index);
        if (!is_column(row->record, name, !index))
            return mica_value_fail(
                checker, place, MICA_E_USAGE,
                "sets .chart = \"%s\", but \"%.*s\" is no %s of its rows; "
                "write e.g. \"paid + owed over month\"",
                chart, MICA_ARG(name), index ? "field" : "number");
    } while (!index && rest.len > 0);
    if (!index || rest.len > 0)
        return record_wrong(checker, place,
                            "sets a .chart that does not end with \" over \" "
                            "and the field that the rows run over");
    return MICA_OK;
}

static bool
is_text(const char *textz)
{
    return textz == NULL || mica_utf8_valid(mica_text(textz)) == strlen(textz);
}

static enum mica_status
check_presence(const struct mica_checker *checker,
               const struct mica_place *place, const struct mica_record *record,
               const struct mica_field *field)
{
    if (field->optional && field->fallback != NULL)
        return record_wrong(checker, place,
                            "has a .fallback and is MICA_OPTIONAL; choose one");
    if (field->optional != (field->has_offset > 0))
        return record_wrong(
            checker, place,
            "is optional without a `bool has_…`; say MICA_OPTIONAL");
    if (field->has_offset > record->size)
        return record_wrong(
            checker, place,
            "takes its `bool has_…` from another record; name this "
            "one in MICA_OPTIONAL");
    return MICA_OK;
}

// The record of that one field, so that the fallback goes through the decoder.
static enum mica_status
check_fallback(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_record *record, const struct mica_field *field)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_record one = {record->tag, record->size, field, 1,
                              record->field_size};
    struct mica_json none = {.kind = MICA_JSON_OBJECT};
    if (field->fallback == NULL)
        return MICA_OK;
    void *out = mica_arena_zero(checker->arena, 1, record->size);
    if (out == NULL)
        return mica_value_no_memory(checker, place);
    if (mica_record_decode(&one, &none, checker->arena, &error, out) == MICA_OK)
        return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_USAGE,
                           "has a .fallback that it refuses itself: %s",
                           error.message);
}

static enum mica_status
check_field(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_record *record, const struct mica_field *field,
            unsigned depth)
{
    if (field->description == NULL)
        return record_wrong(checker, place, "has no description");
    if (!is_text(field->description) ||
        !is_text(mica_field_title(record, field)))
        return record_wrong(checker, place,
                            "has a description or a title that is not UTF-8");
    if (field->type->size > record->size ||
        field->offset > record->size - field->type->size)
        return record_wrong(checker, place, "lies outside its struct");
    for (size_t i = 0; mica_record_field(record, i) != field; i++)
        if (strcmp(mica_record_field(record, i)->name, field->name) == 0)
            return record_wrong(checker, place, "is in the record twice");
    MICA_TRY(check_type(checker, place, field->type, depth));
    MICA_TRY(check_options(checker, place, field));
    MICA_TRY(check_unit(checker, place, record, field));
    MICA_TRY(check_chart(checker, place, record, field));
    MICA_TRY(check_presence(checker, place, record, field));
    return check_fallback(checker, place, record, field);
}

static enum mica_status
check_record(struct mica_checker *checker, const struct mica_place *up,
             const struct mica_record *record, unsigned depth)
{
    if (record->count > FIELD_LIMIT)
        return mica_value_fail(checker, up, MICA_E_USAGE,
                               "has more than %d fields; put some together in "
                               "a record of their own",
                               FIELD_LIMIT);
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = mica_record_field(record, i);
        struct mica_place place = {.up = up, .name = mica_text(field->name)};
        MICA_TRY(check_field(checker, &place, record, field, depth));
    }
    return MICA_OK;
}

enum mica_status
mica_record_check(const struct mica_record *record, struct mica_arena *arena,
                  struct mica_error *error)
{
    struct mica_checker checker = {arena, error, NULL};
    return check_record(&checker, NULL, record, 1);
}
