// SPDX-License-Identifier: Apache-2.0
//
// Two endpoints with the same tools as /mcp, and a tool that publishes and withdraws
// them while the server serves.
#include <stdio.h>

#include <mica/endpoint.h>
#include <mica/tool.h>

#include "fixture.h"

static const char *const shared[] = {"greet",
                                     "wait",
                                     "count",
                                     "careful",
                                     "test_input_required_result_elicitation",
                                     "slow_compute",
                                     "confirm_delete"};

struct publish_input {
    struct mica_text key, path;
    bool anew;     // with another name, and one tool less
    bool withdraw; // in place of publishing
};
MICA_RECORD(publish_input, MICA_TEXT(key, "Of the endpoint."),
            MICA_TEXT(path, "Of the endpoint."),
            MICA_BOOLEAN(anew, "With another name, and one tool less."),
            MICA_BOOLEAN(withdraw, "Withdraw it."));

static enum mica_status
publish(struct mica_server *server, const char *key, const char *path,
        bool anew, struct mica_error *error)
{
    const struct mica_endpoint_options options = {
        .key = key,
        .path = path,
        .name = anew ? "anew" : key,
        .version = anew ? "2" : "1",
        .instructions = "These are the tools of an endpoint."};
    struct mica_endpoint_draft *draft;
    enum mica_status status;

    MICA_TRY(mica_endpoint_begin(server, &options, error, &draft));
    status = mica_endpoint_add_offered(draft, MICA_DEFINITION_RESOURCE,
                                       "test://static-text", error);
    for (size_t i = anew ? 1 : 0; i < MICA_COUNT(shared); i++) {
        if (status == MICA_OK)
            status = mica_endpoint_add_offered(draft, MICA_DEFINITION_TOOL,
                                               shared[i], error);
    }
    if (status == MICA_OK)
        return mica_endpoint_publish(&draft, error);
    mica_endpoint_discard(&draft);
    return status;
}

static enum mica_status
run_publish(struct mica_call *call, const struct publish_input *in,
            struct mica_nothing *out)
{
    struct mica_server *server = mica_user(call);
    char key[MICA_ENDPOINT_KEY_BYTES + 1], path[MICA_ENDPOINT_PATH_BYTES + 1];
    struct mica_error error;
    enum mica_status status;

    (void)out;
    (void)snprintf(key, sizeof key, "%.*s", MICA_ARG(in->key));
    (void)snprintf(path, sizeof path, "%.*s", MICA_ARG(in->path));
    status = in->withdraw ? mica_endpoint_withdraw(server, key, &error)
                          : publish(server, key, path, in->anew, &error);
    if (status != MICA_OK)
        return mica_fail(call, error.code, "", "%s", error.message);
    mica_add_text(call, MICA_LITERAL("done"), NULL);
    return MICA_OK;
}
MICA_TOOL(publish, publish_input, mica_nothing, run_publish,
          .description = "Publishes or withdraws an endpoint.");

enum mica_status
fixture_add_endpoints(struct mica_server *server, struct mica_error *error)
{
    MICA_TRY(mica_server_add_tool(server, &mica_tool_publish, server, error));
    MICA_TRY(publish(server, "app/a", "/servers/a", false, error));
    return publish(server, "app/b", "/servers/b", false, error);
}
