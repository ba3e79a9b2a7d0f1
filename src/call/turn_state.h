// SPDX-License-Identifier: Apache-2.0
//
// Inside a turn: the position of the handler in the journal, and functions that every
// function of <mica/tool.h> uses. A frame is the state of one function that runs in the
// turn: the handler, a phase, a step, a clean-up, or the handler of an invoked tool. Frames
// nest; the innermost runs. A scope is the part of the journal that has a frame's entries.
#ifndef MICA_CALL_TURN_STATE_H
#define MICA_CALL_TURN_STATE_H

#include "call/turn.h"

// The functions of <mica/tool.h> themselves, not its macros.
#ifndef MICA_TOOL_PLAIN
#    define MICA_TOOL_PLAIN
#endif
#include <mica/tool.h>

// How often a frame has used a name.
struct mica_name_count {
    struct mica_name_count *next;
    struct mica_text name;
    unsigned count;
};

// A clean-up that waits for the end of the call; the newest first.
struct mica_clean {
    struct mica_clean *next;
    struct mica_text key, effect;
    mica_cleaner *function;
    const void *data;
};

struct mica_frame {
    struct mica_frame *outer;
    struct mica_call *call;
    struct mica_text path; // prefix of its keys: "", or ends with '/'
    struct mica_text name; // of the tool, for messages
    // Its scope, if has_scope is set. The handler and an invoked tool have one from their
    // beginning; a body opens one with its first entry.
    uint32_t scope;
    uint32_t
        cursor; // of its scope: the entry that the next operation must match
    bool has_scope;
    bool
        is_body; // a phase, step or clean-up: runs once in the call, and must not ask
    bool waits;                   // an ask has no answer (mica_turn_suspend)
    struct mica_name_count *asks; // names of its asks
    struct mica_name_count
        *effects;               // of its phases, steps, clean-ups and tools
    const char *const *steps;   // declared
    const char *const *fetches; // origins
    const struct mica_keep_place *keeps;     // or NULL
    const struct mica_form_view *form_views; // or NULL
    uint32_t limit_ms;                       // for the answer to an ask
    const struct mica_tool *tool;            // has the phases that run
    const void *owner;                       // of its services
    struct mica_text effect;                 // idempotency key of a body
    enum mica_status forced_status; // of all further asks; MICA_OK: none
    // Notices that it has sent, and those that the journal counts (TURN-4).
    uint32_t notices, recorded;
    uint32_t times, randoms; // that a body has read
    struct mica_clean *cleans;
};

struct mica_turn_state {
    struct mica_frame *frame; // the innermost frame, which runs
    struct mica_frame *root;
    // Ends the turn with this error, whatever the handlers return. `lost`: a commit has
    // failed, so no more effects may run.
    struct mica_error fault;
    bool lost;
    uint32_t committed; // number of committed entries
    int64_t notified;   // number of the last notification in the journal
};

// ---- One handler (turn.c) -----------------------------------------------------

// Runs a runnable in `frame`; when it has ended, also its clean-ups. Returns true if it is
// suspended.
bool mica_frame_run(struct mica_turn *turn, struct mica_frame *frame,
                    const struct mica_runnable *runnable,
                    struct mica_text arguments);

// ---- Inside a turn (turn_inside.c) --------------------------------------------

// Ends the turn with `error`, unless an earlier fault ends it.
enum mica_status mica_turn_fault(struct mica_call *call,
                                 const struct mica_error *error);

// Returns MICA_OK if the function may continue. Otherwise the function returns this status
// at once: the turn is suspended or has ended, or the call has no turn (call->error says
// so).
enum mica_status mica_turn_enter(struct mica_call *call);

// Does the call run in a turn? Sets no error.
bool mica_turn_is_running(struct mica_call *call);

// Fills call->error for a handler, which may catch it. Returns `status`.
enum mica_status mica_turn_set_error(struct mica_call *call,
                                     enum mica_status status,
                                     const char *formatz, ...)
    MICA_PRINTF(3, 4);

// Suspends the frame that runs (TURN-1). Returns MICA_SUSPENDED.
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

// Finds the next entry that the handler must match. Returns false if the handler has
// matched all entries of the frame, so its next operation is new.
bool mica_frame_next(const struct mica_turn *turn, struct mica_frame *frame,
                     uint32_t *number_out);

// Matches `now` with the next entry: kind and key must be equal, of an ask also its kind
// and hash, of a tool its hash (TURN-2). Returns false if the operation is new. A mismatch
// ends the turn with a fault; this then returns true, and *number_out is UINT32_MAX.
//
// A frame that runs once matches its entries in any order: after an interruption it runs
// again, and may take another path, as the journal does not record all that it reads.
bool mica_frame_recorded(struct mica_call *call, const struct mica_entry *now,
                         uint32_t *number_out);

