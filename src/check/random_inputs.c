// SPDX-License-Identifier: Apache-2.0
//
// Whole inputs. A sample, if there is one, is the value that a random example
// has at the same place: taken as it is, a little changed, or not at all.
#include "check/random_inputs.h"

#include "check/fields.h"

enum {
    WILD_INPUT = 25, // of a hundred inputs, those that may break the schema
    WILD_VALUE = 15, // of a hundred values of those
    TEXT_BYTES = 64 * 1024,
    DEPTH_MAX = 6
};

struct maker {
    struct mica_random *random;
    struct mica_arena *arena;
    struct mica_json_writer *writer;
    bool wild;
    unsigned depth;
};

static void input_make(struct maker *maker, const struct mica_json *schema,
                       const struct mica_json *sample);

static bool
input_chance(const struct maker *maker, unsigned percent)
{
    return mica_random_chance(maker->random, percent);
}

static struct mica_buffer
input_room(const struct maker *maker)
{
    struct mica_buffer text;

    mica_buffer_init(&text, maker->arena, TEXT_BYTES);
    return text;
}

static void
put_string(const struct maker *maker, const struct mica_buffer *text)
{
    mica_json_string(maker->writer, mica_buffer_as_text(text));
}

// ---- Any JSON --------------------------------------------------------------------

static void
make_any(struct maker *maker)
{
    static const char *const raw[] = {"null",
                                      "true",
                                      "false",
                                      "0",
                                      "-0",
                                      "1e400",
                                      "1E+2",
                                      "0.10",
                                      "1e-400",
                                      "[]",
                                      "{}",
                                      "\"\"",
                                      "[[]]",
                                      "18446744073709551616",
                                      "\"\\ud83d\\ude00\"",
                                      "-1.0"};
    size_t count = mica_random_below(maker->random, 4);
    struct mica_buffer text = input_room(maker);

    switch (maker->depth < DEPTH_MAX ? mica_random_below(maker->random, 5)
                                     : 0) {
    case 0:
    case 1:
        mica_json_raw(
            maker->writer,
            mica_text(raw[mica_random_below(maker->random, MICA_COUNT(raw))]));
        return;
    case 2:
        mica_random_text(maker->random, maker->arena, NULL, false, &text);
        put_string(maker, &text);
        return;
    case 3:
        maker->depth++;
        mica_json_open_array(maker->writer);
        for (size_t i = 0; i < count; i++) {
            make_any(maker);
        }
        mica_json_close_array(maker->writer);
        break;
    default:
        maker->depth++;
        mica_json_open_object(maker->writer);
        for (size_t i = 0; i < count; i++) {
            static const char *const names[] = {"a", "b", "", "a/b~c"};

            mica_json_name(maker->writer, names[i]);
            make_any(maker);
        }
        mica_json_close_object(maker->writer);
        break;
    }
    maker->depth--;
}

// ---- Scalars ---------------------------------------------------------------------

static void
make_number(struct maker *maker, const struct mica_json *schema, bool whole)
{
    static const char *const forms[] = {
        "1e2",  "100.0", "-0",    "1E+2",
        "0e99", "2.50",  "1e400", "9007199254740993"};

    if (maker->wild && input_chance(maker, 10)) {
        mica_json_raw(
            maker->writer,
            mica_text(
                forms[mica_random_below(maker->random, MICA_COUNT(forms))]));
    } else if (whole && !(maker->wild && input_chance(maker, 10))) {
        mica_json_integer(
            maker->writer,
            mica_random_integer(maker->random, schema, maker->wild));
    } else if (mica_json_get(schema, "x-decimal") != NULL) {
        mica_random_decimal(maker->random, schema, maker->wild, maker->writer);
    } else {
        mica_json_number(
            maker->writer,
            mica_random_number(maker->random, schema, maker->wild));
    }
}

static void
make_text(struct maker *maker, const struct mica_json *schema,
          const struct mica_json *sample)
{
    struct mica_buffer text = input_room(maker);

    if (sample != NULL && sample->kind == MICA_JSON_STRING &&
        input_chance(maker, 50)) {
        mica_random_mutate(maker->random, sample->text, &text);
    } else {
        mica_random_text(maker->random, maker->arena, schema, maker->wild,
                         &text);
    }
    put_string(maker, &text);
}

