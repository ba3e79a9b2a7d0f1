// SPDX-License-Identifier: Apache-2.0
//
// The layouts of published apps: their schemas, their mock data, and data as text.
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <mica/json.h>
#include <mica/schema.h>

#include "apps/layout.h"

static struct mica_arena arena;

static void
begin(void)
{
    mica_arena_init(&arena, 64 << 20);
}

static void
end(void)
{
    mica_arena_fini(&arena);
}

static struct mica_json
parsed(struct mica_text text)
{
    struct mica_error error;
    struct mica_json value;

    ck_assert_msg(mica_json_read(&arena, text, NULL, &error, &value) == MICA_OK,
                  "%s", error.message);
    return value;
}

static struct mica_schema *
compiled(const struct mica_app_layout_row *row)
{
    struct mica_error error;
    struct mica_schema *schema;

    ck_assert_msg(mica_schema_compile(&arena, row->schema, NULL, &error,
                                      &schema) == MICA_OK,
                  "%s: %s %s", row->name.ptr, error.path, error.message);
    return schema;
}

static bool
is_valid(const struct mica_app_layout_row *row, const char *json)
{
    struct mica_json value = parsed(mica_text(json));

    return mica_schema_validate(compiled(row), &value, NULL, &arena, NULL) ==
           MICA_OK;
}

static const char *
text_of(const char *layout, const char *json)
{
    static char text[2 * MICA_LAYOUT_TEXT_BYTES];
    const struct mica_app_layout_row *row =
        mica_app_layout_find(mica_text(layout));
    struct mica_json value = parsed(mica_text(json));
    struct mica_buffer out;

    mica_buffer_init(&out, &arena, 4 << 20);
    mica_layout_text(row, &value, &out);
    ck_assert(!out.overflow);
    ck_assert_uint_lt(out.len, sizeof text);
    if (out.len > 0)
        memcpy(text, out.ptr, out.len);
    text[out.len] = '\0';
    return text;
}

// ---- Rows ------------------------------------------------------------------------

START_TEST(each_layout_is_found_by_its_name)
{
    static const char *const names[MICA_LAYOUTS] = {
        "message", "card",  "list",   "carousel",
        "table",   "chart", "detail", "form"};

    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        const struct mica_app_layout_row *row =
            mica_app_layout_find(mica_text(names[i]));
        ck_assert_ptr_eq(row, &mica_app_layouts[i]);
        ck_assert_uint_eq(row->layout, i);
        ck_assert_uint_eq(row->title.len, strlen(row->title.ptr));
        ck_assert_uint_gt(row->summary.len, 0);
        ck_assert_uint_gt(row->seen.len, 0);
    }
    ck_assert_ptr_null(mica_app_layout_find(MICA_LITERAL("Card")));
    ck_assert_ptr_null(mica_app_layout_find(MICA_LITERAL("")));
    ck_assert_ptr_null(mica_app_layout_find(MICA_LITERAL("card\0x")));
}
END_TEST

START_TEST(mock_data_is_what_its_schema_allows)
{
    begin();
    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        const struct mica_app_layout_row *row = &mica_app_layouts[i];
        struct mica_json mock = parsed(row->mock);
        struct mica_schema_report report;
        ck_assert_msg(mica_schema_validate(compiled(row), &mock, NULL, &arena,
                                           &report) == MICA_OK,
                      "%s: %.*s", row->name.ptr,
                      MICA_ARG(report.errors[0].message));
        ck_assert_uint_lt(row->mock.len, 64 << 10);
    }
    end();
}
END_TEST

