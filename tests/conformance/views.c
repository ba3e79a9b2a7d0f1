// SPDX-License-Identifier: Apache-2.0
//
// Tools with views, as --views adds them: one for everyone, one for views alone, one for
// models alone.
#include <mica/tool.h>

#include "fixture.h"

#define DOCUMENT                         \
    "<!doctype html><title>Dice</title>" \
    "<script>document.title = \"</\" + \"p>\";</script>"

MICA_VIEW(dice, .html = DOCUMENT, .title = "Dice",
          .description = "The dice that were thrown.",
          .connect_domains = MICA_DOMAINS("https://api.example.com",
                                          "wss://live.example.com"),
          .resource_domains = MICA_DOMAINS("https://*.cdn.example.com"),
          .permissions = MICA_CLIPBOARD_WRITE | MICA_CAMERA,
          .border = MICA_BORDERLESS);

struct throw
{
    int64_t points;
    bool views;
};
MICA_RECORD(throw, MICA_INTEGER(points, "All dice together."),
            MICA_BOOLEAN(views, "Does the client show views?"));

static enum mica_status
run_throw(struct mica_call *call, const struct mica_nothing *in,
          struct throw *out)
{
    (void)in;
    out->points = 7;
    out->views = mica_client_has(call, MICA_VIEWS);
    return mica_set_meta(call, "example.com/dice", MICA_LITERAL("[3,4]"));
}
MICA_TOOL(throw_dice, mica_nothing, throw, run_throw,
          .description = "Throws two dice.", .view = &mica_view_dice);
MICA_TOOL(throw_again, mica_nothing, throw, run_throw,
          .description = "Throws them again, from the view.",
          .view = &mica_view_dice, .audience = MICA_APP);
MICA_TOOL(count_dice, mica_nothing, throw, run_throw,
          .description = "Counts dice, without a view.",
          .audience = MICA_MODEL);

enum mica_status
fixture_add_views(struct mica_server *server, struct mica_error *error)
{
    MICA_TRY(mica_server_add_tool(server, &mica_tool_throw_dice, NULL, error));
    MICA_TRY(mica_server_add_tool(server, &mica_tool_throw_again, NULL, error));
    return mica_server_add_tool(server, &mica_tool_count_dice, NULL, error);
}