// Appends an entry to the scope of the frame. A failure ends the turn.
enum mica_status mica_frame_add(struct mica_call *call,
                                struct mica_entry *entry);

// Opens the scope of a frame, and of the frames around it.
enum mica_status mica_frame_open(struct mica_call *call,
                                 struct mica_frame *frame);

// Commits the journal. A failure ends the turn.
enum mica_status mica_turn_commit(struct mica_call *call);

// Records how many notices the frames have sent (TURN-4).
enum mica_status mica_turn_record_reported(struct mica_call *call);

// Ends the turn with REPLAY_DIVERGED: the handler has reached `now` (NULL: its end) where
// it reached the entry `number` before.
void mica_turn_diverge(struct mica_call *call, uint32_t number,
                       const struct mica_entry *now);

// ---- Notices (turn_record.c) --------------------------------------------------

// The number of sent notices of a scope in the journal.
uint32_t mica_turn_reported(const struct mica_turn *turn, uint32_t scope);

// Counts a notice of the handler. Returns true if no earlier turn has sent it (TURN-4).
bool mica_turn_sends_notice(struct mica_call *call);

// The number of the next notification.
double mica_turn_notification(struct mica_call *call);

// The author gave a number; the next ones are above it.
void mica_turn_notified(struct mica_call *call, double progress);

// ---- Step content (step_content.c) -----------------------------------------------------

// The end of the call's content at one moment.
struct mica_step_content {
    const struct mica_content *last;
    bool is_error;
};
struct mica_step_content mica_step_content_now(const struct mica_call *call);

// Records the content that the effect `key` of this frame has added since `before`.
void mica_step_content_record(struct mica_call *call,
                              const struct mica_step_content *before,
                              struct mica_text key);

// Adds the recorded content of the effect with the entry `number`.
void mica_step_content_restore(struct mica_call *call, uint32_t number);

// ---- Effects (effect.c) ---------------------------------------------------------

// A function that runs once in the life of a call.
struct mica_effect {
    enum mica_entry_kind kind; // PHASE or STEP
    const char *namez;
    enum mica_status (*run)(struct mica_call *call, void *data, void *out);
    void *data;
    struct mica_into into;
};

// Runs the effect and records its result; or, if that is recorded, returns it (TURN-3).
enum mica_status mica_effect_run(struct mica_call *call,
                                 const struct mica_effect *effect);

// Makes the frame of an effect or clean-up with that key.
struct mica_frame mica_frame_body(struct mica_call *call, struct mica_text key);

// ---- Structs and errors as JSON (turn_json.c) -------------------------------------

// Encode a struct as JSON by its record, and decode it.
enum mica_status mica_turn_encode(struct mica_call *call, struct mica_from from,
                                  struct mica_text *json_out);
enum mica_status mica_turn_decode(struct mica_call *call, struct mica_text json,
                                  struct mica_into into);

// Fills call->error from a recorded error (JSON). Returns `status`.
enum mica_status mica_turn_restore(struct mica_call *call,
                                   enum mica_status status,
                                   struct mica_text json);

// Checks that the status of an effect and call->error agree, and fills call->error if they
// do not. Returns the status to record. `what` names the effect.
enum mica_status mica_turn_conclude(struct mica_call *call,
                                    enum mica_status status, const char *what);

// ---- Asks (ask.c) ----------------------------------------------------------------

struct mica_question {
    enum mica_ask_kind kind;
    const char *keyz;
    uint64_t hash;
    uint32_t limit_ms; // 0: the limit of the tool
};

// A question in the journal.
struct mica_question_state {
    uint32_t number; // of its entry
    struct mica_text key;
    struct mica_json answer; // if mica_ask_question returns MICA_OK
};

// May the handler ask this here? Errors: MICA_E_USAGE (an invalid key, or inside a phase,
// step or clean-up).
enum mica_status mica_ask_check(struct mica_call *call,
                                const struct mica_question *question);

// Asks the next question. Returns MICA_OK if the journal has its answer, MICA_SUSPENDED if
// it has none yet, or the failure with which it was answered, with call->error. `capable`
// is false if the client cannot answer it, whatever it has declared.
enum mica_status mica_ask_question(struct mica_call *call,
                                   const struct mica_question *question,
                                   bool capable,
                                   struct mica_question_state *state_out);

// Appends a question to turn->asked.
void mica_turn_add_asked(struct mica_turn *turn, struct mica_asked *asked);

// Adds the question, with its params, to those that the turn sends.
void mica_ask_wait(struct mica_call *call, const struct mica_question *question,
                   const struct mica_question_state *question_state,
                   struct mica_text params);

// Answers all open asks of a scope, and of the scopes inside it, with `status`.
enum mica_status mica_ask_close(struct mica_call *call, uint32_t scope,
                                enum mica_status status);

#endif
