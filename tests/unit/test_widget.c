// SPDX-License-Identifier: Apache-2.0
//
// The document of a widget, its addresses, and what is said of it. What it does in a browser
// is in tests/apps/widgets.mjs.
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "apps/theme_defaults.h"
#include "apps/widget.h"
#include "apps/widget_assets.h"
#include "view/view_document.h"
#include "view/view_meta.h"

static struct mica_arena arena;
static struct mica_error error;

static void
begin(void)
{
    mica_arena_init(&arena, 16 << 20);
}

static void
end(void)
{
    mica_arena_fini(&arena);
}

static enum mica_status
written(const struct mica_widget_parts *parts, struct mica_text *html_out)
{
    struct mica_buffer html;
    enum mica_status status;

    mica_buffer_init(&html, &arena, 1 << 20);
    status = mica_widget_write(parts, &arena, &error, &html);
    mica_buffer_char(&html, '\0');
    *html_out = (struct mica_text){html.ptr, html.len - 1};
    return status;
}

static struct mica_widget_parts
parts_of(enum mica_app_layout layout)
{
    return (struct mica_widget_parts){.layout = &mica_app_layouts[layout],
                                      .title = MICA_LITERAL("An app")};
}

static size_t
count_of(struct mica_text html, const char *partz)
{
    size_t count = 0;

    for (const char *at = html.ptr; (at = strstr(at, partz)) != NULL; at++)
        count++;
    return count;
}

// ---- The document ----------------------------------------------------------------

START_TEST(each_layout_has_a_document_that_loads_nothing)
{
    struct mica_text html, again;

    begin();
    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        struct mica_widget_parts parts = parts_of((enum mica_app_layout)i);
        struct mica_view view;
        mica_widget_view(parts.layout, NULL, &view);
        ck_assert_uint_eq(written(&parts, &html), MICA_OK);
        ck_assert_uint_eq(count_of(html, "url("), 0);
        parts.data = parts.layout->mock;
        ck_assert_uint_eq(written(&parts, &html), MICA_OK);
        ck_assert_uint_eq(written(&parts, &again), MICA_OK);
        ck_assert(mica_text_equal(html, again));
        ck_assert_uint_eq(mica_view_undeclared(&view, html).len, 0);
        ck_assert_uint_eq(count_of(html, "<script"), 2);
        ck_assert_uint_eq(count_of(html, "<style"), 1);
        ck_assert_uint_eq(count_of(html, " src="), 0);
        ck_assert_uint_eq(count_of(html, "eval("), 0);
        ck_assert_uint_eq(count_of(html, "innerHTML"), 0);
        ck_assert_uint_eq(count_of(html, " onclick="), 0);
        ck_assert_uint_eq(count_of(html, "fetch("), 0);
        ck_assert_uint_eq(count_of(html, "WebAssembly"), 0);
    }
    end();
}
END_TEST

START_TEST(words_and_data_stay_what_they_are)
{
    static const char harm[] = "</title></script><script>alert(1)</script>"
                               "<!-- \"' & \xe2\x80\xa8";
    struct mica_widget_parts parts = parts_of(MICA_LAYOUT_MESSAGE);
    struct mica_buffer json;
    struct mica_text html;

    begin();
    mica_buffer_init(&json, &arena, 1 << 12);
    mica_buffer_text(&json, MICA_LITERAL("{\"text\":\""));
    mica_json_escape(&json, mica_text(harm));
    mica_buffer_text(&json, MICA_LITERAL("\", \"</script>\":1}"));
    parts.title = mica_text(harm);
    parts.tool = mica_text(harm);
    parts.data = mica_buffer_as_text(&json);
    ck_assert_uint_eq(written(&parts, &html), MICA_OK);
    ck_assert_uint_eq(count_of(html, "</script>"), 2);
    ck_assert_uint_eq(count_of(html, "</title>"), 1);
    ck_assert_uint_eq(count_of(html, "<script>"), 0);
    ck_assert_uint_eq(count_of(html, "<!--"), 0);
    ck_assert_uint_eq(count_of(html, "\\u003c/script>\":1}</script>"), 1);
    parts.data = (struct mica_text){NULL, 0};
    parts.failure = mica_text(harm);
    ck_assert_uint_eq(written(&parts, &html), MICA_OK);
    ck_assert_uint_eq(count_of(html, "</script>"), 2);
    ck_assert_uint_eq(count_of(html, "id=\"failure\">\"\\u003c/title>"), 1);
    end();
}
END_TEST

