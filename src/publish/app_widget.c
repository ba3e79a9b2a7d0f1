// SPDX-License-Identifier: Apache-2.0
//
// The widget of an app, which only the store has: as resources of its endpoint, and as a
// document for pages. The address without a hash reads the newest; the hash of an earlier
// version is read, too, though no list has it.
#include <string.h>

#include "apps/widget.h"
#include "publish/app_endpoint.h"
#include "publish/published_apps.h"
#include "registry/catalog.h"
#include "view/view_meta.h"
#include "view/view_protocol.h"

enum {
    URI_BYTES = 256,
    META_BYTES = 64 << 10,
    READ_BYTES = 16 << 20 // for reading a version, or a document
};

// ---- Reading a document ----------------------------------------------------------------

// What the resource of a widget reads; in its definition.
struct widget {
    struct mica_session_store *session_store;
    struct mica_text slug, tag; // tag: empty, the newest
};

static enum mica_status
widget_read(const struct widget *widget, struct mica_arena *arena,
            struct mica_error *error, struct mica_text *html_out)
{
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(widget->session_store, error, &store));
    return mica_store_app_widget(store, widget->slug, widget->tag, arena, error,
                                 html_out);
}

// On a worker.
static enum mica_status
resource_handle(struct mica_call *call, const void *in, void *out)
{
    const struct widget *widget = mica_user(call);
    struct mica_arena arena;
    struct mica_error error;
    struct mica_text html;
    enum mica_status status;

    (void)in;
    (void)out;
    mica_arena_init(&arena, READ_BYTES);
    status = widget_read(widget, &arena, &error, &html);
    if (status == MICA_OK)
        mica_add_resource_text(call, NULL, NULL, html, NULL);
    else
        status =
            mica_fail(call, mica_status_code(status), "", "%s",
                      status == MICA_E_NOT_FOUND ? "the app has no such widget"
                                                 : error.message);
    mica_arena_fini(&arena);
    return status;
}

// ---- Resources -------------------------------------------------------------------------

// The origins of images in fixed data, NULL-ended; NULL: the data have no images.
static const char *const *
find_domains(const struct mica_loaded_version *loaded, struct mica_arena *arena)
{
    struct mica_text origins[MICA_LAYOUT_ORIGINS];
    const char **domains;
    struct mica_json data;
    size_t count;

    if (loaded->plan.data.len == 0 ||
        mica_json_read(arena, loaded->plan.data, NULL, NULL, &data) != MICA_OK)
        return NULL;
    count = mica_layout_origins(&data, origins);
    domains = mica_arena_zero(arena, count + 1, sizeof *domains);
    for (size_t i = 0; domains != NULL && i < count; i++)
        domains[i] = mica_arena_text(arena, origins[i]).ptr;
    return count > 0 ? domains : NULL;
}

static struct mica_text
widget_meta(const struct mica_loaded_version *loaded, struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer meta;
    struct mica_view view;

    mica_widget_view(loaded->layout, find_domains(loaded, arena), &view);
    mica_buffer_init(&meta, arena, META_BYTES);
    mica_json_writer_init(&writer, &meta);
    mica_view_write_resource(&writer, &view);
    return meta.overflow ? (struct mica_text){NULL, 0}
                         : mica_buffer_as_text(&meta);
}

// Fills in what a handler reads, and what clients are told.
static bool
resource_fill(struct mica_definition *resource,
              const struct mica_loaded_version *loaded, struct mica_text tag,
              struct mica_text meta)
{
    struct mica_arena *arena = &resource->arena;
    struct widget *widget = mica_arena_zero(arena, 1, sizeof *widget);

    resource->view = mica_arena_zero(arena, 1, sizeof *resource->view);
    if (widget == NULL || resource->view == NULL)
        return false;
    *widget = (struct widget){loaded->common->session_store,
                              mica_arena_text(arena, loaded->slug),
                              mica_arena_text(arena, tag)};
    resource->runnable.user = widget;
    resource->view->for_all = true;
    resource->view->meta = mica_arena_text(arena, meta);
    return !arena->overflow;
}

static struct mica_definition *
resource_make(const struct mica_loaded_version *loaded, struct mica_text tag,
              struct mica_text meta, struct mica_arena *scratch)
{
    struct mica_definition *resource;
    struct mica_error error;
    struct mica_buffer uri;

