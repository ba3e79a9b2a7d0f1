// SPDX-License-Identifier: Apache-2.0
//
// What an issuer says of itself: RFC 8414, and OpenID Connect Discovery where that is
// not there. It is fetched when the first person signs in, and kept for an hour. When it cannot be
// had, sign-ins of the next 5 s fail at once.
#include "auth/login_client.h"

#include "auth/fetch.h"
#include "platform/clock.h"

enum {
    HTTP_OK = 200,
    PLACES = 3 // where metadata may be
};

// ---- Reading ---------------------------------------------------------------------------

// Whether a list of texts has that one; `absent` when there is no list.
static bool
list_has(const struct mica_json *json, const char *namez, const char *textz,
         bool absent)
{
    const struct mica_json *list = mica_json_get(json, namez);

    if (list == NULL || list->kind != MICA_JSON_ARRAY)
        return absent;
    for (size_t i = 0; i < list->count; i++)
        if (mica_text_is(list->items[i].text, textz))
            return true;
    return false;
}

// An issuer on the network names no endpoint on this machine.
static bool
endpoint_valid(struct mica_text url, bool loopback)
{
    struct mica_url read;

    return url.len <= MICA_LOGIN_URL_BYTES / 2 &&
           mica_url_read_safe(url, &read) == NULL && (read.https || loopback);
}

static const char *
check_endpoints(const struct mica_issuer_metadata *metadata, bool loopback)
{
    if (!endpoint_valid(metadata->authorize, loopback))
        return "authorization_endpoint is no https URL";
    if (!endpoint_valid(metadata->token, loopback))
        return "token_endpoint is no https URL";
    if (metadata->end_session.len > 0 &&
        !endpoint_valid(metadata->end_session, loopback))
        return "end_session_endpoint is no https URL";
    if (metadata->revoke.len > 0 && !endpoint_valid(metadata->revoke, loopback))
        return "revocation_endpoint is no https URL";
    return NULL;
}

const char *
mica_issuer_metadata_read(const struct mica_json *json, struct mica_text issuer,
                          bool secret, struct mica_issuer_metadata *out)
{
    static const char methods[] = "token_endpoint_auth_methods_supported";
    const struct mica_json *names =
        mica_json_get(json, "authorization_response_iss_parameter_supported");
    struct mica_url url;

    if (json->kind != MICA_JSON_OBJECT)
        return "it is no object";
    // RFC 8414, 3.3: compared byte by byte, so that it is of no other issuer.
    if (!mica_text_equal(mica_json_get_text(json, "issuer"), issuer))
        return "it is of another issuer";
    *out = (struct mica_issuer_metadata){
        .authorize = mica_json_get_text(json, "authorization_endpoint"),
        .token = mica_json_get_text(json, "token_endpoint"),
        .end_session = mica_json_get_text(json, "end_session_endpoint"),
        .revoke = mica_json_get_text(json, "revocation_endpoint"),
        .names_itself = names != NULL && names->kind == MICA_JSON_TRUE,
        .posts_secret = secret &&
                        !list_has(json, methods, "client_secret_basic", true) &&
                        list_has(json, methods, "client_secret_post", false)};
    // A client without a secret is safe by PKCE alone, so it must be announced.
    if (!list_has(json, "code_challenge_methods_supported", "S256", secret))
        return "code_challenge_methods_supported has no S256";
    if (mica_url_read_safe(issuer, &url) != NULL)
        return "the issuer is no https URL";
    return check_endpoints(out, url.loopback);
}

// ---- Fetching --------------------------------------------------------------------------

// Where the metadata may be. RFC 8414 puts the well-known part between host and path,
// OpenID Connect behind the path.
static void
place_write(struct mica_buffer *out, struct mica_text issuer, unsigned place)
{
    struct mica_text path;
    struct mica_url url;

    if (mica_url_read_safe(issuer, &url) != NULL)
        return; // it was read before
    path = url.path;
    if (path.len > 0 && path.ptr[path.len - 1] == '/')
        path.len--;
    mica_buffer_text(out, url.origin);
    if (place == 1)
        mica_buffer_text(out, path);
    mica_buffer_text(out, place == 0
                              ? MICA_LITERAL("/.well-known/"
                                             "oauth-authorization-server")
                              : MICA_LITERAL("/.well-known/"
                                             "openid-configuration"));
    if (place != 1)
        mica_buffer_text(out, path);
    mica_buffer_char(out, '\0');
}

static enum mica_status
metadata_take(struct mica_login_client *login, struct mica_text text,
              struct mica_error *error)
{
    struct mica_json json;
    const char *wrong;

    MICA_TRY(mica_json_read(&login->arena, text, NULL, error, &json));
    wrong = mica_issuer_metadata_read(&json, login->issuer,
                                      login->secret.len > 0, &login->metadata);
    return wrong == NULL ? MICA_OK
                         : mica_error_set(error, MICA_E_LOGIN, "", "%s", wrong);
}

static enum mica_status
metadata_fetch(struct mica_login_client *login, unsigned place,
               struct mica_error *error)
{
    struct mica_fetch fetch = {.acceptz = "application/json",
                               .timeout_ms = login->auth->times.timeout_ms,
                               .stopping = &login->stopping};
    struct mica_buffer url, text;
    long status = 0;

    mica_arena_reset(&login->arena);
    mica_buffer_init(&url, &login->arena, MICA_LOGIN_URL_BYTES);
    mica_buffer_init(&text, &login->arena, MICA_AUTH_JWKS_BYTES);
    place_write(&url, login->issuer, place);
    if (url.overflow)
        return mica_error_set(error, MICA_E_LOGIN, "", "there is no memory");
    fetch.urlz = url.ptr;
    MICA_TRY(mica_fetch_send(&fetch, &text, &status, error));
    if (status != HTTP_OK)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "%s has HTTP status %ld, not 200", url.ptr,
                              status);
    return metadata_take(login, mica_buffer_as_text(&text), error);
}

// The first of the places where there is something.
static enum mica_status
metadata_try(struct mica_login_client *login, struct mica_error *error)
{
    enum mica_status status = MICA_E_NOT_FOUND;

    for (unsigned place = 0; place < PLACES && status == MICA_E_NOT_FOUND;
         place++)
        status = metadata_fetch(login, place, error);
    return status;
}

enum mica_status
mica_login_discover(struct mica_login_client *login, struct mica_error *error)
{
    uint64_t now = mica_clock_ns() / 1000000u;
    struct mica_error why = {.message = ""};
    enum mica_status status;

    if (now < login->good_until_ms)
        return MICA_OK;
    if (now < login->bad_until_ms) {
        *error = login->failure;
        return error->status;
    }
    status = metadata_try(login, &why);
    if (status == MICA_OK) {
        login->good_until_ms = now + MICA_LOGIN_TTL_MS;
        return MICA_OK;
    }
    (void)mica_error_set(
        error, status == MICA_E_TIMEOUT ? MICA_E_TIMEOUT : MICA_E_LOGIN, "",
        "the issuer %.*s does not say how to sign in: %s",
        MICA_ARG(login->issuer), why.message);
    login->failure = *error;
    login->bad_until_ms = mica_clock_ns() / 1000000u + MICA_LOGIN_RETRY_MS;
    return error->status;
}
