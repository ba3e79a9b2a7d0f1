// SPDX-License-Identifier: Apache-2.0
//
// See local_call.h. The thread of the command waits while the model thread works; what a
// provider answers becomes an entry of the journal, as on a server.
#include "call/turn.h"
#include "cli/local_call.h"
#include "serve/stop.h"

enum {
    ANSWER_BYTES = 8 << 20, // of one answer, as JSON
    MOST_ERRANDS = 16       // of one turn; further ones wait for the next
};

struct local_errand {
    atomic_ullong *signals; // of all errands; an outcome adds one
    uint32_t number;        // of the question in the journal
    enum mica_status status;
    int64_t tokens;
    struct mica_buffer answer; // JSON, on the heap
};

// On any thread.
static void
errand_outcome(void *data, const struct mica_model_outcome *outcome)
{
    struct local_errand *errand = data;
    struct mica_json_writer writer;

    errand->status = outcome->status;
    errand->tokens = outcome->tokens;
    if (outcome->status == MICA_OK) {
        mica_buffer_text(&errand->answer, outcome->answer);
    } else {
        mica_json_writer_init(&writer, &errand->answer);
        mica_json_stringz(&writer, outcome->message);
    }
    if (errand->answer.overflow) {
        errand->status = MICA_E_LIMIT;
        errand->answer.len = 0;
    }
    atomic_fetch_add(errand->signals, 1);
}

static void
errand_begin(struct mica_server *server, const struct mica_turn *turn,
             const struct mica_asked *asked, struct local_errand *errand)
{
    const struct mica_model_provider *provider = server->model_provider;
    int64_t left_ms = asked->due - turn->platform->now_ms(turn->platform->data);
    struct mica_model_outcome failed = {.status = MICA_E_NOT_FOUND,
                                        .message =
                                            "no provider of models is there"};
    struct mica_error error;
    const struct mica_model_errand begun = {
        .is_sampling = asked->kind == MICA_ASK_SAMPLING,
        .params = asked->params,
        .limit_ms = left_ms > UINT32_MAX ? UINT32_MAX
                    : left_ms > 1        ? (uint32_t)left_ms
                                         : 1,
        .cancelled = mica_stop_flag(),
        .on_outcome = errand_outcome,
        .data = errand};

    errand->number = asked->number;
    if (!mica_server_asks_models(server)) {
        errand_outcome(errand, &failed);
    } else if (provider->begin(provider->errands, &begun, &error) != MICA_OK) {
        failed.status = error.status;
        failed.message = error.message;
        errand_outcome(errand, &failed);
    }
}

// Returns when `count` errands have their outcomes.
static void
errands_wait(const struct mica_server *server, atomic_ullong *signals,
             size_t count)
{
    const struct mica_model_provider *provider = server->model_provider;
    unsigned long long done = 0;

    for (;;) {
        done += atomic_exchange(signals, 0);
        if (done >= count)
            return;
        provider->wait(provider->errands, signals);
    }
}

static bool
is_for_provider(const struct mica_server *server,
                const struct mica_asked *asked, unsigned declared)
{
    return asked->kind == MICA_ASK_MODEL || (asked->kind == MICA_ASK_SAMPLING &&
                                             (declared & MICA_SAMPLING) == 0 &&
                                             mica_server_provides(server) != 0);
}

static enum mica_status
errand_take(struct mica_turn *turn, struct local_errand *errand,
            struct mica_error *error)
{
    struct mica_entry entry = {.kind = MICA_ENTRY_ANSWER,
                               .scope =
                                   turn->journal->entries[errand->number].scope,
                               .number = errand->number,
                               .status = errand->status,
                               .data = mica_buffer_as_text(&errand->answer)};

    return mica_journal_add(turn->journal, &entry, error);
}

enum mica_status
mica_local_models_answer(struct mica_server *server, struct mica_turn *turn,
                         unsigned declared, struct mica_error *error)
{
    struct local_errand errands[MOST_ERRANDS];
    enum mica_status status = MICA_OK;
    atomic_ullong signals;
    size_t count = 0;

    atomic_init(&signals, 0);
    for (const struct mica_asked *asked = turn->asked;
         asked != NULL && count < MOST_ERRANDS; asked = asked->next) {
        if (!is_for_provider(server, asked, declared))
            continue;
        errands[count] = (struct local_errand){.signals = &signals};
        mica_buffer_init(&errands[count].answer, NULL, ANSWER_BYTES);
        errand_begin(server, turn, asked, &errands[count++]);
    }
    errands_wait(server, &signals, count);
    for (size_t i = 0; i < count; i++) {
        if (turn->on_tokens != NULL && errands[i].tokens > 0)
            turn->on_tokens(turn->meter_data, errands[i].tokens);
        if (status == MICA_OK)
            status = errand_take(turn, &errands[i], error);
        mica_buffer_fini(&errands[i].answer);
    }
    if (mica_stop_count() > 0)
        turn->ending = MICA_E_CANCELLED;
    return status;
}
