// SPDX-License-Identifier: Apache-2.0
//
// Several endpoints of one server, for a program that has a web server of its own: each
// has its own name, tools and clients, and what one has sealed is nothing at another.
#include <malloc.h>

#include <mica/endpoint.h>

#include "http/routes.h"
#include "protocol/base_path.h"
#include "test_server.h"

static struct mica_error error;

static unsigned
handle(const char *path)
{
    mica_arena_reset(&harness.arena);
    harness.request.path = mica_text(path);
    mica_server_handle(harness.server, &harness.arena, NULL, &harness.request,
                       &harness.response);
    take_reply(harness.response.body);
    return harness.response.status;
}

static enum mica_status
says_where(struct mica_call *call, const struct mica_json *in,
           struct mica_json_writer *out)
{
    (void)in;
    mica_json_open_object(out);
    mica_json_field(out, "at", mica_text(mica_user(call)));
    mica_json_close_object(out);
    return MICA_OK;
}

static const struct mica_tool where = {.name = "where",
                                       .description = "Says where it is.",
                                       .input_schema = "{\"type\":\"object\"}",
                                       .json_handler = says_where};

static struct mica_endpoint_draft *
begin(const char *key, const char *path)
{
    const struct mica_endpoint_options options = {.key = key,
                                                  .path = path,
                                                  .name = key,
                                                  .version = "7",
                                                  .title = "An app",
                                                  .instructions = "Be brief.",
                                                  .page_items = 2};
    struct mica_endpoint_draft *draft;

    ck_assert_msg(mica_endpoint_begin(harness.server, &options, &error,
                                      &draft) == MICA_OK,
                  "%s", error.message);
    return draft;
}

static void
add(struct mica_endpoint_draft *draft, const char *name, const char *at)
{
    struct mica_tool tool = where;

    tool.name = name;
    ck_assert_msg(mica_endpoint_add_tool(draft, &tool, (void *)(uintptr_t)at,
                                         &error) == MICA_OK,
                  "%s", error.message);
}

static void
publish(const char *key, const char *path, const char *at)
{
    struct mica_endpoint_draft *draft = begin(key, path);

    add(draft, "where", at);
    add(draft, "echo", at);
    add(draft, "other", at);
    ck_assert_msg(mica_endpoint_publish(&draft, &error) == MICA_OK, "%s",
                  error.message);
    ck_assert_ptr_null(draft);
}

static void
start_two(void)
{
    static const unsigned char key[MICA_CURSOR_KEY_BYTES] = "0123456789abcde";

    close_server();
    start_server(&(struct mica_server_options){
        .name = "main", .version = "1", .page_items = 2, .cursor_key = key});
    ck_assert_int_eq(mica_server_add_tool(harness.server, &where,
                                          (void *)(uintptr_t) "main", &error),
                     MICA_OK);
    publish("app/a", "/servers/a", "a");
    publish("app/b", "/servers/b", "b");
}

static void
call_where(void)
{
    stateless("tools/call", "where",
              quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META
                     ",'name':'where','arguments':{}}}"));
}

// ---- Finding -------------------------------------------------------------------

START_TEST(each_path_has_its_own_tools_and_name)
{
    static const struct {
        const char *path, *at, *name;
    } places[] = {{"/mcp", "{'at':'main'}", "'main'"},
                  {"/servers/a/mcp", "{'at':'a'}", "'app/a'"},
                  {"/servers/b/mcp", "{'at':'b'}", "'app/b'"}};

    start_two();
    for (size_t i = 0; i < MICA_COUNT(places); i++) {
        call_where();
        ck_assert_uint_eq(handle(places[i].path), 200);
        ck_at("/result/structuredContent", places[i].at);
        ck_at("/result/_meta/io.modelcontextprotocol~1serverInfo/name",
              places[i].name);
    }
    stateless("server/discover", NULL,
              quoted("{" V2 ",'id':1,'method':'server/discover','params':{" META
                     "}}"));
    ck_assert_uint_eq(handle("/servers/a/mcp"), 200);
    ck_at("/result/instructions", "'Be brief.'");
    ck_assert_uint_eq(handle("/mcp"), 200);
    ck_at("/result/instructions", "(absent)");
}
END_TEST

