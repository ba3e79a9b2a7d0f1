// SPDX-License-Identifier: Apache-2.0
//
// Functions that all operations use: checks of texts, tokens, and the counters of what an
// operation has changed.
#include <sodium.h>

#include "store/store.h"

int64_t
mica_store_token(void)
{
    int64_t token = 0;

    while (token == 0)
        randombytes_buf(&token, sizeof token);
    return token;
}

enum mica_status
mica_store_text(struct mica_text text, const char *what,
                struct mica_error *error)
{
    size_t valid = mica_utf8_valid(text);

    if (valid < text.len)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "%s is not UTF-8 at byte %zu.", what, valid);
    if (text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "%s has U+0000 in it; leave that out.", what);
    return MICA_OK;
}

// ---- Totals --------------------------------------------------------------------

void
mica_store_totals_init(struct mica_store *store)
{
    pthread_mutex_init(&store->totals.lock, NULL);
}

void
mica_store_totals_fini(struct mica_store *store)
{
    pthread_mutex_destroy(&store->totals.lock);
}

void
mica_store_totals_enter(struct mica_store *store)
{
    struct mica_store_totals *totals = &store->totals;

    pthread_mutex_lock(&totals->lock);
    totals->operations++;
    pthread_mutex_unlock(&totals->lock);
}

void
mica_store_totals_leave(struct mica_store *store)
{
    struct mica_store_totals *totals = &store->totals;

    pthread_mutex_lock(&totals->lock);
    totals->operations--;
    pthread_mutex_unlock(&totals->lock);
}

void
mica_store_count(struct mica_store *store, enum mica_store_counter counter,
                 int64_t by)
{
    struct mica_store_totals *totals = &store->totals;

    if (by == 0)
        return;
    pthread_mutex_lock(&totals->lock);
    totals->added[counter] += by;
    pthread_mutex_unlock(&totals->lock);
}
