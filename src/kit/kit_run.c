// SPDX-License-Identifier: Apache-2.0
//
// One call from its first turn to its end. Between turns there is nothing but the
// bytes of the journal, and a run may be killed at any moment at which a process
// can die: it then continues from the bytes that were kept.
#include "kit/kit.h"
#include "protocol/capability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TURNS = 4096,
    NAMES_BYTES = 256, // of capabilities
    ANSWER_MS = 1000   // how long a client takes
};

// ---- What the call sees as the outside -----------------------------------------------

static int64_t
now_ms(void *data)
{
    const struct mica_run *run = data;

    return run->now;
}

// SplitMix64 of the seed and of how often chance was drawn: the same also for a
// turn that runs again.
static void
run_draw(void *data, void *bytes, size_t size)
{
    const struct mica_run *run = data;
    uint64_t drawn = run->mock->seed;
    unsigned char *out = bytes;

    for (uint32_t i = 0; i < run->journal.count; i++)
        drawn += run->journal.entries[i].kind == MICA_ENTRY_RANDOM;
    for (size_t i = 0; i < size; i++) {
        uint64_t bits = (drawn + 1 + i / 8) * 0x9E3779B97F4A7C15u;
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
        out[i] = (unsigned char)((bits ^ bits >> 31) >> i % 8 * 8);
    }
}

static void *
run_service(void *data, const char *namez)
{
    struct mica_run *run = data;
    // No test reaches the network: the script stands in.
    void *service = strcmp(namez, MICA_FETCH_SERVICE) == 0 ? &run->mock->fetcher
                    : strcmp(namez, MICA_KEEP_SERVICE) == 0
                        ? mica_kit_keep_provider(run->mock)
                        : mica_kit_service(run->mock, namez);

    run->reached += service != NULL;
    return service;
}

// The next element of a list that grows in the run's arena.
static void *
run_grow(struct mica_run *run, void *items, size_t *room, size_t count,
         size_t size)
{
    void *larger;

    if (count < *room)
        return items;
    *room = *room == 0 ? 16 : *room * 2;
    larger = mica_kit_alloc(&run->arena, *room, size);
    if (count > 0)
        memcpy(larger, items, count * size);
    return larger;
}

static void
take_notice(void *data, const struct mica_notice *notice)
{
    struct mica_run *run = data;
    struct mica_outcome *outcome = &run->outcome;
    struct mica_text message;

    if (run->quiet)
        return;
    message = mica_kit_copy(&run->arena, notice->message);
    if (notice->kind == MICA_NOTICE_LOG) {
        run->logs = run_grow(run, run->logs, &run->log_room, outcome->log_count,
                             sizeof *run->logs);
        run->logs[outcome->log_count++] = (struct mica_outcome_log){
            (enum mica_log_level)notice->level, message};
    } else {
        run->progress =
            run_grow(run, run->progress, &run->progress_room,
                     outcome->progress_count, sizeof *run->progress);
        run->progress[outcome->progress_count++] =
            (struct mica_outcome_progress){notice->progress, notice->total,
                                           message};
    }
}

// ---- Moments ---------------------------------------------------------------------

// Here a process may die.
static void
run_pass(struct mica_run *run, const char *whatz, unsigned number)
{
    if (++run->moments != run->kill_at)
        return;
    (void)snprintf(run->moment, sizeof run->moment, "cut off %s %u: ", whatz,
                   number);
    run->killed = true;
    longjmp(run->death, 1);
}

static void
run_keep(struct mica_run *run)
{
    struct mica_text bytes = mica_buffer_as_text(&run->journal.bytes);
    char *copy = mica_kit_heap(bytes.len + 1, 1);

    if (bytes.len > 0)
        memcpy(copy, bytes.ptr, bytes.len);
    free(run->kept);
    run->kept = copy;
    run->kept_len = bytes.len;
}

