// SPDX-License-Identifier: Apache-2.0
//
// Views in the MCP core: what clients with and without views get in lists and contents, who
// may call what, and how the resource of a view comes and goes with its tools.
#include <mica/tool.h>

#include "test_server_offers.h"
#include "unit.h"

#define UI        "'io.modelcontextprotocol/ui'"
#define HTML      "'text/html;profile=mcp-app'"
#define VIEWS     UI ":{'mimeTypes':[" HTML "]}"
#define DOCUMENT  "<!doctype html><title>Chart</title><p id=\"a\">"
#define CHART_URI "ui://test/sales-chart"

MICA_VIEW(sales_chart, .html = DOCUMENT, .title = "Chart",
          .description = "Sales as a chart.",
          .connect_domains = MICA_DOMAINS("https://api.example.com"),
          .permissions = MICA_CLIPBOARD_WRITE, .border = MICA_BORDERED);
MICA_VIEW(table, .html = "<table></table>");

// ---- The tools -------------------------------------------------------------------

struct seen {
    bool views;
};
MICA_RECORD(seen, MICA_BOOLEAN(views, "Does the client show views?"));

static enum mica_status
run_seen(struct mica_call *call, const struct mica_nothing *in,
         struct seen *out)
{
    (void)in;
    out->views = mica_client_has(call, MICA_VIEWS);
    MICA_TRY(mica_set_meta(call, "example.com/rows", mica_text("[1,\n2]")));
    return mica_set_meta_from(call, "example.com/seen", MICA_FROM(seen, out));
}
MICA_TOOL(sales, mica_nothing, seen, run_seen, .description = "Shows sales.",
          .view = &mica_view_sales_chart);
MICA_TOOL(refresh, mica_nothing, seen, run_seen,
          .description = "Shows sales again.", .audience = MICA_APP,
          .view = &mica_view_sales_chart);
MICA_TOOL(only_app, mica_nothing, seen, run_seen, .description = "For views.",
          .audience = MICA_APP);
MICA_TOOL(only_model, mica_nothing, seen, run_seen,
          .description = "For models.", .audience = MICA_MODEL,
          .view = &mica_view_sales_chart);

static void
add_tool(const struct mica_tool *tool)
{
    struct mica_error error;

    if (mica_server_add_tool(harness.server, tool, NULL, &error) != MICA_OK)
        ck_abort_msg("%s", error.message);
}

static void
open_views(void)
{
    open_server();
    add_tool(&mica_tool_sales);
    add_tool(&mica_tool_refresh);
}

static void
ask_as(const char *extensions, const char *method, const char *more)
{
    line(quoted("{" V2 ",'id':1,'method':'%s','params':{'_meta':{'" P_
                "protocolVersion':'2026-07-28','" P_ "clientCapabilities':{"
                "'extensions':{%s}}}%s}}",
                method, extensions, more));
}

// A session, over a pipe of its own.
static void
ask_session(const char *version, const char *extensions, const char *method,
            const char *params)
{
    memset(&harness.state, 0, sizeof harness.state);
    line(quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                "'protocolVersion':'%s','capabilities':{'extensions':{%s}}}}",
                version, extensions));
    line(quoted("{" V2 ",'id':1,'method':'%s','params':{%s}}", method, params));
}

// ---- Lists -----------------------------------------------------------------------

#define SALES_META                                                         \
    "'ui':{'resourceUri':'" CHART_URI "','visibility':['model','app']},"   \
    "'ui/resourceUri':'" CHART_URI "','openai/outputTemplate':'" CHART_URI \
    "','openai/widgetAccessible':true,"                                    \
    "'openai/visibility':'public'"
#define CHART_META                                                        \
    "{'ui':{'csp':{'connectDomains':['https://api.example.com']},"        \
    "'permissions':{'clipboardWrite':{}},'prefersBorder':true},"          \
    "'openai/widgetCSP':{'connect_domains':['https://api.example.com']}," \
    "'openai/widgetPrefersBorder':true,"                                  \
    "'openai/widgetDescription':'Sales as a chart.'}"

