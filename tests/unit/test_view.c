// SPDX-License-Identifier: Apache-2.0
//
// Views without a server: domains, declarations, documents, and what _meta says.
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <mica/json.h>

#include "registry/definition.h"
#include "view/view_check.h"
#include "view/view_document.h"
#include "view/view_meta.h"
#include "view/view_protocol.h"

// ---- Domains ---------------------------------------------------------------------

START_TEST(an_origin_is_a_domain)
{
    static const char *const fine[] = {"https://api.example.com",
                                       "wss://api.example.com:8443",
                                       "https://*.example.com",
                                       "http://localhost:3000",
                                       "ws://127.0.0.1:9",
                                       "http://[::1]:8080",
                                       "https://[::1]",
                                       "https://a-b.c9.example",
                                       "https://xn--bcher-kva.example"};

    for (size_t i = 0; i < MICA_COUNT(fine); i++) {
        const char *wrong = mica_view_domain_wrong(mica_text(fine[i]));
        ck_assert_msg(wrong == NULL, "%s %s", fine[i], wrong);
    }
}
END_TEST

START_TEST(what_could_change_a_policy_is_no_domain)
{
    static const struct {
        const char *domain, *says;
    } wrong[] = {{"", "empty"},
                 {"*", "https://"},
                 {"https:", "https://"},
                 {"'self'", "quote"},
                 {"'unsafe-eval'", "quote"},
                 {"https://a.example; script-src *", "';'"},
                 {"https://a.example,https://b.example", "','"},
                 {"https://a.example\n", "character"},
                 {"https://a.example \"", "character"},
                 {"https://a.ex\xc3\xa4mple", "character"},
                 {"https://a.example\x7f", "character"},
                 {"data:", "https://"},
                 {"blob:", "https://"},
                 {"javascript://a.example", "https://"},
                 {"HTTPS://a.example", "https://"},
                 {"http://api.example.com", "not this machine"},
                 {"ws://10.0.0.1", "not this machine"},
                 {"https://a.example/", "path"},
                 {"https://a.example/x", "path"},
                 {"https://a.example?x", "path"},
                 {"https://user@a.example", "host name"},
                 {"https://a.example:", "port"},
                 {"https://a.example:0", "port"},
                 {"https://a.example:65536", "port"},
                 {"https://a.example:999999", "port"},
                 {"https://example", "host name"},
                 {"https://*", "host name"},
                 {"https://*.com", "host name"},
                 {"https://a.*.example", "host name"},
                 {"https://**.example.com", "host name"},
                 {"https://-a.example", "host name"},
                 {"https://a-.example", "host name"},
                 {"https://a..example", "host name"},
                 {"https://.example.com", "host name"},
                 {"https://example.com.", "host name"}};
    char longest[400];

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        const char *why = mica_view_domain_wrong(mica_text(wrong[i].domain));
        ck_assert_msg(why != NULL, "\"%s\" was taken", wrong[i].domain);
        ck_assert_msg(strstr(why, wrong[i].says) != NULL, "\"%s\" %s",
                      wrong[i].domain, why);
    }
    (void)snprintf(longest, sizeof longest, "https://%0*d.example", 300, 1);
    ck_assert_ptr_nonnull(mica_view_domain_wrong(mica_text(longest)));
}
END_TEST

// ---- Declarations ----------------------------------------------------------------

#define AT_HOME MICA_DOMAINS("https://a.example.com")

