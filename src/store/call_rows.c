// SPDX-License-Identifier: Apache-2.0
//
// A call as rows. What is looked at and changed at each step is one small row;
// what the call was asked, and what its turns leave, lie in two others, so that a
// claim or a renewal does not copy a journal.
#include "store/calls.h"

enum mica_status
mica_store_no_call(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no such call, or it has expired; begin "
                          "another.");
}

enum mica_status
mica_store_call_row(struct mica_store *within, struct mica_text id,
                    struct mica_error *error, bool *found_out,
                    struct mica_store_row *row_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS, .equal = 1};

    range.values[0].text = id;
    return mica_store_first(within, range, error, found_out, row_out);
}

// A row that belongs to a call.
static enum mica_status
part_of(struct mica_store *within, enum mica_store_table table,
        const struct mica_store_row *row, unsigned columns,
        struct mica_arena *arena, struct mica_error *error,
        struct mica_store_row *part_out)
{
    struct mica_store_range range = {
        .table = table, .equal = 1, .columns = columns, .limit = 1};
    struct mica_store_rows rows;

    range.values[0] = row->values[MICA_CALL_ID];
    MICA_TRY(mica_store_scan(within, &range, arena, error, &rows));
    if (rows.count == 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "The store has a part of a call only; run "
                              "\"mica store check\".");
    *part_out = rows.items[0];
    return MICA_OK;
}

enum mica_status
mica_store_call_session(struct mica_store *within,
                        const struct mica_store_row *row,
                        struct mica_error *error,
                        struct mica_store_row *request_out)
{
    return part_of(within, MICA_STORE_REQUESTS, row,
                   MICA_COLUMN(MICA_REQUEST_CALL) |
                       MICA_COLUMN(MICA_REQUEST_WAY) |
                       MICA_COLUMN(MICA_REQUEST_SESSION) |
                       MICA_COLUMN(MICA_REQUEST_STREAM),
                   NULL, error, request_out);
}

// ---- Writing -------------------------------------------------------------------

// When somebody has to look at it again.
static int64_t
wakes(const union mica_store_value *values)
{
    int64_t due = values[MICA_CALL_DUE].number;
    int64_t expires = values[MICA_CALL_EXPIRES].number;

    if (values[MICA_CALL_ENDED].number != 0)
        return expires;
    if (values[MICA_CALL_LEASE].number != 0)
        return values[MICA_CALL_LEASE].number;
    if (due == MICA_STORE_CALL_GIVEN_UP)
        return 0;
    if (values[MICA_CALL_STATE].number == MICA_STORE_CALL_WORKING)
        return values[MICA_CALL_CHANGED].number + MICA_STORE_CALL_GRACE_MS;
    return due < expires ? due : expires;
}

enum mica_status
mica_store_call_update(struct mica_store *within, struct mica_store_row *row,
                       unsigned columns, struct mica_error *error)
{
    row->values[MICA_CALL_WAKES].number = wakes(row->values);
    return mica_store_update(within, MICA_STORE_CALLS,
                             columns | MICA_COLUMN(MICA_CALL_WAKES), row,
                             error);
}

static void
write_request(const struct mica_store_call *call, struct mica_store_row *row)
{
    union mica_store_value *values = row->values;

    values[MICA_REQUEST_CALL].text = call->id;
    values[MICA_REQUEST_ISSUER].text = call->owner.issuer;
    values[MICA_REQUEST_SUBJECT].text = call->owner.subject;
    values[MICA_REQUEST_WAY].number = call->way;
    values[MICA_REQUEST_OFFER].number = call->offer;
    values[MICA_REQUEST_TARGET].text = call->target;
    values[MICA_REQUEST_VERSION].text = call->version;
    values[MICA_REQUEST_SESSION].text = call->session;
    values[MICA_REQUEST_STREAM].number = call->stream;
    values[MICA_REQUEST_CREATED].number = call->created;
    values[MICA_REQUEST_ARGUMENTS].text = call->arguments;
    values[MICA_REQUEST_CONTEXT].text = call->context;
}

static void
write_turn(const struct mica_store_call *call, struct mica_store_row *row)
{
    union mica_store_value *values = row->values;

    values[MICA_JOURNAL_CALL].text = call->id;
    values[MICA_JOURNAL_JOURNAL].text = call->journal;
    values[MICA_JOURNAL_ASKS].text = call->asks;
    values[MICA_JOURNAL_REPLY].text = call->reply;
    values[MICA_JOURNAL_NOTE].text = call->note;
    values[MICA_JOURNAL_TOLD].text = call->told;
}

