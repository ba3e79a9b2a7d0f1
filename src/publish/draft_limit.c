// SPDX-License-Identifier: Apache-2.0
//
// See draft_limit.h. The ring has as many places as all people have drafts, so its oldest
// one says whether there is room for all, and a look over it how many are one person's.
#include "publish/draft_limit.h"

#include <string.h>

#include "base/hash.h"

enum {
    WINDOW_MS = 60 * 1000
};

void
mica_draft_limit_open(struct mica_draft_limit *limit)
{
    memset(limit, 0, sizeof *limit);
    pthread_mutex_init(&limit->lock, NULL);
}

void
mica_draft_limit_close(struct mica_draft_limit *limit)
{
    pthread_mutex_destroy(&limit->lock);
}

static bool
is_recent(int64_t at, int64_t now)
{
    return at != 0 && now - at < WINDOW_MS;
}

// After a clock was set back: drafts of its future were made just now. With the lock held.
static void
set_back(struct mica_draft_limit *limit, int64_t now)
{
    for (size_t i = 0; i < MICA_DRAFTS_ALL; i++)
        if (limit->drafts[i].at > now)
            limit->drafts[i].at = now;
}

// When the draft that is in the way leaves the window; 0: there is room. With the lock held.
static int64_t
room_at(const struct mica_draft_limit *limit, uint64_t person, int64_t now)
{
    size_t count = 0;
    int64_t oldest = INT64_MAX;

    if (is_recent(limit->drafts[limit->next].at, now))
        return limit->drafts[limit->next].at + WINDOW_MS;
    for (size_t i = 0; i < MICA_DRAFTS_ALL; i++) {
        if (limit->drafts[i].person != person ||
            !is_recent(limit->drafts[i].at, now))
            continue;
        count++;
        if (limit->drafts[i].at < oldest)
            oldest = limit->drafts[i].at;
    }
    return count < MICA_DRAFTS_PERSON ? 0 : oldest + WINDOW_MS;
}

enum mica_status
mica_draft_limit_count(struct mica_draft_limit *limit, struct mica_text person,
                       int64_t now, struct mica_error *error,
                       unsigned *retry_s_out)
{
    uint64_t hash = mica_hash_bytes(MICA_HASH_START, person.ptr, person.len);
    int64_t room;

    pthread_mutex_lock(&limit->lock);
    set_back(limit, now);
    room = room_at(limit, hash, now);
    if (room == 0) {
        limit->drafts[limit->next].person = hash;
        limit->drafts[limit->next].at = now;
        limit->next = (limit->next + 1) % MICA_DRAFTS_ALL;
    }
    pthread_mutex_unlock(&limit->lock);
    if (room == 0)
        return MICA_OK;
    *retry_s_out = (unsigned)((room - now + 999) / 1000);
    return mica_error_set(error, MICA_E_RATE, "",
                          "a language model drafts %d apps a minute for one "
                          "person, and %d for all; try again in %u s, or have "
                          "it drafted by rule (\"by\": \"rule\")",
                          MICA_DRAFTS_PERSON, MICA_DRAFTS_ALL, *retry_s_out);
}
