// SPDX-License-Identifier: Apache-2.0
//
// What oldest.c and oldest_asking.c share. Not for other files.
#ifndef MICA_HTTP_OLDEST_PARTS_H
#define MICA_HTTP_OLDEST_PARTS_H

#include <pthread.h>

#include <mica/store.h>

#include "http/http.h"

enum {
    MICA_OLDEST_URIS = 64,   // subscriptions of one client
    MICA_OLDEST_WAITING = 64 // calls of one client that wait for it
};

// A call that waits for its client, or goes on with what that has answered: its
// request is not answered yet.
struct mica_asking {
    struct mica_asking *next;
    char call[MICA_CALL_ID_SIZE];
    uint64_t looked_ms; // when the store was asked how it is
    size_t id_len;
    char id[]; // of the request, JSON
};

struct mica_client {
    struct mica_client *next;
    struct mica_oldest *oldest;
    char id[MICA_STORE_ID_SIZE];
    struct mica_arena arena; // of the principal
    struct mica_principal principal;
    bool has_principal;
    struct mica_sse *sse;
    struct mica_line_state state;
    struct mica_sessions sessions; // for subscriptions alone
    char *uris[MICA_OLDEST_URIS];
    struct mica_posted *posted;
    struct mica_asking *asking;
    size_t asking_count;
    size_t turns; // of its calls, that run
    bool gone;    // not in the list any more: let go of with the last message
};

struct mica_oldest {
    struct mica_http *http;
    pthread_mutex_t lock; // of all that follows
    struct mica_client *clients;
    size_t count;
    size_t asked, waiting; // questions; calls that wait, now
    bool ending, looks;    // looks: the thread of sessions does
    struct mica_subscriber subscriber;
};

// Lets go of clients whose stream has ended, or of all. With the lock held.
void mica_oldest_reap(struct mica_oldest *oldest, bool all);

// The client has one message or turn less, and goes with the last. With the lock
// held.
void mica_client_tidy(struct mica_client *client);

// The reply of a request on the stream of its client.
void mica_client_reply(struct mica_client *client, struct mica_text id,
                       struct mica_text reply);

// ---- Questions (oldest_asking.c) ---------------------------------------------------

// With the lock held: nobody will answer what the client was asked.
void mica_client_disconnect(struct mica_client *client);

// The work of a posted message is done: its reply, or its questions.
void mica_client_settle(struct mica_client *client,
                        struct mica_message *message);

// The message answers questions of the client. False: there is no room for that.
bool mica_client_answers(struct mica_client *client,
                         const struct mica_message *message);

// Does it cancel a call that waits? And does so, which waits for the store.
bool mica_client_cancels(struct mica_client *client,
                         const struct mica_message *message);
void mica_client_cancel(struct mica_client *client,
                        const struct mica_message *message);

#endif
