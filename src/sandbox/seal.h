// SPDX-License-Identifier: Apache-2.0
//
// Which translations this user has built. A folder that was cloned belongs to
// whoever cloned it, so owning a file proves nothing about where it came from.
// A build therefore leaves a seal beside its shared object, made with a key that
// only this user has; nobody else can make one, and it fits no other object.
//
// The key lies in $XDG_STATE_HOME/mica/key, by default ~/.local/state/mica/key.
#ifndef MICA_SANDBOX_SEAL_H
#define MICA_SANDBOX_SEAL_H

#include "sandbox/trust.h"

enum {
    MICA_SEAL_KEY_SIZE = 32,
    MICA_SEAL_SIZE = 2 * MICA_SHA256_SIZE + 1 // two hashes, each with its end
};

// The folder of mica's own files of this user, $XDG_STATE_HOME/mica, by default
// ~/.local/state/mica: made when it is absent, absolute, without links. `out` has
// room for PATH_MAX bytes. Errors: MICA_E_IO.
enum mica_status mica_state_folder(struct mica_error *error, char *out)
    MICA_MUST_USE;

struct mica_seal_key {
    unsigned char bytes[MICA_SEAL_KEY_SIZE];
};

// The key of this user, made when there is none. Errors: MICA_E_IO (no place to
// keep it), MICA_E_TRUST (others can read or replace it).
// Threads: any number, in any number of processes.
enum mica_status mica_seal_key(struct mica_error *error,
                               struct mica_seal_key *key_out) MICA_MUST_USE;

// The text of <folder>/<slug>.seal for an object of that SHA-256.
void mica_seal_write(const struct mica_seal_key *key, const char *slug,
                     const char *sha256, char out[MICA_SEAL_SIZE]);

// Whether <folder>/<slug>.seal was made with the key; `sha256_out` is that of
// the object it was made for. Reads no object, so it is quick.
bool mica_seal_read(const struct mica_seal_key *key, const char *folder,
                    const char *slug, char sha256_out[MICA_SHA256_SIZE]);

// Fails with MICA_E_TRUST unless the seal is for `object`, which is hashed, and
// was made by this user. Other errors: as mica_seal_key and mica_trust_hash.
enum mica_status mica_seal_check(const char *folder, const char *slug,
                                 const char *object, struct mica_error *error)
    MICA_MUST_USE;

#endif
