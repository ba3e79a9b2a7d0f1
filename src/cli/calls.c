// SPDX-License-Identifier: Apache-2.0
//
// mica calls: the calls of a store that wait for their clients; what one of them
// has come to so far; and the end of one that nobody waits for any more.
#include <string.h>

#include <mica/store.h>

#include "call/journal.h"
#include "cli/commands.h"
#include "mcp/calls.h"
#include "serve/platform.h"

enum {
    PAGE = 200, // calls read at a time
    TEXT_BYTES = 16 << 20
};

struct scope {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_store *store;
    int64_t now;
};

static const char *
state_name(enum mica_store_call_state state)
{
    static const char *const names[] = {
        [MICA_STORE_CALL_WORKING] = "working",
        [MICA_STORE_CALL_WAITING] = "waiting",
        [MICA_STORE_CALL_COMPLETED] = "completed",
        [MICA_STORE_CALL_FAILED] = "failed",
        [MICA_STORE_CALL_CANCELLED] = "cancelled"};

    return (size_t)state < MICA_COUNT(names) && names[state] != NULL
               ? names[state]
               : "unknown";
}

static const char *
way_name(int way)
{
    return way == MICA_CALL_ROUNDS    ? "rounds"
           : way == MICA_CALL_SESSION ? "session"
           : way == MICA_CALL_TASK    ? "task"
                                      : "unknown";
}

static void
add_time(struct mica_buffer *text, int64_t ms)
{
    mica_time_write(text, mica_time_from_seconds(ms / 1000, 0));
}

// How long until `ms`, or since then, in the unit that says most.
static void
add_span(struct mica_buffer *text, int64_t ms)
{
    int64_t seconds = (ms < 0 ? -ms : ms) / 1000;
    const char *unit = "s";

    if (seconds >= 172800) {
        seconds /= 86400;
        unit = " days";
    } else if (seconds >= 7200) {
        seconds /= 3600;
        unit = " h";
    } else if (seconds >= 120) {
        seconds /= 60;
        unit = " min";
    }
    mica_buffer_format(text, "%lld%s", (long long)seconds, unit);
}

static enum mica_status
print_text(struct mica_cli *cli, const struct mica_buffer *text, bool json,
           struct mica_error *error)
{
    if (text->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "more than %d bytes to print", TEXT_BYTES);
    mica_cli_write(cli, mica_cli_visible(cli, mica_buffer_as_text(text), json));
    return MICA_OK;
}

// ---- As JSON -----------------------------------------------------------------------

static void
write_moment(struct mica_json_writer *writer, struct mica_arena *arena,
             const char *namez, int64_t ms)
{
    struct mica_buffer text;

    mica_buffer_init(&text, arena, TEXT_BYTES);
    add_time(&text, ms);
    mica_json_field(writer, namez, mica_buffer_as_text(&text));
}

static void
write_asks(struct mica_json_writer *writer, struct mica_arena *arena,
           struct mica_text asks)
{
    struct mica_json value;

    mica_json_name(writer, "asks");
    if (asks.len > 0 &&
        mica_json_read(arena, asks, NULL, NULL, &value) == MICA_OK)
        mica_json_value(writer, &value);
    else
        mica_json_raw(writer, MICA_LITERAL("{}"));
}

// The members of an object that is open.
static void
write_call(struct mica_json_writer *writer, struct mica_arena *arena,
           const struct mica_store_call *call)
{
    mica_json_field(writer, "id", call->id);
    mica_json_field(writer, "tool", call->target);
    mica_json_field(writer, "state", mica_text(state_name(call->state)));
    mica_json_field(writer, "way", mica_text(way_name(call->way)));
    mica_json_field(writer, "subject", call->owner.subject);
    mica_json_name(writer, "rounds");
    mica_json_integer(writer, call->round);
    mica_json_name(writer, "bytes");
    mica_json_integer(writer, call->bytes);
    write_moment(writer, arena, "created", call->created);
    write_moment(writer, arena, "changed", call->changed);
    write_moment(writer, arena, "expires", call->expires);
    if (call->due != INT64_MAX)
        write_moment(writer, arena, "due", call->due);
    mica_json_field(writer, "note", call->note);
    write_asks(writer, arena, call->asks);
}

// ---- list ------------------------------------------------------------------------

// "selection, confirmation" of what a call waits for.
static void
add_keys(struct mica_buffer *text, struct mica_arena *arena,
         struct mica_text asks)
{
    struct mica_json value;

