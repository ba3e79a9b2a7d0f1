// SPDX-License-Identifier: Apache-2.0
//
// Published apps of a store in memory: what is loaded when, what is dropped, and how the
// changes of a store are followed; against a model, and with threads.
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

static void
note_end(void *data, struct mica_text key)
{
    size_t length = strlen(ended);

    (void)data;
    (void)snprintf(ended + length, sizeof ended - length, "%.*s;",
                   MICA_ARG(key));
}

static void
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
        .ended = note_end};
    MUST(mica_published_apps_open(&apps_options, &error, &apps));
}

static void
stop(void)
{
    mica_published_apps_close(&apps);
    ck_assert_uint_eq(mica_registry_endpoints(&server->registry), 0);
    mica_session_store_close(&session_store);
    mica_server_close(&server);
}

// ---- The store ---------------------------------------------------------------------

static struct mica_store_app_target
target_of(const char *id)
{
    return (struct mica_store_app_target){.id = mica_text(id), .now = 1000};
}

static void
create(const char *id, const char *slug)
{
    const struct mica_store_app_content content = {.draft = mica_text("{}")};
    struct mica_store_app_outcome outcome;

    MUST(mica_store_app_create(store, mica_text(id), mica_text(slug),
                               mica_text("local"), &content, 1000, &error,
                               &outcome));
    ck_assert_str_eq(outcome.slug, slug);
}

static void
publish(const char *id, const char *tool)
{
    const struct mica_store_app_target target = target_of(id);
    struct mica_store_app_outcome outcome;
    char room[512];

    (void)snprintf(room, sizeof room, text, tool);
    const struct mica_store_app_release release = {
        .text = mica_text(room),
        .widget = mica_text("0123456789abcdef"),
        .html = mica_text("<p>")};
    MUST(mica_store_app_publish(store, &target, &release, &error, &outcome));
}

static void
unpublish(const char *id)
{
    const struct mica_store_app_target target = target_of(id);
    struct mica_store_app_outcome outcome;

    MUST(mica_store_app_unpublish(store, &target, &error, &outcome));
}

static void delete (const char *id)
{
    const struct mica_store_app_target target = target_of(id);
    struct mica_store_app_outcome outcome;

    MUST(mica_store_app_delete(store, &target, &error, &outcome));
}

// ---- The source, as an adapter asks it -------------------------------------------------

static enum mica_source_finding
look(const char *path)
{
    struct mica_text own = {NULL, 0};

    return server->registry.source->look(server->registry.source_data,
                                         mica_text(path), &own);
}

static enum mica_status
load(const char *path, struct mica_endpoint **endpoint_out)
{
    return server->registry.source->load(server->registry.source_data,
                                         mica_text(path), &error, endpoint_out);
}

static struct mica_endpoint *
loaded(const char *path)
{
    struct mica_endpoint *endpoint = NULL;

    MUST(load(path, &endpoint));
    return endpoint;
}

// Is it in the registry? Marks it as used.
static bool
is_in_memory(const char *path)
{
    struct mica_text below;
    struct mica_endpoint *endpoint = mica_registry_endpoint_above(
        &server->registry, mica_text(path), &below);

    mica_endpoint_drop(endpoint);
    return endpoint != NULL;
}

static const struct mica_definition *
tool_of(const struct mica_endpoint *endpoint)
{
    return endpoint->catalog->lists[MICA_DEFINITION_TOOL].items[0];
}

// ---- Slugs that are absent -------------------------------------------------------------

