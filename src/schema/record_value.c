// SPDX-License-Identifier: Apache-2.0
//
// Bounds of single values, and the words for a value that breaks them: which
// value, what it is, what it must be.
#include "schema/record_value.h"

#include <math.h>
#include <string.h>

#include "json/pointer.h"

struct mica_slot
mica_slot_of(const struct mica_field *field)
{
    return (struct mica_slot){field->type, field, false, true};
}

struct mica_slot
mica_slot_element(const struct mica_slot *slot)
{
    bool counted = slot->counted && slot->type->kind == MICA_KIND_NULLABLE;
    return (struct mica_slot){slot->type->element, slot->field, true, counted};
}

const struct mica_bounds *
mica_slot_bounds(const struct mica_slot *slot)
{
    return slot->inner ? &slot->field->each : &slot->field->bounds;
}

// ---- Words -----------------------------------------------------------------

// One step, its name cut to `most` bytes.
static void
write_step(struct mica_buffer *out, const struct mica_place *place, size_t most)
{
    if (place->name.ptr != NULL)
        mica_json_pointer_add_cut(out, place->name, most);
    else
        mica_buffer_format(out, "/%zu", place->index);
}

static void
write_steps(struct mica_buffer *out, const struct mica_place *place,
            size_t most)
{
    if (place == NULL)
        return;
    write_steps(out, place->up, most);
    write_step(out, place, most);
}

// The pointer to `place`, with a NUL, in `room`. Names of a client may be of any
// length: they are cut as far as it takes for all steps to fit. Of a place that
// is too deep for that the last step alone is named.
static size_t
write_path(const struct mica_place *place, char *room, size_t size)
{
    static const size_t cuts[] = {160, 60, 24};
    struct mica_buffer out = {.overflow = true};
    for (size_t i = 0; i < MICA_COUNT(cuts); i++) {
        out = (struct mica_buffer){
            .ptr = room, .capacity = size, .max = size - 1};
        write_steps(&out, place, cuts[i]);
        if (!out.overflow)
            break;
    }
    if (out.overflow) {
        out = (struct mica_buffer){
            .ptr = room, .capacity = size, .max = size - 1};
        mica_buffer_text(&out, MICA_LITERAL("/…"));
        write_step(&out, place, 60);
    }
    room[out.len] = '\0';
    return out.len;
}

enum mica_status
mica_value_fail(const struct mica_checker *checker,
                const struct mica_place *place, enum mica_status status,
                const char *formatz, ...)
{
    struct mica_error *error = checker->error;
    if (error == NULL)
        return status;
    char path[sizeof error->path];
    size_t len = write_path(place, path, sizeof path);
    va_list arguments;
    va_start(arguments, formatz);
    mica_error_vset(error, status, NULL, path, formatz, arguments);
    va_end(arguments);
    char rest[sizeof error->message];
    memcpy(rest, error->message, sizeof rest);
    if (len == 0)
        return mica_error_set(error, status, path, "the object %s", rest);
    return mica_error_set(error, status, path, "\"%s\" %s", path + 1, rest);
}

enum mica_status
mica_value_no_memory(const struct mica_checker *checker,
                     const struct mica_place *place)
{
    return mica_value_fail(checker, place, MICA_E_LIMIT,
                           "needs more memory than one call may use; pass "
                           "less");
}

const char *
mica_value_shown(struct mica_text text, char room[MICA_SHOWN_SIZE])
{
    static const char ellipsis[] = "…";
    size_t most = MICA_SHOWN_SIZE - sizeof "\"\"" - sizeof ellipsis;
    struct mica_buffer out = {
        .ptr = room, .capacity = MICA_SHOWN_SIZE, .max = MICA_SHOWN_SIZE - 1};
    struct mica_text head = mica_utf8_cut(text, most);
    mica_buffer_char(&out, '"');
    mica_buffer_text(&out, head);
    if (head.len < text.len)
        mica_buffer_add(&out, ellipsis, sizeof ellipsis - 1);
    mica_buffer_char(&out, '"');
    room[out.len] = '\0';
    return room;
}

