// SPDX-License-Identifier: Apache-2.0
//
// Inside a turn: where in the journal the handler is, and what every function of
// <mica/tool.h> begins and ends with. A frame is what a handler, a phase, a step,
// a clean-up or another tool runs in; the newest is the one that runs.
#ifndef MICA_CALL_TURN_STATE_H
#define MICA_CALL_TURN_STATE_H

#include "call/turn.h"

// The functions of <mica/tool.h> themselves, not its macros.
#ifndef MICA_TOOL_PLAIN
#    define MICA_TOOL_PLAIN
#endif
#include <mica/tool.h>

// How often a name was used in a frame.
struct mica_name_count {
    struct mica_name_count *next;
    struct mica_text name;
    unsigned count;
};

// A clean-up that waits for the end; the newest first.
struct mica_clean {
    struct mica_clean *next;
    struct mica_text key, effect;
    mica_cleaner *function;
    const void *data;
};

struct mica_frame {
    struct mica_frame *outer;
    struct mica_call *call;
    struct mica_text path; // of its keys: "", or ends with '/'
    struct mica_text name; // of the tool, for messages
    uint32_t scope, cursor;
    bool has_scope; // that of a body is opened when something is recorded in it
    bool body;      // a phase, step or clean-up: no asks
    bool suspended;
    struct mica_name_count *asks;    // names of its asks
    struct mica_name_count *effects; // of phases, steps, clean-ups and tools
    const char *const *steps;        // declared
    uint32_t limit_ms;
    const struct mica_tool *tool; // whose phases run
    const void *owner;            // whose services it has
    struct mica_text effect;      // idempotency key of a body
    enum mica_status over;        // what further asks come to
    uint32_t events, recorded;    // that it has sent; of these, in the journal
    uint32_t times, randoms;      // that a body has drawn
    struct mica_clean *cleans;
};

struct mica_turn_state {
    struct mica_frame *frame; // the one that runs
    struct mica_frame *root;
    // Ends the turn, whatever handlers say. `lost`: what has happened could not
    // be made durable, so nothing more may happen.
    struct mica_error fault;
    bool lost;
    uint32_t committed; // entries
    int64_t notified;   // in the journal
};

// ---- One handler (turn.c) -----------------------------------------------------

// Runs a runnable in `frame`, with its clean-ups when it has ended.
void mica_frame_run(struct mica_turn *turn, struct mica_frame *frame,
                    const struct mica_runnable *runnable,
                    struct mica_text arguments);

// ---- Inside a turn (turn_inside.c) --------------------------------------------

// Has the turn end with `error`.
enum mica_status mica_turn_fault(struct mica_call *call,
                                 const struct mica_error *error);

// The status that a function must return at once: the turn has been suspended or
// has ended, or the call has no turn (`call->error` says so). MICA_OK: continue.
enum mica_status mica_turn_enter(struct mica_call *call);

// As above for what ends the call when there is no turn.
bool mica_turn_here(struct mica_call *call);

// Fills call->error as one that the handler is given.
enum mica_status mica_turn_give(struct mica_call *call, enum mica_status status,
                                const char *formatz, ...) MICA_PRINTF(3, 4);

// The frame is suspended from here on (T1).
enum mica_status mica_turn_suspend(struct mica_call *call);

// Ends the call with call->error and leaves its handler.
_Noreturn void mica_turn_leave(struct mica_call *call, enum mica_status status,
                               const char *formatz, ...) MICA_PRINTF(3, 4);

// Runs the clean-ups of a frame that has ended (turn_clean.c).
void mica_frame_clean(struct mica_turn *turn, struct mica_frame *frame);

// ---- The journal (turn_record.c) ----------------------------------------------

// "name", or "name#2" the second time, with the frame's path before it.
struct mica_text mica_frame_key(struct mica_frame *frame,
                                struct mica_name_count **names,
                                struct mica_text name);

// The next entry that the handler came by when it was here before; false when it
// is here for the first time.
bool mica_frame_next(const struct mica_turn *turn, struct mica_frame *frame,
                     uint32_t *number_out);

// Takes the next entry if it is `now`: of the same kind, key and, of an ask, hash
// and what is asked (T2). False when the handler is here for the first time;
// another entry is a fault, *number_out is then UINT32_MAX. A body that was cut
// off may go another way when it runs again, as what it looks at is not recorded:
// it takes what it has drawn and its steps in any order.
bool mica_frame_take(struct mica_call *call, const struct mica_entry *now,
                     uint32_t *number_out);