// Fails for steps whose effects have been recorded since the last commit. A step may
// commit while it runs, as mica_now does: services count from one step to the next.
static void
check_steps(struct mica_run *run)
{
    for (; run->looked < run->journal.count; run->looked++) {
        const struct mica_entry *entry = &run->journal.entries[run->looked];
        if (entry->kind != MICA_ENTRY_STEP)
            continue;
        if (entry->status == MICA_OK && run->reached == 0)
            mica_kit_fail_step(run->here, run->definition->name, entry->key);
        run->reached = 0;
    }
}

static enum mica_status
run_commit(void *data, struct mica_error *error)
{
    struct mica_run *run = data;

    (void)error;
    check_steps(run);
    run->commits++;
    if (run->moments + 1 == run->kill_at)
        run->inside = true;
    run_pass(run, "before commit", run->commits);
    run_keep(run);
    run_pass(run, "after commit", run->commits);
    return MICA_OK;
}

// From the first tool on that has effects a call is kept, as by a server. There is
// one build of each tool, which has no version.
static const struct mica_tool_runnable *
find_tool(void *data, struct mica_text name, struct mica_text version)
{
    struct mica_run *run = data;

    (void)version;
    for (size_t i = 0; i < run->mock->tool_count; i++) {
        const struct mica_kit_tool *tool = &run->mock->tools[i];
        if (!mica_text_equal(tool->definition->name, name))
            continue;
        if (tool->definition->stored) {
            run->stored = true;
            run->turn.commit = run_commit;
        }
        return &tool->runnable;
    }
    return NULL;
}

// ---- Answers -----------------------------------------------------------------------

// An answer of the script as the client sends it; empty when it sends none.
static struct mica_text
run_render(struct mica_arena *arena, const struct mica_kit_answer *answer)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (answer->kind == MICA_MOCK_RAW)
        return answer->text;
    mica_buffer_init(&text, arena, MICA_KIT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    if (answer->kind == MICA_MOCK_ACCEPT) {
        mica_json_field(&writer, "action", MICA_LITERAL("accept"));
        if (answer->text.ptr != NULL) {
            mica_json_name(&writer, "content");
            mica_json_raw(&writer, answer->text);
        }
    } else if (answer->kind == MICA_MOCK_DECLINE) {
        mica_json_field(&writer, "action", MICA_LITERAL("decline"));
    } else if (answer->kind == MICA_MOCK_DISMISS) {
        mica_json_field(&writer, "action", MICA_LITERAL("cancel"));
    } else if (answer->kind == MICA_MOCK_SAY) {
        mica_sampling_write_answer(&writer, answer->text, "mock");
    } else if (answer->kind == MICA_MOCK_ROOTS) {
        mica_json_name(&writer, "roots");
        mica_json_raw(&writer, answer->text);
    } else {
        mica_json_name(&writer, "code");
        mica_json_integer(&writer, -1);
        mica_json_field(&writer, "message", answer->text);
    }
    mica_json_close_object(&writer);
    if (text.overflow)
        mica_kit_abort("no memory");
    return mica_buffer_as_text(&text);
}

static bool
is_answer(enum mica_mock_kind kind)
{
    return kind != MICA_MOCK_SILENT && kind != MICA_MOCK_DISCONNECT &&
           kind != MICA_MOCK_CANCEL;
}

static const struct mica_kit_answer *
taken_by(const struct mica_mock *mock, struct mica_text key)
{
    for (size_t i = 0; i < mock->answer_count; i++) {
        if (mock->answers[i].taken.len > 0 &&
            mica_text_equal(mock->answers[i].taken, key))
            return &mock->answers[i];
    }
    return NULL;
}

