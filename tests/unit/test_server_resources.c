// SPDX-License-Identifier: Apache-2.0
//
// Resources in the MCP core: lists in each revision, reading fixed ones and
// those of templates, what is not there, and which definitions are refused. The
// resources are those of the conformance fixture.
#include "test_server_offers.h"
#include "unit.h"

static void
read_uri(const char *uri)
{
    ask("resources/read", quoted(",'uri':'%s'", uri));
}

// ---- Lists -----------------------------------------------------------------------

START_TEST(a_list_has_all_that_can_be_said_of_a_resource)
{
    ask("resources/list", "");
    ck_at("/result/resources/0/uri", "'test://static-text'");
    ck_at("/result/resources/0/size", "48");
    ck_at("/result/resources/0/annotations", "(absent)");
    ck_at("/result/resources/3",
          "{'uri':'test://pair','name':'pair','title':'Two at once',"
          "'description':'Text, and bytes under it.','icons':[{'src':"
          "'data:image/png;base64,iVBORw0KGgo=','mimeType':'image/png',"
          "'sizes':['48x48','96x96'],'theme':'light'},{'src':"
          "'https://example.org/dark.svg'}],'mimeType':'text/plain',"
          "'annotations':{'audience':['user','assistant'],'priority':0.5,"
          "'lastModified':'2026-11-20T09:30:00Z'},"
          "'_meta':{'org.example/kind':'test'}}");
    ck_at("/result/resources/6", "(absent)");
    ck_at("/result/ttlMs", "60000");
    ck_at("/result/cacheScope", "'public'");
    ask("resources/templates/list", "");
    ck_at("/result/resourceTemplates/1/uriTemplate",
          "'test://weather/{place}{?day,unit}'");
    ck_at("/result/resourceTemplates/1/name", "'weather'");
    ck_at("/result/resourceTemplates/1/icons/1/src",
          "'https://example.org/dark.svg'");
    ck_at("/result/resourceTemplates/1/_meta", "{'org.example/kind':'test'}");
    ck_at("/result/resourceTemplates/2", "(absent)");
}
END_TEST

START_TEST(an_older_list_leaves_out_what_came_later)
{
    ask_legacy("2025-11-25", "resources/list", "");
    ck_at("/result/resources/3/icons/0/theme", "'light'");
    ck_at("/result/resources/3/title", "'Two at once'");
    ck_at("/result/ttlMs", "(absent)");
    ask_legacy("2025-06-18", "resources/list", "");
    ck_at("/result/resources/3/icons", "(absent)");
    ck_at("/result/resources/3/title", "'Two at once'");
    ck_at("/result/resources/3/_meta", "{'org.example/kind':'test'}");
    ask_legacy("2025-03-26", "resources/templates/list", "");
    ck_at("/result/resourceTemplates/1",
          "{'uriTemplate':'test://weather/{place}{?day,unit}','name':"
          "'weather','description':'The weather somewhere.','mimeType':"
          "'text/plain'}");
}
END_TEST

// ---- Reading ---------------------------------------------------------------------

