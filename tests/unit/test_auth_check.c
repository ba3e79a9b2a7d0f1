// SPDX-License-Identifier: Apache-2.0
//
// The decision about a request, by the module as it is loaded: what is let in,
// what is not, each refusal to the byte, attacks on the algorithm, edges of time,
// options and their file.
#include <inttypes.h>

#include "test_auth.h"

#define META "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"

// ---- Let in ----------------------------------------------------------------------

START_TEST(tokens_of_all_three_algorithms_are_let_in)
{
    EVP_PKEY *rsa = generate(RSA_2048), *ec = generate(P_256),
             *ed = generate(ED25519);
    struct mica_auth *auth =
        open_keys(print("%s,%s,%s", jwk(rsa, "r"), jwk(ec, "e"), jwk(ed, "d")));
    TAKES(auth, token(rsa, "r", "b a"));
    TAKES(auth, token(ed, "d", ""));
    ck_assert_uint_eq(principal.party.scopes.len, 0);
    for (int i = 0; i < 50; i++) // r and s of all lengths
        TAKES(auth, token(ec, "e", print("a b%d", i)));
    UNIT_TEXT_EQ(principal.party.issuer, ISSUER);
    UNIT_TEXT_EQ(principal.party.subject, "ada");
    UNIT_TEXT_EQ(principal.party.scopes, "a b49");
    ck_assert_int_eq(principal.expires_ms, NOW + 630 * 1000);
    mica_auth_close(&auth);
    ck_assert_ptr_null(auth);
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(ec);
    EVP_PKEY_free(ed);
}
END_TEST

START_TEST(a_token_that_was_seen_before_gives_the_same_principal)
{
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(ED25519, "d", &key);
    const char *text = token(key, "d", "read write");
    for (int i = 0; i < 3; i++) {
        memset(&principal, 0, sizeof principal);
        TAKES(auth, text);
        UNIT_TEXT_EQ(principal.party.issuer, ISSUER);
        UNIT_TEXT_EQ(principal.party.subject, "ada");
        ck_assert(
            mica_auth_allows(&principal.party, MICA_LITERAL("write read")));
        ck_assert_int_eq(principal.expires_ms, NOW + 630 * 1000);
    }
    // It is not what it was once its time is over.
    const char *header = print("Bearer %s", text);
    ck_assert_int_eq(ask_at(auth, header, NOW + 629999), MICA_OK);
    ck_assert_int_eq(ask_at(auth, header, NOW + 630000), MICA_E_UNAUTHORIZED);
    ck_assert_str_eq(refusal.message, "the token has expired");
    close_lone(&auth, key);
}
END_TEST

START_TEST(more_tokens_than_are_remembered_are_all_judged_right)
{
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(ED25519, "d", &key);
    static const char *texts[1500];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1500; i++) {
            if (round == 0)
                texts[i] = token(key, "d", print("s%d", i));
            UNIT_MUST(ask(auth, texts[i]) == MICA_OK, "token %d", i);
            UNIT_MUST(mica_text_is(principal.party.scopes, print("s%d", i)),
                      "token %d has another one's scope", i);
        }
    }
    // One that is too large to be remembered.
    char large[1100];
    memset(large, 'x', sizeof large);
    large[sizeof large - 1] = '\0';
    TAKES(auth, token(key, "d", large));
    TAKES(auth, token(key, "d", large));
    UNIT_TEXT_EQ(principal.party.scopes, large);
    close_lone(&auth, key);
}
END_TEST

START_TEST(a_key_without_a_name_serves_when_it_is_the_only_one)
{
    EVP_PKEY *ed = generate(ED25519), *other = generate(ED25519),
             *ec = generate(P_256);
    const char *text = sign(ed, "{\"alg\":\"EdDSA\"}", print(CLAIMS, ""));
    struct mica_auth *auth =
        open_keys(print("{%s},%s", material(ed), jwk(ec, "e")));
    TAKES(auth, text);
    mica_auth_close(&auth);
    auth = open_keys(print("{%s},%s", material(ed), jwk(other, "o")));
    // Once the keys have been read again: the other one might have gone.
    ck_assert_int_eq(mica_auth_check(auth, mica_text(print("Bearer %s", text)),
                                     1, NOW, 5000, memory(), &principal,
                                     &refusal),
                     MICA_E_UNAUTHORIZED);
    REFUSES(auth, text, "the token names no key and its issuer has several");
    mica_auth_close(&auth);
    // Two keys of one name: the token is of either.
    auth = open_keys(print("%s,%s", jwk(other, "x"), jwk(ed, "x")));
    TAKES(auth, token(ed, "x", ""));
    TAKES(auth, token(other, "x", ""));
    mica_auth_close(&auth);
    EVP_PKEY_free(ed);
    EVP_PKEY_free(other);
    EVP_PKEY_free(ec);
}
END_TEST

