// SPDX-License-Identifier: Apache-2.0
//
// Schemas as TypeScript types. That a compiler reads the files is for
// tests/readers.
#include <string.h>

#include "engine/typescript.h"
#include "unit.h"

static struct mica_arena arena;

// The type of a schema that is written as JSON; or why it has no type.
static const char *
type_of(const char *schemaz)
{
    struct mica_buffer out;
    struct mica_json schema;
    struct mica_error error;
    ck_assert_msg(mica_json_read(&arena, mica_text(schemaz), NULL, &error,
                                 &schema) == MICA_OK,
                  "%s", error.message);
    mica_buffer_init(&out, &arena, 1 << 20);
    mica_typescript_type(&schema, 0, &out);
    mica_buffer_char(&out, '\0');
    return out.ptr;
}

START_TEST(each_kind_of_schema_has_its_type)
{
    static const struct {
        const char *schemaz, *typez;
    } cases[] = {
        {"true", "unknown"},
        {"false", "never"},
        {"{}", "unknown"},
        {"{\"type\":\"string\",\"format\":\"date\"}", "string"},
        {"{\"type\":\"integer\",\"minimum\":1}", "number"},
        {"{\"type\":[\"boolean\",\"null\"]}", "boolean | null"},
        {"{\"type\":\"string\",\"enum\":[\"of\",\"a \\\"b\\\"\"]}",
         "\"of\" | \"a \\\"b\\\"\""},
        {"{\"enum\":[true,null,1]}", "true | null | number"},
        {"{\"enum\":[]}", "never"},
        {"{\"const\":\"x\"}", "\"x\""},
        {"{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"null\"]}}",
         "Array<string | null>"},
        {"{\"type\":\"array\",\"prefixItems\":[{}],\"items\":false}",
         "Array<unknown>"},
        {"{\"type\":\"object\"}", "{ [name: string]: unknown }"},
        {"{\"type\":\"object\",\"additionalProperties\":false}",
         "{ [name: string]: never }"},
        {"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
         "{ [name: string]: number }"},
        {"{\"anyOf\":[{\"type\":\"number\"},{\"type\":\"null\"}]}",
         "(number) | (null)"},
        {"{\"allOf\":[{\"type\":\"number\"},{}]}", "(number) & (unknown)"},
        {"{\"$ref\":\"#/$defs/a\"}", "unknown"},
        {"{\"type\":\"color\"}", "unknown"},
        {"{\"type\":7}", "unknown"}};
    mica_arena_init(&arena, 1 << 22);
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_str_eq(type_of(cases[i].schemaz), cases[i].typez);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_object_has_comments_and_says_what_may_be_left_out)
{
    mica_arena_init(&arena, 1 << 22);
    ck_assert_str_eq(
        type_of("{\"type\":\"object\",\"properties\":{"
                "\"mode\":{\"description\":\"How.\",\"enum\":[\"of\"]},"
                "\"a b\":{\"type\":\"number\",\"default\":2},"
                "\"in\":{\"type\":\"object\",\"properties\":{\"x\":{}},"
                "\"additionalProperties\":false}},"
                "\"required\":[\"mode\"]}"),
        "{\n    /** How. */\n    mode: \"of\";\n"
        "    /** @default 2 */\n    \"a b\"?: number;\n"
        "    in?: {\n        x?: unknown;\n    };\n"
        "    [name: string]: unknown;\n}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_text_ends_no_comment)
{
    mica_arena_init(&arena, 1 << 22);
    ck_assert_str_eq(
        type_of("{\"type\":\"object\",\"properties\":{\"x\":{\"description\":"
                "\"a */ b\\nc\",\"default\":\"*/\"}},"
                "\"additionalProperties\":false}"),
        "{\n    /** a *\\/ b\n     * c @default \"*\\/\" */\n"
        "    x?: unknown;\n}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_is_nested_too_deep_is_unknown)
{
    char schema[4096] = "";
    const char *type;
    mica_arena_init(&arena, 1 << 22);
    for (int i = 0; i < 60; i++)
        strcat(schema, "{\"type\":\"array\",\"items\":");
    strcat(schema, "{}");
    for (int i = 0; i < 60; i++)
        strcat(schema, "}");
    type = type_of(schema);
    ck_assert_ptr_nonnull(strstr(type, "Array<unknown>"));
    ck_assert_uint_lt(strlen(type), 400);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(names_are_names_in_typescript)
{
    static const struct {
        const char *namez, *pascal, *camel;
    } cases[] = {{"percentage-calculator", "PercentageCalculator",
                  "percentageCalculator"},
                 {"book_flight", "BookFlight", "bookFlight"},
                 {"hash", "Hash", "hash"},
                 {"3d.view", "_3dView", "_3dView"},
                 {"_x", "X", "x"},
                 {"--", "_", "_"}};
    mica_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_buffer out;
        mica_buffer_init(&out, &arena, 4096);
        mica_typescript_name(mica_text(cases[i].namez), false, &out);
        mica_buffer_char(&out, ' ');
        mica_typescript_name(mica_text(cases[i].namez), true, &out);
        mica_buffer_char(&out, '\0');
        ck_assert_int_eq(
            strncmp(out.ptr, cases[i].pascal, strlen(cases[i].pascal)), 0);
        ck_assert_str_eq(strchr(out.ptr, ' ') + 1, cases[i].camel);
    }
    mica_arena_fini(&arena);
}
END_TEST

static enum mica_status
write_file(const char *name, const char *input, bool module,
           struct mica_buffer *out)
{
    const struct mica_typescript tool = {.name = mica_text(name),
                                         .description = mica_text("Adds."),
                                         .input_schema = mica_text(input),
                                         .module = module};
    struct mica_error error;
    mica_buffer_init(out, &arena, 1 << 20);
    enum mica_status status = mica_typescript_write(&tool, &arena, &error, out);
    mica_buffer_char(out, '\0');
    return status;
}

START_TEST(a_file_declares_types_and_where_asked_the_module)
{
    struct mica_buffer out;
    mica_arena_init(&arena, 1 << 22);
    ck_assert_int_eq(write_file("add-up", "{}", false, &out), MICA_OK);
    ck_assert_str_eq(out.ptr, "/** Adds. */\nexport type AddUpInput = unknown;"
                              "\n\nexport type AddUpOutput = unknown;\n");
    ck_assert_int_eq(write_file("add-up", "{}", true, &out), MICA_OK);
    ck_assert_ptr_nonnull(
        strstr(out.ptr, "handler(input: AddUpInput): AddUpOutput;"));
    ck_assert_ptr_nonnull(strstr(out.ptr, "export { engine as addUp };"));
    // The default is there by that name already.
    ck_assert_int_eq(write_file("default", "{}", true, &out), MICA_OK);
    ck_assert_ptr_null(strstr(out.ptr, "engine as"));
    ck_assert_int_eq(write_file("bad", "{", true, &out), MICA_E_JSON);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("typescript", each_kind_of_schema_has_its_type,
          an_object_has_comments_and_says_what_may_be_left_out,
          a_text_ends_no_comment, what_is_nested_too_deep_is_unknown,
          names_are_names_in_typescript,
          a_file_declares_types_and_where_asked_the_module)