START_TEST(a_text_is_read_as_it_is)
{
    read_uri("test://static-text");
    ck_at("/result/contents",
          "[{'uri':'test://static-text','mimeType':'text/plain','text':"
          "'This is the content of the static text resource.'}]");
    ck_at("/result/resultType", "'complete'");
    ck_at("/result/ttlMs", "60000");
    ck_at("/result/cacheScope", "'public'");
    ask_legacy("2025-06-18", "resources/read", "'uri':'test://static-text'");
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{'contents':[{'uri':"
             "'test://static-text','mimeType':'text/plain','text':"
             "'This is the content of the static text resource.'}]}}");
}
END_TEST

// [RESOURCE-READ]
START_TEST(bytes_are_a_blob_and_several_contents_come_in_order)
{
    read_uri("test://static-binary");
    ck_at("/result/contents/0/mimeType", "'image/png'");
    ck_says("/result/contents/0/blob", "iVBORw0KGgo");
    ck_at("/result/contents/0/text", "(absent)");
    read_uri("test://pair");
    ck_at("/result/contents",
          "[{'uri':'test://pair','mimeType':'text/plain','text':'first'},"
          "{'uri':'test://pair/second','mimeType':"
          "'application/octet-stream','blob':'AAEC'}]");
}
END_TEST

START_TEST(a_template_hands_its_variables_to_the_handler)
{
    read_uri("test://template/123/data");
    ck_at("/result/contents/0/uri", "'test://template/123/data'");
    ck_at("/result/contents/0/mimeType", "'application/json'");
    ck_says("/result/contents/0/text", "Data for ID: 123");
    read_uri("test://weather/Z%C3%BCrich");
    ck_at("/result/contents/0/text",
          "'test://weather/Z%C3%BCrich: sun in Z\xc3\xbcrich, day any, "
          "metric'");
    read_uri("test://weather/Bonn?unit=imperial&day=a%26b");
    ck_at("/result/contents/0/text",
          "'test://weather/Bonn?unit=imperial&day=a%26b: sun in Bonn, day "
          "a&b, imperial'");
}
END_TEST

START_TEST(a_fixed_resource_comes_before_a_template)
{
    static const struct mica_resource fixed = {
        .uri = "test://template/fixed/data", .name = "fixed", .text = "fixed"};

    ck_assert_int_eq(
        mica_server_add_resource(harness.server, &fixed, NULL, NULL), MICA_OK);
    read_uri("test://template/fixed/data");
    ck_at("/result/contents/0/text", "'fixed'");
    read_uri("test://template/fixedly/data");
    ck_says("/result/contents/0/text", "Data for ID: fixedly");
    ck_assert_int_eq(mica_server_remove(harness.server,
                                        MICA_DEFINITION_RESOURCE,
                                        "test://template/fixed/data", NULL),
                     MICA_OK);
    read_uri("test://template/fixed/data");
    ck_says("/result/contents/0/text", "Data for ID: fixed");
}
END_TEST

// ---- What is not there -----------------------------------------------------------

// [RESOURCE-MISSING]
START_TEST(an_unknown_uri_has_the_code_of_its_era)
{
    static const char *const old[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                      "2025-11-25"};

    read_uri("test://static-test");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_at("/error/data/uri", "'test://static-test'");
    ck_says("/error/message", "did you mean \\\"test://static-text\\\"");
    read_uri("other://nothing/like/it");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_at("/error/data/uri", "'other://nothing/like/it'");
    ck_says("/error/message", "resources/templates/list");
    for (size_t i = 0; i < MICA_COUNT(old); i++) {
        ask_legacy(old[i], "resources/read", "'uri':'a:\\u0001'");
        ck_error("-32002", "NOT_FOUND", "1");
        ck_at("/error/data/uri", "'a:\\u0001'");
    }
}
END_TEST

START_TEST(a_handler_may_say_that_there_is_nothing)
{
    read_uri("test://weather/Atlantis");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_at("/error/message", "'Atlantis has sunk.'");
    ck_at("/error/data/uri", "'test://weather/Atlantis'");
    ck_at("/error/data/path", "'/place'");
    ask_legacy("2025-11-25", "resources/read",
               "'uri':'test://weather/Atlantis'");
    ck_error("-32002", "NOT_FOUND", "1");
}
END_TEST

// [RESOURCE-URI]
START_TEST(a_path_that_climbs_is_not_there)
{
    static const char *const uris[] = {
        "test://template/../data",       "test://template/%2e%2E/data",
        "test://template/a%2Fb/data",    "test://template/a%5Cb/data",
        "test://template/a%00/data",     "test://template/%zz/data",
        "test://weather/x?day=../../etc"};

    for (size_t i = 0; i < MICA_COUNT(uris); i++) {
        read_uri(uris[i]);
        ck_error("-32602", "NOT_FOUND", "1");
    }
}
END_TEST

START_TEST(a_value_that_the_record_refuses_is_the_clients_fault)
{
    read_uri("test://weather/Bonn?unit=cubits");
    ck_error("-32602", "NOT_A_CHOICE", "1");
    ck_at("/error/data/path", "'/unit'");
    ck_at("/error/data/uri", "'test://weather/Bonn?unit=cubits'");
    read_uri("test://weather/B2");
    ck_error("-32602", "BAD_FORMAT", "1");
    ask_legacy("2025-11-25", "resources/read", "'uri':'test://weather/B2'");
    ck_error("-32602", "BAD_FORMAT", "1");
}
END_TEST

START_TEST(other_failures_are_the_servers)
{
    read_uri("test://failing");
    ck_error("-32603", "DISK_ON_FIRE", "1");
    ck_at("/error/message", "'The disk is on fire.'");
    ck_at("/error/data/uri", "'test://failing'");
    read_uri("test://nothing");
    ck_error("-32603", "EXECUTION_ERROR", "1");
    ck_says("/error/message", "mica_add_resource_text");
}
END_TEST

START_TEST(a_read_names_its_uri)
{
    static const char *const wrong[] = {"", ",'uri':null", ",'uri':7",
                                        ",'name':'test://static-text'"};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ask("resources/read", wrong[i]);
        ck_error("-32602", "MISSING_FIELD", "1");
        ck_says("/error/message", "params.uri");
    }
}
END_TEST

static enum mica_status
read_a_text_block(struct mica_call *call)
{
    mica_add_text(call, MICA_LITERAL("a block"), NULL);
    return MICA_OK;
}

MICA_RESOURCE(blocks, read_a_text_block, .uri = "test://blocks");

START_TEST(a_block_that_is_no_contents_is_the_handlers_fault)
{
    ck_assert_int_eq(mica_server_add_resource(
                         harness.server, &mica_resource_blocks, NULL, NULL),
                     MICA_OK);
    read_uri("test://blocks");
    ck_error("-32603", "EXECUTION_ERROR", "1");
}
END_TEST

// ---- Over HTTP -------------------------------------------------------------------

START_TEST(the_header_repeats_the_uri)
{
    const char *body = quoted("{" V2 ",'id':1,'method':'resources/read',"
                              "'params':{" META ",'uri':"
                              "'test://weather/Z\xc3\xbcrich'}}");

    stateless("resources/read",
              "=?base64?dGVzdDovL3dlYXRoZXIvWsO8cmljaA==?=", body);
    ck_assert_uint_eq(send_request(), 200);
    ck_says("/result/contents/0/text", "sun in Z\xc3\xbcrich");
    stateless("resources/read", "test://weather/other", body);
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1");
    stateless("resources/read", NULL, body);
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1");
    ck_says("/error/message", "Mcp-Name");
}
END_TEST

START_TEST(not_found_is_no_http_error)
{
    stateless("resources/read", "test://no",
              quoted("{" V2 ",'id':1,'method':'resources/read','params':{" META
                     ",'uri':'test://no'}}"));
    ck_assert_uint_eq(send_request(), 200);
    ck_error("-32602", "NOT_FOUND", "1");
}
END_TEST

// ---- Capabilities ----------------------------------------------------------------

START_TEST(a_server_without_resources_has_no_such_methods)
{
    static const char *const methods[] = {
        "resources/list", "resources/templates/list",
        "resources/read", "prompts/list",
        "prompts/get",    "completion/complete"};

    ask("server/discover", "");
    ck_at("/result/capabilities", "{'tools':{},'logging':{}}");
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        ask(methods[i], ",'uri':'test://static-text'");
        ck_error("-32601", "NOT_FOUND", "1");
    }
    ck_assert_int_eq(fixture_add_offers(harness.server, NULL), MICA_OK);
    ask("server/discover", "");
    ck_at("/result/capabilities",
          "{'tools':{},'resources':{},'prompts':{},'completions':{},"
          "'logging':{}}");
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        ask(methods[i], ",'uri':'test://static-text'");
        ck_assert_msg(strstr(harness.reply, "-32601") == NULL, "%s",
                      harness.reply);
    }
}
END_TEST

