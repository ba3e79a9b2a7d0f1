// SPDX-License-Identifier: Apache-2.0
//
// Opening an auth: key sets, options and their file, and how the module is found.
#include <sys/stat.h>

#include "test_auth.h"

static const struct mica_text none = {NULL, 0};

// ---- Opening ---------------------------------------------------------------------

static void
fails(struct mica_auth_options options, enum mica_status want, const char *part)
{
    struct mica_auth *auth = NULL;
    struct mica_error error = {.message = ""};
    enum mica_status status = mica_auth_open(&options, &error, &auth);
    ck_assert_msg(status == want && strstr(error.message, part) != NULL,
                  "%d: %s", (int)status, error.message);
    ck_assert_ptr_null(auth);
}

START_TEST(sets_without_a_usable_key_are_refused)
{
    EVP_PKEY *weak = generate(RSA_1024), *p384 = generate(P_384),
             *ec = generate(P_256), *rsa = generate(RSA_2048);
    const char *x = base64url("01234567890123456789012345678901", 32);
    const char *bad[] = {
        "",
        "{}",
        "1",
        jwk(weak, "k"),
        jwk(p384, "k"),
        print("{%s,\"use\":\"enc\"}", material(rsa)),
        print("{%s,\"key_ops\":[\"encrypt\"]}", material(rsa)),
        print("{%s,\"key_ops\":\"verify\"}", material(rsa)),
        print("{%s,\"alg\":\"RS512\"}", material(rsa)),
        print("{%s,\"alg\":1}", material(rsa)),
        print("{%s,\"kid\":1}", material(rsa)),
        print("{%s,\"d\":\"AQAB\"}", material(rsa)), // a private key
        "{\"kty\":\"oct\",\"k\":\"c2VjcmV0\",\"alg\":\"HS256\"}",
        print("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"}", x,
              x), // not on the curve
        print("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"%s\"}", x),
        print("{\"kty\":\"OKP\",\"crv\":\"Ed448\",\"x\":\"%s\"}", x),
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}",
        print("{\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"AQ\"}",
              number(rsa, OSSL_PKEY_PARAM_RSA_N, 0)), // e is 1
        print("{\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"AQAAAAE\"}",
              number(rsa, OSSL_PKEY_PARAM_RSA_N, 0)), // e has 33 bits
        print("{\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"AQAC\"}",
              number(rsa, OSSL_PKEY_PARAM_RSA_N, 0)), // e is even
        print("{\"kty\":\"RSA\",\"n\":\"%s=\",\"e\":\"AQAB\"}",
              number(rsa, OSSL_PKEY_PARAM_RSA_N, 0)),
    };
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        fails(options_for(file("jwks.json", set(bad[i]))), MICA_E_FORMAT,
              "keys is one for RS256");
    // One good key among them is enough.
    struct mica_auth *auth =
        open_keys(print("%s,%s,{},%s", bad[6], jwk(weak, "w"), jwk(ec, "e")));
    TAKES(auth, token(ec, "e", ""));
    mica_auth_close(&auth);
    EVP_PKEY_free(weak);
    EVP_PKEY_free(p384);
    EVP_PKEY_free(ec);
    EVP_PKEY_free(rsa);
}
END_TEST

START_TEST(files_that_are_no_set_are_refused)
{
    EVP_PKEY *key = generate(ED25519);
    struct mica_buffer many;
    fails(options_for("/nonexistent/jwks.json"), MICA_E_NOT_FOUND,
          "/nonexistent/jwks.json: it cannot be opened");
    fails(options_for(file("jwks.json", "")), MICA_E_JSON, "jwks.json: line 1");
    fails(options_for(file("jwks.json", "{\"keys\":{}}")), MICA_E_FORMAT,
          "no JSON Web Key Set");
    fails(options_for(file("jwks.json", "[]")), MICA_E_FORMAT,
          "no JSON Web Key Set");
    fails(options_for("/tmp"), MICA_E_IO, "cannot be read");
    mica_buffer_init(&many, memory(), 1 << 20);
    for (int i = 0; i < 65; i++)
        mica_buffer_format(&many, "%s%s", i > 0 ? "," : "",
                           jwk(key, print("%d", i)));
    mica_buffer_char(&many, '\0');
    fails(options_for(file("jwks.json", set(many.ptr))), MICA_E_LIMIT,
          "more than 64 usable keys");
    char *large = mica_arena_alloc(memory(), 256 * 1024 + 1);
    memset(large, ' ', 256 * 1024);
    large[256 * 1024] = '\0';
    fails(options_for(file("jwks.json", large)), MICA_E_LIMIT,
          "not smaller than 256 KiB");
    EVP_PKEY_free(key);
}
END_TEST

