// SPDX-License-Identifier: Apache-2.0
//
// A folder whose files NAME.md are prompts. While the server serves, the folder is
// watched: prompts come, go and change with their files.
#ifndef MICA_FILES_PROMPT_FOLDER_H
#define MICA_FILES_PROMPT_FOLDER_H

#include "server/server.h"

enum {
    MICA_PROMPT_FILES = 1000, // of a folder; others are left out
    MICA_PROMPT_WALK =
        10 * MICA_PROMPT_FILES // files of any kind that are looked at
};

// Is the file, by its path below the folder, one of a prompt: NAME.md of the folder itself?
bool mica_prompt_file_is(const char *path);

struct mica_prompts_options {
    bool awaited; // the folder may be missing, and is served while it is there
    bool
        lenient; // a file that is no prompt is noted and left out from the start
    // What happened, for people: a line without its end. From the watcher's thread,
    // too.
    void (*note)(void *data, const char *line);
    void *data;
};

// Offers each prompt of the folder `path`, and closes with the server. Before serving
// only. Owner: `options` is copied. Errors: MICA_E_NOT_FOUND, MICA_E_IO, MICA_E_LIMIT
// and, unless lenient, MICA_E_FORMAT and MICA_E_EXISTS of a file, which the message
// names.
enum mica_status
mica_server_add_prompts(struct mica_server *server, const char *path,
                        const struct mica_prompts_options *options,
                        struct mica_error *error) MICA_MUST_USE;

#endif
