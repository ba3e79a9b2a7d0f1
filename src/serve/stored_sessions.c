// SPDX-License-Identifier: Apache-2.0
//
// Sessions in a store. A message of a session reads its row, or a copy that is at most 5 seconds
// old (store/session_cache.h). The session store writes once a minute that a session was seen, so
// that a busy session costs no writes. It sweeps expired sessions when another session begins;
// the call scheduler sweeps them as well, if it runs.
#include "serve/stored_sessions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/assert.h"
#include "platform/wall_clock.h"
#include "server/server.h"

enum {
    IDLE_S = 3600,
    TOUCH_MS = 60 * 1000,
    // A session with an open stream is touched each minute.
    LISTENS_MS = 90 * 1000,
    SWEEP_MS = 60 * 1000,
    SWEEP_ITEMS = 1000
};

struct mica_session_store {
    struct mica_sessions sessions;
    struct mica_session_store_options options;
    int64_t idle_ms;
    pthread_mutex_t lock;               // held while a thread opens the store
    _Atomic(struct mica_store *) store; // NULL: not opened yet
    bool owned;
    _Atomic int64_t swept;
    atomic_uint_fast64_t begun, ended, refused;
};

int64_t
mica_session_store_now(void)
{
    return mica_wall_clock_ms();
}

// ---- The store -------------------------------------------------------------------

void
mica_session_store_note(struct mica_session_store *session_store,
                        const char *textz)
{
    if (session_store->options.note != NULL)
        session_store->options.note(session_store->options.user, textz);
}

// Reports in the log if the store cannot detect the death of processes.
static void
report_shortcomings(struct mica_session_store *session_store,
                    struct mica_store *store)
{
    struct mica_store_place place;
    struct mica_error error;

    if (mica_store_place(store, &error, &place) == MICA_OK &&
        place.path != NULL && !place.sees_deaths)
        mica_session_store_note(
            session_store,
            "the file system of the store has no locks that tell "
            "when a process has died: what one holds is free 30 "
            "seconds after its death");
}

// With the lock held. If a lazy store cannot open its file, the server continues with a store in
// memory, and reports what that loses.
static enum mica_status
open_late(struct mica_session_store *session_store, struct mica_error *error,
          struct mica_store **store_out)
{
    const struct mica_store_options limits = {
        .party_sessions = session_store->options.party_sessions};
    enum mica_status status = mica_store_open(session_store->options.store,
                                              &limits, error, store_out);
    char text[sizeof error->message + 128];
    struct mica_buffer note = {
        .ptr = text, .capacity = sizeof text - 1, .max = sizeof text - 1};

    if (status == MICA_OK)
        return MICA_OK;
    mica_buffer_format(&note,
                       "sessions, calls that wait and tasks are kept in memory "
                       "and end with this process: "
                       "%s",
                       error->message);
    text[note.len] = '\0';
    mica_session_store_note(session_store, text);
    return mica_store_open("memory", &limits, error, store_out);
}

enum mica_status
mica_session_store_need(struct mica_session_store *session_store,
                        struct mica_error *error, struct mica_store **store_out)
{
    enum mica_status status = MICA_OK;

    *store_out = atomic_load(&session_store->store);
    if (*store_out != NULL)
        return MICA_OK;
    pthread_mutex_lock(&session_store->lock);
    *store_out = atomic_load(&session_store->store);
    if (*store_out == NULL) {
        status = open_late(session_store, error, store_out);
        if (status == MICA_OK) {
            report_shortcomings(session_store, *store_out);
            atomic_store(&session_store->store, *store_out);
        }
    }
    pthread_mutex_unlock(&session_store->lock);
    return status;
}

struct mica_store *
mica_session_store_backing(struct mica_session_store *session_store)
{
    return atomic_load(&session_store->store);
}

// ---- Functions of struct mica_sessions -------------------------------------------

static struct mica_owner
owner_of(const struct mica_caller *caller)
{
    struct mica_owner owner = {.endpoint = caller->endpoint};

    if (caller->principal != NULL) {
        owner.issuer = caller->principal->issuer;
        owner.subject = caller->principal->subject;
    }
    return owner;
}