START_TEST(absent_slugs_are_few_and_compared_whole)
{
    struct mica_absent_slugs absent;
    char room[32];

    ck_assert(mica_absent_slugs_open(&absent, 64));
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(room, sizeof room, "slug-%d", i);
        mica_absent_slugs_add(&absent, mica_text(room));
        mica_absent_slugs_add(&absent, mica_text(room));
        ck_assert(mica_absent_slugs_has(&absent, mica_text(room)));
        ck_assert_uint_le(absent.count, 64);
    }
    ck_assert_uint_gt(absent.count, 32);
    ck_assert(!mica_absent_slugs_has(&absent, mica_text("slug-9999")));
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(room, sizeof room, "slug-%d", i);
        mica_absent_slugs_remove(&absent, mica_text(room));
        ck_assert(!mica_absent_slugs_has(&absent, mica_text(room)));
    }
    ck_assert_uint_eq(absent.count, 0);
    mica_absent_slugs_close(&absent);
}
END_TEST

START_TEST(a_path_is_an_app_unknown_or_of_another)
{
    start(0, SLOW_MS);
    ck_assert_int_eq(look("/servers"), MICA_SOURCE_OTHER);
    ck_assert_int_eq(look("/servers/"), MICA_SOURCE_OTHER);
    ck_assert_int_eq(look("/server/a"), MICA_SOURCE_OTHER);
    ck_assert_int_eq(look("/servers/A"), MICA_SOURCE_ABSENT);
    ck_assert_int_eq(look("/servers/a_b/mcp"), MICA_SOURCE_ABSENT);
    ck_assert_int_eq(look("/servers/a"), MICA_SOURCE_UNLOADED);
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_UNLOADED);
    ck_assert_uint_eq(mica_published_apps_counts(apps).looked, 0);
    stop();
}
END_TEST

START_TEST(what_is_absent_is_looked_for_once)
{
    struct mica_endpoint *endpoint = NULL;

    start(0, SLOW_MS);
    create("id", "a");
    ck_assert_int_eq(load("/servers/a", &endpoint), MICA_E_NOT_FOUND);
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_ABSENT);
    ck_assert_uint_eq(mica_published_apps_counts(apps).absent, 1);
    publish("id", "get_order");
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_ABSENT);
    mica_published_apps_follow(apps);
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_UNLOADED);
    mica_endpoint_drop(loaded("/servers/a"));
    ck_assert_uint_eq(mica_published_apps_counts(apps).looked, 2);
    stop();
}
END_TEST

// ---- Loading ---------------------------------------------------------------------------

START_TEST(an_app_is_loaded_once)
{
    struct mica_endpoint *one, *two;
    struct mica_published_app shown;

    start(0, SLOW_MS);
    create("id", "a");
    publish("id", "get_order");
    one = loaded("/servers/a");
    two = loaded("/servers/a");
    ck_assert_ptr_eq(one, two);
    ck_assert_uint_eq(mica_published_apps_counts(apps).looked, 1);
    UNIT_TEXT_EQ(one->key, "app/id");
    UNIT_TEXT_EQ(one->path, "/servers/a");
    ck_assert_int_eq(one->version, 1);
    ck_assert(mica_published_app_is(one));
    mica_published_app_of(one, &shown);
    UNIT_TEXT_EQ(shown.name, "My Bot");
    UNIT_TEXT_EQ(shown.tool->name, "get_order");
    ck_assert_str_eq(shown.layoutz, "card");
    mica_endpoint_drop(one);
    mica_endpoint_drop(two);
    stop();
}
END_TEST

START_TEST(a_text_that_cannot_be_read_is_an_error)
{
    const struct mica_store_app_target target = target_of("id");
    const struct mica_store_app_release release = {
        .text = mica_text("{\"name\":1}"),
        .widget = mica_text("0123456789abcdef"),
        .html = mica_text("<p>")};
    struct mica_store_app_outcome outcome;
    struct mica_endpoint *endpoint = NULL;

    start(0, SLOW_MS);
    create("id", "a");
    MUST(mica_store_app_publish(store, &target, &release, &error, &outcome));
    ck_assert_int_eq(load("/servers/a", &endpoint), MICA_E_CONFIG);
    ck_assert_int_eq(look("/servers/a"), MICA_SOURCE_UNLOADED);
    stop();
}
END_TEST