START_TEST(where_no_endpoint_is_nothing_answers)
{
    static const char *const paths[] = {
        "/servers/c/mcp", "/servers",        "/servers/ab/mcp",
        "/other",         "/servers//a/mcp", "/a/b/c/d/e/f/g/h/i/j/k"};

    start_two();
    for (size_t i = 0; i < MICA_COUNT(paths); i++) {
        call_where();
        ck_assert_msg(handle(paths[i]) == 404, "%s: %s", paths[i],
                      harness.reply);
    }
    ck_assert_int_eq(mica_endpoint_withdraw(harness.server, "app/a", &error),
                     MICA_OK);
    call_where();
    ck_assert_uint_eq(handle("/servers/a/mcp"), 404);
    ck_assert_uint_eq(handle("/servers/b/mcp"), 200);
    ck_assert_int_eq(mica_endpoint_withdraw(harness.server, "app/a", &error),
                     MICA_E_NOT_FOUND);
}
END_TEST

START_TEST(the_longest_path_is_meant)
{
    start_two();
    publish("app/deep", "/servers/a/deep", "deep");
    call_where();
    ck_assert_uint_eq(handle("/servers/a/deep/mcp"), 200);
    ck_at("/result/structuredContent", "{'at':'deep'}");
    ck_assert_uint_eq(handle("/servers/a/mcp"), 200);
    ck_at("/result/structuredContent", "{'at':'a'}");
}
END_TEST

// ---- Publishing ------------------------------------------------------------------

START_TEST(what_is_published_again_takes_the_place)
{
    struct mica_endpoint_draft *draft;
    struct mica_endpoint *before, *after;

    start_two();
    before = mica_registry_endpoint(&harness.server->registry,
                                    MICA_LITERAL("app/a"));
    draft = begin("app/a", "/servers/moved");
    add(draft, "where", "a, anew");
    ck_assert_int_eq(mica_endpoint_publish(&draft, &error), MICA_OK);
    call_where();
    ck_assert_uint_eq(handle("/servers/a/mcp"), 404);
    ck_assert_uint_eq(handle("/servers/moved/mcp"), 200);
    ck_at("/result/structuredContent", "{'at':'a, anew'}");
    after = mica_registry_endpoint(&harness.server->registry,
                                   MICA_LITERAL("app/a"));
    ck_assert_int_eq(before->version, 1);
    ck_assert_int_eq(after->version, 2);
    ck_assert_uint_eq(before->catalog->lists[MICA_DEFINITION_TOOL].count, 3);
    ck_assert_uint_eq(after->declared & before->declared, before->declared);
    mica_endpoint_drop(before);
    mica_endpoint_drop(after);
    // Its path is free for another.
    publish("app/c", "/servers/a", "c");
    ck_assert_uint_eq(mica_registry_endpoints(&harness.server->registry), 3);
}
END_TEST

START_TEST(a_path_belongs_to_one_key)
{
    struct mica_endpoint_draft *draft;

    start_two();
    draft = begin("app/c", "/servers/a");
    ck_assert_int_eq(mica_endpoint_publish(&draft, &error), MICA_E_EXISTS);
    ck_assert_ptr_nonnull(strstr(error.message, "/servers/a"));
    draft = begin("app/b", "/servers/a");
    ck_assert_int_eq(mica_endpoint_publish(&draft, &error), MICA_E_EXISTS);
    call_where();
    ck_assert_uint_eq(handle("/servers/b/mcp"), 200);
}
END_TEST

START_TEST(what_mcp_offers_is_shared)
{
    struct mica_endpoint_draft *draft;

    start_two();
    draft = begin("app/c", "/servers/c");
    ck_assert_int_eq(
        mica_endpoint_add_offered(draft, MICA_DEFINITION_TOOL, "where", &error),
        MICA_OK);
    ck_assert_int_eq(
        mica_endpoint_add_offered(draft, MICA_DEFINITION_TOOL, "where", &error),
        MICA_E_EXISTS);
    ck_assert_int_eq(
        mica_endpoint_add_offered(draft, MICA_DEFINITION_TOOL, "none", &error),
        MICA_E_NOT_FOUND);
    ck_assert_int_eq(mica_endpoint_publish(&draft, &error), MICA_OK);
    call_where();
    ck_assert_uint_eq(handle("/servers/c/mcp"), 200);
    ck_at("/result/structuredContent", "{'at':'main'}");
}
END_TEST