enum mica_status
mica_store_call_write_turn(struct mica_store *within,
                           const struct mica_store_call *call,
                           struct mica_error *error)
{
    struct mica_store_row row;

    write_turn(call, &row);
    return mica_store_update(
        within, MICA_STORE_JOURNALS,
        MICA_COLUMN(MICA_JOURNAL_JOURNAL) | MICA_COLUMN(MICA_JOURNAL_ASKS) |
            MICA_COLUMN(MICA_JOURNAL_REPLY) | MICA_COLUMN(MICA_JOURNAL_NOTE) |
            MICA_COLUMN(MICA_JOURNAL_TOLD),
        &row, error);
}

enum mica_status
mica_store_call_insert(struct mica_store *within,
                       const struct mica_store_call *call, int64_t lease,
                       int64_t node, struct mica_error *error)
{
    struct mica_store_row row, request, turn;
    union mica_store_value *values = row.values;

    values[MICA_CALL_ID].text = call->id;
    values[MICA_CALL_ENDED].number = 0;
    values[MICA_CALL_STATE].number = (int64_t)call->state;
    values[MICA_CALL_ROUND].number = call->round;
    values[MICA_CALL_CHANGED].number = call->changed;
    values[MICA_CALL_EXPIRES].number = call->expires;
    values[MICA_CALL_DUE].number = call->due;
    values[MICA_CALL_FENCE].number = call->fence;
    values[MICA_CALL_LEASE].number = lease;
    values[MICA_CALL_BYTES].number = call->bytes;
    values[MICA_CALL_KEPT].number = (int64_t)mica_store_call_fixed_bytes(call);
    values[MICA_CALL_ATTEMPTS].number = 0;
    values[MICA_CALL_BUILD].number =
        mica_store_build_number(call->offer, call->target, call->version);
    values[MICA_CALL_HOLDER].number = node;
    values[MICA_CALL_TARGET].text = call->target;
    values[MICA_CALL_SUBJECT].text = call->owner.subject;
    values[MICA_CALL_CREATED].number = call->created;
    values[MICA_CALL_WAKES].number = wakes(values);
    write_request(call, &request);
    write_turn(call, &turn);
    enum mica_status status =
        mica_store_insert(within, MICA_STORE_CALLS, &row, error);
    if (status == MICA_E_EXISTS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "There is a call with that id already.");
    MICA_TRY(status);
    MICA_TRY(mica_store_insert(within, MICA_STORE_REQUESTS, &request, error));
    return mica_store_insert(within, MICA_STORE_JOURNALS, &turn, error);
}

// ---- Reading -------------------------------------------------------------------

static void
read_row(const struct mica_store_row *row, struct mica_store_call *call)
{
    const union mica_store_value *values = row->values;

    call->state = (enum mica_store_call_state)values[MICA_CALL_STATE].number;
    call->round = (uint32_t)values[MICA_CALL_ROUND].number;
    call->changed = values[MICA_CALL_CHANGED].number;
    call->expires = values[MICA_CALL_EXPIRES].number;
    call->due = values[MICA_CALL_DUE].number;
    call->attempts = (uint32_t)values[MICA_CALL_ATTEMPTS].number;
    call->bytes = values[MICA_CALL_BYTES].number;
}

static void
read_request(const struct mica_store_row *row, struct mica_store_call *call)
{
    const union mica_store_value *values = row->values;

    call->id = values[MICA_REQUEST_CALL].text;
    call->owner.issuer = values[MICA_REQUEST_ISSUER].text;
    call->owner.subject = values[MICA_REQUEST_SUBJECT].text;
    call->way = (int)values[MICA_REQUEST_WAY].number;
    call->offer = (int)values[MICA_REQUEST_OFFER].number;
    call->target = values[MICA_REQUEST_TARGET].text;
    call->version = values[MICA_REQUEST_VERSION].text;
    call->session = values[MICA_REQUEST_SESSION].text;
    call->stream = values[MICA_REQUEST_STREAM].number;
    call->created = values[MICA_REQUEST_CREATED].number;
    call->arguments = values[MICA_REQUEST_ARGUMENTS].text;
    call->context = values[MICA_REQUEST_CONTEXT].text;
}

static void
read_turn(const struct mica_store_row *row, struct mica_store_call *call)
{
    const union mica_store_value *values = row->values;

    call->journal = values[MICA_JOURNAL_JOURNAL].text;
    call->asks = values[MICA_JOURNAL_ASKS].text;
    call->reply = values[MICA_JOURNAL_REPLY].text;
    call->note = values[MICA_JOURNAL_NOTE].text;
    call->told = values[MICA_JOURNAL_TOLD].text;
}