// What any validator of any client shall understand: no references, no formats; what can
// grow has a bound.
static void
check_schema(const struct mica_json *schema, const char *name)
{
    const struct mica_json *type = mica_json_get(schema, "type");
    bool string = false, object = false, array = false;

    ck_assert_msg(mica_json_get(schema, "$ref") == NULL &&
                      mica_json_get(schema, "format") == NULL,
                  "%s: %.*s", name, MICA_ARG(schema->raw));
    for (size_t i = 0;
         type != NULL && type->kind == MICA_JSON_ARRAY && i < type->count; i++)
        string |= mica_text_is(type->items[i].text, "string");
    if (type != NULL && type->kind == MICA_JSON_STRING) {
        string = mica_text_is(type->text, "string");
        object = mica_text_is(type->text, "object");
        array = mica_text_is(type->text, "array");
    }
    if (type == NULL)
        ck_assert_msg(mica_json_get(schema, "enum") != NULL, "%s: %.*s", name,
                      MICA_ARG(schema->raw));
    if (string)
        ck_assert_msg(
            mica_json_get(schema, "maxLength") != NULL ||
                mica_text_is(mica_json_get_text(schema, "pattern"),
                             "^[A-Z]{3}$") ||
                mica_text_starts(mica_json_get_text(schema, "pattern"),
                                 "^[A-Za-z][A-Za-z0-9_]{0,63}$"),
            "%s: %.*s", name, MICA_ARG(schema->raw));
    if (array) {
        ck_assert_msg(mica_json_get(schema, "maxItems") != NULL, "%s: %.*s",
                      name, MICA_ARG(schema->raw));
        check_schema(mica_json_get(schema, "items"), name);
    }
    if (object) {
        const struct mica_json *members = mica_json_get(schema, "properties");
        const struct mica_json *rest =
            mica_json_get(schema, "additionalProperties");
        ck_assert_ptr_nonnull(rest);
        if (rest->kind == MICA_JSON_OBJECT) {
            ck_assert_ptr_nonnull(mica_json_get(schema, "maxProperties"));
            check_schema(rest, name);
        } else {
            ck_assert_uint_eq(rest->kind, MICA_JSON_FALSE);
        }
        for (size_t i = 0; members != NULL && i < members->count; i++)
            check_schema(&members->members[i].value, name);
    }
}

START_TEST(schemas_are_closed_and_bounded)
{
    begin();
    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        struct mica_json schema = parsed(mica_app_layouts[i].schema);
        ck_assert(mica_text_is(mica_json_get_text(&schema, "$schema"),
                               "https://json-schema.org/draft/2020-12/schema"));
        ck_assert(mica_text_is(mica_json_get_text(&schema, "type"), "object"));
        check_schema(&schema, mica_app_layouts[i].name.ptr);
    }
    end();
}
END_TEST

START_TEST(what_no_widget_could_show_is_invalid)
{
    static const struct {
        enum mica_app_layout layout;
        const char *json;
    } bad[] = {
        {MICA_LAYOUT_MESSAGE, "{}"},
        {MICA_LAYOUT_MESSAGE, "{\"text\":1}"},
        {MICA_LAYOUT_MESSAGE, "{\"text\":\"a\",\"more\":1}"},
        {MICA_LAYOUT_MESSAGE,
         "{\"text\":\"a\",\"links\":[{\"label\":\"a\",\"url\":\"javascript:1\"}]}"},
        {MICA_LAYOUT_CARD, "{\"title\":\"\"}"},
        {MICA_LAYOUT_CARD,
         "{\"title\":\"a\",\"image\":{\"src\":\"http://a.example/"
         "b.png\",\"alt\":\"\"}}"},
        {MICA_LAYOUT_CARD,
         "{\"title\":\"a\",\"image\":{\"src\":\"data:text/html,x\","
         "\"alt\":\"\"}}"},
        {MICA_LAYOUT_CARD,
         "{\"title\":\"a\",\"image\":{\"src\":\"https://a.example/b.png\"}}"},
        {MICA_LAYOUT_LIST, "{\"items\":[{}]}"},
        {MICA_LAYOUT_LIST, "{\"items\":[{\"title\":\"a\",\"price\":1e400}]}"},
        {MICA_LAYOUT_TABLE, "{\"columns\":[],\"rows\":[]}"},
        {MICA_LAYOUT_TABLE, "{\"columns\":[{\"key\":\"a\",\"title\":\"A\"}],"
                            "\"rows\":[{\"__proto__\":1}]}"},
        {MICA_LAYOUT_TABLE, "{\"columns\":[{\"key\":\"a\",\"title\":\"A\"}],"
                            "\"rows\":[{\"a\":{}}]}"},
        {MICA_LAYOUT_CHART, "{\"labels\":[1],\"series\":[]}"},
        {MICA_LAYOUT_DETAIL, "{\"title\":\"a\"}"},
        {MICA_LAYOUT_FORM,
         "{\"title\":\"a\",\"fields\":[{\"name\":\"a b\",\"label\":\"a\"}]}"},
    };

    begin();
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!is_valid(&mica_app_layouts[bad[i].layout], bad[i].json),
                      "%s", bad[i].json);
    ck_assert(is_valid(&mica_app_layouts[MICA_LAYOUT_LIST],
                       "{\"items\":[{\"title\":\"Widget Pro\",\"price\":"
                       "\"$99.99\",\"badge\":\"New\"}]}"));
    end();
}
END_TEST

