// SPDX-License-Identifier: Apache-2.0
//
// What a schema that cannot be compiled, and a value that does not fit, are told:
// the code, both places, and the words.
#include <stdio.h>
#include <string.h>

#include <mica/schema.h>

#include "unit.h"

static struct mica_arena arena;
static struct mica_error error;
static char reported[4096];

static struct mica_schema *
compile(const char *textz, const struct mica_schema_options *options)
{
    struct mica_schema *schema;
    mica_arena_init(&arena, 64 << 20);
    enum mica_status status =
        mica_schema_compile(&arena, mica_text(textz), options, &error, &schema);
    ck_assert_msg(status == MICA_OK, "%s: %s", textz, error.message);
    return schema;
}

// All errors as "CODE value-path schema-path: message", a line each.
static const char *
answer(const char *schemaz, const char *valuez)
{
    const struct mica_schema_options options = {.assert_formats = true};
    const struct mica_schema *schema = compile(schemaz, &options);
    struct mica_schema_report report;
    struct mica_json value;
    struct mica_buffer out = {.ptr = reported,
                              .capacity = sizeof reported,
                              .max = sizeof reported - 1};
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(valuez), NULL, &error, &value),
        MICA_OK);
    enum mica_status status =
        mica_schema_validate(schema, &value, NULL, &arena, &report);
    ck_assert_int_eq(status,
                     report.count > 0 ? report.errors[0].status : MICA_OK);
    for (size_t i = 0; i < report.count; i++)
        mica_buffer_format(&out, "%s%s %.*s %.*s: %.*s", i > 0 ? "\n" : "",
                           mica_status_code(report.errors[i].status),
                           MICA_ARG(report.errors[i].value_path),
                           MICA_ARG(report.errors[i].schema_path),
                           MICA_ARG(report.errors[i].message));
    reported[out.len] = '\0';
    mica_arena_fini(&arena);
    return reported;
}

// ---- Values ----------------------------------------------------------------