START_TEST(a_theme_is_written_only_where_it_is_right)
{
    struct mica_widget_parts parts = parts_of(MICA_LAYOUT_CARD);
    struct mica_json theme;
    struct mica_text html;

    begin();
    ck_assert_uint_eq(
        mica_json_read(&arena,
                       MICA_LITERAL("{\"--color-text-primary\":\"#123456\","
                                    "\"--font-sans\":\"x}</style>\","
                                    "\"--other\":\"red\"}"),
                       NULL, &error, &theme),
        MICA_OK);
    parts.theme = &theme;
    ck_assert_uint_eq(written(&parts, &html), MICA_OK);
    ck_assert_uint_eq(
        count_of(html, "body{--color-text-primary:#123456;}</style>"), 1);
    ck_assert_uint_eq(count_of(html, "--other"), 0);
    end();
}
END_TEST

START_TEST(what_is_wrong_with_the_parts_is_an_error)
{
    struct mica_widget_parts parts = parts_of(MICA_LAYOUT_CARD);
    struct mica_buffer json;
    struct mica_text html;

    begin();
    parts.data = MICA_LITERAL("{\"title\":");
    ck_assert_uint_eq(written(&parts, &html), MICA_E_JSON);
    mica_buffer_init(&json, &arena, 1 << 20);
    mica_buffer_text(&json, MICA_LITERAL("{\"title\":\""));
    for (size_t i = 0; i < MICA_WIDGET_BYTES - 1000; i++)
        mica_buffer_char(&json, 'a');
    mica_buffer_text(&json, MICA_LITERAL("\"}"));
    parts.data = mica_buffer_as_text(&json);
    ck_assert_uint_eq(written(&parts, &html), MICA_E_LIMIT);
    ck_assert_str_eq(error.code, "LIMIT_EXCEEDED");
    end();
}
END_TEST

// Each variable that a style sheet uses has a default, and no default is unused.
START_TEST(styles_and_defaults_name_the_same_variables)
{
    struct mica_buffer all, defaults;

    begin();
    mica_buffer_init(&all, &arena, 1 << 20);
    for (size_t i = 0; i < mica_widget_assets.count; i++)
        mica_buffer_text(&all, mica_widget_assets.items[i].bytes);
    mica_buffer_char(&all, '\0');
    for (const char *at = all.ptr; (at = strstr(at, "var(--")) != NULL;) {
        char name[64], set[80];
        at += 4;
        size_t size = strcspn(at, ",)");
        ck_assert_uint_lt(size, sizeof name);
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        snprintf(set, sizeof set, "%s:", name);
        ck_assert_msg(mica_theme_default(name) != NULL ||
                          strstr(all.ptr, set) != NULL,
                      "%s has no default", name);
    }
    mica_buffer_init(&defaults, &arena, 1 << 16);
    mica_theme_write_defaults(&defaults);
    mica_buffer_char(&defaults, '\0');
    for (char *at = defaults.ptr; *at != '\0'; at += strcspn(at, ";") + 1) {
        char used[80];
        snprintf(used, sizeof used, "var(%.*s", (int)strcspn(at, ":"), at);
        ck_assert_msg(strstr(all.ptr, used) != NULL, "%s is unused", used);
    }
    end();
}
END_TEST