START_TEST(a_declaration_that_cannot_be_served_is_refused)
{
    static const char *many[MICA_VIEW_DOMAINS + 2];
    const struct {
        struct mica_view view;
        const char *says;
    } wrong[] = {
        {{.name = NULL, .html = "x"}, "name of a view"},
        {{.name = "", .html = "x"}, "name of a view"},
        {{.name = "Chart", .html = "x"}, "a-z 0-9 _"},
        {{.name = "a/b", .html = "x"}, "name of a view"},
        {{.name = "chart"}, "either a .file"},
        {{.name = "chart", .html = "x", .file = "a.html"}, "either a .file"},
        {{.name = "chart", .file = "chart.htm"}, "chart.html"},
        {{.name = "chart", .file = ".html"}, ".file"},
        {{.name = "chart", .file = "../chart.html"}, ".file"},
        {{.name = "chart", .file = "a\\b.html"}, ".file"},
        {{.name = "chart", .html = "x", .domain = "a b"}, ".domain"},
        {{.name = "chart",
          .html = "x",
          .connect_domains = MICA_DOMAINS("https://a.example.com", "*")},
         "\"*\" in .connect_domains"},
        {{.name = "chart", .html = "x", .resource_domains = MICA_DOMAINS("")},
         ".resource_domains"},
        {{.name = "chart",
          .html = "x",
          .frame_domains = MICA_DOMAINS("http://a.example")},
         ".frame_domains"},
        {{.name = "chart",
          .html = "x",
          .base_uri_domains = MICA_DOMAINS("'self'")},
         ".base_uri_domains"},
        {{.name = "chart", .html = "x", .connect_domains = many},
         "more than 32"},
    };
    const struct mica_view fine = {
        .name = "chart_2", .file = "Chart 2.html", .connect_domains = AT_HOME};
    struct mica_error error;

    for (size_t i = 0; i <= MICA_VIEW_DOMAINS; i++)
        many[i] = "https://a.example.com";
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        memset(&error, 0, sizeof error);
        ck_assert_msg(mica_view_check(&wrong[i].view, &error) == MICA_E_USAGE,
                      "%zu was taken", i);
        ck_assert_msg(strstr(error.message, wrong[i].says) != NULL,
                      "%zu: no '%s' in: %s", i, wrong[i].says, error.message);
    }
    ck_assert_int_eq(mica_view_check(&fine, &error), MICA_OK);
}
END_TEST

START_TEST(a_document_has_a_size_and_is_text)
{
    static char large[MICA_VIEW_BYTES + 1];
    const struct mica_view view = {.name = "chart", .file = "chart.html"};
    struct mica_error error;

    memset(large, 'x', sizeof large);
    ck_assert_int_eq(
        mica_view_check_document(
            &view, (struct mica_text){large, MICA_VIEW_BYTES}, &error),
        MICA_OK);
    ck_assert_int_eq(
        mica_view_check_document(&view, (struct mica_text){large, sizeof large},
                                 &error),
        MICA_E_LIMIT);
    ck_assert_str_eq(error.code, "LIMIT_EXCEEDED");
    ck_assert_ptr_nonnull(strstr(error.message, "4194304"));
    ck_assert_int_eq(mica_view_check_document(&view, mica_text(""), &error),
                     MICA_E_USAGE);
    ck_assert_int_eq(
        mica_view_check_document(&view, mica_text("<p>\xff"), &error),
        MICA_E_USAGE);
    ck_assert_int_eq(
        mica_view_check_document(&view, (struct mica_text){"a\0b", 3}, &error),
        MICA_E_USAGE);
}
END_TEST

// ---- Documents -------------------------------------------------------------------

// The names of all tags, with a space behind each.
static const char *
tags_of(const char *documentz)
{
    static char names[1024];
    struct mica_text document = mica_text(documentz);
    struct mica_view_tag tag;
    size_t at = 0, length = 0;

    names[0] = '\0';
    while (mica_view_tag_next(document, &at, &tag))
        length += (size_t)snprintf(names + length, sizeof names - length,
                                   "%.*s ", MICA_ARG(tag.name));
    return names;
}