START_TEST(each_keyword_says_what_is_wrong_and_what_is_allowed)
{
    static const struct {
        const char *schemaz, *valuez, *toldz;
    } cases[] = {
        {"{\"type\":\"integer\"}", "\"5\"",
         "WRONG_TYPE  #/type: the value must be a whole number, but is the "
         "string \"5\"; write 5 without quotes"},
        {"{\"type\":[\"string\",\"null\"]}", "5",
         "WRONG_TYPE  #/type: the value must be a string or null, but is the "
         "number 5; write \"5\" with quotes"},
        {"{\"type\":\"array\"}", "true",
         "WRONG_TYPE  #/type: the value must be an array, but is true; put it "
         "in [ ]"},
        {"false", "1",
         "WRONG_TYPE  #: the value is not allowed here; leave it out"},
        {"{\"enum\":[\"red\",\"green\",1]}", "\"gren\"",
         "NOT_A_CHOICE  #/enum: the value must be one of \"red\", \"green\", "
         "1, but is the string \"gren\"; did you mean \"green\"?"},
        {"{\"const\":{\"a\":1}}", "{}",
         "NOT_A_CHOICE  #/const: the value must be {\"a\":1}, but is an "
         "object"},
        {"{\"minimum\":1.5,\"maximum\":3}", "1",
         "OUT_OF_RANGE  #/minimum: the value must be at least 1.5, but is the "
         "number 1"},
        {"{\"exclusiveMaximum\":1e2}", "100",
         "OUT_OF_RANGE  #/exclusiveMaximum: the value must be less than 1e2, "
         "but is the number 100"},
        {"{\"multipleOf\":0.01}", "19.999",
         "OUT_OF_RANGE  #/multipleOf: the value must be a multiple of 0.01, "
         "but is the number 19.999"},
        {"{\"minLength\":2}", "\"é\"",
         "OUT_OF_RANGE  #/minLength: the value must have at least 2 "
         "characters, but has 1"},
        {"{\"pattern\":\"^a\"}", "\"b\"",
         "BAD_FORMAT  #/pattern: the value must match the pattern ^a, but is "
         "the string \"b\""},
        {"{\"format\":\"date\"}", "\"2026-02-30\"",
         "BAD_FORMAT  #/format: the value must be a date of the calendar like "
         "2026-11-20, but is the string \"2026-02-30\""},
        {"{\"format\":\"date-time\"}", "\"2026-11-20T09:30:00\"",
         "BAD_FORMAT  #/format: the value must be a moment of the calendar "
         "with its zone, like 2026-11-20T09:30:00Z, but is the string "
         "\"2026-11-20T09:30:00\""},
        {"{\"maxItems\":1}", "[1,2]",
         "OUT_OF_RANGE  #/maxItems: the value must have at most 1 item, but "
         "has 2"},
        {"{\"uniqueItems\":true}", "[1,2,1.0]",
         "NOT_A_CHOICE  #/uniqueItems: the value must not have an item twice, "
         "but items 0 and 2 (from 0) are both 1"},
        {"{\"contains\":{\"type\":\"null\"}}", "[1]",
         "NOT_A_CHOICE  #/contains: the value must have at least 1 item of "
         "the kind it has to contain, but has 0"},
        {"{\"prefixItems\":[{}],\"items\":false}", "[1,2]",
         "OUT_OF_RANGE /1 #/items: \"1\" is an item too many; leave it out"},
        {"{\"minProperties\":1}", "{}",
         "OUT_OF_RANGE  #/minProperties: the value must have at least 1 "
         "property, but has 0"},
        {"{\"properties\":{\"name\":{\"type\":\"string\",\"description\":"
         "\"Who.\"}},\"required\":[\"name\"]}",
         "{\"nam\":1}",
         "MISSING_FIELD  #/required: the value must have the property "
         "\"name\", a string (Who.); \"nam\" may be meant to be it"},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
         "MISSING_FIELD  #/dependentRequired/a: the value must have the "
         "property \"b\", since it has \"a\""},
        {"{\"properties\":{\"color\":{},\"size\":{}},"
         "\"additionalProperties\":false}",
         "{\"colr\":1}",
         "UNKNOWN_FIELD /colr #/additionalProperties: \"colr\" is not a "
         "known property; did you mean \"color\"?"},
        {"{\"properties\":{\"color\":{},\"size\":{}},"
         "\"additionalProperties\":false}",
         "{\"weight\":1}",
         "UNKNOWN_FIELD /weight #/additionalProperties: \"weight\" is not a "
         "known property; known are color, size"},
        {"{\"patternProperties\":{\"^x\":false}}", "{\"xy\":1}",
         "UNKNOWN_FIELD /xy #/patternProperties: \"xy\" is not a known "
         "property; leave it out"},
        {"{\"allOf\":[{\"properties\":{\"a\":{}}}],"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":2}",
         "UNKNOWN_FIELD /b #/unevaluatedProperties: \"b\" is not a known "
         "property; leave it out"},
        {"{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":1}",
         "OUT_OF_RANGE  #/propertyNames/maxLength: the name \"abc\" must have "
         "at most 2 characters, but has 3"},
        {"{\"not\":{\"type\":\"string\"}}", "\"a\"",
         "NOT_A_CHOICE  #/not: the value must not fit this schema: "
         "{\"type\":\"string\"}"},
        {"{\"not\":true}", "1",
         "NOT_A_CHOICE  #/not: the value is not allowed here; leave it out"},
        {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":5}]}", "3",
         "NOT_A_CHOICE  #/oneOf: the value fits two of its alternatives, "
         "number 1 and number 2, and must fit exactly one"},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_str_eq(answer(cases[i].schemaz, cases[i].valuez),
                         cases[i].toldz);
}
END_TEST

