// SPDX-License-Identifier: Apache-2.0
//
// What a client is told: the header WWW-Authenticate (RFC 6750 section 3, RFC
// 9728 section 5.1) [AUTH-401] [AUTH-403] and the metadata document (RFC 9728
// section 2) [AUTH-METADATA]. Every value in a header is static or was checked
// when the auth was opened.
#include "auth/state.h"

enum {
    METADATA_BYTES = 64 * 1024,
    CHALLENGE_BYTES = 16 * 1024,
    RETRY_S = 1 // a fetch of keys is under way
};

#define WELL_KNOWN "/.well-known/oauth-protected-resource"

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

static void
write_metadata(struct mica_json_writer *writer,
               const struct mica_auth_options *options)
{
    static const struct mica_text header = {"header", 6};
    const struct mica_auth_texts methods = {1, &header};
    const struct mica_auth_texts *scopes = options->scopes_supported.count > 0
                                               ? &options->scopes_supported
                                               : &options->required_scopes;

    mica_json_open_object(writer);
    mica_json_field(writer, "resource", options->resource);
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

    mica_buffer_init(&buffer, &state->arena, METADATA_BYTES);
    mica_json_writer_init(&writer, &buffer);
    write_metadata(&writer, options);
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
            mica_text_equal(rest, state->resource.path));
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

static struct mica_text
state_challenge(const struct mica_auth_state *state, const char *errorz,
                const char *message, struct mica_arena *arena)
{
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, CHALLENGE_BYTES);
    challenge_add(&buffer, "error", mica_text(errorz));
    challenge_add(&buffer, "resource_metadata", state->metadata_url);
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
            const char *message, struct mica_arena *arena,
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
            state_challenge(state, "invalid_request", message, arena);
        return;
    }
    refusal_fill(refusal_out, MICA_E_UNAUTHORIZED, 401,
                 message != NULL
                     ? message
                     : "the request has no access token; send one in the "
                       "header Authorization");
    refusal_out->challenge = state_challenge(
        state, message != NULL ? "invalid_token" : NULL, message, arena);
}

void
mica_refuse_scope(const struct mica_auth_state *state, struct mica_text needed,
                  struct mica_arena *arena,
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
    challenge_add(&buffer, "resource_metadata", state->metadata_url);
    challenge_add(&buffer, "error_description",
                  mica_text(refusal_out->message));
    refusal_out->challenge = mica_buffer_as_text(&buffer);
}
