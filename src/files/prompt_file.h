// SPDX-License-Identifier: Apache-2.0
//
// Reads the file of a prompt: front matter between two lines "---", then the text
// with {{argument}} in it. docs/resources-and-prompts.md is the
// manual of the format.
#ifndef MICA_FILES_PROMPT_FILE_H
#define MICA_FILES_PROMPT_FILE_H

#include <mica/base.h>

enum {
    MICA_PROMPT_BYTES = 64 << 10, // of a file
    MICA_PROMPT_ARGUMENTS = 32    // of a prompt
};

struct mica_prompt_argument {
    struct mica_text name, description; // description may be empty
    bool required;
    bool used;     // the text has it
    unsigned line; // of its name
};

// Texts lie in the bytes that were read, or in the arena.
struct mica_prompt_file {
    struct mica_text name; // empty: that of the file
    struct mica_text title, description;
    struct mica_prompt_argument arguments[MICA_PROMPT_ARGUMENTS];
    size_t count;
    struct mica_text text; // checked: each {{name}} is an argument
};

// Errors, whose messages begin with "line N: " unless they are of the whole file:
// MICA_E_FORMAT, MICA_E_LIMIT. `bytes` must outlive the file.
enum mica_status mica_prompt_file_read(struct mica_arena *arena,
                                       struct mica_text bytes,
                                       struct mica_error *error,
                                       struct mica_prompt_file *file_out)
    MICA_MUST_USE;

// The text with values in the place of arguments; `values` are in their order. A value
// is copied as it is: {{name}} inside of it is text.
void mica_prompt_file_write(const struct mica_prompt_file *file,
                            const struct mica_text *values,
                            struct mica_buffer *out);

#endif