START_TEST(tags_are_found_where_a_browser_finds_them)
{
    ck_assert_str_eq(tags_of("<!doctype html><html><P class=a>x</p><br/>"),
                     "html P br ");
    ck_assert_str_eq(tags_of("<!-- <script src=x> --><b>"), "b ");
    ck_assert_str_eq(tags_of("<!-- <b>"), "");
    ck_assert_str_eq(tags_of("<script>if (a<b) '<i>'</script><u>"),
                     "script u ");
    ck_assert_str_eq(tags_of("<style>a<b{}</STYLE ><u>"), "style u ");
    ck_assert_str_eq(tags_of("<a title=\"1>2\" href='>'><b>"), "a b ");
    ck_assert_str_eq(tags_of("1 < 2 and <3 <"), "");
    ck_assert_str_eq(tags_of("<script>never closed <b>"), "script ");
    ck_assert_str_eq(tags_of("<a href=\"never closed><b>"), "a ");
}
END_TEST

START_TEST(an_attribute_is_read_as_it_is_quoted)
{
    struct mica_text document = mica_text(
        "<script  async SRC = 'a b' type=module data-src=c =x></script>");
    struct mica_view_tag tag;
    struct mica_text value;
    size_t at = 0;

    ck_assert(mica_view_tag_next(document, &at, &tag));
    ck_assert(mica_view_tag_is(&tag, "script"));
    ck_assert(mica_view_tag_attribute(&tag, "src", &value));
    ck_assert(mica_text_is(value, "a b"));
    ck_assert(mica_view_tag_attribute(&tag, "type", &value));
    ck_assert(mica_text_is(value, "module"));
    ck_assert(mica_view_tag_attribute(&tag, "async", &value));
    ck_assert_uint_eq(value.len, 0);
    ck_assert(!mica_view_tag_attribute(&tag, "href", &value));
    ck_assert_uint_eq(tag.begin, 0);
    ck_assert_uint_eq(tag.end, document.len);
    ck_assert(!mica_view_tag_next(document, &at, &tag));
}
END_TEST

static void
check_loads(const char *document, const char *undeclared)
{
    const struct mica_view view = {
        .name = "chart",
        .html = document,
        .resource_domains =
            MICA_DOMAINS("https://cdn.example.com", "https://*.wild.example")};
    struct mica_text found = mica_view_undeclared(&view, mica_text(document));

    ck_assert_msg(mica_text_is(found, undeclared), "%s: '%.*s'", document,
                  MICA_ARG(found));
}

START_TEST(what_a_document_loads_is_declared)
{
    check_loads("<script>1</script><style>a{}</style>", "");
    check_loads("<link rel=icon href=data:,>", "");
    check_loads("<script src=https://cdn.example.com/a.js></script>", "");
    check_loads("<link href='https://a.b.wild.example?x' rel=stylesheet>", "");
    check_loads("<script src=https://wild.example/a.js></script>",
                "https://wild.example/a.js");
    check_loads("<script src=https://cdn.example.com.evil.org/a></script>",
                "https://cdn.example.com.evil.org/a");
    check_loads("<script src=http://cdn.example.com/a.js></script>",
                "http://cdn.example.com/a.js");
    check_loads("<script src=//cdn.example.com/a.js></script>",
                "//cdn.example.com/a.js");
    check_loads("<b></b><SCRIPT SRC='app.js'></SCRIPT>", "app.js");
    check_loads("<link rel=stylesheet href=style.css>", "style.css");
    check_loads("<!-- <script src=x></script> -->", "");
}
END_TEST