START_TEST(a_client_with_views_is_told_of_them)
{
    ask_as(VIEWS, "tools/list", "");
    ck_at("/result/tools/8/name", "'sales'");
    ck_at("/result/tools/8/_meta", "{" SALES_META "}");
    ck_at("/result/tools/9/name", "'refresh'");
    ck_at("/result/tools/9/_meta/ui/visibility", "['app']");
    ck_at("/result/cacheScope", "'private'");
    ask_as(VIEWS, "resources/list", "");
    ck_at("/result/resources",
          "[{'uri':'" CHART_URI "','name':'sales_chart','title':'Chart',"
          "'description':'Sales as a chart.','mimeType':" HTML
          ",'size':45,'_meta':" CHART_META "}]");
    ck_at("/result/cacheScope", "'private'");
    ask_session("2025-11-25", VIEWS, "tools/list", "");
    ck_at("/result/tools/8/_meta/ui/resourceUri", "'" CHART_URI "'");
    ck_at("/result/tools/9/name", "'refresh'");
    ask_session("2025-06-18", VIEWS, "resources/list", "");
    ck_at("/result/resources/0/_meta", CHART_META);
}
END_TEST

START_TEST(a_client_without_views_gets_the_tools_as_without)
{
    static const char *const others[] = {"", UI ":{'mimeTypes':['text/plain']}",
                                         UI ":true",
                                         "'io.modelcontextprotocol/tasks':{}"};
    static const char *const hidden[] = {"_meta':{'ui", "ui/resourceUri",
                                         "openai/", "refresh", "ui://"};

    for (size_t i = 0; i < MICA_COUNT(others); i++) {
        ask_as(others[i], "tools/list", "");
        ck_at("/result/tools/8/name", "'sales'");
        ck_at("/result/tools/8/_meta", "(absent)");
        ck_at("/result/tools/9", "(absent)");
        ck_at("/result/cacheScope", "'private'");
        for (size_t k = 0; k < MICA_COUNT(hidden); k++)
            ck_assert_ptr_null(strstr(harness.reply, quoted("%s", hidden[k])));
        ask_as(others[i], "resources/list", "");
        ck_at("/result/resources", "[]");
        ck_at("/result/cacheScope", "'private'");
        ask_session("2025-11-25", others[i], "tools/list", "");
        ck_at("/result/tools/8/_meta", "(absent)");
        ck_at("/result/tools/9", "(absent)");
    }
}
END_TEST

START_TEST(a_revision_without_meta_has_no_views)
{
    ask_session("2025-03-26", VIEWS, "tools/list", "");
    ck_at("/result/tools/8/name", "'sales'");
    ck_at("/result/tools/8/_meta", "(absent)");
    ck_at("/result/tools/9", "(absent)");
    ask_session("2025-03-26", VIEWS, "tools/call",
                "'name':'sales','arguments':{}");
    ck_says("/result/content/0/text", "false");
}
END_TEST

START_TEST(a_client_that_names_no_types_has_views)
{
    ask_as(UI ":{}", "tools/list", "");
    ck_at("/result/tools/8/_meta/ui/resourceUri", "'" CHART_URI "'");
    ask_as(UI ":{'mimeTypes':[]}", "resources/list", "");
    ck_at("/result/resources/0/uri", "'" CHART_URI "'");
}
END_TEST

START_TEST(a_server_that_lists_all_tells_everyone)
{
    close_server();
    start_server(&(struct mica_server_options){
        .name = "test", .version = "1", .list_all = true});
    add_tool(&mica_tool_sales);
    add_tool(&mica_tool_refresh);
    ask_as("", "tools/list", "");
    ck_at("/result/tools/9/_meta/ui/visibility", "['app']");
    ck_at("/result/cacheScope", "'public'");
    ask_as("", "resources/list", "");
    ck_at("/result/resources/0/uri", "'" CHART_URI "'");
    ask_as("", "resources/read", ",'uri':'" CHART_URI "'");
    ck_at("/result/contents/0/_meta", CHART_META);
}
END_TEST

START_TEST(an_audience_without_a_view_is_told_too)
{
    add_tool(&mica_tool_only_app);
    add_tool(&mica_tool_only_model);
    ask_as(VIEWS, "tools/list", "");
    ck_at("/result/tools/10/_meta",
          "{'mica/requiredCapabilities':{'extensions':{" UI ":{}}},"
          "'ui':{'visibility':['app']},"
          "'openai/widgetAccessible':true,'openai/visibility':'private'}");
    ck_at("/result/tools/11/_meta/ui/visibility", "['model']");
    ask_as("", "tools/list", "");
    ck_at("/result/tools/9/name", "'only_model'");
}
END_TEST

