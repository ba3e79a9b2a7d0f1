// SPDX-License-Identifier: Apache-2.0
//
// One turn: a handler runs from its top with a journal, until it has ended or
// asks what has no answer yet. No transport, no protocol, no store: who
// runs a turn sends the asks in its own way and keeps the journal where it likes.
//
//     struct mica_turn turn = {.journal = &journal, .id = …, …};
//     mica_turn_run(&turn, &call, runnable, arguments);
//     turn.suspended: turn.asked is to be sent, the journal to be kept;
//     otherwise call.result is the end of the call.
//
// Invariants:
//  T1. Suspension is sticky: after the first ask without an answer, all that a
//      handler calls does nothing, and what it returns is ignored.
//  T2. What a handler reaches is compared with the journal: kind, key and, of an
//      ask, the hash of its form, of another tool that of its arguments. Another
//      ends the call with REPLAY_DIVERGED.
//  T3. What an effect can depend on is `commit`ted before it runs: answers, time,
//      chance, capabilities, which tools run and which builds. `before`, `after` and
//      steps are recorded, and committed, before anything that follows them runs.
//  T4. An event is told once in the life of a call: those that the journal counts
//      are not told again.
//  T5. Clean-ups run when the call has ended, and never at a suspension.
//  T6. The same journal, arguments and handler come to the same turn.
#ifndef MICA_CALL_TURN_H
#define MICA_CALL_TURN_H

#include <mica/server.h>

#include "base/platform.h"
#include "call/call.h"
#include "call/journal.h"

// What is asked.
enum mica_ask_kind {
    MICA_ASK_FORM = 1, // elicitation/create
    MICA_ASK_PAGE,     // the same with mode "url"
    MICA_ASK_SAMPLING, // sampling/createMessage
    MICA_ASK_ROOTS     // roots/list
};

// How the client's revision has its questions.
enum mica_ask_dialect {
    MICA_ASKS_2026_07_28, // and all that is newer
    MICA_ASKS_2025_11_25, // a page has an elicitationId
    MICA_ASKS_2025_06_18  // no lists, titles as enumNames, defaults of booleans
};

// An ask that waits for its answer. In the call's arena.
struct mica_asked {
    struct mica_asked *next;
    uint32_t number; // of its entry in the journal
    enum mica_ask_kind kind;
    struct mica_text key;    // unique in the life of the call
    struct mica_text params; // JSON object, of the method (mica_ask_method)
    int64_t due;
};

// A tool as another invokes it.
struct mica_tool_runnable {
    const struct mica_runnable *runnable;
    const char *const *steps; // declared, NULL-ended; NULL: none
    struct mica_text name;
    struct mica_text version; // of its build; may be empty
    uint32_t limit_ms;        // of each ask
    const void *owner;        // what its services belong to: mica_turn.owner
    // It cannot run, or is not there yet: that ends the turn. A handler that continued
    // without it would find it the next time, and diverge (T2).
    const struct mica_error *refused;
};

struct mica_turn {
    // Set by who runs it:
    struct mica_journal *journal;
    // Entries of it that are durable; what is behind them, as the answers that
    // this turn was begun for, is committed before an effect can depend on it.
    uint32_t durable;
    struct mica_text id; // of the call, the root of idempotency keys
    const struct mica_platform *platform;
    unsigned client; // what can be asked now: enum mica_client_capability
    enum mica_ask_dialect dialect;
    // Answers to questions that have not been asked yet, {key: result, …}: a
    // client may answer all at once (MRTR in one shot). NULL: none.
    const struct mica_json *answers;
    uint32_t limit_ms;            // of an ask that has none of its own
    const char *const *steps;     // declared; NULL: none
    const struct mica_tool *tool; // for messages; may be NULL
    // Makes the journal durable; NULL: it travels with the client, or is not
    // kept. A failure ends the turn as it says (T3).
    enum mica_status (*commit)(void *data, struct mica_error *error);
    // What a handler reaches: a service by its name, another tool by its name and,
    // when it was invoked before, the version that it had (else empty: the present
    // one). NULL or a result of NULL: it is not there.
    void *(*service)(void *data, const char *namez);
    const struct mica_tool_runnable *(*find)(void *data, struct mica_text tool,
                                             struct mica_text version);
    void *data; // of these three
    // While `service` runs: whose handler it is for; NULL: that of the call.
    const void *owner;
    // The call is over for its client: what every open and further ask comes to
    // (TIMEOUT, DISCONNECTED, CANCELLED). MICA_OK: it is not.
    enum mica_status ending;
    bool may_detach; // the call is no task yet, and may become one
    // Its client may come again with the same round: a turn that fails because
    // call->cancelled was set is given up, and the call is not (T5).
    bool repeats;

    // What it came to:
    bool suspended;
    bool detached; // suspended, to continue as a task
    struct mica_asked *asked, *asked_last;
    size_t asked_count;
    unsigned missing; // of a CAPABILITY_MISSING: enum mica_client_capability
    unsigned cleans;  // clean-ups that wait for the end of the call

    struct mica_turn_state *state; // of turn.c; NULL outside mica_turn_run
};

// Runs one turn on `arguments` (JSON text). Never fails otherwise than by
// call->result. Sets and clears call->turn.
void mica_turn_run(struct mica_turn *turn, struct mica_call *call,
                   const struct mica_runnable *runnable,
                   struct mica_text arguments);

// "elicitation/create", "sampling/createMessage" or "roots/list".
struct mica_text mica_ask_method(enum mica_ask_kind kind);

// The members of a result of sampling/createMessage in which `modelz` says `words`.
void mica_sampling_write_answer(struct mica_json_writer *writer,
                                struct mica_text words, const char *modelz);

// The capability that an ask of that kind needs.
enum mica_client_capability mica_ask_needs(enum mica_ask_kind kind);

// A runnable that runs the phases of a tool: its `data` is a struct mica_tool.
void mica_phases_run(const struct mica_runnable *self, struct mica_call *call,
                     struct mica_text arguments);

#endif
