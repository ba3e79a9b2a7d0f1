// SPDX-License-Identifier: Apache-2.0
//
// See model_address.h.
#include "model/model_address.h"

#include <stdio.h>
#include <string.h>

#include "base/url.h"
#include "fetch/fetch_address.h"

#define OPENAI    "https://api.openai.com"
#define ANTHROPIC "https://api.anthropic.com"

static enum mica_status
address_wrong(const struct mica_model_provider_options *provider,
              struct mica_error *error, const char *why)
{
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "url: \"%s\" %s; it takes the base of the "
                          "provider's addresses, like \"" OPENAI "/v1\"",
                          provider->url, why);
}

// Is the host an address, or this machine's name? Then no name server chooses where it is.
static bool
is_literal(struct mica_text host)
{
    bool digits = host.len > 0;

    for (size_t i = 0; i < host.len; i++)
        digits = digits && ((host.ptr[i] >= '0' && host.ptr[i] <= '9') ||
                            host.ptr[i] == '.');
    return digits || mica_text_is(host, "localhost") ||
           mica_text_starts(host, "[");
}

static bool
ends_with(struct mica_text text, const char *tailz)
{
    size_t length = strlen(tailz);

    return text.len >= length &&
           memcmp(text.ptr + text.len - length, tailz, length) == 0;
}

// "https://x.example/v1" and "https://x.example" mean the same, as the libraries of the two
// services differ in what they take.
static void
write_url(struct mica_model_address *address, enum mica_model_type type,
          struct mica_text base)
{
    const char *pathz =
        type == MICA_MODEL_ANTHROPIC ? "/messages" : "/chat/completions";
    const char *version = "/v1";

    while (base.len > 0 && base.ptr[base.len - 1] == '/')
        base.len--;
    if (ends_with(base, pathz))
        pathz = version = "";
    else if (ends_with(base, "/v1"))
        version = "";
    (void)snprintf(address->url, sizeof address->url, "%.*s%s%s",
                   MICA_ARG(base), version, pathz);
}

enum mica_status
mica_model_address_make(const struct mica_model_provider_options *provider,
                        struct mica_error *error,
                        struct mica_model_address *address_out)
{
    const char *own =
        provider->type == MICA_MODEL_ANTHROPIC ? ANTHROPIC : OPENAI;
    struct mica_text text =
        mica_text(provider->url != NULL ? provider->url : own);
    struct mica_url url;
    const char *wrong;

    if (text.len > MICA_MODEL_URL_BYTES - 1)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "url: it has more than %d bytes",
                              MICA_MODEL_URL_BYTES - 1);
    wrong = mica_url_read(text, &url);
    if (wrong == NULL && url.query.len > 0)
        wrong = "has a query";
    if (wrong == NULL && mica_url_has_dots(url.path))
        wrong = "has a segment of dots";
    if (wrong != NULL)
        return address_wrong(provider, error, wrong);
    *address_out = (struct mica_model_address){
        .https = url.https,
        .is_private = provider->is_private || is_literal(mica_url_host(&url))};
    memcpy(address_out->origin, url.origin.ptr, url.origin.len);
    write_url(address_out, provider->type, text);
    return MICA_OK;
}

bool
mica_model_address_is_openai(const struct mica_model_address *address)
{
    return mica_url_same_origin(mica_text(address->origin),
                                MICA_LITERAL(OPENAI));
}

bool
mica_model_address_allows(const struct mica_model_address *address,
                          bool has_key, const struct sockaddr *to)
{
    switch (mica_fetch_reach(to)) {
    case MICA_REACH_PUBLIC:
        return address->https;
    case MICA_REACH_PRIVATE:
        return address->is_private && (address->https || !has_key);
    case MICA_REACH_LOOPBACK:
        return address->is_private;
    case MICA_REACH_NOWHERE:
        break;
    }
    return false;
}
