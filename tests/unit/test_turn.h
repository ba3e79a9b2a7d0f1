// SPDX-License-Identifier: Apache-2.0
//
// Runs turns for tests: it keeps the bytes of the journal between them as
// a server does, with time, chance and a store that are the test's own.
#ifndef MICA_TESTS_TURN_H
#define MICA_TESTS_TURN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mica/tool.h>

#include "call/turn.h"
#include "engine/run.h"
#include "unit.h"

#define WORLD_TOOLS 8

// What is outside of a call. Everything in `seen` is what handlers have done.
static struct world {
    char *kept; // bytes of the journal, as of the last commit or turn
    size_t kept_len;
    bool keep_commits; // a commit makes bytes durable; else only the turn does
    unsigned commits, fail_commit; // fail the one of that number
    bool lost;                     // it has failed in this turn
    int64_t now;
    uint64_t random;
    unsigned client; // capabilities
    enum mica_ask_dialect dialect;
    const struct mica_form_view *form_views; // of the tool
    enum mica_form_display form_display;
    size_t memory;                              // of a turn
    const struct mica_tool *tools[WORLD_TOOLS]; // that can be invoked
    // Of each, NULL: "". Where two have one name the first is the present one.
    const char *versions[WORLD_TOOLS];
    char events[8192]; // told so far, each line one
    char seen[8192];   // what handlers note, each line one
    // Of the last turn:
    struct mica_arena arena;
    struct mica_journal journal;
    struct mica_turn turn;
    struct mica_call call;
} world;

// Notes that something has happened, as an effect would.
static inline void
note(const char *text)
{
    strncat(world.seen, text, sizeof world.seen - strlen(world.seen) - 2);
    strcat(world.seen, "\n");
}

static inline int64_t
world_now(void *data)
{
    (void)data;
    return world.now += 1000;
}

static inline void
world_random(void *data, void *bytes, size_t size)
{
    (void)data;
    world.random += 0x9E3779B97F4A7C15;
    memcpy(bytes, &world.random, size);
}

static const struct mica_platform world_platform = {world_now, world_random,
                                                    NULL};

static inline void
keep(struct mica_text bytes)
{
    free(world.kept);
    world.kept = malloc(bytes.len + 1);
    memcpy(world.kept, bytes.ptr, bytes.len);
    world.kept_len = bytes.len;
}

static inline enum mica_status
world_commit(void *data, struct mica_error *error)
{
    (void)data;
    world.lost = ++world.commits == world.fail_commit;
    if (world.lost)
        return mica_error_set(error, MICA_E_CALL_BUSY, "",
                              "another process has the call");
    if (world.keep_commits)
        keep(mica_buffer_as_text(&world.journal.bytes));
    return MICA_OK;
}

static inline void *
world_service(void *data, const char *namez)
{
    (void)data;
    return strcmp(namez, "bank") == 0 ? world.seen : NULL;
}

static inline void
world_notice(void *data, const struct mica_notice *notice)
{
    size_t len = strlen(world.events);

    (void)data;
    if (notice->kind == MICA_NOTICE_LOG)
        snprintf(world.events + len, sizeof world.events - len, "log %.*s\n",
                 MICA_ARG(notice->message));
    else
        snprintf(world.events + len, sizeof world.events - len,
                 "progress %g %.*s\n", notice->progress,
                 MICA_ARG(notice->message));
}

static inline void
world_run_typed(const struct mica_runnable *self, struct mica_call *call,
                struct mica_text arguments)
{
    const struct mica_tool *tool = self->data;

    mica_handler_run(call, tool->input, tool->output, tool->handler, arguments);
}

// The runnable of a tool; a struct mica_tool is never written to.
static inline struct mica_runnable
world_runnable(const struct mica_tool *tool)
{
    union {
        const void *in;
        void *out;
    } plain = {.in = tool};

    return (struct mica_runnable){.run = tool->phases != NULL ? mica_phases_run
                                                              : world_run_typed,
                                  .data = plain.out};
}

static inline const struct mica_tool_runnable *
world_find(void *data, struct mica_text name, struct mica_text version)
{
    static struct mica_runnable runnables[WORLD_TOOLS];
    static struct mica_tool_runnable found[WORLD_TOOLS];

    (void)data;
    for (size_t i = 0; i < WORLD_TOOLS && world.tools[i] != NULL; i++) {
        const struct mica_tool *tool = world.tools[i];
        const char *own = world.versions[i] != NULL ? world.versions[i] : "";
        if (!mica_text_is(name, tool->name) ||
            (version.len > 0 && !mica_text_is(version, own)))
            continue;
        runnables[i] = world_runnable(tool);
        found[i] = (struct mica_tool_runnable){.runnable = &runnables[i],
                                               .steps = tool->steps,
                                               .name = mica_text(tool->name),
                                               .version = mica_text(own),
                                               .limit_ms = tool->limit_ms};
        return &found[i];
    }
    return NULL;
}

