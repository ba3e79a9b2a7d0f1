// SPDX-License-Identifier: Apache-2.0
//
// Structs and errors as JSON, as the journal of a turn records them. Also the status that an
// effect has ended with.
#include <string.h>

#include "call/turn_state.h"
#include "schema/record.h"

enum mica_status
mica_turn_encode(struct mica_call *call, struct mica_from from,
                 struct mica_text *json_out)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    enum mica_status status;

    mica_buffer_init(&buffer, call->arena, MICA_JOURNAL_BYTES);
    mica_json_writer_init(&writer, &buffer);
    call->error_is_from_operation = true;
    status = mica_record_encode(from.record, from.in, call->arena, &call->error,
                                &writer);
    if (call->arena->overflow)
        mica_call_exceed(call);
    MICA_TRY(status);
    if (buffer.overflow)
        return mica_turn_set_error(
            call, MICA_E_LIMIT,
            "a result of more than %d bytes of JSON cannot "
            "be recorded",
            MICA_JOURNAL_BYTES);
    *json_out = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

enum mica_status
mica_turn_decode(struct mica_call *call, struct mica_text json,
                 struct mica_into into)
{
    enum mica_status status;
    struct mica_json value;

    memset(into.out, 0, into.record->size);
    call->error_is_from_operation = true;
    status = mica_json_read(call->arena, json, NULL, &call->error, &value);
    if (status == MICA_OK)
        status = mica_record_decode(into.record, &value, call->arena,
                                    &call->error, into.out);
    if (call->arena->overflow)
        mica_call_exceed(call);
    if (status != MICA_OK)
        memset(into.out, 0, into.record->size);
    return status;
}

static void
copy_member(const struct mica_json *value, const char *namez, char *out,
            size_t size)
{
    struct mica_text text = mica_json_get_text(value, namez);
    size_t len = text.len < size ? text.len : size - 1;

    len = mica_utf8_valid(mica_text_slice(text, 0, len));
    if (len > 0)
        memcpy(out, text.ptr, len);
    out[len] = '\0';
}

enum mica_status
mica_turn_restore(struct mica_call *call, enum mica_status status,
                  struct mica_text json)
{
    struct mica_error *error = &call->error;
    struct mica_json value;

    (void)mica_turn_set_error(call, status, "%s", mica_status_meaning(status));
    if (mica_json_read(call->arena, json, NULL, NULL, &value) != MICA_OK)
        return status;
    copy_member(&value, "code", error->code, sizeof error->code);
    copy_member(&value, "message", error->message, sizeof error->message);
    copy_member(&value, "path", error->path, sizeof error->path);
    return status;
}

enum mica_status
mica_turn_conclude(struct mica_call *call, enum mica_status status,
                   const char *what)
{
    const struct mica_error *error = &call->error;
    bool explained =
        error->status == MICA_FAILED && !call->error_is_from_operation;

    if (status == MICA_OK && !explained)
        return MICA_OK;
    if (status == error->status && (explained || call->error_is_from_operation))
        return status;
    if (status == MICA_OK)
        return mica_turn_set_error(
            call, MICA_E_EXECUTION,
            "%s called mica_fail with %s but returned "
            "MICA_OK; it must end with `return mica_fail(…)`",
            what, error->code);
    if (status == MICA_FAILED || status == MICA_SUSPENDED)
        return mica_turn_set_error(
            call, MICA_E_EXECUTION,
            "%s returned the status %s without saying why; "
            "it must end with `return mica_fail(…)`",
            what, mica_status_code(status));
    return mica_turn_set_error(call, status, "%s: %s", what,
                               mica_status_meaning(status));
}