// Records what the client has sent, again if it was lost.
static void
give_answers(struct mica_run *run)
{
    struct mica_error error;
    uint32_t number;

    for (uint32_t from = 0; mica_journal_open_ask(&run->journal, from, &number);
         from = number + 1) {
        const struct mica_entry *ask = &run->journal.entries[number];
        const struct mica_kit_answer *answer = taken_by(run->mock, ask->key);
        struct mica_entry entry = {
            .kind = MICA_ENTRY_ANSWER, .scope = ask->scope, .number = number};
        if (answer == NULL || !is_answer(answer->kind))
            continue;
        if (answer->kind == MICA_MOCK_ERROR)
            entry.status = MICA_E_CLIENT;
        entry.data = run_render(&run->turn_arena, answer);
        if (mica_journal_add(&run->journal, &entry, &error) != MICA_OK)
            mica_kit_fail(run->here, "%sthe answer to \"%.*s\": %s",
                          run->moment, MICA_ARG(ask->key), error.message);
    }
}

// ---- Questions -----------------------------------------------------------------------

// Of those that were noted; NULL: it was not noted.
static const struct mica_outcome_ask *
find_ask(const struct mica_run *run, struct mica_text key)
{
    for (size_t i = 0; i < run->outcome.ask_count; i++) {
        if (mica_text_equal(run->asks[i].key, key))
            return &run->asks[i];
    }
    return NULL;
}

static void
note_ask(struct mica_run *run, const struct mica_asked *asked)
{
    struct mica_outcome *outcome = &run->outcome;
    struct mica_outcome_ask *ask;
    struct mica_json params;

    if (find_ask(run, asked->key) != NULL)
        return;
    ask = MICA_KIT_NEXT(run->asks, outcome->ask_count);
    ask->key = mica_kit_copy(&run->arena, asked->key);
    ask->method = mica_kit_copy(&run->arena, mica_ask_method(asked->kind));
    ask->params = mica_kit_copy(&run->arena, asked->params);
    ask->message = MICA_LITERAL("");
    if (mica_json_read(&run->arena, ask->params, NULL, NULL, &params) ==
        MICA_OK)
        ask->message =
            mica_kit_copy(&run->arena, mica_json_get_text(&params, "message"));
}

static void
run_leave(struct mica_run *run, enum mica_status ending, int64_t due)
{
    run->ending = ending;
    if (due > run->late)
        run->late = due;
}

static void
take_for(struct mica_run *run, const struct mica_asked *asked)
{
    const struct mica_kit_answer *answer = mica_kit_take(run->mock, asked);
    const struct mica_outcome_ask *ask = find_ask(run, asked->key);

    if (answer == NULL) {
        mica_kit_fail(
            run->here, "%sthe script has no answer to \"%.*s\" (%.*s): %.*s",
            run->moment, MICA_ARG(ask->key), MICA_ARG(ask->method),
            MICA_ARG(ask->message.len > 0 ? ask->message : ask->params));
        run_leave(run, MICA_E_DISCONNECTED, 0);
    } else if (answer->kind == MICA_MOCK_SILENT) {
        run_leave(run, MICA_E_TIMEOUT, asked->due);
    } else if (answer->kind == MICA_MOCK_DISCONNECT) {
        run_leave(run, MICA_E_DISCONNECTED, 0);
    } else if (answer->kind == MICA_MOCK_CANCEL) {
        run_leave(run, MICA_E_CANCELLED, 0);
    }
}

// The client answers what it was asked: all of it, or one question of a session.
static void
answer_round(struct mica_run *run)
{
    bool one = run->mock->era != MICA_ERA_2026_07_28;

    for (const struct mica_asked *asked = run->turn.asked; asked != NULL;
         asked = asked->next)
        note_ask(run, asked);
    for (const struct mica_asked *asked = run->turn.asked;
         asked != NULL && run->ending == MICA_OK; asked = asked->next) {
        if (taken_by(run->mock, asked->key) != NULL)
            continue;
        take_for(run, asked);
        if (one)
            return;
    }
}

// ---- A turn ------------------------------------------------------------------------

static int64_t
time_of_turn(const struct mica_run *run)
{
    int64_t now = run->mock->start;

    for (uint32_t i = 0; i < run->journal.count; i++) {
        const struct mica_entry *entry = &run->journal.entries[i];
        if (entry->kind == MICA_ENTRY_ANSWER && entry->status == MICA_OK)
            now += ANSWER_MS;
    }
    return now > run->late ? now : run->late;
}

