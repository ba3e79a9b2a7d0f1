// SPDX-License-Identifier: Apache-2.0
//
// What each round of a call was answered with. Rounds are numbered from 0
// without a gap, and those that are kept are the last ones.
#include <sodium.h>

#include "store/calls.h"

struct answers {
    unsigned char bytes[32];
};

static struct answers
hash_of(struct mica_text text)
{
    static const unsigned char purpose[] = "mica answers";
    struct answers hash;

    (void)crypto_generichash(hash.bytes, sizeof hash.bytes,
                             (const unsigned char *)text.ptr, text.len, purpose,
                             sizeof purpose);
    return hash;
}

static struct mica_text
hash_text(const struct answers *hash)
{
    return (struct mica_text){(const char *)hash->bytes, sizeof hash->bytes};
}

// ---- Dropping ------------------------------------------------------------------

static enum mica_status
first_round(struct mica_store *within, const struct mica_store_row *row,
            struct mica_error *error, bool *found_out,
            struct mica_store_row *round_out)
{
    struct mica_store_range range = {.table = MICA_STORE_ROUNDS, .equal = 1};

    range.values[0] = row->values[MICA_CALL_ID];
    return mica_store_first(within, range, error, found_out, round_out);
}

static enum mica_status
drop_round(struct mica_store *within, struct mica_store_row *row,
           const struct mica_store_row *round, struct mica_error *error)
{
    int64_t bytes = (int64_t)round->values[MICA_ROUND_REPLY].text.len;
    size_t removed;

    MICA_TRY(mica_store_remove(within, MICA_STORE_ROUNDS, 2, round, error,
                               &removed));
    row->values[MICA_CALL_KEPT].number -= bytes;
    row->values[MICA_CALL_BYTES].number -= bytes;
    return mica_store_add(within, MICA_COUNT_ROUNDS, -1, error);
}

enum mica_status
mica_store_rounds_fit(struct mica_store *within, struct mica_store_row *row,
                      struct mica_error *error)
{
    int64_t newest = row->values[MICA_CALL_ROUND].number - 1;
    struct mica_store_row round;
    bool found;

    while ((uint64_t)row->values[MICA_CALL_BYTES].number >
           within->limits.call_bytes) {
        MICA_TRY(first_round(within, row, error, &found, &round));
        if (!found || round.values[MICA_ROUND_NUMBER].number >= newest)
            return mica_error_set(
                error, MICA_E_LIMIT, "",
                "The call has %lld bytes to keep; a call may have %zu.",
                (long long)row->values[MICA_CALL_BYTES].number,
                within->limits.call_bytes);
        MICA_TRY(drop_round(within, row, &round, error));
    }
    return MICA_OK;
}

enum mica_status
mica_store_rounds_remove(struct mica_store *within,
                         const struct mica_store_row *row,
                         struct mica_error *error)
{
    size_t removed;

    MICA_TRY(
        mica_store_remove(within, MICA_STORE_ROUNDS, 1, row, error, &removed));
    return mica_store_add(within, MICA_COUNT_ROUNDS, -(int64_t)removed, error);
}

// ---- Recording -----------------------------------------------------------------

enum mica_status
mica_store_round_add(struct mica_store *within, struct mica_store_row *row,
                     struct mica_text answers, struct mica_text reply,
                     struct mica_error *error)
{
    struct answers hash = hash_of(answers);
    struct mica_store_row round, oldest;
    int64_t number = row->values[MICA_CALL_ROUND].number;
    bool found;

    MICA_TRY(first_round(within, row, error, &found, &oldest));
    if (found && (uint64_t)(number - oldest.values[MICA_ROUND_NUMBER].number) >=
                     within->limits.call_rounds)
        MICA_TRY(drop_round(within, row, &oldest, error));
    round.values[MICA_ROUND_CALL] = row->values[MICA_CALL_ID];
    round.values[MICA_ROUND_NUMBER].number = number;
    round.values[MICA_ROUND_ANSWERS].text = hash_text(&hash);
    round.values[MICA_ROUND_REPLY].text = reply;
    MICA_TRY(mica_store_insert(within, MICA_STORE_ROUNDS, &round, error));
    row->values[MICA_CALL_ROUND].number = number + 1;
    row->values[MICA_CALL_KEPT].number += (int64_t)reply.len;
    row->values[MICA_CALL_BYTES].number += (int64_t)reply.len;
    return mica_store_add(within, MICA_COUNT_ROUNDS, 1, error);
}

// ---- Replaying -----------------------------------------------------------------

static enum mica_status
superseded(uint32_t round, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_SUPERSEDED, "",
                          "Round %u of the call was answered before, with "
                          "other answers or too long ago; go on with the "
                          "newest.",
                          (unsigned)round);
}

static enum mica_status
replay(struct mica_store *within, struct mica_text id, uint32_t number,
       struct mica_text answers, int64_t now, struct mica_arena *arena,
       struct mica_error *error, struct mica_text *reply_out)
{
    struct mica_store_range range = {
        .table = MICA_STORE_ROUNDS, .equal = 2, .limit = 1};
    struct answers hash = hash_of(answers);
    struct mica_store_row call;
    struct mica_store_rows rows;
    bool found;

    MICA_TRY(mica_store_call_row(within, id, error, &found, &call));
    if (!found || call.values[MICA_CALL_EXPIRES].number <= now)
        return mica_store_no_call(error);
    if (number >= call.values[MICA_CALL_ROUND].number)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "Round %u of the call has not been answered "
                              "yet.",
                              (unsigned)number);
    range.values[0].text = id;
    range.values[1].number = number;
    MICA_TRY(mica_store_scan(within, &range, arena, error, &rows));
    if (rows.count == 0 ||
        !mica_text_equal(rows.items[0].values[MICA_ROUND_ANSWERS].text,
                         hash_text(&hash)))
        return superseded(number, error);
    *reply_out = rows.items[0].values[MICA_ROUND_REPLY].text;
    return MICA_OK;
}

enum mica_status
mica_store_call_replay(struct mica_store *store, struct mica_text id,
                       uint32_t round, struct mica_text answers, int64_t now,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_text *reply_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within,
        replay(&within, id, round, answers, now, arena, error, reply_out),
        error);
}
