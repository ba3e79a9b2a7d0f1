// SPDX-License-Identifier: Apache-2.0
//
// What mica-auth.so gives to the program that loads it: one symbol, a struct of
// functions. Each is the function of auth.h with the same name. Program and
// module are of one build; `version` lets the loader make sure.
#ifndef MICA_AUTH_AUTH_MODULE_H
#define MICA_AUTH_AUTH_MODULE_H

#include "auth/auth.h"

struct mica_auth_state;

struct mica_auth_module {
    const char *version; // MICA_VERSION
    enum mica_status (*open)(const struct mica_auth_options *options,
                             struct mica_error *error,
                             struct mica_auth_state **state_out);
    void (*close)(struct mica_auth_state **state);
    enum mica_status (*check)(struct mica_auth_state *state,
                              struct mica_text authorization, unsigned count,
                              int64_t now_ms, unsigned wait_ms,
                              struct mica_arena *arena,
                              struct mica_auth_principal *principal_out,
                              struct mica_auth_refusal *refusal_out);
    void (*refuse_scope)(const struct mica_auth_state *state,
                         struct mica_text needed, struct mica_arena *arena,
                         struct mica_auth_refusal *refusal_out);
    bool (*serves)(const struct mica_auth_state *state, struct mica_text path);
    struct mica_text (*metadata)(const struct mica_auth_state *state);
};

// The number goes up when this struct, the options, the principal or the
// refusal change.
#define MICA_AUTH_SYMBOL "mica_auth_module_1"
__attribute__((visibility(
    "default"))) extern const struct mica_auth_module mica_auth_module_1;

#endif
