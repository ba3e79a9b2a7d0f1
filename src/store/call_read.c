// SPDX-License-Identifier: Apache-2.0
//
// Reads calls: finds one, replays a round, reads the outcome of questions, lists pages.
#include <stdio.h>

#include "base/digits.h"
#include "store/calls.h"

enum {
    NOT_FOUND = 1
};

enum mica_status
mica_store_no_call(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no such call, or it has expired; begin "
                          "another.");
}

enum mica_status
mica_store_no_calls_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory for so many calls; ask for "
                          "fewer.");
}

enum mica_status
mica_store_calls_limit(size_t limit, struct mica_error *error)
{
    if (limit > 0 && limit <= MICA_STORE_SWEEP)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "1 to %d calls can be read at once, not %zu.",
                          MICA_STORE_SWEEP, limit);
}

enum mica_status
mica_store_ending(int64_t number)
{
    static const enum mica_status endings[] = {
        MICA_OK, MICA_E_TIMEOUT, MICA_E_DISCONNECTED, MICA_E_CANCELLED};

    return endings[number];
}

void
mica_store_call_read(const union mica_store_value *values, bool whole,
                     struct mica_kept_call *call_out)
{
    struct mica_kept_call call = {
        .id = values[0].text,
        .owner = {.issuer = values[1].text,
                  .subject = values[2].text,
                  .endpoint = values[20].text},
        .mode = (enum mica_call_mode)values[3].number,
        .kind = (enum mica_definition_kind)values[4].number,
        .target = values[5].text,
        .version = values[6].text,
        .session = values[7].text,
        .stream = values[8].number,
        .created = values[9].number,
        .state = (enum mica_call_state)values[10].number,
        .round = (uint32_t)values[11].number,
        .changed = values[12].number,
        .expires = values[13].number,
        .due = values[14].number,
        .lost_claims = (uint32_t)values[15].number,
        .bytes = values[16].number,
        .asks = values[18].text,
        .note = values[19].text};

    values += MICA_STORE_CALL_HEAD_WIDTH;
    if (whole) {
        call.arguments = values[0].text;
        call.context = values[1].text;
        call.journal = values[2].text;
        call.reply = values[3].text;
        call.progress_log = values[4].text;
    }
    *call_out = call;
}

// ---- Find ----------------------------------------------------------------------

// ?1 id, ?2 now, ?3 whether it has to be an owner's, ?4 issuer, ?5 subject,
// ?6 endpoint
static const struct mica_store_operation call_find = {
    .name = "call_find",
    .takes = "tnnttt",
    .steps = {{.sql = "SELECT " MICA_STORE_CALL_COLUMNS
                      " FROM calls AS c WHERE c.id = ?1 AND (c.expires > ?2"
                      " OR ?3 = 0 AND c.ended = 0) AND (?3 = 0"
                      " OR c.issuer = ?4 AND c.subject = ?5"
                      " AND c.endpoint = ?6)",
               .gives = MICA_STORE_CALL_KINDS,
               .refusal = NOT_FOUND}}};

enum mica_status
mica_store_call_find_state(struct mica_store *store, struct mica_text id,
                           const struct mica_owner *owner, int64_t now,
                           struct mica_arena *arena, struct mica_error *error,
                           bool *ended_out, struct mica_kept_call *call_out)
{
    const struct mica_text none = {"", 0};
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(id),
        MICA_STORE_NUMBER(now),
        MICA_STORE_NUMBER(owner != NULL),
        MICA_STORE_TEXT(owner != NULL ? owner->issuer : none),
        MICA_STORE_TEXT(owner != NULL ? owner->subject : none),
        MICA_STORE_TEXT(owner != NULL ? owner->endpoint : none)};
    struct mica_store_given given[1] = {{.count = 0}};
    const union mica_store_value *row;
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &call_find, values, given, arena, error,
                           &refusal));
    if (refusal != 0)
        return mica_store_no_call(error);
    row = mica_store_given_row(&given[0], 0);
    mica_store_call_read(row, true, call_out);
    *ended_out = row[MICA_STORE_CALL_ENDED].number != 0;
    return MICA_OK;
}

enum mica_status
mica_store_call_find(struct mica_store *store, struct mica_text id,
                     const struct mica_owner *owner, int64_t now,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_kept_call *call_out)
{
    bool ended;

    return mica_store_call_find_state(store, id, owner, now, arena, error,
                                      &ended, call_out);
}

// ---- Outcome of open questions ---------------------------------------------------

