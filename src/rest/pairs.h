// SPDX-License-Identifier: Apache-2.0
//
// Names and values, of a query or a command line, into the JSON of a call, typed
// by the tool's input schema:
//
//     mode=of a=15 b=200          texts, choices, numbers, booleans as they are
//     values=1,2,3                a list; or one item each time: values=1 values=2
//     price.amount=10             inside a nested object or a map
//     rows='[{"n":1}]'            JSON where a list, an object or anything goes
//     note=null                   null where the schema allows it
//
// A list of texts that is given several times is not split at commas.
#ifndef MICA_REST_PAIRS_H
#define MICA_REST_PAIRS_H

#include <mica/json.h>

struct mica_pair {
    struct mica_text name, value;
};

// `help` says what shows the names of all arguments, for a message. The path of an
// error is that of the key. `json_out` is in the arena.
// Errors: MICA_E_UNKNOWN, MICA_E_TYPE, MICA_E_JSON, MICA_E_DUPLICATE, MICA_E_LIMIT.
enum mica_status mica_pairs_read(struct mica_arena *arena,
                                 const struct mica_json *schema,
                                 const struct mica_pair *pairs, size_t count,
                                 const char *help, struct mica_error *error,
                                 struct mica_text *json_out) MICA_MUST_USE;

#endif
