// SPDX-License-Identifier: Apache-2.0
//
// Taking tokens apart, without keys: the header of the request, base64url, the
// header of the token, claims, scopes, and the URLs of a configuration.
#include <stdio.h>
#include <string.h>

#include "auth/token.h"
#include "base/url.h"
#include "unit.h"

static struct mica_arena arena;

static void
fresh(void)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 16 << 20);
}

static struct mica_text
encode(const char *text)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, &arena, 1 << 20);
    mica_base64_write(&buffer, text, strlen(text));
    for (size_t i = 0; i < buffer.len; i++)
        buffer.ptr[i] = buffer.ptr[i] == '+'   ? '-'
                        : buffer.ptr[i] == '/' ? '_'
                                               : buffer.ptr[i];
    while (buffer.len > 0 && buffer.ptr[buffer.len - 1] == '=')
        buffer.len--;
    return mica_buffer_as_text(&buffer);
}

static struct mica_text
compact(const char *header, const char *claims)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, &arena, 1 << 20);
    mica_buffer_text(&buffer, encode(header));
    mica_buffer_char(&buffer, '.');
    mica_buffer_text(&buffer, encode(claims));
    mica_buffer_text(&buffer, MICA_LITERAL(".c2lnbmF0dXJl"));
    return mica_buffer_as_text(&buffer);
}

// ---- Authorization ---------------------------------------------------------------

START_TEST(the_header_authorization_has_one_form)
{
    static const struct {
        const char *value;
        enum mica_bearer bearer;
        const char *token;
    } cases[] = {
        {"Bearer abc", MICA_BEARER_TOKEN, "abc"},
        {"bearer abc", MICA_BEARER_TOKEN, "abc"},
        {"BEARER   a-._~+/9==  ", MICA_BEARER_TOKEN, "a-._~+/9=="},
        {"", MICA_BEARER_NONE, ""},
        {"Basic YTpi", MICA_BEARER_NONE, ""},
        {"DPoP abc", MICA_BEARER_NONE, ""},
        {"Bearerabc", MICA_BEARER_NONE, ""},
        {"Bearer\tabc", MICA_BEARER_NONE, ""},
        {"Bearer", MICA_BEARER_BAD, ""},
        {"Bearer  ", MICA_BEARER_BAD, ""},
        {"Bearer a b", MICA_BEARER_BAD, ""},
        {"Bearer a,Bearer b", MICA_BEARER_BAD, ""},
        {"Bearer \"a\"", MICA_BEARER_BAD, ""},
        {"Bearer a=b", MICA_BEARER_BAD, ""},
        {"Bearer =", MICA_BEARER_BAD, ""},
        {"Bearer \xC3\xA9", MICA_BEARER_BAD, ""},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_text token = {NULL, 0};
        ck_assert_msg(mica_bearer_read(mica_text(cases[i].value), &token) ==
                          cases[i].bearer,
                      "%s", cases[i].value);
        if (cases[i].bearer == MICA_BEARER_TOKEN)
            UNIT_TEXT_EQ(token, cases[i].token);
    }
    struct mica_text zero = {"Bearer a\0b", 10}, token;
    ck_assert_int_eq(mica_bearer_read(zero, &token), MICA_BEARER_BAD);
}
END_TEST

START_TEST(a_token_has_at_most_8_kib)
{
    static char value[7 + MICA_AUTH_TOKEN_BYTES + 1];
    struct mica_text token;
    memset(value, 'a', sizeof value);
    memcpy(value, "Bearer ", 7);
    struct mica_text most = {value, sizeof value - 1};
    struct mica_text more = {value, sizeof value};
    ck_assert_int_eq(mica_bearer_read(most, &token), MICA_BEARER_TOKEN);
    ck_assert_uint_eq(token.len, MICA_AUTH_TOKEN_BYTES);
    ck_assert_int_eq(mica_bearer_read(more, &token), MICA_BEARER_BAD);
}
END_TEST