    mica_buffer_init(&uri, scratch, URI_BYTES);
    mica_widget_uri(&uri, loaded->slug, tag);
    mica_buffer_char(&uri, '\0');
    if (uri.overflow)
        return NULL;
    const struct mica_resource parts = {
        .uri = uri.ptr,
        .name = mica_arena_text(scratch, loaded->slug).ptr,
        .title = mica_arena_text(scratch, loaded->name).ptr,
        .description = mica_arena_text(scratch, loaded->layout->seen).ptr,
        .mime_type = MICA_VIEW_MIME_TYPE,
        .handler = resource_handle};
    if (scratch->overflow ||
        mica_definition_of_resource(&parts, NULL, &error, &resource) != MICA_OK)
        return NULL;
    if (resource_fill(resource, loaded, tag, meta))
        return resource;
    mica_definition_drop(resource);
    return NULL;
}

static bool
catalog_add_widget(struct mica_catalog *catalog,
                   const struct mica_loaded_version *loaded,
                   struct mica_text tag, struct mica_text meta,
                   struct mica_arena *scratch)
{
    struct mica_definition *resource =
        resource_make(loaded, tag, meta, scratch);
    bool added = resource != NULL && mica_catalog_add(catalog, resource);

    mica_definition_drop(resource);
    return added;
}

// Is it the address of an earlier widget of this app?
static bool
is_earlier(const struct mica_loaded_version *loaded, struct mica_text uri,
           struct mica_text *tag_out)
{
    struct mica_text slug;

    return mica_widget_uri_read(uri, &slug, tag_out) &&
           mica_text_equal(slug, loaded->slug) && tag_out->len > 0 &&
           !mica_text_equal(*tag_out, loaded->tag);
}

bool
mica_app_resources_add(struct mica_catalog *catalog,
                       const struct mica_loaded_version *loaded,
                       struct mica_text uri, struct mica_arena *scratch)
{
    struct mica_text newest = {NULL, 0}, tag;
    struct mica_text meta = widget_meta(loaded, scratch);

    return meta.len > 0 &&
           catalog_add_widget(catalog, loaded, newest, meta, scratch) &&
           catalog_add_widget(catalog, loaded, loaded->tag, meta, scratch) &&
           (!is_earlier(loaded, uri, &tag) ||
            catalog_add_widget(catalog, loaded, tag, meta, scratch));
}

struct mica_catalog *
mica_app_resources(const struct mica_endpoint *endpoint,
                   const struct mica_principal *principal, struct mica_text uri)
{
    struct mica_catalog *catalog =
        mica_catalog_copy(endpoint->catalog, NULL, NULL);
    struct mica_arena scratch;
    bool whole;

    (void)principal; // a caller that may not read the widget does not enter
    if (catalog == NULL)
        return NULL;
    mica_arena_init(&scratch, MICA_APP_RESOURCE_BYTES);
    whole = mica_app_resources_add(catalog, mica_loaded_version_of(endpoint),
                                   uri, &scratch);
    mica_arena_fini(&scratch);
    if (whole)
        return catalog;
    mica_catalog_drop(catalog);
    return NULL;
}

// ---- For pages -------------------------------------------------------------------------

// Writes a document that shows the mock data by itself. Its theme is in the store alone.
static enum mica_status
write_mock(const struct mica_loaded_version *loaded, struct mica_store *store,
           struct mica_arena *arena, struct mica_error *error,
           struct mica_text *html_out)
{
    struct mica_store_published_app published;
    struct mica_app_version version;
    struct mica_json_writer writer;
    struct mica_buffer data, html;

    MICA_TRY(mica_store_app_published(store, loaded->slug, arena, error,
                                      &published));
    MICA_TRY(
        mica_app_version_read(published.version.text, arena, error, &version));
    mica_buffer_init(&data, arena, (size_t)MICA_APP_MOCK_BYTES * 2);
    mica_json_writer_init(&writer, &data);
    if (version.draft.mock_data != NULL)
        mica_json_value(&writer, version.draft.mock_data);
    mica_buffer_init(&html, arena, MICA_WIDGET_BYTES);
    const struct mica_widget_parts parts = {
        .layout = &mica_app_layouts[version.draft.layout],
        .title = version.draft.name,
        .tool = version.draft.tool_name,
        .theme = version.draft.theme,
        .data = mica_buffer_as_text(&data)};
    MICA_TRY(mica_widget_write(&parts, arena, error, &html));
    *html_out = mica_buffer_as_text(&html);
    return MICA_OK;
}

enum mica_status
mica_published_app_widget(const struct mica_endpoint *endpoint, bool mock,
                          struct mica_arena *arena, struct mica_error *error,
                          struct mica_text *html_out)
{
    const struct mica_loaded_version *loaded = mica_loaded_version_of(endpoint);
    const struct widget widget = {
        .session_store = loaded->common->session_store, .slug = loaded->slug};
    struct mica_store *store;

    if (!mock)
        return widget_read(&widget, arena, error, html_out);
    MICA_TRY(mica_session_store_need(widget.session_store, error, &store));
    return write_mock(loaded, store, arena, error, html_out);
}
