// SPDX-License-Identifier: Apache-2.0
//
// See parked.h.
#include "server/calls/parked.h"

enum {
    ANSWER_BYTES = 8 << 20, // of one answer, escaped
    SENTENCE_BYTES = 4096   // of the reason of a failure, escaped
};

static const unsigned long long one_outcome = 1ULL << 32;

static uint32_t
signals_of(unsigned long long word)
{
    return (uint32_t)word;
}

struct mica_parked *
mica_parked_make(struct mica_message *message, uint32_t count)
{
    struct mica_parked *parked = mica_arena_zero(
        message->arena, 1, sizeof *parked + count * sizeof parked->errands[0]);

    if (parked == NULL)
        return NULL;
    parked->message = message;
    parked->wake = message->execution.wake;
    parked->count = count;
    atomic_init(&parked->signals, 1); // of the owner
    for (uint32_t i = 0; i < count; i++) {
        parked->errands[i].parked = parked;
        mica_buffer_init(&parked->errands[i].answer, NULL, ANSWER_BYTES);
    }
    return parked;
}

// ---- Errands ---------------------------------------------------------------------

// Nothing of the message may be touched after this, unless it was without an owner.
static void
signal_add(struct mica_parked *parked, unsigned long long amount)
{
    struct mica_message *message = parked->message;
    void (*wake)(struct mica_message * message) = parked->wake;

    if (signals_of(atomic_fetch_add(&parked->signals, amount)) == 0 &&
        wake != NULL)
        wake(message);
}

void
mica_parked_progress(struct mica_parked_errand *errand, unsigned progress)
{
    atomic_store(&errand->progress, progress);
    signal_add(errand->parked, 1);
}

// A sentence as JSON text; nothing if there is no memory for it.
static void
write_sentence(struct mica_parked_errand *errand, const char *messagez)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, SENTENCE_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_stringz(&writer, messagez);
    if (!text.overflow)
        mica_buffer_text(&errand->answer, mica_buffer_as_text(&text));
    mica_buffer_fini(&text);
}

static void
errand_set(struct mica_parked_errand *errand, enum mica_status status,
           struct mica_text answer, const char *messagez)
{
    errand->status = status;
    if (status == MICA_OK)
        mica_buffer_text(&errand->answer, answer);
    else
        write_sentence(errand, messagez);
    if (!errand->answer.overflow)
        return;
    errand->status = MICA_E_LIMIT;
    errand->answer.len = 0;
}

void
mica_parked_outcome(struct mica_parked_errand *errand,
                    const struct mica_model_outcome *outcome)
{
    errand_set(errand, outcome->status, outcome->answer, outcome->message);
    errand->tokens = outcome->tokens;
    signal_add(errand->parked, one_outcome + 1);
}

void
mica_parked_fail(struct mica_parked_errand *errand,
                 const struct mica_error *error)
{
    errand_set(errand, error->status, (struct mica_text){NULL, 0},
               error->message);
    atomic_fetch_add(&errand->parked->signals, one_outcome);
}

// ---- The owner -------------------------------------------------------------------

static void
send_progress(struct mica_parked *parked)
{
    for (uint32_t i = 0; i < parked->count; i++) {
        struct mica_parked_errand *errand = &parked->errands[i];
        unsigned progress = atomic_load(&errand->progress);
        struct mica_notice notice = {.kind = MICA_NOTICE_PROGRESS,
                                     .total = 100};
        if (progress <= errand->sent)
            continue;
        errand->sent = progress;
        // One division, so that it is written with six digits behind the point at most.
        notice.progress =
            (errand->progress_from * MICA_ERRAND_ALL +
             (errand->progress_to - errand->progress_from) * progress) /
            MICA_ERRAND_ALL;
        mica_message_send_notice(parked->message, &notice);
    }
}

bool
mica_parked_settle(struct mica_parked *parked)
{
    const struct mica_model_provider *provider =
        parked->message->server->model_provider;
    unsigned long long seen, before;

    for (;;) {
        seen = atomic_load(&parked->signals);
        send_progress(parked);
        if (seen / one_outcome == parked->count)
            return true;
        before = atomic_fetch_sub(&parked->signals, signals_of(seen));
        if (signals_of(before) != signals_of(seen))
            continue; // more has happened meanwhile
        if (parked->wake != NULL)
            return false;
        provider->wait(provider->errands, &parked->signals);
    }
}