static inline void
world_init(void)
{
    free(world.kept);
    mica_arena_fini(&world.arena);
    memset(&world, 0, sizeof world);
    world.client =
        MICA_ELICITATION | MICA_ELICITATION_URL | MICA_SAMPLING | MICA_ROOTS;
    world.now = 1700000000000;
    world.memory = 8 << 20;
}

// Begins a turn: the journal is what was kept.
static inline void
turn_open(const struct mica_tool *tool)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_text kept = {world.kept, world.kept_len};

    mica_arena_fini(&world.arena);
    mica_arena_init(&world.arena, world.memory);
    if (world.kept == NULL)
        mica_journal_init(&world.journal, &world.arena);
    else
        ck_assert_int_eq(
            mica_journal_read(&world.journal, &world.arena, kept, &error),
            MICA_OK);
    world.turn = (struct mica_turn){.journal = &world.journal,
                                    .id = MICA_LITERAL("C1"),
                                    .platform = &world_platform,
                                    .capabilities = world.client,
                                    .dialect = world.dialect,
                                    .form_views = world.form_views,
                                    .form_display = world.form_display,
                                    .limit_ms = tool->limit_ms,
                                    .steps = tool->steps,
                                    .tool = tool,
                                    .commit = world_commit,
                                    .service = world_service,
                                    .find = world_find};
    world.lost = false;
    mica_call_init(&world.call, &world.arena);
    world.call.on_notice = world_notice;
}

static inline const struct mica_json *
turn_json(const char *text)
{
    struct mica_json *value = mica_arena_zero(&world.arena, 1, sizeof *value);
    struct mica_error error = {.status = MICA_OK};

    ck_assert_msg(mica_json_read(&world.arena, mica_text(text), NULL, &error,
                                 value) == MICA_OK,
                  "%s: %s", text, error.message);
    return value;
}

// Records answers in the opened turn.
static inline void
turn_answer(const char *answers)
{
    struct mica_error error = {.status = MICA_OK};

    ck_assert_msg(mica_journal_answer(&world.journal, turn_json(answers),
                                      &error) == MICA_OK,
                  "%s", error.message);
}

static inline void
turn_go(const struct mica_tool *tool, const char *arguments)
{
    struct mica_runnable runnable = world_runnable(tool);

    mica_turn_run(&world.turn, &world.call, &runnable, mica_text(arguments));
    ck_assert(world.call.turn == NULL && world.turn.state == NULL);
    if (!world.turn.suspended)
        ck_assert_uint_eq(world.turn.asked_count, 0);
    if (!world.lost)
        keep(mica_buffer_as_text(&world.journal.bytes));
}

// A turn, with answers to what was asked (NULL: none).
static inline void
turn(const struct mica_tool *tool, const char *answers)
{
    turn_open(tool);
    if (answers != NULL)
        turn_answer(answers);
    turn_go(tool, "{}");
}

// Fails unless the turn was suspended with these keys, separated by spaces.
static inline void
must_ask(const char *keys)
{
    char asked[1024] = "";

    ck_assert_msg(world.turn.suspended, "not suspended but %s %.*s",
                  mica_status_code(world.call.result.status),
                  MICA_ARG(world.call.result.error));
    for (const struct mica_asked *one = world.turn.asked; one != NULL;
         one = one->next) {
        if (asked[0] != '\0')
            strcat(asked, " ");
        strncat(asked, one->key.ptr, one->key.len);
    }
    ck_assert_str_eq(asked, keys);
}

// Fails unless the call has ended with this structured result.
static inline void
must_end(const char *structured)
{
    ck_assert_msg(!world.turn.suspended, "suspended");
    ck_assert_msg(world.call.result.status == MICA_OK, "%.*s",
                  MICA_ARG(world.call.result.error));
    UNIT_TEXT_EQ(world.call.result.structured, structured);
}

// Fails unless the call has ended with this status, and words in its message.
static inline void
must_fail(enum mica_status status, const char *words)
{
    char *message = strndup(
        world.call.result.error.ptr != NULL ? world.call.result.error.ptr : "",
        world.call.result.error.len);

    ck_assert_msg(!world.turn.suspended, "suspended");
    ck_assert_msg(world.call.result.status == status, "%s: %s",
                  mica_status_code(world.call.result.status), message);
    ck_assert_msg(strstr(message, words) != NULL, "\"%s\" is not in %s", words,
                  message);
    free(message);
}

// The params of the ask of this number.
static inline struct mica_text
asked_params(size_t number)
{
    const struct mica_asked *one = world.turn.asked;

    for (; number > 0 && one != NULL; number--)
        one = one->next;
    ck_assert_ptr_nonnull(one);
    return one->params;
}

#endif