START_TEST(a_key_finds_its_app_and_older_tools)
{
    struct mica_registry *registry;
    struct mica_endpoint *endpoint;
    struct mica_definition *tool;

    start(0, SLOW_MS);
    registry = &server->registry;
    create("id", "a");
    publish("id", "first");
    publish("id", "second");
    mica_serving_thread_set(true);
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("app/id")));
    mica_serving_thread_set(false);
    endpoint = mica_registry_endpoint_load(registry, mica_text("app/id"));
    ck_assert_ptr_nonnull(endpoint);
    UNIT_TEXT_EQ(tool_of(endpoint)->name, "second");
    mica_endpoint_drop(endpoint);
    tool = mica_registry_version(registry, mica_text("app/id"),
                                 mica_text("first"), mica_text("1"));
    ck_assert_ptr_nonnull(tool);
    UNIT_TEXT_EQ(tool->version, "1");
    mica_definition_drop(tool);
    ck_assert_ptr_null(mica_registry_version(
        registry, mica_text("app/id"), mica_text("first"), mica_text("2")));
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("app/other")));
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("other")));
    unpublish("id");
    mica_published_apps_follow(apps);
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("app/id")));
    stop();
}
END_TEST

// ---- Memory ----------------------------------------------------------------------------

static void
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

static struct mica_endpoint *
load_number(int number)
{
    char path[32];

    (void)snprintf(path, sizeof path, "/servers/a-%d", number);
    return loaded(path);
}

START_TEST(few_fit_and_those_in_use_stay)
{
    struct mica_endpoint *held;
    size_t each, most;

    start(0, SLOW_MS);
    create_many(1);
    mica_endpoint_drop(load_number(0));
    each = mica_published_apps_counts(apps).bytes;
    stop();

    most = 4 * each + each / 2;
    start(most, SLOW_MS);
    create_many(40);
    held = load_number(0);
    for (int i = 1; i < 40; i++) {
        mica_endpoint_drop(load_number(i));
        ck_assert(is_in_memory("/servers/a-1")); // so it is always in use
        ck_assert_uint_le(mica_published_apps_counts(apps).bytes, most);
        ck_assert_uint_le(mica_registry_endpoints(&server->registry), 4);
    }
    ck_assert_uint_eq(mica_published_apps_counts(apps).dropped, 36);
    ck_assert(is_in_memory("/servers/a-0"));
    ck_assert(is_in_memory("/servers/a-39"));
    ck_assert(!is_in_memory("/servers/a-20"));
    UNIT_TEXT_EQ(tool_of(held)->name, "get_order");
    mica_endpoint_drop(held);
    for (int i = 10; i < 20; i++)
        mica_endpoint_drop(load_number(i));
    ck_assert(!is_in_memory("/servers/a-0"));
    stop();
}
END_TEST

START_TEST(held_apps_may_need_more_than_there_is)
{
    struct mica_endpoint *held[10];

    start(1, SLOW_MS);
    create_many(10);
    for (int i = 0; i < 10; i++)
        held[i] = load_number(i);
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, 10);
    for (int i = 0; i < 10; i++)
        mica_endpoint_drop(held[i]);
    mica_endpoint_drop(load_number(3)); // is loaded already
    create("last", "last");
    publish("last", "get_order");
    mica_endpoint_drop(loaded("/servers/last"));
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, 1);
    stop();
}
END_TEST

