// SPDX-License-Identifier: Apache-2.0
//
// Published apps: how the changes of a store are followed; against a
// model, and with threads.
#include "test_published_apps.h"

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

START_TEST(what_admits_fewer_callers_is_told)
{
    static const struct {
        const char *callers, *told;
    } steps[] = {{"public", ""}, {"token", "app/id token ;"},
                 {"token", ""},  {"orders", "app/id scope orders;"},
                 {"orders", ""}, {"admin", "app/id scope admin;"},
                 {"token", ""},  {"orders", "app/id scope orders;"},
                 {"public", ""}, {"orders", "app/id scope orders;"}};

    start(0, SLOW_MS);
    create("id", "a");
    publish("id", "first");
    mica_endpoint_drop(loaded("/servers/a"));
    for (size_t i = 0; i < MICA_COUNT(steps); i++) {
        narrowed[0] = '\0';
        publish_for("id", steps[i].callers);
        mica_published_apps_follow(apps);
        ck_assert_str_eq(narrowed, steps[i].told);
    }
    ck_assert_str_eq(ended, "");
    stop();
}
END_TEST

// Its streams may still be open.
START_TEST(who_may_call_an_app_is_read_if_it_is_not_loaded)
{
    start(1, SLOW_MS);
    create_many(2);
    mica_endpoint_drop(load_number(0));
    mica_endpoint_drop(load_number(1)); // there is room for one
    ck_assert(!is_in_memory("/servers/a-0"));
    publish("id-0", "second");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(narrowed, "");
    publish_for("id-0", "orders");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(narrowed, "app/id-0 scope orders;");
    narrowed[0] = '\0';
    create("new", "new");
    publish_for("new", "token"); // no client has been there before
    mica_published_apps_follow(apps);
    ck_assert_str_eq(narrowed, "");
    ck_assert(!is_in_memory("/servers/a-0"));
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

UNIT_MAIN("follow_apps", a_new_version_takes_the_place_of_the_old_one,
          an_edit_of_the_draft_changes_nothing,
          what_is_withdrawn_ends_by_its_key, what_admits_fewer_callers_is_told,
          who_may_call_an_app_is_read_if_it_is_not_loaded,
          a_deleted_app_gives_its_slug_to_another_key,
          an_endpoint_of_the_program_keeps_its_path,
          a_thousand_random_acts_are_served_as_a_model_says,
          threads_load_while_others_publish, the_thread_follows_by_itself)
