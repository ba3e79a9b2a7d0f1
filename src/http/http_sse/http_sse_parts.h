// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share. Not for others.
#ifndef MICA_HTTP_SSE_PARTS_H
#define MICA_HTTP_SSE_PARTS_H

#include <pthread.h>

#include "store/store_sessions.h"

#include "http/http.h"
#include "http/http_sse/http_sse.h"

enum {
    MICA_HTTP_SSE_STREAM_BYTES = 4 << 20, // that wait for a slow reader
    MICA_HTTP_SSE_URIS = 64,              // subscriptions of one client
    MICA_HTTP_SSE_WAITING = 64 // calls of one client that wait for it
};

// A call that waits for its client, or continues with its answer: its
// request is not answered yet.
struct mica_http_sse_question {
    struct mica_http_sse_question *next;
    char call[MICA_CALL_ID_SIZE];
    uint64_t polled_ms; // when the store was asked how it is
    size_t id_len;
    char id[]; // of the request, JSON
};

// A message of such a client that a worker has. In the arena of
// the exchange.
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
    size_t turns; // of its calls, that run
    bool gone;    // not in the list any more: let go of with the last message
};

struct mica_http_sse {
    struct mica_http *http;
    pthread_mutex_t lock; // of all that follows
    struct mica_http_sse_client *clients;
    size_t count;
    size_t asked, waiting; // questions; calls that wait, now
    bool ending, looks;    // looks: the thread of sessions does
    struct mica_subscriber subscriber;
};

// Lets go of clients whose stream has ended, or of all. With the lock held.
void mica_http_sse_reap(struct mica_http_sse *transport, bool all);

// The client has one message or turn less, and goes with the last. With the lock
// held.
void mica_http_sse_client_free_if_unused(struct mica_http_sse_client *client);

// With the lock held: the client of that id, with an open stream, and of that
// caller; and the one whose call is of that id. NULL: none is here.
struct mica_http_sse_client *
mica_http_sse_client_find(const struct mica_http_sse *transport, const char *id,
                          const struct mica_caller *caller);
struct mica_http_sse_client *
mica_http_sse_client_of(const struct mica_http_sse *transport,
                        struct mica_text call);

// A client with a stream, in no list yet; NULL for want of memory.
struct mica_http_sse_client *
mica_http_sse_client_new(struct mica_http_sse *transport,
                         const struct mica_caller *caller);

// With the lock held: where the question of that call is in the list, or its end;
// and takes it out.
struct mica_http_sse_question **
mica_http_sse_question_find(struct mica_http_sse_client *client,
                            struct mica_text call);
void mica_http_sse_question_remove(struct mica_http_sse_client *client,
                                   struct mica_text call);

// No client will answer what that call has asked: it ends as disconnected.
void mica_http_sse_question_disconnect(struct mica_http_sse *transport,
                                       struct mica_text call);

// The reply of a request on the stream of its client.
void mica_http_sse_client_reply(struct mica_http_sse_client *client,
                                struct mica_text id, struct mica_text reply);

// ---- Questions (http_sse_questions.c) ---------------------------------------------------

// With the lock held: the client will not answer what the client was asked.
void mica_http_sse_client_disconnect(struct mica_http_sse_client *client);

// The work of a posted message is done: its reply, or its questions.
void mica_http_sse_client_finish(struct mica_http_sse_client *client,
                                 struct mica_message *message);

// The message answers questions of the client. False: there is no room for that.
bool mica_http_sse_client_queue_answers(struct mica_http_sse_client *client,
                                        const struct mica_message *message);

// Does it cancel a call that waits? And does so, which waits for the store.
bool mica_http_sse_client_cancels(struct mica_http_sse_client *client,
                                  const struct mica_message *message);
void mica_http_sse_client_cancel(struct mica_http_sse_client *client,
                                 const struct mica_message *message);

#endif