static const struct mica_store_operation call_ending = {
    .name = "call_ending",
    .takes = "tn",
    .steps = {
        {.sql = "SELECT " MICA_STORE_ENDING(
             "c", "?2") " FROM calls AS c WHERE c.id = ?1 AND c.ended = 0",
         .gives = "n",
         .refusal = NOT_FOUND}}};

enum mica_status
mica_store_call_ending(struct mica_store *store, struct mica_text id,
                       int64_t now, struct mica_error *error,
                       enum mica_status *ending_out)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(id),
                                             MICA_STORE_NUMBER(now)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 12);
    status = mica_store_do(store, &call_ending, values, given, &arena, error,
                           &refusal);
    if (status == MICA_OK && refusal != 0)
        status = mica_store_no_call(error);
    if (status == MICA_OK)
        *ending_out =
            mica_store_ending(mica_store_given_row(&given[0], 0)[0].number);
    mica_arena_fini(&arena);
    return status;
}

// ---- Replay ----------------------------------------------------------------------

// The row of the call has the last round. ?1 id, ?2 round, ?3 now
static const struct mica_store_operation call_replay = {
    .name = "call_replay",
    .takes = "tnn",
    .steps = {{.sql = "SELECT c.round, CASE WHEN c.round = ?2 + 1"
                      " THEN c.answers ELSE r.answers END,"
                      " CASE WHEN c.round = ?2 + 1 THEN c.round_reply"
                      " ELSE r.reply END FROM calls AS c LEFT JOIN rounds AS r"
                      " ON r.call = c.number AND r.round = ?2"
                      " WHERE c.id = ?1 AND c.expires > ?3",
               .gives = "nbt",
               .refusal = NOT_FOUND}}};

enum mica_status
mica_store_call_replay(struct mica_store *store, struct mica_text id,
                       uint32_t round, struct mica_text answers, int64_t now,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_text *reply_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(id), MICA_STORE_NUMBER(round), MICA_STORE_NUMBER(now)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned char hash[MICA_STORE_HASH_BYTES];
    const union mica_store_value *row;
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &call_replay, values, given, arena, error,
                           &refusal));
    if (refusal != 0)
        return mica_store_no_call(error);
    row = mica_store_given_row(&given[0], 0);
    if (round >= row[0].number)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "Round %u of the call has not been answered "
                              "yet.",
                              (unsigned)round);
    if (!mica_text_equal(row[1].text, mica_store_answers_of(answers, hash)))
        return mica_error_set(
            error, MICA_E_SUPERSEDED, "",
            "Round %u of the call was answered before, with "
            "other answers or too long ago; continue with the "
            "newest.",
            (unsigned)round);
    *reply_out = row[2].text;
    return MICA_OK;
}

// ---- List ------------------------------------------------------------------------

void
mica_store_call_cursor(const struct mica_kept_call *call,
                       char cursor_out[MICA_STORE_CALL_CURSOR_SIZE])
{
    (void)snprintf(cursor_out, MICA_STORE_CALL_CURSOR_SIZE, "%lld.%.*s",
                   (long long)call->created, MICA_ARG(call->id));
}

// In the order in which the calls began. There is no index by tool or subject: each call
// would cost two more writes, for a list that people seldom read.
// ?1 ended, ?2 and ?3 after this call, ?4 target, ?5 subject, ?6 state, ?7 until, ?8 most
#define LISTED                                                             \
    " FROM calls AS c WHERE c.ended = ?1 AND (c.created, c.id) > (?2, ?3)" \
    " AND (?4 = '' OR c.target = ?4) AND (?5 = '' OR c.subject = ?5)"      \
    " AND (?6 = 0 OR c.state = ?6) AND (?7 = 0 OR c.created <= ?7)"
#define LISTED_TAKES "nntttnnn"

static const struct mica_store_operation call_page = {
    .name = "call_page",
    .takes = LISTED_TAKES,
    .steps = {{.sql = "SELECT " MICA_STORE_CALL_HEAD LISTED
                      " ORDER BY c.created, c.id LIMIT ?8",
               .gives = MICA_STORE_CALL_HEAD_KINDS}}};

static const struct mica_store_operation call_count = {
    .name = "call_count",
    .takes = LISTED_TAKES,
    .steps = {{.sql = "SELECT count(*)" LISTED, .gives = "n"}}};

struct listing {
    union mica_store_value values[8];
};

static void
fill_listing(const struct mica_store_call_filter *filter,
             struct listing *listing)
{
    union mica_store_value *values = listing->values;

    values[0].number = filter->ended;
    values[1].number =
        filter->created_from != 0 ? filter->created_from : INT64_MIN;
    values[2].text = (struct mica_text){"", 0};
    values[3].text = filter->target;
    values[4].text = filter->subject;
    values[5].number = (int64_t)filter->state;
    values[6].number = filter->created_to;
    values[7].number = 0;
}

