// SPDX-License-Identifier: Apache-2.0
//
// Requests to responses: which headers are looked at, what a refusal and the
// metadata look like over HTTP.
#include <time.h>

#include "auth/surface.h"
#include "test_auth.h"

#define META "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
#define WELL "/.well-known/oauth-protected-resource"

static EVP_PKEY *key;
static struct mica_auth *auth;
static struct mica_http_response response;
static enum mica_status status;

static void
start(void)
{
    struct mica_text *scope = mica_arena_alloc(memory(), sizeof *scope);
    key = generate(ED25519);
    struct mica_auth_options options =
        options_for(file("jwks.json", set(jwk(key, "d"))));
    *scope = MICA_LITERAL("mcp:tools");
    options.required_scopes = (struct mica_auth_texts){1, scope};
    auth = open_with(options);
}

static void
stop(void)
{
    mica_auth_close(&auth);
    EVP_PKEY_free(key);
}

// A token that is good now, by the clock.
static const char *
good(void)
{
    return print(
        "Bearer %s",
        sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}",
             print("{\"iss\":\"" ISSUER "\",\"sub\":\"ada\",\"aud\":\"" HOME
                   "\",\"exp\":%lld,\"scope\":\"mcp:tools x\"}",
                   (long long)time(NULL) + 60)));
}

static struct mica_http_request
request_of(const char *method, const char *path,
           const struct mica_header *headers, size_t count)
{
    return (struct mica_http_request){.method = mica_text(method),
                                      .path = mica_text(path),
                                      .headers = headers,
                                      .header_count = count};
}

static bool
admit(const char *method, const struct mica_header *headers, size_t count)
{
    struct mica_http_request request =
        request_of(method, "/mcp", headers, count);
    memset(&principal, 0xFF, sizeof principal);
    return mica_auth_admit(auth, &request, (struct mica_text){NULL, 0},
                           memory(), &principal, &response, &status);
}

static const char *
header(const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < response.header_count; i++) {
        if (mica_text_is(response.headers[i].name, name)) {
            ck_assert_ptr_null(found);
            found = print("%.*s", MICA_ARG(response.headers[i].value));
        }
    }
    return found == NULL ? "(none)" : found;
}

// [AUTH-TOKEN] [AUTH-401]
START_TEST(every_method_needs_a_token)
{
    static const char *const methods[] = {"POST", "GET", "DELETE",
                                          "HEAD", "PUT", "options"};
    start();
    const struct mica_header token_in[] = {
        {MICA_LITERAL("Accept"), MICA_LITERAL("*/*")},
        {MICA_LITERAL("aUTHORIZATION"), mica_text(good())}};
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        ck_assert(admit(methods[i], token_in, 2));
        UNIT_TEXT_EQ(principal.party.subject, "ada");
        ck_assert(!admit(methods[i], token_in, 1));
        ck_assert_int_eq(status, MICA_E_UNAUTHORIZED);
        ck_assert_uint_eq(response.status, 401);
    }
    ck_assert(admit("OPTIONS", NULL, 0)); // before a browser shows its token
    ck_assert_uint_eq(principal.party.issuer.len + principal.party.scopes.len,
                      0);
    stop();
}
END_TEST

START_TEST(a_refusal_is_a_problem_document_with_its_challenge)
{
    start();
    ck_assert(!admit("POST", NULL, 0));
    ck_assert_str_eq(header("WWW-Authenticate"),
                     "Bearer resource_metadata=\"" META
                     "\", scope=\"mcp:tools\"");
    ck_assert_str_eq(header("Content-Type"), "application/problem+json");
    ck_assert_str_eq(header("Cache-Control"), "no-store");
    ck_assert_str_eq(header("Retry-After"), "(none)");
    ck_assert_str_eq(header("Access-Control-Allow-Origin"), "(none)");
    UNIT_TEXT_EQ(
        response.body,
        "{\"type\":\"/api/errors/UNAUTHORIZED\",\"title\":\"the request has no access token "
        "that is accepted here\",\"status\":401,\"detail\":\"the request "
        "has no access token; send one in the header "
        "Authorization\",\"code\":\"UNAUTHORIZED\"}");
    const struct mica_header origin = {MICA_LITERAL("Origin"),
                                       MICA_LITERAL("https://app.example")};
    ck_assert(!admit("POST", &origin, 1));
    ck_assert_str_eq(header("Access-Control-Allow-Origin"),
                     "https://app.example");
    ck_assert_str_eq(header("Vary"), "Origin");
    ck_assert_str_eq(header("Access-Control-Expose-Headers"),
                     "WWW-Authenticate, Retry-After");
    stop();
}
END_TEST

START_TEST(two_headers_are_a_malformed_request)
{
    start();
    const char *text = good();
    const struct mica_header twice[] = {
        {MICA_LITERAL("Authorization"), mica_text(text)},
        {MICA_LITERAL("authorization"), mica_text(text)}};
    ck_assert(!admit("POST", twice, 2));
    ck_assert_int_eq(status, MICA_E_FORMAT);
    ck_assert_uint_eq(response.status, 400);
    ck_assert_ptr_nonnull(
        strstr(header("WWW-Authenticate"), "error=\"invalid_request\""));
    stop();
}
END_TEST

START_TEST(unknown_keys_are_asked_for_again_later)
{
    start();
    const char *text =
        sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"new\"}", print(CLAIMS, ""));
    const struct mica_header one = {MICA_LITERAL("Authorization"),
                                    mica_text(print("Bearer %s", text))};
    ck_assert(!admit("POST", &one, 1));
    ck_assert_int_eq(status, MICA_E_BUSY);
    ck_assert_uint_eq(response.status, 503);
    ck_assert_str_eq(header("Retry-After"), "1");
    ck_assert_str_eq(header("WWW-Authenticate"), "(none)");
    stop();
}
END_TEST

