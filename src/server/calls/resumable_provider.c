// SPDX-License-Identifier: Apache-2.0
//
// Questions that the server's model provider answers in place of the client, within the
// turn that asks:
//
//     of handlers inside mica (call/model_ask.h)      always; no client sees them
//     samplings of clients that have no model         if the provider samples
//     samplings of surfaces beside MCP, as REST       if there is a provider; its failures
//                                                     are questions for the client
//
//  PROVIDED-1. A question to a model never leaves the server: it has the prompt of an
//              app, and the names of provider and model. A turn that still asks one, as
//              no answer fits into the journal of the call, is not suspended for the
//              client: the call ends.
//
// While the provider works no thread waits (parked.h), and the call stays claimed if it is
// stored: should this process die, another one runs the turn again and asks again.
#include "server/calls/parked.h"

enum {
    WORDS_BYTES = 8 << 20 // of the words of one answer, escaped
};

// ---- Whose questions ----------------------------------------------------------------

static bool
falls_to_client(const struct mica_message *message)
{
    return message->context.uses_provider;
}

// Does the provider's `begin` answer samplings for this client?
static bool
samples_for(const struct mica_message *message)
{
    const struct mica_model_provider *provider =
        message->server->model_provider;
    unsigned declared = message->context.capabilities & MICA_SAMPLING;

    if (!provider->samples || provider->begin == NULL)
        return false;
    return falls_to_client(message)
               ? !message->execution.resumable->provider_failed
               : declared == 0;
}

static bool
is_provided(const struct mica_message *message, const struct mica_asked *asked)
{
    const struct mica_model_provider *provider =
        message->server->model_provider;

    if (asked->kind == MICA_ASK_MODEL)
        return true;
    return asked->kind == MICA_ASK_SAMPLING && provider != NULL &&
           samples_for(message);
}

unsigned
mica_server_provides(const struct mica_server *server)
{
    return mica_server_asks_models(server) && server->model_provider->samples
               ? MICA_SAMPLING
               : 0;
}

// ---- A command, which blocks --------------------------------------------------------

