// SPDX-License-Identifier: Apache-2.0
//
// JSON Schema from a record: the schema of each kind, compared as JSON.
#include "test_record.h"

static struct mica_arena arena;

static const char *
schema_of(const struct mica_record *record, bool dialect, const char *examplesz)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, &arena, 1 << 20);
    mica_json_writer_init(&writer, &buffer);
    mica_record_schema(record, dialect, mica_text(examplesz), &writer);
    mica_buffer_char(&buffer, '\0');
    ck_assert(!buffer.overflow);
    return buffer.ptr;
}

// The property `namez` of the schema, as compact text.
static const char *
property_of(const struct mica_record *record, const char *namez)
{
    struct mica_json schema = read_json(&arena, schema_of(record, false, ""));
    const struct mica_json *property =
        mica_json_get(mica_json_get(&schema, "properties"), namez);
    ck_assert_msg(property != NULL, "no property %s", namez);
    return mica_arena_text(&arena, property->raw).ptr;
}

START_TEST(a_record_lists_properties_and_what_is_required)
{
    mica_arena_init(&arena, 1 << 20);
    ck_assert_str_eq(
        schema_of(&mica_record_point, false, ""),
        "{\"type\":\"object\",\"properties\":{"
        "\"x\":{\"description\":\"Across.\",\"type\":\"number\"},"
        "\"y\":{\"description\":\"Up.\",\"type\":\"number\",\"default\":0},"
        "\"label\":{\"description\":\"A name.\",\"type\":\"string\"}},"
        "\"required\":[\"x\"],\"additionalProperties\":false}");
    mica_arena_fini(&arena);
}
END_TEST

MICA_EMPTY_RECORD(nothing);

