// SPDX-License-Identifier: Apache-2.0
//
// Results and failures of behaviors.
#include <mica/server.h>

#include "apps/app_behavior.h"
#include "protocol/capability.h"

enum {
    STEPS = 5000000,      // of one validation: about 50 ms
    FAULT_BYTES = 4096,   // of what is wrong with data
    MESSAGE_BYTES = 4096, // of a failure
    DETAILS_BYTES = 8192
};

static const struct mica_schema_limits limits = {.steps = STEPS};

// ---- Failures ------------------------------------------------------------------------

static struct mica_text
details_make(struct mica_call *call, const char *reasonz, const char *becausez,
             const char *pathz)
{
    struct mica_json_writer writer;
    struct mica_buffer details;

    mica_buffer_init(&details, call->arena, DETAILS_BYTES);
    mica_json_writer_init(&writer, &details);
    mica_json_open_object(&writer);
    if (reasonz[0] != '\0')
        mica_json_field(&writer, "reason", mica_text(reasonz));
    if (becausez[0] != '\0')
        mica_json_field(&writer, "message", mica_text(becausez));
    if (pathz[0] != '\0')
        mica_json_field(&writer, "path", mica_text(pathz));
    mica_json_close_object(&writer);
    return details.overflow ? (struct mica_text){NULL, 0}
                            : mica_buffer_as_text(&details);
}

enum mica_status
mica_app_fail(struct mica_app_run *run, enum mica_status status,
              const char *reasonz, const char *becausez, const char *pathz,
              const char *formatz, ...)
{
    struct mica_buffer message;
    va_list arguments;

    mica_buffer_init(&message, run->call->arena, MESSAGE_BYTES);
    va_start(arguments, formatz);
    mica_buffer_vformat(&message, formatz, arguments);
    va_end(arguments);
    run->failure = (struct mica_app_error){
        .status = mica_app_error_status(status),
        .message =
            mica_call_clean(run->call->arena, mica_buffer_as_text(&message)),
        .details = details_make(run->call, reasonz, becausez, pathz)};
    return run->failure.status;
}

// ---- Results -------------------------------------------------------------------------

struct mica_text
mica_app_data_faults(struct mica_app_run *run, const struct mica_json *data,
                     enum mica_status *status_out)
{
    struct mica_schema_report report;
    struct mica_buffer text;

    mica_buffer_init(&text, run->call->arena, FAULT_BYTES);
    *status_out = mica_schema_validate(run->plan->output, data, &limits,
                                       run->call->arena, &report);
    for (size_t i = 0; *status_out != MICA_OK && i < report.count; i++) {
        mica_buffer_format(&text, "%s\"%.*s\": %.*s", i > 0 ? "; " : "",
                           MICA_ARG(report.errors[i].value_path),
                           MICA_ARG(report.errors[i].message));
    }
    // What does not fit is left out: the first faults are the ones to mend.
    return (struct mica_text){text.ptr, text.len};
}

void
mica_app_add_result(struct mica_app_run *run, struct mica_text data,
                    struct mica_text plain)
{
    struct mica_call *call = run->call;
    const struct mica_app_plan *plan = run->plan;
    bool shows = (call->client & MICA_VIEWS) != 0;

    if (plan->message.len > 0)
        mica_add_text(call, plan->message, NULL);
    if (!shows || plan->message.len == 0)
        mica_add_text(call, plain, NULL);
    call->result.structured = data;
    call->result.meta = plan->meta;
}

void
mica_app_add_data(struct mica_app_run *run, const struct mica_json *data)
{
    struct mica_buffer json, plain;
    struct mica_json_writer writer;

    // Written again: a tool may have put its result on several lines.
    mica_buffer_init(&json, run->call->arena, MICA_APP_DATA_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_json_value(&writer, data);
    mica_buffer_init(&plain, run->call->arena, MICA_LAYOUT_TEXT_BYTES);
    mica_layout_text(run->plan->layout, data, &plain);
    if (json.overflow || plain.overflow)
        mica_call_exceed(run->call);
    mica_app_add_result(run, mica_buffer_as_text(&json),
                        mica_buffer_as_text(&plain));
}
