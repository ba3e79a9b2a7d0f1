// SPDX-License-Identifier: Apache-2.0
//
// What the tests of rounds and of tasks share: a server with the real store,
// sealer and call store, and a clock of the tests' own.
#ifndef MICA_TEST_SERVER_ROUNDS_H
#define MICA_TEST_SERVER_ROUNDS_H

#include "store/store_calls.h"
#include <mica/tool.h>

#include "serve/stored_calls.h"
#include "server/calls/resumable.h"
#include "server/sealer.h"
#include "store/store_sealer.h"
#include "test_server.h"

// ---- The clock, and what is kept -------------------------------------------------

static _Atomic int64_t clock_ms;
static _Atomic uint64_t chance;

static inline int64_t
read_clock(void *data)
{
    (void)data;
    return clock_ms;
}

// Ids have to differ, no more.
static inline void
take_chance(void *data, void *bytes, size_t size)
{
    unsigned char *out = bytes;

    (void)data;
    for (size_t i = 0; i < size; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        out[i] = (unsigned char)(chance >> 56);
    }
}

static const struct mica_platform platform = {read_clock, take_chance, NULL};

static struct {
    struct mica_store *store;
    struct mica_store_sealer *keys;
    struct mica_sealer sealer;
    struct mica_session_store *session_store;
    struct mica_call_store *calls;
} kept;

// ---- What is asked ----------------------------------------------------------------

struct who {
    struct mica_text name;
};
MICA_RECORD(who, MICA_TEXT(name, "Whose.", .min_length = 1));

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

struct anything {
    struct mica_text about;
    bool has_about;
    int64_t number;
    bool has_number;
};
MICA_RECORD(anything,
            MICA_TEXT(about, "About.", MICA_OPTIONAL(anything, about)),
            MICA_INTEGER(number, "One.", MICA_OPTIONAL(anything, number)));

// ---- Around each test --------------------------------------------------------------

static inline void
add(const struct mica_tool *tool)
{
    struct mica_error error;

    if (mica_server_add_tool(harness.server, tool, NULL, &error) != MICA_OK)
        ck_abort_msg("%s: %s", tool->name, error.message);
}

static inline void
open_kept(void)
{
    const struct mica_store_options options = {.key_overlap_ms = 60000};
    struct mica_error error;

    open_server();
    clock_ms = 1800000000000;
    chance = 1;
    ck_assert_int_eq(mica_store_open("memory", &options, &error, &kept.store),
                     MICA_OK);
    ck_assert_int_eq(mica_store_sealer_open(kept.store, &error, &kept.keys),
                     MICA_OK);
    kept.sealer = mica_store_sealer(kept.keys);
    ck_assert_int_eq(
        mica_session_store_open(
            &(struct mica_session_store_options){.open = kept.store}, &error,
            &kept.session_store),
        MICA_OK);
    ck_assert_int_eq(
        mica_call_store_open(
            &(struct mica_call_store_options){
                .session_store = kept.session_store, .platform = &platform},
            &error, &kept.calls),
        MICA_OK);
    harness.server->platform = &platform;
    harness.server->sealer = &kept.sealer;
    harness.server->calls = mica_call_store_calls(kept.calls);
}

// From now on the server continues only calls of its own build (CALL-6).
static inline void
mind_builds(void)
{
    struct mica_call_store_options options = {.session_store =
                                                  kept.session_store,
                                              .server = harness.server,
                                              .platform = &platform};
    struct mica_error error;

    harness.server->calls = NULL;
    mica_call_store_close(&kept.calls);
    ck_assert_int_eq(mica_call_store_open(&options, &error, &kept.calls),
                     MICA_OK);
    harness.server->calls = mica_call_store_calls(kept.calls);
}

static inline void
close_kept(void)
{
    close_server();
    mica_call_store_close(&kept.calls);
    mica_session_store_close(&kept.session_store);
    mica_store_sealer_close(&kept.keys);
    mica_store_close(&kept.store);
}

// A process claims the call, and dies before it records anything.
static inline void
lose(const char *id, unsigned times)
{
    struct mica_kept_call claimed;
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, 8 << 20);
    for (unsigned i = 0; i < times; i++) {
        ck_assert_int_eq(mica_store_call_claim(kept.store, mica_text(id), NULL,
                                               clock_ms, 1000, &arena, &error,
                                               &claimed),
                         MICA_OK);
        clock_ms += 1001;
    }
    mica_arena_fini(&arena);
}

static inline struct mica_kept_call
stored(const char *id, struct mica_arena *arena)
{
    struct mica_kept_call call = {.fence = 0};
    struct mica_error error;

    ck_assert_int_eq(mica_store_call_find(kept.store, mica_text(id), NULL,
                                          clock_ms, arena, &error, &call),
                     MICA_OK);
    return call;
}

static inline void
resume(const char *id, enum mica_status ending)
{
    const struct mica_resume_cause why = {.call = mica_text(id),
                                          .ending = ending};

    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_resume(&harness.message, &why);
    mica_message_end(&harness.message);
}

// ---- Speaking ----------------------------------------------------------------------

#define CAPABLE                                          \
    "'_meta':{'" P_ "protocolVersion':'2026-07-28','" P_ \
    "clientCapabilities':{'elicitation':{},'sampling':{},'roots':{}}%s}"

static char state[65600]; // of the last round

static inline void
keep_state(void)
{
    struct mica_text text = mica_json_get_text(
        mica_json_get(&harness.last, "result"), "requestState");

    ck_assert_uint_lt(text.len, sizeof state);
    memcpy(state, text.ptr != NULL ? text.ptr : "", text.len);
    state[text.len] = '\0';
}

// A request with everything that a round may have; any may be NULL.
static inline void
say(const char *method, const char *params, const char *answers,
    const char *with, const char *meta)
{
    static char room[160000];
    char *c;

    snprintf(
        room, sizeof room,
        "{" V2 ",'id':1,'method':'%s','params':{" CAPABLE ",%s%s%s%s%s%s}}",
        method, meta != NULL ? meta : "", params,
        answers != NULL ? ",'inputResponses':" : "",
        answers != NULL ? answers : "", with != NULL ? ",'requestState':'" : "",
        with != NULL ? with : "", with != NULL ? "'" : "");
    for (c = room; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    line(room);
}

static inline void
call(const char *params, const char *answers, const char *with)
{
    say("tools/call", params, answers, with, NULL);
}

#define NAMED(name) "{'who':{'action':'accept','content':{'name':'" name "'}}}"
#define YES         "{'sure':{'action':'accept','content':{'yes':true}}}"
#define NO          "{'sure':{'action':'accept','content':{'yes':false}}}"

static inline void
ck_asks(const char *key)
{
    char pointer[256];

    ck_assert_msg(strstr(harness.reply, "input_required") != NULL, "%s",
                  harness.reply);
    snprintf(pointer, sizeof pointer, "/result/inputRequests/%s/method", key);
    ck_assert_str_ne(at(pointer), "(absent)");
    keep_state();
}

#endif
