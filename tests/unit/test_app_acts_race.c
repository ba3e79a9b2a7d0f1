// SPDX-License-Identifier: Apache-2.0
//
// Acts on one app, and on one name, by several threads at once.
#include <pthread.h>

#include "test_app_acts.h"

enum {
    RACERS = 16
};

struct racer {
    unsigned number;
    char slug[80];
    enum mica_status status;
};

// Acts with an arena and an answer of its own.
static void
race_act(struct racer *racer, enum mica_act act_, const char *app,
         const char *body)
{
    const struct mica_act_request request = {
        .act = act_, .app = mica_text(app), .body = mica_text(body)};
    struct mica_act_answer own;
    struct mica_arena arena;

    mica_arena_init(&arena, MICA_ACT_ARENA_BYTES);
    racer->status = mica_act_run(&acts, &olga, &request, &arena, &own);
    (void)snprintf(racer->slug, sizeof racer->slug, "%.*s", MICA_ARG(own.slug));
    mica_arena_fini(&arena);
}

static void
race(void *(*run)(void *), struct racer racers[RACERS])
{
    pthread_t threads[RACERS];

    for (unsigned i = 0; i < RACERS; i++) {
        racers[i].number = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run, &racers[i]), 0);
    }
    for (unsigned i = 0; i < RACERS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

static void *
racer_create(void *data)
{
    race_act(data, MICA_ACT_CREATE, "", "{\"name\":\"Race\"}");
    return NULL;
}

START_TEST(creators_of_one_name_get_different_slugs)
{
    struct racer racers[RACERS];

    acts_open();
    race(racer_create, racers);
    for (unsigned i = 0; i < RACERS; i++) {
        ck_assert_int_eq(racers[i].status, MICA_OK);
        ck_assert(strncmp(racers[i].slug, "race", 4) == 0);
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(racers[i].slug, racers[j].slug);
    }
    acts_close();
}
END_TEST

// Each edits another member.
static void *
racer_edit(void *data)
{
    static const char *const members[RACERS] = {
        "{\"description\":\"d\"}",
        "{\"budget\":{\"callsPerDay\":1}}",
        "{\"budget\":{\"tokensPerDay\":2}}",
        "{\"budget\":{\"seconds\":3}}",
        "{\"budget\":{\"concurrent\":4}}",
        "{\"toolName\":\"race_apps\"}",
        "{\"toolDescription\":\"t\"}",
        "{\"visibility\":\"token\"}",
        "{\"behavior\":{\"message\":\"m\"}}",
        "{\"themeVariables\":{\"--color-background-primary\":\"#fff\"}}",
        "{\"roles\":{\"editors\":[\"e\"]}}",
        "{\"roles\":{\"viewers\":[\"v\"]}}",
        "{\"name\":\"Raced\"}",
        "{}",
        "{}",
        "{}"};
    struct racer *racer = data;

    race_act(racer, MICA_ACT_EDIT, "race", members[racer->number]);
    return NULL;
}

START_TEST(editors_at_once_lose_no_edit)
{
    struct racer racers[RACERS];

    acts_open();
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"Race\"}");
    race(racer_edit, racers);
    for (unsigned i = 0; i < RACERS; i++)
        ck_assert_int_eq(racers[i].status, MICA_OK);
    ACT_OK(olga, MICA_ACT_READ, "race", "");
    ck_assert_int_eq(number_at("/revision"), 1 + RACERS);
    ck_assert_str_eq(text_at("/description"), "d");
    ck_assert_int_eq(number_at("/budget/callsPerDay"), 1);
    ck_assert_int_eq(number_at("/budget/tokensPerDay"), 2);
    ck_assert_int_eq(number_at("/budget/seconds"), 3);
    ck_assert_int_eq(number_at("/budget/concurrent"), 4);
    ck_assert_str_eq(text_at("/toolName"), "race_apps");
    ck_assert_str_eq(text_at("/visibility"), "token");
    ck_assert_str_eq(text_at("/behavior/message"), "m");
    ck_assert_str_eq(text_at("/roles/editors/0"), "e");
    ck_assert_str_eq(text_at("/roles/viewers/0"), "v");
    ck_assert_str_eq(text_at("/name"), "Raced");
    acts_close();
}
END_TEST

static void *
racer_publish(void *data)
{
    struct racer *racer = data;

    race_act(racer, MICA_ACT_PUBLISH, "race", "");
    return NULL;
}

START_TEST(publishers_at_once_make_a_version_each)
{
    struct racer racers[RACERS];

    acts_open();
    (void)app_of("Race");
    race(racer_publish, racers);
    for (unsigned i = 0; i < RACERS; i++)
        ck_assert_int_eq(racers[i].status, MICA_OK);
    ACT_OK(olga, MICA_ACT_READ, "race", "");
    ck_assert_int_eq(number_at("/publishVersion"), RACERS);
    acts_close();
}
END_TEST

UNIT_MAIN("app_acts_race", creators_of_one_name_get_different_slugs,
          editors_at_once_lose_no_edit, publishers_at_once_make_a_version_each)