static void
hear(void *data, const struct mica_change *change)
{
    struct mica_change *last = data;

    *last = *change;
}

START_TEST(changes_are_announced_where_somebody_listens)
{
    struct mica_change last = {.kind = MICA_CHANGED_TOOLS};

    harness.server->registry.changed = hear;
    harness.server->registry.changed_data = &last;
    ask("server/discover", "");
    ck_at("/result/capabilities/resources",
          "{'subscribe':true,'listChanged':true}");
    ck_at("/result/capabilities/prompts", "{'listChanged':true}");
    ck_at("/result/capabilities/completions", "{}");
    ck_assert_int_eq(mica_server_remove(harness.server,
                                        MICA_DEFINITION_TEMPLATE,
                                        "test://template/{id}/data", NULL),
                     MICA_OK);
    ck_assert_int_eq(last.kind, MICA_CHANGED_RESOURCES);
    ck_assert_int_eq(mica_server_remove(harness.server, MICA_DEFINITION_PROMPT,
                                        "talk", NULL),
                     MICA_OK);
    ck_assert_int_eq(last.kind, MICA_CHANGED_PROMPTS);
    mica_server_resource_changed(harness.server, "test://pair");
    ck_assert_int_eq(last.kind, MICA_CHANGED_CONTENTS);
    UNIT_TEXT_EQ(last.uri, "test://pair");
    // Over HTTP without sessions there is no client to tell.
    request("POST", quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                           "'protocolVersion':'2025-11-25'}}"));
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/capabilities",
          "{'tools':{},'resources':{},'prompts':{},'completions':{}}");
}
END_TEST

