// SPDX-License-Identifier: Apache-2.0
//
// Tools for what sessions can do: streams that break and are resumed, and
// changes that clients are told of.
#include <time.h>

#include "fixture.h"

#define NO_ARGUMENTS "{\"type\":\"object\",\"additionalProperties\":false}"

static void
sleep_ms(int64_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000,
                            .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&left, NULL);
}

// The suite wants the stream closed before the result, and the result on the
// stream that it resumes.
static enum mica_status
reconnection(struct mica_call *call, const struct mica_json *in,
             struct mica_json_writer *out)
{
    bool closed = mica_close_stream(call);

    (void)in;
    (void)out;
    sleep_ms(100);
    mica_add_text(call,
                  closed ? MICA_LITERAL("The stream was closed on the way.")
                         : MICA_LITERAL("There was no stream to close."),
                  NULL);
    return MICA_OK;
}

static const struct mica_tool test_reconnection = {
    .name = "test_reconnection",
    .description = "Closes the stream of its response before there is one.",
    .input_schema = NO_ARGUMENTS,
    .json_handler = reconnection};

struct count_input {
    int64_t steps, pause_ms, close_at;
};
MICA_RECORD(count_input,
            MICA_INTEGER(steps, "How far to count.", .minimum = 0,
                         .maximum = 10000),
            MICA_INTEGER(pause_ms, "How long to wait before each step.",
                         .minimum = 0, .maximum = 10000, .fallback = "0"),
            MICA_INTEGER(close_at, "After which step to close the stream.",
                         .minimum = 0, .maximum = 10000, .fallback = "0"));

struct count_output {
    int64_t counted;
};
MICA_RECORD(count_output, MICA_INTEGER(counted, "How far it came."));

static enum mica_status
run_count(struct mica_call *call, const struct count_input *in,
          struct count_output *out)
{
    while (out->counted < in->steps && !mica_cancelled(call)) {
        sleep_ms(in->pause_ms);
        out->counted++;
        mica_progress(call, (double)out->counted, (double)in->steps, "%d",
                      (int)out->counted);
        if (out->counted == in->close_at)
            (void)mica_close_stream(call);
    }
    return MICA_OK;
}

MICA_TOOL(count, count_input, count_output, run_count,
          .description = "Counts, and tells how far it is.");

struct change_input {
    struct mica_text uri;
};
MICA_RECORD(change_input,
            MICA_TEXT(uri, "The resource; empty: the list of tools.",
                      .max_length = 200));

struct change_output {
    bool told;
};
MICA_RECORD(change_output, MICA_BOOLEAN(told, "Always."));

static enum mica_status
run_change(struct mica_call *call, const struct change_input *in,
           struct change_output *out)
{
    struct mica_server *server = mica_user(call);
    struct mica_error error;
    char uri[201];

    for (size_t i = 0; i < in->uri.len; i++)
        uri[i] = in->uri.ptr[i];
    uri[in->uri.len] = '\0';
    if (in->uri.len > 0) {
        fixture_resource_changed(server, uri);
    } else {
        static const struct mica_tool passing = {.name = "passing",
                                                 .description =
                                                     "Comes and goes.",
                                                 .input_schema = NO_ARGUMENTS,
                                                 .json_handler = reconnection};
        // One change a call: two are told together only if they come within a moment.
        // Another call may have added or removed it meanwhile.
        if (mica_server_add_tool(server, &passing, NULL, &error) != MICA_OK &&
            mica_server_remove(server, MICA_DEFINITION_TOOL, "passing",
                               &error) != MICA_OK &&
            mica_server_add_tool(server, &passing, NULL, &error) != MICA_OK)
            return mica_fail(call, "NOT_CHANGED", "", "%s", error.message);
        if (fixture_tools_changed(server, &error) != MICA_OK)
            return mica_fail(call, "NOT_CHANGED", "", "%s", error.message);
    }
    out->told = true;
    return MICA_OK;
}

MICA_TOOL(change, change_input, change_output, run_change,
          .description = "Changes a resource or the list of tools.");

enum mica_status
fixture_add_session(struct mica_server *server, struct mica_error *error)
{
    MICA_TRY(mica_server_add_tool(server, &test_reconnection, NULL, error));
    MICA_TRY(mica_server_add_tool(server, &mica_tool_count, NULL, error));
    return mica_server_add_tool(server, &mica_tool_change, server, error);
}
