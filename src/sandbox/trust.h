// SPDX-License-Identifier: Apache-2.0
//
// Whether another user can have written a file.
#ifndef MICA_SANDBOX_TRUST_H
#define MICA_SANDBOX_TRUST_H

#include <limits.h>
#include <sys/stat.h>
#include <time.h>

#include <mica/base.h>

enum {
    MICA_SHA256_SIZE = 65,     // as text: 64 digits and a NUL
    MICA_TRUST_NAME_SIZE = 256 // of a name that mica_trust_name gives
};

// Fails with MICA_E_TRUST unless `path` (absolute, without links) and every
// folder above it belong to this user or root and no other user may write them. A
// folder with the sticky bit (/tmp) may stand above the one with the file.
// Errors: MICA_E_TRUST, MICA_E_NOT_FOUND, MICA_E_IO.
enum mica_status mica_trust_path(const char *path, struct mica_error *error)
    MICA_MUST_USE;

// The same for the folder of a store. The folder itself may not be sticky either: a
// database has files beside it, which others could make first.
enum mica_status mica_trust_store(const char *folder, struct mica_error *error)
    MICA_MUST_USE;

// The absolute path, without links, of a folder of built engines or tools that
// no other user can write. Errors: as mica_trust_path.
enum mica_status mica_trust_folder(const char *folder, struct mica_error *error,
                                   char path_out[PATH_MAX]) MICA_MUST_USE;

// Opens a file that no other user can write, and asks the descriptor again: what is
// read of that is what was checked, whatever has its name by then. Errors: as
// mica_trust_path. The caller closes it.
enum mica_status mica_trust_open(const char *path, struct mica_error *error,
                                 int *file_out) MICA_MUST_USE;

// The same for a file in a folder that mica_trust_folder has just found good, whose
// parents are not looked at again; st_out has what the descriptor said.
enum mica_status mica_trust_open_within(const char *path,
                                        struct mica_error *error, int *file_out,
                                        struct stat *st_out) MICA_MUST_USE;

// mica_trust_open for a file that says how mica serves; st_out has what the
// descriptor said.
enum mica_status mica_trust_open_settings(const char *path,
                                          struct mica_error *error,
                                          int *file_out, struct stat *st_out)
    MICA_MUST_USE;

// The SHA-256 of an open file, from its start; `path` is for messages. Errors:
// MICA_E_IO.
enum mica_status mica_trust_hash_file(int file, const char *path,
                                      struct mica_error *error,
                                      char sha256_out[MICA_SHA256_SIZE])
    MICA_MUST_USE;

// The same of bytes.
void mica_trust_hash_bytes(struct mica_text bytes,
                           char sha256_out[MICA_SHA256_SIZE]);

// All of an open file, at most `most` bytes. Errors: MICA_E_LIMIT, MICA_E_IO.
enum mica_status mica_trust_read(int file, const char *path, size_t most,
                                 struct mica_arena *arena,
                                 struct mica_error *error,
                                 struct mica_text *bytes_out) MICA_MUST_USE;

// What tells two versions of a file apart without reading them: a file that is put
// in its place is another inode, one that is written over has another time or size.
struct mica_file_version {
    struct timespec changed;
    off_t size;
    ino_t inode;
};

struct mica_file_version mica_file_version_of(const struct stat *st);
bool mica_file_version_is(const struct mica_file_version *a,
                          const struct mica_file_version *b);

// A name by which dlopen opens the file behind that descriptor and no other, and
// that no object had before. The descriptor may be closed once it is loaded.
// Errors: MICA_E_IO (no /proc).
enum mica_status mica_trust_name(int file, struct mica_error *error,
                                 char out[MICA_TRUST_NAME_SIZE]) MICA_MUST_USE;

// The SHA-256 of a file in lower-case hexadecimal. Never waits: what is no regular
// file is refused. Errors: MICA_E_NOT_FOUND, MICA_E_TRUST (no file), MICA_E_IO.
enum mica_status mica_trust_hash(const char *path, struct mica_error *error,
                                 char sha256_out[MICA_SHA256_SIZE])
    MICA_MUST_USE;

#endif
