// SPDX-License-Identifier: Apache-2.0
//
// The program's side: loads mica-auth.so, and hands calls on. A program that never opens
// an auth maps none of its libraries.
#include "auth/auth_module.h"

#include <stdlib.h>

#include "build/program_module.h"

enum {
    FILE_MEMORY = 4 * 1024 * 1024
};

struct mica_auth {
    const struct mica_auth_module *module;
    struct mica_auth_state *state;
    size_t issuer_count;
    struct mica_arena arena; // of a file's options
    struct mica_auth_options options;
};

// ---- Loading -----------------------------------------------------------------

static enum mica_status
open_with(struct mica_auth *auth, const struct mica_auth_options *options,
          struct mica_error *error)
{
    const struct mica_program_module wanted = {.file = "mica-auth.so",
                                               .user = "authorization needs",
                                               .packages =
                                                   "libcurl4 and libssl3",
                                               .symbol = MICA_AUTH_SYMBOL,
                                               .path = options->module};
    const void *module;

    MICA_TRY(mica_program_module_load(&wanted, error, &module));
    auth->module = module;
    auth->issuer_count = options->issuers.count;
    return auth->module->open(options, error, &auth->state);
}

static struct mica_auth *
auth_make(struct mica_error *error)
{
    struct mica_auth *auth = calloc(1, sizeof *auth);

    if (auth == NULL)
        (void)mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
    else
        mica_arena_init(&auth->arena, FILE_MEMORY);
    return auth;
}

static void
auth_discard(struct mica_auth *auth)
{
    mica_arena_fini(&auth->arena);
    free(auth);
}

enum mica_status
mica_auth_open(const struct mica_auth_options *options,
               struct mica_error *error, struct mica_auth **auth_out)
{
    struct mica_auth *auth = auth_make(error);

    if (auth == NULL)
        return MICA_E_LIMIT;
    enum mica_status status = open_with(auth, options, error);
    if (status == MICA_OK)
        *auth_out = auth;
    else
        auth_discard(auth);
    return status;
}

enum mica_status
mica_auth_open_file(const char *pathz, struct mica_text endpoint,
                    const struct mica_app_hosts *app_hosts,
                    void (*report)(void *user, const char *messagez),
                    void *user, struct mica_error *error,
                    struct mica_auth **auth_out)
{
    struct mica_auth *auth = auth_make(error);
    enum mica_status status;

    if (auth == NULL)
        return MICA_E_LIMIT;
    status = mica_auth_options_read(pathz, endpoint, &auth->arena, error,
                                    &auth->options);
    if (status == MICA_OK) {
        auth->options.app_hosts = app_hosts;
        auth->options.report = report;
        auth->options.user = user;
        status = open_with(auth, &auth->options, error);
        if (status != MICA_OK)
            mica_error_prefix(error, "%s", pathz);
    }
    if (status == MICA_OK)
        *auth_out = auth;
    else
        auth_discard(auth);
    return status;
}

size_t
mica_auth_issuer_count(const struct mica_auth *auth)
{
    return auth->issuer_count;
}

void
mica_auth_close(struct mica_auth **auth)
{
    if (*auth == NULL)
        return;
    (*auth)->module->close(&(*auth)->state);
    auth_discard(*auth);
    *auth = NULL;
}

// ---- Handing on --------------------------------------------------------------

enum mica_status
mica_auth_check_at(struct mica_auth *auth, struct mica_text authorization,
                   unsigned count, struct mica_text app, int64_t now_ms,
                   unsigned wait_ms, struct mica_arena *arena,
                   struct mica_auth_principal *principal_out,
                   struct mica_auth_refusal *refusal_out)
{
    return auth->module->check(auth->state, authorization, count, app, now_ms,
                               wait_ms, arena, principal_out, refusal_out);
}

enum mica_status
mica_auth_check(struct mica_auth *auth, struct mica_text authorization,
                unsigned count, int64_t now_ms, unsigned wait_ms,
                struct mica_arena *arena,
                struct mica_auth_principal *principal_out,
                struct mica_auth_refusal *refusal_out)
{
    return mica_auth_check_at(auth, authorization, count,
                              (struct mica_text){NULL, 0}, now_ms, wait_ms,
                              arena, principal_out, refusal_out);
}

void
mica_auth_refuse_scope(struct mica_auth *auth, struct mica_text needed,
                       struct mica_text app, struct mica_arena *arena,
                       struct mica_auth_refusal *refusal_out)
{
    auth->module->refuse_scope(auth->state, needed, app, arena, refusal_out);
}

bool
mica_auth_serves(const struct mica_auth *auth, struct mica_text path)
{
    return auth->module->serves(auth->state, path);
}

struct mica_text
mica_auth_metadata_at(const struct mica_auth *auth, struct mica_text path,
                      struct mica_arena *arena)
{
    return auth->module->metadata(auth->state, path, arena);
}

struct mica_text
mica_auth_metadata_of(const struct mica_auth *auth, struct mica_text app,
                      struct mica_arena *arena)
{
    return auth->module->metadata_of(auth->state, app, arena);
}

struct mica_text
mica_auth_metadata(const struct mica_auth *auth)
{
    return mica_auth_metadata_at(auth, (struct mica_text){NULL, 0}, NULL);
}

// ---- Logins ------------------------------------------------------------------

const struct mica_login_site *
mica_login_site(const struct mica_auth *auth)
{
    return auth->module->login_site(auth->state);
}

enum mica_status
mica_login_begin(struct mica_auth *auth, struct mica_text party,
                 struct mica_text target, int64_t now_ms,
                 struct mica_arena *arena, struct mica_error *error,
                 struct mica_text *url_out, struct mica_text *id_out)
{
    return auth->module->login_begin(auth->state, party, target, now_ms, arena,
                                     error, url_out, id_out);
}

enum mica_status
mica_login_finish(struct mica_auth *auth, const struct mica_login_reply *reply,
                  int64_t now_ms, struct mica_arena *arena,
                  struct mica_error *error, struct mica_text *id_out,
                  struct mica_text *target_out)
{
    return auth->module->login_finish(auth->state, reply, now_ms, arena, error,
                                      id_out, target_out);
}

enum mica_login_answer
mica_login_check(struct mica_auth *auth, struct mica_text id, int64_t now_ms,
                 struct mica_arena *arena,
                 struct mica_auth_principal *principal_out,
                 struct mica_text *name_out,
                 struct mica_auth_refusal *refusal_out)
{
    return auth->module->login_check(auth->state, id, now_ms, arena,
                                     principal_out, name_out, refusal_out);
}

enum mica_status
mica_login_refresh(struct mica_auth *auth, struct mica_text id, int64_t now_ms,
                   struct mica_arena *arena, struct mica_error *error)
{
    return auth->module->login_refresh(auth->state, id, now_ms, arena, error);
}

void
mica_login_end(struct mica_auth *auth, struct mica_text id, int64_t now_ms,
               struct mica_arena *arena, struct mica_text *url_out)
{
    auth->module->login_end(auth->state, id, now_ms, arena, url_out);
}

void
mica_login_stop(struct mica_auth *auth)
{
    auth->module->login_stop(auth->state);
}

struct mica_login_counts
mica_login_counts(const struct mica_auth *auth)
{
    return auth->module->login_counts(auth->state);
}
