// SPDX-License-Identifier: Apache-2.0
//
// /api/calls/{id}: a call that waits for its client, or continues by itself. GET says
// how it is, POST has the answers to its questions, DELETE gives it up. The
// caller that began it may do so with its id.
#include "rest/request.h"
#include "server/calls/progress_log.h"

static void
reply_state(struct mica_message *message, unsigned status,
            const struct mica_kept_call *kept)
{
    struct mica_json_writer writer;

    mica_rest_open(message, status, &writer);
    mica_rest_write_call(message, kept, kept->round, &writer);
    mica_rest_close(message);
}

// As it is now, after something was done with it: 202 while it continues.
static void
reply_progress(struct mica_message *message, const struct mica_kept_call *kept)
{
    mica_rest_locate(message, kept->id);
    reply_state(message, mica_call_has_ended(kept) ? 200 : 202, kept);
}

static void
reply_now(struct mica_message *message, struct mica_text id)
{
    struct mica_kept_call kept;

    if (mica_message_find_call(message, id, &kept))
        reply_progress(message, &kept);
}

// ---- Answers --------------------------------------------------------------------

// A number that the query may have, once, and else is left as it is. The address
// that the answers go to, ?round=N, may be read, too.
static bool
take_number(struct mica_message *message, const char *namez, const char *what,
            int64_t most, int64_t *number)
{
    struct mica_query query;
    struct mica_error error;
    size_t count = 0;
    bool fits = true;
    enum mica_status status = mica_query_read(
        message->arena, message->request.http->query, &error, &query);

    if (status != MICA_OK) {
        mica_rest_refuse(message, status == MICA_E_LIMIT ? 414 : 400, status,
                         "", "%s", error.message);
        return false;
    }
    for (size_t i = 0; i < query.count && fits; i++) {
        const struct mica_pair *pair = &query.pairs[i];
        if (mica_text_is(pair->name, namez))
            fits = count++ == 0 && mica_integer_read(pair->value, number) &&
                   *number >= 0 && *number <= most;
        else
            fits = mica_text_is(pair->name, "round");
    }
    if (fits)
        return true;
    mica_rest_refuse(message, 422, MICA_E_UNKNOWN, "",
                     "The query may have %s=N alone: the number %s", namez,
                     what);
    return false;
}

// ?round=N: the questions that are answered; without it those that are open.
static bool
take_round(struct mica_message *message, uint32_t *round)
{
    int64_t number = *round;

    if (!take_number(message, "round", "that came with the questions",
                     UINT32_MAX, &number))
        return false;
    *round = (uint32_t)number;
    return true;
}

static bool
read_body(struct mica_message *message, struct mica_json *body)
{
    struct mica_json_limits limits = {
        .bytes = message->server->options.message_bytes};
    struct mica_error error;
    enum mica_status status = mica_json_read(
        message->arena, message->request.http->body, &limits, &error, body);

    if (status == MICA_OK && body->kind != MICA_JSON_OBJECT)
        status = mica_error_set(&error, MICA_E_TYPE, "",
                                "The body must be an object: an answer by the "
                                "key of its question");
    if (status != MICA_OK)
        mica_rest_fail(message, &error);
    return status == MICA_OK;
}

// A view may know of calls of the tools that it may call, and of no others.
static bool
kept_is_visible(struct mica_message *message, const struct mica_kept_call *kept)
{
    const struct mica_definition *tool;

    if (message->relayer == NULL)
        return true;
    tool = mica_catalog_find(mica_message_offered(message),
                             MICA_DEFINITION_TOOL, kept->target);
    if (tool != NULL)
        return mica_rest_may_call(message, tool);
    mica_rest_refuse(message, 404, MICA_E_NOT_FOUND, "",
                     "The tool of that call is not offered any more");
    return false;
}

// Asks the store, so it is done `later`, as is what follows.
static bool
kept_find(struct mica_message *message, struct mica_kept_call *kept_out)
{
    return mica_message_find_call(message, mica_rest_of(message)->call,
                                  kept_out) &&
           kept_is_visible(message, kept_out);
}

static void
kept_answer(struct mica_message *message)
{
    struct mica_json *body = mica_arena_zero(message->arena, 1, sizeof *body);
    const struct mica_json *answers;
    struct mica_kept_call kept;
    uint32_t round;

    if (body == NULL) {
        mica_message_refuse(message, MICA_E_LIMIT, "No memory");
        return;
    }
    if (!kept_find(message, &kept))
        return;
    round = kept.round;
    message->request.method = MICA_LITERAL("tools/call");
    message->reply.known = true;
    if (!take_round(message, &round) || !read_body(message, body) ||
        !mica_rest_answers(message, &kept, body, &answers))
        return;
    message->step = MICA_STEP_SILENT;
    mica_message_continue(message, &kept, round, answers);
    if (message->step == MICA_STEP_SILENT) // a task
        reply_now(message, kept.id);
}

// ?after=N: of the log, what comes behind that message.
static void
kept_tell(struct mica_message *message)
{
    struct mica_kept_call kept;

    if (take_number(message, "after", "of the last message that is known",
                    INT64_MAX, &mica_rest_of(message)->after) &&
        kept_find(message, &kept))
        reply_state(message, 200, &kept);
}

static void
give_up(struct mica_message *message)
{
    struct mica_kept_call kept;

    if (!kept_find(message, &kept) ||
        !mica_message_cancel_call(message, &kept) ||
        !mica_message_find_call(message, kept.id, &kept))
        return;
    // It waits for no answer any more: the turn that runs its clean-ups is next.
    if (!mica_call_has_ended(&kept))
        kept.asks.len = 0;
    reply_progress(message, &kept);
}

void
mica_rest_call(struct mica_message *message, struct mica_text id)
{
    struct mica_rest *rest = mica_rest_of(message);

    if (mica_text_is(rest->method, "POST")) {
        message->execution.deferred = kept_answer;
    } else if (rest->reads) {
        message->execution.deferred = kept_tell;
    } else if (mica_text_is(rest->method, "DELETE")) {
        message->execution.deferred = give_up;
    } else {
        mica_rest_only(message, "GET, HEAD, POST, DELETE, OPTIONS",
                       "GET says how the call is, POST answers its questions, "
                       "DELETE gives it up");
        return;
    }
    rest->call = id;
    message->step = MICA_STEP_WORK;
}
