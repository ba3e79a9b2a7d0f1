// SPDX-License-Identifier: Apache-2.0
//
// The program's side: finds mica-auth.so, makes sure that no other user can have
// written it, loads it, and hands calls on. A program that never opens an auth
// maps none of its libraries.
#include "auth/auth_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/installed.h"
#include "sandbox/trust.h"

// meson sets it; this serves the checkers.
#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

#define FILE_NAME "mica-auth.so"

enum {
    FOLDERS_UP = 4, // of the program in which the module is looked for
    FILE_MEMORY = 4 * 1024 * 1024
};

struct mica_auth {
    const struct mica_auth_module *module;
    struct mica_auth_state *state;
    size_t issuer_count;
    struct mica_arena arena; // of a file's options
    struct mica_auth_options options;
};

// ---- Finding -----------------------------------------------------------------

static bool
auth_take(char out[PATH_MAX], const char *root, const char *between)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/%s/%s", root, between, FILE_NAME);

    return len > 0 && (size_t)len < sizeof path && access(path, R_OK) == 0 &&
           realpath(path, out) != NULL;
}

static bool
in_root(char out[PATH_MAX], const char *root)
{
    return auth_take(out, root, ".") ||
           auth_take(out, root, mica_installed_folder);
}

// Beside the program or in a folder above it (a build folder, an installation
// that was moved), then where this build installs.
static bool
auth_find(char out[PATH_MAX])
{
    char root[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", root, sizeof root - 1);

    root[len > 0 ? len : 0] = '\0';
    for (int up = 0; up < FOLDERS_UP; up++) {
        char *slash = strrchr(root, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        if (in_root(out, root))
            return true;
    }
    return in_root(out, mica_installed_prefix);
}

static enum mica_status
auth_locate(struct mica_text given, struct mica_error *error,
            char out[PATH_MAX])
{
    char path[PATH_MAX];

    if (given.len > 0 && given.len < sizeof path) {
        memcpy(path, given.ptr, given.len);
        path[given.len] = '\0';
        if (realpath(path, out) != NULL)
            return MICA_OK;
    } else if (given.len == 0 && auth_find(out)) {
        return MICA_OK;
    }
    return mica_error_set(
        error, MICA_E_NOT_FOUND, "",
        "There is no module %.*s, which authorization needs. It is built and "
        "installed with mica, in %s/%s.",
        MICA_ARG(given.len > 0 ? given : MICA_LITERAL(FILE_NAME)),
        mica_installed_prefix, mica_installed_folder);
}

// ---- Loading -----------------------------------------------------------------

static enum mica_status
auth_load(const char *path, const struct mica_auth_options *options,
          struct mica_error *error, struct mica_auth *auth)
{
    MICA_TRY(mica_trust_path(path, error));
    // It stays: its libraries keep thread-local data and are never unloaded.
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "The module does not load: %s. Install the "
                              "packages libcurl4 and libssl3.",
                              dlerror());
    auth->module = dlsym(handle, MICA_AUTH_SYMBOL);
    if (auth->module == NULL ||
        strcmp(auth->module->version, MICA_VERSION) != 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is not of mica " MICA_VERSION
                              ". Install both from one build.",
                              path);
    return auth->module->open(options, error, &auth->state);
}

static enum mica_status
open_with(struct mica_auth *auth, const struct mica_auth_options *options,
          struct mica_error *error)
{
    char path[PATH_MAX];

    MICA_TRY(auth_locate(options->module, error, path));
    auth->issuer_count = options->issuers.count;
    return auth_load(path, options, error, auth);
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
mica_auth_check(struct mica_auth *auth, struct mica_text authorization,
                unsigned count, int64_t now_ms, unsigned wait_ms,
                struct mica_arena *arena,
                struct mica_auth_principal *principal_out,
                struct mica_auth_refusal *refusal_out)
{
    return auth->module->check(auth->state, authorization, count, now_ms,
                               wait_ms, arena, principal_out, refusal_out);
}

void
mica_auth_refuse_scope(struct mica_auth *auth, struct mica_text needed,
                       struct mica_arena *arena,
                       struct mica_auth_refusal *refusal_out)
{
    auth->module->refuse_scope(auth->state, needed, arena, refusal_out);
}

bool
mica_auth_serves(const struct mica_auth *auth, struct mica_text path)
{
    return auth->module->serves(auth->state, path);
}

struct mica_text
mica_auth_metadata(const struct mica_auth *auth)
{
    return auth->module->metadata(auth->state);
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
