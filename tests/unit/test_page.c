// SPDX-License-Identifier: Apache-2.0
//
// What pages are made of: forms and engines' modules from schemas; and that
// nothing from outside becomes a part of them.
#include <string.h>

#include "page/assets.h"
#include "page/engine.h"
#include "page/html.h"
#include "page/label.h"
#include "page/page_form.h"
#include "page/site.h"
#include "test_record.h"

static struct mica_arena arena;

static struct mica_buffer
text(void)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, &arena, 1 << 20);
    return buffer;
}

static const char *
ended(struct mica_buffer *buffer)
{
    mica_buffer_char(buffer, '\0');
    ck_assert(!buffer->overflow && !arena.overflow);
    return buffer->ptr;
}

static const char *
form_of(const char *propertiesz)
{
    struct mica_buffer schema = text(), out = text();
    mica_buffer_format(&schema, "{\"type\":\"object\",\"properties\":{%s}}",
                       propertiesz);
    struct mica_json value = read_json(&arena, ended(&schema));
    mica_form_write(&out, &value, "f", false);
    return ended(&out);
}

static void
has(const char *html, const char *part)
{
    ck_assert_msg(strstr(html, part) != NULL, "no %s in\n%s", part, html);
}

START_TEST(nothing_in_a_schema_becomes_html)
{
    mica_arena_init(&arena, 1 << 22);
    const char *html = form_of(
        "\"<b>\\\"'&\":{\"type\":\"string\",\"description\":\"<script>\","
        "\"default\":\"\\\"><img>\",\"x-unit\":\"<u>\",\"pattern\":\"x\"},"
        "\"c\":{\"type\":\"string\",\"enum\":[\"</select><i>\"]},"
        "\"d\":{\"default\":\"</textarea><i>\"}");
    static const char *const none[] = {"<b>", "<i>", "<img", "<script", "<u>"};
    for (size_t i = 0; i < MICA_COUNT(none); i++)
        ck_assert_ptr_null(strstr(html, none[i]));
    has(html, "data-name=\"&lt;b&gt;&quot;&#39;&amp;\"");
    has(html, "value=\"&quot;&gt;&lt;img&gt;\"");
    has(html, "&lt;/textarea&gt;");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(every_field_has_a_label_help_and_a_place_for_its_fault)
{
    mica_arena_init(&arena, 1 << 22);
    const char *html =
        form_of("\"first_day\":{\"type\":\"string\","
                "\"format\":\"date\",\"description\":\"When.\"}");
    has(html, "<label for=\"f-0\">First day</label>");
    has(html, "type=\"date\"");
    has(html, "id=\"f-0\" aria-describedby=\"f-0-help f-0-error\"");
    has(html, "id=\"f-0-help\">When. Optional.</p>");
    has(html, "<p class=\"error\" hidden id=\"f-0-error\"></p>");
    // Words that say it themselves.
    html = form_of("\"context\":{\"type\":\"object\",\"description\":"
                   "\"Additional context (Optional)\"}");
    has(html, "Additional context (Optional)</p>");
    mica_arena_fini(&arena);
}
END_TEST

static const char *
label_of(const char *namez, const char *titlez)
{
    struct mica_buffer out = text(), schema = text();
    mica_buffer_format(&schema, titlez != NULL ? "{\"title\":\"%s\"}" : "{}",
                       titlez);
    struct mica_json value = read_json(&arena, ended(&schema));
    mica_label_write(&out, &value, mica_text(namez));
    return ended(&out);
}

START_TEST(names_become_words_and_units)
{
    mica_arena_init(&arena, 1 << 22);
    ck_assert_str_eq(label_of("first_payment", NULL), "First payment");
    ck_assert_str_eq(label_of("annual_rate_percent", NULL), "Annual rate");
    ck_assert_str_eq(label_of("percent", NULL), "Percent");
    ck_assert_str_eq(label_of("row_id", NULL), "Row ID");
    ck_assert_str_eq(label_of("csv", NULL), "CSV");
    ck_assert_str_eq(label_of("flightId", NULL), "Flight ID");
    ck_assert_str_eq(label_of("seatPreference", NULL), "Seat preference");
    ck_assert_str_eq(label_of("parseURLs", NULL), "Parse URLs");
    ck_assert_str_eq(label_of("", NULL), "");
    ck_assert_str_eq(label_of("business_days", NULL), "Business days");
    ck_assert_str_eq(label_of("x", "Across & up"), "Across &amp; up");
    UNIT_TEXT_EQ(mica_label_unit(mica_text("term_months")), "months");
    UNIT_TEXT_EQ(mica_label_unit(mica_text("tip_percent")), "%");
    UNIT_TEXT_EQ(mica_label_unit(mica_text("percent")), "");
    UNIT_TEXT_EQ(mica_label_unit(mica_text("amount")), "");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(people_read_the_first_sentence)
{
    UNIT_TEXT_EQ(mica_label_sentence(mica_text("One. Two.")), "One.");
    UNIT_TEXT_EQ(mica_label_sentence(mica_text("E.g. 2.5 of it. Two.")),
                 "E.g. 2.5 of it.");
    UNIT_TEXT_EQ(mica_label_sentence(mica_text("A code (e.g. EUR). More.")),
                 "A code (e.g. EUR).");
    UNIT_TEXT_EQ(mica_label_sentence(mica_text("Really? Yes.")), "Really?");
    UNIT_TEXT_EQ(mica_label_sentence(mica_text("No end")), "No end");
    UNIT_TEXT_EQ(mica_label_sentence(mica_text("")), "");
}
END_TEST

START_TEST(few_choices_are_radio_buttons_and_numbers_have_their_unit)
{
    mica_arena_init(&arena, 1 << 22);
    const char *html =
        form_of("\"mode\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"],"
                "\"default\":\"b\"},\"code\":{\"type\":\"string\"},"
                "\"sum\":{\"type\":\"number\",\"x-unit\":\"code\"},"
                "\"rate_percent\":{\"type\":\"number\"},"
                "\"yes\":{\"type\":\"boolean\"}");
    has(html,
        "role=\"radiogroup\" class=\"segments\" aria-labelledby=\"f-0-label\"");
    has(html, "name=\"f-0\" value=\"b\" checked><span>b</span>");
    has(html, "data-unit=\"code\"></span>");
    has(html, "id=\"f-3-unit\">%</span>");
    has(html, "value=\"\" checked><span>Not given</span>");
    html = form_of("\"unit\":{\"type\":\"string\",\"enum\":[\"a\",\"b\",\"c\","
                   "\"d\",\"e\"]}");
    has(html, "<select");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_bound_that_every_integer_has_is_not_said)
{
    mica_arena_init(&arena, 1 << 22);
    const char *html = form_of("\"a\":{\"type\":\"integer\",\"minimum\":"
                               "-9007199254740991,\"maximum\":"
                               "9007199254740991}");
    ck_assert_ptr_null(strstr(html, "At least"));
    ck_assert_ptr_null(strstr(html, "At most"));
    has(form_of("\"a\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":"
                "9007199254740991}"),
        "At least 1.");
    has(form_of("\"a\":{\"type\":\"integer\",\"maximum\":"
                "900719925474099}"),
        "At most 900\u202f719\u202f925\u202f474\u202f099.");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(lists_of_values_and_of_plain_records_are_grids)
{
    mica_arena_init(&arena, 1 << 22);
    has(form_of("\"values\":{\"type\":\"array\",\"items\":{\"type\":"
                "\"number\"}}"),
        "data-columns=\"1\"");
    const char *html =
        form_of("\"points\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
                "\"properties\":{\"x\":{\"type\":\"number\"},\"y\":{\"type\":"
                "\"number\"}},\"required\":[\"x\"]}}");
    has(html, "data-columns=\"2\"");
    has(html, "<span data-column=\"y\">Y</span>");
    has(html, "aria-label=\"Remove from Points\">×</button>");
    html =
        form_of("\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\","
                "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
                "\"properties\":{\"x\":{}}}}}}");
    ck_assert_ptr_null(strstr(html, "data-columns"));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(items_are_templates_with_ids_of_their_own)
{
    mica_arena_init(&arena, 1 << 22);
    const char *html =
        form_of("\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\","
                "\"items\":{\"type\":\"object\",\"properties\":{\"x\":{"
                "\"type\":\"number\"}},\"required\":[\"x\"]}}},"
                "\"map\":{\"type\":\"object\",\"additionalProperties\":{"
                "\"type\":\"boolean\"}}");
    has(html, "<template data-nesting=\"1\">");
    has(html, "<template data-nesting=\"2\">");
    has(html, "id=\"f-0-#1-#2-0\"");
    has(html, "data-key");
    has(html, "for=\"f-1-#1-key\"");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_nests_without_end_is_written_as_json)
{
    struct mica_buffer deep;
    mica_arena_init(&arena, 1 << 24);
    deep = text();
    for (int i = 0; i < 20; i++)
        mica_buffer_format(&deep,
                           "\"a\":{\"type\":\"object\",\"properties\":{");
    mica_buffer_format(&deep, "\"b\":{\"type\":\"number\"}");
    for (int i = 0; i < 20; i++)
        mica_buffer_format(&deep, "}}");
    const char *html = form_of(ended(&deep));
    has(html, "data-kind=\"any\"");
    ck_assert_ptr_null(strstr(html, "data-name=\"b\""));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_engines_module_names_its_files_by_their_hashes)
{
    struct mica_page_engine engine;
    struct mica_buffer out;
    struct mica_error error;
    mica_arena_init(&arena, 1 << 22);
    struct mica_json manifest = read_json(
        &arena, "{\"slug\":\"two-words\",\"description\":\"</script>\\u2028\","
                "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
                "\"__proto__\":{\"type\":\"number\"}}},\"examples\":[],"
                "\"limits\":{\"memory_bytes\":65536},"
                "\"sha256\":\"0123456789abcdef0123\",\"twin\":\"fedcba98765432"
                "10\"}");
    mica_page_engine_read(&manifest, &engine);
    out = text();
    mica_page_engine_module(&engine, &out);
    const char *module = ended(&out);
    has(module, "\"two-words.wasm?v=0123456789abcdef\"");
    has(module, "\"two-words.twin.js?v=fedcba9876543210\"");
    has(module, "memoryBytes: 65536");
    has(module, "\\\"__proto__\\\"");
    out = text();
    ck_assert_int_eq(mica_page_engine_types(&engine, &arena, &error, &out),
                     MICA_OK);
    const char *types = ended(&out);
    has(types, "export type Input = {\n    __proto__?: number;\n");
    has(types, "export type Output = undefined;\n");
    // A misspelt name of what it gives does not compile.
    engine.output_schema =
        MICA_LITERAL("{\"type\":\"object\",\"properties\":{\"sum\":"
                     "{\"type\":\"number\"}},\"required\":[\"sum\"]}");
    out = text();
    ck_assert_int_eq(mica_page_engine_types(&engine, &arena, &error, &out),
                     MICA_OK);
    has(ended(&out), "export type Output = {\n    sum: number;\n};\n");
    engine.fallback_sha256.len = 0;
    out = text();
    mica_page_engine_module(&engine, &out);
    ck_assert_ptr_null(strstr(ended(&out), "twin"));
    mica_arena_fini(&arena);
}
END_TEST

static const char *
catalog_of(struct mica_definition **tools, size_t count)
{
    struct mica_catalog catalog = {0};
    struct mica_buffer out = text();
    const struct mica_site site = {.root = MICA_LITERAL("./"),
                                   .namez = "x",
                                   .titlez = "X",
                                   .versionz = "1"};

    catalog.lists[MICA_DEFINITION_TOOL].items = tools;
    catalog.lists[MICA_DEFINITION_TOOL].count = count;
    mica_page_catalog(&site, &catalog, &out);
    return ended(&out);
}

START_TEST(tools_without_a_category_come_last_and_alone_without_a_head)
{
    struct mica_definition plain = {.name = MICA_LITERAL("greet")};
    struct mica_definition math = {.name = MICA_LITERAL("add"),
                                   .category = MICA_LITERAL("math")};
    struct mica_definition *both[] = {&plain, &math};
    const char *html;

    mica_arena_init(&arena, 1 << 22);
    html = catalog_of(both, 2);
    has(html, ">Other tools</h2>");
    ck_assert(strstr(html, ">Other tools</h2>") > strstr(html, ">math</h2>"));
    html = catalog_of(both, 1);
    has(html, "<b>greet</b>");
    ck_assert_ptr_null(strstr(html, "Other tools"));
    has(catalog_of(both + 1, 1), ">math</h2>");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(bounds_are_written_for_people)
{
    mica_arena_init(&arena, 1 << 22);
    has(form_of("\"a\":{\"type\":\"integer\",\"minimum\":-12345,"
                "\"maximum\":9007199254740991}"),
        " At least -12\u202f345. Optional.");
    has(form_of("\"a\":{\"type\":\"number\",\"minimum\":1234,"
                "\"maximum\":1234567.5}"),
        " 1234 to 1\u202f234\u202f567.5. Optional.");
    ck_assert_ptr_null(strstr(
        form_of("\"a\":{\"type\":\"number\",\"maximum\":1e+100}"), "100"));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(the_files_of_pages_are_inside)
{
    const struct mica_asset *asset =
        mica_asset_find(&mica_page_assets, MICA_LITERAL("page.js"));
    ck_assert_ptr_nonnull(asset);
    ck_assert(asset->bytes.len > asset->gzip.len && asset->gzip.len > 100);
    ck_assert_uint_eq(strlen(asset->sha256), 64);
    ck_assert_ptr_null(
        mica_asset_find(&mica_page_assets, MICA_LITERAL("page")));
}
END_TEST

UNIT_MAIN("page", nothing_in_a_schema_becomes_html,
          every_field_has_a_label_help_and_a_place_for_its_fault,
          names_become_words_and_units, people_read_the_first_sentence,
          few_choices_are_radio_buttons_and_numbers_have_their_unit,
          a_bound_that_every_integer_has_is_not_said,
          lists_of_values_and_of_plain_records_are_grids,
          items_are_templates_with_ids_of_their_own,
          what_nests_without_end_is_written_as_json,
          an_engines_module_names_its_files_by_their_hashes,
          tools_without_a_category_come_last_and_alone_without_a_head,
          bounds_are_written_for_people, the_files_of_pages_are_inside)