// ---- Numbers ---------------------------------------------------------------

const char *
mica_value_bounds_words(const struct mica_bounds *bounds, bool integer,
                        char room[MICA_BOUNDS_SIZE])
{
    const struct {
        const char *wordsz;
        double bound, none;
    } parts[] = {{"at least", bounds->minimum, -MICA_INFINITY},
                 {"greater than", bounds->exclusive_minimum, -MICA_INFINITY},
                 {"at most", bounds->maximum, MICA_INFINITY},
                 {"less than", bounds->exclusive_maximum, MICA_INFINITY}};
    struct mica_buffer out = {
        .ptr = room, .capacity = MICA_BOUNDS_SIZE, .max = MICA_BOUNDS_SIZE - 1};
    const char *joinz = integer ? "a whole number " : "";
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        char number[MICA_NUMBER_SIZE];
        if (parts[i].bound == parts[i].none)
            continue;
        (void)mica_number_write(parts[i].bound, number);
        mica_buffer_format(&out, "%s%s %s", joinz, parts[i].wordsz, number);
        joinz = " and ";
    }
    room[out.len] = '\0';
    return room;
}

enum mica_status
mica_value_number(const struct mica_checker *checker,
                  const struct mica_place *place,
                  const struct mica_bounds *bounds, double value)
{
    char words[MICA_BOUNDS_SIZE], number[MICA_NUMBER_SIZE];
    if (value >= bounds->minimum && value <= bounds->maximum &&
        value > bounds->exclusive_minimum && value < bounds->exclusive_maximum)
        return MICA_OK;
    (void)mica_number_write(value, number);
    if (!isfinite(value))
        return mica_value_fail(checker, place, MICA_E_RANGE,
                               "must be a finite number, but is %s",
                               isnan(value) ? "not a number (NaN)" : number);
    return mica_value_fail(
        checker, place, MICA_E_RANGE, "must be %s, but is %s",
        mica_value_bounds_words(bounds, false, words), number);
}

// Whether `value` < `bound`, exactly: neither is rounded to the other's type.
static bool
is_below(int64_t value, double bound)
{
    if (bound >= 0x1p63)
        return true;
    return bound > -0x1p63 && value < (int64_t)ceil(bound);
}

static bool
is_above(int64_t value, double bound)
{
    if (bound < -0x1p63)
        return true;
    return bound < 0x1p63 && value > (int64_t)floor(bound);
}

enum mica_status
mica_value_integer(const struct mica_checker *checker,
                   const struct mica_place *place,
                   const struct mica_bounds *bounds, int64_t value)
{
    char words[MICA_BOUNDS_SIZE];
    if (!bounds->wide &&
        (value > MICA_SAFE_INTEGER || value < -MICA_SAFE_INTEGER))
        return mica_value_fail(
            checker, place, MICA_E_RANGE,
            "must be from -9007199254740991 to 9007199254740991, where every "
            "JSON reader is exact, but is %lld",
            (long long)value);
    if (!is_below(value, bounds->minimum) &&
        !is_above(value, bounds->maximum) &&
        is_above(value, bounds->exclusive_minimum) &&
        is_below(value, bounds->exclusive_maximum))
        return MICA_OK;
    return mica_value_fail(
        checker, place, MICA_E_RANGE, "must be %s, but is %lld",
        mica_value_bounds_words(bounds, true, words), (long long)value);
}

// ---- Sizes -----------------------------------------------------------------

static const char *
word_plural(size_t count)
{
    return count == 1 ? "" : "s";
}

// `least` to `most` (0: any) of `unit`.
static enum mica_status
check_size(const struct mica_checker *checker, const struct mica_place *place,
           const char *unitz, size_t size, size_t least, size_t most)
{
    if (size < least)
        return mica_value_fail(checker, place, MICA_E_RANGE,
                               "must have at least %zu %s%s, but has %zu",
                               least, unitz, word_plural(least), size);
    if (most > 0 && size > most)
        return mica_value_fail(checker, place, MICA_E_RANGE,
                               "must have at most %zu %s%s, but has %zu", most,
                               unitz, word_plural(most), size);
    return MICA_OK;
}