START_TEST(scopes_may_be_an_array_and_may_include_others)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    const struct mica_text broad = MICA_LITERAL("admin");
    const struct mica_text narrow[] = {MICA_LITERAL("read"),
                                       MICA_LITERAL("write")};
    const struct mica_auth_texts list = {2, narrow};
    options.implied_scopes.count = 1;
    options.implied_scopes.keys = &broad;
    options.implied_scopes.items = &list;
    options.required_scopes = (struct mica_auth_texts){1, narrow};
    struct mica_auth *auth = open_with(options);
    const char *claims =
        "{\"iss\":\"" ISSUER "\",\"sub\":\"ada\",\"aud\":\"" HOME
        "\",\"exp\":1800000600,\"scp\":[\"admin\",\"x\"]}";
    TAKES(auth, sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}", claims));
    UNIT_TEXT_EQ(principal.party.scopes, "admin read write x");
    ck_assert(mica_auth_allows(&principal.party, MICA_LITERAL("write x")));
    close_lone(&auth, key);
}
END_TEST

// ---- Refusals to the byte ----------------------------------------------------------

static void
check_refusal(enum mica_status status, enum mica_status want_status,
              unsigned want_http, const char *want_challenge)
{
    ck_assert_int_eq(status, want_status);
    ck_assert_int_eq(refusal.status, want_status);
    ck_assert_uint_eq(refusal.http_status, want_http);
    UNIT_TEXT_EQ(refusal.challenge, want_challenge);
    ck_assert_uint_eq(refusal.retry_after_s, 0);
}

START_TEST(each_refusal_has_its_exact_form)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    const struct mica_text scopes[] = {MICA_LITERAL("mcp:b"),
                                       MICA_LITERAL("mcp:a")};
    options.required_scopes = (struct mica_auth_texts){2, scopes};
    struct mica_auth *auth = open_with(options);

    check_refusal(mica_auth_check(auth, mica_text(NULL), 0, NOW, 0, memory(),
                                  &principal, &refusal),
                  MICA_E_UNAUTHORIZED, 401,
                  "Bearer resource_metadata=\"" META
                  "\", scope=\"mcp:b mcp:a\"");
    ck_assert_str_eq(refusal.message, "the request has no access token; send "
                                      "one in the header Authorization");
    check_refusal(ask_at(auth, "Basic YTpi", NOW), MICA_E_UNAUTHORIZED, 401,
                  "Bearer resource_metadata=\"" META
                  "\", scope=\"mcp:b mcp:a\"");
    check_refusal(ask_at(auth, "Bearer a b", NOW), MICA_E_FORMAT, 400,
                  "Bearer error=\"invalid_request\", resource_metadata=\"" META
                  "\", scope=\"mcp:b mcp:a\", error_description=\"the bearer "
                  "token is not well-formed, or longer than 8 KiB\"");
    check_refusal(mica_auth_check(auth, MICA_LITERAL("Bearer x"), 2, NOW, 0,
                                  memory(), &principal, &refusal),
                  MICA_E_FORMAT, 400,
                  "Bearer error=\"invalid_request\", resource_metadata=\"" META
                  "\", scope=\"mcp:b mcp:a\", error_description=\"the header "
                  "Authorization is there more than once\"");
    check_refusal(ask_at(auth, "Bearer abc", NOW), MICA_E_UNAUTHORIZED, 401,
                  "Bearer error=\"invalid_token\", resource_metadata=\"" META
                  "\", scope=\"mcp:b mcp:a\", error_description=\"the token "
                  "is no signed JWT\"");
    check_refusal(ask(auth, token(key, "d", "mcp:a other")), MICA_E_SCOPE, 403,
                  "Bearer error=\"insufficient_scope\", scope=\"mcp:a mcp:b\", "
                  "resource_metadata=\"" META
                  "\", error_description=\"the access token lacks a scope that "
                  "this needs\"");
    TAKES(auth, token(key, "d", "mcp:a other mcp:b"));
    ck_assert(!mica_auth_allows(&principal.party, MICA_LITERAL("files:write")));
    mica_auth_refuse_scope(auth, MICA_LITERAL("files:write files:read mcp:a"),
                           (struct mica_text){NULL, 0}, memory(), &refusal);
    check_refusal(refusal.status, MICA_E_SCOPE, 403,
                  "Bearer error=\"insufficient_scope\", scope=\"files:read "
                  "files:write mcp:a mcp:b\", resource_metadata=\"" META
                  "\", error_description=\"the access token lacks a scope that "
                  "this needs\"");
    close_lone(&auth, key);
}
END_TEST