START_TEST(options_that_cannot_be_are_refused_by_name)
{
    EVP_PKEY *key = generate(ED25519);
    const struct mica_auth_options good =
        options_for(file("jwks.json", set(jwk(key, "d"))));
    struct mica_auth_options options;
    static const char *const resources[] = {"",
                                            "mcp.example.com",
                                            "http://mcp.example.com/mcp",
                                            "https://mcp.example.com/mcp/",
                                            "https://mcp.example.com/",
                                            "https://MCP.example.com/mcp",
                                            "https://mcp.example.com/mcp#x",
                                            "https://mcp.example.com/mcp?x",
                                            "https://mcp.example.com/\"x"};
    for (size_t i = 0; i < MICA_COUNT(resources); i++) {
        options = good;
        options.resource = mica_text(resources[i]);
        fails(options, MICA_E_USAGE, "resource: '");
    }
    options = good;
    options.issuers.count = 0;
    fails(options, MICA_E_USAGE, "issuers: give 1 to 8");
    const struct mica_auth_issuer twice[] = {*good.issuers.items,
                                             *good.issuers.items};
    options.issuers.items = twice;
    options.issuers.count = 2;
    fails(options, MICA_E_USAGE, "is there twice");
    const struct mica_auth_issuer insecure = {
        MICA_LITERAL("http://login.example.com"), MICA_LITERAL("x")};
    options.issuers.items = &insecure;
    options.issuers.count = 1;
    fails(options, MICA_E_USAGE, "use https");
    const struct mica_auth_issuer remote = {
        MICA_LITERAL(ISSUER), MICA_LITERAL("http://login.example.com/jwks")};
    options.issuers.items = &remote;
    fails(options, MICA_E_USAGE, "use https");
    const struct mica_text scope = MICA_LITERAL("a b");
    options = good;
    options.required_scopes = (struct mica_auth_texts){1, &scope};
    fails(options, MICA_E_USAGE, "required_scopes: 'a b' is no scope");
    const struct mica_text offline = MICA_LITERAL("offline_access");
    options = good;
    options.scopes_supported = (struct mica_auth_texts){1, &offline};
    fails(options, MICA_E_USAGE, "for clients to ask for");
    options = good;
    options.leeway_s = 301;
    fails(options, MICA_E_USAGE, "leeway_s: 0 to 300");
    options = good;
    options.jwks_ttl_s = 86401;
    fails(options, MICA_E_USAGE, "jwks_ttl_s: 0 to 86400");
    options = good;
    options.resource_documentation = MICA_LITERAL("javascript:x");
    fails(options, MICA_E_USAGE, "resource_documentation: '");
    options = good;
    options.module = MICA_LITERAL("/nonexistent.so");
    fails(options, MICA_E_NOT_FOUND, "There is no module /nonexistent.so");
    options.module = mica_text(file("fake.so", "x"));
    fails(options, MICA_E_IO, "The module does not load");
    EVP_PKEY_free(key);
}
END_TEST

START_TEST(a_module_that_others_may_write_is_not_loaded)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    const char *path = file("open.so", "x");
    ck_assert_int_eq(chmod(path, 0666), 0);
    options.module = mica_text(path);
    fails(options, MICA_E_TRUST, "open.so");
    EVP_PKEY_free(key);
}
END_TEST

