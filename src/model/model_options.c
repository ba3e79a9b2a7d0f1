// SPDX-License-Identifier: Apache-2.0
//
// Checks what the operator has configured. See model.h.
#include <string.h>

#include "base/ascii.h"
#include "base/url.h"
#include "model/model_address.h"

static enum mica_status
check_name(const char *namez, struct mica_error *error)
{
    size_t length = strlen(namez);

    if (length > 0 && length <= MICA_MODEL_NAME_BYTES &&
        strspn(namez, "abcdefghijklmnopqrstuvwxyz0123456789-_") == length)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "\"%s\" cannot be the name of a provider: it takes 1 "
                          "to %d of a-z, 0-9, \"-\" and \"_\"",
                          namez, MICA_MODEL_NAME_BYTES);
}

// What goes into a request: visible ASCII, as the names of all models are.
static enum mica_status
check_model(const char *modelz, struct mica_error *error)
{
    struct mica_text model = mica_text(modelz != NULL ? modelz : "");

    if (model.len > 0 && model.len <= MICA_MODEL_MODEL_BYTES &&
        mica_ascii_visible(model))
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "model: name a model of the provider, in 1 to %d "
                          "bytes of visible ASCII",
                          MICA_MODEL_MODEL_BYTES);
}

static enum mica_status
check_number(const char *keyz, unsigned value, unsigned most,
             struct mica_error *error)
{
    if (value <= most)
        return MICA_OK;
    return mica_error_set(error, MICA_E_RANGE, "", "%s: it takes 1 to %u", keyz,
                          most);
}

static enum mica_status
check_key(const struct mica_model_provider_options *provider,
          struct mica_error *error)
{
    const char *variable = provider->key_env;
    const char *credential = provider->key_credential;
    int places = (variable != NULL) + (provider->key_file != NULL) +
                 (credential != NULL);

    if (places > 1)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "give one of key_env, key_file and "
                              "key_credential");
    if (variable != NULL &&
        (variable[0] == '\0' ||
         strspn(variable, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
             strlen(variable)))
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "key_env: \"%s\" cannot be the name of a "
                              "variable: use A-Z, 0-9 and \"_\". The key "
                              "itself does not belong here",
                              strlen(variable) < 32 ? variable : "…");
    if (credential != NULL &&
        (credential[0] == '\0' || credential[0] == '.' ||
         strlen(credential) > 255 || strchr(credential, '/') != NULL))
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "key_credential: it takes the name of a "
                              "LoadCredential= of the unit");
    return MICA_OK;
}

static enum mica_status
check_proxy(const char *proxyz, struct mica_error *error)
{
    struct mica_url url;
    const char *wrong =
        proxyz != NULL ? mica_url_read_origin(mica_text(proxyz), &url) : NULL;

    if (wrong == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "proxy: \"%s\" %s; it takes an origin, like "
                          "\"http://127.0.0.1:3128\"",
                          proxyz, wrong);
}

static enum mica_status
check_provider(const struct mica_model_provider_options *provider,
               struct mica_error *error)
{
    struct mica_model_address address;

    MICA_TRY(check_name(provider->name, error));
    MICA_TRY(mica_model_address_make(provider, error, &address));
    MICA_TRY(check_model(provider->model, error));
    MICA_TRY(check_key(provider, error));
    MICA_TRY(check_proxy(provider->proxy, error));
    MICA_TRY(check_number("max_tokens", provider->max_tokens,
                          MICA_MODEL_MOST_TOKENS, error));
    MICA_TRY(check_number("seconds", provider->seconds, MICA_MODEL_MOST_SECONDS,
                          error));
    MICA_TRY(check_number("concurrent", provider->concurrent, MICA_MODEL_CALLS,
                          error));
    return check_number("attempts", provider->attempts,
                        MICA_MODEL_MOST_ATTEMPTS, error);
}

enum mica_status
mica_models_check(const struct mica_models_options *options,
                  struct mica_error *error)
{
    if (options->count == 0 || options->count > MICA_MODEL_PROVIDERS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "there are %zu providers; a server takes 1 to %d",
                              options->count, MICA_MODEL_PROVIDERS);
    for (size_t i = 0; i < options->count; i++) {
        const struct mica_model_provider_options *one = &options->providers[i];
        MICA_TRY(check_provider(one, error));
        for (size_t before = 0; before < i; before++)
            if (strcmp(options->providers[before].name, one->name) == 0)
                return mica_error_set(error, MICA_E_DUPLICATE, "",
                                      "two providers are called \"%s\"",
                                      one->name);
    }
    return MICA_OK;
}
