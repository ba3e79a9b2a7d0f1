// SPDX-License-Identifier: Apache-2.0
//
// Internals shared by the files of this folder; other folders include http_sse.h.
#ifndef MICA_HTTP_SSE_PARTS_H
#define MICA_HTTP_SSE_PARTS_H

#include <pthread.h>

#include "store/store_sessions.h"

#include "http/http.h"
#include "http/http_sse/http_sse.h"

enum {
    MICA_HTTP_SSE_STREAM_BYTES = 4 << 20, // queued for a slow reader
    MICA_HTTP_SSE_URIS = 64,              // subscriptions of one client
    MICA_HTTP_SSE_WAITING = 64            // waiting calls of one client
};

// A call that has asked its client, and whose request has no reply yet.
struct mica_http_sse_question {
    struct mica_http_sse_question *next;
    char call[MICA_CALL_ID_SIZE];
    uint64_t polled_ms; // when the store was last asked for its state
    size_t id_len;
    char id[]; // of the request, JSON
};

// A posted message that a worker or the store thread processes. In the exchange's arena.
struct mica_http_sse_post {
    struct mica_http_sse_post *next;
    struct mica_http_sse_client *client;
    struct mica_http_exchange *exchange;
};

struct mica_http_sse_client {
    struct mica_http_sse_client *next;
    struct mica_http_sse *transport;
    char id[MICA_STORE_ID_SIZE];
    struct mica_arena arena; // of the principal and the key of its endpoint
    struct mica_principal principal;
    bool has_principal;
    struct mica_text endpoint;
    struct mica_sse *sse;
    struct mica_line_state state;
    struct mica_sessions sessions; // for subscriptions alone
    char *uris[MICA_HTTP_SSE_URIS];
    struct mica_http_sse_post *posted;
    struct mica_http_sse_question *asking;
    size_t asking_count;
    size_t turns; // of its calls, in progress
    bool gone;    // removed from the list; freed after its last message or turn
};

struct mica_http_sse {
    struct mica_http *http;
    pthread_mutex_t lock; // protects the members below
    struct mica_http_sse_client *clients;
    size_t count;
    size_t asked, waiting; // questions sent; calls that wait, now
    bool ending;           // accepts no new streams
    bool polls;            // the session thread polls calls that wait
    struct mica_subscriber subscriber;
};

// Removes clients whose stream has ended, or all. With the lock held.
void mica_http_sse_reap(struct mica_http_sse *transport, bool all);

// Frees a removed client that has no message and no turn any more. With the lock held.
void mica_http_sse_client_free_if_unused(struct mica_http_sse_client *client);

// Find the client of that id and caller whose stream is open; and the client that began
// that call. NULL: not in this process. With the lock held.
struct mica_http_sse_client *
mica_http_sse_client_find(const struct mica_http_sse *transport, const char *id,
                          const struct mica_caller *caller);
struct mica_http_sse_client *
mica_http_sse_client_of(const struct mica_http_sse *transport,
                        struct mica_text call);

// Makes a client with a stream, in no list yet. NULL for want of memory.
struct mica_http_sse_client *
mica_http_sse_client_new(struct mica_http_sse *transport,
                         const struct mica_caller *caller);

// Find the link to the question of that call, or to the end of the list; and remove the
// question. With the lock held.
struct mica_http_sse_question **
mica_http_sse_question_find(struct mica_http_sse_client *client,
                            struct mica_text call);
void mica_http_sse_question_remove(struct mica_http_sse_client *client,
                                   struct mica_text call);

// Continues that call with MICA_E_DISCONNECTED: its client will not answer.
void mica_http_sse_question_disconnect(struct mica_http_sse *transport,
                                       struct mica_text call);

// Sends the reply of a request on the stream of its client.
void mica_http_sse_client_reply(struct mica_http_sse_client *client,
                                struct mica_text id, struct mica_text reply);

// ---- Questions (http_sse_questions.c) ---------------------------------------------------

// Disconnects all calls of a client that ask it. With the lock held.
void mica_http_sse_client_disconnect(struct mica_http_sse_client *client);

// A message was executed: sends its reply or its questions.
void mica_http_sse_client_finish(struct mica_http_sse_client *client,
                                 struct mica_message *message);

// Queues a turn for each answer in the message. Returns false if the turn queue is full.
bool mica_http_sse_client_queue_answers(struct mica_http_sse_client *client,
                                        const struct mica_message *message);

// Does the message cancel a call that waits? And cancels it; that calls the store.
bool mica_http_sse_client_cancels(struct mica_http_sse_client *client,
                                  const struct mica_message *message);
void mica_http_sse_client_cancel(struct mica_http_sse_client *client,
                                 const struct mica_message *message);

#endif