START_TEST(without_required_scopes_a_challenge_names_none)
{
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(ED25519, "d", &key);
    check_refusal(mica_auth_check(auth, mica_text(NULL), 0, NOW, 0, memory(),
                                  &principal, &refusal),
                  MICA_E_UNAUTHORIZED, 401,
                  "Bearer resource_metadata=\"" META "\"");
    close_lone(&auth, key);
}
END_TEST

START_TEST(metadata_is_a_document_of_rfc_9728)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    struct mica_auth *auth = open_with(options);
    UNIT_TEXT_EQ(mica_auth_metadata(auth),
                 "{\"resource\":\"" HOME "\",\"authorization_servers\":"
                 "[\"" ISSUER "\"],\"bearer_methods_supported\":[\"header\"]}");
    mica_auth_close(&auth);
    const struct mica_text servers[] = {MICA_LITERAL("https://as.example")};
    const struct mica_text scopes[] = {MICA_LITERAL("read"),
                                       MICA_LITERAL("write")};
    options.authorization_servers = (struct mica_auth_texts){1, servers};
    options.required_scopes = (struct mica_auth_texts){1, scopes};
    options.resource_name = MICA_LITERAL("Ada's \"tools\"");
    options.resource_documentation = MICA_LITERAL("https://mcp.example.com/d");
    auth = open_with(options);
    UNIT_TEXT_EQ(mica_auth_metadata(auth),
                 "{\"resource\":\"" HOME "\",\"authorization_servers\":"
                 "[\"https://as.example\"],\"scopes_supported\":[\"read\"],"
                 "\"bearer_methods_supported\":[\"header\"],\"resource_name\":"
                 "\"Ada's \\\"tools\\\"\",\"resource_documentation\":"
                 "\"https://mcp.example.com/d\"}");
    mica_auth_close(&auth);
    options.scopes_supported = (struct mica_auth_texts){2, scopes};
    auth = open_with(options);
    ck_assert_ptr_nonnull(strstr(mica_auth_metadata(auth).ptr,
                                 "\"scopes_supported\":[\"read\",\"write\"]"));
    close_lone(&auth, key);
}
END_TEST

START_TEST(metadata_is_served_at_the_well_known_paths)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    options.resource = MICA_LITERAL("https://example.com/team/mcp");
    struct mica_auth *auth = open_with(options);
#define WELL "/.well-known/oauth-protected-resource"
    ck_assert(mica_auth_serves(auth, MICA_LITERAL(WELL)));
    ck_assert(mica_auth_serves(auth, MICA_LITERAL(WELL "/mcp")));
    ck_assert(mica_auth_serves(auth, MICA_LITERAL(WELL "/team/mcp")));
    ck_assert(!mica_auth_serves(auth, MICA_LITERAL(WELL "/")));
    ck_assert(!mica_auth_serves(auth, MICA_LITERAL(WELL "/other")));
    ck_assert(!mica_auth_serves(auth, MICA_LITERAL("/.well-known")));
    ck_assert(!mica_auth_serves(auth, MICA_LITERAL("/mcp")));
    ck_assert(!mica_auth_serves(auth, MICA_LITERAL("")));
    close_lone(&auth, key);
}
END_TEST

