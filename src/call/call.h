// SPDX-License-Identifier: Apache-2.0
//
// One use of a tool: the `struct mica_call` that a handler gets, and its result. No
// transport, no protocol: a surface starts a call, runs it, and writes the result in its
// own way. Modules (wasm32), native tools and the server use the same struct.
#ifndef MICA_CALL_CALL_H
#define MICA_CALL_CALL_H

#include <mica/base.h>
#include <mica/engine.h>

#include <stdatomic.h>

#include "call/content.h"
#ifndef __wasm__
#    include <setjmp.h>
#endif

// The content of a JSON string that is too large for the memory of its call. The adapter
// reads it while it sends the reply.
struct mica_streamed_text {
    uint64_t length;
    // Reads bytes from `at` on; returns their number, or 0 on an error.
    size_t (*read)(struct mica_streamed_text *streamed, uint64_t at,
                   char *bytes, size_t size);
    void (*close)(struct mica_streamed_text *streamed);
};

// How a call ended: with an output (status MICA_OK), or with a failure (status, error
// JSON). Everything is in the call's arena.
struct mica_result {
    enum mica_status status;
    struct mica_text structured; // JSON of the output, or empty
    struct mica_text error; // {"code":…,"message":…,"path":…} on failure
    struct mica_content *content, *last;
    struct mica_text meta; // members of its _meta (mica_set_meta), or empty
    bool is_error;         // set by mica_mark_error
};

// A notification of a running call: progress, or a log message.
enum mica_notice_kind {
    MICA_NOTICE_PROGRESS,
    MICA_NOTICE_LOG
};

struct mica_notice {
    enum mica_notice_kind kind;
    double progress, total; // of PROGRESS; total 0: unknown
    unsigned level;         // of LOG: enum mica_log_level
    struct mica_text message;
};

struct mica_content_options;
struct mica_message; // server/server.h

struct mica_call {
    struct mica_arena *arena; // memory of the call, freed after the reply
    struct mica_error error;  // of the handler's failure
    // An ask, a step or another tool has set `error`, and the handler may catch it;
    // otherwise mica_fail has set it.
    bool error_is_from_operation;
    bool stopped; // the turn has ended; the handler's status is ignored
    bool left;    // mica_call_leave has left the handler
    void *user;
    struct mica_result result;
    const atomic_bool *cancelled; // set by the surface; may be NULL
    // For native handlers alone; zero in modules.
    // Receives notices, on the thread that runs the handler. NULL: no one receives them.
    void (*on_notice)(void *data, const struct mica_notice *notice);
    void *notice_data;
    bool (*close_stream)(
        void *data); // with notice_data; NULL: it has no stream
    unsigned wanted; // notices that the client has asked for: 1 << their kind
    const struct mica_principal *principal; // NULL: unknown
    struct mica_message
        *owner;             // runs this call for a client; NULL: a tool does
    struct mica_turn *turn; // NULL: it cannot ask
    unsigned client;        // what the client declares (protocol/capability.h)
    struct mica_text uri, mime_type; // of the resource that is read
    bool takes_streamed;             // the adapter can send `streamed`
    struct mica_streamed_text
        *streamed;     // a part of the content, or NULL; the message closes it
    bool by_assistant; // the role of content added from now on (mica_role)
    uint32_t notified; // number of the last notification of mica_notify
#ifndef __wasm__
    jmp_buf *unwind; // of mica_call_guard: where mica_call_leave jumps to
#else
    // Set before the module traps, to say why; may be NULL.
    uint32_t *trap_status;
#endif
    // Milliseconds of the thread's processor time that the sandbox may spend; 0: the
    // engine's limit. The inline attempt on an I/O thread sets 1.
    uint32_t budget_ms;
    size_t output_bytes; // largest JSON of the output
};

// A call in `arena` with nothing set.
void mica_call_init(struct mica_call *call, struct mica_arena *arena);

// What a tool's name stands for: a function to run. `run` gets the arguments as JSON text
// and fills call->result; it reports a failure only there.
struct mica_runnable {
    void (*run)(const struct mica_runnable *self, struct mica_call *call,
                struct mica_text arguments);
    void *data;        // of the implementation
    void *user;        // what mica_user returns
    bool inline_first; // it obeys budget_ms, so an I/O thread may try it
};

// Runs `body`. If it allocates more memory than the arena has (mica_alloc and the like),
// this leaves `body` and ends the call with LIMIT_EXCEEDED; in a module it traps instead.
// Every handler runs under this function.
void mica_call_guard(struct mica_call *call,
                     void (*body)(struct mica_call *call, void *data),
                     void *data);

// Ends the call by the status of its handler. Returns true if the caller may encode the
// handler's output. Otherwise it returns false, and fills the result with the error of
//   - mica_fail;
//   - an ask, a step or another tool, whose status the handler returns;
//   - a handler that broke its contract;
//   - the memory limit.
// It also returns false, with the result unchanged, if the turn was stopped.
bool mica_call_conclude(struct mica_call *call,
                        enum mica_status handler_status);

// Leaves the handler because memory has run out. Only under mica_call_guard.
_Noreturn void mica_call_exceed(struct mica_call *call);

// Leaves the handler of a call that has ended. Only under mica_call_guard, and not in a
// module.
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

// Writes {"audience":[…],"priority":…,"lastModified":…}, without absent members. Returns
// false, and writes nothing, if all are absent or `options` is NULL.
bool mica_write_annotations(struct mica_json_writer *writer,
                            const struct mica_content_options *options);

// {"code":…,"message":…,"path":…}; all must be UTF-8.
void mica_error_json(struct mica_json_writer *writer,
                     const struct mica_error *error);

#endif