// [AUTH-QUERY]
START_TEST(a_token_elsewhere_counts_as_none)
{
    start();
    const char *text = good() + strlen("Bearer ");
    const struct mica_header others[] = {
        {MICA_LITERAL("access_token"), mica_text(text)},
        {MICA_LITERAL("Cookie"), mica_text(print("access_token=%s", text))},
        {MICA_LITERAL("Proxy-Authorization"),
         mica_text(print("Bearer %s", text))},
        {MICA_LITERAL("X-Authorization"), mica_text(print("Bearer %s", text))}};
    struct mica_http_request request = request_of(
        "GET", print("/mcp?access_token=%s", text), others, MICA_COUNT(others));
    request.body = mica_text(print("access_token=%s", text));
    ck_assert(!mica_auth_admit(auth, &request, (struct mica_text){NULL, 0},
                               memory(), &principal, &response, &status));
    ck_assert_uint_eq(response.status, 401);
    ck_assert_str_eq(header("WWW-Authenticate"),
                     "Bearer resource_metadata=\"" META
                     "\", scope=\"mcp:tools\"");
    stop();
}
END_TEST

static bool
contains(struct mica_text text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

// [AUTH-FORWARD]
START_TEST(nothing_of_a_token_comes_out_again)
{
    static const char *const parts[] = {"secret-sub", "secret-kid", "secret-x"};
    start();
    for (int cut = 0; cut < 40; cut++) {
        const char *claims =
            print("{\"iss\":\"%s\",\"sub\":\"secret-sub\",\"aud\":\"secret-x\","
                  "\"exp\":%d,\"scope\":\"secret-x\"}",
                  cut % 2 == 0 ? ISSUER : "https://secret-x.example",
                  cut % 3 == 0 ? 1 : 2000000000);
        const char *text = sign(key,
                                print("{\"alg\":\"EdDSA\",\"kid\":\"%s\"}",
                                      cut % 5 == 0 ? "secret-kid" : "d"),
                                claims);
        const struct mica_header one = {
            MICA_LITERAL("Authorization"),
            mica_text(print("Bearer %.*s", (int)strlen(text) - cut, text))};
        ck_assert(!admit("POST", &one, 1));
        for (size_t i = 0; i < MICA_COUNT(parts); i++) {
            ck_assert(!contains(response.body, parts[i]));
            ck_assert_ptr_null(strstr(header("WWW-Authenticate"), parts[i]));
        }
        ck_assert(!contains(response.body, print("%.12s", text)));
        ck_assert_ptr_null(
            strstr(header("WWW-Authenticate"), print("%.12s", text)));
    }
    stop();
}
END_TEST

// [AUTH-403]
START_TEST(an_operation_may_need_more)
{
    start();
    const struct mica_header one = {MICA_LITERAL("Authorization"),
                                    mica_text(good())};
    struct mica_http_request request = request_of("POST", "/mcp", &one, 1);
    ck_assert(admit("POST", &one, 1));
    ck_assert(mica_auth_permit(auth, &principal.party,
                               MICA_LITERAL("x mcp:tools"), &request, memory(),
                               &response));
    ck_assert(!mica_auth_permit(auth, &principal.party, MICA_LITERAL("x y"),
                                &request, memory(), &response));
    ck_assert_uint_eq(response.status, 403);
    ck_assert_str_eq(
        header("WWW-Authenticate"),
        "Bearer error=\"insufficient_scope\", scope=\"mcp:tools x y\", "
        "resource_metadata=\"" META
        "\", error_description=\"the access token lacks a scope that this "
        "needs\"");
    ck_assert_ptr_nonnull(strstr(response.body.ptr, "INSUFFICIENT_SCOPE"));
    stop();
}
END_TEST

// [AUTH-METADATA]
START_TEST(metadata_are_open_to_everybody)
{
    struct mica_http_request request;
    start();
    request = request_of("GET", "/mcp", NULL, 0);
    ck_assert(!mica_auth_describe(auth, &request, (struct mica_text){NULL, 0},
                                  memory(), &response));
    request = request_of("GET", WELL, NULL, 0);
    ck_assert(mica_auth_describe(auth, &request, (struct mica_text){NULL, 0},
                                 memory(), &response));
    ck_assert_uint_eq(response.status, 200);
    ck_assert(mica_text_equal(response.body, mica_auth_metadata(auth)));
    ck_assert_str_eq(header("Content-Type"), "application/json");
    ck_assert_str_eq(header("Access-Control-Allow-Origin"), "*");
    request = request_of("OPTIONS", WELL "/mcp", NULL, 0);
    ck_assert(mica_auth_describe(auth, &request, (struct mica_text){NULL, 0},
                                 memory(), &response));
    ck_assert_uint_eq(response.status, 204);
    ck_assert_str_eq(header("Access-Control-Allow-Origin"), "*");
    ck_assert_str_eq(header("Access-Control-Allow-Headers"),
                     "MCP-Protocol-Version");
    request = request_of("POST", WELL "/mcp", NULL, 0);
    ck_assert(mica_auth_describe(auth, &request, (struct mica_text){NULL, 0},
                                 memory(), &response));
    ck_assert_uint_eq(response.status, 405);
    ck_assert_str_eq(header("Allow"), "GET, HEAD, OPTIONS");
    stop();
}
END_TEST

UNIT_MAIN("auth_surface", every_method_needs_a_token,
          a_refusal_is_a_problem_document_with_its_challenge,
          two_headers_are_a_malformed_request,
          unknown_keys_are_asked_for_again_later, an_operation_may_need_more,
          a_token_elsewhere_counts_as_none, nothing_of_a_token_comes_out_again,
          metadata_are_open_to_everybody)
