// SPDX-License-Identifier: Apache-2.0
//
// requestState: the text that a client sends back to continue a call. It is sealed, and
// bound to its caller and request, so that it opens only with the same request. Arguments
// are compared as JSON values (json/exact.h), because clients write them anew.
#include "server/calls/resumable.h"

#include <string.h>

#include "server/sealer.h"
#include "json/exact.h"

enum {
    VERSION = 1,
    ID_BYTES = MICA_CALL_ID_SIZE - 1,
    HEAD_BYTES = 2 + ID_BYTES + 4 + 8 + 8 + 1,
    VERSION_BYTES = 255,   // of the tool
    BOUND_BYTES = 32 << 20 // canonical arguments are no longer than a message
};

// MCP: MRTR, security: a state is bound to principal, method, name and arguments.
// [MRTR-BIND] Also to the endpoint; the endpoint /mcp adds nothing, so that states which
// older builds sealed still open.
static enum mica_status
sealed_state_bind(struct mica_message *message, struct mica_buffer *bound,
                  struct mica_error *error)
{
    const struct mica_principal *principal = message->context.principal;
    struct mica_json_writer writer;
    struct mica_json arguments;

    mica_buffer_init(bound, message->arena, BOUND_BYTES);
    mica_json_writer_init(&writer, bound);
    mica_json_open_array(&writer);
    mica_json_stringz(&writer, "mica call");
    mica_json_string(&writer,
                     principal != NULL ? principal->issuer : MICA_LITERAL(""));
    mica_json_string(&writer,
                     principal != NULL ? principal->subject : MICA_LITERAL(""));
    mica_json_string(&writer, message->request.method);
    mica_json_string(&writer, message->request.name);
    if (message->request.endpoint.len > 0)
        mica_json_string(&writer, message->request.endpoint);
    mica_json_close_array(&writer);
    memset(&arguments, 0, sizeof arguments);
    MICA_TRY(mica_json_read(message->arena, message->execution.arguments, NULL,
                            error, &arguments));
    if (mica_json_exact(message->arena, bound, &arguments) != MICA_OK)
        mica_buffer_text(bound, message->execution.arguments);
    if (bound->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the state of the call");
    return MICA_OK;
}

// ---- Bytes -----------------------------------------------------------------------

static void
sealed_state_put(struct mica_buffer *out, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0)
        mica_buffer_char(out, (char)(unsigned char)(value >> (8 * bytes)));
}

static uint64_t
sealed_state_get(struct mica_text *in, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0) {
        value = value << 8 | (unsigned char)in->ptr[0];
        *in = mica_text_slice(*in, 1, in->len);
    }
    return value;
}

enum mica_status
mica_state_seal(struct mica_message *message, const struct mica_state *state,
                struct mica_error *error, struct mica_text *text_out)
{
    const struct mica_sealer *sealer = message->server->sealer;
    struct mica_text version =
        mica_text_slice(state->version, 0, VERSION_BYTES);
    struct mica_buffer plain, bound, text;

    MICA_TRY(sealed_state_bind(message, &bound, error));
    mica_buffer_init(&plain, message->arena,
                     HEAD_BYTES + VERSION_BYTES + (size_t)MICA_CARRIED_BYTES);
    sealed_state_put(&plain, VERSION, 1);
    sealed_state_put(&plain, state->stored, 1);
    mica_buffer_text(&plain, state->id);
    sealed_state_put(&plain, state->round, 4);
    sealed_state_put(&plain, (uint64_t)state->created, 8);
    sealed_state_put(&plain, (uint64_t)state->expires, 8);
    sealed_state_put(&plain, version.len, 1);
    mica_buffer_text(&plain, version);
    mica_buffer_text(&plain, state->journal);
    mica_buffer_init(&text, message->arena, MICA_SEALED_BYTES);
    if (plain.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the state of the call is larger than %d bytes",
                              MICA_CARRIED_BYTES);
    MICA_TRY(sealer->seal(sealer->user, mica_resumable_now(message),
                          mica_buffer_as_text(&plain),
                          mica_buffer_as_text(&bound), error, &text));
    *text_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

static enum mica_status
sealed_state_refuse(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_STATE, "",
                          "requestState was not made for this request, or is "
                          "too old; send the request without it to begin "
                          "again");
}

// The seal was valid, so the caller may learn the reason.
static enum mica_status
refuse_expired(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_EXPIRED, "",
                          "the call that requestState belongs to has expired: "
                          "its questions were not answered in time; send the "
                          "request without requestState to begin again");
}

// [MRTR-STATE]
enum mica_status
mica_state_open(struct mica_message *message, struct mica_text text,
                struct mica_error *error, struct mica_state *state_out)
{
    const struct mica_sealer *sealer = message->server->sealer;
    struct mica_buffer plain, bound;
    enum mica_status status;
    struct mica_text rest;
    size_t length;

    MICA_TRY(sealed_state_bind(message, &bound, error));
    mica_buffer_init(&plain, message->arena, MICA_SEALED_BYTES);
    status = sealer->open(sealer->user, mica_resumable_now(message), text,
                          mica_buffer_as_text(&bound), error, &plain);
    if (status == MICA_E_FORMAT)
        return sealed_state_refuse(error);
    MICA_TRY(status);
    rest = mica_buffer_as_text(&plain);
    // The seal is ours, so another length or version means another release of mica.
    if (rest.len < HEAD_BYTES || sealed_state_get(&rest, 1) != VERSION)
        return sealed_state_refuse(error);
    state_out->stored = sealed_state_get(&rest, 1) != 0;
    state_out->id = mica_text_slice(rest, 0, ID_BYTES);
    rest = mica_text_slice(rest, ID_BYTES, rest.len);
    state_out->round = (uint32_t)sealed_state_get(&rest, 4);
    state_out->created = (int64_t)sealed_state_get(&rest, 8);
    state_out->expires = (int64_t)sealed_state_get(&rest, 8);
    length = (size_t)sealed_state_get(&rest, 1);
    if (rest.len < length)
        return sealed_state_refuse(error);
    state_out->version = mica_text_slice(rest, 0, length);
    state_out->journal = mica_text_slice(rest, length, rest.len);
    return state_out->expires > mica_resumable_now(message)
               ? MICA_OK
               : refuse_expired(error);
}