START_TEST(the_module_is_found_above_the_program)
{
    EVP_PKEY *key;
    struct mica_auth_options options = options_of_lone(ED25519, "d", &key);
    options.module = (struct mica_text){NULL, 0};
    struct mica_auth *auth = open_with(options);
    TAKES(auth, token(key, "d", ""));
    mica_auth_close(&auth);
    mica_auth_close(&auth); // NULL is allowed
    EVP_PKEY_free(key);
}
END_TEST

// ---- The file of options ---------------------------------------------------------

START_TEST(a_file_of_options_is_read)
{
    EVP_PKEY *key = generate(ED25519);
    struct mica_auth_options options;
    struct mica_error error;
    (void)file("keys.json", set(jwk(key, "d")));
    const char *path =
        file("auth.json",
             "{\"resource\": \"" HOME "\",\n"
             " \"issuers\": [{\"issuer\": \"" ISSUER "\", \"jwks\": "
             "\"keys.json\"}],\n"
             " \"required_scopes\": [\"mcp:tools\"],\n"
             " \"implied_scopes\": {\"mcp:all\": [\"mcp:tools\", \"mcp:x\"]},\n"
             " \"resource_name\": \"Tools\", \"leeway_s\": 5}");
    ck_assert_msg(mica_auth_options_read(path, none, memory(), &error,
                                         &options) == MICA_OK,
                  "%s", error.message);
    ck_assert_int_eq(options.leeway_s, 5);
    ck_assert_int_eq(options.jwks_ttl_s, 300); // the default
    ck_assert(!options.require_at_jwt);
    options.module = mica_text(getenv("MICA_AUTH_MODULE"));
    struct mica_auth *auth = open_with(options);
    TAKES(auth, token(key, "d", "mcp:all"));
    ck_assert(
        mica_auth_allows(&principal.party, MICA_LITERAL("mcp:x mcp:tools")));
    ck_assert_int_eq(ask(auth, token(key, "d", "mcp:x")), MICA_E_SCOPE);
    close_lone(&auth, key);
}
END_TEST

START_TEST(a_file_of_options_opens_an_auth)
{
    EVP_PKEY *key = generate(ED25519);
    struct mica_error error = {.message = ""};
    struct mica_auth *auth = NULL;
    (void)file("keys.json", set(jwk(key, "d")));
#define OPTIONS(resource, jwks)                                         \
    "{\"resource\":\"" resource "\",\"issuers\":[{\"issuer\":\"" ISSUER \
    "\",\"jwks\":\"" jwks "\"}]}"
    const char *path = file("auth.json", OPTIONS(HOME, "keys.json"));
    ck_assert_msg(mica_auth_open_file(path, none, NULL, NULL, NULL, &error,
                                      &auth) == MICA_OK,
                  "%s", error.message);
    TAKES(auth, token(key, "d", ""));
    mica_auth_close(&auth);
    (void)file("auth.json", OPTIONS("https://a.example/", "keys.json"));
    ck_assert_int_eq(
        mica_auth_open_file(path, none, NULL, NULL, NULL, &error, &auth),
        MICA_E_USAGE);
    ck_assert_str_eq(error.message,
                     print("%s: resource: 'https://a.example/' ends with a "
                           "slash; the canonical form has none.",
                           path));
    ck_assert_str_eq(error.path, "/resource");
    (void)file("auth.json", OPTIONS(HOME, "none.json"));
    ck_assert_int_eq(
        mica_auth_open_file(path, none, NULL, NULL, NULL, &error, &auth),
        MICA_E_NOT_FOUND);
    ck_assert_ptr_null(auth);
    EVP_PKEY_free(key);
}
END_TEST