// ---- Contents --------------------------------------------------------------------

START_TEST(the_document_is_one_content_with_all_of_its_meta)
{
    ask_as(VIEWS, "resources/read", ",'uri':'" CHART_URI "'");
    ck_at("/result/contents/0/uri", "'" CHART_URI "'");
    ck_at("/result/contents/0/mimeType", HTML);
    ck_assert_str_eq(at("/result/contents/0/text"),
                     "\"<!doctype html><title>Chart</title><p id=\\\"a\\\">\"");
    ck_at("/result/contents/0/_meta", CHART_META);
    ck_at("/result/contents/1", "(absent)");
    ck_at("/result/cacheScope", "'private'");
    ask_session("2025-06-18", VIEWS, "resources/read", "'uri':'" CHART_URI "'");
    ck_at("/result/contents/0/_meta", CHART_META);
    ask_as("", "resources/read", ",'uri':'" CHART_URI "'");
    ck_at("/result/contents/0/mimeType", HTML);
    ck_at("/result/contents/0/_meta", "(absent)");
    ck_at("/result/cacheScope", "'private'");
}
END_TEST

// ---- Calls -----------------------------------------------------------------------

START_TEST(a_handler_knows_whether_its_client_shows_views)
{
    ask_as(VIEWS, "tools/call", ",'name':'sales','arguments':{}");
    ck_at("/result/structuredContent", "{'views':true}");
    ck_at("/result/_meta/example.com~1rows", "[1,2]");
    ck_at("/result/_meta/example.com~1seen", "{'views':true}");
    ask_as("", "tools/call", ",'name':'sales','arguments':{}");
    ck_at("/result/structuredContent", "{'views':false}");
    ask_session("2025-11-25", VIEWS, "tools/call",
                "'name':'sales','arguments':{}");
    ck_at("/result/structuredContent", "{'views':true}");
    ck_at("/result/_meta", "{'example.com/rows':[1,2],"
                           "'example.com/seen':{'views':true}}");
}
END_TEST

START_TEST(a_tool_for_views_is_refused_to_clients_without)
{
    ask_as(VIEWS, "tools/call", ",'name':'refresh','arguments':{}");
    ck_at("/result/structuredContent", "{'views':true}");
    ask_as("", "tools/call", ",'name':'refresh','arguments':{}");
    ck_error("-32021", "CAPABILITY_MISSING", "1");
    ck_says("/error/message", "io.modelcontextprotocol/ui");
    ask_session("2025-11-25", "", "tools/call",
                "'name':'refresh','arguments':{}");
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "CAPABILITY_MISSING");
}
END_TEST

static enum mica_status
set_badly(struct mica_call *call, const struct mica_json *in,
          struct mica_json_writer *out)
{
    struct mica_text name = mica_json_get_text(in, "name");
    struct mica_text value = mica_json_get_text(in, "value");
    char namez[200];

    (void)out;
    (void)snprintf(namez, sizeof namez, "%.*s", MICA_ARG(name));
    mica_add_text(call, MICA_LITERAL("done"), NULL);
    MICA_TRY(mica_set_meta(call, "own", MICA_LITERAL("1")));
    return mica_set_meta(call, namez, value);
}

START_TEST(a_meta_that_cannot_be_sent_fails_the_call)
{
    static const struct {
        const char *name, *value, *says;
    } wrong[] = {{"own", "1", "already"},
                 {"", "1", "1 to 128"},
                 {"mica/error", "1", "prefixes"},
                 {"io.modelcontextprotocol/x", "1", "prefixes"},
                 {"with space", "1", "1 to 128"},
                 {"x", "{", "not JSON"},
                 {"x", "1,2", "not JSON"},
                 {"x", "", "not JSON"}};

    add_json_tool("set", set_badly, 0);
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ask("tools/call",
            quoted(",'name':'set','arguments':{'name':'%s','value':'%s'}",
                   wrong[i].name, wrong[i].value));
        ck_at("/result/isError", "true");
        ck_says("/result/content/0/text", "USAGE: mica_set_meta");
        ck_says("/result/content/0/text", wrong[i].says);
    }
    ask("tools/call",
        ",'name':'set','arguments':{'name':'a.b/c','value':'[]'}");
    ck_at("/result/_meta/a.b~1c", "[]");
    ck_at("/result/_meta/own", "1");
}
END_TEST

