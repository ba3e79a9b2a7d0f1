// SPDX-License-Identifier: Apache-2.0
//
// Parts of mica that are loaded when they are needed (mica-auth.so, mica-model.so), so that
// a program that does not need them starts without their libraries.
#ifndef MICA_BUILD_PROGRAM_MODULE_H
#define MICA_BUILD_PROGRAM_MODULE_H

#include <mica/base.h>

struct mica_program_module {
    const char *file;      // "mica-auth.so"
    const char *user;      // who needs it, for messages: "authorization needs"
    const char *packages;  // of its libraries: "libcurl4 and libssl3"
    const char *symbol;    // its one symbol
    struct mica_text path; // where it is; empty: it is looked for
};

// Finds the module beside the program, in a folder above it, or where this build installs;
// makes sure that no other user can have written it; and loads it for good. `symbol_out` is
// a struct of the module whose first member is its version as text, the same as this
// program's. Errors: MICA_E_NOT_FOUND, MICA_E_TRUST, MICA_E_IO, MICA_E_USAGE.
enum mica_status
mica_program_module_load(const struct mica_program_module *wanted,
                         struct mica_error *error, const void **symbol_out)
    MICA_MUST_USE;

#endif
