// SPDX-License-Identifier: Apache-2.0
//
// Published apps of a store in memory, for the tests of what is loaded when, and of how
// changes are followed.
#ifndef MICA_TESTS_PUBLISHED_APPS_H
#define MICA_TESTS_PUBLISHED_APPS_H

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/absent_slugs.h"
#include "publish/app_endpoint.h"
#include "publish/published_apps.h"
#include "store/serving_thread.h"
#include "unit.h"

#include <mica/endpoint.h>

enum {
    MANY = 2000,
    STEPS = 1000,
    SLUGS = 8,
    SLOW_MS = 3600 * 1000 // the thread follows nothing by itself
};

static const char text[] =
    "{\"name\":\"My Bot\",\"description\":\"Helps.\",\"toolName\":\"%s\","
    "\"toolDescription\":\"Gets the order.\",\"layoutTemplate\":\"card\","
    "\"mockData\":{\"title\":\"Order\"},\"behavior\":{\"type\":\"data\","
    "\"message\":\"Here:\"},\"visibility\":\"public\"}";

static struct mica_error error;

#define MUST(call_) UNIT_MUST((call_) == MICA_OK, "%s", error.message)

static struct mica_server *server;
static struct mica_bus *bus;
static struct mica_session_store *session_store;
static struct mica_store *store;
static struct mica_published_apps *apps;
static char ended[256]; // the keys that have ended, each with a ';' behind it

static inline void
note_end(void *data, struct mica_text key)
{
    size_t length = strlen(ended);

    (void)data;
    (void)snprintf(ended + length, sizeof ended - length, "%.*s;",
                   MICA_ARG(key));
}

static char narrowed[256]; // "KEY VISIBILITY SCOPE;" of each

static inline void
note_narrowed(void *data, struct mica_text key,
              const struct mica_app_exposure *now)
{
    size_t length = strlen(narrowed);

    (void)data;
    (void)snprintf(narrowed + length, sizeof narrowed - length, "%.*s %s %.*s;",
                   MICA_ARG(key), mica_app_visibility_name(now->visibility),
                   MICA_ARG(now->scope));
}

static inline void
start(size_t loaded_bytes, unsigned poll_ms)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    const struct mica_session_store_options kept = {.store = "memory"};

    MUST(mica_server_open(&options, &error, &server));
    MUST(mica_bus_of(server, &error, &bus));
    MUST(mica_session_store_open(&kept, &error, &session_store));
    MUST(mica_session_store_need(session_store, &error, &store));
    const struct mica_published_apps_options apps_options = {
        .server = server,
        .session_store = session_store,
        .bus = bus,
        .loaded_bytes = loaded_bytes,
        .poll_ms = poll_ms,
        .ended = note_end,
        .narrowed = note_narrowed};
    MUST(mica_published_apps_open(&apps_options, &error, &apps));
}

static inline void
stop(void)
{
    mica_published_apps_close(&apps);
    ck_assert_uint_eq(mica_registry_endpoints(&server->registry), 0);
    mica_session_store_close(&session_store);
    mica_server_close(&server);
}

// ---- The store ---------------------------------------------------------------------

static inline struct mica_store_app_target
target_of(const char *id)
{
    return (struct mica_store_app_target){.id = mica_text(id), .now = 1000};
}

static inline void
create(const char *id, const char *slug)
{
    const struct mica_store_app_content content = {.draft = mica_text("{}")};
    struct mica_store_app_outcome outcome;

    MUST(mica_store_app_create(store, mica_text(id), mica_text(slug),
                               mica_text("local"), &content, 1000, &error,
                               &outcome));
    ck_assert_str_eq(outcome.slug, slug);
}

static inline void
publish_text(const char *id, const char *json)
{
    const struct mica_store_app_target target = target_of(id);
    struct mica_store_app_outcome outcome;
    const struct mica_store_app_release release = {
        .text = mica_text(json),
        .widget = mica_text("0123456789abcdef"),
        .html = mica_text("<p>")};
    MUST(mica_store_app_publish(store, &target, &release, &error, &outcome));
}

static inline void
publish(const char *id, const char *tool)
{
    char room[512];

    (void)snprintf(room, sizeof room, text, tool);
    publish_text(id, room);
}

// "public", "token", or a scope.
static inline void
publish_for(const char *id, const char *callers)
{
    char room[512], whole[600];
    bool is_scope =
        strcmp(callers, "public") != 0 && strcmp(callers, "token") != 0;

    (void)snprintf(room, sizeof room, text, "get_order");
    *strstr(room, "\"public\"}") = '\0';
    if (is_scope)
        (void)snprintf(whole, sizeof whole, "%s\"scope\",\"scope\":\"%s\"}",
                       room, callers);
    else
        (void)snprintf(whole, sizeof whole, "%s\"%s\"}", room, callers);
    publish_text(id, whole);
}

static inline void
unpublish(const char *id)
{
    const struct mica_store_app_target target = target_of(id);
    struct mica_store_app_outcome outcome;

    MUST(mica_store_app_unpublish(store, &target, &error, &outcome));
}

static inline void delete (const char *id)
{
    const struct mica_store_app_target target = target_of(id);
    struct mica_store_app_outcome outcome;

    MUST(mica_store_app_delete(store, &target, &error, &outcome));
}

// ---- The source, as an adapter asks it -------------------------------------------------

static inline enum mica_source_finding
look(const char *path)
{
    struct mica_text own = {NULL, 0};

    return server->registry.source->look(server->registry.source_data,
                                         mica_text(path), &own);
}

static inline enum mica_status
load(const char *path, struct mica_endpoint **endpoint_out)
{
    return server->registry.source->load(server->registry.source_data,
                                         mica_text(path), &error, endpoint_out);
}

static inline struct mica_endpoint *
loaded(const char *path)
{
    struct mica_endpoint *endpoint = NULL;

    MUST(load(path, &endpoint));
    return endpoint;
}

// Is it in the registry? Marks it as used.
static inline bool
is_in_memory(const char *path)
{
    struct mica_text below;
    struct mica_endpoint *endpoint = mica_registry_endpoint_above(
        &server->registry, mica_text(path), &below);

    mica_endpoint_drop(endpoint);
    return endpoint != NULL;
}

static inline const struct mica_definition *
tool_of(const struct mica_endpoint *endpoint)
{
    return endpoint->catalog->lists[MICA_DEFINITION_TOOL].items[0];
}

static inline void
create_many(int count)
{
    char id[32], slug[32];

    for (int i = 0; i < count; i++) {
        (void)snprintf(id, sizeof id, "id-%d", i);
        (void)snprintf(slug, sizeof slug, "a-%d", i);
        create(id, slug);
        publish(id, "get_order");
    }
}

static inline struct mica_endpoint *
load_number(int number)
{
    char path[32];

    (void)snprintf(path, sizeof path, "/servers/a-%d", number);
    return loaded(path);
}

#endif
