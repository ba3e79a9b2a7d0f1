// SPDX-License-Identifier: Apache-2.0
//
// How many sessions one party has. A party is the owner of a session, or where
// nobody says who they are the address that its client came from. When a party has as
// many sessions as it may, its session that has been idle for longest makes room.
//
// A session says itself since when nothing of it is open (`idle`): in the future while
// one of its streams has a lease, and INT64_MAX while a call of it waits. So one look
// into an index finds the one that goes, whichever process has the streams open.
#include "store/calls.h"

enum {
    // A request reads the clock and then waits up to 2 s for the store's lock. A
    // session that became idle in that time has a later clock and is idle all the
    // same. Leases and own streams reach further ahead while their process renews
    // them.
    STALE_NOW_MS = 3000
};

// ---- Who it is -------------------------------------------------------------------

struct mica_text
mica_store_party_of(const struct mica_store_session *session,
                    unsigned char hash_out[32])
{
    // With the NUL behind it, as in every store that there is.
    static const char purpose[] = "mica party";
    const struct mica_store_owner *owner = &session->owner;
    bool known = owner->issuer.len > 0 || owner->subject.len > 0;
    const struct mica_text nobody = {"", 0};
    const struct mica_text texts[] = {owner->issuer, owner->subject,
                                      known ? nobody : session->party};

    if (!known && session->party.len == 0)
        return nobody;
    mica_store_hash_texts((struct mica_text){purpose, sizeof purpose}, texts,
                          MICA_COUNT(texts), hash_out);
    return (struct mica_text){(const char *)hash_out, 32};
}

// ---- How many it has -------------------------------------------------------------

static enum mica_status
read_party(struct mica_store *within, struct mica_text party,
           struct mica_error *error, bool *found_out,
           struct mica_store_row *row_out)
{
    struct mica_store_range range = {.table = MICA_STORE_PARTIES, .equal = 1};

    range.values[0].text = party;
    row_out->values[MICA_PARTY_SESSIONS].number = 0;
    MICA_TRY(mica_store_first(within, range, error, found_out, row_out));
    row_out->values[MICA_PARTY_HASH].text = party;
    return MICA_OK;
}

enum mica_status
mica_store_party_add(struct mica_store *within, struct mica_text party, int by,
                     struct mica_error *error)
{
    struct mica_store_row row;
    size_t removed;
    bool found;

    if (party.len == 0)
        return MICA_OK;
    MICA_TRY(read_party(within, party, error, &found, &row));
    row.values[MICA_PARTY_SESSIONS].number += by;
    if (row.values[MICA_PARTY_SESSIONS].number <= 0)
        return found ? mica_store_remove(within, MICA_STORE_PARTIES, 1, &row,
                                         error, &removed)
                     : MICA_OK;
    if (found)
        return mica_store_update(within, MICA_STORE_PARTIES,
                                 MICA_COLUMN(MICA_PARTY_SESSIONS), &row, error);
    return mica_store_insert(within, MICA_STORE_PARTIES, &row, error);
}

enum mica_status
mica_store_party_room(struct mica_store *within, struct mica_text party,
                      int64_t now, struct mica_error *error)
{
    struct mica_store_range idle = {.table = MICA_STORE_SESSIONS,
                                    .index = MICA_SESSIONS_BY_PARTY,
                                    .equal = 1,
                                    .bound = MICA_BOUND_BELOW,
                                    .columns = MICA_COLUMN(MICA_SESSION_KEY) |
                                               MICA_COLUMN(MICA_SESSION_PARTY)};
    struct mica_store_row row;
    bool found;

    if (party.len == 0)
        return MICA_OK;
    MICA_TRY(read_party(within, party, error, &found, &row));
    if ((uint64_t)row.values[MICA_PARTY_SESSIONS].number <
        within->limits.party_sessions)
        return MICA_OK;
    idle.values[0].text = party;
    idle.values[1].number =
        now < INT64_MAX - STALE_NOW_MS ? now + STALE_NOW_MS : now;
    MICA_TRY(mica_store_first(within, idle, error, &found, &row));
    if (!found)
        return mica_error_set(
            error, MICA_E_SESSIONS, "",
            "This client has %zu sessions, as many as it may have, and each has "
            "an open stream or a call that waits. End one with DELETE, or try "
            "again later.",
            within->limits.party_sessions);
    MICA_TRY(mica_store_session_remove(within, &row, error));
    return mica_store_add(within, MICA_COUNT_SESSIONS_DISPLACED, 1, error);
}

