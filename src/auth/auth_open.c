// SPDX-License-Identifier: Apache-2.0
//
// Opening and closing, and the module's one symbol. Every option is checked
// here, before a request comes: what goes into headers later cannot be wrong.
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>
#include <openssl/crypto.h>

#include "auth/login_client.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

enum {
    ARENA_BYTES = 1024 * 1024,
    RETRY_MS = 30 * 1000,
    TIMEOUT_MS = 10 * 1000,
    OPEN_MS = 5 * 1000,
    STALE_MS = 24 * 60 * 60 * 1000,
    LEEWAY_S = 30,
    MOST_LEEWAY_S = 300, // RFC 7519 section 4.1.4: a few minutes
    TTL_S = 300,
    MOST_TTL_S = 24 * 60 * 60,
    MOST_SCOPES = 64, // in any list of a configuration
    MOST_URL_BYTES = 2048
};

// ---- Options -------------------------------------------------------------------

static enum mica_status
wrong_value(struct mica_error *error, const char *pathz, struct mica_text value,
            const char *why)
{
    return mica_error_set(error, MICA_E_USAGE, pathz, "%s: '%.*s' %s.",
                          pathz + 1, MICA_ARG(value), why);
}

// A URL that stands in metadata or is compared with claims.
static enum mica_status
check_url(struct mica_error *error, const char *pathz, struct mica_text text,
          struct mica_url *url_out)
{
    const char *why = text.len > MOST_URL_BYTES
                          ? "is longer than 2 KiB"
                          : mica_url_read_safe(text, url_out);

    if (why == NULL && url_out->query.len > 0)
        why = "has a query";
    return why == NULL ? MICA_OK : wrong_value(error, pathz, text, why);
}

static enum mica_status
check_resource(struct mica_auth_state *state, struct mica_error *error)
{
    struct mica_text text = state->options->resource;
    struct mica_url *url = &state->resource;

    MICA_TRY(check_url(error, "/resource", text, url));
    if (url->path.len > 0 && url->path.ptr[url->path.len - 1] == '/')
        return wrong_value(error, "/resource", text,
                           "ends with a slash; the canonical form has none");
    return MICA_OK;
}

static enum mica_status
check_issuers(const struct mica_auth_options *options, struct mica_error *error)
{
    struct mica_url url;

    if (options->issuers.count == 0 ||
        options->issuers.count > MICA_AUTH_ISSUERS)
        return mica_error_set(error, MICA_E_USAGE, "/issuers",
                              "issuers: give 1 to %d of them.",
                              MICA_AUTH_ISSUERS);
    for (size_t i = 0; i < options->issuers.count; i++) {
        const struct mica_auth_issuer *one = &options->issuers.items[i];
        MICA_TRY(check_url(error, "/issuers", one->issuer, &url));
        const char *why =
            one->jwks.len == 0 ? "names no place of its keys (jwks)" : NULL;
        for (size_t k = 0; k < i; k++)
            if (mica_text_equal(options->issuers.items[k].issuer, one->issuer))
                why = "is there twice";
        if (why != NULL)
            return wrong_value(error, "/issuers", one->issuer, why);
    }
    for (size_t i = 0; i < options->authorization_servers.count; i++)
        MICA_TRY(check_url(error, "/authorization_servers",
                           options->authorization_servers.items[i], &url));
    return MICA_OK;
}

static enum mica_status
check_scopes(struct mica_error *error, const char *pathz,
             const struct mica_auth_texts *list)
{
    if (list->count > MOST_SCOPES)
        return mica_error_set(error, MICA_E_USAGE, pathz,
                              "%s: at most %d scopes.", pathz + 1, MOST_SCOPES);
    for (size_t i = 0; i < list->count; i++) {
        if (!mica_scope_valid(list->items[i]))
            return wrong_value(error, pathz, list->items[i],
                               "is no scope: one or more printable ASCII "
                               "characters without space, quote and backslash");
        // MCP authorization, refresh tokens: it is no resource's requirement.
        if (mica_text_is(list->items[i], "offline_access"))
            return wrong_value(error, pathz, list->items[i],
                               "is for clients to ask for, not for a server");
    }
    return MICA_OK;
}

