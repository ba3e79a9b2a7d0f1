// SPDX-License-Identifier: Apache-2.0
//
// The table of extensions.
#include "protocol/extension.h"

#include "protocol/capability.h"
#include "protocol/envelope.h"
#include "view/view_protocol.h"

// MCP Apps: a client that names MIME types names that of views. One that names none is
// taken for a client with views.
static bool
shows_html(const struct mica_json *settings)
{
    const struct mica_json *types = mica_json_get(settings, "mimeTypes");

    if (types == NULL || types->kind != MICA_JSON_ARRAY || types->count == 0)
        return true;
    for (size_t i = 0; i < types->count; i++) {
        const struct mica_json *type = &types->items[i];
        if (type->kind == MICA_JSON_STRING &&
            mica_text_is(type->text, MICA_VIEW_MIME_TYPE))
            return true;
    }
    return false;
}

const struct mica_extension mica_extensions[] = {
    {MICA_META_PREFIX "tasks", MICA_CLIENT_TASKS, MICA_REVISION_2026_07_28,
     NULL, true},
    // Before 2025-06-18 definitions have no _meta, which tells of views.
    {MICA_VIEW_EXTENSION, MICA_VIEWS, MICA_REVISION_2025_06_18, shows_html,
     false},
};
const size_t mica_extension_count = MICA_COUNT(mica_extensions);

void
mica_extensions_write(struct mica_json_writer *writer, unsigned bits)
{
    bool open = false;

    for (size_t i = 0; i < mica_extension_count; i++) {
        if ((bits & mica_extensions[i].bit) == 0)
            continue;
        if (!open) {
            mica_json_name(writer, "extensions");
            mica_json_open_object(writer);
            open = true;
        }
        mica_json_name(writer, mica_extensions[i].name);
        mica_json_open_object(writer);
        mica_json_close_object(writer);
    }
    if (open)
        mica_json_close_object(writer);
}
