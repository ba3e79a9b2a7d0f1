// SPDX-License-Identifier: Apache-2.0
//
// A server of published apps whose /mcp has the tool of one of them, too: what a call at a
// slug costs beside the same call at /mcp.
//
//     bench-app-server serve STORE SLUG BYTES prints its port; BYTES are for loaded apps, 0:
//                                             as many as always
//     bench-app-server bytes STORE SLUG COUNT loads app-0 … app-(COUNT - 1), without serving:
//                                             prints the bytes of each, those of its texts,
//                                             and those that the source counts
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/app_endpoint.h"
#include "publish/published_apps.h"
#include "registry/catalog.h"

#include <mica/server.h>
#include <sqlite3.h>

enum {
    ARENA_BYTES = 8 << 20
};

static struct mica_error error;
static size_t loaded_bytes;

// The server opens its apps by itself; --wrap leads it past here.
enum mica_status __real_mica_published_apps_open(
    const struct mica_published_apps_options *options,
    struct mica_error *problem, struct mica_published_apps **apps_out);
enum mica_status __wrap_mica_published_apps_open(
    const struct mica_published_apps_options *options,
    struct mica_error *problem, struct mica_published_apps **apps_out);

enum mica_status
__wrap_mica_published_apps_open(
    const struct mica_published_apps_options *options,
    struct mica_error *problem, struct mica_published_apps **apps_out)
{
    struct mica_published_apps_options own = *options;

    if (loaded_bytes != 0)
        own.loaded_bytes = loaded_bytes;
    return __real_mica_published_apps_open(&own, problem, apps_out);
}

static void
must(enum mica_status status)
{
    if (status == MICA_OK)
        return;
    fprintf(stderr, "%s: %s\n", mica_status_code(status), error.message);
    exit(1);
}

// ---- The tool at /mcp --------------------------------------------------------------

// What a tool of an app needs around it; all of it stays until the program ends.
struct tool_parts {
    struct mica_arena arena;
    struct mica_layout_schemas schemas;
    struct mica_session_store *session_store;
    struct mica_app_usages *usages;
    struct mica_app_common common;
};

static void
parts_open(struct tool_parts *parts, struct mica_server *server,
           const char *spec)
{
    const struct mica_session_store_options kept = {.store = spec};
    struct mica_schema *input;

    mica_arena_init(&parts->arena, ARENA_BYTES);
    mica_layout_schemas_open(&parts->schemas);
    must(mica_session_store_open(&kept, &error, &parts->session_store));
    must(mica_app_usages_open(&error, &parts->usages));
    must(mica_schema_compile(&parts->arena, mica_text(mica_app_input_schema),
                             NULL, &error, &input));
    parts->common =
        (struct mica_app_common){.session_store = parts->session_store,
                                 .registry = &server->registry,
                                 .input = input,
                                 .schemas = &parts->schemas,
                                 .usages = parts->usages};
}

static void
tool_offer(struct tool_parts *parts, struct mica_server *server,
           struct mica_text slug)
{
    struct mica_store_published_app published;
    struct mica_definition *tool;
    struct mica_store *store;

    must(mica_session_store_need(parts->session_store, &error, &store));
    must(mica_store_app_published(store, slug, &parts->arena, &error,
                                  &published));
    must(mica_app_tool_make(&parts->common, slug, &published, false, &error,
                            &tool));
    must(mica_registry_define(&server->registry, tool, &error));
}

static void
tell_port(void *user, unsigned port)
{
    (void)user;
    printf("%u\n", port);
    fflush(stdout);
}

static void
serve(struct mica_server *server, const char *spec, const char *slug)
{
    const struct mica_http_options options = {.listen = "127.0.0.1:0",
                                              .io_threads = 1,
                                              .quiet = true,
                                              .drain_s = -1,
                                              .store = spec,
                                              .ready = tell_port};
    struct tool_parts parts;

    parts_open(&parts, server, spec);
    tool_offer(&parts, server, mica_text(slug));
    must(mica_server_serve_http(server, &options, &error));
}

// ---- Memory ------------------------------------------------------------------------

// Without what SQLite has, whose cache of pages grows up to 2 MiB in the course of this.
static size_t
bytes_in_use(void)
{
    struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd - (size_t)sqlite3_memory_used();
}

// What the record of an app has, and what stands for it in replies.
static size_t
texts_of(const struct mica_endpoint *endpoint)
{
    const struct mica_loaded_version *version =
        mica_loaded_version_of(endpoint);
    const struct mica_definition *tool =
        endpoint->catalog->lists[MICA_DEFINITION_TOOL].items[0];
    const struct mica_app_plan *plan = &version->plan;

    return endpoint->key.len + endpoint->path.len + endpoint->server_info.len +
           version->id.len + version->slug.len + 2 * version->name.len +
           2 * version->description.len + version->tag.len + tool->name.len +
           tool->description.len + tool->meta.len + plan->message.len +
           plan->data.len + plan->plain.len + plan->arguments.len +
           plan->result.len + plan->system.len;
}

static struct mica_endpoint *
load(struct mica_server *server, const char *slug)
{
    const struct mica_registry *registry = &server->registry;
    struct mica_endpoint *endpoint;
    char path[MICA_APP_PATH_SIZE];

    (void)snprintf(path, sizeof path, MICA_APPS_PATH "/%s", slug);
    must(registry->source->load(registry->source_data, mica_text(path), &error,
                                &endpoint));
    return endpoint;
}

static void
measure(struct mica_server *server, const char *spec, const char *slug,
        size_t count)
{
    const struct mica_session_store_options kept = {.store = spec};
    struct mica_published_apps_options options = {.server = server};
    struct mica_published_apps *apps;
    struct mica_endpoint *first;
    size_t before, after, counted, texts;
    char name[32];

    must(mica_session_store_open(&kept, &error, &options.session_store));
    must(mica_published_apps_open(&options, &error, &apps));
    first = load(server, slug); // what comes with the first is not of each
    texts = texts_of(first);
    mica_endpoint_drop(first);
    counted = mica_published_apps_counts(apps).bytes;
    before = bytes_in_use();
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "app-%zu", i);
        mica_endpoint_drop(load(server, name));
    }
    after = bytes_in_use();
    printf("%zu %zu %zu\n", (after - before) / count, texts,
           (mica_published_apps_counts(apps).bytes - counted) / count);
    mica_published_apps_close(&apps);
    mica_session_store_close(&options.session_store);
}

int
main(int count, char **words)
{
    struct mica_server *server;
    bool measures = count == 5 && strcmp(words[1], "bytes") == 0;
    size_t amount = count == 5 ? (size_t)strtoul(words[4], NULL, 10) : 0;

    if (count != 5 || (!measures && strcmp(words[1], "serve") != 0)) {
        fprintf(stderr, "usage: bench-app-server serve STORE SLUG BYTES\n"
                        "       bench-app-server bytes STORE SLUG COUNT\n");
        return 2;
    }
    must(mica_server_open(
        &(struct mica_server_options){.name = "apps", .version = "1.0.0"},
        &error, &server));
    loaded_bytes = measures ? SIZE_MAX : amount;
    if (measures)
        measure(server, words[2], words[3], amount);
    else
        serve(server, words[2], words[3]);
    mica_server_close(&server);
    return 0;
}