static enum mica_status
check_all_scopes(const struct mica_auth_options *options,
                 struct mica_error *error)
{
    MICA_TRY(
        check_scopes(error, "/scopes_supported", &options->scopes_supported));
    MICA_TRY(
        check_scopes(error, "/required_scopes", &options->required_scopes));
    const struct mica_auth_texts broader = {options->implied_scopes.count,
                                            options->implied_scopes.keys};
    MICA_TRY(check_scopes(error, "/implied_scopes", &broader));
    for (size_t i = 0; i < broader.count; i++)
        MICA_TRY(check_scopes(error, "/implied_scopes",
                              &options->implied_scopes.items[i]));
    return MICA_OK;
}

static enum mica_status
check_texts(const struct mica_auth_options *options, struct mica_error *error)
{
    struct mica_text name = options->resource_name;
    struct mica_text page = options->resource_documentation;
    struct mica_url url;
    const char *why = page.len > 0 ? mica_url_read(page, &url) : NULL;

    if (why != NULL)
        return wrong_value(error, "/resource_documentation", page, why);
    if (mica_utf8_valid(name) != name.len || name.len > MOST_URL_BYTES)
        return mica_error_set(error, MICA_E_USAGE, "/resource_name",
                              "resource_name: no UTF-8, or longer than 2 KiB.");
    for (size_t i = 0; i < options->audiences.count; i++)
        if (options->audiences.items[i].len == 0)
            return wrong_value(error, "/audiences", options->audiences.items[i],
                               "is empty");
    if (options->leeway_s < 0 || options->leeway_s > MOST_LEEWAY_S)
        return mica_error_set(error, MICA_E_USAGE, "/leeway_s",
                              "leeway_s: 0 to %d seconds.", MOST_LEEWAY_S);
    if (options->jwks_ttl_s < 0 || options->jwks_ttl_s > MOST_TTL_S)
        return mica_error_set(error, MICA_E_USAGE, "/jwks_ttl_s",
                              "jwks_ttl_s: 0 to %d seconds.", MOST_TTL_S);
    return MICA_OK;
}

static enum mica_status
check_options(struct mica_auth_state *state, struct mica_error *error)
{
    MICA_TRY(check_resource(state, error));
    MICA_TRY(check_issuers(state->options, error));
    MICA_TRY(check_all_scopes(state->options, error));
    return check_texts(state->options, error);
}

// ---- Parts ---------------------------------------------------------------------

static unsigned
time_or(unsigned given, unsigned fallback)
{
    return given != 0 ? given : fallback;
}

static void
set_times(struct mica_auth_state *state)
{
    const struct mica_auth_options *options = state->options;
    const struct mica_auth_times *given = &options->times;

    state->times.retry_ms = time_or(given->retry_ms, RETRY_MS);
    state->times.timeout_ms = time_or(given->timeout_ms, TIMEOUT_MS);
    state->times.open_ms = time_or(given->open_ms, OPEN_MS);
    state->times.stale_ms = time_or(given->stale_ms, STALE_MS);
    state->leeway_ms =
        1000 * (options->leeway_s != 0 ? options->leeway_s : LEEWAY_S);
    state->times.ttl_ms =
        time_or(given->ttl_ms,
                1000 * (options->jwks_ttl_s != 0 ? (unsigned)options->jwks_ttl_s
                                                 : TTL_S));
}

static bool
open_lock(struct mica_auth_state *state)
{
    pthread_condattr_t monotonic;

    if (pthread_condattr_init(&monotonic) != 0)
        return false;
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    bool good = pthread_cond_init(&state->changed, &monotonic) == 0;
    (void)pthread_condattr_destroy(&monotonic);
    state->has_lock = good && pthread_mutex_init(&state->lock, NULL) == 0;
    if (good && !state->has_lock)
        (void)pthread_cond_destroy(&state->changed);
    return state->has_lock;
}

// The libraries' own clean-up at exit could pull the ground from under a thread
// that still checks a token.
static bool
open_libraries(struct mica_auth_state *state)
{
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) != 1)
        return false;
    state->has_curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    state->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    return state->has_curl && state->sha256 != NULL;
}