START_TEST(of_alternatives_the_nearest_says_what_is_missing)
{
    static const char shapes[] =
        "{\"anyOf\":[{\"properties\":{\"kind\":{\"const\":\"a\"}},"
        "\"required\":[\"kind\",\"x\"]},{\"properties\":{\"kind\":{\"const\":"
        "\"b\"}},\"required\":[\"kind\",\"y\"]}]}";
    ck_assert_str_eq(
        answer(shapes, "{\"kind\":\"b\",\"x\":1}"),
        "NOT_A_CHOICE  #/anyOf: the value fits none of its 2 alternatives; "
        "nearest is number 2\n"
        "MISSING_FIELD  #/anyOf/1/required: the value must have the property "
        "\"y\"");
    static const char titled[] =
        "{\"oneOf\":[{\"const\":\"red\",\"title\":\"Rosso\"},"
        "{\"const\":\"green\",\"title\":\"Verde\"}]}";
    ck_assert_str_eq(answer(titled, "\"gren\""),
                     "NOT_A_CHOICE  #/oneOf: the value must be one of \"red\", "
                     "\"green\", but is the string \"gren\"; did you mean "
                     "\"green\"?");
    ck_assert_str_eq(answer(titled, "7"),
                     "NOT_A_CHOICE  #/oneOf: the value must be one of \"red\", "
                     "\"green\", but is the number 7");
    ck_assert_str_eq(
        answer("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "5"),
        "NOT_A_CHOICE  #/anyOf: the value must be a string or null, but is "
        "the number 5; write \"5\" with quotes");
}
END_TEST

START_TEST(places_are_found_in_nested_values_and_behind_references)
{
    ck_assert_str_eq(
        answer("{\"$id\":\"https://example.org/s\",\"properties\":{\"a/b\":"
               "{\"items\":{\"$ref\":\"#/$defs/n~0\"}}},\"$defs\":{\"n~\":"
               "{\"properties\":{\"x\":{\"maximum\":1}}}}}",
               " { \"c\" : 1 , \"a/b\" : [ {}, { \"y\": [0], \"x\" : 2 } ] }"),
        "OUT_OF_RANGE /a~1b/1/x "
        "https://example.org/s#/$defs/n~0/properties/x/maximum: \"a~1b/1/x\" "
        "must be at most 1, but is the number 2");
}
END_TEST

START_TEST(a_name_or_value_of_any_length_is_named)
{
    static const char *const forms[][4] = {
        {"{\"properties\":{\"color\":{}},\"additionalProperties\":false}",
         "{\"", "\":1}", " is not a known property; known are color"},
        {"{\"properties\":{\"a\":{\"additionalProperties\":{\"properties\":{"
         "\"color\":{}},\"additionalProperties\":false}}}}",
         "{\"a\":{\"", "\":{\"last\":1}}}",
         "/last\" is not a known property; known are color"},
        {"{\"propertyNames\":{\"maxLength\":2}}", "{\"", "\":1}",
         " must have at most 2 characters"},
        {"{\"type\":\"integer\"}", "\"", "\"",
         " must be a whole number, but is the string "},
        {"{\"additionalProperties\":{\"type\":\"null\"}}", "{\"", "\":1}",
         " must be null, but is the number 1"}};
    static const size_t sizes[] = {8, 80, 82, 198, 200, 202, 260, 512, 1200};
    char name[1300], value[1400];
    for (size_t i = 0; i < MICA_COUNT(sizes); i++) {
        for (size_t at = 0; at < sizes[i]; at += 2)
            memcpy(name + at, "ü", 3);
        for (size_t j = 0; j < MICA_COUNT(forms); j++) {
            (void)snprintf(value, sizeof value, "%s%s%s", forms[j][1], name,
                           forms[j][2]);
            const char *messagez = answer(forms[j][0], value);
            messagez = strstr(messagez, ": ");
            ck_assert_ptr_nonnull(messagez);
            ck_assert_msg(strstr(messagez, "üüüü") != NULL, "%s", messagez);
            ck_assert_msg(strstr(messagez, forms[j][3]) != NULL, "%s",
                          messagez);
            ck_assert_uint_lt(strlen(messagez), 400);
            ck_assert_uint_eq(mica_utf8_valid(mica_text(messagez)),
                              strlen(messagez));
        }
    }
}
END_TEST

// Of many properties the first twenty are named, and "…" stands for the others.
START_TEST(of_many_known_properties_some_are_named)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxy";
    static const int counts[] = {20, 21, 25};
    for (size_t i = 0; i < MICA_COUNT(counts); i++) {
        char schema[1024] = "{\"additionalProperties\":false,\"properties\":{";
        char known[512] = "; known are ";
        for (int k = 0; k < counts[i]; k++) {
            size_t len = strlen(schema), said = strlen(known);
            (void)snprintf(schema + len, sizeof schema - len,
                           "%s\"%c-property\":{}", k > 0 ? "," : "", names[k]);
            if (k < 20)
                (void)snprintf(known + said, sizeof known - said,
                               "%s%c-property", k > 0 ? ", " : "", names[k]);
        }
        strcat(schema, "}}");
        strcat(known, counts[i] > 20 ? ", …" : "");
        const char *messagez = answer(schema, "{\"weight\":1}");
        size_t len = strlen(messagez), end = strlen(known);
        ck_assert_msg(len > end && strcmp(messagez + len - end, known) == 0,
                      "%d: %s", counts[i], messagez);
    }
}
END_TEST

