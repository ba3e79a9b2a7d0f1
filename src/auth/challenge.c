// SPDX-License-Identifier: Apache-2.0
//
// What a client is told: the header WWW-Authenticate (RFC 6750 section 3, RFC
// 9728 section 5.1) [AUTH-401] [AUTH-403] and the metadata document (RFC 9728
// section 2) [AUTH-METADATA]. Every value in a header is static or was checked
// when the auth was opened.
#include <string.h>

#include "auth/state.h"
#include "base/ascii.h"

enum {
    METADATA_BYTES = 64 * 1024,
    CHALLENGE_BYTES = 16 * 1024,
    APP_SLUG_BYTES = 64,
    RETRY_S = 1 // a fetch of keys is under way
};

#define WELL_KNOWN "/.well-known/oauth-protected-resource"

// ---- Apps ------------------------------------------------------------------------

#define APPS     "/servers/"
#define ENDPOINT "/mcp"

// The apps are beside the endpoint: ORIGIN/BASE/mcp, ORIGIN/BASE/servers/{slug}/mcp.
static void
find_apps(struct mica_auth_state *state)
{
    const struct mica_auth_options *options = state->options;
    struct mica_text endpoint =
        options->endpoint.len > 0 ? options->endpoint : options->resource;
    const size_t length = sizeof ENDPOINT - 1;
    struct mica_buffer url;

    if (endpoint.len > length &&
        mica_text_is(
            mica_text_slice(endpoint, endpoint.len - length, endpoint.len),
            ENDPOINT))
        endpoint.len -= length;
    mica_buffer_init(&url, &state->arena, CHALLENGE_BYTES);
    mica_buffer_text(&url, endpoint);
    mica_buffer_text(&url, MICA_LITERAL(APPS));
    state->arena.overflow |= url.overflow;
    (void)mica_url_read(mica_buffer_as_text(&url), &state->apps);
}

// The slug in "{slug}/mcp"; empty if the text is something else.
static struct mica_text
slug_of(struct mica_text rest)
{
    size_t len = 0;

    while (len < rest.len && len < APP_SLUG_BYTES &&
           ((rest.ptr[len] >= 'a' && rest.ptr[len] <= 'z') ||
            (rest.ptr[len] >= '0' && rest.ptr[len] <= '9') ||
            rest.ptr[len] == '-'))
        len++;
    return mica_text_is(mica_text_slice(rest, len, rest.len), ENDPOINT)
               ? mica_text_slice(rest, 0, len)
               : (struct mica_text){NULL, 0};
}

// The slug of a path with the base path, or without it.
static struct mica_text
app_of_path(const struct mica_auth_state *state, struct mica_text path)
{
    const struct mica_text bare = MICA_LITERAL(APPS), whole = state->apps.path;

    if (path.len > whole.len &&
        mica_text_equal(mica_text_slice(path, 0, whole.len), whole))
        return slug_of(mica_text_slice(path, whole.len, path.len));
    return mica_text_starts(path, APPS)
               ? slug_of(mica_text_slice(path, bare.len, path.len))
               : (struct mica_text){NULL, 0};
}

// A slug has no colon.
static bool
is_origin(struct mica_text app)
{
    return app.len > 0 && memchr(app.ptr, ':', app.len) != NULL;
}

struct mica_text
mica_app_slug_of(const struct mica_auth_state *state, struct mica_text app)
{
    const struct mica_app_hosts *hosts = state->options->app_hosts;

    if (!is_origin(app))
        return app;
    for (size_t i = 0; hosts != NULL && i < hosts->count; i++) {
        struct mica_text own = hosts->items[i].origin;
        if (own.len == app.len && mica_ascii_same(app.ptr, own.ptr, own.len))
            return hosts->items[i].slug;
    }
    return (struct mica_text){NULL, 0};
}

// The slug of the app at whose own host name the URL is; or empty.
static struct mica_text
app_at_host(const struct mica_auth_state *state, struct mica_text url)
{
    const size_t length = sizeof ENDPOINT - 1;

    if (url.len <= length ||
        !mica_text_is(mica_text_slice(url, url.len - length, url.len),
                      ENDPOINT))
        return (struct mica_text){NULL, 0};
    url.len -= length;
    return is_origin(url) ? mica_app_slug_of(state, url)
                          : (struct mica_text){NULL, 0};
}

struct mica_text
mica_app_of_url(const struct mica_auth_state *state, struct mica_text url)
{
    const struct mica_text origin = state->apps.origin, path = state->apps.path;
    struct mica_text app = app_at_host(state, url);

    if (app.len > 0)
        return app;
    if (url.len < origin.len + path.len ||
        !mica_ascii_same(url.ptr, origin.ptr, origin.len) ||
        !mica_text_equal(
            mica_text_slice(url, origin.len, origin.len + path.len), path))
        return (struct mica_text){NULL, 0};
    return slug_of(mica_text_slice(url, origin.len + path.len, url.len));
}