// A file without a resource has that of the public URL, and one with another is refused.
START_TEST(the_resource_is_where_clients_reach_the_server)
{
#define FILE_OF(resource)                                          \
    "{" resource "\"issuers\":[{\"issuer\":\"https://i.example\"," \
    "\"jwks\":\"keys.json\"}]}"
#define PUBLIC "https://h.example/tools/x/mcp"
    static const struct {
        const char *text, *resource; // NULL: refused
    } cases[] = {
        {FILE_OF(""), PUBLIC},
        {FILE_OF("\"resource\":\"" PUBLIC "\","), PUBLIC},
        {FILE_OF("\"resource\":\"https://h.example/tools/x\","),
         "https://h.example/tools/x"},
        {FILE_OF("\"resource\":\"https://h.example\","), "https://h.example"},
        {FILE_OF("\"resource\":\"https://h.example/mcp\","), NULL},
        {FILE_OF("\"resource\":\"https://h.example/tools/x/mc\","), NULL},
        {FILE_OF("\"resource\":\"" PUBLIC "/more\","), NULL},
        {FILE_OF("\"resource\":\"https://h.exam\","), NULL},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_auth_options options = {.leeway_s = 0};
        struct mica_error error = {.message = ""};
        enum mica_status status = mica_auth_options_read(
            file("auth.json", cases[i].text), MICA_LITERAL(PUBLIC), memory(),
            &error, &options);
        ck_assert_int_eq(status,
                         cases[i].resource != NULL ? MICA_OK : MICA_E_USAGE);
        if (cases[i].resource != NULL)
            ck_assert(mica_text_is(options.resource, cases[i].resource));
        else
            ck_assert_str_eq(error.path, "/resource");
    }
}
END_TEST

START_TEST(a_wrong_file_of_options_is_refused_with_its_place)
{
    static const struct {
        const char *text;
        enum mica_status status;
        const char *part, *path;
    } cases[] = {
        {"", MICA_E_JSON, "auth.json: line 1", ""},
        {"[]", MICA_E_TYPE, "auth.json: ", ""},
        {"{\"resource\":\"x\"}", MICA_E_REQUIRED, "issuers", "/issuers"},
        {"{\"issuers\":[{\"issuer\":\"y\",\"jwks\":\"z\"}]}", MICA_E_REQUIRED,
         "auth.json: /resource is missing", "/resource"},
        {"{\"resource\":\"x\",\"issuers\":[]}", MICA_E_RANGE,
         "auth.json: ", "/issuers"},
        {"{\"resource\":\"x\",\"issuers\":[{\"issuer\":\"y\"}]}",
         MICA_E_REQUIRED, "jwks", "/issuers/0/jwks"},
        {"{\"resource\":\"x\",\"isuers\":[]}", MICA_E_UNKNOWN, "issuers",
         "/isuers"},
        {"{\"resource\":\"x\",\"resource\":\"y\"}", MICA_E_DUPLICATE,
         "auth.json: ", NULL},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_auth_options options;
        struct mica_error error = {.message = ""};
        enum mica_status status = mica_auth_options_read(
            file("auth.json", cases[i].text), none, memory(), &error, &options);
        ck_assert_msg(status == cases[i].status &&
                          strstr(error.message, cases[i].part) != NULL &&
                          (cases[i].path == NULL ||
                           strcmp(error.path, cases[i].path) == 0),
                      "%zu: %d %s %s", i, (int)status, error.message,
                      error.path);
    }
    struct mica_auth_options options;
    struct mica_error error;
    ck_assert_int_eq(mica_auth_options_read("/nonexistent/auth.json", none,
                                            memory(), &error, &options),
                     MICA_E_NOT_FOUND);
    ck_assert_str_eq(error.message, "/nonexistent/auth.json cannot be opened: "
                                    "No such file or directory.");
}
END_TEST

UNIT_MAIN("auth_open", sets_without_a_usable_key_are_refused,
          files_that_are_no_set_are_refused,
          options_that_cannot_be_are_refused_by_name,
          a_module_that_others_may_write_is_not_loaded,
          the_module_is_found_above_the_program, a_file_of_options_is_read,
          a_file_of_options_opens_an_auth,
          the_resource_is_where_clients_reach_the_server,
          a_wrong_file_of_options_is_refused_with_its_place)