static enum mica_status
write_words(struct mica_message *message, struct mica_text words,
            struct mica_error *error, struct mica_text *answer_out)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, message->arena, WORDS_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_sampling_write_answer(&writer, words, "command");
    mica_json_close_object(&writer);
    if (text.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the words need more memory than a call has");
    *answer_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

static enum mica_status
provider_add_answer(struct mica_message *message, uint32_t number,
                    enum mica_status status, struct mica_text data,
                    struct mica_error *error)
{
    struct mica_journal *journal = &message->execution.resumable->journal;
    struct mica_entry entry = {.kind = MICA_ENTRY_ANSWER,
                               .scope = journal->entries[number].scope,
                               .number = number,
                               .status = status,
                               .data = data};

    return mica_journal_add(journal, &entry, error);
}

static enum mica_status
generate_answer(struct mica_message *message, const struct mica_asked *asked,
                struct mica_error *error)
{
    const struct mica_model_provider *provider =
        message->server->model_provider;
    struct mica_text words, answer;

    MICA_TRY(provider->generate(provider->data, asked->params,
                                &message->execution.cancelled, message->arena,
                                error, &words));
    MICA_TRY(write_words(message, words, error, &answer));
    return provider_add_answer(message, asked->number, MICA_OK, answer, error);
}

// Returns true if the command has answered a question.
static bool
ask_command(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error; // the provider has told the operator
    bool any = false;

    if (!falls_to_client(message) || message->server->model_provider == NULL ||
        message->server->model_provider->generate == NULL)
        return false;
    for (const struct mica_asked *asked = resumable->turn.asked;
         asked != NULL && !resumable->provider_failed; asked = asked->next) {
        if (asked->kind != MICA_ASK_SAMPLING)
            continue;
        resumable->provider_failed =
            generate_answer(message, asked, &error) != MICA_OK;
        any = any || !resumable->provider_failed;
    }
    return any;
}

// ---- Errands, which do not ----------------------------------------------------------

static void
errand_percent(void *data, unsigned percent)
{
    mica_parked_percent(data, percent);
}

static void
errand_outcome(void *data, const struct mica_model_outcome *outcome)
{
    mica_parked_outcome(data, outcome);
}

// How far progress goes is in the params of a question to a model.
static void
read_progress(struct mica_message *message, const struct mica_asked *asked,
              struct mica_parked_errand *errand)
{
    struct mica_json params;
    const struct mica_json *from, *to;

    if (asked->kind != MICA_ASK_MODEL ||
        mica_json_read(message->arena, asked->params, NULL, NULL, &params) !=
            MICA_OK)
        return;
    from = mica_json_get(&params, "from");
    to = mica_json_get(&params, "to");
    if (from != NULL && to != NULL &&
        (!mica_number_read(from->text, &errand->progress_from) ||
         !mica_number_read(to->text, &errand->progress_to)))
        errand->progress_from = errand->progress_to = 0;
}

static void
errand_begin(struct mica_message *message, const struct mica_asked *asked,
             struct mica_parked_errand *errand)
{
    const struct mica_model_provider *provider =
        message->server->model_provider;
    int64_t left_ms = asked->due - mica_resumable_now(message);
    struct mica_error error;
    struct mica_model_errand begun = {
        .is_sampling = asked->kind == MICA_ASK_SAMPLING,
        .params = asked->params,
        .limit_ms = left_ms > UINT32_MAX ? UINT32_MAX
                    : left_ms > 1        ? (uint32_t)left_ms
                                         : 1,
        .cancelled = &message->execution.cancelled,
        .on_percent = errand_percent,
        .on_outcome = errand_outcome,
        .data = errand};

    errand->number = asked->number;
    errand->kind = asked->kind;
    read_progress(message, asked, errand);
    if (!mica_server_asks_models(message->server)) {
        (void)mica_error_set(&error, MICA_E_NOT_FOUND, "",
                             "this server calls no language model: its "
                             "operator has named no provider");
        mica_parked_fail(errand, &error);
    } else if (provider->begin(provider->errands, &begun, &error) != MICA_OK) {
        mica_parked_fail(errand, &error);
    }
}

static uint32_t
count_provided(const struct mica_message *message)
{
    uint32_t count = 0;

    for (const struct mica_asked *asked =
             message->execution.resumable->turn.asked;
         asked != NULL; asked = asked->next)
        count += is_provided(message, asked);
    return count;
}

// Before anything can end the call: what has been spent counts, even if the client is gone,
// or the journal takes no answer.
static void
count_tokens(struct mica_message *message)
{
    const struct mica_parked *parked = message->execution.parked;
    const struct mica_turn *turn = &message->execution.resumable->turn;

    for (uint32_t i = 0; i < parked->count; i++)
        if (turn->on_tokens != NULL && parked->errands[i].tokens > 0)
            turn->on_tokens(turn->meter_data, parked->errands[i].tokens);
}

// Puts the outcomes into the journal. A failure of a sampling that the client can answer is
// left to it. Returns true if an answer was added.
static bool
take_outcomes(struct mica_message *message)
{
    struct mica_parked *parked = message->execution.parked;
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    bool any = false;

    for (uint32_t i = 0; i < parked->count; i++) {
        struct mica_parked_errand *errand = &parked->errands[i];
        bool leave = errand->status != MICA_OK && falls_to_client(message) &&
                     errand->kind == MICA_ASK_SAMPLING;
        enum mica_status status = MICA_OK;
        resumable->provider_failed = resumable->provider_failed || leave;
        if (!leave)
            status = provider_add_answer(
                message, errand->number, errand->status,
                mica_buffer_as_text(&errand->answer), &error);
        // An answer that is too large for a journal: the handler gets that error.
        if (status != MICA_OK)
            status = provider_add_answer(message, errand->number, status,
                                         (struct mica_text){NULL, 0}, &error);
        any = any || (!leave && status == MICA_OK);
        mica_buffer_fini(&errand->answer);
    }
    message->execution.parked = NULL;
    return any;
}

enum mica_model_turn
mica_resumable_ask_provider(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    const struct mica_asked *asked;
    struct mica_parked *parked;
    uint32_t count, at = 0;

    if (!resumable->turn.suspended || resumable->turn.detached)
        return MICA_MODEL_TURN_NONE;
    if (ask_command(message))
        return MICA_MODEL_TURN_AGAIN;
    count = count_provided(message);
    parked = count > 0 ? mica_parked_make(message, count) : NULL;
    if (parked == NULL)
        return MICA_MODEL_TURN_NONE;
    message->execution.parked = parked;
    for (asked = resumable->turn.asked; asked != NULL; asked = asked->next)
        if (is_provided(message, asked))
            errand_begin(message, asked, &parked->errands[at++]);
    return mica_resumable_hear_provider(message);
}

enum mica_model_turn
mica_resumable_hear_provider(struct mica_message *message)
{
    if (!mica_parked_settle(message->execution.parked))
        return MICA_MODEL_TURN_PARKED;
    count_tokens(message);
    // A client that has left gets no answer, and its call ends as one that asks a client.
    if (take_outcomes(message) && !mica_message_is_cancelled(message))
        return MICA_MODEL_TURN_AGAIN;
    return MICA_MODEL_TURN_NONE;
}