// A stream holds the version with which it began.
START_TEST(an_app_stays_while_an_older_version_is_held)
{
    struct mica_endpoint *first, *second;

    start(1, SLOW_MS);
    create_many(2);
    first = load_number(0);
    publish("id-0", "second");
    mica_published_apps_follow(apps);
    second = load_number(0);
    ck_assert_ptr_ne(first, second);
    publish("id-0", "third");
    mica_published_apps_follow(apps);
    mica_endpoint_drop(second);
    mica_endpoint_drop(load_number(1)); // there is room for one
    ck_assert(is_in_memory("/servers/a-0"));
    // Of what is in memory the key is known when it is deleted.
    delete ("id-0");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "app/id-0;");
    mica_endpoint_drop(first);
    create("id-2", "a-2");
    publish("id-2", "first");
    first = load_number(2);
    publish("id-2", "second");
    mica_published_apps_follow(apps);
    mica_endpoint_drop(first);
    mica_endpoint_drop(load_number(1));
    mica_endpoint_drop(load_number(1));
    ck_assert(!is_in_memory("/servers/a-2"));
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, 1);
    stop();
}
END_TEST

// The memory of the program that is in use, in mapped pieces, too.
static size_t
bytes_in_use(void)
{
    struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd;
}

// Of a loaded app: what its record has, and what stands for it in replies.
static size_t
texts_of(const struct mica_endpoint *endpoint)
{
    const struct mica_loaded_version *version =
        mica_loaded_version_of(endpoint);
    const struct mica_definition *tool = tool_of(endpoint);

    return endpoint->key.len + endpoint->path.len + endpoint->server_info.len +
           version->id.len + version->slug.len + 2 * version->name.len +
           2 * version->description.len + version->tag.len + tool->name.len +
           tool->description.len + tool->meta.len + version->plan.message.len +
           version->plan.data.len + version->plan.plain.len;
}

START_TEST(a_loaded_app_costs_two_kibibytes_besides_its_texts)
{
    size_t before, each, texts;
    struct mica_endpoint *endpoint;

    start(0, SLOW_MS);
    create_many(MANY + 1);
    endpoint = load_number(MANY);
    texts = texts_of(endpoint);
    mica_endpoint_drop(endpoint);
    before = bytes_in_use();
    for (int i = 0; i < MANY; i++)
        mica_endpoint_drop(load_number(i));
    each = (bytes_in_use() - before) / MANY;
    printf("# a loaded app: %zu bytes, %zu of them texts\n", each, texts);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__) // mallinfo2 knows nothing of their memory
    ck_assert_uint_le(each, 2048 + texts);
#endif
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, MANY + 1);
    stop();
}
END_TEST

// ---- Changes ---------------------------------------------------------------------------

START_TEST(a_new_version_takes_the_place_of_the_old_one)
{
    struct mica_endpoint *old, *now;

    start(0, SLOW_MS);
    create("id", "a");
    publish("id", "first");
    old = loaded("/servers/a");
    publish("id", "second");
    mica_published_apps_follow(apps);
    now = loaded("/servers/a");
    ck_assert_int_eq(now->version, 2);
    UNIT_TEXT_EQ(tool_of(now)->name, "second");
    ck_assert_int_eq(old->version, 1);
    UNIT_TEXT_EQ(tool_of(old)->name, "first");
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, 1);
    ck_assert_uint_eq(mica_published_apps_counts(apps).replaced, 1);
    ck_assert_str_eq(ended, "");
    mica_endpoint_drop(old);
    mica_endpoint_drop(now);
    stop();
}
END_TEST

START_TEST(an_edit_of_the_draft_changes_nothing)
{
    const struct mica_store_app_target target = target_of("id");
    const struct mica_store_app_content content = {.draft = mica_text("{}")};
    struct mica_store_app_outcome outcome;
    struct mica_endpoint *before, *after;

    start(0, SLOW_MS);
    create("id", "a");
    publish("id", "first");
    before = loaded("/servers/a");
    MUST(mica_store_app_edit(store, &target, &content, &error, &outcome));
    mica_published_apps_follow(apps);
    after = loaded("/servers/a");
    ck_assert_ptr_eq(before, after);
    mica_endpoint_drop(before);
    mica_endpoint_drop(after);
    stop();
}
END_TEST

