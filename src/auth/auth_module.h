// SPDX-License-Identifier: Apache-2.0
//
// What mica-auth.so gives to the program that loads it: one symbol, a struct of
// functions. Each is the function of auth.h with the same name. Program and
// module are of one build; `version` lets the loader make sure.
#ifndef MICA_AUTH_AUTH_MODULE_H
#define MICA_AUTH_AUTH_MODULE_H

#include "auth/login.h"

struct mica_auth_state;

struct mica_auth_module {
    const char *version; // MICA_VERSION
    enum mica_status (*open)(const struct mica_auth_options *options,
                             struct mica_error *error,
                             struct mica_auth_state **state_out);
    void (*close)(struct mica_auth_state **state);
    enum mica_status (*check)(struct mica_auth_state *state,
                              struct mica_text authorization, unsigned count,
                              struct mica_text app, int64_t now_ms,
                              unsigned wait_ms, struct mica_arena *arena,
                              struct mica_auth_principal *principal_out,
                              struct mica_auth_refusal *refusal_out);
    void (*refuse_scope)(const struct mica_auth_state *state,
                         struct mica_text needed, struct mica_text app,
                         struct mica_arena *arena,
                         struct mica_auth_refusal *refusal_out);
    bool (*serves)(const struct mica_auth_state *state, struct mica_text path);
    struct mica_text (*metadata)(const struct mica_auth_state *state,
                                 struct mica_text path,
                                 struct mica_arena *arena);
    struct mica_text (*metadata_of)(const struct mica_auth_state *state,
                                    struct mica_text app,
                                    struct mica_arena *arena);
    // Of login.h; only `login_site` may be called when there is no login.
    const struct mica_login_site *(*login_site)(
        const struct mica_auth_state *state);
    enum mica_status (*login_begin)(struct mica_auth_state *state,
                                    struct mica_text party,
                                    struct mica_text target, int64_t now_ms,
                                    struct mica_arena *arena,
                                    struct mica_error *error,
                                    struct mica_text *url_out,
                                    struct mica_text *id_out);
    enum mica_status (*login_finish)(struct mica_auth_state *state,
                                     const struct mica_login_reply *reply,
                                     int64_t now_ms, struct mica_arena *arena,
                                     struct mica_error *error,
                                     struct mica_text *id_out,
                                     struct mica_text *target_out);
    enum mica_login_answer (*login_check)(
        struct mica_auth_state *state, struct mica_text id, int64_t now_ms,
        struct mica_arena *arena, struct mica_auth_principal *principal_out,
        struct mica_text *name_out, struct mica_auth_refusal *refusal_out);
    enum mica_status (*login_refresh)(struct mica_auth_state *state,
                                      struct mica_text id, int64_t now_ms,
                                      struct mica_arena *arena,
                                      struct mica_error *error);
    void (*login_end)(struct mica_auth_state *state, struct mica_text id,
                      int64_t now_ms, struct mica_arena *arena,
                      struct mica_text *url_out);
    void (*login_stop)(struct mica_auth_state *state);
    struct mica_login_counts (*login_counts)(struct mica_auth_state *state);
};

// The number goes up when this struct, the options, the principal or the
// refusal change.
#define MICA_AUTH_SYMBOL "mica_auth_module_4"
__attribute__((visibility(
    "default"))) extern const struct mica_auth_module mica_auth_module_4;

#endif