// ---- Base64url -------------------------------------------------------------------

START_TEST(base64url_has_one_text_for_each_sequence_of_bytes)
{
    static const char *const good[][2] = {
        {"", ""},        {"Zg", "f"},        {"Zm8", "fo"},
        {"Zm9v", "foo"}, {"Zm9vYg", "foob"}, {"-_-_", "\xfb\xff\xbf"}};
    static const char *const bad[] = {
        "Z",     "Zh",    "Zm9",   "Zg==", "Zm8=",  "+/+/",
        "Zm9v ", "Zm\n9", "Zm9vY", "=",    "Zm9v=", "\xff"};
    fresh();
    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, &arena, 1024);
        ck_assert(mica_base64url_read(&buffer, mica_text(good[i][0])));
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), good[i][1]);
    }
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, &arena, 1024);
        mica_buffer_char(&buffer, 'x');
        ck_assert_msg(!mica_base64url_read(&buffer, mica_text(bad[i])), "%s",
                      bad[i]);
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "x");
    }
}
END_TEST

START_TEST(base64url_reads_what_base64_writes_at_every_length)
{
    char bytes[1024];
    fresh();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37 % 255 + 1);
    for (size_t len = 0; len < sizeof bytes; len++) {
        struct mica_buffer buffer;
        mica_arena_reset(&arena);
        char saved = bytes[len];
        bytes[len] = '\0';
        mica_buffer_init(&buffer, &arena, sizeof bytes);
        UNIT_MUST(mica_base64url_read(&buffer, encode(bytes)) &&
                      buffer.len == len &&
                      (len == 0 || memcmp(buffer.ptr, bytes, len) == 0),
                  "at length %zu", len);
        bytes[len] = saved;
    }
}
END_TEST

// ---- The token's header ----------------------------------------------------------

static const char *
read_header(const char *header, struct mica_token *token)
{
    fresh();
    return mica_token_read(compact(header, "{}"), &arena, token);
}

START_TEST(only_three_algorithms_are_read)
{
    static const char algorithm[] =
        "the token's algorithm must be RS256, ES256 or EdDSA";
    static const char *const bad[] = {"{\"alg\":\"none\"}",
                                      "{\"alg\":\"None\"}",
                                      "{\"alg\":\"HS256\"}",
                                      "{\"alg\":\"RS384\"}",
                                      "{\"alg\":\"PS256\"}",
                                      "{\"alg\":\"ES384\"}",
                                      "{\"alg\":\"rs256\"}",
                                      "{\"alg\":\"\"}",
                                      "{\"alg\":null}",
                                      "{\"alg\":[\"RS256\"]}",
                                      "{}",
                                      "{\"alg\":\"RS256\\u0000\"}",
                                      "{\"alg\":\"dir\",\"enc\":\"A128GCM\"}"};
    struct mica_token token;
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        const char *wrong = read_header(bad[i], &token);
        ck_assert_msg(wrong != NULL && strcmp(wrong, algorithm) == 0, "%s",
                      bad[i]);
    }
    ck_assert_ptr_null(read_header("{\"alg\":\"RS256\"}", &token));
    ck_assert_int_eq(token.algorithm, MICA_ALGORITHM_RS256);
    ck_assert_ptr_null(read_header("{\"alg\":\"ES256\"}", &token));
    ck_assert_int_eq(token.algorithm, MICA_ALGORITHM_ES256);
    ck_assert_ptr_null(read_header("{\"alg\":\"EdDSA\"}", &token));
    ck_assert_int_eq(token.algorithm, MICA_ALGORITHM_EDDSA);
    UNIT_TEXT_EQ(token.signature, "signature");
    ck_assert_uint_eq(token.kid.len, 0);
    ck_assert(!token.at_jwt);
}
END_TEST