static void
session_store_sweep(struct mica_session_store *session_store,
                    struct mica_store *store, int64_t now)
{
    int64_t last = atomic_load(&session_store->swept);
    struct mica_error error;
    size_t removed;

    if (now - last < SWEEP_MS ||
        !atomic_compare_exchange_strong(&session_store->swept, &last, now))
        return;
    // Items that are left, also after a failure, wait for the next sweep.
    if (mica_store_sweep(store, now, SWEEP_ITEMS, &error, &removed) != MICA_OK)
        atomic_store(&session_store->swept, last);
}

static enum mica_status
session_create(void *data, struct mica_session *session,
               const struct mica_caller *caller, struct mica_arena *arena,
               struct mica_error *error)
{
    struct mica_session_store *session_store = data;
    int64_t now = mica_session_store_now();
    char id[MICA_STORE_ID_SIZE];
    struct mica_store *store;
    struct mica_store_session row = {
        .owner = owner_of(caller),
        .revision =
            mica_text(mica_revision_features(session->revision)->version),
        .client_info = session->client_info,
        .capabilities = session->capabilities,
        .log_level = -1,
        .created = now,
        .seen = now,
        .expires = now + session_store->idle_ms,
        .party = session->party};
    struct mica_store_session_key key;
    struct mica_text kept_id;
    enum mica_status status;

    mica_store_id_make(id);
    kept_id = mica_arena_text(arena, mica_text(id));
    if (kept_id.ptr == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(mica_session_store_need(session_store, error, &store));
    session_store_sweep(session_store, store, now);
    key = mica_store_session_key_of(mica_text(id));
    status = mica_store_session_create(store, &key, &row, error);
    if (status == MICA_E_LIMIT || status == MICA_E_SESSIONS)
        atomic_fetch_add(&session_store->refused, 1);
    if (status != MICA_OK)
        return status;
    session->id = kept_id;
    atomic_fetch_add(&session_store->begun, 1);
    return MICA_OK;
}

static enum mica_status
session_of_row(struct mica_text id, const struct mica_store_session *row,
               struct mica_error *error, struct mica_session *session_out)
{
    enum mica_revision revision;

    if (!mica_revision_find(row->revision, &revision))
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "the session is of a revision that is not "
                              "spoken here");
    *session_out = (struct mica_session){
        .id = id,
        .revision = revision,
        .client_info = row->client_info,
        .capabilities = row->capabilities,
        .logs = row->log_level >= 0 && row->log_level < MICA_LOG_LEVELS};
    if (session_out->logs)
        session_out->log_level = (enum mica_log_level)row->log_level;
    return MICA_OK;
}

// Finds a session in the cache, unless it must be touched: then the store finds it.
static bool
session_known(void *data, struct mica_text id, const struct mica_caller *caller,
              struct mica_arena *arena, struct mica_error *error,
              struct mica_session *session_out, enum mica_status *status_out)
{
    struct mica_store *store = mica_session_store_backing(data);
    struct mica_store_session_key key = mica_store_session_key_of(id);
    struct mica_owner owner = owner_of(caller);
    int64_t now = mica_session_store_now();
    struct mica_store_session row;

    if (store == NULL || // mica_session_store_need opens it
        !mica_store_session_known(store, &key, &owner, now, arena, error, &row,
                                  status_out))
        return false;
    if (*status_out != MICA_OK)
        return true;
    if (now - row.seen >= TOUCH_MS)
        return false;
    *status_out = session_of_row(id, &row, error, session_out);
    return true;
}

static enum mica_status
caller_find(void *data, struct mica_text id, const struct mica_caller *caller,
            struct mica_arena *arena, struct mica_error *error,
            struct mica_session *session_out)
{
    struct mica_session_store *session_store = data;
    struct mica_store_session_key key = mica_store_session_key_of(id);
    struct mica_owner owner = owner_of(caller);
    int64_t now = mica_session_store_now();
    struct mica_store_session row;
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(session_store, error, &store));
    MICA_TRY(
        mica_store_session_find(store, &key, &owner, now, arena, error, &row));
    MICA_TRY(session_of_row(id, &row, error, session_out));
    if (now - row.seen >= TOUCH_MS)
        return mica_store_session_touch(store, &key, now,
                                        now + session_store->idle_ms, error);
    return MICA_OK;
}