START_TEST(what_is_withdrawn_ends_by_its_key)
{
    struct mica_endpoint *held;

    start(0, SLOW_MS);
    create("id", "a");
    publish("id", "first");
    held = loaded("/servers/a");
    unpublish("id");
    mica_published_apps_follow(apps);
    ck_assert(!is_in_memory("/servers/a"));
    ck_assert_str_eq(ended, "app/id;");
    UNIT_TEXT_EQ(tool_of(held)->name, "first"); // a call that runs ends with it
    mica_endpoint_drop(held);
    ended[0] = '\0';
    publish("id", "second"); // not loaded
    mica_published_apps_follow(apps);
    unpublish("id");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "app/id;");
    stop();
}
END_TEST

START_TEST(a_deleted_app_gives_its_slug_to_another_key)
{
    struct mica_endpoint *endpoint;

    start(0, SLOW_MS);
    create("id", "a");
    publish("id", "first");
    mica_endpoint_drop(loaded("/servers/a"));
    delete ("id");
    create("id2", "a");
    publish("id2", "second");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "app/id;");
    endpoint = loaded("/servers/a");
    UNIT_TEXT_EQ(endpoint->key, "app/id2");
    mica_endpoint_drop(endpoint);
    ended[0] = '\0';
    delete ("id2");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "app/id2;");
    create("id3", "b");
    delete ("id3"); // of which this process has seen nothing
    ended[0] = '\0';
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, ";");
    stop();
}
END_TEST

static enum mica_status
nothing_to_do(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    mica_json_open_object(out);
    mica_json_close_object(out);
    return MICA_OK;
}

START_TEST(an_endpoint_of_the_program_keeps_its_path)
{
    static const struct mica_tool tool = {.name = "own",
                                          .description = "Does nothing.",
                                          .input_schema =
                                              "{\"type\":\"object\"}",
                                          .json_handler = nothing_to_do};
    const struct mica_endpoint_options options = {
        .key = "own", .path = "/servers/a", .name = "own", .version = "1"};
    struct mica_endpoint_draft *draft;
    struct mica_endpoint *endpoint = NULL;

    start(0, SLOW_MS);
    MUST(mica_endpoint_begin(server, &options, &error, &draft));
    MUST(mica_endpoint_add_tool(draft, &tool, NULL, &error));
    MUST(mica_endpoint_publish(&draft, &error));
    create("id", "a");
    publish("id", "first");
    ck_assert_int_eq(load("/servers/a", &endpoint), MICA_E_EXISTS);
    mica_published_apps_follow(apps);
    unpublish("id");
    mica_published_apps_follow(apps);
    ck_assert(is_in_memory("/servers/a"));
    MUST(mica_endpoint_withdraw(server, "own", &error));
    stop();
}
END_TEST

// ---- A model ---------------------------------------------------------------------------

struct model {
    bool there, published;
    int version, life; // life: how often the slug got another app
    char id[32];
};

static void
model_create(struct model *model, int number)
{
    char slug[16];

    (void)snprintf(model->id, sizeof model->id, "id-%d-%d", number,
                   ++model->life);
    (void)snprintf(slug, sizeof slug, "s-%d", number);
    create(model->id, slug);
    model->there = true;
    model->version = 0;
}

static void
model_step(struct model *model, int number)
{
    if (!model->there) {
        model_create(model, number);
        return;
    }
    switch (rand() % 8) {
    case 0:
        delete (model->id);
        model->there = model->published = false;
        break;
    case 1:
    case 2:
        unpublish(model->id);
        model->published = false;
        break;
    default:
        publish(model->id, "get_order");
        model->published = true;
        model->version++;
        break;
    }
}