// ---- Attacks ---------------------------------------------------------------------

// A token under a symmetric key, as HS256 would sign it.
static const char *
forge(const char *header, const char *claims, const char *secret, size_t size)
{
    unsigned char mac[64];
    size_t mac_size = 0;
    const char *text = print("%s.%s", base64url(header, strlen(header)),
                             base64url(claims, strlen(claims)));
    ck_assert_ptr_nonnull(EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, secret,
                                    size, (const unsigned char *)text,
                                    strlen(text), mac, sizeof mac, &mac_size));
    return print("%s.%s", text, base64url(mac, mac_size));
}

START_TEST(a_public_key_is_no_secret_of_an_hmac)
{
    static const char *const algorithms[] = {"HS256", "RS256", "none", "hs256"};
    EVP_PKEY *rsa = generate(RSA_2048);
    struct mica_auth *auth = open_keys(jwk(rsa, "r"));
    const char *claims = print(CLAIMS, "admin");
    unsigned char *der = NULL;
    int size = i2d_PUBKEY(rsa, &der);
    const char *whole = jwk(rsa, "r");
    ck_assert_int_gt(size, 0);
    for (size_t i = 0; i < MICA_COUNT(algorithms); i++) {
        const char *header =
            print("{\"alg\":\"%s\",\"kid\":\"r\"}", algorithms[i]);
        ck_assert_int_eq(
            ask(auth, forge(header, claims, (const char *)der, (size_t)size)),
            MICA_E_UNAUTHORIZED);
        ck_assert_int_eq(ask(auth, forge(header, claims, whole, strlen(whole))),
                         MICA_E_UNAUTHORIZED);
        ck_assert_int_eq(ask(auth, forge(header, claims, "", 0)),
                         MICA_E_UNAUTHORIZED);
        ck_assert_int_eq(
            ask(auth, print("%s.%s.", base64url(header, strlen(header)),
                            base64url(claims, strlen(claims)))),
            MICA_E_UNAUTHORIZED);
    }
    OPENSSL_free(der);
    mica_auth_close(&auth);
    EVP_PKEY_free(rsa);
}
END_TEST

START_TEST(a_key_is_used_for_its_own_algorithm_alone)
{
    EVP_PKEY *keys[] = {generate(RSA_2048), generate(P_256), generate(ED25519)};
    static const char *const algorithms[] = {"RS256", "ES256", "EdDSA"};
    struct mica_auth *auth = open_keys(print(
        "%s,%s,%s", jwk(keys[0], "0"), jwk(keys[1], "1"), jwk(keys[2], "2")));
    for (int signer = 0; signer < 3; signer++) {
        for (int algorithm = 0; algorithm < 3; algorithm++) {
            for (int kid = 0; kid < 3; kid++) {
                const char *text = sign(keys[signer],
                                        print("{\"alg\":\"%s\",\"kid\":\"%d\"}",
                                              algorithms[algorithm], kid),
                                        print(CLAIMS, ""));
                bool right = signer == algorithm && algorithm == kid;
                enum mica_status status = ask(auth, text);
                ck_assert_msg((status == MICA_OK) == right, "%d %d %d", signer,
                              algorithm, kid);
            }
        }
    }
    mica_auth_close(&auth);
    for (int i = 0; i < 3; i++)
        EVP_PKEY_free(keys[i]);
}
END_TEST

START_TEST(keys_that_a_token_brings_along_are_not_used)
{
    EVP_PKEY *key = generate(P_256), *own = generate(P_256);
    struct mica_auth *auth = open_keys(jwk(key, "k"));
    const char *brings[] = {print("\"jwk\":%s", jwk(own, "k")),
                            print("\"jku\":\"data:application/json,%s\"", "{}"),
                            "\"jku\":\"http://127.0.0.1:1/jwks\"",
                            "\"x5u\":\"http://127.0.0.1:1/cert\"",
                            "\"x5c\":[\"MIIB\"]"};
    for (size_t i = 0; i < MICA_COUNT(brings); i++) {
        const char *header =
            print("{\"alg\":\"ES256\",\"kid\":\"k\",%s}", brings[i]);
        REFUSES(auth, sign(own, header, print(CLAIMS, "")),
                "the token's signature is wrong");
        // They are not read at all, so they do no harm either.
        TAKES(auth, sign(key, header, print(CLAIMS, print("s%zu", i))));
    }
    mica_auth_close(&auth);
    EVP_PKEY_free(key);
    EVP_PKEY_free(own);
}
END_TEST

