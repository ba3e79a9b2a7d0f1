// SPDX-License-Identifier: Apache-2.0
//
// A resumable call: its handler may ask. Such a call runs in turns: one for each round of
// its client (MCP: multi round-trip requests), or one for each answer of a client in a
// session. Only this folder uses these functions; other folders use server.h.
//
// A call is carried or stored. The client carries it: requestState contains its sealed
// journal. Or the store has it, and requestState contains a sealed reference. A call is
// stored
//
//   from its beginning   if its tool has phases or steps, fetches or keeps, if it is a
//                        task, or if its client gave an idempotency key
//   from the invocation  of another tool of that kind
//   from its first       if it came over REST, belongs to a session, has registered a
//   question on          clean-up, has a journal longer than MICA_CARRIED_BYTES, or is one
//                        of an app with a budget
//   from mica_detach on
#ifndef MICA_SERVER_CALLS_RESUMABLE_H
#define MICA_SERVER_CALLS_RESUMABLE_H

#include "call/journal.h"
#include "call/turn.h"
#include "server/calls/calls_interface.h"
#include "server/message.h"

enum {
    MICA_CARRIED_BYTES = 32 << 10, // longest journal in requestState
    // Of a tool without .keep_s: how long its call is stored, from its beginning.
    MICA_KEEP_MS = 24 * 60 * 60 * 1000,
    // The state of a carried call opens for so long after its questions have timed
    // out; the handler then runs with MICA_E_TIMEOUT.
    MICA_STATE_GRACE_MS = 24 * 60 * 60 * 1000,
    MICA_IDEMPOTENCY_BYTES = 256,
    MICA_NOTE_BYTES = 512,
    MICA_NOTE_MS = 1000 // least time between commits of the note of a task
};

// What is sealed in requestState.
struct mica_state {
    bool stored;         // the call is in the store, which has its journal
    struct mica_text id; // of the call
    uint32_t round;
    int64_t created, expires;
    struct mica_text version; // of the tool, as the call began
    struct mica_text journal; // of a carried call
};

// Seals *state. Errors: those of the sealer, MICA_E_LIMIT.
enum mica_status mica_state_seal(struct mica_message *message,
                                 const struct mica_state *state,
                                 struct mica_error *error,
                                 struct mica_text *text_out) MICA_MUST_USE;

// Opens a sealed state. Errors: MICA_E_STATE (this server did not seal it for this
// request of this caller, or its key is gone; the error does not tell which),
// MICA_E_EXPIRED (sealed for this request, and too old), those of the sealer's store.
enum mica_status mica_state_open(struct mica_message *message,
                                 struct mica_text text,
                                 struct mica_error *error,
                                 struct mica_state *state_out) MICA_MUST_USE;

// Where the journal of a call is.
enum mica_persistence {
    MICA_PERSISTENCE_CARRIED, // with its client, sealed; or not written yet
    MICA_PERSISTENCE_STORED,  // in the store; this execution has no claim on it
    MICA_PERSISTENCE_CLAIMED // in the store, claimed by this execution (CALL-1)
};

// What follows once the call of a request is found or made.
enum mica_resumable_next {
    MICA_RESUMABLE_RUN, // a turn runs
    // No turn: a reply is ready, or message->execution.call has failed.
    MICA_RESUMABLE_REPLIED
};

// A resumable call, as one execution has it.
struct mica_resumable {
    enum mica_persistence persistence;
    struct mica_turn turn;
    struct mica_journal journal;
    // As in the store; 0: not there. kept.state is what the next commit writes.
    enum mica_call_state stored_state;
    // id, round and created are always set, and version if the request has a state; the
    // rest once the call is claimed or created.
    struct mica_kept_call kept;
    char id[MICA_CALL_ID_SIZE];
    bool has_state; // the request continues a call (requestState, or REST)
    bool
        is_joined; // an earlier request with the idempotency key began the call
    bool has_no_request; // no request of a client runs the turn (resume_call.c)
    bool provider_failed; // the model provider has failed in this turn
    // Why the turn could not be committed; its status MICA_OK: no commit has failed.
    struct mica_error commit_error;
    uint32_t questions_round;  // the round that the reply's questions belong to
    uint32_t entries_at_start; // entries of the journal as the turn began
    size_t bytes_at_start;     // bytes of the journal as the turn began
    struct mica_text carried;  // the journal in requestState
    struct mica_text answers;  // inputResponses, canonical; may be empty
    struct mica_text idempotency_key;
    char note[MICA_NOTE_BYTES];      // of a task: what it is doing
    struct mica_buffer progress_log; // of a task, from its first notice on
    int64_t note_committed;          // time of the last commit of `note`, or 0
    struct mica_turn_events turn_events;
};

