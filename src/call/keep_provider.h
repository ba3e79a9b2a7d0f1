// SPDX-License-Identifier: Apache-2.0
//
// What runs the steps of mica/keep.h: the databases of a server (src/keep). The core
// knows it as a service of this name.
#ifndef MICA_CALL_KEEP_PROVIDER_H
#define MICA_CALL_KEEP_PROVIDER_H

#include <stdatomic.h>

#include "call/turn.h"

// The functions of <mica/tool.h> themselves, not its macros.
#ifndef MICA_TOOL_PLAIN
#    define MICA_TOOL_PLAIN
#endif
#include <mica/keep.h>

#define MICA_KEEP_SERVICE "mica-keep"

enum {
    MICA_KEEP_NAME_BYTES = 256,
    MICA_KEEP_VALUE_BYTES = 256 << 10, // of an entry, and of a bound value
    MICA_KEEP_ANSWER_BYTES = 256 << 10,
    MICA_KEEP_ROWS = 1000,
    MICA_KEEP_PAGE = 100, // entries of a page, unless the tool says how many
    MICA_KEEP_STATEMENTS = 32,
    MICA_KEEP_SQL_BYTES = 64 << 10,
    MICA_KEEP_EXPIRY_S = 366 * 24 * 60 * 60 // of an entry, from its step on
};

enum mica_keep_act {
    MICA_KEEP_PUT,
    MICA_KEEP_GET,
    MICA_KEEP_DELETE,
    MICA_KEEP_LIST,
    MICA_KEEP_SQL
};

// One step. Names, values and statements keep their limits.
struct mica_keep_order {
    struct mica_text key; // idempotency key
    // Milliseconds since 1970. An entry that has expired at `now` is absent.
    int64_t now;
    int64_t expires; // of its mark
    const struct mica_keep_place *place;
    enum mica_keep_act act;
    struct mica_text name;                // of the entry; of LIST the prefix
    struct mica_text after;               // LIST
    unsigned limit;                       // LIST
    struct mica_text value;               // PUT: JSON
    int64_t until;                        // PUT: when it expires; 0: never
    int64_t expect;                       // PUT, DELETE
    const struct mica_sql_statement *run; // SQL
    size_t count;
    const atomic_bool *cancelled; // or NULL
    // Reads the answer before the transaction is committed: what it refuses is undone.
    // It must return, and takes memory of the arena alone.
    enum mica_status (*read)(void *data, struct mica_text answer,
                             struct mica_error *error);
    void *data;
};

// The answer is JSON, by act:
//  PUT     {"version":N}
//  GET     {"version":N,"value":…}, without an entry {"version":0}
//  DELETE  {"version":N}, 0: there was none
//  LIST    {"entries":[{"name":…,"version":N,"value":…},…],"more":false}
//  SQL     {"rows":[{"column":…},…],"changes":N}
struct mica_keep_provider {
    // Blocks. Errors: those of mica/keep.h, MICA_E_CANCELLED, MICA_E_LIMIT, those of
    // `read`.
    enum mica_status (*run)(void *data, const struct mica_keep_order *order,
                            struct mica_arena *arena, struct mica_error *error);
    void *data;
};

// ---- Steps (keep_step.c) -----------------------------------------------------------

// What is recorded of a step.
struct mica_kept {
    int64_t version, rows, changes;
    struct mica_text json; // what the tool's record reads; empty: nothing
};

struct mica_keep_step {
    struct mica_call *call;
    const char *key; // of the step
    struct mica_keep_order order;
    struct mica_from value; // PUT: encoded into the order
    uint32_t lives_s;       // PUT: until the entry expires; 0: it does not
    struct mica_into into;  // record NULL: nothing is read
    void *scratch;          // a struct of `into`, while the answer is read
    // Takes what the step needs from the answer.
    enum mica_status (*take)(struct mica_keep_step *step,
                             const struct mica_json *answer,
                             struct mica_error *error);
    bool needs_one; // no entry and no row are an error
    struct mica_kept *kept;
};

// Runs the step, or reads what is recorded of it, into `kept_out` and step->into.
enum mica_status mica_keep_step_run(struct mica_keep_step *step,
                                    struct mica_kept *kept_out);

// Reads a value by step->into into kept->json. Errors: MICA_E_KEEP_VALUE, MICA_E_LIMIT.
enum mica_status mica_keep_step_decode(struct mica_keep_step *step,
                                       const struct mica_json *value,
                                       struct mica_error *error);

// The list of that name in the record of step->into, of structs; or NULL.
const struct mica_field *mica_keep_step_list(const struct mica_keep_step *step,
                                             const char *namez);

// A member of an answer; 0 if it has none.
int64_t mica_keep_answer_integer(const struct mica_json *answer,
                                 const char *namez);

#endif
