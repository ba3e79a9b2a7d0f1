// SPDX-License-Identifier: Apache-2.0
//
// One turn: a handler runs from its top, with the journal of its call, until it has ended
// or asks a question that has no answer yet. No transport, no protocol, no store: the
// caller of mica_turn_run sends the questions and stores the journal.
//
//     struct mica_turn turn = {.journal = &journal, .id = …, …};
//     mica_turn_run(&turn, &call, runnable, arguments);
//     turn.suspended: send turn.asked and store the journal;
//     otherwise call.result is the end of the call.
//
// Invariants:
//  TURN-1. Suspension is sticky: after the first ask without an answer all mica functions
//          that the handler calls do nothing, and mica ignores the handler's result.
//  TURN-2. On replay each operation of the handler must match the next journal entry:
//          kind and key; of an ask the hash of its form; of another tool the hash of its
//          arguments. A mismatch ends the call with REPLAY_DIVERGED.
//  TURN-3. Before an effect runs, mica commits everything that it can depend on: answers,
//          times, random numbers, capabilities, and which tools in which builds run. Mica
//          records and commits the phases `before` and `after` (MICA_HANDOFF) and steps
//          before anything after them runs.
//  TURN-4. A notice (a progress or log message) is sent once in the life of a call: mica
//          does not send the notices again that the journal counts.
//  TURN-5. Clean-ups run when the call has ended, and never at a suspension.
//  TURN-6. The same journal, arguments and handler produce the same turn.
#ifndef MICA_CALL_TURN_H
#define MICA_CALL_TURN_H

#include <mica/server.h>

#include "base/platform.h"
#include "call/call.h"
#include "call/journal.h"

// The kinds of questions. Journals contain these numbers.
enum mica_ask_kind {
    MICA_ASK_FORM = 1, // elicitation/create
    MICA_ASK_PAGE,     // the same with mode "url"
    MICA_ASK_SAMPLING, // sampling/createMessage
    MICA_ASK_ROOTS,    // roots/list
    MICA_ASK_MODEL     // the server answers it: call/model_ask.h
};

// Whose database a tool keeps things in, and the statements that make its tables.
struct mica_keep_place {
    const char *name;          // of the database: "tool.book", "shared.orders"
    const char *const *tables; // NULL-ended, or NULL
};

// A view that a form may name.
struct mica_form_view {
    const char *name;      // NULL: the end of a list
    struct mica_text meta; // members of _meta that name it in a question
};

// Who shows the forms of a tool that have a view.
enum mica_form_display {
    MICA_FORM_BY_CLIENT, // the client, as all others
    MICA_FORM_BY_VIEW    // the view, so a question names it
};

// How long a question waits for its answer, if neither its tool nor the ask says.
enum {
    MICA_ASK_LIMIT_MS = 10 * 60 * 1000
};

// The form of questions in the client's revision.
enum mica_ask_dialect {
    MICA_ASKS_2026_07_28, // and newer revisions
    MICA_ASKS_2025_11_25, // a page has an elicitationId
    MICA_ASKS_2025_06_18  // no lists, titles as enumNames, defaults of booleans
};

// A question that waits for its answer. In the call's arena.
struct mica_asked {
    struct mica_asked *next;
    uint32_t number; // of its entry in the journal
    enum mica_ask_kind kind;
    struct mica_text key;    // unique in the life of the call
    struct mica_text params; // JSON object, of the method (mica_ask_method)
    int64_t due;             // when it times out
};

// A tool that another tool invokes.
struct mica_tool_runnable {
    const struct mica_runnable *runnable;
    const char *const *steps;                // declared, NULL-ended; NULL: none
    const char *const *fetches;              // origins, the same
    const struct mica_keep_place *keeps;     // NULL: it keeps nothing
    const struct mica_form_view *form_views; // as in mica_turn
    struct mica_text name;
    struct mica_text version; // of its build; may be empty
    uint32_t limit_ms;        // for the answer to each ask
    const void *owner;        // of its services: mica_turn.owner
    // Why it cannot run now, or NULL. The error ends the turn: a handler that continued
    // without the tool would find it in the next turn, and diverge (TURN-2).
    const struct mica_error *refused;
};

