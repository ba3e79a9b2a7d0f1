// SPDX-License-Identifier: Apache-2.0
//
// What is offered changes while it is used: threads add, replace and remove
// while others list and read. Each message sees one catalog from beginning to
// end; nothing is lost and nothing is used after it went. Made for ThreadSanitizer
// and AddressSanitizer.
#include "test_server.h"

#include <limits.h>
#include <pthread.h>

enum {
    ROUNDS = 300,
    WRITERS = 2,
    READERS = 2
};

static atomic_int changes, failures, running;

static void
count_change(void *data, const struct mica_change *change)
{
    (void)data;
    (void)change;
    atomic_fetch_add(&changes, 1);
}

static enum mica_status
read_slowly(struct mica_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    // Its definition may be removed meanwhile: the message holds it.
    for (int i = 0; i < 50; i++)
        (void)mica_format(call, "%d", i);
    mica_add_resource_text(call, NULL, NULL, mica_uri(call), NULL);
    return MICA_OK;
}

static void *
add_and_remove(void *data)
{
    const int self = *(const int *)data;
    struct mica_error error;
    char uri[32], name[32];

    for (int i = 0; i < ROUNDS; i++) {
        struct mica_resource resource = {.name = "r", .handler = read_slowly};
        struct mica_tool tool = {.description = "A tool.",
                                 .input_schema = ANY_OBJECT,
                                 .json_handler = tool_echo};
        snprintf(uri, sizeof uri, "t:%d", self);
        snprintf(name, sizeof name, "tool%d", self);
        resource.uri = uri;
        tool.name = name;
        if (mica_server_add_resource(harness.server, &resource, NULL, &error) !=
                MICA_OK ||
            mica_server_add_tool(harness.server, &tool, NULL, &error) !=
                MICA_OK ||
            mica_server_remove(harness.server, MICA_DEFINITION_TOOL, name,
                               &error) != MICA_OK ||
            mica_server_remove(harness.server, MICA_DEFINITION_RESOURCE, uri,
                               &error) != MICA_OK)
            atomic_fetch_add(&failures, 1);
    }
    atomic_fetch_sub(&running, 1);
    return NULL;
}

// A whole message on this thread; true when the reply has `part`.
static bool
says(struct mica_arena *arena, const char *text, const char *part)
{
    struct mica_line_state state = {.initialized = false};
    struct mica_message message;
    struct mica_text reply;
    bool found = false;

    mica_arena_reset(arena);
    mica_message_init(&message, harness.server, arena);
    mica_message_line(&message, &state, mica_text(text));
    if (message.step == MICA_STEP_WORK &&
        !mica_message_execute_inline(&message))
        mica_message_execute(&message);
    reply = mica_buffer_as_text(&message.reply.text);
    for (size_t i = 0; i + strlen(part) <= reply.len && !found; i++)
        found = memcmp(reply.ptr + i, part, strlen(part)) == 0;
    mica_message_end(&message);
    return found;
}

#define ASK(method, more)                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method          \
    "\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"        \
    "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/" \
    "clientCapabilities\":{}}" more "}}"

static void *
list_and_read(void *data)
{
    struct mica_arena arena;

    (void)data;
    mica_arena_init(&arena, 8 << 20);
    while (atomic_load(&running) > 0) {
        // What is not removed is always there, the rest whole or not at all.
        if (!says(&arena, ASK("tools/list", ""), "\"name\":\"echo\"") ||
            !says(&arena, ASK("resources/read", ",\"uri\":\"t:always\""),
                  "\"text\":\"t:always\"") ||
            (!says(&arena, ASK("resources/read", ",\"uri\":\"t:0\""),
                   "\"text\":\"t:0\"") &&
             !says(&arena, ASK("resources/read", ",\"uri\":\"t:none\""),
                   "\"NOT_FOUND\"")))
            atomic_fetch_add(&failures, 1);
    }
    mica_arena_fini(&arena);
    return NULL;
}

START_TEST(calls_keep_what_they_began_with)
{
    static const struct mica_resource always = {
        .uri = "t:always", .name = "always", .handler = read_slowly};
    pthread_t writers[WRITERS], readers[READERS];
    int names[WRITERS];

    ck_assert_int_eq(
        mica_server_add_resource(harness.server, &always, NULL, NULL), MICA_OK);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    harness.server->registry.changed = count_change;
    atomic_store(&running, WRITERS);
    for (int i = 0; i < WRITERS; i++) {
        names[i] = i;
        pthread_create(&writers[i], NULL, add_and_remove, &names[i]);
    }
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, list_and_read, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    ck_assert_int_eq(atomic_load(&failures), 0);
    ck_assert_int_eq(atomic_load(&changes), WRITERS * ROUNDS * 4);
    ck_assert_uint_eq(mica_registry_count(&harness.server->registry,
                                          MICA_DEFINITION_RESOURCE),
                      1);
    ck_assert_uint_eq(
        mica_registry_count(&harness.server->registry, MICA_DEFINITION_TOOL),
        8);
    harness.server->registry.changed = NULL;
}
END_TEST

// A number of a damaged store is one, or that of a newer version.
START_TEST(what_is_of_no_known_kind_is_not_found)
{
    static const int kinds[] = {-1, MICA_DEFINITION_COUNT, 99, INT_MAX,
                                INT_MIN};
    const struct mica_catalog *catalog = harness.server->registry.main->catalog;

    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        struct mica_call_build build = {.kind =
                                            (enum mica_definition_kind)kinds[i],
                                        .target = MICA_LITERAL("echo"),
                                        .version = MICA_LITERAL("")};
        ck_assert_ptr_null(
            mica_catalog_find(catalog, build.kind, build.target));
        ck_assert_ptr_null(
            mica_catalog_nearest(catalog, build.kind, build.target));
        ck_assert(
            !mica_registry_runs(&harness.server->registry, &build, false));
    }
    ck_assert_ptr_nonnull(
        mica_catalog_find(catalog, MICA_DEFINITION_TOOL, MICA_LITERAL("echo")));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("catalog");
    TCase *changing = add_case(suite, "changing");

    tcase_set_timeout(changing, 60);
    tcase_add_test(changing, what_is_of_no_known_kind_is_not_found);
    tcase_add_test(changing, calls_keep_what_they_began_with);
    return run_suite(suite);
}