// ---- Text ------------------------------------------------------------------------

START_TEST(each_layout_has_words)
{
    begin();
    ck_assert_str_eq(text_of("message",
                             "{\"title\":\"A\",\"text\":\"b\\nc\","
                             "\"points\":[\"d\",\"e\"],\"links\":[{"
                             "\"label\":\"f\",\"url\":\"https://g\"}]}"),
                     "A\n\nb\nc\n\n- d\n- e\n\nf: https://g");
    ck_assert_str_eq(
        text_of(
            "card",
            "{\"title\":\"A\",\"badge\":\"New\",\"subtitle\":\"s\",\"body\":"
            "\"b\",\"facts\":[{\"label\":\"p\",\"value\":128,\"format\":"
            "\"currency\",\"currency\":\"EUR\"},{\"label\":\"q\",\"value\":"
            "0.25,\"format\":\"percent\"},{\"label\":\"r\",\"value\":true}],"
            "\"footer\":\"f\"}"),
        "A (New)\ns\n\nb\n\np: 128.00 EUR\nq: 25%\nr: yes\n\nf");
    ck_assert_str_eq(
        text_of("list",
                "{\"currency\":\"JPY\",\"items\":[{\"title\":\"A\",\"price\":"
                "1200,\"badge\":\"New\"},{\"title\":\"B\",\"price\":\"$1\","
                "\"subtitle\":\"s\"}],\"more\":\"2 more\"}"),
        "1. A, 1200 JPY (New)\n2. B, $1\n   s\n\n2 more");
    ck_assert_str_eq(text_of("carousel", "{\"title\":\"T\",\"items\":[]}"),
                     "T\n\nNothing to show.");
    ck_assert_str_eq(
        text_of("table",
                "{\"title\":\"T\",\"columns\":[{\"key\":\"a\",\"title\":"
                "\"A\"},{\"key\":\"b\",\"title\":\"B\",\"format\":"
                "\"percent\"}],\"rows\":[{\"a\":\"x\",\"b\":0.5},{\"a\":"
                "null}]}"),
        "T\n\nA | B\nx | 50%\n | ");
    ck_assert_str_eq(
        text_of("chart",
                "{\"title\":\"T\",\"labels\":[\"Mo\",\"Tu\"],\"unit\":"
                "\"kWh\",\"series\":[{\"name\":\"A\",\"values\":[1.5]}]}"),
        "T\n\nIn kWh\nMo: A 1.5\nTu: A –");
    ck_assert_str_eq(
        text_of(
            "detail",
            "{\"title\":\"T\",\"steps\":[{\"title\":\"a\",\"state\":\"done\"},{"
            "\"title\":\"b\",\"time\":\"now\"}],\"sections\":[{\"title\":\"S\","
            "\"facts\":[{\"label\":\"l\",\"value\":\"v\"}]}]}"),
        "T\n\n[x] a\n[ ] b, now\n\nS\n\nl: v");
    ck_assert_str_eq(
        text_of("form",
                "{\"title\":\"T\",\"fields\":[{\"name\":\"a\",\"label\":\"A\","
                "\"required\":true},{\"name\":\"b\",\"label\":\"B\","
                "\"options\":[\"x\",\"y\"]}]}"),
        "T\n\n- A (required)\n- B: x, y");
    end();
}
END_TEST

START_TEST(mock_data_of_each_layout_has_words)
{
    begin();
    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        const char *text =
            text_of(mica_app_layouts[i].name.ptr, mica_app_layouts[i].mock.ptr);
        ck_assert_uint_gt(strlen(text), 40);
        ck_assert_ptr_null(strstr(text, "data:image"));
        ck_assert_ptr_null(strstr(text, "Nothing to show"));
    }
    end();
}
END_TEST

START_TEST(marks_that_mislead_are_left_out)
{
    begin();
    ck_assert_str_eq(text_of("message", "{\"title\":\"a\\u202eb\\nc\\u0000d\","
                                        "\"text\":\"e\\u2066\\u001b[31mf\"}"),
                     "ab cd\n\ne[31mf");
    end();
}
END_TEST