START_TEST(the_keys_of_one_issuer_do_not_sign_for_another)
{
    EVP_PKEY *a = generate(ED25519), *b = generate(ED25519);
    const struct mica_auth_issuer issuers[] = {
        {MICA_LITERAL(ISSUER), mica_text(file("a.json", set(jwk(a, "k"))))},
        {MICA_LITERAL("https://other.example"),
         mica_text(file("b.json", set(jwk(b, "k"))))}};
    struct mica_auth_options options = options_for("");
    options.issuers.count = 2;
    options.issuers.items = issuers;
    struct mica_auth *auth = open_with(options);
    const char *header = "{\"alg\":\"EdDSA\",\"kid\":\"k\"}";
    const char *other =
        "{\"iss\":\"https://other.example\",\"sub\":\"ada\",\"aud\":\"" HOME
        "\",\"exp\":1800000600}";
    TAKES(auth, token(a, "k", ""));
    UNIT_TEXT_EQ(principal.party.issuer, ISSUER);
    TAKES(auth, sign(b, header, other));
    UNIT_TEXT_EQ(principal.party.issuer, "https://other.example");
    REFUSES(auth, token(b, "k", ""), "the token's signature is wrong");
    REFUSES(auth, sign(a, header, other), "the token's signature is wrong");
    mica_auth_close(&auth);
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
}
END_TEST

START_TEST(every_changed_bit_refuses_the_token)
{
    EVP_PKEY *keys[] = {generate(RSA_2048), generate(P_256), generate(ED25519)};
    struct mica_auth *auth = open_keys(print(
        "%s,%s,%s", jwk(keys[0], "0"), jwk(keys[1], "1"), jwk(keys[2], "2")));
    for (int i = 0; i < 3; i++) {
        const char *good = token(keys[i], print("%d", i), "s");
        size_t size = strlen(good);
        struct mica_arena arena;
        mica_arena_init(&arena, 1 << 20);
        TAKES(auth, good);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            char *whole = mica_arena_alloc(&arena, size + 7);
            memcpy(whole, "Bearer ", 7);
            memcpy(whole + 7, good, size);
            whole[7 + bit / 8] = (char)(whole[7 + bit / 8] ^ 1 << bit % 8);
            enum mica_status status =
                mica_auth_check(auth, (struct mica_text){whole, size + 7}, 1,
                                NOW, 0, &arena, &principal, &refusal);
            // A bit of kid or iss may ask for other keys: that is 503 or 401.
            UNIT_MUST(status != MICA_OK, "bit %zu", bit);
            mica_arena_reset(&arena);
        }
        mica_arena_fini(&arena);
    }
    mica_auth_close(&auth);
    for (int i = 0; i < 3; i++)
        EVP_PKEY_free(keys[i]);
}
END_TEST

START_TEST(a_token_cut_anywhere_is_refused)
{
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(P_256, "e", &key);
    const char *good = token(key, "e", "s");
    for (size_t len = 0; len < strlen(good); len++) {
        char *exact = malloc(7 + len);
        memcpy(exact, "Bearer ", 7);
        memcpy(exact + 7, good, len);
        enum mica_status status =
            mica_auth_check(auth, (struct mica_text){exact, 7 + len}, 1, NOW, 0,
                            memory(), &principal, &refusal);
        free(exact);
        UNIT_MUST(status == (len == 0 ? MICA_E_FORMAT : MICA_E_UNAUTHORIZED),
                  "cut at %zu", len);
    }
    REFUSES(auth, print("%sA", good), "the token's signature is wrong");
    REFUSES(auth, print("%sAA", good), "the token's signature is wrong");
    REFUSES(auth, print("%s.AA", good), "the token is no signed JWT");
    close_lone(&auth, key);
}
END_TEST

