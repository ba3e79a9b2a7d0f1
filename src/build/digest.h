// SPDX-License-Identifier: Apache-2.0
//
// A hash over the parts that a build is made from: texts, files, folders of files.
#ifndef MICA_BUILD_DIGEST_H
#define MICA_BUILD_DIGEST_H

#include <sodium.h>

#include "sandbox/trust.h"

struct mica_digest {
    crypto_hash_sha256_state state;
};

void mica_digest_begin(struct mica_digest *digest);

// Each part with its length, so that two parts cannot be taken for others.
void mica_digest_text(struct mica_digest *digest, struct mica_text part);

// What the file holds, not its name. Errors: as mica_trust_hash, and MICA_E_BUILD
// (no regular file).
enum mica_status mica_digest_file(struct mica_digest *digest, const char *path,
                                  struct mica_error *error) MICA_MUST_USE;

// All files of a folder whose names end in one of `endings` (NULL-ended), in the
// order of their names, with these. Errors: MICA_E_NOT_FOUND (no folder), those of
// the files.
enum mica_status mica_digest_folder(struct mica_digest *digest,
                                    const char *folder,
                                    const char *const *endings,
                                    struct mica_error *error) MICA_MUST_USE;

void mica_digest_end(struct mica_digest *digest, char out[MICA_SHA256_SIZE]);

#endif