START_TEST(a_record_may_have_no_fields)
{
    struct mica_error error;
    struct nothing nothing = {0};
    const char *jsonz;
    void *out;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_str_eq(schema_of(&mica_record_nothing, false, ""),
                     "{\"type\":\"object\",\"properties\":{},"
                     "\"additionalProperties\":false}");
    ck_assert_int_eq(
        decode_json(&arena, &mica_record_nothing, "{}", &error, &out), MICA_OK);
    ck_assert_int_eq(
        decode_json(&arena, &mica_record_nothing, "{\"a\":1}", &error, &out),
        MICA_E_UNKNOWN);
    ck_assert_str_eq(error.message,
                     "\"a\" is no field of this object, which takes none");
    ck_assert_int_eq(
        encode_json(&arena, &mica_record_nothing, &nothing, &error, &jsonz),
        MICA_OK);
    ck_assert_str_eq(jsonz, "{}");
    ck_assert_int_eq(mica_record_check(&mica_record_nothing, &arena, &error),
                     MICA_OK);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(dialect_and_examples_come_when_asked_for)
{
    mica_arena_init(&arena, 1 << 20);
    struct mica_json schema =
        read_json(&arena, schema_of(&mica_record_point, true, "[{\"x\":1}]"));
    UNIT_TEXT_EQ(mica_json_get_text(&schema, "$schema"),
                 "https://json-schema.org/draft/2020-12/schema");
    UNIT_TEXT_EQ(mica_json_get(&schema, "examples")->raw, "[{\"x\":1}]");
    UNIT_TEXT_EQ(schema.members[0].name, "$schema");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(nothing_required_leaves_required_out)
{
    mica_arena_init(&arena, 1 << 20);
    struct mica_json schema =
        read_json(&arena, schema_of(&mica_record_all, false, ""));
    ck_assert_ptr_null(mica_json_get(&schema, "required"));
    ck_assert_uint_eq(mica_json_get(&schema, "properties")->count,
                      mica_record_all.count);
    mica_arena_fini(&arena);
}
END_TEST

#define POINT_SCHEMA                                                     \
    "\"type\":\"object\",\"properties\":{"                               \
    "\"x\":{\"description\":\"Across.\",\"type\":\"number\"},"           \
    "\"y\":{\"description\":\"Up.\",\"type\":\"number\",\"default\":0}," \
    "\"label\":{\"description\":\"A name.\",\"type\":\"string\"}},"      \
    "\"required\":[\"x\"],\"additionalProperties\":false"

START_TEST(every_kind_has_its_schema)
{
    static const struct {
        const char *namez, *schemaz;
    } cases[] = {
        {"text", "{\"description\":\"A text.\",\"type\":\"string\","
                 "\"default\":\"none\"}"},
        {"number", "{\"description\":\"A number.\",\"type\":\"number\"}"},
        {"integer",
         "{\"description\":\"A whole number.\",\"type\":\"integer\","
         "\"minimum\":-9007199254740991,\"maximum\":9007199254740991}"},
        {"wide", "{\"description\":\"A large one.\",\"type\":\"integer\"}"},
        {"boolean", "{\"description\":\"Yes or no.\",\"type\":\"boolean\"}"},
        {"color", "{\"description\":\"A color.\",\"type\":\"string\","
                  "\"enum\":[\"red\",\"green\",\"dark blue\"]}"},
        {"point", "{\"description\":\"A point.\"," POINT_SCHEMA "}"},
        {"date", "{\"description\":\"A day.\",\"type\":\"string\","
                 "\"format\":\"date\"}"},
        {"time", "{\"description\":\"A moment.\",\"type\":\"string\","
                 "\"format\":\"date-time\"}"},
        {"any", "{\"description\":\"Anything.\"}"},
        {"texts", "{\"description\":\"Texts.\",\"type\":\"array\","
                  "\"items\":{\"type\":\"string\",\"maxLength\":4},"
                  "\"maxItems\":3}"},
        {"rows", "{\"description\":\"Rows.\",\"type\":\"array\",\"items\":{"
                 "\"type\":\"array\",\"items\":{\"type\":\"number\","
                 "\"minimum\":0}},\"minItems\":1}"},
        {"gaps", "{\"description\":\"Numbers with gaps.\",\"type\":\"array\","
                 "\"items\":{\"type\":[\"number\",\"null\"],"
                 "\"maximum\":9}}"},
        {"counts",
         "{\"description\":\"How often.\",\"type\":\"object\","
         "\"propertyNames\":{\"pattern\":\"^[a-z]+$\"},"
         "\"additionalProperties\":{\"type\":\"integer\",\"minimum\":1,"
         "\"maximum\":9007199254740991},\"maxProperties\":4}"},
        {"maps", "{\"description\":\"Maps.\",\"type\":\"object\","
                 "\"additionalProperties\":{\"type\":\"object\","
                 "\"additionalProperties\":{" POINT_SCHEMA "}}}"},
        {"maybe", "{\"description\":\"Perhaps a number.\","
                  "\"type\":[\"number\",\"null\"],\"exclusiveMinimum\":0}"},
        {"maybe_point", "{\"description\":\"Perhaps a point.\","
                        "\"anyOf\":[{" POINT_SCHEMA "},{\"type\":\"null\"}]}"},
        {"maybe_color", "{\"description\":\"Perhaps a color.\","
                        "\"type\":[\"string\",\"null\"],"
                        "\"enum\":[\"red\",\"green\",\"dark blue\",null]}"},
        {"decimal", "{\"description\":\"An exact number.\","
                    "\"type\":\"number\",\"exclusiveMaximum\":100,"
                    "\"x-decimal\":true}"},
        {"decimals", "{\"description\":\"Exact ones, with gaps.\","
                     "\"type\":\"array\",\"items\":{"
                     "\"type\":[\"number\",\"null\"],\"minimum\":0.01,"
                     "\"x-decimal\":true}}"},
    };
    mica_arena_init(&arena, 1 << 22);
    ck_assert_uint_eq(MICA_COUNT(cases), mica_record_all.count);
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_str_eq(property_of(&mica_record_all, cases[i].namez),
                         cases[i].schemaz);
    mica_arena_fini(&arena);
}
END_TEST

struct options {
    double price;
    struct mica_text currency, mail;
    int64_t level;
    struct {
        bool present;
        const struct mica_json *value;
    } any;
    struct {
        bool present;
        struct row value;
    } row;
};
MICA_RECORD(options,
            MICA_NUMBER(price, "p", .minimum = 0.01, .maximum = 1e21,
                        .unit = "currency", .title = "Price each",
                        .answer = true),
            MICA_TEXT(currency, "c", .pattern = "^[A-Z]{3}$", .min_length = 3,
                      .max_length = 3),
            MICA_TEXT(mail, "m", .format = MICA_EMAIL),
            MICA_INTEGER(level, "l", .exclusive_maximum = 10),
            MICA_NULLABLE(any, any, "a"),
            MICA_NULLABLE(row, row, "r", .min_items = 2, .each.maximum = 1));

START_TEST(options_become_keywords)
{
    static const struct {
        const char *namez, *schemaz;
    } cases[] = {
        {"price",
         "{\"title\":\"Price each\",\"description\":\"p\",\"type\":\"number\","
         "\"minimum\":0.01,\"maximum\":1e+21,"
         "\"x-unit\":\"currency\",\"x-answer\":true}"},
        {"currency", "{\"description\":\"c\",\"type\":\"string\","
                     "\"minLength\":3,\"maxLength\":3,"
                     "\"pattern\":\"^[A-Z]{3}$\"}"},
        {"mail", "{\"description\":\"m\",\"type\":\"string\","
                 "\"format\":\"email\"}"},
        {"level", "{\"description\":\"l\",\"type\":\"integer\","
                  "\"minimum\":-9007199254740991,\"exclusiveMaximum\":10}"},
        {"any", "{\"description\":\"a\"}"},
        {"row", "{\"description\":\"r\",\"anyOf\":[{\"type\":\"array\","
                "\"items\":{\"type\":\"number\",\"maximum\":1},"
                "\"minItems\":2},{\"type\":\"null\"}]}"},
    };
    mica_arena_init(&arena, 1 << 22);
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_str_eq(property_of(&mica_record_options, cases[i].namez),
                         cases[i].schemaz);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("record_schema", a_record_lists_properties_and_what_is_required,
          a_record_may_have_no_fields, dialect_and_examples_come_when_asked_for,
          nothing_required_leaves_required_out, every_kind_has_its_schema,
          options_become_keywords)
