// SPDX-License-Identifier: Apache-2.0
//
// A store in memory, people, and acts in one line each, for the tests of acts on apps.
#ifndef MICA_TESTS_APP_ACTS_H
#define MICA_TESTS_APP_ACTS_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "apps/app_record.h"
#include "publish/app_acts.h"
#include "store/store_apps.h"

#include "unit.h"

static struct mica_store *acts_store;
static struct mica_acts acts;
static struct mica_arena acts_arena;
static struct mica_act_answer answer;
static atomic_llong acts_clock = 1764000000000;

static const struct mica_act_person olga = {.name = {"olga", 4}},
                                    erin = {.name = {"erin", 4}},
                                    vic = {.name = {"vic", 3}},
                                    mallory = {.name = {"mallory", 7}},
                                    operator= {.name = {"local", 5},
                                               .is_operator = true};

static int64_t
acts_now(void)
{
    return atomic_fetch_add(&acts_clock, 1000);
}

static inline void
acts_open(void)
{
    struct mica_error error;

    ck_assert_int_eq(mica_store_open("memory", NULL, &error, &acts_store),
                     MICA_OK);
    acts = (struct mica_acts){.store = acts_store,
                              .address = MICA_LITERAL("http://127.0.0.1:8080"),
                              .now = acts_now};
    mica_arena_init(&acts_arena, (size_t)1 << 30);
}

static inline void
acts_close(void)
{
    mica_arena_fini(&acts_arena);
    mica_store_close(&acts_store);
}

static inline enum mica_status
act_at(const struct mica_act_person *person, enum mica_act act, const char *app,
       int64_t revision, const char *body)
{
    const struct mica_act_request request = {.act = act,
                                             .app = mica_text(app),
                                             .revision = revision,
                                             .body = mica_text(body)};

    return mica_act_run(&acts, person, &request, &acts_arena, &answer);
}

static inline enum mica_status
act(const struct mica_act_person *person, enum mica_act act_, const char *app,
    const char *body)
{
    return act_at(person, act_, app, 0, body);
}

#define ACT_OK(person_, act_, app_, body_)                             \
    ck_assert_msg(act(&(person_), (act_), (app_), (body_)) == MICA_OK, \
                  "%s: %s: %.*s %.*s", #person_, mica_act_name(act_),  \
                  MICA_ARG(answer.error.message),                      \
                  MICA_ARG(answer.error.details))

// A member of the answer, or of the error's details, as a value.
static inline struct mica_json
json_at(struct mica_text json, const char *pointer)
{
    static const struct mica_json absent = {.kind = MICA_JSON_NULL};
    struct mica_json root;
    const struct mica_json *found;
    struct mica_error error;

    ck_assert_msg(mica_json_read(&acts_arena, json, NULL, &error, &root) ==
                      MICA_OK,
                  "%s in %.*s", error.message, MICA_ARG(json));
    found = mica_json_pointer_get(&root, mica_text(pointer));
    return found != NULL ? *found : absent;
}

static inline const char *
text_at(const char *pointer)
{
    struct mica_json value = json_at(answer.json, pointer);

    if (value.kind != MICA_JSON_STRING)
        return mica_arena_text(&acts_arena, value.raw).ptr;
    return mica_arena_text(&acts_arena, value.text).ptr;
}

static inline int64_t
number_at(const char *pointer)
{
    struct mica_json value = json_at(answer.json, pointer);
    int64_t number = -1;

    if (value.kind != MICA_JSON_NUMBER ||
        !mica_integer_read(value.text, &number))
        return -1;
    return number;
}

static inline const char *
details_at(const char *pointer)
{
    struct mica_json value = json_at(answer.error.details, pointer);

    return mica_arena_text(&acts_arena, value.kind == MICA_JSON_STRING
                                            ? value.text
                                            : value.raw)
        .ptr;
}

static inline bool
answer_has(const char *words)
{
    return strstr(mica_arena_text(&acts_arena, answer.json).ptr, words) != NULL;
}

// The slug of a new app of olga with that name, erin its editor and vic its viewer.
static inline const char *
app_of(const char *name)
{
    char body[512];

    (void)snprintf(body, sizeof body,
                   "{\"name\":\"%s\",\"propose\":true,\"roles\":{\"editors\":"
                   "[\"erin\"],\"viewers\":[\"vic\"]}}",
                   name);
    ACT_OK(olga, MICA_ACT_CREATE, "", body);
    return mica_arena_text(&acts_arena, answer.slug).ptr;
}

#endif