START_TEST(signatures_of_no_numbers_are_refused)
{
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(P_256, "e", &key);
    const char *good = token(key, "e", "");
    int end = (int)(strrchr(good, '.') - good);
    unsigned char pair[64] = {0};
    // CVE-2022-21449 and its like: r and s of zero, then of all ones.
    REFUSES(auth, print("%.*s.%s", end, good, base64url(pair, 64)),
            "the token's signature is wrong");
    memset(pair, 0xFF, sizeof pair);
    REFUSES(auth, print("%.*s.%s", end, good, base64url(pair, 64)),
            "the token's signature is wrong");
    REFUSES(auth, print("%.*s.%s", end, good, base64url(pair, 63)),
            "the token's signature is wrong");
    REFUSES(auth, print("%.*s.", end, good), "the token's signature is wrong");
    close_lone(&auth, key);
}
END_TEST

// ---- Claims ----------------------------------------------------------------------

static const char *
with(EVP_PKEY *key, const char *members)
{
    return sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}",
                print("{\"iss\":\"" ISSUER "\",\"sub\":\"ada\",%s}", members));
}

START_TEST(metadata_name_each_app_as_a_resource)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    options.resource = MICA_LITERAL("https://example.com/team/mcp");
    struct mica_auth *auth = open_with(options);
    const char *const paths[] = {WELL "/servers/a-1/mcp",
                                 WELL "/team/servers/a-1/mcp"};
    const char *const others[] = {
        WELL "/servers/a-1",
        WELL "/servers/a-1/mcp/",
        WELL "/servers//mcp",
        WELL "/servers/A/mcp",
        WELL "/servers/a/b/mcp",
        WELL "/team/servers/mcp",
        WELL "/other/servers/a/mcp",
        WELL "/servers/"
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
             "/mcp"};
    for (size_t i = 0; i < MICA_COUNT(paths); i++) {
        ck_assert(mica_auth_serves(auth, mica_text(paths[i])));
        UNIT_TEXT_EQ(
            mica_auth_metadata_at(auth, mica_text(paths[i]), memory()),
            "{\"resource\":\"https://example.com/team/servers/a-1/mcp\","
            "\"authorization_servers\":[\"" ISSUER "\"],"
            "\"bearer_methods_supported\":[\"header\"]}");
    }
    for (size_t i = 0; i < MICA_COUNT(others); i++)
        UNIT_MUST(!mica_auth_serves(auth, mica_text(others[i])), "%s",
                  others[i]);
    ck_assert(mica_text_equal(
        mica_auth_metadata_at(auth, MICA_LITERAL(WELL "/team/mcp"), memory()),
        mica_auth_metadata(auth)));
    close_lone(&auth, key);
}
END_TEST

// What a token with that audience is worth at an app, and elsewhere (NULL).
static enum mica_status
ask_for(struct mica_auth *auth, EVP_PKEY *key, const char *audience,
        const char *app)
{
    const char *text =
        with(key, print("\"exp\":1800000600,\"aud\":%s", audience));

    return mica_auth_check_at(auth, mica_text(print("Bearer %s", text)), 1,
                              mica_text(app), NOW, 0, memory(), &principal,
                              &refusal);
}

START_TEST(a_token_for_an_app_counts_there_alone)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    options.resource = MICA_LITERAL("https://example.com/team/mcp");
    struct mica_auth *auth = open_with(options);