// Key files are read at once: a wrong one is the operator's to mend now.
static enum mica_status
open_sources(struct mica_auth_state *state, struct mica_error *error)
{
    const struct mica_auth_options *options = state->options;

    for (size_t i = 0; i < options->issuers.count; i++) {
        const struct mica_auth_issuer *issuer = &options->issuers.items[i];
        struct mica_source *source = &state->sources[i];
        struct mica_url url;
        source->issuer = issuer->issuer;
        source->jwksz = mica_arena_text(&state->arena, issuer->jwks).ptr;
        if (source->jwksz == NULL)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "There is no memory.");
        source->is_url = mica_text_starts(issuer->jwks, "https://") ||
                         mica_text_starts(issuer->jwks, "http://");
        const char *why =
            source->is_url ? mica_url_read_safe(issuer->jwks, &url) : NULL;
        if (why != NULL)
            return wrong_value(error, "/issuers", issuer->jwks, why);
        if (!source->is_url)
            MICA_TRY(mica_refresh_now(state, source, error));
        state->source_count = i + 1;
    }
    return MICA_OK;
}

// ---- The module ----------------------------------------------------------------

static void
close_state(struct mica_auth_state **pointer)
{
    struct mica_auth_state *state = *pointer;

    if (state == NULL)
        return;
    mica_refresh_stop(state);
    mica_login_close(&state->login);
    for (size_t i = 0; i < MICA_AUTH_ISSUERS; i++)
        mica_keys_free(state->sources[i].keys);
    mica_cache_fini(&state->cache);
    EVP_MD_free(state->sha256);
    if (state->has_curl)
        curl_global_cleanup();
    if (state->has_lock) {
        (void)pthread_mutex_destroy(&state->lock);
        (void)pthread_cond_destroy(&state->changed);
    }
    mica_arena_fini(&state->arena);
    free(state);
    *pointer = NULL;
}

static enum mica_status
auth_prepare(struct mica_auth_state *state, struct mica_error *error)
{
    MICA_TRY(check_options(state, error));
    set_times(state);
    mica_challenge_prepare(state);
    if (state->arena.overflow || !mica_cache_init(&state->cache) ||
        !open_lock(state) || !open_libraries(state))
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory, or libcrypto or libcurl "
                              "does not start.");
    MICA_TRY(mica_login_open(state, error));
    MICA_TRY(open_sources(state, error));
    return mica_refresh_start(state, error);
}

static enum mica_status
open_state(const struct mica_auth_options *options, struct mica_error *error,
           struct mica_auth_state **state_out)
{
    struct mica_auth_state *state = calloc(1, sizeof *state);
    enum mica_status status;

    if (state == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
    mica_arena_init(&state->arena, ARENA_BYTES);
    state->copy = *options;
    state->options = &state->copy;
    status = auth_prepare(state, error);
    if (status != MICA_OK) {
        close_state(&state);
        return status;
    }
    *state_out = state;
    return MICA_OK;
}

static const struct mica_login_site *
auth_login_site(const struct mica_auth_state *state)
{
    return state->login != NULL ? &state->login->site : NULL;
}

static void
auth_login_stop(struct mica_auth_state *state)
{
    if (state->login != NULL)
        atomic_store(&state->login->stopping, true);
}

static struct mica_login_counts
auth_login_counts(struct mica_auth_state *state)
{
    return state->login != NULL ? mica_login_table_counts(&state->login->table)
                                : (struct mica_login_counts){.open = 0};
}

const struct mica_auth_module mica_auth_module_4 = {
    .version = MICA_VERSION,
    .open = open_state,
    .close = close_state,
    .check = mica_check,
    .refuse_scope = mica_refuse_scope,
    .serves = mica_metadata_serves,
    .metadata = mica_metadata_at,
    .metadata_of = mica_metadata_of,
    .login_site = auth_login_site,
    .login_begin = mica_flow_begin,
    .login_finish = mica_flow_finish,
    .login_check = mica_flow_check,
    .login_refresh = mica_flow_refresh,
    .login_end = mica_flow_end,
    .login_stop = auth_login_stop,
    .login_counts = auth_login_counts};