static enum mica_ask_dialect
run_dialect(enum mica_era era)
{
    if (era == MICA_ERA_2026_07_28)
        return MICA_ASKS_2026_07_28;
    return era == MICA_ERA_2025_11_25 ? MICA_ASKS_2025_11_25
                                      : MICA_ASKS_2025_06_18;
}

// How many entries of its journal were kept.
static uint32_t
open_turn(struct mica_run *run)
{
    struct mica_text kept = {run->kept, run->kept_len};
    struct mica_error error;
    uint32_t durable;

    mica_arena_fini(&run->turn_arena);
    mica_arena_init(&run->turn_arena, MICA_KIT_BYTES);
    if (run->kept == NULL)
        mica_journal_init(&run->journal, &run->turn_arena);
    else if (mica_journal_read(&run->journal, &run->turn_arena, kept, &error) !=
             MICA_OK)
        mica_kit_abort("the journal cannot be read: %s", error.message);
    durable = run->journal.count;
    if (run->ending == MICA_OK || run->gone == MICA_OK)
        give_answers(run);
    run->now = time_of_turn(run);
    return durable;
}

static void
run_turn(struct mica_run *run, const struct mica_platform *platform)
{
    const struct mica_definition *definition = run->definition;
    uint32_t durable = open_turn(run);

    run->looked = run->journal.count;
    run->reached = 0;
    run->turn = (struct mica_turn){
        .journal = &run->journal,
        .durable = durable,
        .id = run->id,
        .platform = platform,
        .capabilities = run->mock->client,
        .dialect = run_dialect(run->mock->era),
        .limit_ms = definition->limit_ms,
        .steps = definition->steps,
        .fetches = definition->fetches,
        .keeps = definition->keeps,
        .form_views = mica_definition_form_views(definition),
        .keep_ms = definition->keep_ms,
        .commit = run->stored ? run_commit : NULL,
        .service = run_service,
        .find = find_tool,
        .data = run,
        .ending = run->ending,
    };
    mica_call_init(&run->call, &run->turn_arena);
    run->call.user = definition->runnable.user;
    run->call.on_notice = take_notice;
    run->call.notice_data = run;
    mica_turn_run(&run->turn, &run->call, &definition->runnable,
                  run->arguments);
    run->outcome.turns++;
    run_pass(run, "at the end of turn", run->outcome.turns);
    run_keep(run);
}

bool
mica_kit_turn(struct mica_run *run)
{
    const struct mica_platform platform = {now_ms, run_draw, run};

    if (setjmp(run->death) != 0)
        return false;
    run_turn(run, &platform);
    return true;
}

// Runs a turn that waits once more: false when something came of it.
static bool
run_twice(struct mica_run *run)
{
    size_t kept = run->kept_len, asked = run->turn.asked_count;
    size_t reported = run->outcome.log_count + run->outcome.progress_count;
    unsigned moments = run->moments;
    bool same;

    (void)mica_kit_turn(run);
    run->outcome.turns--;
    run->moments = moments;
    same = run->turn.suspended && run->turn.asked_count == asked &&
           run->kept_len == kept &&
           reported == run->outcome.log_count + run->outcome.progress_count;
    if (!same)
        mica_kit_fail(run->here,
                      "a turn that waits for %zu answers came to something "
                      "else when it ran again without them: %s %.*s",
                      asked,
                      run->turn.suspended
                          ? "it waits, and asks, records or tells more"
                          : mica_status_code(run->call.result.status),
                      MICA_ARG(run->call.result.error));
    return same;
}

// ---- The end -------------------------------------------------------------------------

static struct mica_text
join_texts(struct mica_run *run)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &run->arena, MICA_KIT_BYTES);
    for (const struct mica_content *block = run->call.result.content;
         block != NULL; block = block->next) {
        if (block->kind != MICA_CONTENT_TEXT)
            continue;
        if (text.len > 0)
            mica_buffer_char(&text, '\n');
        mica_buffer_text(&text, block->data);
    }
    return mica_kit_copy(&run->arena, mica_buffer_as_text(&text));
}