START_TEST(what_a_script_or_a_style_loads_is_declared)
{
    check_loads("<script type=module>const a = await import(\n"
                "  'https://evil.example/a.js');</script>",
                "https://evil.example/a.js");
    check_loads("<script>import(`//evil.example/a.js`)</script>",
                "//evil.example/a.js");
    check_loads("<script type='module'>import('./a.js')</script>", "./a.js");
    check_loads("<script type=module>import('https://cdn.example.com/a')"
                "</script>",
                "");
    check_loads("<script type=module>export * from 'https://e.example/a'"
                "</script>",
                "https://e.example/a");
    check_loads("<script type=importmap>{\"imports\":{\"a\":\"//e.example\""
                "}}</script>",
                "//e.example");
    check_loads("<script type=importmap>{\"imports\":{\"a\":"
                "\"https://cdn.example.com/a\"}}</script>",
                "");
    check_loads("<svg><script href='https://e.example/a'/></svg>",
                "https://e.example/a");
    check_loads("<svg><script xlink:href=//e.example/a></script></svg>",
                "//e.example/a");
    check_loads("<script>new Worker('https://cdn.example.com/w.js')</script>",
                "https://cdn.example.com/w.js");
    check_loads("<script>new SharedWorker( \"w.js\")</script>", "w.js");
    check_loads("<script>importScripts('a.js')</script>", "a.js");
    check_loads("<script>new Worker('data:text/javascript,1')</script>", "");
    check_loads("<style>p{} @import \"https://e.example/a.css\";</style>",
                "https://e.example/a.css");
    check_loads("<style>@IMPORT url( //e.example/a.css );</style>",
                "//e.example/a.css");
    check_loads("<style>@import url('https://cdn.example.com/a.css');</style>",
                "");
    check_loads("<style>/* @import 'a.css' */ p{}</style>", "");
    // What only looks like it.
    check_loads("<script>important('a'); reimport('a'); import.meta.url; "
                "import(name); from ('a'); from 'a'; $import('a')</script>",
                "");
    check_loads("<script type=application/json>\"import('x')\"</script>", "");
    check_loads("<script>import('</script>", "");
    check_loads("<style>@import</style>", "");
    check_loads("<style>/*</style>", "");
}
END_TEST

// ---- What _meta says -------------------------------------------------------------

static char written[4096];

static void
take_written(const struct mica_buffer *buffer)
{
    ck_assert(!buffer->overflow);
    (void)snprintf(written, sizeof written, "%.*s",
                   MICA_ARG(mica_buffer_as_text(buffer)));
}

static const char *
tool_meta(const char *uri, unsigned audience)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_arena arena;

    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&buffer, &arena, 1 << 16);
    mica_json_writer_init(&writer, &buffer);
    mica_view_write_tool(&writer, mica_text(uri), audience);
    take_written(&buffer);
    mica_arena_fini(&arena);
    return written;
}

static const char *
resource_meta(const struct mica_view *view)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_arena arena;

    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&buffer, &arena, 1 << 16);
    mica_json_writer_init(&writer, &buffer);
    mica_view_write_resource(&writer, view);
    take_written(&buffer);
    mica_arena_fini(&arena);
    return written;
}

START_TEST(a_tool_says_the_same_in_three_vocabularies)
{
    ck_assert_str_eq(
        tool_meta("ui://s/v", MICA_MODEL | MICA_APP),
        "\"ui\":{\"resourceUri\":\"ui://s/v\",\"visibility\":[\"model\","
        "\"app\"]},\"ui/resourceUri\":\"ui://s/v\","
        "\"openai/outputTemplate\":\"ui://s/v\","
        "\"openai/widgetAccessible\":true,\"openai/visibility\":\"public\"");
    ck_assert_str_eq(
        tool_meta("", MICA_APP),
        "\"ui\":{\"visibility\":[\"app\"]},"
        "\"openai/widgetAccessible\":true,\"openai/visibility\":\"private\"");
    ck_assert_str_eq(
        tool_meta("ui://s/v", MICA_MODEL),
        "\"ui\":{\"resourceUri\":\"ui://s/v\",\"visibility\":[\"model\"]},"
        "\"ui/resourceUri\":\"ui://s/v\","
        "\"openai/outputTemplate\":\"ui://s/v\","
        "\"openai/widgetAccessible\":false,\"openai/visibility\":\"public\"");
}
END_TEST

