// SPDX-License-Identifier: Apache-2.0
//
// Rows of MCP Apps and of OpenAI for the same fact stand side by side. What an author has
// not declared is left out: hosts have defaults, and a wrong value can stop a view.
#include "view/view_meta.h"

#include "base/url.h"
#include "view/view_protocol.h"

void
mica_view_uri(struct mica_buffer *out, struct mica_text server,
              const char *namez)
{
    mica_buffer_text(out, MICA_LITERAL("ui://"));
    for (size_t i = 0; i < server.len; i++)
        mica_buffer_char(
            out, mica_url_is_unreserved(server.ptr[i]) ? server.ptr[i] : '-');
    mica_buffer_char(out, '/');
    for (; *namez != '\0'; namez++)
        mica_buffer_char(out, *namez == '_' ? '-' : *namez);
}

// ---- Of a tool -------------------------------------------------------------------

static void
write_visibility(struct mica_json_writer *writer, unsigned audience)
{
    mica_json_name(writer, "visibility");
    mica_json_open_array(writer);
    if ((audience & MICA_MODEL) != 0)
        mica_json_string(writer, MICA_LITERAL("model"));
    if ((audience & MICA_APP) != 0)
        mica_json_string(writer, MICA_LITERAL("app"));
    mica_json_close_array(writer);
}

void
mica_view_write_tool(struct mica_json_writer *writer, struct mica_text uri,
                     unsigned audience)
{
    mica_json_name(writer, "ui");
    mica_json_open_object(writer);
    if (uri.len > 0)
        mica_json_field(writer, "resourceUri", uri);
    write_visibility(writer, audience);
    mica_json_close_object(writer);
    if (uri.len > 0) {
        mica_json_field(writer, MICA_VIEW_URI_KEY, uri);
        mica_json_field(writer, "openai/outputTemplate", uri);
    }
    mica_json_name(writer, "openai/widgetAccessible");
    mica_json_boolean(writer, (audience & MICA_APP) != 0);
    mica_json_field(writer, "openai/visibility",
                    (audience & MICA_MODEL) != 0 ? MICA_LITERAL("public")
                                                 : MICA_LITERAL("private"));
}

// ---- Of a form ------------------------------------------------------------------

void
mica_view_write_form(struct mica_json_writer *writer, struct mica_text uri)
{
    mica_json_name(writer, "ui");
    mica_json_open_object(writer);
    mica_json_field(writer, "resourceUri", uri);
    mica_json_close_object(writer);
}

// ---- Of a resource ---------------------------------------------------------------

// The lists of domains in both vocabularies, in the order of domains_of.
static const struct {
    const char *name, *openai; // NULL: OpenAI has none
} lists[] = {
    {"connectDomains", "connect_domains"},
    {"resourceDomains", "resource_domains"},
    {"frameDomains", "frame_domains"},
    {"baseUriDomains", NULL},
};

static const struct {
    unsigned bit;
    const char *name;
} permissions[] = {
    {MICA_CAMERA, "camera"},
    {MICA_MICROPHONE, "microphone"},
    {MICA_GEOLOCATION, "geolocation"},
    {MICA_CLIPBOARD_WRITE, "clipboardWrite"},
};

static const char *const *
domains_of(const struct mica_view *view, size_t list)
{
    const char *const *const all[MICA_COUNT(lists)] = {
        view->connect_domains, view->resource_domains, view->frame_domains,
        view->base_uri_domains};

    return all[list];
}

static bool
has_domains(const struct mica_view *view)
{
    for (size_t i = 0; i < MICA_COUNT(lists); i++) {
        if (domains_of(view, i) != NULL)
            return true;
    }
    return false;
}

static void
write_domains(struct mica_json_writer *writer, const struct mica_view *view,
              bool openai)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < MICA_COUNT(lists); i++) {
        const char *const *domains = domains_of(view, i);
        const char *name = openai ? lists[i].openai : lists[i].name;
        if (domains == NULL || name == NULL)
            continue;
        mica_json_name(writer, name);
        mica_json_open_array(writer);
        for (; *domains != NULL; domains++)
            mica_json_string(writer, mica_text(*domains));
        mica_json_close_array(writer);
    }
    mica_json_close_object(writer);
}

static void
write_permissions(struct mica_json_writer *writer, unsigned bits)
{
    mica_json_name(writer, "permissions");
    mica_json_open_object(writer);
    for (size_t i = 0; i < MICA_COUNT(permissions); i++) {
        if ((bits & permissions[i].bit) == 0)
            continue;
        mica_json_name(writer, permissions[i].name);
        mica_json_open_object(writer);
        mica_json_close_object(writer);
    }
    mica_json_close_object(writer);
}

static void
write_border(struct mica_json_writer *writer, const char *name,
             const struct mica_view *view)
{
    if (view->border == MICA_BORDER_OF_HOST)
        return;
    mica_json_name(writer, name);
    mica_json_boolean(writer, view->border == MICA_BORDERED);
}

void
mica_view_write_resource(struct mica_json_writer *writer,
                         const struct mica_view *view)
{
    mica_json_name(writer, "ui");
    mica_json_open_object(writer);
    if (has_domains(view)) {
        mica_json_name(writer, "csp");
        write_domains(writer, view, false);
    }
    if (view->permissions != 0)
        write_permissions(writer, view->permissions);
    if (view->domain != NULL)
        mica_json_field(writer, "domain", mica_text(view->domain));
    write_border(writer, "prefersBorder", view);
    mica_json_close_object(writer);
    if (has_domains(view)) {
        mica_json_name(writer, "openai/widgetCSP");
        write_domains(writer, view, true);
    }
    if (view->domain != NULL)
        mica_json_field(writer, "openai/widgetDomain", mica_text(view->domain));
    write_border(writer, "openai/widgetPrefersBorder", view);
    if (view->description != NULL)
        mica_json_field(writer, "openai/widgetDescription",
                        mica_text(view->description));
}

// ---- Beside an author's own ------------------------------------------------------

const char *
mica_view_meta_clash(const struct mica_json *meta)
{
    static const char *const names[] = {
        "ui",
        MICA_VIEW_URI_KEY,
        "openai/outputTemplate",
        "openai/widgetAccessible",
        "openai/visibility",
    };

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        if (mica_json_get(meta, names[i]) != NULL)
            return names[i];
    }
    return NULL;
}