static enum mica_status
session_end(void *data, const struct mica_session *session,
            struct mica_error *error)
{
    struct mica_session_store *session_store = data;
    struct mica_store_session_key key = mica_store_session_key_of(session->id);

    MICA_TRY(
        mica_store_session_delete(mica_session_store_backing(session_store),
                                  &key, mica_session_store_now(), error));
    atomic_fetch_add(&session_store->ended, 1);
    return MICA_OK;
}

static enum mica_status
set_log_level(void *data, const struct mica_session *session,
              enum mica_log_level level, struct mica_error *error)
{
    struct mica_store_session_key key = mica_store_session_key_of(session->id);

    return mica_store_session_set_log_level(mica_session_store_backing(data),
                                            &key, mica_session_store_now(),
                                            (int)level, error);
}

static enum mica_status
session_subscribe(void *data, const struct mica_session *session,
                  struct mica_text uri, bool on, struct mica_error *error)
{
    struct mica_store_session_key key = mica_store_session_key_of(session->id);
    struct mica_store *store = mica_session_store_backing(data);
    int64_t now = mica_session_store_now();

    return on ? mica_store_subscribe(store, &key, uri, now, error)
              : mica_store_unsubscribe(store, &key, uri, now, error);
}

// ---- For the adapter -------------------------------------------------------------

bool
mica_session_store_touch(struct mica_session_store *session_store,
                         const struct mica_store_session_key *key)
{
    struct mica_store *store = mica_session_store_backing(session_store);
    int64_t now = mica_session_store_now();
    struct mica_error error;

    return mica_store_session_listen(
               store, key, now, now + session_store->idle_ms, now + LISTENS_MS,
               &error) != MICA_E_NOT_FOUND;
}

const struct mica_sessions *
mica_session_store_sessions(struct mica_session_store *session_store)
{
    return &session_store->sessions;
}

struct mica_session_store_counts
mica_session_store_counts(struct mica_session_store *session_store)
{
    return (struct mica_session_store_counts){
        .begun = atomic_load(&session_store->begun),
        .ended = atomic_load(&session_store->ended),
        .refused = atomic_load(&session_store->refused)};
}

static enum mica_status
open_now(struct mica_session_store *session_store, struct mica_error *error)
{
    const struct mica_store_options limits = {
        .party_sessions = session_store->options.party_sessions};
    struct mica_store *store = session_store->options.open;

    if (store == NULL) {
        MICA_TRY(mica_store_open(session_store->options.store, &limits, error,
                                 &store));
        session_store->owned = true;
        report_shortcomings(session_store, store);
    }
    atomic_store(&session_store->store, store);
    return MICA_OK;
}

enum mica_status
mica_session_store_open(const struct mica_session_store_options *options,
                        struct mica_error *error,
                        struct mica_session_store **session_store_out)
{
    struct mica_session_store *session_store = calloc(1, sizeof *session_store);
    enum mica_status status = MICA_OK;

    if (session_store == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    session_store->options = *options;
    if (session_store->options.store == NULL)
        session_store->options.store = "memory";
    session_store->idle_ms =
        (int64_t)(options->idle_s != 0 ? options->idle_s : IDLE_S) * 1000;
    session_store->sessions =
        (struct mica_sessions){.data = session_store,
                               .create = session_create,
                               .known = session_known,
                               .find = caller_find,
                               .end = session_end,
                               .set_log_level = set_log_level,
                               .subscribe = session_subscribe};
    pthread_mutex_init(&session_store->lock, NULL);
    session_store->owned = options->lazy;
    if (!options->lazy)
        status = open_now(session_store, error);
    if (status != MICA_OK)
        mica_session_store_close(&session_store);
    *session_store_out = session_store;
    return status;
}

struct mica_session_store *
mica_session_store_of(const struct mica_server *server)
{
    return server->sessions != NULL ? server->sessions->data : NULL;
}

void
mica_session_store_close(struct mica_session_store **session_store)
{
    struct mica_store *store;

    if (*session_store == NULL)
        return;
    store = mica_session_store_backing(*session_store);
    if ((*session_store)->owned)
        mica_store_close(&store);
    pthread_mutex_destroy(&(*session_store)->lock);
    free(*session_store);
    *session_store = NULL;
}