// ---- Coming and going ------------------------------------------------------------

static size_t
count_resources(void)
{
    return mica_registry_count(&harness.server->registry,
                               MICA_DEFINITION_RESOURCE);
}

static struct {
    unsigned tools, resources, contents;
} told;

static void
note_change(void *data, const struct mica_change *change)
{
    (void)data;
    told.tools += change->kind == MICA_CHANGED_TOOLS;
    told.resources += change->kind == MICA_CHANGED_RESOURCES;
    told.contents += change->kind == MICA_CHANGED_CONTENTS &&
                     mica_text_is(change->uri, CHART_URI);
}

START_TEST(a_view_goes_with_the_last_of_its_tools)
{
    struct mica_error error;

    ask_as(VIEWS, "ping", ""); // from now on catalogs are copied
    ck_assert_uint_eq(count_resources(), 1);
    ck_assert_int_eq(mica_server_remove(harness.server, MICA_DEFINITION_TOOL,
                                        "sales", &error),
                     MICA_OK);
    ck_assert_uint_eq(count_resources(), 1);
    ck_assert_int_eq(mica_server_remove(harness.server,
                                        MICA_DEFINITION_RESOURCE, CHART_URI,
                                        &error),
                     MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "view of tools"));
    ck_assert_int_eq(mica_server_remove(harness.server, MICA_DEFINITION_TOOL,
                                        "refresh", &error),
                     MICA_OK);
    ck_assert_uint_eq(count_resources(), 0);
    ask_as(VIEWS, "resources/read", ",'uri':'" CHART_URI "'");
    ck_error("-32602", "NOT_FOUND", "1");
}
END_TEST

START_TEST(a_changed_view_is_told_and_read_anew)
{
    static const struct mica_view changed = {.name = "sales_chart",
                                             .html = "<p>new"};
    struct mica_tool tool = mica_tool_sales;
    struct mica_definition *definition;
    struct mica_error error;

    ask_as(VIEWS, "ping", "");
    memset(&told, 0, sizeof told);
    harness.server->registry.changed = note_change;
    tool.view = &changed;
    ck_assert_int_eq(
        mica_definition_of_tool(&tool, NULL, NULL, &error, &definition),
        MICA_OK);
    ck_assert_int_eq(
        mica_registry_redefine(&harness.server->registry, definition, &error),
        MICA_OK);
    ck_assert_uint_eq(told.tools, 1);
    ck_assert_uint_eq(told.resources, 1);
    ck_assert_uint_eq(told.contents, 1);
    ck_assert_uint_eq(count_resources(), 1);
    ask_as(VIEWS, "resources/read", ",'uri':'" CHART_URI "'");
    ck_at("/result/contents/0/text", "'<p>new'");
    ck_at("/result/contents/0/_meta", "{'ui':{}}");
    harness.server->registry.changed = NULL;
}
END_TEST

START_TEST(views_keep_their_places_among_resources)
{
    const struct mica_resource before = {
        .uri = "test://a", .name = "a", .text = "1"};
    const struct mica_resource behind = {
        .uri = "test://b", .name = "b", .text = "2"};
    struct mica_error error;

    close_server();
    open_server();
    ck_assert_int_eq(
        mica_server_add_resource(harness.server, &before, NULL, &error),
        MICA_OK);
    add_tool(&mica_tool_sales);
    ck_assert_int_eq(
        mica_server_add_resource(harness.server, &behind, NULL, &error),
        MICA_OK);
    for (int round = 0; round < 2; round++) {
        ask_as(VIEWS, "resources/list", "");
        ck_at("/result/resources/0/name", "'a'");
        ck_at("/result/resources/1/name", "'sales_chart'");
        ck_at("/result/resources/2/name", "'b'");
        add_json_tool(round == 0 ? "one_more" : "two_more", tool_echo, 0);
    }
    ask_as("", "resources/list", "");
    ck_at("/result/resources/1/name", "'b'");
}
END_TEST