// The URL of the MCP endpoint of the app (as mica_auth_check_at has it), with `between` behind the origin.
static struct mica_text
app_url(const struct mica_auth_state *state, struct mica_text app,
        const char *between, struct mica_arena *arena)
{
    struct mica_buffer url;

    mica_buffer_init(&url, arena, CHALLENGE_BYTES);
    mica_buffer_text(&url, is_origin(app) ? app : state->apps.origin);
    mica_buffer_text(&url, mica_text(between));
    if (!is_origin(app)) {
        mica_buffer_text(&url, state->apps.path);
        mica_buffer_text(&url, app);
    }
    mica_buffer_text(&url, MICA_LITERAL(ENDPOINT));
    return mica_buffer_as_text(&url);
}

// ---- Metadata ------------------------------------------------------------------

static void
write_list(struct mica_json_writer *writer, const char *namez,
           const struct mica_auth_texts *list)
{
    mica_json_name(writer, namez);
    mica_json_open_array(writer);
    for (size_t i = 0; i < list->count; i++)
        mica_json_string(writer, list->items[i]);
    mica_json_close_array(writer);
}

static void
write_issuers(struct mica_json_writer *writer,
              const struct mica_auth_options *options)
{
    mica_json_name(writer, "authorization_servers");
    mica_json_open_array(writer);
    for (size_t i = 0; i < options->issuers.count; i++)
        mica_json_string(writer, options->issuers.items[i].issuer);
    mica_json_close_array(writer);
}

// `app` is the slug of an app that is the resource, or empty.
static void
write_metadata(struct mica_json_writer *writer,
               const struct mica_auth_state *state, struct mica_text app,
               struct mica_arena *arena)
{
    const struct mica_auth_options *options = state->options;
    static const struct mica_text header = {"header", 6};
    const struct mica_auth_texts methods = {1, &header};
    const struct mica_auth_texts *scopes = options->scopes_supported.count > 0
                                               ? &options->scopes_supported
                                               : &options->required_scopes;

    mica_json_open_object(writer);
    mica_json_field(writer, "resource",
                    app.len > 0 ? app_url(state, app, "", arena)
                                : options->resource);
    if (options->authorization_servers.count > 0)
        write_list(writer, "authorization_servers",
                   &options->authorization_servers);
    else
        write_issuers(writer, options);
    // RFC 9728 section 3.2: an empty list is left out.
    if (scopes->count > 0)
        write_list(writer, "scopes_supported", scopes);
    write_list(writer, "bearer_methods_supported", &methods);
    if (options->resource_name.len > 0)
        mica_json_field(writer, "resource_name", options->resource_name);
    if (options->resource_documentation.len > 0)
        mica_json_field(writer, "resource_documentation",
                        options->resource_documentation);
    mica_json_close_object(writer);
}

void
mica_challenge_prepare(struct mica_auth_state *state)
{
    const struct mica_auth_options *options = state->options;
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    find_apps(state);
    mica_buffer_init(&buffer, &state->arena, METADATA_BYTES);
    mica_json_writer_init(&writer, &buffer);
    write_metadata(&writer, state, (struct mica_text){NULL, 0}, &state->arena);
    state->metadata = mica_buffer_as_text(&buffer);
    state->arena.overflow |= buffer.overflow;

    // RFC 9728 section 3.1: between host and path.
    mica_buffer_init(&buffer, &state->arena, CHALLENGE_BYTES);
    mica_buffer_text(&buffer, state->resource.origin);
    mica_buffer_text(&buffer, MICA_LITERAL(WELL_KNOWN));
    mica_buffer_text(&buffer, state->resource.path);
    state->metadata_url = mica_buffer_as_text(&buffer);
    state->arena.overflow |= buffer.overflow;

    mica_buffer_init(&buffer, &state->arena, CHALLENGE_BYTES);
    for (size_t i = 0; i < options->required_scopes.count; i++) {
        if (i > 0)
            mica_buffer_char(&buffer, ' ');
        mica_buffer_text(&buffer, options->required_scopes.items[i]);
    }
    state->required = mica_buffer_as_text(&buffer);
    state->arena.overflow |= buffer.overflow;
}

