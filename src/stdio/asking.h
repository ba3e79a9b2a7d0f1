// SPDX-License-Identifier: Apache-2.0
//
// Calls of the handshake's client that wait for its answers: which they are, and
// the turns that continue them and tasks. The calls themselves are kept by
// the server; those of a pipe end with it.
//
// Threads: the serving thread, but for what a worker calls through the turn queue.
#ifndef MICA_STDIO_ASKING_H
#define MICA_STDIO_ASKING_H

#include <pthread.h>

#include "serve/stored_calls.h"
#include "serve/stored_sessions.h"
#include "serve/turn_queue.h"
#include "server/server.h"
#include "stdio/counts.h"
#include "stdio/outbox.h"
#include "stdio/stdio_stream.h"

struct mica_pipe_waiting;

struct mica_pipe_asking {
    struct mica_server *server;
    struct mica_outbox *outbox;
    struct mica_stream *stream;
    struct mica_pipe_counts *counts;
    struct mica_session_store
        *own_session_store; // of calls, when the server keeps none
    struct mica_call_store *own_calls;
    struct mica_turn_queue *turn_queue;
    struct mica_workers *store_thread;       // cancels calls
    atomic_bool ended;                       // its client has gone
    pthread_mutex_t lock;                    // of what follows
    struct mica_pipe_waiting *waiting;       // the serving thread's
    struct mica_pipe_turn *done, *done_last; // turns that have ended
};

// Has the server keep calls. The others outlive it. `counts` is to be open.
// Errors: those of mica_call_store_start.
enum mica_status mica_pipe_asking_open(
    struct mica_pipe_asking *asking, struct mica_server *server,
    struct mica_outbox *outbox, struct mica_stream *stream,
    struct mica_pipe_counts *counts, struct mica_workers *workers,
    struct mica_workers *store_thread, struct mica_error *error) MICA_MUST_USE;

// A message that may ask is to be run; before that, on a worker: it opens the store.
void mica_pipe_asking_prepare(struct mica_pipe_asking *asking,
                              const struct mica_message *message);

// Its call waits: sends the questions.
void mica_pipe_asking_wait(struct mica_pipe_asking *asking,
                           struct mica_message *message);

// The answers that a line brings.
void mica_pipe_asking_answer(struct mica_pipe_asking *asking,
                             const struct mica_message *message);

// Gives up the call that the request of that id has begun, if it waits; and one
// whose message was cancelled while it ran.
void mica_pipe_asking_cancel(struct mica_pipe_asking *asking,
                             struct mica_text id);
void mica_pipe_asking_drop(struct mica_pipe_asking *asking,
                           const struct mica_message *message);

// Takes the turns that have ended; what they told is written after this and
// before mica_pipe_asking_write says what they came to.
struct mica_pipe_turn *mica_pipe_asking_take(struct mica_pipe_asking *asking);
void mica_pipe_asking_write(struct mica_pipe_asking *asking,
                            struct mica_pipe_turn *turns);

// The client is gone: whatever waits comes to DISCONNECTED, in a turn of its own.
void mica_pipe_asking_end(struct mica_pipe_asking *asking);
bool mica_pipe_asking_is_busy(struct mica_pipe_asking *asking);

// After the workers have ended.
void mica_pipe_asking_close(struct mica_pipe_asking *asking);

#endif
