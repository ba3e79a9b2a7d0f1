// SPDX-License-Identifier: Apache-2.0
//
// The behavior "tool": {message, context} become the arguments of an engine or tool of the
// server, which runs in the same call, and its result becomes the data of the layout. The
// tool asks, waits and fails as it would for a client of its own.
#include "apps/app_behavior.h"
#include "apps/app_map.h"
#include "apps/app_pointer.h"
#include "call/invoke_json.h"

#include <string.h>

#define HALF 50.0 // of the progress, when the tool begins

enum {
    PATH_BYTES = 512 // of a JSON Pointer in a failure
};

// ---- Maps --------------------------------------------------------------------------

// Reads a map that was checked when the app was published.
static struct mica_app_map
map_read(struct mica_app_run *run, struct mica_text json)
{
    struct mica_call *call = run->call;
    struct mica_app_findings *findings = mica_alloc(call, sizeof *findings);
    struct mica_json *value = mica_alloc(call, sizeof *value);
    struct mica_app_map map = {.count = 0};

    mica_app_findings_init(findings, call->arena);
    if (json.len > 0 &&
        mica_json_read(call->arena, json, NULL, NULL, value) == MICA_OK)
        mica_app_map_read(value, "", call->arena, findings, &map);
    return map;
}

static enum mica_status
map_run(struct mica_app_run *run, const struct mica_app_map *map,
        const struct mica_json *source, const char *whatz,
        struct mica_text *json_out)
{
    struct mica_error error;
    struct mica_buffer json;
    enum mica_status status;

    mica_buffer_init(&json, run->call->arena, MICA_APP_DATA_BYTES);
    status = mica_app_map_run(map, source, &json, &error);
    if (status != MICA_OK)
        return mica_app_fail(run, MICA_E_EXECUTION, error.code, error.message,
                             "", "%s could not be made: %s", whatz,
                             error.message);
    *json_out = mica_buffer_as_text(&json);
    return MICA_OK;
}

// The place in {message, context} that the argument `path` of the tool comes from; "" if
// no entry makes it.
static const char *
source_of(struct mica_app_run *run, const struct mica_app_map *map,
          struct mica_text path)
{
    const char *foundz = "";

    for (size_t i = 0; i < map->count; i++) {
        const struct mica_app_map_entry *entry = &map->entries[i];
        struct mica_text rest;
        struct mica_buffer out;
        if (entry->value != NULL ||
            !mica_app_pointer_within(path, entry->target))
            continue;
        rest = mica_text_slice(path, entry->target.len, path.len);
        mica_buffer_init(&out, run->call->arena, PATH_BYTES);
        mica_buffer_format(&out, "%.*s%.*s", MICA_ARG(entry->pointer),
                           MICA_ARG(rest));
        if (!out.overflow)
            foundz =
                mica_arena_text(run->call->arena, mica_buffer_as_text(&out))
                    .ptr;
    }
    return foundz != NULL ? foundz : "";
}

// ---- Progress ----------------------------------------------------------------------

// The notices of the call while the tool runs.
struct relay {
    void (*on_notice)(void *data, const struct mica_notice *notice);
    bool (*close_stream)(void *data);
    void *data;
};

// A tool that tells no total comes nearer to the end with each step, and never there.
static double
part_done(const struct mica_notice *notice)
{
    double progress = notice->progress > 0 ? notice->progress : 0;

    if (notice->total > 0)
        return progress < notice->total ? progress / notice->total : 1;
    return progress / (progress + 1);
}

static void
relay_notice(void *data, const struct mica_notice *notice)
{
    const struct relay *relay = data;
    struct mica_notice scaled = *notice;

    if (notice->kind == MICA_NOTICE_PROGRESS) {
        // 100 is the end of the app alone.
        scaled.progress = HALF + (100.0 - HALF) * 0.98 * part_done(notice);
        scaled.total = 100;
    }
    relay->on_notice(relay->data, &scaled);
}

static bool
relay_close_stream(void *data)
{
    const struct relay *relay = data;

    return relay->close_stream(relay->data);
}

static void
relay_begin(struct mica_call *call, struct relay *relay)
{
    *relay =
        (struct relay){call->on_notice, call->close_stream, call->notice_data};
    if (call->on_notice != NULL)
        call->on_notice = relay_notice;
    if (call->close_stream != NULL)
        call->close_stream = relay_close_stream;
    call->notice_data = relay;
}