enum mica_status
mica_value_count(const struct mica_checker *checker,
                 const struct mica_place *place, const struct mica_slot *slot,
                 size_t count)
{
    if (!slot->counted)
        return MICA_OK;
    return check_size(checker, place,
                      slot->type->kind == MICA_KIND_MAP ? "name" : "item",
                      count, slot->field->min_items, slot->field->max_items);
}

// ---- Texts -----------------------------------------------------------------

enum mica_status
mica_value_utf8(const struct mica_checker *checker,
                const struct mica_place *place, struct mica_text text)
{
    if (text.len == 0)
        return MICA_OK;
    if (text.ptr == NULL)
        return mica_value_fail(checker, place, MICA_E_TYPE,
                               "has %zu bytes, but `ptr` is NULL", text.len);
    size_t valid = mica_utf8_valid(text);
    if (valid == text.len)
        return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_FORMAT,
                           "must be UTF-8, but its byte %zu (0x%02x) is not",
                           valid, (unsigned)(unsigned char)text.ptr[valid]);
}

static struct mica_pattern *
find_pattern(struct mica_checker *checker, const char *sourcez,
             enum mica_status *status_out)
{
    *status_out = MICA_OK;
    for (struct mica_pattern *p = checker->patterns; p != NULL; p = p->next)
        if (p->sourcez == sourcez)
            return p;
    struct mica_pattern *pattern =
        mica_arena_zero(checker->arena, 1, sizeof *pattern);
    if (pattern == NULL) {
        *status_out = mica_value_no_memory(checker, NULL);
        return NULL;
    }
    *status_out = mica_regex_compile(checker->arena, mica_text(sourcez),
                                     checker->error, &pattern->regex);
    if (*status_out != MICA_OK)
        return NULL;
    pattern->sourcez = sourcez;
    pattern->next = checker->patterns;
    checker->patterns = pattern;
    return pattern;
}

static enum mica_status
check_pattern(struct mica_checker *checker, const struct mica_place *place,
              const char *sourcez, struct mica_text value)
{
    char shown[MICA_SHOWN_SIZE];
    enum mica_status status;
    struct mica_pattern *pattern = find_pattern(checker, sourcez, &status);
    if (pattern == NULL)
        return status;
    if (mica_regex_match(&pattern->regex, value, NULL))
        return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_FORMAT,
                           "must match the pattern %s, but is %s", sourcez,
                           mica_value_shown(value, shown));
}

// A character takes one to four bytes, which decides most cases without counting.
static bool
length_must_fit(const struct mica_bounds *bounds, struct mica_text value)
{
    return value.len / 4 >= bounds->min_length &&
           (bounds->max_length == 0 || value.len <= bounds->max_length);
}

enum mica_status
mica_value_text(struct mica_checker *checker, const struct mica_place *place,
                const struct mica_bounds *bounds, struct mica_text value)
{
    char shown[MICA_SHOWN_SIZE];
    if (!length_must_fit(bounds, value))
        MICA_TRY(check_size(checker, place, "character",
                            mica_text_length(value), bounds->min_length,
                            bounds->max_length));
    const struct mica_text_format *format = bounds->format;
    if (format != NULL && !format->matches(value))
        return mica_value_fail(checker, place, MICA_E_FORMAT,
                               "must be of the format %s, like %s, but is %s",
                               format->name, format->sample,
                               mica_value_shown(value, shown));
    if (bounds->pattern != NULL)
        return check_pattern(checker, place, bounds->pattern, value);
    return MICA_OK;
}

enum mica_status
mica_value_key(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_field *field, struct mica_text key)
{
    enum mica_status status =
        mica_value_text(checker, place, &field->keys, key);
    if (status != MICA_OK)
        mica_error_prefix(checker->error, "a name in the object");
    return status;
}
