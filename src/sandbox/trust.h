// SPDX-License-Identifier: Apache-2.0
//
// Whether a file can have been written by somebody else.
#ifndef MICA_SANDBOX_TRUST_H
#define MICA_SANDBOX_TRUST_H

#include <limits.h>

#include <mica/base.h>

enum {
    MICA_SHA256_SIZE = 65
}; // as text: 64 digits and a NUL

// Fails with MICA_E_TRUST unless `path` (absolute, without links) and every
// folder above it belong to this user or root and nobody else may write them. A
// folder with the sticky bit (/tmp) may stand above the one with the file.
// Errors: MICA_E_TRUST, MICA_E_NOT_FOUND, MICA_E_IO.
enum mica_status mica_trust_path(const char *path, struct mica_error *error)
    MICA_MUST_USE;

// The absolute path, without links, of a folder of built engines or tools that
// nobody else can write. Errors: as mica_trust_path.
enum mica_status mica_trust_folder(const char *folder, struct mica_error *error,
                                   char path_out[PATH_MAX]) MICA_MUST_USE;

// The SHA-256 of a file in lower-case hexadecimal. Errors: MICA_E_NOT_FOUND,
// MICA_E_IO.
enum mica_status mica_trust_hash(const char *path, struct mica_error *error,
                                 char sha256_out[MICA_SHA256_SIZE])
    MICA_MUST_USE;

#endif
