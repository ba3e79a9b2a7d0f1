// SPDX-License-Identifier: Apache-2.0
//
// mica calls: the calls of a store that wait for their clients; what one of them
// has come to so far; and the end of one that its client has given up.
#include <stdio.h>
#include <string.h>

#include "store/store_calls.h"

#include "call/journal.h"
#include "cli/cli_catalog.h"
#include "cli/commands.h"
#include "cli/identity.h"
#include "serve/system_platform.h"
#include "server/calls/calls_interface.h"

enum {
    PAGE = 50,      // calls that a person sees at a time
    MOST = 1000,    // by --limit
    STREAMED = 200, // calls read at a time, for a program
    TEXT_BYTES = 16 << 20,
    PAGE_BYTES = 256 << 20 // memory for what is read at a time
};

struct scope {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_store *store;
    int64_t now;
};

static const char *
state_name(enum mica_call_state state)
{
    static const char *const names[] = {[MICA_CALL_WORKING] = "working",
                                        [MICA_CALL_WAITING] = "waiting",
                                        [MICA_CALL_COMPLETED] = "completed",
                                        [MICA_CALL_FAILED] = "failed",
                                        [MICA_CALL_CANCELLED] = "cancelled"};

    return (size_t)state < MICA_COUNT(names) && names[state] != NULL
               ? names[state]
               : "unknown";
}

static const char *
mode_name(enum mica_call_mode mode)
{
    return mode == MICA_CALL_ROUNDS    ? "rounds"
           : mode == MICA_CALL_SESSION ? "session"
           : mode == MICA_CALL_TASK    ? "task"
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
    if (json)
        mica_cli_json(cli, mica_buffer_as_text(text));
    else
        mica_cli_lines(cli, mica_buffer_as_text(text));
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

// Before the cursor of a call that has ended: those stand behind all open ones.
static const char ended_prefix[] = "ended.";

// The members of an object that is open.
static void
write_call(struct mica_json_writer *writer, struct mica_arena *arena,
           const struct mica_kept_call *call)
{
    char place[MICA_STORE_CALL_CURSOR_SIZE], cursor[sizeof place + 8];

    mica_store_call_cursor(call, place);
    (void)snprintf(cursor, sizeof cursor, "%s%s",
                   call->state >= MICA_CALL_COMPLETED ? ended_prefix : "",
                   place);
    mica_json_field(writer, "id", call->id);
    mica_json_field(writer, "cursor", mica_text(cursor));
    mica_json_field(writer, "tool", call->target);
    mica_json_field(writer, "state", mica_text(state_name(call->state)));
    mica_json_field(writer, "way", mica_text(mode_name(call->mode)));
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
        mica_visible_format(text, "%s%.*s", i > 0 ? ", " : "",
                            MICA_ARG(value.members[i].name));
}

static void
add_line(struct mica_buffer *text, struct mica_arena *arena,
         const struct mica_kept_call *call, int64_t now)
{
    mica_visible_format(text, "%.*s  %.*s  %s", MICA_ARG(call->id),
                        MICA_ARG(call->target), state_name(call->state));
    if (call->state == MICA_CALL_WAITING && call->asks.len > 0) {
        mica_visible_format(text, " for ");
        add_keys(text, arena, call->asks);
    }
    mica_visible_format(text, "  changed ");
    add_span(text, now - call->changed);
    mica_visible_format(text, " ago, %s ",
                        call->expires > now ? "kept" : "late");
    add_span(text, call->expires - now);
    mica_buffer_char(text, '\n');
}

// ---- Filters ---------------------------------------------------------------------

static enum mica_status
read_state(const struct mica_options *options, struct mica_error *error,
           struct mica_store_call_filter *filter)
{
    const char *name = mica_options_value(options, "state");

    if (name == NULL)
        return MICA_OK;
    for (int state = MICA_CALL_WORKING; state <= MICA_CALL_CANCELLED; state++)
        if (strcmp(name, state_name((enum mica_call_state)state)) == 0)
            filter->state = (enum mica_call_state)state;
    if (filter->state != 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "--state is working, waiting, completed, failed or "
                          "cancelled, not \"%s\"",
                          name);
}

// "90s", "15m", "2h", "7d"; 0 when it is not given.
static enum mica_status
read_age(const struct mica_options *options, const char *name,
         struct mica_error *error, int64_t *ms_out)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
    const char *value = mica_options_value(options, name);
    size_t digits = value != NULL ? strspn(value, "0123456789") : 0;
    int64_t number = 0;

    *ms_out = 0;
    if (value == NULL)
        return MICA_OK;
    if (digits > 0 && digits <= 6 && value[digits] != '\0' &&
        value[digits + 1] == '\0') {
        for (size_t i = 0; i < digits; i++)
            number = number * 10 + (value[i] - '0');
        for (size_t i = 0; i < MICA_COUNT(units); i++)
            if (value[digits] == units[i].unit)
                *ms_out = number * units[i].ms;
    }
    if (*ms_out > 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "--%s takes an age like 90s, 15m, 2h or 7d, not "
                          "\"%s\"",
                          name, value);
}