// The state of an execution whose turn has just run: ASKED, ENDED or LOST.
enum mica_execution_state
mica_execution_turn_state(const struct mica_resumable *resumable);

// Notes that this execution has claimed the call, which was read into resumable->kept.
static inline void
mica_execution_claim(struct mica_resumable *resumable)
{
    resumable->persistence = MICA_PERSISTENCE_CLAIMED;
    resumable->stored_state = resumable->kept.state;
}

static inline bool
mica_execution_is_claimed(const struct mica_resumable *resumable)
{
    return resumable->persistence == MICA_PERSISTENCE_CLAIMED;
}

static inline bool
mica_execution_is_stored(const struct mica_resumable *resumable)
{
    return resumable->persistence != MICA_PERSISTENCE_CARRIED;
}

// Does the client get the outcome of the turn, its questions or its result, only when it
// requests the state of the call? Otherwise the outcome is the response to the request
// that runs the turn, or an event of the call's stream in its session.
static inline bool
mica_execution_is_polled(const struct mica_resumable *resumable)
{
    return resumable->kept.mode == MICA_CALL_TASK ||
           (resumable->has_no_request &&
            resumable->kept.mode != MICA_CALL_SESSION);
}

// Makes running message->execution.target on `arguments` the next step; `finish` writes
// the reply from message->execution.call. If the handler may ask and the client can
// answer, makes message->execution.resumable, and reads requestState and inputResponses.
void mica_message_prepare_run(struct mica_message *message,
                              struct mica_text arguments,
                              void (*finish)(struct mica_message *message));

// The same for a tool, if the limits of its caller admit a call that begins here.
void mica_message_run_tool(struct mica_message *message,
                           struct mica_text arguments);

// Notes the end of the journal as it is carried or stored: later entries are new in this
// turn.
void mica_resumable_mark_start(struct mica_resumable *resumable);

// Runs the handler as one turn (instead of calling its runnable). On a worker. Returns false
// if the message waits for a model, without a thread: the caller must not touch it.
bool mica_resumable_run(struct mica_message *message);

// The same for a message that waits for a model and was woken.
bool mica_resumable_continue(struct mica_message *message);

// Runs the handler once, from its beginning.
void mica_resumable_run_turn(struct mica_message *message);

// What follows the questions of a turn to the server's model provider.
enum mica_model_turn {
    MICA_MODEL_TURN_NONE,  // it answers none: the questions are the client's
    MICA_MODEL_TURN_AGAIN, // it has answered: the turn runs again
    MICA_MODEL_TURN_PARKED // it will; the caller must not touch the message
};

// Lets the server's model provider answer questions of the turn (resumable_provider.c);
// and hears what it has answered, once the message was woken.
enum mica_model_turn mica_resumable_ask_provider(struct mica_message *message);
enum mica_model_turn mica_resumable_hear_provider(struct mica_message *message);

// The end of a turn that no request runs, after mica_resumable_finish: tells those that
// wait for the answer to be recorded, and what the turn queue has to know (resume_call.c).
void mica_resumable_report(struct mica_message *message);

// Commits the outcome of the turn and writes the reply (resumable_finish.c).
void mica_resumable_finish(struct mica_message *message);

// Makes the result of message->execution.call the reply and, if the call is claimed,
// commits it as the end of the call (resumable_end.c).
void mica_resumable_end_call(struct mica_message *message);

// Replies that the turn could not be committed: resumable->commit_error says why. The call
// has not ended. Releases the claim.
void mica_resumable_reply_uncommitted(struct mica_message *message);

// A commit of the outcome has failed: an error replaces the reply, which is not sent yet.
void mica_resumable_fail_commit(struct mica_message *message,
                                const struct mica_error *error);

// Commits the questions of the turn and sends them or makes them the reply. If that fails,
// the handler runs to its end, and the reply is the error (resumable_suspend.c).
void mica_resumable_suspend(struct mica_message *message);

