// SPDX-License-Identifier: Apache-2.0
//
// A turn of a kept call that no request runs: an answer came in a session, its
// time has passed, or it is a task. What the request said that began it is in
// the call's context; the rest is as if it came again.
#include "server/calls/round.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

enum {
    CONTEXT_BYTES = 64 << 10
};

// ---- Context ---------------------------------------------------------------------

struct mica_text
mica_context_write(struct mica_message *message)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, message->arena,
                     CONTEXT_BYTES + message->request.uri.len * 6);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    mica_json_field(
        &writer, "wire",
        mica_text(mica_revision_features(message->context.revision)->version));
    mica_json_field(&writer, "method", message->request.method);
    mica_json_field(&writer, "name", message->request.name);
    mica_json_name(&writer, "client");
    mica_json_integer(&writer, (int64_t)message->context.client);
    if (message->request.id.len > 0) {
        mica_json_name(&writer, "id");
        mica_json_raw(&writer, message->request.id);
    }
    if (message->request.progress_token.len > 0) {
        mica_json_name(&writer, "progressToken");
        mica_json_raw(&writer, message->request.progress_token);
    }
    if (message->context.logs)
        mica_json_field(
            &writer, "logLevel",
            mica_text(mica_log_level_name(message->context.log_level)));
    if (message->request.uri.len > 0)
        mica_json_field(&writer, "uri", message->request.uri);
    if (message->context.principal != NULL)
        mica_json_field(&writer, "scopes", message->context.principal->scopes);
    if (message->context.speaks) {
        mica_json_name(&writer, "speaks");
        mica_json_boolean(&writer, true);
    }
    mica_json_close_object(&writer);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

// False when the context is none: of a newer mica, or damaged.
static bool
read_context(struct mica_message *message, struct mica_text text)
{
    struct mica_text level;
    struct mica_json *context =
        mica_arena_zero(message->arena, 1, sizeof *context);
    const struct mica_json *client;
    int64_t bits = 0;

    if (context == NULL ||
        mica_json_read(message->arena, text, NULL, NULL, context) != MICA_OK ||
        !mica_revision_find(mica_json_get_text(context, "wire"),
                            &message->context.revision))
        return false;
    message->request.method = mica_json_get_text(context, "method");
    message->request.name = mica_json_get_text(context, "name");
    message->request.uri = mica_json_get_text(context, "uri");
    client = mica_json_get(context, "client");
    if (client == NULL || !mica_integer_read(client->raw, &bits))
        return false;
    message->context.client = (unsigned)bits;
    if (mica_json_get(context, "id") != NULL)
        message->request.id = mica_json_get(context, "id")->raw;
    if (mica_json_get(context, "progressToken") != NULL)
        message->request.progress_token =
            mica_json_get(context, "progressToken")->raw;
    level = mica_json_get_text(context, "logLevel");
    message->context.logs =
        level.len > 0 &&
        mica_log_level_find(level, &message->context.log_level);
    message->context.scopes = mica_json_get_text(context, "scopes");
    message->context.speaks = mica_json_get(context, "speaks") != NULL;
    return true;
}

static bool
set_principal(struct mica_message *message, const struct mica_kept_call *kept)
{
    struct mica_principal *principal;

    if (kept->issuer.len == 0 && kept->subject.len == 0)
        return true;
    principal = mica_arena_zero(message->arena, 1, sizeof *principal);
    if (principal == NULL)
        return false;
    principal->issuer = kept->issuer;
    principal->subject = kept->subject;
    principal->scopes = message->context.scopes;
    message->context.principal = principal;
    return true;
}

// ---- Finding what runs -------------------------------------------------------------

// As it was when the call began: a tool that has changed is another one.
bool
mica_round_find_target(struct mica_message *message,
                       const struct mica_kept_call *kept)
{
    message->execution.target = mica_catalog_find(mica_message_catalog(message),
                                                  kept->offer, kept->target);
    if (message->execution.target != NULL &&
        mica_text_equal(mica_registry_version_of(&message->server->registry,
                                                 message->execution.target),
                        kept->version))
        return true;
    message->execution.target = NULL;
    if (kept->offer == MICA_OFFER_TOOL)
        message->execution.target =
            mica_message_build(message, kept->target, kept->version);
    return message->execution.target != NULL;
}