START_TEST(keys_and_paths_that_are_none_are_refused)
{
    static const struct {
        const char *key, *path;
    } wrong[] = {{NULL, "/a"},
                 {"", "/a"},
                 {"a b", "/a"},
                 {"*", "/a"},
                 {"k", NULL},
                 {"k", ""},
                 {"k", "a"},
                 {"k", "/"},
                 {"k", "/a/"},
                 {"k", "/a//b"},
                 {"k", "/a/../b"},
                 {"k", "/./a"},
                 {"k", "/a?b"},
                 {"k", "/a%20b"},
                 {"k", "/mcp"},
                 {"k", "/api/x"},
                 {"k", "/tools/x"},
                 {"k", "/.well-known/x"},
                 {"k", "/healthz"},
                 {"k", "/\xc3\xbc"},
                 {"k", "/openapi.json/a"},
                 {"k", "/1/2/3/4/5/6/7/8/9"}};
    struct mica_endpoint_draft *draft;
    char longest[MICA_ENDPOINT_PATH_BYTES + 2];

    for (size_t i = 0; i < MICA_COUNT(wrong); i++)
        ck_assert_msg(mica_endpoint_begin(
                          harness.server,
                          &(struct mica_endpoint_options){.key = wrong[i].key,
                                                          .path = wrong[i].path,
                                                          .name = "n",
                                                          .version = "1"},
                          &error, &draft) == MICA_E_USAGE,
                      "%zu", i);
    memset(longest, 'a', sizeof longest - 1);
    longest[0] = '/';
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(
        mica_endpoint_begin(
            harness.server,
            &(struct mica_endpoint_options){
                .key = "k", .path = longest, .name = "n", .version = "1"},
            &error, &draft),
        MICA_E_USAGE);
    longest[sizeof longest - 2] = '\0';
    draft = begin("k", longest);
    mica_endpoint_discard(&draft);
    ck_assert_ptr_null(draft);
    mica_endpoint_discard(&draft);
    ck_assert_int_eq(mica_endpoint_begin(harness.server,
                                         &(struct mica_endpoint_options){
                                             .key = "k", .path = "/k"},
                                         &error, &draft),
                     MICA_E_USAGE);
}
END_TEST

START_TEST(no_endpoint_lies_at_a_path_of_the_server)
{
    struct mica_endpoint_draft *draft;
    const char *path;

    for (size_t row = 0; (path = mica_route_path(row)) != NULL; row++) {
        struct mica_endpoint_options options = {
            .key = "k", .path = path, .name = "n", .version = "1"};
        if (path[0] != '\0' && strcmp(path, "/") != 0)
            ck_assert_msg(mica_endpoint_begin(harness.server, &options, &error,
                                              &draft) == MICA_E_USAGE,
                          "%s", path);
    }
}
END_TEST

// ---- What is bound to an endpoint --------------------------------------------------

static void
list(const char *cursor)
{
    stateless("tools/list", NULL,
              quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META
                     "%s%s%s}}",
                     cursor != NULL ? ",'cursor':'" : "",
                     cursor != NULL ? cursor : "", cursor != NULL ? "'" : ""));
}

// [LIST-CURSOR]
START_TEST(a_cursor_is_good_at_its_endpoint_alone)
{
    static const char *const paths[] = {"/mcp", "/servers/a/mcp",
                                        "/servers/b/mcp"};
    char cursor[256];

    start_two();
    for (size_t from = 0; from < MICA_COUNT(paths); from++) {
        list(NULL);
        ck_assert_uint_eq(handle(paths[from]), 200);
        struct mica_text text = mica_json_get_text(
            mica_json_get(&harness.last, "result"), "nextCursor");
        ck_assert_uint_gt(text.len, 0);
        (void)snprintf(cursor, sizeof cursor, "%.*s", MICA_ARG(text));
        for (size_t to = 0; to < MICA_COUNT(paths); to++) {
            list(cursor);
            (void)handle(paths[to]);
            ck_at("/error/code", to == from ? "(absent)" : "-32602");
        }
    }
}
END_TEST

// ---- A base path before them --------------------------------------------------------

// "/bbb…" of so many bytes.
static const char *
path_of(char *room, char c, size_t bytes)
{
    memset(room, c, bytes);
    room[0] = '/';
    room[bytes] = '\0';
    return room;
}