static void
relay_end(struct mica_call *call, const struct relay *relay)
{
    call->on_notice = relay->on_notice;
    call->close_stream = relay->close_stream;
    call->notice_data = relay->data;
}

// ---- The tool ----------------------------------------------------------------------

static enum mica_status
fail_unbegun(struct mica_app_run *run, enum mica_status status)
{
    const struct mica_app_plan *plan = run->plan;
    const struct mica_error *error = &run->call->error;

    if (status != MICA_E_NOT_FOUND)
        return mica_app_fail(run, status, error->code, "", "", "%s",
                             error->message);
    if (plan->pin.len == 0)
        return mica_app_fail(run, MICA_E_EXECUTION, error->code, "", "",
                             "this server does not have the tool \"%.*s\"",
                             MICA_ARG(plan->tool));
    return mica_app_fail(
        run, MICA_E_EXECUTION, error->code, "", "",
        "this version of the app is bound to a build of the tool \"%.*s\" that "
        "the server does not have any more; publish the app again",
        MICA_ARG(plan->tool));
}

// With the tool's own code and words. What is wrong with an argument is told at the place
// in the call of the app that it came from.
static enum mica_status
fail_by_tool(struct mica_app_run *run, enum mica_status status,
             const struct mica_app_map *arguments)
{
    const struct mica_error *error = &run->call->error;
    struct mica_text path = mica_text(error->path);

    return mica_app_fail(run, status, error->code, error->message,
                         path.len > 0 ? source_of(run, arguments, path) : "",
                         "the tool \"%.*s\" failed: %s",
                         MICA_ARG(run->plan->tool), error->message);
}

static enum mica_status
tool_run(struct mica_app_run *run, struct mica_text *result_out)
{
    struct mica_app_map map = map_read(run, run->plan->arguments);
    struct mica_json_invocation invocation = {.tool = run->plan->tool,
                                              .version = run->plan->pin,
                                              .limit_ms = run->plan->limit_ms};
    struct relay *relay = mica_alloc(run->call, sizeof *relay);
    struct mica_json_result result;
    enum mica_status status;

    MICA_TRY(map_run(run, &map, run->arguments, "the arguments of the tool",
                     &invocation.arguments));
    relay_begin(run->call, relay);
    status = mica_invoke_json(run->call, &invocation, &result);
    relay_end(run->call, relay);
    if (run->call->stopped)
        return status;
    *result_out = result.structured;
    if (status == MICA_OK)
        return MICA_OK;
    return result.ended ? fail_by_tool(run, status, &map)
                        : fail_unbegun(run, status);
}

// Makes the data of the layout from the result of the tool.
static enum mica_status
data_make(struct mica_app_run *run, struct mica_text result,
          struct mica_json *data_out)
{
    struct mica_app_map map;
    struct mica_error error;
    struct mica_json source;
    struct mica_text json = {NULL, 0};

    if (mica_json_read(run->call->arena, result, NULL, &error, &source) !=
        MICA_OK)
        return mica_app_fail(run, MICA_E_EXECUTION, error.code, "", "",
                             "the result of the tool: %s", error.message);
    if (run->plan->result.len == 0) {
        *data_out = source;
        return MICA_OK;
    }
    map = map_read(run, run->plan->result);
    MICA_TRY(map_run(run, &map, &source, "the data of the layout", &json));
    if (mica_json_read(run->call->arena, json, NULL, &error, data_out) ==
        MICA_OK)
        return MICA_OK;
    return mica_app_fail(run, MICA_E_EXECUTION, error.code, "", "",
                         "the data of the layout: %s", error.message);
}

enum mica_status
mica_app_execute_tool(struct mica_app_run *run)
{
    struct mica_text result = {NULL, 0}, faults;
    struct mica_json *data = mica_alloc(run->call, sizeof *data);
    enum mica_status status;

    MICA_TRY(tool_run(run, &result));
    MICA_TRY(data_make(run, result, data));
    faults = mica_app_data_faults(run, data, &status);
    if (status != MICA_OK)
        return mica_app_fail(
            run, MICA_E_EXECUTION, mica_status_code(status), "", "",
            "the result of the tool \"%.*s\" is no data of the layout \"%.*s\": "
            "%.*s",
            MICA_ARG(run->plan->tool), MICA_ARG(run->plan->layout->name),
            MICA_ARG(faults));
    mica_app_add_data(run, data);
    return MICA_OK;
}