// Turns a call of rounds into a task with the same journal, and replies with the task.
void mica_resumable_detach(struct mica_message *message);

// Runs the handler once more with MICA_E_CANCELLED, so that it can clean up.
void mica_resumable_run_to_end(struct mica_message *message);

// ---- Shared by the files of resumable calls ---------------------------------------

int64_t mica_resumable_now(const struct mica_message *message);
bool mica_resumable_is_stateless(const struct mica_message *message);

// Writes an error reply. Returns false.
bool mica_resumable_refuse(struct mica_message *message,
                           enum mica_status status,
                           const struct mica_error *error);

// Writes an error reply; no turn runs. Returns MICA_RESUMABLE_REPLIED.
enum mica_resumable_next
mica_resumable_reply_error(struct mica_message *message,
                           enum mica_status status,
                           const struct mica_error *error);

// Stores the call of message->execution.resumable and claims it. Errors: MICA_E_USAGE (the
// server has no store of calls), those of mica_calls.create.
enum mica_status mica_resumable_create(struct mica_message *message,
                                       struct mica_error *error) MICA_MUST_USE;

// Stores a call of a session that waits for answers. One transaction writes the call, its
// questions `asks`, and the events of the stream that send them. If it fails, the store
// and the call are as before. Errors: MICA_E_USAGE (the transport stores no events), those
// of mica_resumable_create.
enum mica_status mica_resumable_begin_asking(struct mica_message *message,
                                             struct mica_text asks,
                                             struct mica_error *error)
    MICA_MUST_USE;

// Commits the claimed call as it is now; with `release` also gives up the claim. Errors:
// those of mica_calls.commit.
enum mica_status mica_resumable_commit(struct mica_message *message,
                                       struct mica_text round_reply,
                                       bool release, struct mica_error *error)
    MICA_MUST_USE;

// Releases the claim, if there is one.
void mica_resumable_release(struct mica_message *message);

// Releases the claim, if there is one, and ends the execution without a turn.
void mica_resumable_release_unrun(struct mica_message *message);

// Finds or makes the call of the request.
enum mica_resumable_next mica_resumable_begin(struct mica_message *message);

// CALL-5: has the claimed call crashed MICA_CALL_MOST_LOST_CLAIMS processes? Then it ends:
// message->execution.call fails. After its journal was read.
bool mica_resumable_has_crashed(struct mica_message *message);

// CALL-6: ends the claimed call: message->execution.call fails, and tells which build was
// missing and which clean-ups do not run. After its journal was read.
void mica_resumable_end_stranded(struct mica_message *message);

// May the call of this request be a task?
bool mica_resumable_may_be_task(const struct mica_message *message);

// Is the call of this request stored before its handler runs for the first time?
bool mica_resumable_begins_stored(const struct mica_message *message);

// Releases the claim, replies that the call is a task, and wakes it.
void mica_resumable_reply_task(struct mica_message *message);

// Replies with InputRequiredResult (stateless revision). `asks` is an object as
// mica_resumable_write_questions writes it.
void mica_resumable_reply_questions(struct mica_message *message,
                                    struct mica_text asks, uint32_t next_round);

// Writes all questions that the turn waits for: {key: {"method":…,"params":…}, …}.
void mica_resumable_write_questions(const struct mica_resumable *resumable,
                                    struct mica_json_writer *writer);

// mica_message_prepare for a turn. The store records progress and log messages of a task.
void mica_resumable_prepare(struct mica_message *message, uint32_t budget_ms);

// Writes what a later turn needs of the request, as JSON; empty: too long.
struct mica_text mica_context_write(struct mica_message *message);

// Reads that into the message of a later turn. Returns false if a newer mica has written
// the text, or if it is damaged.
bool mica_context_read(struct mica_message *message, struct mica_text text);

// Tells the client of a session that its open questions are cancelled, if the turn ends
// them without an answer.
void mica_resumable_cancel_questions(struct mica_message *message);

// Finds the definition that a stored call runs, in the build that the call began with;
// message->execution.definition_refs may have it. Returns false if this server does not
// have it.
bool mica_resumable_find_target(struct mica_message *message,
                                const struct mica_kept_call *kept);

#endif
