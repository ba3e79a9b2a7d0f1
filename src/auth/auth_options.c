// SPDX-License-Identifier: Apache-2.0
//
// The file behind `--auth FILE`: JSON, decoded by a field table into the options
// themselves. What the values have to be beyond their types is checked when the
// module opens, so that programs are told the same.
#include "auth/auth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <mica/engine.h>

#include "schema/record.h"

enum {
    FILE_BYTES = 256 * 1024
};

// Tables that hold others use what is marked as perhaps unused.
#ifdef __clang__
#    pragma clang diagnostic ignored "-Wused-but-marked-unused"
#endif
MICA_RECORD(mica_auth_issuer,
            MICA_TEXT(issuer, "The claim iss of its tokens, exactly"),
            MICA_TEXT(jwks, "Its keys: a file, an https URL, or an http URL of "
                            "this machine"));
MICA_RECORD(
    mica_auth_login,
    MICA_TEXT(issuer, "Where people sign in; without it the first issuer",
              .fallback = MICA_JSON("")),
    MICA_TEXT(client_id, "The name of this server at the issuer",
              .min_length = 1),
    MICA_TEXT(client_secret_env,
              "The variable of the environment that holds the secret",
              .fallback = MICA_JSON("")),
    MICA_TEXT(client_secret_file, "The file that holds the secret",
              .fallback = MICA_JSON("")),
    MICA_LIST(scopes, text, "Scopes to ask for", .fallback = MICA_JSON([])),
    MICA_INTEGER(max_age_s, "Seconds after which a login ends",
                 .fallback = MICA_JSON(43200), .minimum = 1),
    MICA_BOOLEAN(omit_resource, "Leave the parameter resource of RFC 8707 out",
                 .fallback = MICA_JSON(false)));
MICA_RECORD(mica_auth_options,
            MICA_TEXT(resource,
                      "This server's canonical URI, as clients reach it; "
                      "without it that of --public-url",
                      .fallback = MICA_JSON("")),
            MICA_LIST(issuers, mica_auth_issuer, "Whose tokens are accepted",
                      .min_items = 1, .max_items = MICA_AUTH_ISSUERS),
            MICA_LIST(audiences, text, "Values of aud that are accepted",
                      .fallback = MICA_JSON([])),
            MICA_LIST(authorization_servers, text, "Where clients get tokens",
                      .fallback = MICA_JSON([])),
            MICA_LIST(scopes_supported, text, "Scopes that clients may ask for",
                      .fallback = MICA_JSON([])),
            MICA_LIST(required_scopes, text, "Scopes that every request needs",
                      .fallback = MICA_JSON([])),
            MICA_MAP(implied_scopes, mica_auth_texts,
                     "Broader scopes and what each includes",
                     .fallback = MICA_JSON({})),
            MICA_TEXT(resource_name, "The server's name for people",
                      .fallback = MICA_JSON("")),
            MICA_TEXT(resource_documentation, "A page for developers",
                      .fallback = MICA_JSON("")),
            MICA_NESTED(login, mica_auth_login, "How browsers sign in",
                        MICA_OPTIONAL(mica_auth_options, login)),
            MICA_BOOLEAN(require_at_jwt, "Refuse tokens without typ at+jwt",
                         .fallback = MICA_JSON(false)),
            MICA_INTEGER(leeway_s, "Seconds that clocks may differ",
                         .fallback = MICA_JSON(30), .minimum = 1),
            MICA_INTEGER(jwks_ttl_s,
                         "Seconds after which keys are fetched again",
                         .fallback = MICA_JSON(300), .minimum = 1));

static enum mica_status
read_file(const char *pathz, struct mica_arena *arena, struct mica_error *error,
          struct mica_text *text_out)
{
    FILE *file = fopen(pathz, "rbe");
    char *bytes = mica_arena_alloc(arena, FILE_BYTES);
    size_t size = 0;
    bool failed = true;