// ---- Since when a session is idle --------------------------------------------------

#define IDLE_COLUMNS                                                  \
    (MICA_COLUMN(MICA_SESSION_KEY) | MICA_COLUMN(MICA_SESSION_SEEN) | \
     MICA_COLUMN(MICA_SESSION_IDLE) | MICA_COLUMN(MICA_SESSION_LISTENS))

static enum mica_status
find_idle(struct mica_store *within, struct mica_text session,
          struct mica_error *error, bool *found_out,
          struct mica_store_row *row_out)
{
    struct mica_store_range range = {
        .table = MICA_STORE_SESSIONS, .equal = 1, .columns = IDLE_COLUMNS};

    range.values[0].text = session;
    return mica_store_first(within, range, error, found_out, row_out);
}

static enum mica_status
set_idle(struct mica_store *within, struct mica_store_row *row, int64_t idle,
         struct mica_error *error)
{
    if (row->values[MICA_SESSION_IDLE].number == idle)
        return MICA_OK;
    row->values[MICA_SESSION_IDLE].number = idle;
    return mica_store_update(within, MICA_STORE_SESSIONS,
                             MICA_COLUMN(MICA_SESSION_IDLE), row, error);
}

enum mica_status
mica_store_session_busy(struct mica_store *within, struct mica_text session,
                        int64_t until, struct mica_error *error)
{
    struct mica_store_row row;
    bool found;

    MICA_TRY(find_idle(within, session, error, &found, &row));
    if (!found || row.values[MICA_SESSION_IDLE].number >= until)
        return MICA_OK;
    return set_idle(within, &row, until, error);
}

// The latest lease of the session's open streams.
static enum mica_status
latest_lease(struct mica_store *within, struct mica_text session,
             struct mica_error *error, int64_t *lease_out)
{
    struct mica_store_range range = {.table = MICA_STORE_STREAMS,
                                     .equal = 1,
                                     .columns =
                                         MICA_COLUMN(MICA_STREAM_CLOSED) |
                                         MICA_COLUMN(MICA_STREAM_LEASE) |
                                         MICA_COLUMN(MICA_STREAM_HOLDER),
                                     .limit = within->limits.streams};
    struct mica_store_rows rows;

    *lease_out = 0;
    range.values[0].text = session;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++) {
        int64_t lease = mica_store_stream_lease(within, &rows.items[i]);
        if (rows.items[i].values[MICA_STREAM_CLOSED].number == 0 &&
            lease > *lease_out)
            *lease_out = lease;
    }
    return MICA_OK;
}

enum mica_status
mica_store_session_settle(struct mica_store *within, struct mica_text session,
                          int64_t now, struct mica_error *error)
{
    struct mica_store_range holds = {.table = MICA_STORE_HOLDS, .equal = 1};
    struct mica_store_row row, hold;
    int64_t idle;
    bool found;

    holds.values[0].text = session;
    MICA_TRY(mica_store_first(within, holds, error, &found, &hold));
    if (found)
        return mica_store_session_busy(within, session, INT64_MAX, error);
    MICA_TRY(find_idle(within, session, error, &found, &row));
    if (!found)
        return MICA_OK;
    MICA_TRY(latest_lease(within, session, error, &idle));
    if (row.values[MICA_SESSION_LISTENS].number > idle)
        idle = row.values[MICA_SESSION_LISTENS].number;
    return set_idle(within, &row, idle > now ? idle : now, error);
}
