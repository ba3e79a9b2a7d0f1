// SPDX-License-Identifier: Apache-2.0
//
// Tools of the conformance fixture whose calls become tasks.
#include <time.h>

#include <mica/tool.h>

#include "fixture.h"

static void
say(struct mica_call *call, struct mica_text text)
{
    mica_add_text(call, text, NULL);
}

// In pieces, so that a call that is given up ends soon.
static void
rest(struct mica_call *call, double seconds)
{
    const struct timespec piece = {.tv_nsec = 20 * 1000 * 1000};

    for (; seconds > 0 && !mica_cancelled(call); seconds -= 0.02)
        (void)nanosleep(&piece, NULL);
}

struct slow_input {
    double seconds;
    struct mica_text label;
    bool has_label;
};
MICA_RECORD(slow_input,
            MICA_NUMBER(seconds, "How long it takes.", .minimum = 0,
                        .maximum = 60, .fallback = MICA_JSON(1)),
            MICA_TEXT(label, "Comes back in the result.",
                      MICA_OPTIONAL(slow_input, label)));

static enum mica_status
slow_compute(struct mica_call *call, const struct slow_input *in,
             struct mica_nothing *out)
{
    (void)out;
    rest(call, in->seconds);
    if (mica_cancelled(call))
        return mica_fail(call, "STOPPED", "", "the computation was given up");
    say(call, mica_format(call, "Computed %.*s in %s seconds",
                          MICA_ARG(in->label), mica_number(call, in->seconds)));
    return MICA_OK;
}
MICA_TOOL(slow_compute, slow_input, mica_nothing, slow_compute,
          .description = "Takes its time.", .task = MICA_TASK_OPTIONAL);

static enum mica_status
failing_job(struct mica_call *call, const struct mica_nothing *in,
            struct mica_nothing *out)
{
    (void)in;
    (void)out;
    rest(call, 1);
    return mica_fail(call, "JOB_FAILED", "", "the job fails, as it should");
}
MICA_TOOL(failing_job, mica_nothing, mica_nothing, failing_job,
          .description = "Fails after a second.", .task = MICA_TASK_REQUIRED);

// A handler that breaks its contract is the server's fault: an error of JSON-RPC.
static enum mica_status
protocol_error_job(struct mica_call *call, const struct mica_nothing *in,
                   struct mica_nothing *out)
{
    (void)call;
    (void)in;
    (void)out;
    return MICA_E_INTERNAL;
}
MICA_TOOL(protocol_error_job, mica_nothing, mica_nothing, protocol_error_job,
          .description = "Ends in an error of the protocol.",
          .task = MICA_TASK_OPTIONAL);

struct delete_input {
    struct mica_text filename;
};
MICA_RECORD(delete_input, MICA_TEXT(filename, "What is to be deleted."));

struct sure {
    bool confirm;
};
MICA_RECORD(sure, MICA_BOOLEAN(confirm, "Delete it?"));

static enum mica_status
confirm_delete(struct mica_call *call, const struct delete_input *in,
               struct mica_nothing *out)
{
    struct sure sure;

    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure, .key = "confirm"),
                         "Delete %.*s?", MICA_ARG(in->filename)));
    say(call, mica_format(call, sure.confirm ? "Deleted %.*s" : "Kept %.*s",
                          MICA_ARG(in->filename)));
    return MICA_OK;
}
MICA_TOOL(confirm_delete, delete_input, mica_nothing, confirm_delete,
          .description = "Deletes a file, once it is told to.",
          .task = MICA_TASK_OPTIONAL);

struct called {
    struct mica_text name;
};
MICA_RECORD(called, MICA_TEXT(name, "Your name."));

static enum mica_status
multi_input(struct mica_call *call, const struct mica_nothing *in,
            struct mica_nothing *out)
{
    struct called name;
    struct sure sure;
    const struct mica_ask asks[] = {
        {.form = MICA_FORM(called, &name, .key = "name"),
         .message = MICA_LITERAL("What is your name?")},
        {.form = MICA_FORM(sure, &sure, .key = "confirm"),
         .message = MICA_LITERAL("Are you sure?")}};

    (void)in;
    (void)out;
    MICA_TRY(mica_ask_all(call, asks, MICA_COUNT(asks)));
    say(call, mica_format(call, "%.*s is %s", MICA_ARG(name.name),
                          sure.confirm ? "sure" : "not sure"));
    return MICA_OK;
}
MICA_TOOL(multi_input, mica_nothing, mica_nothing, multi_input,
          .description = "Asks two things at once.",
          .task = MICA_TASK_OPTIONAL);

// Asks first, in rounds, and becomes a task then.
static enum mica_status
tool_with_task(struct mica_call *call, const struct mica_nothing *in,
               struct mica_nothing *out)
{
    struct called name;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(called, &name, .key = "user_name"),
                         "What is your name?"));
    MICA_TRY(mica_detach(call));
    rest(call, 0.1);
    say(call, mica_format(call, "Worked for %.*s", MICA_ARG(name.name)));
    return MICA_OK;
}
MICA_TOOL(test_tool_with_task, mica_nothing, mica_nothing, tool_with_task,
          .description = "Asks for a name, and becomes a task.",
          .task = MICA_TASK_REQUIRED, .detaches = true);

enum mica_status
fixture_add_tasks(struct mica_server *server, struct mica_error *error)
{
    static const struct mica_tool *const tools[] = {
        &mica_tool_slow_compute,       &mica_tool_failing_job,
        &mica_tool_protocol_error_job, &mica_tool_confirm_delete,
        &mica_tool_multi_input,        &mica_tool_test_tool_with_task};

    for (size_t i = 0; i < MICA_COUNT(tools); i++)
        MICA_TRY(mica_server_add_tool(server, tools[i], NULL, error));
    return MICA_OK;
}