START_TEST(the_list_is_capped_and_says_that_there_is_more)
{
    const struct mica_schema *schema =
        compile("{\"items\":{\"type\":\"string\"}}", NULL);
    const struct mica_schema_limits limits = {.errors = 3};
    struct mica_schema_report report;
    struct mica_json value;
    struct mica_buffer out;
    ck_assert_int_eq(
        mica_json_read(&arena, MICA_LITERAL("[1,2,3,4]"), NULL, &error, &value),
        MICA_OK);
    ck_assert_int_eq(
        mica_schema_validate(schema, &value, &limits, &arena, &report),
        MICA_E_TYPE);
    ck_assert_uint_eq(report.count, 3);
    ck_assert(report.more);
    mica_buffer_init(&out, &arena, 4096);
    mica_schema_report_write(&report, &out);
    UNIT_TEXT_EQ(mica_buffer_as_text(&out),
                 "\"0\" must be a string, but is the number 1; write \"1\" "
                 "with quotes\n"
                 "\"1\" must be a string, but is the number 2; write \"2\" "
                 "with quotes\n"
                 "\"2\" must be a string, but is the number 3; write \"3\" "
                 "with quotes\n"
                 "and more\n");
    ck_assert_int_eq(mica_schema_validate(schema, &value, NULL, &arena, NULL),
                     MICA_FAILED);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Schemas ---------------------------------------------------------------

START_TEST(a_wrong_schema_is_refused_at_its_place)
{
    static const struct {
        const char *schemaz;
        enum mica_status status;
        const char *pathz, *messagez;
    } cases[] = {
        {"[]", MICA_E_USAGE, "",
         "a schema is an object, true or false, not a JSON array"},
        {"{\"properties\":{\"a/b\":5}}", MICA_E_USAGE, "/properties/a~1b",
         "a schema is expected here: an object, true or false, not a JSON "
         "number"},
        {"{\"items\":{\"minimum\":\"5\"}}", MICA_E_USAGE, "/items/minimum",
         "minimum must be a number"},
        {"{\"maxLength\":-1}", MICA_E_USAGE, "/maxLength",
         "maxLength must be a whole number from 0"},
        {"{\"maxLength\":1.5}", MICA_E_USAGE, "/maxLength",
         "maxLength must be a whole number from 0"},
        {"{\"multipleOf\":0}", MICA_E_USAGE, "/multipleOf",
         "multipleOf must be a number greater than 0"},
        {"{\"multipleOf\":1.000000000000000000001}", MICA_E_LIMIT,
         "/multipleOf", "multipleOf can have 18 digits, not 22"},
        {"{\"required\":[\"a\",1]}", MICA_E_USAGE, "/required/1",
         "required must be an array of names"},
        {"{\"items\":[{}]}", MICA_E_USAGE, "/items",
         "items must be a schema; a list of schemas is called prefixItems "
         "since 2020-12"},
        {"{\"allOf\":[]}", MICA_E_USAGE, "/allOf",
         "allOf must be an array of at least one schema"},
        {"{\"pattern\":\"a(?=b)\"}", MICA_E_USAGE, "/pattern",
         "the pattern a(?=b), up to byte 3: of the groups that start with (? "
         "only (?: is supported; look-around would not be linear"},
        {"{\"pattern\":\"\\\\p{Script=Greek}\"}", MICA_E_USAGE, "/pattern",
         "the pattern \\p{Script=Greek}, up to byte 2: of \\p{…} general "
         "categories like \\p{L} and \\p{Nd} are supported, and Any, ASCII and "
         "Assigned; list other ranges in a class"},
        {"{\"$id\":\"a#b\"}", MICA_E_USAGE, "/$id",
         "$id cannot have a fragment; to name a place in the schema use "
         "$anchor"},
        {"{\"$anchor\":\"1\"}", MICA_E_USAGE, "/$anchor",
         "$anchor must be a name of letters, digits, - _ and ., with a letter "
         "or _ first"},
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}",
         MICA_E_USAGE, "/$schema",
         "the dialect http://json-schema.org/draft-07/schema# is not "
         "supported; write the schema for "
         "https://json-schema.org/draft/2020-12/schema, or register that "
         "metaschema"},
        {"{\"items\":{\"$ref\":\"other.json\"}}", MICA_E_NOT_FOUND,
         "/items/$ref",
         "the reference \"other.json\" leads to the document other.json, which "
         "is not known; register it under that URI, nothing is fetched"},
        {"{\"$ref\":\"#/$defs/a\"}", MICA_E_NOT_FOUND, "/$ref",
         "the reference \"#/$defs/a\" leads nowhere: there is no schema at "
         "that JSON Pointer"},
        {"{\"$ref\":\"#a\"}", MICA_E_NOT_FOUND, "/$ref",
         "the reference \"#a\" leads nowhere: there is no $anchor of that "
         "name"},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_schema *schema;
        mica_arena_init(&arena, 1 << 20);
        ck_assert_int_eq(mica_schema_compile(&arena,
                                             mica_text(cases[i].schemaz), NULL,
                                             &error, &schema),
                         cases[i].status);
        ck_assert_str_eq(error.path, cases[i].pathz);
        ck_assert_str_eq(error.message, cases[i].messagez);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(an_error_in_another_document_names_it)
{
    const struct mica_schema_document document = {
        MICA_LITERAL("https://example.org/other"),
        MICA_LITERAL("{\"$defs\":{\"a\":{\"type\":\"text\"}}}")};
    const struct mica_schema_options options = {
        .documents = &document,
        .document_count = 1,
        .uri = MICA_LITERAL("https://example.org/this")};
    struct mica_schema *schema;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_schema_compile(
                         &arena, MICA_LITERAL("{\"$ref\":\"other#/$defs/a\"}"),
                         &options, &error, &schema),
                     MICA_E_USAGE);
    ck_assert_str_eq(error.path, "/$defs/a/type");
    ck_assert_ptr_nonnull(
        strstr(error.message, "in the document https://example.org/other: "));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_would_never_end_is_refused)
{
    static const char *const schemas[] = {
        "{\"$ref\":\"#\"}",
        "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},"
        "\"b\":{\"$ref\":\"#/$defs/a\"}}}",
        "{\"allOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"anyOf\":["
        "{\"$ref\":\"#\"}]}}}",
        "{\"type\":\"object\",\"not\":{\"$ref\":\"#\"}}",
        "{\"if\":{\"type\":\"object\"},\"else\":{\"$ref\":\"#\"}}",
        "{\"dependentSchemas\":{\"a\":{\"allOf\":[{\"$ref\":\"#\"}]}}}",
    };
    for (size_t i = 0; i < MICA_COUNT(schemas); i++) {
        struct mica_schema *schema;
        mica_arena_init(&arena, 1 << 20);
        ck_assert_msg(mica_schema_compile(&arena, mica_text(schemas[i]), NULL,
                                          &error, &schema) == MICA_E_USAGE,
                      "%s", schemas[i]);
        ck_assert_ptr_nonnull(strstr(error.message, "itself"));
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("schema_errors", each_keyword_says_what_is_wrong_and_what_is_allowed,
          of_alternatives_the_nearest_says_what_is_missing,
          places_are_found_in_nested_values_and_behind_references,
          a_name_or_value_of_any_length_is_named,
          of_many_known_properties_some_are_named,
          the_list_is_capped_and_says_that_there_is_more,
          a_wrong_schema_is_refused_at_its_place,
          an_error_in_another_document_names_it,
          what_would_never_end_is_refused)