// Adds an entry in the scope of the frame, or has the turn end.
enum mica_status mica_frame_add(struct mica_call *call,
                                struct mica_entry *entry);

// Opens the scope of a frame, and of those around it.
enum mica_status mica_frame_open(struct mica_call *call,
                                 struct mica_frame *frame);

// Makes the journal durable, or has the turn end.
enum mica_status mica_turn_commit(struct mica_call *call);

// Records how many events have been reported (T4).
enum mica_status mica_turn_record_reported(struct mica_call *call);

// Has the turn end, as the handler came to `now` where it had come to the entry
// `number` before.
void mica_turn_diverge(struct mica_call *call, uint32_t number,
                       const struct mica_entry *now);

// ---- Events (turn_record.c) ---------------------------------------------------

// How many events of a scope the journal counts.
uint32_t mica_turn_reported(const struct mica_turn *turn, uint32_t scope);

// Is the event of the handler to be told?
bool mica_turn_tells(struct mica_call *call);

// The number of the next notification.
double mica_turn_notification(struct mica_call *call);

// ---- What effects say (step_content.c) ------------------------------------------------

// How far the content of the call has come.
struct mica_step_content {
    const struct mica_content *last;
    bool is_error;
};
struct mica_step_content mica_step_content_now(const struct mica_call *call);

// Records what was added since, by the effect `key` of this frame.
void mica_step_content_record(struct mica_call *call,
                              const struct mica_step_content *before,
                              struct mica_text key);

// Adds again what was added by the effect that is entry `number`.
void mica_step_content_give(struct mica_call *call, uint32_t number);

// ---- Effects (step.c) -----------------------------------------------------------

// What runs once.
struct mica_effect {
    enum mica_entry_kind kind; // PHASE or STEP
    const char *namez;
    enum mica_status (*run)(struct mica_call *call, void *data, void *out);
    void *data;
    struct mica_into into;
};

// Runs it and records how it ended, or gives what was recorded (T3).
enum mica_status mica_effect_run(struct mica_call *call,
                                 const struct mica_effect *effect);

// The frame of something that runs once, whose key is `key`.
struct mica_frame mica_frame_body(struct mica_call *call, struct mica_text key);

// A struct as what its record says of it, by way of JSON.
enum mica_status mica_turn_encode(struct mica_call *call, struct mica_from from,
                                  struct mica_text *json_out);
enum mica_status mica_turn_decode(struct mica_call *call, struct mica_text json,
                                  struct mica_into into);

// Puts an error that was recorded into call->error; returns `status`.
enum mica_status mica_turn_restore(struct mica_call *call,
                                   enum mica_status status,
                                   struct mica_text json);

// What a function came to whose errors a record keeps, as an error that a
// handler may be given: fills call->error.
enum mica_status mica_turn_conclude(struct mica_call *call,
                                    enum mica_status status, const char *what);

// ---- Asks (ask.c) ----------------------------------------------------------------

struct mica_question {
    enum mica_ask_kind kind;
    const char *keyz;
    uint64_t hash;
    uint32_t limit_ms; // 0: that of the tool
};

// What the handler has come to with a question.
struct mica_question_state {
    uint32_t number; // of its entry
    struct mica_text key;
    struct mica_json answer; // of MICA_OK
};

// Can the question be put? USAGE for a key that cannot be one.
enum mica_status mica_ask_check(struct mica_call *call,
                                const struct mica_question *question);

// The next question: MICA_OK with an answer, MICA_SUSPENDED without one, or
// what it came to (call->error says it). `capable` is false when the client
// cannot be asked for it, whatever it has declared.
enum mica_status mica_ask_put(struct mica_call *call,
                              const struct mica_question *question,
                              bool capable,
                              struct mica_question_state *state_out);

// Behind what is asked already.
void mica_turn_add_asked(struct mica_turn *turn, struct mica_asked *asked);

// Notes that this question waits, with its params.
void mica_ask_wait(struct mica_call *call, const struct mica_question *question,
                   const struct mica_question_state *question_state,
                   struct mica_text params);

// Answers all open asks in a scope and in those inside it.
enum mica_status mica_ask_close(struct mica_call *call, uint32_t scope,
                                enum mica_status status);

#endif
