// SPDX-License-Identifier: Apache-2.0
//
// The table of extensions.
#include "protocol/extension.h"

#include <string.h>

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

// SEP-3118: the client shows views of that kind, and forms of elicitation in them.
static bool
shows_forms(const struct mica_json *settings)
{
    const struct mica_json *elicitation =
        mica_json_get(settings, "elicitation");

    return elicitation != NULL && elicitation->kind == MICA_JSON_OBJECT &&
           shows_html(settings);
}

const struct mica_extension mica_extensions[] = {
    {MICA_META_PREFIX "tasks", NULL, MICA_CLIENT_TASKS,
     MICA_REVISION_2026_07_28, NULL, true},
    // Before 2025-06-18 definitions have no _meta, which tells of views.
    {MICA_VIEW_EXTENSION, NULL, MICA_VIEWS, MICA_REVISION_2025_06_18,
     shows_html, false},
    {MICA_VIEW_EXTENSION, "elicitation", MICA_CLIENT_FORM_VIEWS,
     MICA_REVISION_2025_06_18, shows_forms, true},
};
const size_t mica_extension_count = MICA_COUNT(mica_extensions);

// Writes an extension: the first of its rows with its bit, and its settings. Returns the
// number of its last row.
static size_t
write_extension(struct mica_json_writer *writer, unsigned bits, size_t row)
{
    const char *name = mica_extensions[row].name;

    mica_json_name(writer, name);
    mica_json_open_object(writer);
    for (;; row++) {
        const struct mica_extension *extension = &mica_extensions[row];
        if ((bits & extension->bit) != 0 && extension->setting != NULL) {
            mica_json_name(writer, extension->setting);
            mica_json_open_object(writer);
            mica_json_close_object(writer);
        }
        if (row + 1 == mica_extension_count ||
            strcmp(mica_extensions[row + 1].name, name) != 0)
            break;
    }
    mica_json_close_object(writer);
    return row;
}

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
        i = write_extension(writer, bits, i);
    }
    if (open)
        mica_json_close_object(writer);
}