// Reads a cursor, "<created>.<id>". The list begins after it, or later if the filter says.
static enum mica_status
start_behind(struct mica_text after, struct listing *listing,
             struct mica_error *error)
{
    const char *dot = after.len > 0 ? memchr(after.ptr, '.', after.len) : NULL;
    size_t digits = dot != NULL ? (size_t)(dot - after.ptr) : 0;
    int64_t created;

    if (dot == NULL ||
        !mica_digits_read(mica_text_slice(after, 0, digits), &created) ||
        after.len == digits + 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A list continues behind a cursor that it has "
                              "given, not behind \"%.*s\".",
                              MICA_ARG(after));
    if (created < listing->values[1].number)
        return MICA_OK;
    listing->values[1].number = created;
    listing->values[2].text = mica_text_slice(after, digits + 1, after.len);
    return MICA_OK;
}

static enum mica_status
take_page(const struct mica_store_given *given, size_t limit,
          struct mica_arena *arena, struct mica_error *error,
          struct mica_store_calls *out)
{
    char cursor[MICA_STORE_CALL_CURSOR_SIZE];

    out->items = mica_arena_zero(arena, limit, sizeof *out->items);
    if (out->items == NULL)
        return mica_store_no_calls_memory(error);
    for (; out->count < given->count && out->count < limit; out->count++)
        mica_store_call_read(mica_store_given_row(given, out->count), false,
                             &out->items[out->count]);
    if (given->count <= limit)
        return MICA_OK;
    mica_store_call_cursor(&out->items[limit - 1], cursor);
    out->next = mica_arena_text(arena, mica_text(cursor));
    return out->next.ptr != NULL ? MICA_OK : mica_store_no_calls_memory(error);
}

enum mica_status
mica_store_call_page(struct mica_store *store,
                     const struct mica_store_call_filter *filter,
                     struct mica_text after, size_t limit,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_calls *calls_out)
{
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_calls calls = {.count = 0};
    struct listing listing;
    unsigned refusal;

    MICA_TRY(mica_store_calls_limit(limit, error));
    fill_listing(filter, &listing);
    if (after.len > 0)
        MICA_TRY(start_behind(after, &listing, error));
    listing.values[7].number = (int64_t)limit + 1;
    MICA_TRY(mica_store_do(store, &call_page, listing.values, given, arena,
                           error, &refusal));
    MICA_TRY(take_page(&given[0], limit, arena, error, &calls));
    *calls_out = calls;
    return MICA_OK;
}

enum mica_status
mica_store_call_count(struct mica_store *store,
                      const struct mica_store_call_filter *filter,
                      struct mica_error *error, int64_t *count_out)
{
    struct mica_store_given given[1] = {{.count = 0}};
    struct listing listing;
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    *count_out = 0;
    fill_listing(filter, &listing);
    mica_arena_init(&arena, 1 << 12);
    status = mica_store_do(store, &call_count, listing.values, given, &arena,
                           error, &refusal);
    if (status == MICA_OK)
        *count_out = mica_store_given_row(&given[0], 0)[0].number;
    mica_arena_fini(&arena);
    return status;
}

// ---- Calls of a stream -----------------------------------------------------------

static const struct mica_store_operation answering = {
    .name = "answering",
    .takes = "bnn",
    .steps = {{.sql = "SELECT id, stream FROM calls WHERE session = ?1"
                      " AND held = 1 AND (?2 = 0 OR stream = ?2)"
                      " ORDER BY stream, id LIMIT ?3",
               .gives = "tn"}}};

enum mica_status
mica_store_answering(struct mica_store *store,
                     const struct mica_store_session_key *key, int64_t stream,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_answering *answering_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)),
        MICA_STORE_NUMBER(stream > 0 ? stream : 0),
        MICA_STORE_NUMBER(MICA_STORE_ANSWERING)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_answering out = {.count = 0};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &answering, values, given, arena, error,
                           &refusal));
    out.ids = mica_arena_zero(arena, given[0].count, sizeof *out.ids);
    out.streams = mica_arena_zero(arena, given[0].count, sizeof *out.streams);
    if (arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for the calls of a session.");
    for (; out.count < given[0].count; out.count++) {
        const union mica_store_value *row =
            mica_store_given_row(&given[0], out.count);
        out.ids[out.count] = row[0].text;
        out.streams[out.count] = row[1].number;
    }
    *answering_out = out;
    return MICA_OK;
}
