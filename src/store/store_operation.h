// SPDX-License-Identifier: Apache-2.0
//
// Operations. An operation is a table of SQL statements that run in one transaction, in
// order, with the same values. Every rule is in the statements (WHERE, EXISTS, ON
// CONFLICT), so that a back end only binds and runs them, and one across a network
// sends them all at once. C reads what they give, to return it.
//
// The texts are in the dialect that SQLite 3.40 and PostgreSQL 15 have in common:
// ON CONFLICT, RETURNING, row values; CASE instead of iif() and of max() with two
// arguments; a name for each query in FROM; no LIMIT on DELETE or UPDATE; no statement
// that writes within WITH. Values are ?1, ?2, …; none is written into a text.
//
// The same values twice have the same outcome: where it is not known whether a
// transaction was committed, it is run again.
#ifndef MICA_STORE_OPERATION_H
#define MICA_STORE_OPERATION_H

#include <mica/store.h>

enum {
    MICA_STORE_STEPS = 16, // most of one operation
    MICA_STORE_VALUES = 48 // most of one operation
};

union mica_store_value {
    int64_t number;
    struct mica_text text; // also of bytes
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
    const char *gives; // the kinds of its columns; NULL: it gives no rows
    // Not 0: it has to give or change a row. Else the transaction is undone, and
    // this is its outcome.
    unsigned char refusal;
};

struct mica_store_part;

struct mica_store_operation {
    const char *name;
    bool writes;
    const char *takes; // the kinds of its values
    struct mica_store_step steps[MICA_STORE_STEPS];
    // Where doing it twice does twice as much: whether it was done. It is run first
    // when that is not known, and gives what the first step gives.
    struct mica_store_step done;
    // What it has changed of the totals (totals.h), once it is committed; or NULL. It
    // needs what the steps have given.
    void (*count)(struct mica_store *store, const struct mica_store_part *part);
};

// What a step has given.
struct mica_store_given {
    const union mica_store_value *values; // row by row
    size_t count;                         // of rows
    size_t width;                         // of a row
    size_t changed;                       // rows that it wrote
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

// Runs them in one transaction. `*refusal_out` is 0, or the refusal of the step that
// undid all; the status is MICA_OK both times. What is given is copied into `arena`,
// which may be NULL when no part wants it.
enum mica_status mica_store_perform(struct mica_store *store,
                                    const struct mica_store_part *parts,
                                    size_t count, struct mica_arena *arena,
                                    struct mica_error *error,
                                    unsigned *refusal_out) MICA_MUST_USE;

// The same with one part.
enum mica_status mica_store_do(struct mica_store *store,
                               const struct mica_store_operation *operation,
                               const union mica_store_value *values,
                               struct mica_store_given *given,
                               struct mica_arena *arena,
                               struct mica_error *error, unsigned *refusal_out)
    MICA_MUST_USE;

// Below mica_store_perform: all that the store keeps passes here, and the simulations
// take its place. `*unknown_out`: it failed, and may have been committed.
enum mica_status mica_store_run(struct mica_store *store,
                                const struct mica_store_part *parts,
                                size_t count, struct mica_arena *arena,
                                struct mica_error *error, unsigned *refusal_out,
                                bool *unknown_out) MICA_MUST_USE;

#endif