    if (asks.len == 0 ||
        mica_json_read(arena, asks, NULL, NULL, &value) != MICA_OK ||
        value.kind != MICA_JSON_OBJECT)
        return;
    for (size_t i = 0; i < value.count; i++)
        mica_buffer_format(text, "%s%.*s", i > 0 ? ", " : "",
                           MICA_ARG(value.members[i].name));
}

static void
add_line(struct mica_buffer *text, struct mica_arena *arena,
         const struct mica_store_call *call, int64_t now)
{
    mica_buffer_format(text, "%.*s  %.*s  %s", MICA_ARG(call->id),
                       MICA_ARG(call->target), state_name(call->state));
    if (call->state == MICA_STORE_CALL_WAITING && call->asks.len > 0) {
        mica_buffer_format(text, " for ");
        add_keys(text, arena, call->asks);
    }
    mica_buffer_format(text, "  changed ");
    add_span(text, now - call->changed);
    mica_buffer_format(text, " ago, %s ",
                       call->expires > now ? "kept" : "late");
    add_span(text, call->expires - now);
    mica_buffer_char(text, '\n');
}

// All calls, page by page; in *count_out how many.
static enum mica_status
list_calls(const struct scope *scope, bool json, struct mica_buffer *text,
           size_t *count_out, struct mica_error *error)
{
    struct mica_arena *arena = &scope->cli->arena;
    bool open = !mica_options_has(scope->options, "all");
    struct mica_text after = {NULL, 0};
    struct mica_json_writer writer;
    struct mica_store_calls calls;

    mica_json_writer_init(&writer, text);
    if (json)
        mica_json_open_array(&writer);
    do {
        MICA_TRY(mica_store_call_list(scope->store, after, PAGE, open, arena,
                                      error, &calls));
        for (size_t i = 0; i < calls.count; i++) {
            if (json) {
                mica_json_open_object(&writer);
                write_call(&writer, arena, &calls.items[i]);
                mica_json_close_object(&writer);
            } else {
                add_line(text, arena, &calls.items[i], scope->now);
            }
        }
        *count_out += calls.count;
        after = calls.next;
    } while (after.len > 0 && !text->overflow);
    if (json) {
        mica_json_close_array(&writer);
        mica_buffer_char(text, '\n');
    }
    return MICA_OK;
}

static enum mica_status
list(const struct scope *scope, struct mica_error *error)
{
    bool json = mica_cli_wants_json(scope->cli, scope->options);
    struct mica_buffer text;
    size_t count = 0;

    mica_buffer_init(&text, &scope->cli->arena, TEXT_BYTES);
    MICA_TRY(list_calls(scope, json, &text, &count, error));
    if (!json && count == 0)
        mica_buffer_format(&text, "No call waits.\n");
    return print_text(scope->cli, &text, json, error);
}

// ---- show ------------------------------------------------------------------------

static void
describe(const struct mica_store_call *call, const struct mica_journal *journal,
         struct mica_buffer *text)
{
    mica_buffer_format(text, "%.*s\n  tool     %.*s\n  state    %s (%s)\n",
                       MICA_ARG(call->id), MICA_ARG(call->target),
                       state_name(call->state), way_name(call->way));
    if (call->owner.subject.len > 0)
        mica_buffer_format(text, "  of       %.*s\n",
                           MICA_ARG(call->owner.subject));
    mica_buffer_format(text, "  created  ");
    add_time(text, call->created);
    mica_buffer_format(text, "\n  changed  ");
    add_time(text, call->changed);
    mica_buffer_format(text, "\n  expires  ");
    add_time(text, call->expires);
    mica_buffer_format(text, "\n  with     %.*s\n", MICA_ARG(call->arguments));
    if (call->note.len > 0)
        mica_buffer_format(text, "  says     %.*s\n", MICA_ARG(call->note));
    mica_buffer_char(text, '\n');
    mica_journal_describe(journal, text);
    if (call->reply.len > 0)
        mica_buffer_format(text, "\nanswered %.*s\n", MICA_ARG(call->reply));
}