static void (*finisher(enum mica_offer offer))(struct mica_message *message)
{
    if (offer == MICA_OFFER_TOOL)
        return mica_finish_tool;
    return offer == MICA_OFFER_PROMPT ? mica_finish_prompt : mica_finish_read;
}

// ---- Going on ----------------------------------------------------------------------

static void
silent(struct mica_message *message, enum mica_status status)
{
    mica_reply_silent(message, 200);
    message->reply.error_code =
        status != MICA_OK ? mica_status_code(status) : NULL;
    message->reply.rpc_error =
        status != MICA_OK ? mica_status_json_rpc(status) : 0;
}

// The call cannot go on: that is how it ends, with the journal as it is.
static void
fail(struct mica_message *message, enum mica_status status, const char *what)
{
    struct mica_round *round = message->execution.round;

    mica_journal_init(&round->journal, message->arena);
    round->journal.bytes.len = 0;
    mica_buffer_text(&round->journal.bytes, round->kept.journal);
    mica_round_mark(round);
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(&message->execution.call, status, "", "%s", what);
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
    mica_round_finish(message);
}

// "<call>.<question>": the answer finds its way back by that alone.
static void
write_question_id(struct mica_text call, uint32_t number,
                  struct mica_json_writer *writer)
{
    char room[MICA_CALL_ID_SIZE + 16];
    struct mica_buffer id = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&id, "%.*s.%u", MICA_ARG(call), number);
    mica_json_string(writer, mica_buffer_as_text(&id));
}

// MCP: cancellation: nobody waits for that answer any more.
static void
take_back(struct mica_message *message, uint32_t number)
{
    const struct mica_round *round = message->execution.round;
    struct mica_json_writer writer;
    char room[512];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    mica_json_field(&writer, "method", MICA_LITERAL("notifications/cancelled"));
    mica_json_name(&writer, "params");
    mica_json_open_object(&writer);
    mica_json_name(&writer, "requestId");
    write_question_id(round->kept.id, number, &writer);
    mica_json_field(&writer, "reason",
                    mica_text(mica_status_meaning(round->turn.ending)));
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    if (!text.overflow)
        message->reply.emit(message, mica_buffer_as_text(&text));
}

// Of a session, when its open asks have come to something else than an answer.
static void
take_all_back(struct mica_message *message)
{
    const struct mica_round *round = message->execution.round;
    uint32_t number;

    if (round->turn.ending == MICA_OK || message->reply.emit == NULL ||
        round->kept.way != MICA_CALL_SESSION)
        return;
    for (uint32_t i = 0; mica_journal_open_ask(&round->journal, i, &number);
         i = number + 1)
        take_back(message, number);
}

static enum mica_status
read_journal(struct mica_message *message, struct mica_error *error)
{
    struct mica_round *round = message->execution.round;

    MICA_TRY(mica_journal_read(&round->journal, message->arena,
                               round->kept.journal, error));
    mica_round_mark(round);
    return MICA_OK;
}

static enum mica_status
take_answer(struct mica_round *round, const struct mica_answered *why,
            struct mica_error *error)
{
    struct mica_entry entry = {.kind = MICA_ENTRY_ANSWER, .ask = why->ask};

    // After the call's time has passed an answer is too late to be read.
    if (why->answer == NULL || round->turn.ending != MICA_OK)
        return MICA_OK;
    // Answered before, or never asked: nothing is lost by leaving it out.
    if (why->ask >= round->journal.count ||
        round->journal.entries[why->ask].kind != MICA_ENTRY_ASK ||
        round->journal.entries[why->ask].answer != 0)
        return MICA_OK;
    entry.scope = round->journal.entries[why->ask].scope;
    entry.status = why->is_error ? MICA_E_CLIENT : MICA_OK;
    entry.data = why->answer->raw;
    return mica_journal_add(&round->journal, &entry, error);
}

// An answer to the question of another session is none.
static bool
is_his(const struct mica_message *message, const struct mica_answered *why)
{
    return why->answer == NULL ||
           mica_text_equal(message->execution.round->kept.session,
                           message->context.session_key);
}

static void
recorded(struct mica_message *message)
{
    if (message->execution.recorded != NULL)
        message->execution.recorded(message);
}

