// SPDX-License-Identifier: Apache-2.0
//
// See fetch_policy.h.
#include "fetch/fetch_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

// ---- From options ----------------------------------------------------------------

static enum mica_status
policy_no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
}

static enum mica_status
read_origin(const char *originz, const char *whatz, struct mica_error *error)
{
    struct mica_url url;
    const char *wrong = mica_url_read_origin(mica_text(originz), &url);

    if (wrong == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "%s: \"%s\" %s; it takes an origin, like "
                          "\"https://api.example.org\"",
                          whatz, originz, wrong);
}

static enum mica_status
read_origins(const char *const *list, const char *whatz,
             struct mica_arena *arena, struct mica_error *error,
             struct mica_text **origins_out, size_t *count_out)
{
    size_t count = 0;

    while (list != NULL && list[count] != NULL)
        count++;
    *origins_out = mica_arena_zero(arena, count + 1, sizeof **origins_out);
    *count_out = count;
    if (*origins_out == NULL)
        return policy_no_memory(error);
    if (count > MICA_FETCH_ORIGINS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s has %zu origins; at most %d are taken", whatz,
                              count, MICA_FETCH_ORIGINS);
    for (size_t i = 0; i < count; i++) {
        MICA_TRY(read_origin(list[i], whatz, error));
        (*origins_out)[i] = mica_arena_text(arena, mica_text(list[i]));
        if ((*origins_out)[i].ptr == NULL)
            return policy_no_memory(error);
    }
    return MICA_OK;
}

static enum mica_status
read_secret(const struct mica_fetch_secret *secret, struct mica_error *error)
{
    struct mica_url url;
    size_t length = strlen(secret->name);
    const char *wrong;

    if (length == 0 || length > 128 ||
        strspn(secret->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != length)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "secrets: \"%s\" cannot be the name of a "
                              "variable: use A-Z, 0-9 and \"_\"",
                              secret->name);
    MICA_TRY(read_origin(secret->origin, "secrets", error));
    wrong = mica_url_read_safe(mica_text(secret->origin), &url);
    if (wrong == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "", "secrets: \"%s\" %s",
                          secret->origin, wrong);
}

static enum mica_status
read_secrets(const struct mica_fetch_options *options, struct mica_arena *arena,
             struct mica_error *error, struct mica_fetch_policy *policy)
{
    size_t count = options->secret_count;

    if (count > MICA_FETCH_SECRETS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "secrets: there are %zu; at most %d are taken",
                              count, MICA_FETCH_SECRETS);
    policy->secrets =
        mica_arena_zero(arena, count + 1, sizeof *policy->secrets);
    if (policy->secrets == NULL)
        return policy_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        const struct mica_fetch_secret *secret = &options->secrets[i];
        MICA_TRY(read_secret(secret, error));
        policy->secrets[i] = (struct mica_fetch_secret){
            mica_arena_text(arena, mica_text(secret->name)).ptr,
            mica_arena_text(arena, mica_text(secret->origin)).ptr};
        if (policy->secrets[i].name == NULL ||
            policy->secrets[i].origin == NULL)
            return policy_no_memory(error);
    }
    policy->secret_count = count;
    return MICA_OK;
}

static enum mica_status
read_proxy(const char *proxyz, struct mica_arena *arena,
           struct mica_error *error, struct mica_fetch_policy *policy)
{
    if (proxyz == NULL)
        return MICA_OK;
    MICA_TRY(read_origin(proxyz, "proxy", error));
    policy->proxy = mica_arena_text(arena, mica_text(proxyz)).ptr;
    return policy->proxy != NULL ? MICA_OK : policy_no_memory(error);
}

enum mica_status
mica_fetch_policy_make(const struct mica_fetch_options *options,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_fetch_policy *policy_out)
{
    struct mica_fetch_policy policy = {.proxy = NULL};

    MICA_TRY(read_origins(options->allow, "allow", arena, error, &policy.allow,
                          &policy.allow_count));
    MICA_TRY(read_origins(options->is_private, "private", arena, error,
                          &policy.is_private, &policy.private_count));
    MICA_TRY(read_secrets(options, arena, error, &policy));
    MICA_TRY(read_proxy(options->proxy, arena, error, &policy));
    *policy_out = policy;
    return MICA_OK;
}

// ---- Asking it -------------------------------------------------------------------

static bool
policy_has(const struct mica_text *origins, size_t count,
           struct mica_text origin)
{
    for (size_t i = 0; i < count; i++)
        if (mica_url_same_origin(origins[i], origin))
            return true;
    return false;
}

enum mica_status
mica_fetch_policy_find(const struct mica_fetch_policy *policy,
                       struct mica_text origin, struct mica_error *error,
                       bool *private_out)
{
    *private_out =
        policy_has(policy->is_private, policy->private_count, origin);
    if (*private_out || policy_has(policy->allow, policy->allow_count, origin))
        return MICA_OK;
    return mica_error_set(error, MICA_E_FETCH_ADDRESS, "",
                          "the project does not allow its tools to fetch from "
                          "%.*s; allow it in mica.toml: [fetch] allow = "
                          "[\"%.*s\"]",
                          MICA_ARG(origin), MICA_ARG(origin));
}

static const struct mica_fetch_secret *
find_secret(const struct mica_fetch_policy *policy, const char *namez)
{
    for (size_t i = 0; i < policy->secret_count; i++)
        if (strcmp(policy->secrets[i].name, namez) == 0)
            return &policy->secrets[i];
    return NULL;
}

bool
mica_fetch_secret_valid(struct mica_text value)
{
    return value.len >= MICA_FETCH_SECRET_LEAST &&
           value.len <= MICA_FETCH_SECRET_MOST && mica_ascii_visible(value);
}

enum mica_status
mica_fetch_policy_secret(const struct mica_fetch_policy *policy,
                         const char *namez, const struct mica_url *url,
                         struct mica_error *error, const char **value_out)
{
    const struct mica_fetch_secret *secret = find_secret(policy, namez);
    const char *value;

    if (secret == NULL ||
        !mica_url_same_origin(mica_text(secret->origin), url->origin))
        return mica_error_set(error, MICA_E_FETCH_SECRET, "",
                              "the project does not send the secret %s to "
                              "%.*s; if it shall, say so in mica.toml: "
                              "[fetch] secrets = { %s = \"%.*s\" }",
                              namez, MICA_ARG(url->origin), namez,
                              MICA_ARG(url->origin));
    value = getenv(namez);
    if (value == NULL || value[0] == '\0')
        return mica_error_set(error, MICA_E_FETCH_SECRET, "",
                              "the secret %s is not set; set that variable in "
                              "the environment of the server",
                              namez);
    if (!mica_fetch_secret_valid(mica_text(value)))
        return mica_error_set(error, MICA_E_FETCH_SECRET, "",
                              "the secret %s is not %d to %d bytes of visible "
                              "ASCII without blanks",
                              namez, MICA_FETCH_SECRET_LEAST,
                              MICA_FETCH_SECRET_MOST);
    *value_out = value;
    return MICA_OK;
}