static struct mica_text
run_member(struct mica_run *run, const struct mica_json *error,
           const char *namez)
{
    return mica_kit_copy(&run->arena, mica_json_get_text(error, namez));
}

void
mica_kit_finish(struct mica_run *run)
{
    struct mica_outcome *outcome = &run->outcome;
    const struct mica_result *result = &run->call.result;
    struct mica_json error;

    outcome->status = result->status;
    outcome->code = MICA_LITERAL("OK");
    outcome->message = outcome->path = MICA_LITERAL("");
    outcome->result = mica_kit_copy(&run->arena, result->structured);
    outcome->text = join_texts(run);
    outcome->is_error = result->is_error;
    if (result->status != MICA_OK &&
        mica_json_read(&run->arena, result->error, NULL, NULL, &error) ==
            MICA_OK) {
        outcome->code = run_member(run, &error, "code");
        outcome->message = run_member(run, &error, "message");
        outcome->path = run_member(run, &error, "path");
    }
}

// What a server says before the handler runs.
static bool
is_refused(struct mica_run *run)
{
    unsigned missing = run->definition->requires & ~run->mock->client;
    struct mica_json_writer writer;
    struct mica_buffer names;

    if (missing == 0)
        return false;
    mica_arena_init(&run->turn_arena, MICA_KIT_BYTES);
    mica_call_init(&run->call, &run->turn_arena);
    mica_buffer_init(&names, &run->turn_arena, NAMES_BYTES);
    mica_json_writer_init(&writer, &names);
    mica_client_write_names(&writer, missing);
    mica_call_fail(&run->call, MICA_E_CAPABILITY, "",
                   "this tool needs a client with the capabilities %.*s, which "
                   "this one has not declared (mica_mock_declare)",
                   MICA_ARG(names));
    return true;
}

static void
run_turns(struct mica_run *run)
{
    for (unsigned turns = 0; turns < MOST_TURNS; turns++) {
        if (!mica_kit_turn(run)) {
            // As a new process finds it.
            run->ending = run->gone != MICA_OK ? run->gone : run->ending;
            run->cut_effects = run->effect_count;
            mica_kit_close_services(run->mock);
            if (!mica_kit_open_services(run->mock, run->here))
                return;
            continue;
        }
        if (!run->turn.suspended)
            return;
        if (run->twice && !run_twice(run))
            return;
        answer_round(run);
    }
    mica_kit_fail(run->here, "%sthe call has not ended after %u turns",
                  run->moment, MOST_TURNS);
}

void
mica_kit_run(struct mica_run *run)
{
    mica_kit_rewind(run->mock);
    if (!is_refused(run))
        run_turns(run);
    mica_kit_finish(run);
    run->outcome.asks = run->asks;
    run->outcome.logs = run->logs;
    run->outcome.progress = run->progress;
    run->outcome.journal = mica_kit_copy(
        &run->arena, (struct mica_text){run->kept, run->kept_len});
    if (run->gone == MICA_OK)
        mica_kit_check_taken(run);
}

struct mica_run *
mica_kit_begin(struct mica_mock *mock, struct mica_here here,
               const struct mica_kit_tool *tool, struct mica_text arguments)
{
    struct mica_run *run = mica_kit_heap(1, sizeof *run);

    mica_arena_init(&run->arena, MICA_KIT_BYTES);
    run->mock = mock;
    run->here = here;
    run->definition = tool->definition;
    run->stored = tool->definition->stored;
    run->arguments = mica_kit_copy(&run->arena, arguments);
    run->id = mica_kit_format(&run->arena, "call-%u", ++mock->calls);
    return run;
}

void
mica_kit_end(struct mica_run *run)
{
    if (run == NULL)
        return;
    mica_arena_fini(&run->turn_arena);
    mica_arena_fini(&run->arena);
    free(run->kept);
    free(run);
}