// ---- Definitions -----------------------------------------------------------------

static enum mica_status
never(struct mica_call *call, const void *in, void *out)
{
    (void)call, (void)in, (void)out;
    ck_abort_msg("this must not run");
    return MICA_OK;
}

struct number_input {
    double id;
};
MICA_RECORD(number_input, MICA_NUMBER(id, "A number."));

START_TEST(a_definition_that_cannot_be_served_is_refused)
{
    const struct {
        struct mica_resource resource;
        const char *says;
    } wrong[] = {
        {{.name = "x", .text = ""}, "either a .uri"},
        {{.uri = "t:a", .uri_template = "t:{a}", .name = "x", .text = ""},
         "either a .uri"},
        {{.uri = "no uri", .name = "x", .text = ""}, "is not a URI"},
        {{.uri = "/path", .name = "x", .text = ""}, "is not a URI"},
        {{.uri = "t:a", .text = ""}, "needs a .name"},
        {{.uri = "t:a", .name = "x"}, "either a .handler"},
        {{.uri = "t:a", .name = "x", .text = "", .handler = never},
         "either a .handler"},
        {{.uri = "t:a", .name = "x", .text = "\xff"}, "not UTF-8"},
        {{.uri = "t:a", .name = "x", .text = "", .complete = complete_id},
         "no variables"},
        {{.uri = "t:a", .name = "x", .text = "", .meta = "[]"}, "JSON object"},
        {{.uri = "t:a", .name = "x", .text = "", .meta = "{"}, "not JSON"},
        {{.uri = "t:a",
          .name = "x",
          .text = "",
          MICA_ICONS({.src = "http://example.org/i.png"})},
         "https: or data:"},
        {{.uri = "t:a",
          .name = "x",
          .text = "",
          .annotations = {.audience = "everybody"}},
         "audience"},
        {{.uri = "t:a",
          .name = "x",
          .text = "",
          .annotations = {.priority = 2, .has_priority = true}},
         "priority"},
        {{.uri = "t:a",
          .name = "x",
          .text = "",
          .annotations = {.last_modified = "yesterday"}},
         "last_modified"},
        {{.uri_template = "t:{id}", .name = "x", .text = ""}, ".input record"},
        {{.uri_template = "t:{id}", .name = "x", .handler = never},
         ".input record"},
        {{.uri_template = "t:{id}{b}",
          .name = "x",
          .handler = never,
          .input = &mica_record_template_input},
         "follows another variable"},
        {{.uri_template = "t:{key}",
          .name = "x",
          .handler = never,
          .input = &mica_record_template_input},
         "no field of that name"},
        {{.uri_template = "t:{arg1}",
          .name = "x",
          .handler = never,
          .input = &mica_record_two_arguments},
         "no variable for the field 'arg2'"},
        {{.uri_template = "t:{id}",
          .name = "x",
          .handler = never,
          .input = &mica_record_number_input},
         "text or choice"},
        {{.uri = "test://pair", .name = "x", .text = ""}, "already"},
        {{.uri_template = "test://template/{id}/data",
          .name = "x",
          .handler = never,
          .input = &mica_record_template_input},
         "already"},
    };

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        struct mica_error error = {.status = MICA_OK};
        enum mica_status status = mica_server_add_resource(
            harness.server, &wrong[i].resource, NULL, &error);
        ck_assert_msg(status == MICA_E_USAGE || status == MICA_E_EXISTS,
                      "%zu (%s) was taken", i, wrong[i].says);
        ck_assert_msg(strstr(error.message, wrong[i].says) != NULL,
                      "%zu: no '%s' in: %s", i, wrong[i].says, error.message);
    }
    ck_assert_uint_eq(mica_registry_count(&harness.server->registry,
                                          MICA_DEFINITION_RESOURCE),
                      6);
    ck_assert_uint_eq(mica_registry_count(&harness.server->registry,
                                          MICA_DEFINITION_TEMPLATE),
                      2);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("resources");
    TCase *lists = offers_case(suite, "lists");
    TCase *reading = offers_case(suite, "reading");
    TCase *missing = offers_case(suite, "missing");
    TCase *http = offers_case(suite, "http");
    TCase *without = add_case(suite, "capabilities");
    TCase *definitions = offers_case(suite, "definitions");

    tcase_add_test(lists, a_list_has_all_that_can_be_said_of_a_resource);
    tcase_add_test(lists, an_older_list_leaves_out_what_came_later);
    tcase_add_test(reading, a_text_is_read_as_it_is);
    tcase_add_test(reading,
                   bytes_are_a_blob_and_several_contents_come_in_order);
    tcase_add_test(reading, a_template_hands_its_variables_to_the_handler);
    tcase_add_test(reading, a_fixed_resource_comes_before_a_template);
    tcase_add_test(missing, an_unknown_uri_has_the_code_of_its_era);
    tcase_add_test(missing, a_handler_may_say_that_there_is_nothing);
    tcase_add_test(missing, a_path_that_climbs_is_not_there);
    tcase_add_test(missing,
                   a_value_that_the_record_refuses_is_the_clients_fault);
    tcase_add_test(missing, other_failures_are_the_servers);
    tcase_add_test(missing, a_read_names_its_uri);
    tcase_add_test(missing, a_block_that_is_no_contents_is_the_handlers_fault);
    tcase_add_test(http, the_header_repeats_the_uri);
    tcase_add_test(http, not_found_is_no_http_error);
    tcase_add_test(without, a_server_without_resources_has_no_such_methods);
    tcase_add_test(lists, changes_are_announced_where_somebody_listens);
    tcase_add_test(definitions, a_definition_that_cannot_be_served_is_refused);
    return run_suite(suite);
}