START_TEST(a_resource_says_what_was_declared_and_no_more)
{
    const struct mica_view bare = {.name = "v", .html = "x"};
    const struct mica_view full = {
        .name = "v",
        .html = "x",
        .description = "A \"chart\".",
        .connect_domains = MICA_DOMAINS("https://a.example", "wss://b.example"),
        .resource_domains = MICA_DOMAINS("https://c.example"),
        .frame_domains = MICA_DOMAINS("https://d.example"),
        .base_uri_domains = MICA_DOMAINS("https://e.example"),
        .permissions = MICA_CAMERA | MICA_MICROPHONE | MICA_GEOLOCATION |
                       MICA_CLIPBOARD_WRITE,
        .border = MICA_BORDERLESS,
        .domain = "abc.claudemcpcontent.com"};
    const struct mica_view empty = {.name = "v",
                                    .html = "x",
                                    .connect_domains =
                                        (const char *const[]){NULL},
                                    .border = MICA_BORDERED};

    ck_assert_str_eq(resource_meta(&bare), "\"ui\":{}");
    ck_assert_str_eq(
        resource_meta(&full),
        "\"ui\":{\"csp\":{\"connectDomains\":[\"https://a.example\","
        "\"wss://b.example\"],\"resourceDomains\":[\"https://c.example\"],"
        "\"frameDomains\":[\"https://d.example\"],\"baseUriDomains\":["
        "\"https://e.example\"]},\"permissions\":{\"camera\":{},"
        "\"microphone\":{},\"geolocation\":{},\"clipboardWrite\":{}},"
        "\"domain\":\"abc.claudemcpcontent.com\",\"prefersBorder\":false},"
        "\"openai/widgetCSP\":{\"connect_domains\":[\"https://a.example\","
        "\"wss://b.example\"],\"resource_domains\":[\"https://c.example\"],"
        "\"frame_domains\":[\"https://d.example\"]},"
        "\"openai/widgetDomain\":\"abc.claudemcpcontent.com\","
        "\"openai/widgetPrefersBorder\":false,"
        "\"openai/widgetDescription\":\"A \\\"chart\\\".\"");
    ck_assert_str_eq(resource_meta(&empty),
                     "\"ui\":{\"csp\":{\"connectDomains\":[]},"
                     "\"prefersBorder\":true},\"openai/widgetCSP\":{"
                     "\"connect_domains\":[]},"
                     "\"openai/widgetPrefersBorder\":true");
}
END_TEST

START_TEST(a_uri_has_the_name_of_the_server)
{
    struct mica_buffer buffer;
    struct mica_arena arena;

    mica_arena_init(&arena, 1 << 16);
    mica_buffer_init(&buffer, &arena, 1024);
    mica_view_uri(&buffer, mica_text("My server/\xc3\xa4 2.0"), "tic_tac_toe");
    ck_assert(mica_text_is(mica_buffer_as_text(&buffer),
                           "ui://My-server----2.0/tic-tac-toe"));
    mica_arena_fini(&arena);
}
END_TEST

// ---- The protocol ----------------------------------------------------------------

START_TEST(the_table_has_each_message_once)
{
    for (size_t i = 0; i < mica_view_method_count; i++) {
        const struct mica_view_method *one = &mica_view_methods[i];
        ck_assert_uint_ne(one->direction, 0);
        for (size_t k = i + 1; k < mica_view_method_count; k++) {
            const struct mica_view_method *other = &mica_view_methods[k];
            ck_assert_msg(strcmp(one->name, other->name) != 0 ||
                              (one->direction & other->direction) == 0,
                          "%s stands there twice", one->name);
        }
    }
    for (size_t i = 0; i < MICA_VIEW_STYLES; i++) {
        ck_assert_ptr_nonnull(mica_view_styles[i]);
        ck_assert_int_eq(strncmp(mica_view_styles[i], "--", 2), 0);
        for (size_t k = i + 1; k < MICA_VIEW_STYLES; k++)
            ck_assert_str_ne(mica_view_styles[i], mica_view_styles[k]);
    }
}
END_TEST

