// SPDX-License-Identifier: Apache-2.0
//
// Opening and closing, and the module's one symbol.
#include <stdlib.h>
#include <string.h>

#include "model/model_state.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

#define ANTHROPIC_VERSION "anthropic-version: 2023-06-01"

enum {
    ARENA_BYTES = 1 << 20,
    KEPT_CONNECTIONS = 256, // when they are idle
    HEADER_BYTES = 8 << 10  // room for a key of MICA_FETCH_SECRET_MOST
};

// ---- Providers -----------------------------------------------------------------------

static bool
copy_text(struct mica_model_state *state, const char **textz)
{
    if (*textz == NULL)
        return true;
    *textz = mica_arena_text(&state->arena, mica_text(*textz)).ptr;
    return *textz != NULL;
}

static unsigned
or_default(unsigned value, unsigned fallback)
{
    return value > 0 ? value : fallback;
}

static bool
provider_copy(struct mica_model_state *state,
              struct mica_model_provider_state *provider)
{
    struct mica_model_provider_options *options = &provider->options;

    options->max_tokens = or_default(options->max_tokens, MICA_MODEL_TOKENS);
    options->seconds = or_default(options->seconds, MICA_MODEL_SECONDS);
    options->concurrent =
        or_default(options->concurrent, MICA_MODEL_CONCURRENT);
    options->attempts = or_default(options->attempts, MICA_MODEL_ATTEMPTS);
    // Where the key is was for the loader.
    options->key_env = options->key_file = options->key_credential = NULL;
    if (!copy_text(state, &options->name) || !copy_text(state, &options->url) ||
        !copy_text(state, &options->model) ||
        !copy_text(state, &options->proxy) ||
        !copy_text(state, &options->ca_file))
        return false;
    provider->name = mica_text(options->name);
    provider->model = mica_text(options->model);
    return true;
}

static bool
header_add(struct mica_model_provider_state *provider, const char *linez)
{
    struct curl_slist *longer = curl_slist_append(provider->headers, linez);

    if (longer != NULL)
        provider->headers = longer;
    return longer != NULL;
}

// "Authorization: Bearer KEY" or "x-api-key: KEY".
static bool
key_add(struct mica_model_provider_state *provider, struct mica_text key)
{
    const char *name = provider->options.type == MICA_MODEL_ANTHROPIC
                           ? "x-api-key: "
                           : "Authorization: Bearer ";
    char line[HEADER_BYTES];
    struct mica_text nothing = {"", 0};
    bool added;

    if (key.len == 0)
        return true;
    provider->key = malloc(key.len);
    if (provider->key == NULL)
        return false;
    memcpy(provider->key, key.ptr, key.len);
    provider->key_len = key.len;
    if (strlen(name) + key.len >= sizeof line)
        key = nothing;
    memcpy(line, name, strlen(name));
    memcpy(line + strlen(name), key.ptr, key.len);
    line[strlen(name) + key.len] = '\0';
    added = header_add(provider, line);
    explicit_bzero(line, sizeof line);
    return added;
}

static bool
provider_headers(struct mica_model_provider_state *provider,
                 struct mica_text key)
{
    bool anthropic = provider->options.type == MICA_MODEL_ANTHROPIC;

    // "Expect:" alone: libcurl asks for no leave before it sends a long body.
    return header_add(provider, "Content-Type: application/json") &&
           header_add(provider,
                      provider->options.no_stream
                          ? "Accept: application/json"
                          : "Accept: text/event-stream, application/json") &&
           header_add(provider, "Expect:") &&
           (!anthropic || header_add(provider, ANTHROPIC_VERSION)) &&
           key_add(provider, key);
}

static enum mica_status
provider_open(struct mica_model_state *state,
              const struct mica_model_provider_options *options,
              struct mica_text key, struct mica_error *error)
{
    struct mica_model_provider_state *provider =
        &state->providers[state->count++];

