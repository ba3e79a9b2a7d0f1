// SPDX-License-Identifier: Apache-2.0
//
// Requests whose handler may ask: one turn of a call for each round that its
// client makes (MCP: multi round-trip requests), or for each answer that a client
// of a session gives. Not for other folders, but for what server.h declares.
//
// A call is carried, its journal sealed into requestState, or stored, with a
// sealed reference there (design D4). It is stored when its tool has phases or
// steps, when its client gave an idempotency key, when the journal outgrows what
// a client should carry, and always in a session.
#ifndef MICA_SERVER_CALLS_ROUND_H
#define MICA_SERVER_CALLS_ROUND_H

#include "call/journal.h"
#include "call/turn.h"
#include "server/calls/call_store.h"
#include "server/message.h"

enum {
    MICA_CARRIED_BYTES = 32 << 10, // of a journal that travels with its client
    MICA_KEEP_MS = 24 * 60 * 60 * 1000,
    MICA_LIMIT_MS = 10 * 60 * 1000,
    // After the limits of its questions have passed, the state of a carried call
    // still opens for so long; its handler then runs with MICA_E_TIMEOUT.
    MICA_LATE_MS = 24 * 60 * 60 * 1000,
    MICA_IDEMPOTENCY_BYTES = 256,
    MICA_NOTE_BYTES = 512,
    MICA_NOTE_MS = 1000 // a task writes down what it is doing, at most so often
};

// What is sealed in requestState.
struct mica_state {
    bool stored;
    struct mica_text id; // of the call
    uint32_t round;
    int64_t created, expires;
    struct mica_text version; // of the tool that it began with
    struct mica_text journal; // when it is carried
};

// A sealed text. Errors: those of the sealer, MICA_E_LIMIT.
enum mica_status mica_state_seal(struct mica_message *message,
                                 const struct mica_state *state,
                                 struct mica_error *error,
                                 struct mica_text *text_out) MICA_MUST_USE;

// Errors: MICA_E_STATE (not made by us for this request of this caller, or sealed
// with a key that is gone; which of these is not said), MICA_E_EXPIRED (made for
// this request, and too old), those of the store behind the sealer.
enum mica_status mica_state_open(struct mica_message *message,
                                 struct mica_text text,
                                 struct mica_error *error,
                                 struct mica_state *state_out) MICA_MUST_USE;

// Where the journal of a call is.
enum mica_persistence {
    MICA_PERSISTENCE_CARRIED, // with its client, sealed; or not kept yet
    MICA_PERSISTENCE_STORED,  // in the store; this execution has no claim on it
    MICA_PERSISTENCE_CLAIMED  // in the store, claimed by this execution (C1)
};

// How what a turn ends with reaches the client.
enum mica_delivery {
    MICA_DELIVERY_RESPONSE, // it answers the request that runs the turn
    MICA_DELIVERY_STREAM,   // on a stream of its session
    MICA_DELIVERY_ASKED_FOR // its client asks how the call is, or comes again
};

struct mica_round {
    enum mica_persistence persistence;
    struct mica_turn turn;
    struct mica_journal journal;
    unsigned was; // enum mica_call_state, as the store has it; 0: not kept
    struct mica_kept_call
        kept; // id, round, created, …; whole when it is claimed
    char id[MICA_CALL_ID_SIZE];
    bool has_state;           // a requestState came
    bool resumes;             // no request of a client runs it (resume_call.c)
    bool speechless;          // the model provider has failed in this turn
    struct mica_error lost;   // why the turn could not be kept; MICA_OK: it was
    uint32_t asked;           // round of the questions in the reply
    uint32_t known;           // entries that the journal began with
    size_t known_bytes;       // and its bytes
    struct mica_text given;   // requestState that came
    struct mica_text carried; // journal out of it
    struct mica_text answers; // inputResponses, canonical; may be empty
    struct mica_text idempotency_key;
    char note[MICA_NOTE_BYTES];      // of a task: what it is doing
    struct mica_buffer progress_log; // of a task, once it tells something
    int64_t noted; // when that was written last in this turn, or 0
    struct mica_turn_events turn_events;
};

// Where a turn that has just been run leads to: ASKED, ENDED or LOST.
enum mica_execution_state
mica_execution_turn_state(const struct mica_round *round);

// The call of *round is claimed, with the state that round->kept has.
static inline void
mica_execution_claim(struct mica_round *round)
{
    round->persistence = MICA_PERSISTENCE_CLAIMED;
    round->was = round->kept.state;
}

static inline bool
mica_execution_is_claimed(const struct mica_round *round)
{
    return round->persistence == MICA_PERSISTENCE_CLAIMED;
}