// ---- Engines ---------------------------------------------------------------------

static enum mica_status
write_nothing(const struct mica_definition *tool, struct mica_arena *arena,
              struct mica_error *error, struct mica_buffer *out)
{
    (void)tool;
    (void)arena;
    (void)error;
    (void)out;
    return MICA_OK;
}

// The definition of an engine whose manifest has this .view, in a server.
static enum mica_status
place_engine(const char *declared, struct mica_error *error,
             struct mica_definition **engine_out)
{
    const struct mica_runnable runnable = {.inline_first = true};
    enum mica_status status;
    char manifest[1024];

    (void)snprintf(manifest, sizeof manifest,
                   "{\"slug\":\"x\",\"title\":\"X\",\"description\":\"D.\","
                   "\"inputSchema\":{}%s}",
                   declared);
    MICA_TRY(mica_definition_of_engine(mica_text(manifest), &runnable, error,
                                       engine_out));
    status = mica_define_made_view(*engine_out, write_nothing, error);
    if (status == MICA_OK)
        status =
            mica_definition_place_view(*engine_out, MICA_LITERAL("s"), error);
    if (status != MICA_OK)
        mica_definition_drop(*engine_out);
    return status;
}

START_TEST(what_an_engine_says_of_its_view_is_checked_and_told)
{
    static const struct {
        const char *declared, *says;
    } all[] = {
        {"", "\"ui\":{\"prefersBorder\":true}"},
        {",\"viewDeclared\":{\"resourceDomains\":[\"https://a.example\"],"
         "\"permissions\":1,\"border\":2}",
         "\"ui\":{\"csp\":{\"resourceDomains\":[\"https://a.example\"]},"
         "\"permissions\":{\"camera\":{}},\"prefersBorder\":false}"},
        {",\"viewDeclared\":{\"description\":\"Dice.\"}",
         "\"openai/widgetDescription\":\"Dice.\""},
    };
    static const char *const wrong[] = {
        ",\"viewDeclared\":{\"connectDomains\":[\"https://a;b\"]}",
        ",\"viewDeclared\":{\"frameDomains\":[\"'unsafe-eval'\"]}",
        ",\"viewDeclared\":{\"domain\":\"a b\"}",
        ",\"viewDeclared\":{\"baseUriDomains\":[7]}",
    };
    struct mica_definition *engine;
    struct mica_error error;

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        char meta[1024];
        ck_assert_msg(place_engine(all[i].declared, &error, &engine) == MICA_OK,
                      "%zu: %s", i, error.message);
        struct mica_definition *resource =
            mica_definition_resource_at(engine, 0);
        ck_assert(mica_text_is(resource->key, "ui://s/x"));
        (void)snprintf(meta, sizeof meta, "%.*s",
                       MICA_ARG(resource->view->meta));
        ck_assert_msg(strstr(meta, all[i].says) != NULL, "%zu: %s", i, meta);
        mica_definition_drop(engine);
    }
    for (size_t i = 0; i < MICA_COUNT(wrong); i++)
        ck_assert_msg(place_engine(wrong[i], &error, &engine) == MICA_E_USAGE,
                      "%zu", i);
}
END_TEST

UNIT_MAIN("view", an_origin_is_a_domain,
          what_could_change_a_policy_is_no_domain,
          a_declaration_that_cannot_be_served_is_refused,
          a_document_has_a_size_and_is_text,
          tags_are_found_where_a_browser_finds_them,
          an_attribute_is_read_as_it_is_quoted,
          what_a_document_loads_is_declared,
          what_a_script_or_a_style_loads_is_declared,
          a_tool_says_the_same_in_three_vocabularies,
          a_resource_says_what_was_declared_and_no_more,
          a_uri_has_the_name_of_the_server,
          what_an_engine_says_of_its_view_is_checked_and_told,
          the_table_has_each_message_once)
