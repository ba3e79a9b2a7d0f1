// SPDX-License-Identifier: Apache-2.0
//
// Keys of providers: from the environment, a file or a credential of systemd.
#ifndef MICA_MODEL_MODEL_KEY_H
#define MICA_MODEL_MODEL_KEY_H

#include "model/model.h"

// Reads the key; without one `key_out` is empty. It is in `out`, of MICA_MODEL_KEY_SIZE
// bytes, which the caller wipes. Errors: as mica_model_key_check, without the key in them.
enum {
    MICA_MODEL_KEY_SIZE = 4097
};
enum mica_status
mica_model_key_read(const struct mica_model_provider_options *provider,
                    struct mica_error *error, char out[MICA_MODEL_KEY_SIZE],
                    struct mica_text *key_out) MICA_MUST_USE;

#endif
