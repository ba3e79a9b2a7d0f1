// SPDX-License-Identifier: Apache-2.0
//
// The files of an engine that browsers load: those inside the program, and those
// in the folder of built engines.
#ifndef MICA_SANDBOX_CARRIED_H
#define MICA_SANDBOX_CARRIED_H

#include "registry/catalog.h"
#include "sandbox/translated.h"

// Of an engine that is linked into the program. Errors: MICA_E_NOT_FOUND,
// MICA_E_ACCEPT (it is there only compressed).
enum mica_status mica_carried_linked(const struct mica_translated_files *files,
                                     enum mica_carried_file file, bool gzip,
                                     struct mica_error *error,
                                     struct mica_carried *carried_out)
    MICA_MUST_USE;

// Of a folder; the file must have that hash. Errors: MICA_E_NOT_FOUND,
// MICA_E_TRUST, MICA_E_IO, MICA_E_LIMIT.
enum mica_status mica_carried_read(const char *path, struct mica_text sha256,
                                   struct mica_arena *arena,
                                   struct mica_error *error,
                                   struct mica_carried *carried_out)
    MICA_MUST_USE;

#endif