static enum mica_status
read_filter(const struct scope *scope, struct mica_error *error,
            struct mica_store_call_filter *filter)
{
    const char *tool = mica_options_value(scope->options, "tool");
    const char *principal = mica_options_value(scope->options, "principal");
    int64_t older, newer;

    *filter = (struct mica_store_call_filter){.ended = false};
    if (tool != NULL)
        filter->target = mica_text(tool);
    if (principal != NULL)
        filter->subject = mica_text(principal);
    MICA_TRY(read_state(scope->options, error, filter));
    MICA_TRY(read_age(scope->options, "older", error, &older));
    MICA_TRY(read_age(scope->options, "newer", error, &newer));
    if (older > 0)
        filter->created_to = scope->now - older;
    if (newer > 0)
        filter->created_from = scope->now - newer;
    return MICA_OK;
}

// ---- Pages -----------------------------------------------------------------------

// A list: open calls, and with --all or such a --state those that have ended, behind
// them. A cursor of the latter begins with "ended.".
struct listing {
    const struct scope *scope;
    struct mica_store_call_filter filter;
    bool open, ended; // which are wanted
    bool json;
    bool begun;  // something is printed
    size_t left; // that may still be printed; SIZE_MAX: all
    size_t printed;
    struct mica_text after; // in `room`
    char room[MICA_STORE_CALL_CURSOR_SIZE + 8];
    bool more;
};

static void
print_page(struct listing *listing, const struct mica_store_calls *calls,
           struct mica_arena *arena, struct mica_buffer *text)
{
    for (size_t i = 0; i < calls->count; i++) {
        struct mica_json_writer writer;
        if (!listing->json) {
            add_line(text, arena, &calls->items[i], listing->scope->now);
            continue;
        }
        if (listing->printed + i > 0)
            mica_buffer_char(text, ',');
        mica_json_writer_init(&writer, text);
        mica_json_open_object(&writer);
        write_call(&writer, arena, &calls->items[i]);
        mica_json_close_object(&writer);
    }
}

static enum mica_status
count_calls(const struct listing *listing, struct mica_error *error,
            int64_t *open_out, int64_t *ended_out)
{
    struct mica_store_call_filter filter = listing->filter;

    *open_out = *ended_out = 0;
    filter.ended = false;
    if (listing->open)
        MICA_TRY(mica_store_call_count(listing->scope->store, &filter, error,
                                       open_out));
    filter.ended = true;
    return listing->ended ? mica_store_call_count(listing->scope->store,
                                                  &filter, error, ended_out)
                          : MICA_OK;
}

// All that wait, and no others: neither a filter nor a state was given.
static bool
waiting_are_wanted(const struct listing *listing)
{
    const struct mica_store_call_filter *filter = &listing->filter;

    return !listing->ended && filter->state == 0 && filter->target.len == 0 &&
           filter->subject.len == 0 && filter->created_from == 0 &&
           filter->created_to == 0;
}

