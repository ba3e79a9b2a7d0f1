// SPDX-License-Identifier: Apache-2.0
//
// Errors of apps. What fails inside an app is one of the five codes of the contract; the
// cause stays visible in the details.
#include "apps/app_error.h"

#include <string.h>

#include "json/fixed.h"

enum {
    DETAILS_BYTES = 2048
};

static bool
is_one_of(enum mica_status status, const enum mica_status *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == status)
            return true;
    return false;
}

enum mica_status
mica_app_error_status(enum mica_status status)
{
    // The caller's own refusals, and what is no end of the call.
    static const enum mica_status kept[] = {
        MICA_OK,           MICA_E_LLM,
        MICA_E_APP,        MICA_E_CONFIG,
        MICA_E_EXECUTION,  MICA_E_TIMEOUT,
        MICA_E_CANCELLED,  MICA_E_BUSY,
        MICA_E_FORBIDDEN,  MICA_E_UNAUTHORIZED,
        MICA_E_SCOPE,      MICA_E_CAPABILITY,
        MICA_SUSPENDED,    MICA_E_STATE,
        MICA_E_SUPERSEDED, MICA_E_CALL_BUSY,
        MICA_E_EXPIRED,    MICA_E_SESSIONS,
        MICA_E_RATE,       MICA_E_BUDGET,
        MICA_E_ROLE,       MICA_E_APP_STATE,
        MICA_E_REVISION,   MICA_E_UNCONDITIONAL,
        MICA_E_CROSS_SITE, MICA_E_METHOD,
        MICA_E_ACCEPT,     MICA_E_MEDIA};
    static const enum mica_status late[] = {MICA_E_FETCH_TIME,
                                            MICA_E_KEEP_TIME};

    if (is_one_of(status, kept, MICA_COUNT(kept)))
        return status;
    if (is_one_of(status, late, MICA_COUNT(late)))
        return MICA_E_TIMEOUT;
    return MICA_E_EXECUTION;
}

void
mica_app_error_make(const struct mica_error *error, struct mica_arena *arena,
                    struct mica_app_error *error_out)
{
    enum mica_status status = mica_app_error_status(error->status);
    struct mica_buffer details;
    struct mica_json_writer writer;

    mica_buffer_init(&details, arena, DETAILS_BYTES);
    mica_json_writer_init(&writer, &details);
    mica_json_open_object(&writer);
    if (status != error->status)
        mica_json_field(&writer, "reason", mica_text(error->code));
    if (error->path[0] != '\0')
        mica_json_field(&writer, "path", mica_text(error->path));
    mica_json_close_object(&writer);
    *error_out = (struct mica_app_error){
        .status = status,
        .message = mica_text(error->message),
        .details = details.overflow ? (struct mica_text){NULL, 0}
                                    : mica_buffer_as_text(&details)};
}

// ---- Writing ---------------------------------------------------------------------

static const char *
error_code(const struct mica_app_error *error)
{
    return error->codez != NULL ? error->codez
                                : mica_status_code(error->status);
}

static void
write_details(struct mica_json_writer *writer,
              const struct mica_app_error *error)
{
    mica_json_name(writer, "details");
    mica_json_raw(writer,
                  error->details.len > 0 ? error->details : MICA_LITERAL("{}"));
}

void
mica_app_error_write(struct mica_json_writer *writer,
                     const struct mica_app_error *error)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "code", mica_text(error_code(error)));
    mica_json_field(writer, "message", error->message);
    write_details(writer, error);
    mica_json_close_object(writer);
}

void
mica_app_error_write_body(struct mica_json_writer *writer,
                          const struct mica_app_error *error)
{
    mica_json_open_object(writer);
    mica_json_name(writer, "error");
    mica_app_error_write(writer, error);
    mica_json_close_object(writer);
}

void
mica_app_error_write_data(struct mica_buffer *buffer,
                          const struct mica_app_error *error)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, buffer);
    mica_json_field(&writer, "message", error->message);
    write_details(&writer, error);
}

void
mica_app_error_write_meta(struct mica_json_writer *writer,
                          const struct mica_app_error *error)
{
    mica_json_name(writer, "mica/error");
    mica_app_error_write(writer, error);
}