bool
mica_metadata_serves(const struct mica_auth_state *state, struct mica_text path)
{
    struct mica_text rest =
        mica_text_slice(path, sizeof WELL_KNOWN - 1, path.len);

    return mica_text_starts(path, WELL_KNOWN) &&
           (rest.len == 0 || mica_text_is(rest, "/mcp") ||
            mica_text_equal(rest, state->resource.path) ||
            app_of_path(state, rest).len > 0);
}

struct mica_text
mica_metadata_at(const struct mica_auth_state *state, struct mica_text path,
                 struct mica_arena *arena)
{
    struct mica_text rest =
        mica_text_slice(path, sizeof WELL_KNOWN - 1, path.len);
    struct mica_text app = app_of_path(state, rest);

    return path.len < sizeof WELL_KNOWN || app.len == 0 ||
                   mica_text_equal(rest, state->resource.path)
               ? state->metadata
               : mica_metadata_of(state, app, arena);
}

struct mica_text
mica_metadata_of(const struct mica_auth_state *state, struct mica_text app,
                 struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, METADATA_BYTES);
    mica_json_writer_init(&writer, &buffer);
    write_metadata(&writer, state, app, arena);
    return buffer.overflow ? (struct mica_text){NULL, 0}
                           : mica_buffer_as_text(&buffer);
}

// ---- Refusals ------------------------------------------------------------------

static void
challenge_add(struct mica_buffer *buffer, const char *namez,
              struct mica_text value)
{
    if (value.len == 0)
        return;
    mica_buffer_format(buffer, "%s%s=\"", buffer->len == 0 ? "Bearer " : ", ",
                       namez);
    mica_buffer_text(buffer, value);
    mica_buffer_char(buffer, '"');
}

// Where the metadata of what the request is for are.
static struct mica_text
metadata_url(const struct mica_auth_state *state, struct mica_text app,
             struct mica_arena *arena)
{
    return app.len > 0 ? app_url(state, app, WELL_KNOWN, arena)
                       : state->metadata_url;
}

static struct mica_text
state_challenge(const struct mica_auth_state *state, const char *errorz,
                const char *message, struct mica_text app,
                struct mica_arena *arena)
{
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, CHALLENGE_BYTES);
    challenge_add(&buffer, "error", mica_text(errorz));
    challenge_add(&buffer, "resource_metadata",
                  metadata_url(state, app, arena));
    challenge_add(&buffer, "scope", state->required);
    // RFC 6750 section 3.1: without credentials there is no error, and then no
    // message either.
    challenge_add(&buffer, "error_description", mica_text(message));
    return mica_buffer_as_text(&buffer);
}

static void
refusal_fill(struct mica_auth_refusal *refusal, enum mica_status status,
             unsigned http_status, const char *message)
{
    *refusal = (struct mica_auth_refusal){
        .http_status = http_status, .status = status, .message = message};
}

void
mica_refuse(const struct mica_auth_state *state, enum mica_status status,
            const char *message, struct mica_text app, struct mica_arena *arena,
            struct mica_auth_refusal *refusal_out)
{
    if (status == MICA_E_BUSY) {
        refusal_fill(refusal_out, status, 503, message);
        refusal_out->retry_after_s = RETRY_S;
        return;
    }
    if (status == MICA_E_FORMAT) {
        refusal_fill(refusal_out, status, 400, message);
        refusal_out->challenge =
            state_challenge(state, "invalid_request", message, app, arena);
        return;
    }
    refusal_fill(refusal_out, MICA_E_UNAUTHORIZED, 401,
                 message != NULL
                     ? message
                     : "the request has no access token; send one in the "
                       "header Authorization");
    refusal_out->challenge = state_challenge(
        state, message != NULL ? "invalid_token" : NULL, message, app, arena);
}

void
mica_refuse_scope(const struct mica_auth_state *state, struct mica_text needed,
                  struct mica_text app, struct mica_arena *arena,
                  struct mica_auth_refusal *refusal_out)
{
    struct mica_scopes scopes = {.count = 0};
    struct mica_buffer buffer;

    refusal_fill(refusal_out, MICA_E_SCOPE, 403,
                 "the access token lacks a scope that this needs");
    // Too many for a set cannot be asked for; then those that fit are.
    (void)mica_scopes_add_words(&scopes, state->required);
    (void)mica_scopes_add_words(&scopes, needed);
    mica_buffer_init(&buffer, arena, CHALLENGE_BYTES);
    challenge_add(&buffer, "error", MICA_LITERAL("insufficient_scope"));
    challenge_add(&buffer, "scope", mica_scopes_text(&scopes, arena));
    challenge_add(&buffer, "resource_metadata",
                  metadata_url(state, app, arena));
    challenge_add(&buffer, "error_description",
                  mica_text(refusal_out->message));
    refusal_out->challenge = mica_buffer_as_text(&buffer);
}
