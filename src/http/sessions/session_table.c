// SPDX-License-Identifier: Apache-2.0
//
// The table of open sessions, by their keys, and the start of the session thread
// (session_thread.c).
#include "http/sessions/session_table.h"

#include <stdlib.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "platform/clock.h"
#include "serve/stop.h"

// ---- The table, with the lock held -----------------------------------------------

// Keys are hashes, so any two bytes choose a bucket evenly.
static struct mica_open_session **
session_bucket(struct mica_session_table *table,
               const struct mica_store_session_key *key)
{
    return &table->buckets[(key->bytes[0] | key->bytes[1] << 8) %
                           MICA_SESSION_BUCKETS];
}

struct mica_open_session *
mica_open_session_find(struct mica_session_table *table,
                       const struct mica_store_session_key *key)
{
    struct mica_open_session *session = *session_bucket(table, key);

    while (session != NULL && memcmp(&session->key, key, sizeof *key) != 0)
        session = session->next;
    return session;
}

struct mica_open_session *
mica_open_session_obtain(struct mica_session_table *table,
                         const struct mica_store_session_key *key)
{
    struct mica_open_session *session = mica_open_session_find(table, key);

    if (session != NULL || mica_session_table_ends(table))
        return mica_session_table_ends(table) ? NULL : session;
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return NULL;
    session->key = *key;
    session->touched_ms = mica_clock_coarse_ms();
    session->next = *session_bucket(table, key);
    *session_bucket(table, key) = session;
    return session;
}

char *
mica_session_text_copy(struct mica_text text)
{
    char *copy = malloc(text.len + 1);

    if (copy == NULL)
        return NULL;
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

void
mica_open_session_remove_if_empty(struct mica_session_table *table,
                                  struct mica_open_session *session)
{
    struct mica_open_session **at = session_bucket(table, &session->key);

    if (session->streams != NULL || session->turns != NULL)
        return;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    free(session->endpoint);
    free((char *)(uintptr_t)session->caller.scopes.ptr);
    free(session);
}

void
mica_open_session_each(struct mica_session_table *table,
                       void (*visit)(struct mica_session_table *,
                                     struct mica_open_session *))
{
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        for (struct mica_open_session *session = table->buckets[i], *next;
             session != NULL; session = next) {
            next = session->next;
            visit(table, session);
        }
    }
}

// ---- The thread and the counts -------------------------------------------------------

static void
session_thread_start(struct mica_session_table *table)
{
    sigset_t before;

    mica_stop_block(&before);
    table->has_thread =
        pthread_create(&table->thread, NULL, table->thread_run, table) == 0;
    mica_stop_unblock(&before);
}

bool
mica_session_table_wake(struct mica_session_table *table)
{
    if (!table->has_thread && !mica_session_table_ends(table))
        session_thread_start(table);
    table->poked = true;
    pthread_cond_signal(&table->wake);
    return table->has_thread;
}

struct mica_session_table_counts
mica_session_table_counts(struct mica_session_table *table)
{
    struct mica_session_table_counts counts;

    pthread_mutex_lock(&table->lock);
    counts = table->counts;
    pthread_mutex_unlock(&table->lock);
    return counts;
}