static void
make_choice(const struct maker *maker, const struct mica_json *schema)
{
    const struct mica_json *choices = mica_json_get(schema, "enum");
    struct mica_buffer text = input_room(maker);
    const struct mica_json *choice =
        &choices->items[mica_random_below(maker->random, choices->count)];

    if (maker->wild && input_chance(maker, 20)) {
        mica_random_mutate(maker->random, choice->text, &text);
        put_string(maker, &text);
    } else {
        mica_json_value(maker->writer, choice);
    }
}

// ---- Compounds -------------------------------------------------------------------

static size_t
count_of(const struct maker *maker, const struct mica_json *schema,
         const char *least_name, const char *most_name)
{
    const struct mica_json *least = mica_json_get(schema, least_name);
    const struct mica_json *most = mica_json_get(schema, most_name);
    int64_t from = 0, to = 1000;
    size_t count;

    if (least != NULL) {
        (void)mica_integer_read(least->text, &from);
    }
    if (most != NULL) {
        (void)mica_integer_read(most->text, &to);
    }
    count = (size_t)from +
            mica_random_below(maker->random, input_chance(maker, 5) ? 60 : 7);
    if (maker->wild && input_chance(maker, 20)) {
        return from > 0 && input_chance(maker, 50) ? (size_t)from - 1 : count;
    }
    return count < (size_t)to ? count : (size_t)to;
}

static void
make_list(struct maker *maker, const struct mica_json *schema,
          const struct mica_json *sample)
{
    size_t count = count_of(maker, schema, "minItems", "maxItems");
    bool has_sample =
        sample != NULL && sample->kind == MICA_JSON_ARRAY && sample->count > 0;

    mica_json_open_array(maker->writer);
    for (size_t i = 0; i < count; i++) {
        input_make(maker, mica_json_get(schema, "items"),
                   has_sample ? &sample->items[mica_random_below(maker->random,
                                                                 sample->count)]
                              : NULL);
    }
    mica_json_close_array(maker->writer);
}

static void
make_map(struct maker *maker, const struct mica_json *schema,
         const struct mica_json *sample)
{
    size_t count = count_of(maker, schema, "minProperties", "maxProperties");
    bool has_sample =
        sample != NULL && sample->kind == MICA_JSON_OBJECT && sample->count > 0;

    mica_json_open_object(maker->writer);
    for (size_t i = 0; i < count; i++) {
        struct mica_buffer name = input_room(maker);
        const struct mica_json_member *member =
            has_sample ? &sample->members[mica_random_below(maker->random,
                                                            sample->count)]
                       : NULL;

        if (member != NULL && input_chance(maker, 40)) {
            mica_buffer_text(&name, member->name);
        } else {
            mica_random_text(maker->random, maker->arena,
                             mica_json_get(schema, "propertyNames"),
                             maker->wild, &name);
        }
        mica_json_name_text(maker->writer, mica_buffer_as_text(&name));
        input_make(maker, mica_json_get(schema, "additionalProperties"),
                   member != NULL ? &member->value : NULL);
    }
    mica_json_close_object(maker->writer);
}

static bool
is_required(const struct mica_json *schema, struct mica_text name)
{
    const struct mica_json *list = mica_json_get(schema, "required");

    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (mica_text_equal(list->items[i].text, name)) {
            return true;
        }
    }
    return false;
}

static const struct mica_json *
sample_of(const struct mica_json *sample, struct mica_text name)
{
    for (size_t i = 0; sample != NULL && sample->kind == MICA_JSON_OBJECT &&
                       i < sample->count;
         i++) {
        if (mica_text_equal(sample->members[i].name, name)) {
            return &sample->members[i].value;
        }
    }
    return NULL;
}

