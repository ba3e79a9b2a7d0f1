// SPDX-License-Identifier: Apache-2.0
//
// Tools, a prompt and a resource that ask, for tests of rounds.
#ifndef MICA_TEST_SERVER_ASKERS_H
#define MICA_TEST_SERVER_ASKERS_H

#include "test_server_rounds.h"

#define KEY(text) ",'mica/idempotencyKey':'" text "'"

// ---- Tools that ask ----------------------------------------------------------------

static int turns;

static enum mica_status
two_rounds(struct mica_call *call, const struct anything *in,
           struct mica_nothing *out)
{
    struct who who;
    struct sure sure;

    (void)in;
    (void)out;
    turns++;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who are you?"));
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "Sure, %.*s?",
                         MICA_ARG(who.name)));
    mica_add_text(call,
                  mica_format(call, "%.*s: %s", MICA_ARG(who.name),
                              sure.yes ? "yes" : "no"),
                  NULL);
    return MICA_OK;
}
MICA_TOOL(two_rounds, anything, mica_nothing, two_rounds,
          .description = "Asks twice.");
MICA_TOOL(twin, anything, mica_nothing, two_rounds,
          .description = "The same under another name.");

static enum mica_status
by_model(struct mica_call *call, const struct anything *in,
         struct mica_nothing *out)
{
    struct mica_text words;

    (void)in;
    (void)out;
    MICA_TRY(mica_sample(
        call, &(struct mica_sampling){.prompt = MICA_LITERAL("Speak.")},
        &words));
    mica_add_text(call, words, NULL);
    return MICA_OK;
}
MICA_TOOL(by_model, anything, mica_nothing, by_model,
          .description = "Asks the model.");

// Its journal outgrows what a client should carry.
static enum mica_status
hoards(struct mica_call *call, const struct anything *in,
       struct mica_nothing *out)
{
    struct who who;
    struct sure sure;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Much?"));
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "More?"));
    mica_add_text(call, mica_format(call, "%zu", who.name.len), NULL);
    return MICA_OK;
}
MICA_TOOL(hoards, anything, mica_nothing, hoards,
          .description = "Is answered at length.");

// Three phases that count how often they run.
static int befores, clients, afters, cleaned;
static bool hangs_up; // the client goes away while its answer is looked at

struct found {
    int64_t number;
};
MICA_RECORD(found, MICA_INTEGER(number, "Found."));

static void
clean(struct mica_server_call *call, const void *data)
{
    (void)call;
    (void)data;
    cleaned++;
}

static enum mica_status
phase_before(struct mica_server_call *call, const struct anything *in,
             struct found *out)
{
    (void)call;
    befores++;
    out->number = in->has_number ? in->number : 7;
    return MICA_OK;
}

static enum mica_status
phase_client(struct mica_client_call *call, const struct found *found,
             struct sure *out)
{
    (void)found;
    mica_defer(call, "tidy", clean, NULL);
    clients++;
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, out), "Continue?"));
    if (hangs_up) {
        atomic_store(&harness.message.execution.cancelled, true);
        return mica_fail(call, "STOPPED", "", "no client waits any more");
    }
    return MICA_OK;
}

static enum mica_status
phase_after(struct mica_server_call *call, const struct found *found,
            const struct sure *sure, struct found *out)
{
    (void)call;
    afters++;
    out->number = sure->yes ? found->number : -found->number;
    return MICA_OK;
}
MICA_HANDOFF(phases, anything, found, sure, found, phase_before, phase_client,
             phase_after, .description = "Has phases.");

// Has no effects of its own, but runs a tool that has.
static enum mica_status
lends_itself(struct mica_call *call, const struct anything *in,
             struct mica_nothing *out)
{
    struct found found;
    struct who who;

    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who?"));
    MICA_TRY(mica_invoke(call, "phases", MICA_FROM(anything, in),
                         MICA_INTO(found, &found)));
    mica_add_text(call, mica_format(call, "%lld", (long long)found.number),
                  NULL);
    return MICA_OK;
}
MICA_TOOL(lends_itself, anything, mica_nothing, lends_itself,
          .description = "Runs another.");

static enum mica_status
ask_prompt(struct mica_call *call, const struct mica_nothing *in)
{
    struct who who;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "For whom?"));
    mica_add_text(call, who.name, NULL);
    return MICA_OK;
}
MICA_PROMPT(asking, mica_nothing, ask_prompt, .description = "Asks.");

static enum mica_status
ask_resource(struct mica_call *call)
{
    struct who who;

    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "For whom?"));
    mica_add_resource_text(call, NULL, "text/plain", who.name, NULL);
    return MICA_OK;
}
MICA_RESOURCE(asking, ask_resource, .uri = "test://asking");

static inline void
open_rounds(void)
{
    struct mica_error error;

    open_kept();
    hangs_up = false;
    turns = befores = clients = afters = cleaned = 0;
    add(&mica_tool_two_rounds);
    add(&mica_tool_twin);
    add(&mica_tool_by_model);
    add(&mica_tool_hoards);
    add(&mica_tool_phases);
    add(&mica_tool_lends_itself);
    ck_assert_int_eq(mica_server_add_prompt(harness.server, &mica_prompt_asking,
                                            NULL, &error),
                     MICA_OK);
    ck_assert_int_eq(mica_server_add_resource(
                         harness.server, &mica_resource_asking, NULL, &error),
                     MICA_OK);
}

// The id of the one call that is kept.
static inline const char *
only_call(void)
{
    static char id[MICA_CALL_ID_SIZE];
    const struct mica_store_call_filter open = {.ended = false};
    struct mica_store_calls list;
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, 1 << 20);
    memset(&list, 0, sizeof list);
    ck_assert_int_eq(mica_store_call_page(kept.store, &open,
                                          (struct mica_text){NULL, 0}, 10,
                                          &arena, &error, &list),
                     MICA_OK);
    ck_assert_uint_eq(list.count, 1);
    memcpy(id, list.items[0].id.ptr, list.items[0].id.len);
    id[list.items[0].id.len] = '\0';
    mica_arena_fini(&arena);
    return id;
}

#endif