// ---- Refused ---------------------------------------------------------------------

START_TEST(a_tool_whose_view_cannot_be_served_is_refused)
{
    static const struct mica_view no_html = {.name = "v", .file = "v.html"};
    const struct mica_view bad = {
        .name = "v", .html = "x", .connect_domains = MICA_DOMAINS("*")};
    const struct {
        const struct mica_view *view;
        unsigned audience;
        const char *meta, *says;
    } wrong[] = {
        {&no_html, 0, NULL, "gives the document as .html"},
        {&bad, 0, NULL, ".connect_domains"},
        {NULL, 4, NULL, ".audience"},
        {&mica_view_table, 0, "{\"ui\":{}}", "\"ui\" in its .meta"},
        {&mica_view_table, 0, "{\"openai/outputTemplate\":1}", "openai/"},
        {NULL, MICA_APP, "{\"ui/resourceUri\":1}", "ui/resourceUri"},
    };

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        struct mica_tool tool = mica_tool_sales;
        struct mica_error error = {.status = MICA_OK};
        tool.name = "wrong";
        tool.view = wrong[i].view;
        tool.audience = wrong[i].audience;
        tool.meta = wrong[i].meta;
        ck_assert_int_eq(
            mica_server_add_tool(harness.server, &tool, NULL, &error),
            MICA_E_USAGE);
        ck_assert_msg(strstr(error.message, wrong[i].says) != NULL,
                      "%zu: no '%s' in: %s", i, wrong[i].says, error.message);
    }
}
END_TEST

START_TEST(a_view_and_a_resource_cannot_have_one_uri)
{
    const struct mica_resource resource = {
        .uri = "ui://test/table", .name = "table", .text = "1"};
    struct mica_tool tool = mica_tool_sales;
    struct mica_error error;

    tool.name = "tabular";
    tool.view = &mica_view_table;
    ck_assert_int_eq(
        mica_server_add_resource(harness.server, &resource, NULL, &error),
        MICA_OK);
    ck_assert_int_eq(mica_server_add_tool(harness.server, &tool, NULL, &error),
                     MICA_E_EXISTS);
    ck_assert_ptr_nonnull(strstr(error.message, "ui://test/table"));
}
END_TEST

START_TEST(a_server_with_a_view_has_resources)
{
    ask_session("2025-11-25", "", "ping", "");
    line(quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                "'protocolVersion':'2025-11-25'}}"));
    ck_at("/result/capabilities/resources", "{}");
    ck_at("/result/capabilities/extensions", "(absent)");
}
END_TEST

// ---- Of forms --------------------------------------------------------------------

MICA_VIEW(dial, .html = "<p>dial");

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many."));

static enum mica_status
run_pick(struct mica_call *call, const struct mica_nothing *in,
         struct mica_nothing *out)
{
    struct pick pick;

    (void)in;
    (void)out;
    return mica_elicit(call, MICA_FORM(pick, &pick, .view = &mica_view_dial),
                       "How many?");
}
MICA_TOOL(pick_one, mica_nothing, mica_nothing, run_pick,
          .description = "Picks.",
          .form_views = MICA_FORM_VIEWS(&mica_view_dial));
MICA_TOOL(pick_other, mica_nothing, mica_nothing, run_pick,
          .description = "Picks, and shows it.", .view = &mica_view_dial,
          .form_views = MICA_FORM_VIEWS(&mica_view_table, &mica_view_dial));

#define DIAL_URI "ui://test/dial"

static const struct mica_definition *
find_resource(const char *uri)
{
    return mica_catalog_find(harness.server->registry.main->catalog,
                             MICA_DEFINITION_RESOURCE, mica_text(uri));
}