START_TEST(the_longest_paths_go_together_over_rest)
{
    char base[MICA_BASE_PATH_BYTES + 1], path[MICA_ENDPOINT_PATH_BYTES + 1];
    const struct mica_header host = {MICA_LITERAL("Host"),
                                     MICA_LITERAL("localhost")};
    struct mica_http_request request = {
        .method = MICA_LITERAL("GET"), .headers = &host, .header_count = 1};
    const char *at;

    publish("app/long", path_of(path, 'p', MICA_ENDPOINT_PATH_BYTES), "long");
    request.path = mica_text(quoted("%s/openapi.json", path));
    request.base = mica_text(path_of(base, 'b', MICA_BASE_PATH_BYTES));
    mica_arena_reset(&harness.arena);
    mica_server_handle_rest(harness.server, &harness.arena, NULL, &request,
                            &harness.response);
    ck_assert_msg(harness.response.status == 200, "%.*s",
                  MICA_ARG(harness.response.body));
    at = quoted("{'url':'%s%s'}", base, path);
    ck_assert_ptr_nonnull(memmem(harness.response.body.ptr,
                                 harness.response.body.len, at, strlen(at)));
    // A program's own base path is not longer for that.
    request.path = MICA_LITERAL("/openapi.json");
    request.base = mica_text(quoted("%sb", base));
    mica_arena_reset(&harness.arena);
    mica_server_handle_rest(harness.server, &harness.arena, NULL, &request,
                            &harness.response);
    ck_assert_uint_eq(harness.response.status, 500);
}
END_TEST

// A proxy may have taken the base path off, or left it: both must mean the same.
START_TEST(no_endpoint_and_base_path_lie_below_each_other)
{
    static const struct {
        const char *base;
        enum mica_status status;
    } bases[] = {{"/servers", MICA_E_USAGE},
                 {"/servers/a", MICA_E_USAGE},
                 {"/servers/a/mcp", MICA_E_USAGE},
                 {"/servers/a/api/where", MICA_E_USAGE},
                 {"/server", MICA_OK},
                 {"/servers/ab", MICA_OK},
                 {"/x/servers", MICA_OK},
                 {"", MICA_OK}};
    static const struct {
        const char *path;
        enum mica_status status;
    } paths[] = {{"/x/servers", MICA_E_USAGE},
                 {"/x", MICA_E_USAGE},
                 {"/x/servers/c", MICA_E_USAGE},
                 {"/x/server", MICA_OK},
                 {"/servers/x", MICA_OK}};
    struct mica_endpoint_draft *draft;

    start_two();
    for (size_t i = 0; i < MICA_COUNT(bases); i++) {
        ck_assert_msg(mica_route_check_base(harness.server,
                                            mica_text(bases[i].base),
                                            &error) == bases[i].status,
                      "%s", bases[i].base);
        if (bases[i].status != MICA_OK)
            ck_assert_ptr_nonnull(strstr(error.message, "/servers/"));
    }
    // While it is served there, too.
    ck_assert_int_eq(mica_route_check_base(harness.server,
                                           MICA_LITERAL("/x/servers"), &error),
                     MICA_OK);
    for (size_t i = 0; i < MICA_COUNT(paths); i++) {
        draft = begin("app/c", paths[i].path);
        ck_assert_msg(mica_endpoint_publish(&draft, &error) == paths[i].status,
                      "%s", paths[i].path);
        ck_assert_ptr_null(draft);
    }
    draft = begin("app/c", "/x/servers");
    ck_assert_int_eq(
        mica_route_check_base(harness.server, mica_text(""), &error), MICA_OK);
    ck_assert_int_eq(mica_endpoint_publish(&draft, &error), MICA_OK);
}
END_TEST

// ---- Older builds -------------------------------------------------------------------

static struct mica_definition *
find_any(void *data, struct mica_text name, struct mica_text version)
{
    struct mica_definition *definition = data;

    (void)name;
    (void)version;
    mica_definition_hold(definition);
    return definition;
}