// In text the count comes first. As JSON only --count prints it.
static enum mica_status
tell_count(const struct listing *listing, struct mica_error *error)
{
    struct mica_cli *cli = listing->scope->cli;
    int64_t open, ended, count;

    MICA_TRY(count_calls(listing, error, &open, &ended));
    count = open + ended;
    if (mica_options_has(listing->scope->options, "count")) {
        if (listing->json)
            mica_cli_print(cli, "{\"open\":%lld,\"ended\":%lld}\n",
                           (long long)open, (long long)ended);
        else
            mica_cli_print(cli, "%lld\n", (long long)count);
        return MICA_OK;
    }
    if (listing->json)
        return MICA_OK;
    if (count == 0)
        mica_cli_print(cli, "%s\n",
                       waiting_are_wanted(listing) ? "No call waits."
                                                   : "No call matches.");
    else if ((uint64_t)count > listing->left)
        mica_cli_print(cli, "%lld calls, %zu of them here, oldest first:\n",
                       (long long)count, listing->left);
    else
        mica_cli_print(cli, "%lld call%s:\n", (long long)count,
                       mica_cli_s((size_t)count));
    return MICA_OK;
}

// Nothing is printed before the first page is there: it may fail.
static enum mica_status
begin_listing(struct listing *listing, struct mica_error *error)
{
    if (listing->begun)
        return MICA_OK;
    listing->begun = true;
    if (!listing->json)
        return tell_count(listing, error);
    mica_cli_print(listing->scope->cli, "[");
    return MICA_OK;
}

// One page, in memory of its own, so that any number of pages can be printed.
static enum mica_status
list_page(struct listing *listing, struct mica_arena *arena,
          struct mica_error *error)
{
    size_t limit = listing->left < STREAMED ? listing->left : STREAMED;
    struct mica_store_calls calls;
    struct mica_buffer text;

    MICA_TRY(mica_store_call_page(listing->scope->store, &listing->filter,
                                  listing->after, limit, arena, error, &calls));
    mica_buffer_init(&text, arena, PAGE_BYTES);
    print_page(listing, &calls, arena, &text);
    if (text.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "more than %d bytes to print at a time",
                              PAGE_BYTES);
    MICA_TRY(begin_listing(listing, error));
    MICA_TRY(print_text(listing->scope->cli, &text, listing->json, error));
    mica_cli_flush(listing->scope->cli);
    listing->printed += calls.count;
    listing->left -= listing->left == SIZE_MAX ? 0 : calls.count;
    listing->more = calls.next.len > 0;
    (void)snprintf(listing->room, sizeof listing->room, "%.*s",
                   MICA_ARG(calls.next));
    listing->after = mica_text(listing->room);
    return MICA_OK;
}

static enum mica_status
list_kind(struct listing *listing, bool ended, struct mica_error *error)
{
    listing->filter.ended = ended;
    do {
        struct mica_arena arena;
        mica_arena_init(&arena, 2 * (size_t)PAGE_BYTES);
        enum mica_status status = list_page(listing, &arena, error);
        mica_arena_fini(&arena);
        MICA_TRY(status);
    } while (listing->more && listing->left > 0);
    return MICA_OK;
}

// The page is full of open calls, and there are no more of them: is there one that
// has ended?
static enum mica_status
has_ended(const struct listing *listing, struct mica_error *error,
          bool *has_out)
{
    struct mica_store_call_filter filter = listing->filter;
    struct mica_store_calls calls;

    filter.ended = true;
    MICA_TRY(mica_store_call_page(listing->scope->store, &filter,
                                  (struct mica_text){NULL, 0}, 1,
                                  &listing->scope->cli->arena, error, &calls));
    *has_out = calls.count > 0;
    return MICA_OK;
}

// Where the next page begins, if there is one: "" or a cursor.
static enum mica_status
list_pages(struct listing *listing, struct mica_error *error,
           char next_out[MICA_STORE_CALL_CURSOR_SIZE + 8])
{
    bool begins_ended =
        strncmp(listing->room, ended_prefix, sizeof ended_prefix - 1) == 0;

    next_out[0] = '\0';
    if (begins_ended)
        memmove(listing->room, listing->room + sizeof ended_prefix - 1,
                strlen(listing->room) - sizeof ended_prefix + 2);
    listing->after = mica_text(listing->room);
    if (listing->open && !begins_ended) {
        MICA_TRY(list_kind(listing, false, error));
        if (listing->more)
            (void)snprintf(next_out, sizeof listing->room, "%s", listing->room);
        listing->after = (struct mica_text){NULL, 0};
    }
    if (listing->ended && !listing->more && listing->left == 0) {
        bool has;
        MICA_TRY(has_ended(listing, error, &has));
        (void)snprintf(next_out, sizeof listing->room, "%s",
                       has ? ended_prefix : "");
    } else if (listing->ended && !listing->more) {
        MICA_TRY(list_kind(listing, true, error));
        if (listing->more)
            (void)snprintf(next_out, sizeof listing->room, "%s%s", ended_prefix,
                           listing->room);
    }
    return MICA_OK;
}

