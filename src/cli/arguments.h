// SPDX-License-Identifier: Apache-2.0
//
// "key=value" words into the JSON of a call, typed by the tool's input schema:
//
//     mode=of a=15 b=200          texts, choices, numbers, booleans as they are
//     values=1,2,3                a list; or one item each time: values=1 values=2
//     price.amount=10             inside a nested object or a map
//     rows='[{"n":1}]'            JSON where a list, an object or anything goes
//     note=null                   null where the schema allows it
//     csv=@x.csv csv=@-           what is in a file, or comes on stdin
//     name=@@ada                  a text that begins with @
//
// A text takes all of a file. Anything else takes it without blanks and ends of lines
// around it, and a list takes an item from each line unless it is JSON.
#ifndef MICA_CLI_ARGUMENTS_H
#define MICA_CLI_ARGUMENTS_H

#include <mica/json.h>

// Where the text behind "@" comes from.
struct mica_argument_files {
    // Reads the file `namez`, or stdin ("-"), into memory that lives as long as the
    // arguments. Errors: of reading, without the key.
    enum mica_status (*read)(void *data, const char *namez,
                             struct mica_error *error,
                             struct mica_text *text_out);
    void *data;
};

// Errors: MICA_E_USAGE (no "=", stdin named twice), MICA_E_UNKNOWN, MICA_E_TYPE,
// MICA_E_JSON, MICA_E_DUPLICATE, MICA_E_FORMAT (a file that is no text) and those of `files`; the path is that of
// the key. `json_out` is in the arena.
enum mica_status mica_arguments_read(struct mica_arena *arena,
                                     const struct mica_json *schema,
                                     const char *const *words, size_t count,
                                     const struct mica_argument_files *files,
                                     struct mica_error *error,
                                     struct mica_text *json_out) MICA_MUST_USE;

#endif
