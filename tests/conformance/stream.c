// SPDX-License-Identifier: Apache-2.0
//
// Tools that tell something before they end, and tools whose effect is that
// others are told.
#include <time.h>

#include "fixture.h"

#define NO_ARGUMENTS "{\"type\":\"object\",\"additionalProperties\":false}"

static void
sleep_ms(long ms)
{
    struct timespec left = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&left, NULL);
}

static enum mica_status
with_logging(struct mica_call *call, const struct mica_json *in,
             struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_log(call, MICA_LOG_INFO, "Tool execution started");
    sleep_ms(50);
    mica_log(call, MICA_LOG_INFO, "Tool processing data");
    sleep_ms(50);
    mica_log(call, MICA_LOG_INFO, "Tool execution completed");
    mica_add_text(call, MICA_LITERAL("Three messages were logged."), NULL);
    return MICA_OK;
}

static enum mica_status
with_progress(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    for (int done = 0; done <= 100; done += 50) {
        mica_progress(call, done, 100, "Completed step %d of 100", done);
        sleep_ms(50);
    }
    mica_add_text(call, MICA_LITERAL("Progress was told three times."), NULL);
    return MICA_OK;
}

// A message of each level.
static enum mica_status
every_level(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    for (unsigned level = 0; level < MICA_LOG_LEVELS; level++)
        mica_log(call, (enum mica_log_level)level, "message %u", level);
    mica_add_text(call, MICA_LITERAL("A message of each level was logged."),
                  NULL);
    return MICA_OK;
}

static enum mica_status
nothing(struct mica_call *call, const struct mica_json *in,
        struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("Done."), NULL);
    return MICA_OK;
}

// ---- Changes -------------------------------------------------------------------

static const struct mica_tool passing_tool = {.name = "test_passing_tool",
                                              .description =
                                                  "Is there for a moment.",
                                              .input_schema = NO_ARGUMENTS,
                                              .json_handler = nothing};

static enum mica_status
tool_change(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    struct mica_server *server = mica_user(call);
    struct mica_error error;

    if (mica_server_add_tool(server, &passing_tool, NULL, &error) != MICA_OK ||
        mica_server_remove(server, MICA_DEFINITION_TOOL, passing_tool.name,
                           &error) != MICA_OK ||
        fixture_tools_changed(server, &error) != MICA_OK)
        return mica_fail(call, "NO_CHANGE", "", "%s", error.message);
    return nothing(call, in, out);
}

static enum mica_status
say_something(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("Something."), NULL);
    return MICA_OK;
}

static enum mica_status
passing_prompt_text(struct mica_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return say_something(call, NULL, NULL);
}

static const struct mica_prompt passing_prompt = {
    .name = "test_passing_prompt",
    .description = "Is there for a moment.",
    .handler = passing_prompt_text};

static enum mica_status
prompt_change(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    struct mica_server *server = mica_user(call);
    struct mica_error error;

    if (mica_server_add_prompt(server, &passing_prompt, NULL, &error) !=
            MICA_OK ||
        mica_server_remove(server, MICA_DEFINITION_PROMPT, passing_prompt.name,
                           &error) != MICA_OK)
        return mica_fail(call, "NO_CHANGE", "", "%s", error.message);
    return nothing(call, in, out);
}

static enum mica_status
contents_change(struct mica_call *call, const struct mica_json *in,
                struct mica_json_writer *out)
{
    fixture_resource_changed(mica_user(call), "test://watched-resource");
    return nothing(call, in, out);
}

static const struct mica_tool tools[] = {
    {.name = "test_tool_with_logging",
     .description = "Logs three messages.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = with_logging},
    {.name = "test_tool_with_progress",
     .description = "Tells how far it is.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = with_progress},
    {.name = "test_logging_tool",
     .description = "Logs a message of each level.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = every_level},
    {.name = "test_missing_capability",
     .description = "Needs a client that samples.",
     .input_schema = NO_ARGUMENTS,
     .requires = MICA_SAMPLING,
     .json_handler = nothing},
    {.name = "test_trigger_tool_change",
     .description = "Adds a tool and takes it back.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = tool_change},
    {.name = "test_trigger_prompt_change",
     .description = "Adds a prompt and takes it back.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = prompt_change},
    {.name = "test_trigger_contents_change",
     .description = "Says that test://watched-resource has changed.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = contents_change},
};

enum mica_status
fixture_add_stream(struct mica_server *server, struct mica_error *error)
{
    for (size_t i = 0; i < MICA_COUNT(tools); i++)
        MICA_TRY(mica_server_add_tool(server, &tools[i], server, error));
    return MICA_OK;
}
