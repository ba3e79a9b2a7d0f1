// SPDX-License-Identifier: Apache-2.0
//
// "key=value" words into the JSON of a call, typed by the tool's input schema:
//
//     mode=of a=15 b=200          texts, choices, numbers, booleans as they are
//     values=1,2,3                a list; or one item each time: values=1 values=2
//     price.amount=10             inside a nested object or a map
//     rows='[{"n":1}]'            JSON where a list, an object or anything goes
//     note=null                   null where the schema allows it
#ifndef MICA_CLI_ARGUMENTS_H
#define MICA_CLI_ARGUMENTS_H

#include <mica/json.h>

// Errors: MICA_E_USAGE (no "="), MICA_E_UNKNOWN, MICA_E_TYPE, MICA_E_JSON,
// MICA_E_DUPLICATE; the path is that of the key. `json_out` is in the arena.
enum mica_status mica_arguments_read(struct mica_arena *arena,
                                     const struct mica_json *schema,
                                     const char *const *words, size_t count,
                                     struct mica_error *error,
                                     struct mica_text *json_out) MICA_MUST_USE;

#endif
