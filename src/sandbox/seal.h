// SPDX-License-Identifier: Apache-2.0
//
// Which translations this user has built. A folder that was cloned belongs to
// the user who cloned it, so owning a file proves nothing about where it came from.
// A build therefore leaves a seal beside its shared object, made with a key that
// only this user has; no other user can make one, and it fits no other object.
//
// The key lies in $XDG_STATE_HOME/mica/key, by default ~/.local/state/mica/key.
#ifndef MICA_SANDBOX_SEAL_H
#define MICA_SANDBOX_SEAL_H

#include "sandbox/trust.h"

enum {
    MICA_SEAL_KEY_SIZE = 32,
    // A word for the version, two hashes and a code, each with its end.
    MICA_SEAL_SIZE = 12 + 3 * MICA_SHA256_SIZE + 1
};

// The folder of mica's own files of this user, $XDG_STATE_HOME/mica, by default
// ~/.local/state/mica: made when it is absent, absolute, without links. `out` has
// room for PATH_MAX bytes. Errors: MICA_E_IO.
enum mica_status mica_state_folder(struct mica_error *error, char *out)
    MICA_MUST_USE;

struct mica_seal_key {
    unsigned char bytes[MICA_SEAL_KEY_SIZE];
};

// The key of this user, made at first use. Errors: MICA_E_IO (no place to
// keep it), MICA_E_TRUST (others can read or replace it).
// Threads: any number, in any number of processes.
enum mica_status mica_seal_key(struct mica_error *error,
                               struct mica_seal_key *key_out) MICA_MUST_USE;

// What a seal is for. A tool has no manifest that is believed: it has the hash of
// its object twice.
struct mica_sealed {
    char object[MICA_SHA256_SIZE], manifest[MICA_SHA256_SIZE];
};

// The text of <folder>/<slug>.seal. False when a hash is malformed.
bool mica_seal_write(const struct mica_seal_key *key, const char *slug,
                     const struct mica_sealed *sealed, char out[MICA_SEAL_SIZE])
    MICA_MUST_USE;

// Whether <folder>/<slug>.seal was made with the key, by a mica that seals as this
// one does; and what for. Reads nothing but the seal, so it is quick.
bool mica_seal_read(const struct mica_seal_key *key, const char *folder,
                    const char *slug, struct mica_sealed *sealed_out)
    MICA_MUST_USE;

// Fails with MICA_E_TRUST unless this user has sealed these hashes; NULL is not
// asked about. They are of what the caller holds, a descriptor or bytes, so that
// nothing is opened a second time. Other errors: as mica_seal_key.
enum mica_status mica_seal_check(const char *folder, const char *slug,
                                 const char *object, const char *manifest,
                                 struct mica_error *error) MICA_MUST_USE;

// Waits for a build that is putting its files into the folder, up to two seconds:
// what does not fit meanwhile may fit then.
void mica_seal_settle(const char *folder);

#endif