static void
make_record(struct maker *maker, const struct mica_json *schema,
            const struct mica_json *sample)
{
    const struct mica_json *fields = mica_json_get(schema, "properties");
    size_t count = fields != NULL ? fields->count : 0;
    size_t first =
        input_chance(maker, 10) ? mica_random_below(maker->random, count) : 0;

    mica_json_open_object(maker->writer);
    for (size_t i = 0; i < count; i++) {
        const struct mica_json_member *field =
            &fields->members[(first + i) % count];
        const struct mica_json *own = sample_of(sample, field->name);
        bool wanted = is_required(schema, field->name)
                          ? !(maker->wild && input_chance(maker, 6))
                          : input_chance(maker, own != NULL ? 85 : 40);

        if (wanted) {
            mica_json_name_text(maker->writer, field->name);
            input_make(maker, &field->value, own);
        }
    }
    if (maker->wild && input_chance(maker, 8)) {
        mica_json_name(maker->writer, input_chance(maker, 50) ? "extra" : "a");
        make_any(maker);
    }
    mica_json_close_object(maker->writer);
}

// ---- One value -------------------------------------------------------------------

static bool
allows_null(const struct mica_json *schema)
{
    const struct mica_json *type = mica_json_get(schema, "type");

    return mica_json_get(schema, "anyOf") != NULL ||
           (type != NULL && type->kind == MICA_JSON_ARRAY);
}

static void
make_kind(struct maker *maker, const struct mica_json *schema,
          const struct mica_json *sample)
{
    struct mica_buffer text = input_room(maker);

    switch (mica_value_kind(schema)) {
    case MICA_VALUE_ANY:
        make_any(maker);
        return;
    case MICA_VALUE_TEXT:
        make_text(maker, schema, sample);
        return;
    case MICA_VALUE_CHOICE:
        make_choice(maker, schema);
        return;
    case MICA_VALUE_NUMBER:
        make_number(maker, schema, false);
        return;
    case MICA_VALUE_INTEGER:
        make_number(maker, schema, true);
        return;
    case MICA_VALUE_BOOLEAN:
        mica_json_boolean(maker->writer, input_chance(maker, 50));
        return;
    case MICA_VALUE_DATE:
        mica_random_date(maker->random, maker->wild, &text);
        break;
    case MICA_VALUE_DATE_TIME:
        mica_random_moment(maker->random, maker->wild, &text);
        break;
    case MICA_VALUE_RECORD:
        make_record(maker, schema, sample);
        return;
    case MICA_VALUE_LIST:
        make_list(maker, schema, sample);
        return;
    case MICA_VALUE_MAP:
        make_map(maker, schema, sample);
        return;
    }
    put_string(maker, &text);
}

static void
input_make(struct maker *maker, const struct mica_json *schema,
           const struct mica_json *sample)
{
    bool wild = maker->wild;
    enum mica_value_kind kind = mica_value_kind(schema);

    if (wild && input_chance(maker, 4)) {
        make_any(maker); // most likely of another type
        return;
    }
    if (allows_null(schema) && input_chance(maker, 20)) {
        mica_json_null(maker->writer);
        return;
    }
    if (sample != NULL && kind != MICA_VALUE_RECORD &&
        input_chance(maker, 40)) {
        mica_json_value(maker->writer, sample);
        return;
    }
    maker->wild =
        wild && (kind == MICA_VALUE_RECORD || kind == MICA_VALUE_LIST ||
                 kind == MICA_VALUE_MAP || input_chance(maker, WILD_VALUE));
    make_kind(maker, mica_value_schema(schema), sample);
    maker->wild = wild;
}

void
mica_random_input(struct mica_random *random, struct mica_arena *arena,
                  const struct mica_json *schema,
                  const struct mica_json *examples, struct mica_buffer *buffer)
{
    struct mica_json_writer writer;
    struct maker maker = {.random = random,
                          .arena = arena,
                          .writer = &writer,
                          .wild = mica_random_chance(random, WILD_INPUT)};
    const struct mica_json *sample = NULL;
    size_t start = buffer->len;

    if (examples != NULL && examples->count > 0 && input_chance(&maker, 75)) {
        sample = mica_json_get(
            &examples->items[mica_random_below(random, examples->count)],
            "input");
    }
    mica_json_writer_init(&writer, buffer);
    make_kind(&maker, schema, sample);
    if (maker.wild && input_chance(&maker, 4)) { // cut off
        buffer->len = start + mica_random_below(random, buffer->len - start);
    }
}
