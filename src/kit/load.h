// SPDX-License-Identifier: Apache-2.0
//
// A program of tests (mica/test.h) that was linked as a shared object, so that it
// uses the kit inside the program that runs it.
#ifndef MICA_KIT_LOAD_H
#define MICA_KIT_LOAD_H

#include <mica/base.h>

// Runs its main; *exit_out is what that returns. `words` are NULL-ended, behind
// the name of the program. Errors: MICA_E_IO (the linker's words).
enum mica_status mica_kit_load(const char *path, char **words,
                               struct mica_error *error, int *exit_out)
    MICA_MUST_USE;

#endif