// A call of rounds waits for its client. One that was given out before it waited
// must not be held when that comes. (A task is woken by a part of its answers.)
static bool
only_waits(const struct mica_round *round, const struct mica_answered *why)
{
    return why->answer == NULL && why->ending == MICA_OK &&
           round->turn.ending == MICA_OK &&
           round->kept.way == MICA_CALL_ROUNDS &&
           round->kept.state == MICA_CALL_WAITING;
}

static bool
take(struct mica_message *message, const struct mica_answered *why)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status =
        calls->take(calls->data, why->call, message->arena, &error,
                    &round->kept, &round->turn.ending);
    bool taken = status == MICA_OK && !mica_call_has_ended(&round->kept);

    if (taken && (!is_his(message, why) || only_waits(round, why))) {
        calls->release(calls->data, &round->kept);
        taken = false;
    }
    if (!taken)
        silent(message, status == MICA_OK ? MICA_E_NOT_FOUND : status);
    if (!taken && (status == MICA_OK || status == MICA_E_NOT_FOUND))
        recorded(message);
    if (why->ending != MICA_OK)
        round->turn.ending = why->ending;
    message->execution.ending = round->turn.ending;
    if (round->turn.ending == MICA_E_CANCELLED)
        atomic_store(&message->execution.cancelled, true);
    round->resumes = taken;
    if (taken)
        mica_execution_claim(round);
    mica_execution_move(&message->execution, taken ? MICA_EXECUTION_CLAIMED
                                                   : MICA_EXECUTION_RELEASED);
    return taken;
}

// In a session nobody asks again: once it has all answers, or those of one of several
// tools, it works, and is found should this process die before it asks anew.
static void
go_on(struct mica_round *round)
{
    uint32_t open;

    if (round->kept.way != MICA_CALL_SESSION)
        return;
    round->kept.due = mica_journal_due(&round->journal);
    if (!mica_journal_open_ask(&round->journal, 0, &open))
        round->kept.asks = none;
    if (round->kept.asks.len == 0 || round->journal.scope_count > 1)
        round->kept.state = MICA_CALL_WORKING;
}

// Before anything is done with it, so that what was acknowledged is not asked again
// (R5). One that is too large stays so: the call ends with that. False: it could not
// be kept now.
static bool
keep_answer(struct mica_message *message, const struct mica_answered *why)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (why->answer == NULL)
        return true;
    if (round->journal.count > round->known) {
        status = mica_round_commit(message, none, false, &error);
        if (status != MICA_OK && status != MICA_E_LIMIT) {
            round->lost = error;
            mica_round_leave(message);
            return false;
        }
    }
    if (status == MICA_OK) {
        mica_round_mark(round);
        recorded(message);
    }
    return true;
}

// Somebody else has claimed the call meanwhile and goes on, or the store failed:
// what this turn has done is dropped (C1), and said to be tried again.
static void
drop_if_lost(struct mica_message *message)
{
    const struct mica_error *lost = &message->execution.round->lost;

    if (lost->status != MICA_OK)
        silent(message, lost->status == MICA_E_CALL_BUSY ||
                                lost->status == MICA_E_STRANDED
                            ? lost->status
                            : MICA_E_BUSY);
}

static void
take_turn(struct mica_message *message, const struct mica_answered *why)
{
    take_all_back(message);
    go_on(message->execution.round);
    if (!keep_answer(message, why))
        return;
    message->execution.runnable = &message->execution.target->runnable;
    mica_message_prepare(message, 0);
    mica_round_run(message);
    mica_round_finish(message);
}

static void
end_stranded(struct mica_message *message)
{
    mica_round_strand(message);
    mica_round_finish(message);
}

// C6: the build went between the claim and here.
static void
leave_to_others(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    (void)mica_error_set(&round->lost, MICA_E_STRANDED, "",
                         "the tool is not here in the build of the call");
    mica_round_leave(message);
}

