// SPDX-License-Identifier: Apache-2.0
//
// See fetch_notice.h.
#include "cli/fetch_notice.h"

#include <string.h>

#include "cli/settings.h"
#include "fetch/fetch_reach.h"

enum {
    SHOWN = 8, // tools, and origins
    TEXT_BYTES = 4096
};

// What is said: how many tools there are, and the first of them with their origins.
struct notice {
    size_t tools, origins;
    struct mica_text known[SHOWN]; // origins
    struct mica_buffer names, allow;
};

static void
add_origin(struct notice *notice, struct mica_text origin)
{
    for (size_t i = 0; i < notice->origins; i++)
        if (mica_text_equal(notice->known[i], origin))
            return;
    if (notice->origins == SHOWN)
        return;
    notice->known[notice->origins] = origin;
    mica_buffer_format(&notice->allow, "%s\"%.*s\"",
                       notice->origins++ > 0 ? ", " : "", MICA_ARG(origin));
}

static void
add_tool(struct notice *notice, const struct mica_definition *tool)
{
    if (notice->tools++ < SHOWN)
        mica_buffer_format(&notice->names, "%s%.*s",
                           notice->tools > 1 ? ", " : "", MICA_ARG(tool->name));
    for (size_t i = 0; tool->fetches[i] != NULL; i++)
        add_origin(notice, mica_text(strcmp(tool->fetches[i], "*") == 0
                                         ? "https://…"
                                         : tool->fetches[i]));
}

void
mica_fetch_notice(struct mica_cli *cli, struct mica_server *server)
{
    struct mica_catalog *catalog = mica_registry_catalog(&server->registry);
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];
    struct notice notice = {.tools = 0};

    mica_buffer_init(&notice.names, &cli->arena, TEXT_BYTES);
    mica_buffer_init(&notice.allow, &cli->arena, TEXT_BYTES);
    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_definition *tool = tools->items[i];
        if (tool->fetches != NULL && tool->fetches[0] != NULL &&
            !mica_fetch_reaches(server, tool->fetches))
            add_tool(&notice, tool);
    }
    if (notice.tools > 0)
        mica_cli_note(
            cli,
            "mica: %zu tool%s may fetch from no server (%.*s%s); allow "
            "it in " MICA_SETTINGS_FILE ": [fetch] allow = [%.*s]\n",
            notice.tools, mica_cli_s(notice.tools), MICA_ARG(notice.names),
            notice.tools > SHOWN ? ", …" : "", MICA_ARG(notice.allow));
    mica_catalog_drop(catalog);
}