static enum mica_status
read_listing(const struct scope *scope, struct mica_error *error,
             struct listing *listing)
{
    const char *after = mica_options_value(scope->options, "after");
    bool all = mica_options_has(scope->options, "all");
    unsigned limit = 0;

    *listing = (struct listing){.scope = scope};
    listing->json = mica_cli_wants_json(scope->options);
    MICA_TRY(read_filter(scope, error, &listing->filter));
    listing->ended = listing->filter.state >= MICA_CALL_COMPLETED ||
                     (all && listing->filter.state == 0);
    listing->open = listing->filter.state < MICA_CALL_COMPLETED;
    MICA_TRY(mica_options_number(scope->options, "limit",
                                 listing->json ? 0 : PAGE, MOST, error,
                                 &limit));
    listing->left = limit > 0 ? limit : SIZE_MAX;
    if (after != NULL && strlen(after) >= sizeof listing->room)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--after takes the cursor of the page before, "
                              "not \"%.40s…\"",
                              after);
    if (after != NULL && !listing->ended &&
        strncmp(after, ended_prefix, sizeof ended_prefix - 1) == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--after names a call that has ended; list such "
                              "calls with --all or their --state");
    (void)snprintf(listing->room, sizeof listing->room, "%s",
                   after != NULL ? after : "");
    return MICA_OK;
}

static enum mica_status
calls_list(const struct scope *scope, struct mica_error *error)
{
    char next[MICA_STORE_CALL_CURSOR_SIZE + 8];
    struct listing listing;

    MICA_TRY(read_listing(scope, error, &listing));
    if (mica_options_has(scope->options, "count"))
        return tell_count(&listing, error);
    MICA_TRY(list_pages(&listing, error, next));
    if (listing.json)
        mica_cli_print(scope->cli, "]\n");
    if (next[0] != '\0')
        mica_cli_note(scope->cli, "The next page: --after %s\n", next);
    return MICA_OK;
}

// ---- show ------------------------------------------------------------------------

static void
calls_describe(const struct mica_kept_call *call,
               const struct mica_journal *journal, struct mica_buffer *text)
{
    mica_visible_format(text, "%.*s\n  tool     %.*s\n  state    %s (%s)\n",
                        MICA_ARG(call->id), MICA_ARG(call->target),
                        state_name(call->state), mode_name(call->mode));
    if (call->owner.subject.len > 0)
        mica_visible_format(text, "  of       %.*s\n",
                            MICA_ARG(call->owner.subject));
    mica_visible_format(text, "  created  ");
    add_time(text, call->created);
    mica_visible_format(text, "\n  changed  ");
    add_time(text, call->changed);
    mica_visible_format(text, "\n  expires  ");
    add_time(text, call->expires);
    mica_visible_format(text, "\n  with     %.*s\n", MICA_ARG(call->arguments));
    if (call->note.len > 0)
        mica_visible_format(text, "  says     %.*s\n", MICA_ARG(call->note));
    mica_buffer_char(text, '\n');
    mica_journal_describe(journal, text);
    if (call->reply.len > 0)
        mica_visible_format(text, "\nanswered %.*s\n", MICA_ARG(call->reply));
}