// ---- Addresses -------------------------------------------------------------------

START_TEST(an_address_is_taken_apart_as_it_was_written)
{
    static const char *const bad[] = {
        "",
        "ui://widget/",
        "ui://widget/.html",
        "ui://widget/a",
        "ui://widget/a.htm",
        "ui://widget/a.html?",
        "ui://widget/a.html?v=",
        "ui://widget/a.html?v=0123456789abcde",
        "ui://widget/a.html?v=0123456789abcdef0",
        "ui://widget/a.html?v=0123456789abcdeF",
        "ui://widget/a.html?v=0123456789abcde/",
        "ui://widget/a.html?w=0123456789abcdef",
        "ui://widget/a.html#v",
        "ui://widgets/a.html",
        "UI://widget/a.html",
        "https://widget/a.html",
    };
    struct mica_buffer uri;
    struct mica_text slug, tag;

    begin();
    mica_buffer_init(&uri, &arena, 1 << 10);
    mica_widget_uri(&uri, MICA_LITERAL("my-app"),
                    MICA_LITERAL("0123456789abcdef0123456789abcdef"));
    ck_assert(mica_text_is(mica_buffer_as_text(&uri),
                           "ui://widget/my-app.html?v=0123456789abcdef"));
    ck_assert(mica_widget_uri_read(mica_buffer_as_text(&uri), &slug, &tag));
    ck_assert(mica_text_is(slug, "my-app"));
    ck_assert(mica_text_is(tag, "0123456789abcdef"));
    uri.len = 0;
    mica_widget_uri(&uri, MICA_LITERAL("my-app"), (struct mica_text){NULL, 0});
    ck_assert(
        mica_text_is(mica_buffer_as_text(&uri), "ui://widget/my-app.html"));
    ck_assert(mica_widget_uri_read(mica_buffer_as_text(&uri), &slug, &tag));
    ck_assert(mica_text_is(slug, "my-app"));
    ck_assert_uint_eq(tag.len, 0);
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!mica_widget_uri_read(mica_text(bad[i]), &slug, &tag),
                      "%s", bad[i]);
    end();
}
END_TEST

// ---- What is said of it ----------------------------------------------------------

START_TEST(both_vocabularies_stand_on_the_resource)
{
    static const char *const domains[] = {"https://img.example.com", NULL};
    struct mica_json_writer writer;
    struct mica_buffer meta;
    struct mica_view view;

    begin();
    mica_buffer_init(&meta, &arena, 1 << 12);
    mica_json_writer_init(&writer, &meta);
    mica_json_open_object(&writer);
    mica_widget_view(&mica_app_layouts[MICA_LAYOUT_CARD], domains, &view);
    mica_view_write_resource(&writer, &view);
    mica_json_close_object(&writer);
    mica_buffer_char(&meta, '\0');
    ck_assert_str_eq(
        meta.ptr,
        "{\"ui\":{\"csp\":{\"resourceDomains\":[\"https://img.example.com\"]},"
        "\"prefersBorder\":true},\"openai/widgetCSP\":{\"resource_domains\":["
        "\"https://img.example.com\"]},\"openai/widgetPrefersBorder\":true,"
        "\"openai/widgetDescription\":\"A card with a title, and a picture, "
        "text, facts and buttons if there are any.\"}");
    mica_widget_view(&mica_app_layouts[MICA_LAYOUT_CARD], &domains[1], &view);
    ck_assert_ptr_null(view.resource_domains);
    end();
}
END_TEST

UNIT_MAIN("widget", each_layout_has_a_document_that_loads_nothing,
          words_and_data_stay_what_they_are,
          a_theme_is_written_only_where_it_is_right,
          what_is_wrong_with_the_parts_is_an_error,
          styles_and_defaults_name_the_same_variables,
          an_address_is_taken_apart_as_it_was_written,
          both_vocabularies_stand_on_the_resource)
