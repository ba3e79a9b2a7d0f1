// SPDX-License-Identifier: Apache-2.0
//
// Opening the logins: the options of `login`, the client's secret, and what browsers
// see of this server.
#include "auth/login_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    ARENA_BYTES = 4 * 1024 * 1024,
    CLIENT_BYTES = 256, // of client_id
    MOST_MAX_AGE_S = 30 * 24 * 60 * 60,
    COOKIE_BYTES = 64
};

static enum mica_status
wrong_login(struct mica_error *error, const char *pathz, const char *why)
{
    return mica_error_set(error, MICA_E_USAGE, pathz, "%s: %s.", pathz + 1,
                          why);
}

// ---- The secret --------------------------------------------------------------------------

// No space and no line end at either side: editors add the latter.
static struct mica_text
secret_trim(struct mica_text text)
{
    while (text.len > 0 &&
           (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    return text;
}

static enum mica_status
secret_read(struct mica_auth_state *state, const char *pathz,
            struct mica_error *error, struct mica_text *secret_out)
{
    char *bytes = mica_arena_alloc(&state->arena, MICA_LOGIN_SECRET_BYTES);
    FILE *file = fopen(pathz, "rbe");
    struct stat about;
    size_t size = 0;
    const char *why = NULL;

    if (file == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND,
                              "/login/client_secret_file",
                              "login/client_secret_file: %s cannot be opened: "
                              "%s.",
                              pathz, strerror(errno));
    if (fstat(fileno(file), &about) != 0 || bytes == NULL)
        why = "it cannot be read";
    else if ((about.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)) != 0)
        why = "other users can read or change it; run chmod 600 on it";
    else
        size = fread(bytes, 1, MICA_LOGIN_SECRET_BYTES, file);
    if (why == NULL && (ferror(file) != 0 || size == MICA_LOGIN_SECRET_BYTES))
        why = "it cannot be read, or is not smaller than 4 KiB";
    (void)fclose(file);
    if (why != NULL)
        return wrong_login(error, "/login/client_secret_file", why);
    *secret_out = secret_trim((struct mica_text){bytes, size});
    return MICA_OK;
}

static enum mica_status
secret_take(struct mica_auth_state *state, struct mica_error *error)
{
    const struct mica_auth_login *options = &state->options->login;
    struct mica_text namez, secret = {NULL, 0};

    if (options->client_secret_env.len > 0 &&
        options->client_secret_file.len > 0)
        return wrong_login(error, "/login/client_secret_file",
                           "give this or client_secret_env, not both");
    if (options->client_secret_env.len > 0) {
        namez = mica_arena_text(&state->arena, options->client_secret_env);
        const char *value = namez.ptr != NULL ? getenv(namez.ptr) : NULL;
        if (value == NULL)
            return mica_error_set(error, MICA_E_USAGE,
                                  "/login/client_secret_env",
                                  "login/client_secret_env: the environment "
                                  "has no variable %.*s.",
                                  MICA_ARG(options->client_secret_env));
        secret = mica_arena_text(&state->arena, mica_text(value));
    } else if (options->client_secret_file.len > 0) {
        namez = mica_arena_text(&state->arena, options->client_secret_file);
        MICA_TRY(secret_read(state, namez.ptr, error, &secret));
    } else {
        return MICA_OK;
    }
    if (secret.len == 0 || secret.len >= MICA_LOGIN_SECRET_BYTES)
        return wrong_login(error, "/login/client_secret_env",
                           "the secret is empty, or not smaller than 4 KiB");
    state->login->secret = secret;
    return MICA_OK;
}

// ---- What browsers see ---------------------------------------------------------------------

// A cookie of a host is sent to each of its ports: the port in the name keeps two servers
// on this machine apart.
static struct mica_text
cookie_name(struct mica_login_client *login, const char *kindz)
{
    struct mica_text origin = login->site.origin;
    const char *colon = origin.ptr + origin.len;
    struct mica_buffer name;

    mica_buffer_init(&name, &login->auth->arena, COOKIE_BYTES);
    if (login->site.secure) {
        // The prefix __Host- wants the path "/", so its cookie would go to all that
        // lies beside the base path.
        mica_buffer_text(
            &name,
            mica_text(login->site.base.len > 0 ? "__Secure-" : "__Host-"));
        mica_buffer_text(&name, mica_text(kindz));
        return mica_buffer_as_text(&name);
    }
    while (colon > origin.ptr && colon[-1] >= '0' && colon[-1] <= '9')
        colon--;
    mica_buffer_format(&name, "%s-%.*s", kindz,
                       (int)(origin.ptr + origin.len - colon), colon);
    return mica_buffer_as_text(&name);
}

static enum mica_status
site_fill(struct mica_login_client *login, struct mica_error *error)
{
    const struct mica_auth_options *options = login->auth->options;
    struct mica_login_site *site = &login->site;
    struct mica_arena *arena = &login->auth->arena;
    struct mica_buffer redirect;
    struct mica_url url;
    struct mica_text endpoint =
        options->endpoint.len > 0 ? options->endpoint : options->resource;
    size_t length = sizeof "/mcp" - 1;

    if (mica_url_read_safe(endpoint, &url) != NULL || url.path.len < length ||
        !mica_text_is(
            mica_text_slice(url.path, url.path.len - length, url.path.len),
            "/mcp"))
        return wrong_login(error, "/login",
                           "browsers need to know where this server is: start "
                           "it with --public-url, or let resource end with "
                           "/mcp");
    site->origin = url.origin;
    site->base = mica_text_slice(url.path, 0, url.path.len - length);
    site->secure = url.https;
    site->cookie = cookie_name(login, "mica");
    site->pending_cookie = cookie_name(login, "mica-pending");
    mica_buffer_init(&redirect, arena, MICA_LOGIN_URL_BYTES);
    mica_buffer_text(&redirect, site->origin);
    mica_buffer_text(&redirect, site->base);
    mica_buffer_text(&redirect, MICA_LITERAL("/login/callback"));
    login->redirect = mica_buffer_as_text(&redirect);
    return MICA_OK;
}

// ---- Options -------------------------------------------------------------------------------

static enum mica_status
scope_fill(struct mica_login_client *login, struct mica_error *error)
{
    const struct mica_auth_options *options = login->auth->options;
    const struct mica_auth_texts *list = &options->login.scopes;
    struct mica_buffer scope;

    if (list->count == 0)
        list = &options->required_scopes;
    mica_buffer_init(&scope, &login->auth->arena, MICA_LOGIN_URL_BYTES / 2);
    for (size_t i = 0; i < list->count; i++) {
        if (!mica_scope_valid(list->items[i]))
            return wrong_login(error, "/login/scopes",
                               "one of them is no scope: one or more printable "
                               "ASCII characters without space, quote and "
                               "backslash");
        if (i > 0)
            mica_buffer_char(&scope, ' ');
        mica_buffer_text(&scope, list->items[i]);
        login->wants_id_token |= mica_text_is(list->items[i], "openid");
    }
    login->scope = mica_buffer_as_text(&scope);
    return scope.overflow ? wrong_login(error, "/login/scopes",
                                        "all together are longer than 2000 "
                                        "bytes")
                          : MICA_OK;
}

static enum mica_status
issuer_fill(struct mica_login_client *login, struct mica_error *error)
{
    const struct mica_auth_options *options = login->auth->options;
    struct mica_text name = options->login.issuer;

    login->issuer = options->issuers.items[0].issuer;
    for (size_t i = 0; name.len > 0; i++) {
        if (i == options->issuers.count)
            return wrong_login(error, "/login/issuer",
                               "it is not one of the issuers");
        login->issuer = options->issuers.items[i].issuer;
        if (mica_text_equal(login->issuer, name))
            break;
    }
    if (options->login.client_id.len == 0 ||
        options->login.client_id.len > CLIENT_BYTES)
        return wrong_login(error, "/login/client_id", "1 to 256 bytes");
    if (options->login.max_age_s < 0 ||
        options->login.max_age_s > MOST_MAX_AGE_S)
        return wrong_login(error, "/login/max_age_s", "1 to 2592000 seconds");
    login->max_age_ms =
        1000 * (options->login.max_age_s != 0 ? options->login.max_age_s
                                              : MICA_LOGIN_MAX_AGE_S);
    return MICA_OK;
}

enum mica_status
mica_login_open(struct mica_auth_state *state, struct mica_error *error)
{
    if (!state->options->has_login)
        return MICA_OK;
    state->login = calloc(1, sizeof *state->login);
    if (state->login == NULL || !mica_login_table_init(&state->login->table))
        return mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
    state->login->auth = state;
    mica_arena_init(&state->login->arena, ARENA_BYTES);
    MICA_TRY(issuer_fill(state->login, error));
    MICA_TRY(site_fill(state->login, error));
    MICA_TRY(scope_fill(state->login, error));
    MICA_TRY(secret_take(state, error));
    return state->arena.overflow
               ? mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.")
               : MICA_OK;
}

void
mica_login_close(struct mica_login_client **login)
{
    if (*login == NULL)
        return;
    mica_login_table_fini(&(*login)->table);
    mica_arena_fini(&(*login)->arena);
    free(*login);
    *login = NULL;
}
