// SPDX-License-Identifier: Apache-2.0
//
// A cache of what compilers made of an engine, so that the same translation is not
// compiled twice. It belongs to one user: files that are named by the hash of all
// that went in, each with a seal of this user (sandbox/seal.h) over name and content.
//
//   BUILD-1  an entry is taken only if this user's mica wrote it, whole, under this key;
//   BUILD-2  what comes out is inspected as if a compiler had just written it;
//   BUILD-3  no compiler reaches the folder: the parent alone reads and writes it;
//   BUILD-4  a cache that cannot be used makes a build slower and never fails it.
#ifndef MICA_BUILD_CACHE_H
#define MICA_BUILD_CACHE_H

#include <mica/base.h>

enum {
    MICA_CACHE_BYTES = 256 * 1024 * 1024, // of all entries
    MICA_CACHE_ENTRIES = 4096,
    MICA_CACHE_ENTRY_BYTES = 16 * 1024 * 1024, // of one
    MICA_CACHE_PATH_SIZE = 512
};

// The folder of this user's cache: what MICA_CACHE says, else $XDG_CACHE_HOME/mica/built,
// else ~/.cache/mica/built; "" for none (MICA_CACHE=off, or no home). It need not be
// there. Errors: MICA_E_USAGE: MICA_CACHE is neither "off" nor an absolute path.
enum mica_status mica_cache_folder(struct mica_error *error,
                                   char out[MICA_CACHE_PATH_SIZE])
    MICA_MUST_USE;

// Makes the folder when it is absent, for this user alone. Errors: MICA_E_TRUST
// (another user owns or can write it or a folder above), MICA_E_IO.
enum mica_status mica_cache_open(const char *folder, struct mica_error *error)
    MICA_MUST_USE;

// What was kept under that key, in `arena`. False when there is nothing; an entry that
// is damaged or that this user did not make is removed first.
bool mica_cache_find(const char *folder, const char *key,
                     struct mica_arena *arena, struct mica_text *content_out)
    MICA_MUST_USE;

// Keeps it, and removes the entries that were used longest ago until the rest fits.
// Readers and other writers see a whole entry or none. Errors: MICA_E_LIMIT (too
// large for an entry), MICA_E_IO, those of mica_seal_key.
enum mica_status mica_cache_keep(const char *folder, const char *key,
                                 struct mica_text content,
                                 struct mica_error *error) MICA_MUST_USE;

struct mica_cache_size {
    size_t entries;
    uint64_t bytes;
};

// What lies there now.
struct mica_cache_size mica_cache_measure(const char *folder);

#endif