START_TEST(a_view_of_forms_comes_and_goes_with_its_tools)
{
    struct mica_error error;

    add_tool(&mica_tool_pick_one);
    add_tool(&mica_tool_pick_other);
    ask_as(VIEWS, "resources/list", "");
    ck_at("/result/resources/1/uri", "'" DIAL_URI "'");
    ck_at("/result/resources/2/uri", "'ui://test/table'");
    ck_at("/result/resources/3", "(absent)");
    ask_as(VIEWS, "resources/read", ",'uri':'" DIAL_URI "'");
    ck_at("/result/contents/0/text", "'<p>dial'");
    // The tool has no view of its own to tell of.
    ask_as(VIEWS, "tools/list", "");
    ck_at("/result/tools/10/name", "'pick_one'");
    ck_at("/result/tools/10/_meta", "(absent)");
    ck_at("/result/tools/11/_meta/ui/resourceUri", "'" DIAL_URI "'");
    ask_as("", "resources/list", "");
    ck_at("/result/resources", "[]");
    ck_assert_int_eq(mica_server_remove(harness.server, MICA_DEFINITION_TOOL,
                                        "pick_other", &error),
                     MICA_OK);
    ck_assert_ptr_nonnull(find_resource(DIAL_URI));
    ck_assert_ptr_null(find_resource("ui://test/table"));
    ck_assert_int_eq(mica_server_remove(harness.server, MICA_DEFINITION_TOOL,
                                        "pick_one", &error),
                     MICA_OK);
    ck_assert_ptr_null(find_resource(DIAL_URI));
}
END_TEST

START_TEST(a_tool_under_another_name_keeps_the_views_of_its_forms)
{
    struct mica_definition *tool, *named;
    struct mica_error error;

    ck_assert_int_eq(mica_definition_of_tool(&mica_tool_pick_other, NULL, NULL,
                                             &error, &tool),
                     MICA_OK);
    ck_assert_int_eq(
        mica_definition_place_view(tool, MICA_LITERAL("s"), &error), MICA_OK);
    named = mica_definition_named(tool, MICA_LITERAL("other"));
    mica_definition_drop(tool);
    ck_assert(mica_text_is(mica_definition_resource_at(named, 0)->key,
                           "ui://s/dial"));
    ck_assert(mica_text_is(mica_definition_resource_at(named, 1)->key,
                           "ui://s/table"));
    // The view that shows the result shows the form, and is one resource.
    ck_assert_ptr_eq(mica_definition_resource_at(named, 2),
                     mica_definition_resource_at(named, 0));
    ck_assert_ptr_null(mica_definition_resource_at(named, 3));
    ck_assert(mica_text_is(mica_definition_form_views(named)[1].meta,
                           "\"ui\":{\"resourceUri\":\"ui://s/dial\"}"));
    mica_definition_drop(named);
}
END_TEST

START_TEST(views_of_forms_that_cannot_be_served_are_refused)
{
    static const struct mica_view file = {.name = "f", .file = "f.html"};
    static const struct mica_view bad = {.name = "Bad", .html = "<p>"};
    static struct mica_view many[MICA_FORM_VIEWS_MOST + 1];
    static char names[MICA_FORM_VIEWS_MOST + 1][2];
    const struct mica_view *too_many[MICA_FORM_VIEWS_MOST + 2] = {NULL};
    const struct {
        const struct mica_view *const *views;
        const char *says;
    } all[] = {
        {MICA_FORM_VIEWS(&file), "mica build"},
        {MICA_FORM_VIEWS(&bad), "a-z 0-9 _"},
        {MICA_FORM_VIEWS(&mica_view_dial, &mica_view_dial), "twice"},
        {too_many, "more than 8 views"},
    };

    for (size_t i = 0; i <= MICA_FORM_VIEWS_MOST; i++) {
        names[i][0] = (char)('a' + i);
        many[i] = (struct mica_view){.name = names[i], .html = "<p>"};
        too_many[i] = &many[i];
    }
    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        struct mica_tool tool = mica_tool_pick_one;
        struct mica_error error;
        tool.form_views = all[i].views;
        ck_assert_int_eq(
            mica_server_add_tool(harness.server, &tool, NULL, &error),
            MICA_E_USAGE);
        ck_assert_msg(strstr(error.message, all[i].says) != NULL, "%s",
                      error.message);
    }
}
END_TEST