#define AT_APP(app) "\"https://example.com/team/servers/" app "/mcp\""
    static const struct {
        const char *audience;
        bool at_a, at_b, elsewhere;
    } cases[] = {
        {AT_APP("a"), true, false, false},
        {"\"HTTPS://Example.com/team/servers/a/mcp\"", true, false, false},
        {"[" AT_APP("b") "," AT_APP("a") "]", true, true, false},
        {"[" AT_APP("b") ",\"https://example.com/team/mcp\"]", true, true,
         true},
        {"\"https://example.com/team/mcp\"", true, true, true},
        {"\"https://example.com/servers/a/mcp\"", false, false, false},
        {"\"https://example.org/team/servers/a/mcp\"", false, false, false},
        {AT_APP("a/../b"), false, false, false},
        {AT_APP("a b"), false, false, false},
        {AT_APP(""), false, false, false},
        {"\"https://example.com/team/servers/a/mcp/\"", false, false, false},
        {"\"https://example.com/team/servers/a\"", false, false, false}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        for (int round = 0; round < 2; round++) { // the second is remembered
            const char *audience = cases[i].audience;
            UNIT_MUST((ask_for(auth, key, audience, "a") == MICA_OK) ==
                          cases[i].at_a,
                      "%s at a", audience);
            UNIT_MUST((ask_for(auth, key, audience, "b") == MICA_OK) ==
                          cases[i].at_b,
                      "%s at b", audience);
            UNIT_MUST((ask_for(auth, key, audience, "") == MICA_OK) ==
                          cases[i].elsewhere,
                      "%s elsewhere", audience);
        }
    }
    ck_assert(ask_for(auth, key, AT_APP("a"), "b") == MICA_E_UNAUTHORIZED);
    UNIT_TEXT_EQ(refusal.challenge,
                 "Bearer error=\"invalid_token\", "
                 "resource_metadata=\"https://example.com" WELL
                 "/team/servers/b/mcp\", "
                 "error_description=\"the token is for another server\"");
    mica_auth_close(&auth);
    // A server that names audiences accepts no other.
    const struct mica_text named[] = {MICA_LITERAL("api://tools")};
    options.audiences = (struct mica_auth_texts){1, named};
    auth = open_with(options);
    ck_assert(ask_for(auth, key, AT_APP("a"), "a") == MICA_E_UNAUTHORIZED);
    ck_assert(ask_for(auth, key, "\"api://tools\"", "a") == MICA_OK);
    close_lone(&auth, key);
}
END_TEST

START_TEST(time_is_judged_to_the_millisecond_with_leeway)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    options.leeway_s = 10;
    struct mica_auth *auth = open_with(options);
    const char *text = print(
        "Bearer %s", with(key, "\"aud\":\"" HOME
                               "\",\"nbf\":1800000000.5,\"exp\":1800000100"));
    static const struct {
        int64_t ms;
        const char *why;
    } cases[] = {{-9501, "the token is not valid yet"},
                 {-9500, NULL},
                 {0, NULL},
                 {109999, NULL},
                 {110000, "the token has expired"},
                 {INT64_C(1) << 52, "the token has expired"}};
    // Once forwards and once backwards: what is remembered is judged as well.
    for (size_t i = 0; i < 2 * MICA_COUNT(cases); i++) {
        size_t at = i < MICA_COUNT(cases) ? i : 2 * MICA_COUNT(cases) - 1 - i;
        enum mica_status status = ask_at(auth, text, NOW + cases[at].ms);
        ck_assert_msg((status == MICA_OK) == (cases[at].why == NULL),
                      "at %" PRId64, cases[at].ms);
        if (cases[at].why != NULL)
            ck_assert_str_eq(refusal.message, cases[at].why);
    }
    close_lone(&auth, key);
}
END_TEST

START_TEST(the_audience_is_this_server)
{
    static const struct {
        const char *aud;
        bool good;
    } cases[] = {{"\"" HOME "\"", true},
                 {"[\"x\",\"" HOME "\"]", true},
                 {"\"HTTPS://MCP.Example.com/mcp\"", true},
                 {"\"https://mcp.example.com/MCP\"", false},
                 {"\"https://mcp.example.com/mcp/\"", false},
                 {"\"https://mcp.example.com/\"", false},
                 {"\"https://mcp.example.com\"", false},
                 {"\"https://mcp.example.com/mcp2\"", false},
                 {"\"https://mcp.example.com.evil.example/mcp\"", false},
                 {"\"\"", false},
                 {"[]", false},
                 {"[\"https://other.example\",\"y\"]", false}};
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(ED25519, "d", &key);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        const char *text =
            with(key, print("\"exp\":1800000600,\"aud\":%s", cases[i].aud));
        if (cases[i].good)
            TAKES(auth, text);
        else
            REFUSES(auth, text, "the token is for another server");
    }
    close_lone(&auth, key);
}
END_TEST

#define AT_ROOT(path) "\"exp\":1800000600,\"aud\":\"https://a.example" path "\""

