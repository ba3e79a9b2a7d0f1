// SPDX-License-Identifier: Apache-2.0
//
// A sealer that opens its store with its first cursor: most servers never have a second page.
#include "serve/cursors.h"

#include <pthread.h>
#include <stdlib.h>

#include "server/sealer.h"
#include "store/store_sealer.h"

struct mica_cursors {
    struct mica_sealer sealer;
    struct mica_server *server;
    struct mica_session_store *session_store, *own;
    pthread_mutex_t opening; // held while a thread opens the store
    pthread_mutex_t lock;    // guards `keys`; never held for long
    struct mica_store_sealer *keys;
};

static enum mica_status
open_keys(struct mica_cursors *cursors, struct mica_error *error)
{
    struct mica_store_sealer *keys;
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(cursors->session_store, error, &store));
    MICA_TRY(mica_store_sealer_open(store, error, &keys));
    pthread_mutex_lock(&cursors->lock);
    cursors->keys = keys;
    pthread_mutex_unlock(&cursors->lock);
    return MICA_OK;
}

// The sealer of the store; the first call opens it.
static enum mica_status
need_keys(struct mica_cursors *cursors, struct mica_error *error,
          struct mica_sealer *sealer_out)
{
    enum mica_status status = MICA_OK;

    pthread_mutex_lock(&cursors->opening);
    if (cursors->keys == NULL)
        status = open_keys(cursors, error);
    if (status == MICA_OK)
        *sealer_out = mica_store_sealer(cursors->keys);
    pthread_mutex_unlock(&cursors->opening);
    return status;
}

static enum mica_status
cursors_seal(void *user, int64_t now, struct mica_text plain,
             struct mica_text bound, struct mica_error *error,
             struct mica_buffer *text_out)
{
    struct mica_sealer sealer;

    MICA_TRY(need_keys(user, error, &sealer));
    return sealer.seal(sealer.user, now, plain, bound, error, text_out);
}

static enum mica_status
cursors_unseal(void *user, int64_t now, struct mica_text text,
               struct mica_text bound, struct mica_error *error,
               struct mica_buffer *plain_out)
{
    struct mica_sealer sealer;

    MICA_TRY(need_keys(user, error, &sealer));
    return sealer.open(sealer.user, now, text, bound, error, plain_out);
}

static bool
is_ready(void *user, int64_t now, struct mica_text text)
{
    struct mica_cursors *cursors = user;
    struct mica_store_sealer *keys;
    struct mica_sealer sealer;

    pthread_mutex_lock(&cursors->lock);
    keys = cursors->keys;
    pthread_mutex_unlock(&cursors->lock);
    if (keys == NULL)
        return false;
    sealer = mica_store_sealer(keys);
    return sealer.ready(sealer.user, now, text);
}

enum mica_status
mica_cursors_open(struct mica_server *server,
                  struct mica_session_store *session_store,
                  struct mica_error *error, struct mica_cursors **cursors_out)
{
    const struct mica_session_store_options alone = {.store = "memory",
                                                     .lazy = true};
    struct mica_cursors *cursors;

    *cursors_out = NULL;
    if (server->sealer != NULL)
        return MICA_OK;
    cursors = calloc(1, sizeof *cursors);
    if (cursors == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for cursors");
    pthread_mutex_init(&cursors->opening, NULL);
    pthread_mutex_init(&cursors->lock, NULL);
    cursors->server = server;
    cursors->session_store = session_store;
    if (session_store == NULL) {
        enum mica_status status =
            mica_session_store_open(&alone, error, &cursors->own);
        if (status != MICA_OK) {
            mica_cursors_close(&cursors);
            return status;
        }
        cursors->session_store = cursors->own;
    }
    cursors->sealer = (struct mica_sealer){.seal = cursors_seal,
                                           .open = cursors_unseal,
                                           .ready = is_ready,
                                           .user = cursors};
    server->sealer = &cursors->sealer;
    server->now = mica_session_store_now;
    *cursors_out = cursors;
    return MICA_OK;
}

void
mica_cursors_close(struct mica_cursors **cursors)
{
    if (*cursors == NULL)
        return;
    if ((*cursors)->server->sealer == &(*cursors)->sealer)
        (*cursors)->server->sealer = NULL;
    mica_store_sealer_close(&(*cursors)->keys);
    mica_session_store_close(&(*cursors)->own);
    pthread_mutex_destroy(&(*cursors)->opening);
    pthread_mutex_destroy(&(*cursors)->lock);
    free(*cursors);
    *cursors = NULL;
}