START_TEST(a_text_that_is_too_long_says_so)
{
    struct mica_buffer json;

    begin();
    mica_buffer_init(&json, &arena, 4 << 20);
    mica_buffer_text(&json, MICA_LITERAL("{\"items\":["));
    for (int i = 0; i < 100; i++)
        mica_buffer_format(
            &json, "%s{\"title\":\"%0200d\",\"description\":\"%0900d\"}",
            i == 0 ? "" : ",", i, i);
    mica_buffer_text(&json, MICA_LITERAL("]}"));
    mica_buffer_char(&json, '\0');
    const char *text = text_of("list", json.ptr);
    ck_assert_uint_le(strlen(text), MICA_LAYOUT_TEXT_BYTES);
    ck_assert_uint_gt(strlen(text), MICA_LAYOUT_TEXT_BYTES - 8);
    ck_assert_str_eq(text + strlen(text) - 11, "s left out.");
    end();
}
END_TEST

START_TEST(data_of_any_shape_has_a_text)
{
    static const char *const shapes[] = {
        "null",
        "[]",
        "1",
        "\"a\"",
        "{}",
        "{\"items\":1,\"rows\":[1,[],null],\"columns\":[1,{\"key\":2}],"
        "\"labels\":[1,null],\"series\":[{\"values\":{}},1],\"fields\":[[]],"
        "\"steps\":[null],\"sections\":[1],\"facts\":[{\"value\":1e400,"
        "\"format\":\"currency\",\"currency\":\"XX\"}],\"links\":[1],"
        "\"points\":[{}],\"title\":[],\"text\":1}"};

    begin();
    for (size_t i = 0; i < MICA_COUNT(shapes); i++) {
        for (size_t j = 0; j < MICA_LAYOUTS; j++)
            ck_assert_uint_lt(
                strlen(text_of(mica_app_layouts[j].name.ptr, shapes[i])), 400);
    }
    end();
}
END_TEST

// ---- Origins ---------------------------------------------------------------------

START_TEST(origins_of_images_are_found_once)
{
    struct mica_text origins[MICA_LAYOUT_ORIGINS];

    begin();
    struct mica_json data = parsed(MICA_LITERAL(
        "{\"image\":{\"src\":\"https://a.example/b.png\"},\"items\":[{\"image\":{"
        "\"src\":\"https://a.example/c.png\"}},{\"image\":{\"src\":"
        "\"https://img.b.example:8443?d\"}},{\"image\":{\"src\":\"data:image/png,\"}},"
        "{\"image\":{\"src\":\"https://user@c.example/\"}},{\"image\":{\"src\":"
        "\"https://a;script-src *\"}},{\"image\":{\"src\":\"https://\"}},1]}"));
    ck_assert_uint_eq(mica_layout_origins(&data, origins), 2);
    ck_assert(mica_text_is(origins[0], "https://a.example"));
    ck_assert(mica_text_is(origins[1], "https://img.b.example:8443"));
    ck_assert_uint_eq(mica_layout_origins(NULL, origins), 0);
    end();
}
END_TEST

START_TEST(origins_have_a_limit)
{
    struct mica_text origins[MICA_LAYOUT_ORIGINS];
    struct mica_buffer json;

    begin();
    mica_buffer_init(&json, &arena, 1 << 20);
    mica_buffer_text(&json, MICA_LITERAL("{\"items\":["));
    for (int i = 0; i < MICA_LAYOUT_ORIGINS + 5; i++)
        mica_buffer_format(&json,
                           "%s{\"image\":{\"src\":\"https://h%d.example/\"}}",
                           i == 0 ? "" : ",", i);
    mica_buffer_text(&json, MICA_LITERAL("]}"));
    struct mica_json data = parsed(mica_buffer_as_text(&json));
    ck_assert_uint_eq(mica_layout_origins(&data, origins), MICA_LAYOUT_ORIGINS);
    end();
}
END_TEST

UNIT_MAIN("layout", each_layout_is_found_by_its_name,
          mock_data_is_what_its_schema_allows, schemas_are_closed_and_bounded,
          what_no_widget_could_show_is_invalid, each_layout_has_words,
          mock_data_of_each_layout_has_words, marks_that_mislead_are_left_out,
          a_text_that_is_too_long_says_so, data_of_any_shape_has_a_text,
          origins_of_images_are_found_once, origins_have_a_limit)