enum mica_status
mica_store_call_read(struct mica_store *within,
                     const struct mica_store_row *row, unsigned requests,
                     unsigned journals, struct mica_arena *arena,
                     struct mica_error *error, struct mica_store_call *call_out)
{
    struct mica_store_row request = {.values = {{.number = 0}}}, turn = request;
    struct mica_store_call call = {.fence = 0};

    MICA_TRY(part_of(within, MICA_STORE_REQUESTS, row, requests, arena, error,
                     &request));
    MICA_TRY(part_of(within, MICA_STORE_JOURNALS, row, journals, arena, error,
                     &turn));
    read_row(row, &call);
    read_request(&request, &call);
    read_turn(&turn, &call);
    *call_out = call;
    return MICA_OK;
}

// ---- Sizes ---------------------------------------------------------------------

size_t
mica_store_call_fixed_bytes(const struct mica_store_call *call)
{
    return call->owner.issuer.len + call->owner.subject.len + call->target.len +
           call->version.len + call->session.len + call->arguments.len +
           call->context.len;
}

size_t
mica_store_call_turn_bytes(const struct mica_store_call *call)
{
    return call->journal.len + call->asks.len + call->reply.len +
           call->note.len + call->told.len;
}

enum mica_status
mica_store_call_check(const struct mica_store_call *call,
                      struct mica_error *error)
{
    const struct {
        const char *what;
        struct mica_text text;
    } texts[] = {{"The id", call->id},
                 {"The issuer", call->owner.issuer},
                 {"The subject", call->owner.subject},
                 {"The target", call->target},
                 {"The version", call->version},
                 {"The arguments", call->arguments},
                 {"The context", call->context},
                 {"What is asked", call->asks},
                 {"The reply", call->reply},
                 {"The note", call->note},
                 {"What is told", call->told}};

    for (size_t i = 0; i < MICA_COUNT(texts); i++)
        MICA_TRY(mica_store_text(texts[i].text, texts[i].what, error));
    if (call->id.len == 0 || call->id.len > MICA_STORE_CALL_ID_BYTES)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The id of a call has 1 to %d bytes, not %zu.",
                              MICA_STORE_CALL_ID_BYTES, call->id.len);
    if (call->session.len != 0 &&
        call->session.len != sizeof(struct mica_store_session_key))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The session of a call is named by its key, 32 "
                              "bytes, not by %zu.",
                              call->session.len);
    return MICA_OK;
}

// ---- Removing ------------------------------------------------------------------

static enum mica_status
forget_owner(struct mica_store *within, const struct mica_store_row *row,
             struct mica_error *error)
{
    struct mica_store_row request;

    MICA_TRY(part_of(within, MICA_STORE_REQUESTS, row,
                     MICA_COLUMN(MICA_REQUEST_ISSUER) |
                         MICA_COLUMN(MICA_REQUEST_SUBJECT),
                     NULL, error, &request));
    return mica_store_caller_add(
        within,
        &(struct mica_store_owner){request.values[MICA_REQUEST_ISSUER].text,
                                   request.values[MICA_REQUEST_SUBJECT].text},
        -1, error);
}

enum mica_status
mica_store_call_remove(struct mica_store *within,
                       const struct mica_store_row *row, int64_t now,
                       struct mica_error *error)
{
    static const enum mica_store_table parts[] = {
        MICA_STORE_REQUESTS, MICA_STORE_JOURNALS, MICA_STORE_CALLS};
    struct mica_store_row request;
    size_t removed;

    if (!mica_store_call_ended(row)) {
        MICA_TRY(mica_store_call_session(within, row, error, &request));
        MICA_TRY(mica_store_let_go(within, &request, now, error));
        MICA_TRY(mica_store_add(within, MICA_COUNT_OPEN_CALLS, -1, error));
    }
    MICA_TRY(forget_owner(within, row, error));
    MICA_TRY(mica_store_call_keys_remove(within, row->values[MICA_CALL_ID].text,
                                         error));
    MICA_TRY(mica_store_rounds_remove(within, row, error));
    // Each of these tables begins with the id of the call.
    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        MICA_TRY(mica_store_remove(within, parts[i], 1, row, error, &removed));
    MICA_TRY(mica_store_add(within, MICA_COUNT_CALL_BYTES,
                            -row->values[MICA_CALL_BYTES].number, error));
    return mica_store_add(within, MICA_COUNT_CALLS, -1, error);
}