void
mica_message_resume(struct mica_message *message,
                    const struct mica_answered *why)
{
    struct mica_round *round =
        mica_arena_zero(message->arena, 1, sizeof *round);
    struct mica_error error = {.message = ""};
    bool readable;

    message->execution.round = round;
    if (round == NULL) {
        silent(message, MICA_E_LIMIT);
        return;
    }
    if (!take(message, why))
        return;
    mica_journal_init(&round->journal, message->arena);
    message->execution.arguments = round->kept.arguments;
    message->execution.finish = finisher(round->kept.offer);
    readable = read_context(message, round->kept.context) &&
               set_principal(message, &round->kept);
    if (message->execution.taken != NULL) // others may look at it from here on
        message->execution.taken(message);
    if (!readable)
        fail(message, MICA_E_INTERNAL, "the context of the call is unreadable");
    else if (read_journal(message, &error) != MICA_OK)
        fail(message,
             error.status == MICA_E_STATE ? MICA_E_STATE : MICA_E_INTERNAL,
             error.message);
    else if (mica_round_has_crashed(message))
        mica_round_finish(message);
    else if (round->turn.ending == MICA_E_STRANDED)
        end_stranded(message);
    else if (!mica_round_find_target(message, &round->kept))
        leave_to_others(message);
    else if (take_answer(round, why, &error) != MICA_OK)
        fail(message, MICA_E_INTERNAL, error.message);
    else
        take_turn(message, why);
    drop_if_lost(message);
    if (round->lost.status == MICA_OK)
        recorded(message);
}

const struct mica_kept_call *
mica_message_kept(const struct mica_message *message)
{
    return message->execution.round != NULL &&
                   mica_execution_is_kept(message->execution.round)
               ? &message->execution.round->kept
               : NULL;
}

// ---- Questions of a session ----------------------------------------------------------

static struct mica_text
write_question(struct mica_text call, uint32_t number, struct mica_text method,
               struct mica_text params, struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, arena, params.len + CONTEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    mica_json_name(&writer, "id");
    write_question_id(call, number, &writer);
    mica_json_field(&writer, "method", method);
    mica_json_name(&writer, "params");
    mica_json_raw(&writer, params);
    mica_json_close_object(&writer);
    return text.overflow ? none : mica_buffer_as_text(&text);
}

struct mica_text
mica_message_question(struct mica_message *message, size_t index)
{
    const struct mica_round *round = message->execution.round;
    const struct mica_asked *asked = round->turn.asked;

    // Those that were asked before have been sent before.
    while (asked != NULL && (asked->number < round->known || index > 0)) {
        index -= asked->number >= round->known;
        asked = asked->next;
    }
    if (asked == NULL)
        return none;
    return write_question(round->kept.id, asked->number,
                          mica_ask_method(asked->kind), asked->params,
                          message->arena);
}

// The open ask of that index; false behind the last.
static bool
open_ask(const struct mica_journal *journal, size_t index, uint32_t *number_out)
{
    uint32_t from = 0;

    while (mica_journal_open_ask(journal, from, number_out)) {
        if (index-- == 0)
            return true;
        from = *number_out + 1;
    }
    return false;
}

struct mica_text
mica_kept_question(const struct mica_kept_call *kept, size_t index,
                   struct mica_arena *arena)
{
    struct mica_journal journal;
    struct mica_json asks;
    uint32_t number;

    mica_journal_init(&journal, arena);
    memset(&asks, 0, sizeof asks);
    if (mica_journal_read(&journal, arena, kept->journal, NULL) != MICA_OK ||
        mica_json_read(arena, kept->asks, NULL, NULL, &asks) != MICA_OK ||
        !open_ask(&journal, index, &number))
        return none;
    for (size_t i = 0; i < asks.count; i++) {
        const struct mica_json *ask = &asks.members[i].value;
        if (mica_text_equal(asks.members[i].name, journal.entries[number].key))
            return write_question(kept->id, number,
                                  mica_json_get_text(ask, "method"),
                                  mica_json_get(ask, "params")->raw, arena);
    }
    return none;
}

// ---- What is known of a kept call -------------------------------------------------------

struct mica_text
mica_kept_request(const struct mica_kept_call *kept, struct mica_arena *arena)
{
    const struct mica_json *id = NULL;
    struct mica_json context;

    memset(&context, 0, sizeof context);
    if (mica_json_read(arena, kept->context, NULL, NULL, &context) == MICA_OK)
        id = mica_json_get(&context, "id");
    return id != NULL ? id->raw : none;
}

struct mica_text
mica_kept_reply(const struct mica_kept_call *kept, struct mica_arena *arena)
{
    struct mica_text id = mica_kept_request(kept, arena);
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, arena, kept->reply.len + CONTEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    if (id.len > 0) {
        mica_json_name(&writer, "id");
        mica_json_raw(&writer, id);
    }
    mica_json_raw(&writer, kept->reply);
    mica_json_close_object(&writer);
    return text.overflow ? none : mica_buffer_as_text(&text);
}
