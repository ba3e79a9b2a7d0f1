// SPDX-License-Identifier: Apache-2.0
//
// The files that `mica new` makes: how each is written.
#ifndef MICA_CLI_NEW_FILE_H
#define MICA_CLI_NEW_FILE_H

#include <mica/base.h>

// Refuses a path that has a file already, with MICA_E_EXISTS.
enum mica_status mica_new_exists(const char *path, struct mica_error *error)
    MICA_MUST_USE;

// Writes a new file, never over one that is there. Errors: MICA_E_EXISTS, MICA_E_IO.
enum mica_status mica_new_write(const char *path, struct mica_text text,
                                struct mica_error *error) MICA_MUST_USE;

#endif