START_TEST(critical_extensions_refuse_the_token)
{
    struct mica_token token;
    ck_assert_str_eq(
        read_header("{\"alg\":\"RS256\",\"crit\":[\"exp\"],\"exp\":1}", &token),
        "the token has critical header parameters");
    ck_assert_ptr_nonnull(
        read_header("{\"alg\":\"RS256\",\"crit\":[]}", &token));
    ck_assert_ptr_nonnull(
        read_header("{\"alg\":\"RS256\",\"crit\":null}", &token));
    ck_assert_ptr_nonnull(read_header(
        "{\"alg\":\"RS256\",\"b64\":false,\"crit\":[\"b64\"]}", &token));
}
END_TEST

START_TEST(types_other_than_access_tokens_are_refused)
{
    static const char *const good[] = {"JWT",
                                       "jwt",
                                       "at+jwt",
                                       "AT+JWT",
                                       "application/at+jwt",
                                       "application/jwt"};
    static const char *const bad[] = {"logout+jwt",   "dpop+jwt", "JOSE",  "",
                                      "secevent+jwt", "at+jwt2",  "id+jwt"};
    struct mica_token token;
    char header[128];
    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        (void)snprintf(header, sizeof header,
                       "{\"alg\":\"ES256\",\"typ\":\"%s\"}", good[i]);
        ck_assert_msg(read_header(header, &token) == NULL, "%s", good[i]);
        ck_assert_int_eq(token.at_jwt, strchr(good[i], '+') != NULL);
    }
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        (void)snprintf(header, sizeof header,
                       "{\"alg\":\"ES256\",\"typ\":\"%s\"}", bad[i]);
        ck_assert_msg(read_header(header, &token) != NULL, "%s", bad[i]);
    }
    ck_assert_ptr_nonnull(read_header("{\"alg\":\"ES256\",\"typ\":1}", &token));
}
END_TEST

START_TEST(the_name_of_a_key_is_a_text_of_bounded_size)
{
    struct mica_token token;
    char header[600] = "{\"alg\":\"ES256\",\"kid\":\"";
    size_t start = strlen(header);
    memset(header + start, 'k', 256);
    memcpy(header + start + 256, "\"}", 3);
    ck_assert_ptr_null(read_header(header, &token));
    ck_assert_uint_eq(token.kid.len, 256);
    memcpy(header + start + 256, "k\"}", 4);
    ck_assert_ptr_nonnull(read_header(header, &token));
    ck_assert_ptr_nonnull(
        read_header("{\"alg\":\"ES256\",\"kid\":\"\"}", &token));
    ck_assert_ptr_nonnull(read_header("{\"alg\":\"ES256\",\"kid\":7}", &token));
}
END_TEST

START_TEST(a_member_that_stands_twice_refuses_the_token)
{
    struct mica_token token;
    ck_assert_ptr_nonnull(
        read_header("{\"alg\":\"none\",\"alg\":\"RS256\"}", &token));
    fresh();
    ck_assert_ptr_nonnull(mica_token_read(
        compact("{\"alg\":\"RS256\"}", "{\"sub\":\"a\",\"sub\":\"b\"}"), &arena,
        &token));
}
END_TEST

START_TEST(texts_that_are_no_compact_jws_are_refused)
{
    static const char *const bad[] = {
        "",
        ".",
        "..",
        "...",
        "a.b.c",
        "e30.e30.",
        "eyJhbGciOiJFUzI1NiJ9",
        "eyJhbGciOiJFUzI1NiJ9.e30",
        "eyJhbGciOiJFUzI1NiJ9.e30.AA.AA.AA",
        "eyJhbGciOiJFUzI1NiJ9.e30.AA=",
        "eyJhbGciOiJFUzI1NiJ9.W10.AA", // claims are an array
        "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ==.AA",
        "eyJhbGciOiJFUzI1NiJ9.IiI.AA", // or a text
        "WyJFUzI1NiJd.e30.AA",         // the header is an array
        "eyJhbGciOiJFUzI1NiJ9.e30K\n.AA"};
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        struct mica_token token;
        fresh();
        const char *wrong = mica_token_read(mica_text(bad[i]), &arena, &token);
        ck_assert_msg(wrong != NULL, "%s", bad[i]);
    }
}
END_TEST

