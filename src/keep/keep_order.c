// SPDX-License-Identifier: Apache-2.0
//
// One order in one transaction: the tables of its tool, its act, and its mark. A mark
// has the idempotency key of a step and the answer that the step was given. It is written
// with the effect, so that a step which runs again, as its process died before the
// journal had the answer, is given the same answer and has no second effect.
//
// A mark stays until its call has expired, although the journal soon has the answer: a
// process that hangs, and has lost its call to another one, may still run the step.
#include "keep/keep_database.h"

enum {
    // An entry of the largest size, and what stands around it.
    ORDER_ANSWER_BYTES = MICA_KEEP_ANSWER_BYTES + 4096
};

// ---- Marks -------------------------------------------------------------------------

static enum mica_status
mark_find(struct mica_keep_database *database,
          const struct mica_keep_order *order, struct mica_error *error,
          struct mica_buffer *answer)
{
    sqlite3_stmt *statement = NULL;
    int code;

    database->replayed = false;
    if (order->key.len == 0)
        return MICA_OK;
    MICA_TRY(mica_keep_prepare(database,
                               "SELECT answer FROM mica_marks WHERE key = ?1",
                               error, &statement));
    (void)mica_keep_bind_text(statement, 1, order->key);
    code = sqlite3_step(statement);
    database->replayed = code == SQLITE_ROW;
    if (database->replayed)
        mica_buffer_text(answer, mica_keep_column_text(statement, 0));
    return mica_keep_finish(database, statement, code, error);
}

static enum mica_status
mark_put(struct mica_keep_database *database,
         const struct mica_keep_order *order, struct mica_text answer,
         struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;

    MICA_TRY(mica_keep_prepare(database,
                               "INSERT INTO mica_marks VALUES (?1, ?2, ?3)",
                               error, &statement));
    (void)mica_keep_bind_text(statement, 1, order->key);
    (void)mica_keep_bind_text(statement, 2, answer);
    (void)sqlite3_bind_int64(statement, 3, order->expires);
    return mica_keep_finish(database, statement, sqlite3_step(statement),
                            error);
}

// ---- A transaction -----------------------------------------------------------------

static enum mica_status
act_run(struct mica_keep_database *database,
        const struct mica_keep_order *order, bool writes,
        struct mica_error *error, struct mica_buffer *answer, bool *changes_out)
{
    enum mica_status status;

    *changes_out =
        order->act == MICA_KEEP_PUT || order->act == MICA_KEEP_DELETE;
    status = order->act == MICA_KEEP_SQL
                 ? mica_keep_rows_run(database, order, writes, error, answer,
                                      changes_out)
                 : mica_keep_entries_run(database, order, error, answer);
    if (status == MICA_OK && answer->overflow)
        status = mica_error_set(error, MICA_E_LIMIT, "",
                                "the call has no memory for its answer");
    return status;
}

// What is done in a transaction that only reads; *writes_out: it needs one that writes.
static enum mica_status
order_read(struct mica_keep_database *database,
           const struct mica_keep_order *order, struct mica_error *error,
           struct mica_buffer *answer, bool *writes_out)
{
    MICA_TRY(mark_find(database, order, error, answer));
    if (database->replayed)
        return order->read(order->data, mica_buffer_as_text(answer), error);
    MICA_TRY(mica_keep_tables(database, order->place->tables, false, error,
                              writes_out));
    if (*writes_out)
        return MICA_OK;
    MICA_TRY(act_run(database, order, false, error, answer, writes_out));
    return *writes_out
               ? MICA_OK
               : order->read(order->data, mica_buffer_as_text(answer), error);
}

static enum mica_status
order_write(struct mica_keep_database *database,
            const struct mica_keep_order *order, struct mica_error *error,
            struct mica_buffer *answer)
{
    bool missing, changes;

    MICA_TRY(mark_find(database, order, error, answer));
    if (database->replayed)
        return order->read(order->data, mica_buffer_as_text(answer), error);
    MICA_TRY(mica_keep_tables(database, order->place->tables, true, error,
                              &missing));
    MICA_TRY(act_run(database, order, true, error, answer, &changes));
    MICA_TRY(order->read(order->data, mica_buffer_as_text(answer), error));
    if (order->key.len == 0 || !changes)
        return MICA_OK;
    MICA_TRY(mica_keep_sweep(database, order->now, error));
    return mark_put(database, order, mica_buffer_as_text(answer), error);
}

// In one transaction, which is undone unless all goes well.
static enum mica_status
order_attempt(struct mica_keep_database *database,
              const struct mica_keep_order *order, struct mica_arena *arena,
              struct mica_error *error, bool *writes)
{
    struct mica_buffer answer;
    enum mica_status status;
    bool writing = *writes;
    unsigned expired = database->expired;

    mica_buffer_init(&answer, arena, ORDER_ANSWER_BYTES);
    mica_keep_set_deadline(database, MICA_KEEP_RUN_MS);
    MICA_TRY(
        mica_keep_exec(database, writing ? "BEGIN IMMEDIATE" : "BEGIN", error));
    mica_keep_set_deadline(database, MICA_KEEP_RUN_MS); // without the wait
    status = writing ? order_write(database, order, error, &answer)
                     : order_read(database, order, error, &answer, writes);
    // An order whose statements ended in time is not interrupted at its commit.
    mica_keep_set_deadline(database, MICA_KEEP_RUN_MS);
    database->cancelled = NULL;
    if (status == MICA_OK && *writes == writing)
        status = mica_keep_exec(database, "COMMIT", error);
    if (sqlite3_get_autocommit(database->sqlite) == 0)
        (void)mica_keep_exec(database, "ROLLBACK", NULL);
    if (status != MICA_OK)
        database->expired = expired;
    return status;
}

static enum mica_status
order_run_once(struct mica_keep_database *database,
               const struct mica_keep_order *order, struct mica_arena *arena,
               struct mica_error *error)
{
    bool writes = order->act == MICA_KEEP_PUT || order->act == MICA_KEEP_DELETE;
    bool reads_first = !writes;
    enum mica_status status;

    database->replayed = false;
    database->cancelled = order->cancelled;
    status = order_attempt(database, order, arena, error, &writes);
    if (status != MICA_OK || !reads_first || !writes)
        return status;
    database->cancelled = order->cancelled;
    return order_attempt(database, order, arena, error, &writes);
}

// Entries whose time has passed never make a database full: they are removed until the
// order has room.
enum mica_status
mica_keep_order_run(struct mica_keep_database *database,
                    const struct mica_keep_order *order,
                    struct mica_arena *arena, struct mica_error *error)
{
    enum mica_status status;

    database->expired = 0;
    status = order_run_once(database, order, arena, error);
    for (int i = 0; i < MICA_KEEP_RECLAIMS && status == MICA_E_KEEP_FULL &&
                    mica_keep_reclaim(database, order->now);
         i++)
        status = order_run_once(database, order, arena, error);
    return status;
}