    provider->options = *options;
    MICA_TRY(mica_model_address_make(options, error, &provider->address));
    if (provider_copy(state, provider) && provider_headers(provider, key))
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
}

static void
provider_close(struct mica_model_provider_state *provider)
{
    for (struct curl_slist *one = provider->headers; one != NULL;
         one = one->next)
        explicit_bzero(one->data, strlen(one->data));
    curl_slist_free_all(provider->headers);
    if (provider->key != NULL)
        explicit_bzero(provider->key, provider->key_len);
    free(provider->key);
}

// ---- The state -----------------------------------------------------------------------

static void
model_close(struct mica_model_state **state_at)
{
    struct mica_model_state *state = *state_at;

    if (state == NULL)
        return;
    mica_model_thread_stop(state);
    if (state->multi != NULL)
        (void)curl_multi_cleanup(state->multi);
    for (size_t i = 0; i < state->count; i++)
        provider_close(&state->providers[i]);
    mica_arena_fini(&state->json);
    mica_arena_fini(&state->arena);
    (void)pthread_mutex_destroy(&state->lock);
    free(state);
    *state_at = NULL;
}

// libcurl without threads for names would stop all calls while it resolves one.
static enum mica_status
library_check(struct mica_error *error)
{
    const curl_version_info_data *info;

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return mica_error_set(error, MICA_E_IO, "",
                              "libcurl cannot be initialized.");
    info = curl_version_info(CURLVERSION_NOW);
    if ((info->features & CURL_VERSION_ASYNCHDNS) != 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "This libcurl (%s) resolves names while all "
                          "requests wait (no AsynchDNS). Install the package "
                          "libcurl4 of the system.",
                          info->version);
}

static enum mica_status
state_fill(struct mica_model_state *state,
           const struct mica_models_options *options,
           const struct mica_text *keys, struct mica_error *error)
{
    MICA_TRY(library_check(error));
    state->multi = curl_multi_init();
    if (state->multi == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
    (void)curl_multi_setopt(state->multi, CURLMOPT_MAXCONNECTS,
                            (long)KEPT_CONNECTIONS);
    for (size_t i = 0; i < options->count; i++)
        MICA_TRY(provider_open(state, &options->providers[i], keys[i], error));
    return MICA_OK;
}

static enum mica_status
model_open(const struct mica_models_options *options,
           const struct mica_text *keys, struct mica_error *error,
           struct mica_model_state **state_out)
{
    struct mica_model_state *state = calloc(1, sizeof *state);
    enum mica_status status;

    if (state == NULL || pthread_mutex_init(&state->lock, NULL) != 0) {
        free(state);
        return mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
    }
    mica_arena_init(&state->arena, ARENA_BYTES);
    mica_arena_init(&state->json, MICA_MODEL_EVENT_ARENA);
    state->timed_next_ms = INT64_MAX;
    status = state_fill(state, options, keys, error);
    if (status == MICA_OK)
        *state_out = state;
    else
        model_close(&state);
    return status;
}

static struct mica_model_counts
model_counts(const struct mica_model_state *state)
{
    return (struct mica_model_counts){
        .calls = atomic_load(&state->calls),
        .refused = atomic_load(&state->refused),
        .answered = atomic_load(&state->answered),
        .failed = atomic_load(&state->failed),
        .late = atomic_load(&state->late),
        .large = atomic_load(&state->large),
        .cancelled = atomic_load(&state->cancelled),
        .retries = atomic_load(&state->retries),
        .prompt_tokens = atomic_load(&state->prompt_tokens),
        .completion_tokens = atomic_load(&state->completion_tokens),
        .open = atomic_load(&state->open)};
}

const struct mica_model_module mica_model_module_2 = {.version = MICA_VERSION,
                                                      .open = model_open,
                                                      .close = model_close,
                                                      .call = mica_model_submit,
                                                      .cancel =
                                                          mica_model_withdraw,
                                                      .counts = model_counts};