START_TEST(no_part_of_a_token_is_a_token)
{
    struct mica_token token;
    fresh();
    struct mica_text whole =
        compact("{\"alg\":\"RS256\",\"kid\":\"a\"}", "{\"iss\":\"x\"}");
    size_t parts = 0;
    for (size_t len = 0; len < whole.len; len++) {
        // An exact allocation shows a read past its end.
        char *exact = mica_arena_alloc(&arena, len);
        memcpy(exact, whole.ptr, len);
        const char *wrong =
            mica_token_read((struct mica_text){exact, len}, &arena, &token);
        // Cut inside the signature, it still has the form of one.
        if (wrong == NULL)
            parts++;
        ck_assert(wrong != NULL || len + strlen("c2lnbmF0dXJl") >= whole.len);
    }
    ck_assert_uint_gt(parts, 0);
}
END_TEST

// ---- Claims ----------------------------------------------------------------------

static struct mica_claims claims;

static const char *
read_claims(const char *text)
{
    static struct mica_json json;
    fresh();
    ck_assert_int_eq(mica_json_read(&arena, mica_text(text), NULL, NULL, &json),
                     MICA_OK);
    return mica_claims_read(&json, &claims);
}

#define BASE "\"iss\":\"i\",\"sub\":\"s\",\"aud\":\"a\",\"exp\":10"

START_TEST(claims_are_read_by_type)
{
    ck_assert_ptr_null(read_claims("{" BASE "}"));
    UNIT_TEXT_EQ(claims.issuer, "i");
    UNIT_TEXT_EQ(claims.subject, "s");
    ck_assert_int_eq(claims.expires_ms, 10000);
    ck_assert_int_eq(claims.not_before_ms, INT64_MIN);
    ck_assert_uint_eq(claims.scopes.count, 0);
    ck_assert_ptr_null(
        read_claims("{" BASE ",\"nbf\":1.5,\"iat\":2,\"scope\":\" b  a b \"}"));
    ck_assert_int_eq(claims.not_before_ms, 1500);
    ck_assert_uint_eq(claims.scopes.count, 2);
    UNIT_TEXT_EQ(claims.scopes.items[0], "a");
    UNIT_TEXT_EQ(claims.scopes.items[1], "b");
    ck_assert_ptr_null(read_claims("{" BASE ",\"scp\":[\"x\",\"w\"]}"));
    UNIT_TEXT_EQ(claims.scopes.items[0], "w");
    ck_assert_ptr_null(read_claims("{" BASE ",\"scp\":\"x w\"}"));
    ck_assert_uint_eq(claims.scopes.count, 2);
    // `scope` is the registered name and wins.
    ck_assert_ptr_null(
        read_claims("{" BASE ",\"scope\":\"a\",\"scp\":[\"b\",\"c\"]}"));
    ck_assert_uint_eq(claims.scopes.count, 1);
}
END_TEST