// Compares what is served at the slug with the model.
static void
model_compare(const struct model *model, int number)
{
    struct mica_endpoint *endpoint = NULL;
    char path[32], key[64];
    bool absent;

    (void)snprintf(path, sizeof path, "/servers/s-%d", number);
    (void)snprintf(key, sizeof key, "app/%s", model->id);
    absent = !is_in_memory(path) && (look(path) == MICA_SOURCE_ABSENT ||
                                     load(path, &endpoint) != MICA_OK);
    if (!absent && endpoint == NULL)
        endpoint = loaded(path);
    ck_assert_int_eq(absent, !model->published);
    if (absent)
        return;
    ck_assert_int_eq(endpoint->version, model->version);
    UNIT_TEXT_EQ(endpoint->key, key);
    mica_endpoint_drop(endpoint);
}

START_TEST(a_thousand_random_acts_are_served_as_a_model_says)
{
    struct model models[SLUGS] = {{.there = false}};

    start(12 * 1024, SLOW_MS);
    srand(7);
    for (int i = 0; i < STEPS; i++) {
        int number = rand() % SLUGS;
        model_step(&models[number], number);
        if (rand() % 3 == 0)
            continue; // several acts are followed at once
        ended[0] = '\0';
        mica_published_apps_follow(apps);
        for (int k = 0; k < SLUGS; k++)
            model_compare(&models[k], k);
    }
    ck_assert_uint_gt(mica_published_apps_counts(apps).dropped, 0);
    stop();
}
END_TEST

// ---- Threads ---------------------------------------------------------------------------

static atomic_bool over;

static void *
load_at_random(void *data)
{
    unsigned seed = *(unsigned *)data;

    while (!atomic_load(&over)) {
        struct mica_endpoint *endpoint = NULL;
        char path[32];
        (void)snprintf(path, sizeof path, "/servers/a-%d", rand_r(&seed) % 8);
        if (is_in_memory(path) || look(path) == MICA_SOURCE_ABSENT ||
            load(path, &endpoint) != MICA_OK)
            continue;
        ck_assert(tool_of(endpoint)->name.len > 0);
        mica_endpoint_drop(endpoint);
    }
    return NULL;
}

START_TEST(threads_load_while_others_publish)
{
    unsigned seeds[3] = {1, 2, 3};
    pthread_t threads[3];
    char id[16];

    start(10 * 1024, 1);
    create_many(8);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, load_at_random, &seeds[i]), 0);
    for (int i = 0; i < 300; i++) {
        (void)snprintf(id, sizeof id, "id-%d", i % 8);
        if (i % 3 == 2)
            unpublish(id);
        else
            publish(id, "get_order");
    }
    atomic_store(&over, true);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    stop();
}
END_TEST

START_TEST(the_thread_follows_by_itself)
{
    start(0, 5);
    create("id", "a");
    publish("id", "first");
    mica_endpoint_drop(loaded("/servers/a"));
    publish("id", "second");
    UNIT_AWAIT(mica_published_apps_counts(apps).replaced == 1);
    unpublish("id");
    UNIT_AWAIT(mica_published_apps_counts(apps).ended == 1);
    ck_assert(!is_in_memory("/servers/a"));
    stop();
}
END_TEST

UNIT_MAIN("published_apps", absent_slugs_are_few_and_compared_whole,
          a_path_is_an_app_unknown_or_of_another,
          what_is_absent_is_looked_for_once, an_app_is_loaded_once,
          a_text_that_cannot_be_read_is_an_error,
          a_key_finds_its_app_and_older_tools, few_fit_and_those_in_use_stay,
          held_apps_may_need_more_than_there_is,
          an_app_stays_while_an_older_version_is_held,
          a_loaded_app_costs_two_kibibytes_besides_its_texts,
          a_new_version_takes_the_place_of_the_old_one,
          an_edit_of_the_draft_changes_nothing,
          what_is_withdrawn_ends_by_its_key,
          a_deleted_app_gives_its_slug_to_another_key,
          an_endpoint_of_the_program_keeps_its_path,
          a_thousand_random_acts_are_served_as_a_model_says,
          threads_load_while_others_publish, the_thread_follows_by_itself)