static inline bool
mica_execution_is_kept(const struct mica_round *round)
{
    return round->persistence != MICA_PERSISTENCE_CARRIED;
}

static inline enum mica_delivery
mica_execution_delivery(const struct mica_round *round)
{
    if (round->kept.mode == MICA_CALL_TASK)
        return MICA_DELIVERY_ASKED_FOR;
    if (!round->resumes)
        return MICA_DELIVERY_RESPONSE;
    return round->kept.mode == MICA_CALL_SESSION ? MICA_DELIVERY_STREAM
                                                 : MICA_DELIVERY_ASKED_FOR;
}

// A new id of a call.
void mica_call_id_make(const struct mica_platform *platform,
                       char id_out[MICA_CALL_ID_SIZE]);

// The next step is to run message->execution.target on `arguments`; `finish` writes the
// reply from message->execution.call. Where the handler may ask and the client can be
// asked, message->execution.round is made, and requestState and inputResponses are read.
void mica_message_run(struct mica_message *message, struct mica_text arguments,
                      void (*finish)(struct mica_message *message));

// The journal is now as it is kept: what comes is of this turn.
void mica_round_mark(struct mica_round *round);

// Runs one turn, in place of the runnable alone. On a worker.
void mica_round_run(struct mica_message *message);

// Runs the handler once, from its top.
void mica_round_run_turn(struct mica_message *message);

// Answers what the turn asks of a model, when the server speaks for it
// (round_speak.c). True: something was answered, and the turn is to be run again.
bool mica_round_speak(struct mica_message *message);

// The turn has ended: the reply of the request, and what is kept.
void mica_round_finish(struct mica_message *message);

// ---- What the parts of a round share (round_*.c) ---------------------------------

int64_t mica_round_now(const struct mica_message *message);
bool mica_round_is_stateless(const struct mica_message *message);

// An error reply; always false.
bool mica_round_refuse(struct mica_message *message, enum mica_status status,
                       const struct mica_error *error);

// The same, and there is no turn.
bool mica_round_answer_error(struct mica_message *message,
                             enum mica_status status,
                             const struct mica_error *error);

// Keeps the call of message->execution.round, claimed. Errors: those of mica_calls.create.
enum mica_status mica_round_create(struct mica_message *message,
                                   struct mica_error *error) MICA_MUST_USE;

// The same for one that asks on a stream that is kept, and waits: call, questions and
// what they are on the stream in one transaction. Should it fail, nothing is kept, and
// the call is as before. Errors: any; what they mean mica_round_create says.
enum mica_status mica_round_begin_asking(struct mica_message *message,
                                         struct mica_text asks,
                                         struct mica_error *error)
    MICA_MUST_USE;

// Writes a claimed call as it is now. Errors: those of mica_calls.commit.
enum mica_status mica_round_commit(struct mica_message *message,
                                   struct mica_text round_reply, bool release,
                                   struct mica_error *error) MICA_MUST_USE;

// Gives a claim back, if there is one.
void mica_round_release(struct mica_message *message);

// The same, and no turn will be run.
void mica_round_leave(struct mica_message *message);

// Finds or makes the call. False: a reply is ready, or message->execution.call has failed;
// there is no turn.
bool mica_round_begin(struct mica_message *message);

// C5: has the claimed call, whose journal has been read, ended its process as often
// as it may? Then message->execution.call has failed.
bool mica_round_has_crashed(struct mica_message *message);

// C6: the claimed call, whose journal has been read, ends: message->execution.call has failed
// and says which build was missing, and what is not cleaned up.
void mica_round_strand(struct mica_message *message);

// May the call of this request be a task? And its reply when it is.
bool mica_round_may_be_task(const struct mica_message *message);
void mica_round_answer_task(struct mica_message *message);

// Replies with InputRequiredResult (stateless revision).
void mica_round_reply_asks(struct mica_message *message, struct mica_text asks,
                           uint32_t next_round);

// {key: {"method":…,"params":…}, …}, all that the turn waits for.
void mica_round_write_asks(const struct mica_round *round,
                           struct mica_json_writer *writer);

// mica_message_prepare for a turn: what a task says of itself is kept for its client.
void mica_round_prepare(struct mica_message *message, uint32_t budget_ms);

// What a later turn needs of the request, and that read into another message; false: it
// is of a newer mica, or damaged.
struct mica_text mica_context_write(struct mica_message *message);
bool mica_context_read(struct mica_message *message, struct mica_text text);

// Of a session, when its open asks have come to something else than an answer: tells its
// client that they are cancelled.
void mica_questions_take_back(struct mica_message *message);

// What a kept call runs: its tool as it was then, which message->older may hold.
// False when it is not there any more.
bool mica_round_find_target(struct mica_message *message,
                            const struct mica_kept_call *kept);

#endif