START_TEST(claims_of_other_types_are_refused)
{
    static const char *const bad[] = {
        "{\"sub\":\"s\",\"aud\":\"a\",\"exp\":1}",
        "{\"iss\":\"i\",\"aud\":\"a\",\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":\"a\"}",
        "{\"iss\":1,\"sub\":\"s\",\"aud\":\"a\",\"exp\":1}",
        "{\"iss\":\"\",\"sub\":\"s\",\"aud\":\"a\",\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":\"\",\"aud\":\"a\",\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":7,\"aud\":\"a\",\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":null,\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":{\"a\":1},\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":[\"a\",1],\"exp\":1}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":\"a\",\"exp\":\"1\"}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":\"a\",\"exp\":null}",
        "{\"iss\":\"i\",\"sub\":\"s\",\"aud\":\"a\",\"exp\":1e999}",
        "{" BASE ",\"nbf\":\"1\"}",
        "{" BASE ",\"iat\":true}",
        "{" BASE ",\"scope\":7}",
        "{" BASE ",\"scope\":\"a\\\"b\"}",
        "{" BASE ",\"scope\":\"a\\\\\"}",
        "{" BASE ",\"scope\":\"a\\tb\"}",
        "{" BASE ",\"scope\":\"\\u00e9\"}",
        "{" BASE ",\"scp\":[\"a b\"]}",
        "{" BASE ",\"scp\":[\"\"]}",
        "{" BASE ",\"scp\":[1]}"};
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(read_claims(bad[i]) != NULL, "%s", bad[i]);
}
END_TEST

START_TEST(dates_at_the_ends_of_time_do_not_overflow)
{
    ck_assert_ptr_null(read_claims("{\"iss\":\"i\",\"sub\":\"s\",\"aud\":\"a\","
                                   "\"exp\":1e300,\"nbf\":-1e300}"));
    ck_assert_int_eq(claims.expires_ms, INT64_C(8640000000000000));
    ck_assert_int_eq(claims.not_before_ms, -INT64_C(8640000000000000));
}
END_TEST

START_TEST(scopes_and_subjects_are_bounded)
{
    static char text[8192];
    size_t at = (size_t)sprintf(text, "{" BASE ",\"scp\":[");
    for (int i = 0; i < MICA_AUTH_SCOPES; i++)
        at += (size_t)sprintf(text + at, "%s\"s%03d\"", i == 0 ? "" : ",", i);
    (void)sprintf(text + at, ",\"s000\"]}");
    ck_assert_ptr_null(read_claims(text));
    ck_assert_uint_eq(claims.scopes.count, MICA_AUTH_SCOPES);
    (void)sprintf(text + at, ",\"more\"]}");
    ck_assert_ptr_nonnull(read_claims(text));
    at = (size_t)sprintf(text, "{\"iss\":\"i\",\"aud\":\"a\",\"exp\":1,"
                               "\"sub\":\"");
    memset(text + at, 'x', 512);
    (void)sprintf(text + at + 512, "\"}");
    ck_assert_ptr_null(read_claims(text));
    (void)sprintf(text + at + 512, "x\"}");
    ck_assert_ptr_nonnull(read_claims(text));
}
END_TEST

// ---- Scopes ----------------------------------------------------------------------

START_TEST(broader_scopes_include_narrower_ones)
{
    // The broadest last: what it includes has been passed already.
    const struct mica_text keys[] = {
        MICA_LITERAL("write"), MICA_LITERAL("admin"), MICA_LITERAL("loop")};
    const struct mica_text admin[] = {MICA_LITERAL("write")};
    const struct mica_text writes[] = {MICA_LITERAL("read"),
                                       MICA_LITERAL("list")};
    const struct mica_text loop[] = {MICA_LITERAL("loop")};
    const struct mica_auth_texts items[] = {{2, writes}, {1, admin}, {1, loop}};
    const struct mica_auth_options options = {
        .implied_scopes = {3, keys, items}};
    struct mica_scopes scopes = {.count = 0};
    fresh();
    ck_assert(mica_scopes_add_words(&scopes, MICA_LITERAL("loop admin")));
    ck_assert(mica_scopes_imply(&scopes, &options));
    ck_assert_uint_eq(scopes.count, 5);
    struct mica_principal principal = {.scopes =
                                           mica_scopes_text(&scopes, &arena)};
    UNIT_TEXT_EQ(principal.scopes, "admin list loop read write");
    ck_assert(mica_auth_allows(&principal, MICA_LITERAL("read")));
    ck_assert(mica_auth_allows(&principal, MICA_LITERAL(" list  admin ")));
    ck_assert(mica_auth_allows(&principal, MICA_LITERAL("")));
    ck_assert(!mica_auth_allows(&principal, MICA_LITERAL("read other")));
    ck_assert(!mica_auth_allows(&principal, MICA_LITERAL("rea")));
    ck_assert(!mica_auth_allows(&principal, MICA_LITERAL("READ")));
    scopes.count = 0;
    ck_assert(mica_scopes_add_words(&scopes, MICA_LITERAL("read")));
    ck_assert(mica_scopes_imply(&scopes, &options));
    ck_assert_uint_eq(scopes.count, 1); // not the other way round
}
END_TEST

// ---- URLs ------------------------------------------------------------------------

START_TEST(urls_are_https_or_of_this_machine)
{
    static const char *const good[] = {"https://mcp.example.com",
                                       "https://mcp.example.com/",
                                       "https://mcp.example.com:8443/a",
                                       "https://10.0.0.1/keys?p=a%20b",
                                       "https://[2001:db8::1]/",
                                       "http://127.0.0.1:8080/mcp",
                                       "http://127.1.2.3",
                                       "http://localhost:1/x",
                                       "http://[::1]:65535/x"};
    static const char *const bad[] = {"",
                                      "https:",
                                      "https://",
                                      "https:///x",
                                      "HTTPS://a.example",
                                      "https://A.example",
                                      "ftp://a.example",
                                      "file:///etc/passwd",
                                      "http://a.example",
                                      "http://127.0.0.1.example.com",
                                      "http://127.0.0.1@a.example/",
                                      "http://localhost.example",
                                      "http://127.0.0",
                                      "http://127.0.0.1.",
                                      "http://[::2]/",
                                      "https://user@a.example/",
                                      "https://user:x@a.example/",
                                      "https://a.example#f",
                                      "https://a.example/#f",
                                      "https://a.example:",
                                      "https://a.example:0",
                                      "https://a.example:65536",
                                      "https://a.example:x",
                                      "https://a.example/ x",
                                      "https://a.example/\"",
                                      "https://a.example/\\",
                                      "https://a example/",
                                      "https://a.example\n",
                                      "https://[::1/x",
                                      "https://[]/",
                                      "https://a_b.example",
                                      "https://\xC3\xA9.example",
                                      "https://a.example/<",
                                      "http://127.0.0.1\\@a.example/"};
    struct mica_url url;
    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        const char *wrong = mica_url_read_safe(mica_text(good[i]), &url);
        ck_assert_msg(wrong == NULL, "%s %s", good[i], wrong);
    }
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(mica_url_read_safe(mica_text(bad[i]), &url) != NULL, "%s",
                      bad[i]);
    ck_assert_ptr_null(
        mica_url_read(mica_text("https://a.example:8443/b/c?d"), &url));
    UNIT_TEXT_EQ(url.origin, "https://a.example:8443");
    UNIT_TEXT_EQ(url.path, "/b/c");
    UNIT_TEXT_EQ(url.query, "?d");
    ck_assert(url.https && !url.loopback);
}
END_TEST

UNIT_MAIN("auth_token", the_header_authorization_has_one_form,
          a_token_has_at_most_8_kib,
          base64url_has_one_text_for_each_sequence_of_bytes,
          base64url_reads_what_base64_writes_at_every_length,
          only_three_algorithms_are_read, critical_extensions_refuse_the_token,
          types_other_than_access_tokens_are_refused,
          the_name_of_a_key_is_a_text_of_bounded_size,
          a_member_that_stands_twice_refuses_the_token,
          texts_that_are_no_compact_jws_are_refused,
          no_part_of_a_token_is_a_token, claims_are_read_by_type,
          claims_of_other_types_are_refused,
          dates_at_the_ends_of_time_do_not_overflow,
          scopes_and_subjects_are_bounded, broader_scopes_include_narrower_ones,
          urls_are_https_or_of_this_machine)
