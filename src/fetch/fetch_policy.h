// SPDX-License-Identifier: Apache-2.0
//
// What a project allows its tools to fetch: origins, secrets and a proxy.
#ifndef MICA_FETCH_FETCH_POLICY_H
#define MICA_FETCH_FETCH_POLICY_H

#include <mica/server.h>

#include "base/url.h"

enum {
    MICA_FETCH_ORIGINS = 256, // of each list
    MICA_FETCH_SECRETS = 64,
    MICA_FETCH_SECRET_LEAST = 8, // bytes of one
    MICA_FETCH_SECRET_MOST = 4096
};

struct mica_fetch_policy {
    struct mica_text *allow, *is_private; // origins
    size_t allow_count, private_count;
    struct mica_fetch_secret *secrets;
    size_t secret_count;
    const char *proxy; // NULL: none
};

// Checks and copies the options into `arena`. Errors: MICA_E_FORMAT, MICA_E_LIMIT.
enum mica_status
mica_fetch_policy_make(const struct mica_fetch_options *options,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_fetch_policy *policy_out) MICA_MUST_USE;

// May an origin be used, and do private addresses belong to it? Errors:
// MICA_E_FETCH_ADDRESS, with the line for the file.
enum mica_status mica_fetch_policy_find(const struct mica_fetch_policy *policy,
                                        struct mica_text origin,
                                        struct mica_error *error,
                                        bool *private_out) MICA_MUST_USE;

// Can a value be a secret: what can stand in a header, and is long enough to be found in an
// answer?
bool mica_fetch_secret_valid(struct mica_text value);

// The value of a secret for that URL. `value_out` points into the environment.
// Errors: MICA_E_FETCH_SECRET.
enum mica_status
mica_fetch_policy_secret(const struct mica_fetch_policy *policy,
                         const char *namez, const struct mica_url *url,
                         struct mica_error *error, const char **value_out)
    MICA_MUST_USE;

#endif
