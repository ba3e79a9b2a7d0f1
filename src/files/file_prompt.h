// SPDX-License-Identifier: Apache-2.0
//
// Makes a definition of the file of a prompt: its arguments become a record of texts,
// so that they are checked, listed and completed as those of any other prompt.
#ifndef MICA_FILES_FILE_PROMPT_H
#define MICA_FILES_FILE_PROMPT_H

#include "registry/definition.h"

// `file` is "review.md", from which the name is taken unless the front matter has one.
// `bytes` are copied. The caller holds the definition. Errors: those of
// mica_prompt_file_read and mica_server_add_prompt.
enum mica_status mica_prompt_definition(struct mica_text file,
                                        struct mica_text bytes,
                                        struct mica_error *error,
                                        struct mica_definition **definition_out)
    MICA_MUST_USE;

#endif