// Does a client wait for the turn? Not if the scheduler continues a call of rounds whose
// client has left, or whose process has died.
enum mica_attendance {
    MICA_ATTENDED,
    MICA_UNATTENDED
};

struct mica_turn {
    // Set by the caller:
    struct mica_journal *journal;
    // The number of entries that are committed. The turn commits the others (such as the
    // answers for which it runs) before an effect can depend on them.
    uint32_t durable;
    struct mica_text id; // of the call; idempotency keys begin with it
    const struct mica_platform *platform;
    unsigned capabilities; // of the client: enum mica_client_capability
    enum mica_ask_dialect dialect;
    // Answers to questions that the handler has not asked yet, {key: result, …}: a client
    // may answer all at once (MRTR in one shot). NULL: none.
    const struct mica_json *answers;
    uint32_t limit_ms;          // for the answer to an ask without a limit
    const char *const *steps;   // declared; NULL: none
    const char *const *fetches; // origins; NULL: none
    const struct mica_keep_place *keeps; // NULL: it keeps nothing
    // Those of its forms; NULL: the forms of its build have no member for a view.
    const struct mica_form_view *form_views;
    enum mica_form_display form_display;
    uint32_t keep_ms; // from its begin until the call expires; 0: a day
    const struct mica_tool *tool; // for messages; may be NULL
    // Commits the journal to the store. NULL: the client carries the journal, or no one
    // stores it. A failure ends the turn with its error (TURN-3).
    enum mica_status (*commit)(void *data, struct mica_error *error);
    // Find a service by its name, and another tool by its name and version (empty: the
    // present version; otherwise the recorded one). They may be NULL, and return NULL if
    // there is no such service or tool.
    void *(*service)(void *data, const char *namez);
    const struct mica_tool_runnable *(*find)(void *data, struct mica_text tool,
                                             struct mica_text version);
    void *data; // for these three functions
    // While `service` runs: the owner of the handler; NULL: of the call's own tool.
    const void *owner;
    // The client does not answer any more: the status of every open and further ask
    // (TIMEOUT, DISCONNECTED, CANCELLED). MICA_OK: the client may answer.
    enum mica_status ending;
    bool may_detach; // the call is no task yet, and may become one
    // The client may send the same round again. If a turn fails because call->cancelled
    // was set, it is suspended instead: the call does not end, and no clean-up runs
    // (TURN-5).
    bool may_repeat;
    enum mica_attendance attendance;

    // Set by the handler, if it counts the tokens of providers: tells what each question
    // has cost, of answers and of failures, once, by the owner of the message. NULL: they
    // are not counted.
    void (*on_tokens)(void *data, int64_t tokens);
    // Set likewise: the client has left a round that it may send again, and nothing of the
    // call waits until then.
    void (*on_left)(void *data);
    void *meter_data; // for these two functions

    // Set by the turn:
    bool suspended;
    bool detached; // suspended, to continue as a task
    struct mica_asked *asked, *asked_last;
    size_t asked_count;
    unsigned missing; // after CAPABILITY_MISSING: enum mica_client_capability
    unsigned cleans;  // clean-ups that wait for the end of the call

    struct mica_turn_state *state; // of turn.c; NULL outside mica_turn_run
};

// Runs one turn on `arguments` (JSON text), and reports failures in call->result alone.
// Sets and clears call->turn.
void mica_turn_run(struct mica_turn *turn, struct mica_call *call,
                   const struct mica_runnable *runnable,
                   struct mica_text arguments);

// "elicitation/create", "sampling/createMessage" or "roots/list"; of a model "mica/model",
// which is never sent.
struct mica_text mica_ask_method(enum mica_ask_kind kind);

// Writes the members of a result of sampling/createMessage: the text `words` of the model
// `modelz`.
void mica_sampling_write_answer(struct mica_json_writer *writer,
                                struct mica_text words, const char *modelz);

// The capability (enum mica_client_capability) that an ask of that kind needs; 0: none.
unsigned mica_ask_needs(enum mica_ask_kind kind);

// `run` of a runnable that runs the phases of a tool: its `data` is a struct mica_tool.
void mica_phases_run(const struct mica_runnable *self, struct mica_call *call,
                     struct mica_text arguments);

#endif