START_TEST(views_of_forms_are_what_client_and_server_declare)
{
    static const struct {
        const char *capabilities;
        bool shows;
    } all[] = {
        {"{'elicitation':{},'extensions':{" UI ":{'elicitation':{}}}}", true},
        {"{'elicitation':{'form':{}},'extensions':{" UI ":{'mimeTypes':[" HTML
         "],'elicitation':{}}}}",
         true},
        {"{'elicitation':{'url':{}},'extensions':{" UI ":{'elicitation':{}}}}",
         false},
        {"{'extensions':{" UI ":{'elicitation':{}}}}", false},
        {"{'elicitation':{},'extensions':{" UI ":{}}}", false},
        {"{'elicitation':{},'extensions':{" UI ":{'elicitation':[]}}}", false},
        {"{'elicitation':{},'extensions':{" UI
         ":{'mimeTypes':['text/html'],'elicitation':{}}}}",
         false},
    };
    struct mica_json_writer writer;
    struct mica_buffer out;

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        struct mica_json value;
        ck_assert_int_eq(
            mica_json_read(&harness.arena,
                           mica_text(quoted("%s", all[i].capabilities)), NULL,
                           NULL, &value),
            MICA_OK);
        unsigned bits = mica_client_read(&value, MICA_REVISION_2026_07_28);
        ck_assert_msg(((bits & MICA_CLIENT_FORM_VIEWS) != 0) == all[i].shows,
                      "%zu", i);
        bits = mica_client_read(&value, MICA_REVISION_2025_03_26);
        ck_assert_uint_eq(bits & MICA_CLIENT_FORM_VIEWS, 0);
    }
    mica_buffer_init(&out, &harness.arena, 1024);
    mica_json_writer_init(&writer, &out);
    mica_client_write(&writer,
                      MICA_CLIENT_TASKS | MICA_VIEWS | MICA_CLIENT_FORM_VIEWS);
    ck_assert(mica_text_is(
        mica_buffer_as_text(&out),
        quoted("{'extensions':{'io.modelcontextprotocol/tasks':{}," UI
               ":{'elicitation':{}}}}")));
    // Without a tool with such a form the switch alone declares nothing.
    harness.server->options.form_views = true;
    line(quoted("{" V2 ",'id':1,'method':'server/discover','params':{" META
                "}}"));
    ck_at("/result/capabilities/extensions", "(absent)");
    add_tool(&mica_tool_pick_one);
    line(quoted("{" V2 ",'id':1,'method':'server/discover','params':{" META
                "}}"));
    ck_at("/result/capabilities/extensions", "{" UI ":{'elicitation':{}}}");
    line(quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                "'protocolVersion':'2025-03-26'}}"));
    ck_at("/result/capabilities/extensions", "(absent)");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("views");
    TCase *all = tcase_create("views");

    tcase_add_checked_fixture(all, open_views, close_server);
    suite_add_tcase(suite, all);
    tcase_add_test(all, a_client_with_views_is_told_of_them);
    tcase_add_test(all, a_client_without_views_gets_the_tools_as_without);
    tcase_add_test(all, a_revision_without_meta_has_no_views);
    tcase_add_test(all, a_client_that_names_no_types_has_views);
    tcase_add_test(all, a_server_that_lists_all_tells_everyone);
    tcase_add_test(all, an_audience_without_a_view_is_told_too);
    tcase_add_test(all, the_document_is_one_content_with_all_of_its_meta);
    tcase_add_test(all, a_handler_knows_whether_its_client_shows_views);
    tcase_add_test(all, a_tool_for_views_is_refused_to_clients_without);
    tcase_add_test(all, a_meta_that_cannot_be_sent_fails_the_call);
    tcase_add_test(all, a_view_goes_with_the_last_of_its_tools);
    tcase_add_test(all, a_changed_view_is_told_and_read_anew);
    tcase_add_test(all, views_keep_their_places_among_resources);
    tcase_add_test(all, a_tool_whose_view_cannot_be_served_is_refused);
    tcase_add_test(all, a_view_and_a_resource_cannot_have_one_uri);
    tcase_add_test(all, a_server_with_a_view_has_resources);
    tcase_add_test(all, a_view_of_forms_comes_and_goes_with_its_tools);
    tcase_add_test(all, a_tool_under_another_name_keeps_the_views_of_its_forms);
    tcase_add_test(all, views_of_forms_that_cannot_be_served_are_refused);
    tcase_add_test(all, views_of_forms_are_what_client_and_server_declare);
    return run_suite(suite);
}