    if (file == NULL)
        return mica_error_set(
            error, errno == ENOENT ? MICA_E_NOT_FOUND : MICA_E_IO, "",
            "%s cannot be opened: %s.", pathz, strerror(errno));
    if (bytes != NULL) {
        size = fread(bytes, 1, FILE_BYTES, file);
        failed = ferror(file) != 0;
    }
    (void)fclose(file);
    if (failed)
        return mica_error_set(error, MICA_E_IO, "", "%s cannot be read.",
                              pathz);
    if (size == FILE_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s is larger than 256 KiB.", pathz);
    *text_out = (struct mica_text){bytes, size};
    return MICA_OK;
}

// Key files are named as seen from the configuration's folder.
static struct mica_text
option_beside(struct mica_text folder, struct mica_text name,
              struct mica_arena *arena)
{
    struct mica_buffer path;

    if (mica_text_starts(name, "/") || mica_text_starts(name, "https://") ||
        mica_text_starts(name, "http://"))
        return name;
    mica_buffer_init(&path, arena, folder.len + name.len);
    mica_buffer_text(&path, folder);
    mica_buffer_text(&path, name);
    return mica_buffer_as_text(&path);
}

static enum mica_status
place_keys(const char *pathz, struct mica_arena *arena,
           struct mica_auth_options *options)
{
    const char *slash = strrchr(pathz, '/');
    struct mica_text folder = {pathz,
                               slash != NULL ? (size_t)(slash - pathz) + 1 : 0};
    struct mica_auth_issuer *all =
        mica_arena_zero(arena, options->issuers.count, sizeof *all);

    for (size_t i = 0; all != NULL && i < options->issuers.count; i++) {
        all[i] = options->issuers.items[i];
        all[i].jwks = option_beside(folder, all[i].jwks, arena);
    }
    options->issuers.items = all;
    if (options->login.client_secret_file.len > 0)
        options->login.client_secret_file =
            option_beside(folder, options->login.client_secret_file, arena);
    return arena->overflow ? MICA_E_LIMIT : MICA_OK;
}

// Clients compare the resource with the endpoint that they use (RFC 9728, 3.3): it is
// the same, or what the endpoint lies below.
static enum mica_status
place_resource(struct mica_text endpoint, struct mica_arena *arena,
               struct mica_error *error, struct mica_auth_options *options)
{
    struct mica_text resource = options->resource;
    size_t length = resource.len;

    if (length == 0 && endpoint.len == 0)
        return mica_error_set(error, MICA_E_REQUIRED, "/resource",
                              "/resource is missing: write this server's "
                              "canonical URI, as clients reach it, like "
                              "https://example.org/mcp, or serve with "
                              "--public-url");
    if (length == 0) {
        options->resource = mica_arena_text(arena, endpoint);
        return MICA_OK;
    }
    if (endpoint.len == 0 ||
        (length <= endpoint.len &&
         memcmp(resource.ptr, endpoint.ptr, length) == 0 &&
         (length == endpoint.len || endpoint.ptr[length] == '/')))
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "/resource",
                          "resource: '%.*s' is not where clients reach this "
                          "server, as --public-url makes that '%.*s'; leave "
                          "resource out, or correct one of them.",
                          MICA_ARG(resource), MICA_ARG(endpoint));
}

enum mica_status
mica_auth_options_read(const char *pathz, struct mica_text endpoint,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_auth_options *options_out)
{
    struct mica_auth_options options;
    struct mica_text text;
    struct mica_json json;
    enum mica_status status;

    memset(&options, 0, sizeof options);
    MICA_TRY(read_file(pathz, arena, error, &text));
    status = mica_json_read(arena, text, NULL, error, &json);
    if (status == MICA_OK)
        status = mica_record_decode(&mica_record_mica_auth_options, &json,
                                    arena, error, &options);
    if (status == MICA_OK)
        status = place_resource(endpoint, arena, error, &options);
    if (status != MICA_OK) {
        mica_error_prefix(error, "%s", pathz);
        return status;
    }
    if (place_keys(pathz, arena, &options) != MICA_OK)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s does not fit into memory.", pathz);
    options.endpoint = mica_arena_text(arena, endpoint);
    *options_out = options;
    return MICA_OK;
}