START_TEST(other_audiences_and_a_server_at_the_root)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    const struct mica_text audience = MICA_LITERAL("api://tools");
    options.resource = MICA_LITERAL("https://a.example");
    struct mica_auth *auth = open_with(options);
    TAKES(auth, with(key, AT_ROOT("")));
    TAKES(auth, with(key, AT_ROOT("/")));
    REFUSES(auth, with(key, AT_ROOT("//")), "the token is for another server");
    mica_auth_close(&auth);
    options.audiences = (struct mica_auth_texts){1, &audience};
    auth = open_with(options);
    TAKES(auth, with(key, "\"exp\":1800000600,\"aud\":\"api://tools\""));
    REFUSES(auth, with(key, AT_ROOT("")), "the token is for another server");
    close_lone(&auth, key);
}
END_TEST

START_TEST(issuers_are_compared_byte_by_byte)
{
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(ED25519, "d", &key);
    static const char *const others[] = {
        "https://login.example.com", "https://login.example.com//",
        "https://LOGIN.example.com/", "https://evil.example/"};
    for (size_t i = 0; i < MICA_COUNT(others); i++)
        REFUSES(auth,
                sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}",
                     print("{\"iss\":\"%s\",\"sub\":\"a\",\"aud\":\"" HOME
                           "\",\"exp\":1800000600}",
                           others[i])),
                "this server does not accept tokens of the token's issuer");
    close_lone(&auth, key);
}
END_TEST

START_TEST(a_strict_server_wants_the_type_of_rfc_9068)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    options.require_at_jwt = true;
    struct mica_auth *auth = open_with(options);
    TAKES(auth, token(key, "d", ""));
    REFUSES(auth, with(key, "\"exp\":1800000600,\"aud\":\"" HOME "\""),
            "the token is not of type at+jwt");
    close_lone(&auth, key);
}
END_TEST

// ---- Memory ----------------------------------------------------------------------

START_TEST(without_memory_nobody_is_let_in)
{
    EVP_PKEY *key;
    struct mica_auth *auth = open_lone(ED25519, "d", &key);
    int let_in = 0, refused = 0;
    for (size_t cap = 0; cap < 64 * 1024; cap += 512) {
        // Each a token of its own, so that none is remembered.
        const char *text =
            print("Bearer %s", token(key, "d", print("s%zu", cap)));
        struct mica_arena arena;
        mica_arena_init(&arena, cap);
        enum mica_status status = mica_auth_check(
            auth, mica_text(text), 1, NOW, 0, &arena, &principal, &refusal);
        let_in += status == MICA_OK ? 1 : 0;
        refused += status == MICA_E_BUSY ? 1 : 0;
        if (status == MICA_OK)
            UNIT_TEXT_EQ(principal.party.scopes, print("s%zu", cap));
        mica_arena_fini(&arena);
    }
    ck_assert_int_eq(let_in + refused, 128);
    ck_assert_int_gt(let_in, 0);
    ck_assert_int_gt(refused, 0);
    close_lone(&auth, key);
}
END_TEST

UNIT_MAIN("auth_check", tokens_of_all_three_algorithms_are_let_in,
          a_token_that_was_seen_before_gives_the_same_principal,
          more_tokens_than_are_remembered_are_all_judged_right,
          a_key_without_a_name_serves_when_it_is_the_only_one,
          scopes_may_be_an_array_and_may_include_others,
          each_refusal_has_its_exact_form,
          without_required_scopes_a_challenge_names_none,
          metadata_is_a_document_of_rfc_9728,
          metadata_is_served_at_the_well_known_paths,
          metadata_name_each_app_as_a_resource,
          a_token_for_an_app_counts_there_alone,
          a_public_key_is_no_secret_of_an_hmac,
          a_key_is_used_for_its_own_algorithm_alone,
          keys_that_a_token_brings_along_are_not_used,
          the_keys_of_one_issuer_do_not_sign_for_another,
          every_changed_bit_refuses_the_token, a_token_cut_anywhere_is_refused,
          signatures_of_no_numbers_are_refused,
          time_is_judged_to_the_millisecond_with_leeway,
          the_audience_is_this_server, other_audiences_and_a_server_at_the_root,
          issuers_are_compared_byte_by_byte,
          a_strict_server_wants_the_type_of_rfc_9068,
          without_memory_nobody_is_let_in)