// A turn of a call begins at its endpoint: where that is not there, no build is.
START_TEST(a_withdrawn_endpoint_continues_no_call)
{
    struct mica_call_build build = {.endpoint = MICA_LITERAL("app/a"),
                                    .kind = MICA_DEFINITION_TOOL,
                                    .target = MICA_LITERAL("where"),
                                    .version = MICA_LITERAL("older")};
    struct mica_registry *registry;
    struct mica_catalog *catalog;

    start_two();
    registry = &harness.server->registry;
    catalog = mica_registry_catalog(registry);
    registry->older = find_any;
    registry->older_data =
        mica_catalog_find(catalog, MICA_OFFER_TOOL, MICA_LITERAL("where"));
    ck_assert(mica_registry_runs(registry, &build, false));
    ck_assert(!mica_registry_runs(registry, &build, true));
    ck_assert_int_eq(mica_endpoint_withdraw(harness.server, "app/a", &error),
                     MICA_OK);
    ck_assert(!mica_registry_runs(registry, &build, false));
    ck_assert_ptr_null(mica_registry_version(registry, build.endpoint,
                                             build.target, build.version));
    publish("app/a", "/servers/a", "a");
    ck_assert(mica_registry_runs(registry, &build, false));
    registry->older = NULL;
    mica_catalog_drop(catalog);
}
END_TEST

// ---- Ten thousand ------------------------------------------------------------------

enum {
    MANY = 10000,
    MOST_BYTES = 2048 // of each, besides its texts
};

static void
name_of(char room[64], const char *before, unsigned number)
{
    (void)snprintf(room, 64, "%s%05u", before, number);
}

// The memory of the program that is in use, in mapped pieces, too.
static size_t
bytes_in_use(void)
{
    struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd;
}

START_TEST(ten_thousand_cost_little_and_are_found)
{
    char key[64], path[64];
    struct mica_text below;
    size_t texts = 0, before, each;

    before = bytes_in_use();
    for (unsigned i = 0; i < MANY; i++) {
        name_of(key, "app/", i);
        name_of(path, "/servers/", i);
        struct mica_endpoint_draft *draft = begin(key, path);
        add(draft, "where", "one of many");
        ck_assert_int_eq(mica_endpoint_publish(&draft, &error), MICA_OK);
    }
    each = (bytes_in_use() - before) / MANY;
    for (unsigned i = 0; i < MANY; i++) {
        name_of(key, "app/", i);
        name_of(path, "/servers/", i);
        struct mica_endpoint *by_key =
            mica_registry_endpoint(&harness.server->registry, mica_text(key));
        struct mica_endpoint *by_path = mica_registry_endpoint_above(
            &harness.server->registry, mica_text(path), &below);
        ck_assert_ptr_nonnull(by_key);
        ck_assert_ptr_eq(by_key, by_path);
        ck_assert_uint_eq(below.len, 0);
        texts = by_key->bytes - sizeof *by_key;
        mica_endpoint_drop(by_key);
        mica_endpoint_drop(by_path);
    }
    // The name and description of the tool and its schema are texts, too.
    texts += strlen(where.name) + strlen(where.description) +
             strlen(where.input_schema);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    ck_assert_msg(each <= MOST_BYTES + texts, "%zu bytes each, %zu of texts",
                  each, texts);
#endif
    // Every other one goes; the rest is still found.
    for (unsigned i = 0; i < MANY; i += 2) {
        name_of(key, "app/", i);
        ck_assert_int_eq(mica_endpoint_withdraw(harness.server, key, &error),
                         MICA_OK);
    }
    for (unsigned i = 0; i < MANY; i++) {
        name_of(path, "/servers/", i);
        struct mica_endpoint *found = mica_registry_endpoint_above(
            &harness.server->registry, mica_text(path), &below);
        ck_assert_msg((found != NULL) == (i % 2 == 1), "%s", path);
        mica_endpoint_drop(found);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("endpoints");
    TCase *group = add_case(suite, "endpoints");

    tcase_set_timeout(group, 120);
    tcase_add_test(group, each_path_has_its_own_tools_and_name);
    tcase_add_test(group, where_no_endpoint_is_nothing_answers);
    tcase_add_test(group, the_longest_path_is_meant);
    tcase_add_test(group, what_is_published_again_takes_the_place);
    tcase_add_test(group, a_path_belongs_to_one_key);
    tcase_add_test(group, what_mcp_offers_is_shared);
    tcase_add_test(group, keys_and_paths_that_are_none_are_refused);
    tcase_add_test(group, no_endpoint_lies_at_a_path_of_the_server);
    tcase_add_test(group, a_cursor_is_good_at_its_endpoint_alone);
    tcase_add_test(group, the_longest_paths_go_together_over_rest);
    tcase_add_test(group, no_endpoint_and_base_path_lie_below_each_other);
    tcase_add_test(group, a_withdrawn_endpoint_continues_no_call);
    tcase_add_test(group, ten_thousand_cost_little_and_are_found);
    return run_suite(suite);
}
