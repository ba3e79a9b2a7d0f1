// SPDX-License-Identifier: Apache-2.0
//
// Operations. An operation is a table of SQL statements that run in one transaction, in
// order, with the same values. Every rule is in the statements (WHERE, EXISTS, ON
// CONFLICT). So a back end only binds and runs them, and a back end across a network can
// send them all at once. The C code reads the rows that they return.
//
// The SQL is the common dialect of SQLite 3.40 and PostgreSQL 15:
// ON CONFLICT, RETURNING, row values; CASE instead of iif() and of max() with two
// arguments; a name for each query in FROM; no LIMIT on DELETE or UPDATE; no statement
// that writes within WITH. Values are ?1, ?2, …; no value is part of the SQL text.
//
// An operation that runs twice with the same values has the same outcome as once: mica runs a
// transaction again when it is unknown whether it was committed.
#ifndef MICA_STORE_OPERATION_H
#define MICA_STORE_OPERATION_H

#include <mica/store.h>

enum {
    MICA_STORE_STEPS = 16, // of one operation, at most
    MICA_STORE_VALUES = 48 // of one operation, at most
};

union mica_store_value {
    int64_t number;
    struct mica_text text; // a text or bytes
};

#define MICA_STORE_NUMBER(value) \
    {                            \
        .number = (value)        \
    }
#define MICA_STORE_TEXT(value) \
    {                          \
        .text = (value)        \
    }

// The kind of a value or a column: 'n' a number, 't' a text, 'b' bytes.
struct mica_store_step {
    const char *sql;
    const char *gives; // the kinds of its columns; NULL: it returns no rows
    // Not 0: the step must return or change a row. If it does not, the transaction is rolled
    // back with this refusal.
    unsigned char refusal;
};

struct mica_store_part;

struct mica_store_operation {
    const char *name;
    bool writes;
    const char *takes; // the kinds of its values
    struct mica_store_step steps[MICA_STORE_STEPS];
    // For an operation that must not run twice: a query that returns a row if the operation
    // was committed, with the columns of the first step. It runs when that is unknown.
    struct mica_store_step done;
    // Counts what the operation has changed in the totals (totals.h), after its commit; or
    // NULL. It reads what the steps have returned.
    void (*count)(struct mica_store *store, const struct mica_store_part *part);
};

// The rows that a step has returned.
struct mica_store_given {
    const union mica_store_value *values; // row by row
    size_t count;                         // of rows
    size_t width;                         // of a row
    size_t changed;                       // rows that the step has written
};

// An operation with its values. A transaction has one or more of them.
struct mica_store_part {
    const struct mica_store_operation *operation;
    const union mica_store_value *values;
    struct mica_store_given *given; // for each step, or NULL
};

static inline const union mica_store_value *
mica_store_given_row(const struct mica_store_given *given, size_t row)
{
    return given->values + row * given->width;
}

// Runs the parts in one transaction. Sets *refusal_out to 0, or to the refusal of the step that
// rolled it back; the status is MICA_OK in both cases. Copies returned rows into `arena`, which
// may be NULL if no part returns rows.
enum mica_status mica_store_perform(struct mica_store *store,
                                    const struct mica_store_part *parts,
                                    size_t count, struct mica_arena *arena,
                                    struct mica_error *error,
                                    unsigned *refusal_out) MICA_MUST_USE;

// Runs one operation.
enum mica_status mica_store_do(struct mica_store *store,
                               const struct mica_store_operation *operation,
                               const union mica_store_value *values,
                               struct mica_store_given *given,
                               struct mica_arena *arena,
                               struct mica_error *error, unsigned *refusal_out)
    MICA_MUST_USE;

// Runs the parts on the back end. Every read and write of the store calls this function;
// simulations replace it. Sets *unknown_out if it failed and may have committed.
enum mica_status mica_store_run(struct mica_store *store,
                                const struct mica_store_part *parts,
                                size_t count, struct mica_arena *arena,
                                struct mica_error *error, unsigned *refusal_out,
                                bool *unknown_out) MICA_MUST_USE;

#endif
