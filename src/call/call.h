// SPDX-License-Identifier: Apache-2.0
//
// One use of a tool: what a handler sees as `struct mica_call`, and what comes
// out of it. No transport, no protocol: a surface starts a call, runs it, and
// writes the result in its own way. The same struct serves inside a module
// (wasm32), in a native tool and in the server.
#ifndef MICA_CALL_CALL_H
#define MICA_CALL_CALL_H

#include <mica/base.h>
#include <mica/engine.h>

#include <stdatomic.h>

#include "call/content.h"
#ifndef __wasm__
#    include <setjmp.h>
#endif

// The inside of a JSON string that is not in memory: too large for the call, and
// written into its reply by the adapter while it sends that.
struct mica_late {
    uint64_t length;
    // Bytes from `at` on; 0 when they cannot be read.
    size_t (*read)(struct mica_late *late, uint64_t at, char *bytes,
                   size_t size);
    void (*close)(struct mica_late *late);
};

// How a call ended. One of: an output (status MICA_OK), or a failure (status,
// error JSON). All in the call's arena.
struct mica_result {
    enum mica_status status;
    struct mica_text structured; // JSON of the output, or empty
    struct mica_text error; // {"code":…,"message":…,"path":…} on failure
    struct mica_content *content, *last;
    bool is_error; // asked for by mica_mark_error
};

// What a running call tells before it ends.
enum mica_event_kind {
    MICA_EVENT_PROGRESS,
    MICA_EVENT_LOG
};

struct mica_event {
    enum mica_event_kind kind;
    double progress, total; // of progress; total 0: unknown
    unsigned level;         // of a log message: enum mica_log_level
    struct mica_text message;
};

struct mica_content_options;

struct mica_call {
    struct mica_arena *arena; // memory of the call, released when answered
    struct mica_error error;  // of the handler's failure
    // It is that of an ask, a step or another tool, which a handler may catch,
    // and not one of mica_fail.
    bool handed;
    bool stopped; // a turn has ended: what the handler returns is ignored
    bool left;    // by mica_call_leave
    void *user;
    struct mica_result result;
    const atomic_bool *cancelled; // set by the surface; may be NULL
    // What only a native handler uses; modules leave it zero.
    // Takes events, on the thread that runs the handler; NULL drops them.
    void (*event)(void *data, const struct mica_event *event);
    void *event_data;
    bool (*close_stream)(void *data); // with event_data; NULL: it has no stream
    const struct mica_principal *principal; // NULL: unknown
    struct mica_turn *turn;                 // NULL: it cannot ask
    struct mica_text uri, mime_type;        // of the resource that is read
    bool takes_late;                        // its reply can have `late`
    struct mica_late
        *late;         // data of its content, or NULL; the message closes it
    bool by_assistant; // whose words are added now
    uint32_t notified; // by mica_notify
#ifndef __wasm__
    jmp_buf *unwind; // where a call that ran out of memory goes
#else
    uint32_t *trap_status; // says why, before the module traps; may be NULL
#endif
    // The time the sandbox may spend, in milliseconds of the thread's own time;
    // 0 takes the engine's limit. The inline attempt on an I/O thread sets 1.
    uint32_t budget_ms;
    size_t output_bytes; // largest JSON of the output
};

// A call in `arena` with nothing set.
void mica_call_init(struct mica_call *call, struct mica_arena *arena);

// What can be called: the runnable behind a name. `run` takes the arguments as
// JSON text, fills call->result and never fails otherwise.
struct mica_runnable {
    void (*run)(const struct mica_runnable *self, struct mica_call *call,
                struct mica_text arguments);
    void *data;        // of the implementation
    void *user;        // what mica_user gives
    bool inline_first; // bounded by budget_ms: an I/O thread may try it
};

// Runs `body`. When it asks for more memory than the arena has (mica_alloc and
// the like), it does not come back, and the call ends with LIMIT_EXCEEDED; in a
// module it traps instead. Every call of a handler passes here.
void mica_call_guard(struct mica_call *call,
                     void (*body)(struct mica_call *call, void *data),
                     void *data);

// Ends the call as its handler ended: true when it may be answered with its
// output. A failure of the handler's own, one that was handed to it and that it
// hands on, a handler that broke its contract and a memory limit fill the result;
// then false. False as well when the turn was stopped; the result is then left.
bool mica_call_settle(struct mica_call *call, enum mica_status handler_status);

// Leaves the handler for want of memory. Only below mica_call_guard.
_Noreturn void mica_call_exceed(struct mica_call *call);

// Leaves the handler, the call being ended already. Only below mica_call_guard,
// and not in a module.
_Noreturn void mica_call_leave(struct mica_call *call);

// Ends `call` with a failure: fills result.status and result.error.
void mica_call_fail(struct mica_call *call, enum mica_status status,
                    const char *pathz, const char *formatz, ...)
    MICA_PRINTF(4, 5);

// The same from call->error, as a handler or decoder left it.
void mica_call_fail_error(struct mica_call *call);

// call->error as JSON in the call's arena; its texts are made UTF-8. Empty when
// the arena has no room.
struct mica_text mica_call_error_text(struct mica_call *call);

// `text` itself when it is UTF-8, else a copy with U+FFFD for each byte that is
// not: a handler may cut a character in two, and JSON must not.
struct mica_text mica_call_clean(struct mica_arena *arena,
                                 struct mica_text text);

// {"audience":[…],"priority":…,"lastModified":…}, what of it there is. False when
// there is nothing, and nothing was written. NULL has nothing.
bool mica_write_annotations(struct mica_json_writer *writer,
                            const struct mica_content_options *options);

// {"code":…,"message":…,"path":…}; all must be UTF-8.
void mica_error_json(struct mica_json_writer *writer,
                     const struct mica_error *error);

#endif