static void
show_json(const struct scope *scope, const struct mica_store_call *call,
          const struct mica_journal *journal, struct mica_buffer *text)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, text);
    mica_json_open_object(&writer);
    write_call(&writer, &scope->cli->arena, call);
    mica_json_name(&writer, "arguments");
    mica_json_raw(&writer, call->arguments);
    if (call->reply.len > 0) {
        mica_json_name(&writer, "reply");
        mica_json_raw(&writer, call->reply);
    }
    mica_json_name(&writer, "journal");
    mica_journal_write_json(journal, &writer);
    mica_json_close_object(&writer);
    mica_buffer_char(text, '\n');
}

static enum mica_status
show(const struct scope *scope, struct mica_error *error)
{
    struct mica_arena *arena = &scope->cli->arena;
    struct mica_text id = mica_text(scope->options->words[1]);
    bool json = mica_cli_wants_json(scope->cli, scope->options);
    struct mica_journal journal;
    struct mica_store_call call;
    struct mica_buffer text;

    MICA_TRY(mica_store_call_find(scope->store, id, NULL, scope->now, arena,
                                  error, &call));
    if (call.journal.len > 0)
        MICA_TRY(mica_journal_read(&journal, arena, call.journal, error));
    else
        mica_journal_init(&journal, arena); // before its first turn has ended
    mica_buffer_init(&text, arena, TEXT_BYTES);
    if (json)
        show_json(scope, &call, &journal, &text);
    else
        describe(&call, &journal, &text);
    return print_text(scope->cli, &text, json, error);
}

// ---- expire ----------------------------------------------------------------------

static enum mica_status
expire(const struct scope *scope, struct mica_error *error)
{
    struct mica_text id = mica_text(scope->options->words[1]);

    MICA_TRY(mica_store_call_expire(scope->store, id, scope->now, error));
    if (!mica_cli_wants_json(scope->cli, scope->options)) {
        mica_cli_print(scope->cli,
                       "A server of this store ends it with TIMEOUT "
                       "and runs its clean-ups.\n");
        return MICA_OK;
    }
    struct mica_json_writer writer;
    struct mica_buffer text;
    mica_buffer_init(&text, &scope->cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "id", id);
    mica_json_name(&writer, "expired");
    mica_json_boolean(&writer, true);
    mica_json_close_object(&writer);
    mica_buffer_char(&text, '\n');
    return print_text(scope->cli, &text, true, error);
}

// ---- The command -----------------------------------------------------------------

static const struct act {
    const char *name;
    size_t words; // behind it
    enum mica_status (*run)(const struct scope *scope,
                            struct mica_error *error);
} acts[] = {{"list", 0, list}, {"show", 1, show}, {"expire", 1, expire}};

static const struct act *
find_act(const struct mica_options *options)
{
    const char *name = options->word_count > 0 ? options->words[0] : "list";
    size_t words = options->word_count > 0 ? options->word_count - 1 : 0;

    for (size_t i = 0; i < MICA_COUNT(acts); i++) {
        if (strcmp(name, acts[i].name) == 0 && words == acts[i].words)
            return &acts[i];
    }
    return NULL;
}

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    static const struct mica_store_options there = {.must_exist = true};
    const char *spec = mica_options_value(options, "store");
    const struct act *act = find_act(options);
    struct scope scope = {
        .cli = cli, .options = options, .now = mica_platform_real.now_ms(NULL)};
    enum mica_status status;

    if (act == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "write mica calls, mica calls show ID or mica "
                              "calls expire ID");
    MICA_TRY(mica_store_open(spec != NULL ? spec : "sqlite", &there, error,
                             &scope.store));
    status = act->run(&scope, error);
    mica_store_close(&scope.store);
    return status;
}

static const struct mica_option options[] = {
    {"store", MICA_OPTION_VALUE, "SPEC",
     "sqlite:PATH; without it $XDG_STATE_HOME/mica/mica.db, or "
     "~/.local/state/mica/mica.db"},
    {"all", MICA_OPTION_SWITCH, NULL,
     "list also calls that have ended and are kept for who asks again"},
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_calls = {
    .name = "calls",
    .summary = "List calls that wait, show or expire one",
    .usage = "[list [--all] | show ID | expire ID] [--store SPEC] [--json]",
    .example = "mica calls\n  mica calls show $ID",
    .more = "A call of an interactive tool waits in the store between two "
            "answers of its client. `show` prints its journal: what was asked "
            "and answered, and which effects it has had. `expire` ends one "
            "before its time: a server of the store answers it with TIMEOUT "
            "and runs its clean-ups; one that has ended is deleted. All of it "
            "may be done while the store is served.",
    .words = "list|show|expire",
    .options = options,
    .run = run};