static void
show_json(const struct scope *scope, const struct mica_kept_call *call,
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
calls_show(const struct scope *scope, struct mica_error *error)
{
    struct mica_arena *arena = &scope->cli->arena;
    struct mica_text id = mica_text(scope->options->words[1]);
    bool json = mica_cli_wants_json(scope->options);
    struct mica_journal journal;
    struct mica_kept_call call;
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
        calls_describe(&call, &journal, &text);
    return print_text(scope->cli, &text, json, error);
}

// ---- expire ----------------------------------------------------------------------

// One that had ended is deleted, with its reply; an open one waits for a server.
static enum mica_status
is_deleted(const struct scope *scope, struct mica_text id,
           struct mica_error *error, bool *deleted_out)
{
    struct mica_kept_call call;
    enum mica_status status = mica_store_call_find(
        scope->store, id, NULL, scope->now, &scope->cli->arena, error, &call);

    *deleted_out = status == MICA_E_NOT_FOUND;
    return *deleted_out ? MICA_OK : status;
}

static enum mica_status
calls_expire(const struct scope *scope, struct mica_error *error)
{
    struct mica_text id = mica_text(scope->options->words[1]);
    bool deleted;

    MICA_TRY(mica_store_call_expire(scope->store, id, scope->now, error));
    MICA_TRY(is_deleted(scope, id, error, &deleted));
    if (!mica_cli_wants_json(scope->options)) {
        mica_cli_print(scope->cli, "%s\n",
                       deleted ? "The call had ended; it is deleted."
                               : "A server of this store that has the build of "
                                 "its tool ends it with TIMEOUT and runs its "
                                 "clean-ups. If no server has it, the call "
                                 "ends with BUILD_MISSING a minute later.");
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
    mica_json_name(&writer, "deleted");
    mica_json_boolean(&writer, deleted);
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
} acts[] = {{"list", 0, calls_list},
            {"show", 1, calls_show},
            {"expire", 1, calls_expire}};

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
calls_run(struct mica_cli *cli, const struct mica_options *options,
          struct mica_error *error)
{
    const struct act *act = find_act(options);
    struct scope scope = {
        .cli = cli, .options = options, .now = mica_platform_real.now_ms(NULL)};
    enum mica_status status;

    if (act == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "write mica calls, mica calls show ID or mica "
                              "calls expire ID");
    MICA_TRY(mica_identity_open(cli, options, true, error, &scope.store));
    status = act->run(&scope, error);
    mica_store_close(&scope.store);
    return status;
}

static const struct mica_option options[] = {
    {"store", MICA_OPTION_VALUE, "SPEC",
     "sqlite:PATH; without it the store of the project in this folder, and "
     "elsewhere $XDG_STATE_HOME/mica/mica.db"},
    MICA_PLACE_OPTIONS,
    {"all", MICA_OPTION_SWITCH, NULL,
     "list also calls that have ended and are kept so that a repeated "
     "request gets the same result"},
    {"tool", MICA_OPTION_VALUE, "NAME", "list calls of that tool alone"},
    {"state", MICA_OPTION_VALUE, "STATE",
     "list calls in that state: working, waiting, completed, failed or "
     "cancelled"},
    {"principal", MICA_OPTION_VALUE, "SUBJECT",
     "list calls of that subject of access tokens"},
    {"older", MICA_OPTION_VALUE, "AGE",
     "list calls that began at least so long ago: 90s, 15m, 2h, 7d"},
    {"newer", MICA_OPTION_VALUE, "AGE",
     "list calls that began at most so long ago"},
    {"limit", MICA_OPTION_VALUE, "N",
     "calls of one page, at most 1000 (default 50; as JSON all of them)"},
    {"after", MICA_OPTION_VALUE, "CURSOR",
     "begin behind that call: the page before says where, and each call has "
     "its \"cursor\" in JSON"},
    {"count", MICA_OPTION_SWITCH, NULL,
     "print how many there are, and no list"},
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_calls = {
    .name = "calls",
    .group = MICA_GROUP_SERVING,
    .summary = "List calls that wait, show or expire one",
    .usage =
        "[list [--tool NAME] [--state STATE] [--older AGE] […] | show ID | "
        "expire ID] [--store SPEC] [--json]",
    .example =
        "mica calls --tool book_flight --older 2h\n  mica calls show $ID",
    .more =
        "A call of an interactive tool waits in the store between two "
        "answers of its client. The list begins with how many there are, "
        "and shows the oldest; --after continues. `show` prints its journal: what was asked "
        "and answered, and which effects it has had. `expire` ends one "
        "before its time: a server of the store answers it with TIMEOUT "
        "and runs its clean-ups; one that has ended is deleted. All of it "
        "may be done while the store is served.",
    .words = "list|show|expire",
    .options = options,
    .settings = true,
    .run = calls_run};
