// SPDX-License-Identifier: Apache-2.0
//
// Views of tools: what an author declares, and the resource that the server makes of it. The
// URI of a view has the name of the server, which a tool learns when it is added.
#include "registry/definition.h"

#include <string.h>

#include "view/view_check.h"
#include "view/view_meta.h"
#include "view/view_protocol.h"

enum {
    URI_BYTES = 4096,
    META_BYTES = 256 << 10,
    FORM_VIEWS_ABI = 8,  // the first whose forms have a view
    MADE_BYTES = 4 << 20 // of a document that is made for a read
};

// ---- What an author declares -----------------------------------------------------

static enum mica_status
no_memory(const struct mica_definition *definition, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "no memory for the view of the tool '%.*s'",
                          MICA_ARG(definition->name));
}

// The keys that the server writes would stand there twice.
static enum mica_status
check_own_meta(const struct mica_tool *tool, struct mica_error *error)
{
    const char *clash = NULL;
    struct mica_arena arena;
    struct mica_json meta;

    if (tool->meta == NULL)
        return MICA_OK;
    mica_arena_init(&arena, META_BYTES);
    if (mica_json_read(&arena, mica_text(tool->meta), NULL, NULL, &meta) ==
        MICA_OK)
        clash = mica_view_meta_clash(&meta);
    mica_arena_fini(&arena);
    if (clash == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "tool '%s' has \"%s\" in its .meta, which the server "
                          "writes of its .view and .audience; take it out",
                          tool->name, clash);
}

static enum mica_status
check_document(const struct mica_tool *tool, const struct mica_view *view,
               const char *document, struct mica_error *error)
{
    MICA_TRY(mica_view_check(view, error));
    if (view->html != NULL)
        document = view->html;
    if (document != NULL)
        return mica_view_check_document(view, mica_text(document), error);
    return mica_error_set(error, MICA_E_USAGE, "",
                          "tool '%s': its view has a .file, which `mica build` "
                          "reads; a program that adds the tool itself gives "
                          "the document as .html",
                          tool->name);
}

enum mica_status
mica_define_view(struct mica_definition *definition,
                 const struct mica_tool *tool, const char *document,
                 struct mica_error *error)
{
    if (tool->view == NULL && tool->audience == 0)
        return MICA_OK;
    if ((tool->audience & ~(unsigned)(MICA_MODEL | MICA_APP)) != 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s': .audience is MICA_MODEL, MICA_APP or "
                              "both",
                              tool->name);
    if (tool->view != NULL)
        MICA_TRY(check_document(tool, tool->view, document, error));
    MICA_TRY(check_own_meta(tool, error));
    definition->view =
        mica_arena_zero(&definition->arena, 1, sizeof *definition->view);
    if (definition->view == NULL)
        return no_memory(definition, error);
    definition->view->view = tool->view;
    definition->view->document = document;
    definition->view->audience =
        tool->audience != 0 ? tool->audience : MICA_MODEL | MICA_APP;
    // In a client without views there is only the model, which may not call it.
    definition->requires |=
        mica_definition_for_models(definition) ? 0U : (unsigned)MICA_VIEWS;
    return MICA_OK;
}

// ---- Of forms --------------------------------------------------------------------

// The tool's own view may show its forms, too.
static bool
is_own_view(const struct mica_tool *tool, const struct mica_view *view)
{
    return tool->view != NULL && strcmp(tool->view->name, view->name) == 0;
}

static enum mica_status
check_form_view(const struct mica_tool *tool, const struct mica_origin *origin,
                size_t index, struct mica_error *error)
{
    const struct mica_view *view = tool->form_views[index];
    const char *document = NULL;

    if (index >= MICA_FORM_VIEWS_MOST)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s' names more than %d views in "
                              ".form_views",
                              tool->name, MICA_FORM_VIEWS_MOST);
    if (origin != NULL && origin->form_documents != NULL)
        document = origin->form_documents[index];
    MICA_TRY(mica_view_check(view, error));
    if (is_own_view(tool, view))
        document = origin != NULL ? origin->document : NULL;
    MICA_TRY(check_document(tool, view, document, error));
    for (size_t i = 0; i < index; i++) {
        if (strcmp(tool->form_views[i]->name, view->name) == 0)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "tool '%s' names the view '%s' twice in "
                                  ".form_views",
                                  tool->name, view->name);
    }
    return MICA_OK;
}

enum mica_status
mica_define_form_views(struct mica_definition *definition,
                       const struct mica_tool *tool,
                       const struct mica_origin *origin,
                       struct mica_error *error)
{
    static const struct mica_view *const none[] = {NULL};
    const struct mica_view *const *views =
        tool->form_views != NULL ? tool->form_views : none;
    struct mica_arena *arena = &definition->arena;
    struct mica_definition_forms *forms;
    size_t count = 0;

    if (origin != NULL && origin->abi != 0 && origin->abi < FORM_VIEWS_ABI)
        return MICA_OK;
    for (; views[count] != NULL; count++)
        MICA_TRY(check_form_view(tool, origin, count, error));
    forms = mica_arena_zero(arena, 1, sizeof *forms);
    if (forms != NULL)
        forms->rows = mica_arena_zero(arena, count + 1, sizeof *forms->rows);
    if (forms == NULL || forms->rows == NULL)
        return no_memory(definition, error);
    forms->count = count;
    forms->views = views;
    forms->documents = origin != NULL ? origin->form_documents : NULL;
    for (size_t i = 0; i < count; i++)
        forms->rows[i].name = views[i]->name;
    definition->forms = forms;
    return MICA_OK;
}

// ---- What mica makes -------------------------------------------------------------

static const char made_description[] =
    "The person sees a form with the input of the call and its result, and can "
    "change the input. The view tells the model what was changed.";

// Copies the text with a NUL behind it, which the texts of a definition lack.
static const char *
copy_text(struct mica_arena *arena, struct mica_text text)
{
    char *copy = mica_arena_alloc(arena, text.len + 1);

    if (copy == NULL)
        return NULL;
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

static const char *const *
read_domains(struct mica_arena *arena, const struct mica_json *declared,
             const char *namez)
{
    const struct mica_json *list = mica_json_get(declared, namez);
    const char **domains;

    if (list == NULL || list->kind != MICA_JSON_ARRAY)
        return NULL;
    domains = mica_arena_zero(arena, list->count + 1, sizeof *domains);
    for (size_t i = 0; domains != NULL && i < list->count; i++)
        domains[i] = copy_text(arena, list->items[i].text);
    return domains;
}

static unsigned
read_bits(const struct mica_json *declared, const char *namez)
{
    const struct mica_json *member = mica_json_get(declared, namez);
    int64_t bits = 0;

    if (member == NULL || !mica_integer_read(member->text, &bits) || bits < 0 ||
        bits > UINT16_MAX)
        return 0;
    return (unsigned)bits;
}

static void
read_text(struct mica_arena *arena, const struct mica_json *declared,
          const char *namez, const char **textz)
{
    struct mica_text text = mica_json_get_text(declared, namez);

    if (text.len > 0)
        *textz = copy_text(arena, text);
}

// What the author says of the view, in place of what mica would.
static enum mica_status
read_declared(struct mica_arena *arena, struct mica_text json,
              struct mica_view *view, struct mica_error *error)
{
    struct mica_json declared;

    if (json.len == 0)
        return MICA_OK;
    MICA_TRY(mica_json_read(arena, json, NULL, error, &declared));
    read_text(arena, &declared, "title", &view->title);
    read_text(arena, &declared, "description", &view->description);
    read_text(arena, &declared, "domain", &view->domain);
    view->connect_domains = read_domains(arena, &declared, "connectDomains");
    view->resource_domains = read_domains(arena, &declared, "resourceDomains");
    view->frame_domains = read_domains(arena, &declared, "frameDomains");
    view->base_uri_domains = read_domains(arena, &declared, "baseUriDomains");
    view->permissions = read_bits(&declared, "permissions");
    view->border = (enum mica_view_border)read_bits(&declared, "border");
    // A manifest that came with a module was not checked when it was built.
    struct mica_view checked = *view;
    checked.name = "declared";
    checked.html = view->title;
    return mica_view_check(&checked, error);
}

enum mica_status
mica_define_made_view(struct mica_definition *definition,
                      mica_document_writer *write, struct mica_error *error)
{
    struct mica_arena *arena = &definition->arena;
    struct mica_view *view = mica_arena_zero(arena, 1, sizeof *view);

    definition->view = mica_arena_zero(arena, 1, sizeof *definition->view);
    if (view == NULL || definition->view == NULL)
        return no_memory(definition, error);
    *view = (struct mica_view){.name = copy_text(arena, definition->name),
                               .title = copy_text(arena, definition->title),
                               .description = made_description,
                               .border = MICA_BORDERED};
    if (view->name == NULL || view->title == NULL)
        return no_memory(definition, error);
    MICA_TRY(read_declared(arena, definition->view_declared, view, error));
    definition->view->view = view;
    definition->view->write = write;
    definition->view->audience = MICA_MODEL | MICA_APP;
    return MICA_OK;
}

// The tool is in the catalog of the message that reads, as its resource is.
static enum mica_status
read_made(struct mica_call *call, const void *in, void *out)
{
    const struct mica_definition *tool = mica_user(call);
    struct mica_buffer document;
    struct mica_error error;
    struct mica_arena arena;
    enum mica_status status;

    (void)in;
    (void)out;
    mica_arena_init(&arena, (size_t)4 * MADE_BYTES);
    mica_buffer_init(&document, &arena, MADE_BYTES);
    status = tool->view->write(tool, &arena, &error, &document);
    if (status == MICA_OK && document.overflow)
        status = mica_error_set(&error, MICA_E_LIMIT, "",
                                "the view of '%.*s' has more than %d bytes",
                                MICA_ARG(tool->name), MADE_BYTES);
    if (status == MICA_OK)
        mica_add_resource_text(call, NULL, NULL, mica_buffer_as_text(&document),
                               NULL);
    mica_arena_fini(&arena);
    return status == MICA_OK ? MICA_OK
                             : mica_fail(call, mica_status_code(status), "",
                                         "%s", error.message);
}

// ---- Its place in a server -------------------------------------------------------

// `document` is NULL if mica makes it for each read, or if it is in the view.
static enum mica_status
view_resource_make(struct mica_definition *tool, const struct mica_view *view,
                   const char *document, const char *uri,
                   struct mica_error *error,
                   struct mica_definition **resource_out)
{
    bool is_made = document == NULL && view->html == NULL;
    struct mica_definition *made;
    struct mica_json_writer writer;
    struct mica_buffer meta;
    const struct mica_resource resource = {
        .uri = uri,
        .name = view->name,
        .title = view->title,
        .description = view->description,
        .mime_type = MICA_VIEW_MIME_TYPE,
        .handler = is_made ? read_made : NULL,
        .text = view->html != NULL ? view->html : document};

    MICA_TRY(mica_definition_of_resource(&resource, tool, error, &made));
    *resource_out = made;
    made->scope = mica_arena_text(&made->arena, tool->scope);
    made->view = mica_arena_zero(&made->arena, 1, sizeof *made->view);
    mica_buffer_init(&meta, &made->arena, META_BYTES);
    mica_json_writer_init(&writer, &meta);
    mica_view_write_resource(&writer, view);
    if (made->view == NULL || meta.overflow || made->arena.overflow)
        return no_memory(tool, error);
    made->view->meta = mica_buffer_as_text(&meta);
    return MICA_OK;
}

// Writes the URI of the view, with a NUL behind it. Returns false for want of memory.
static bool
write_uri(struct mica_definition *definition, struct mica_text server,
          const struct mica_view *view, struct mica_buffer *uri)
{
    mica_buffer_init(uri, &definition->arena, URI_BYTES);
    mica_view_uri(uri, server, view->name);
    mica_buffer_char(uri, '\0');
    if (uri->overflow)
        return false;
    uri->len--;
    return true;
}

static enum mica_status
place_own(struct mica_definition *definition, struct mica_text server,
          struct mica_error *error)
{
    struct mica_definition_view *own = definition->view;
    struct mica_json_writer writer;
    struct mica_buffer uri, meta;

    mica_buffer_init(&uri, &definition->arena, URI_BYTES);
    if (own->view != NULL) {
        if (!write_uri(definition, server, own->view, &uri))
            return no_memory(definition, error);
        MICA_TRY(view_resource_make(definition, own->view, own->document,
                                    uri.ptr, error, &own->resource));
    }
    mica_buffer_init(&meta, &definition->arena, META_BYTES);
    mica_json_writer_init(&writer, &meta);
    mica_view_write_tool(&writer, mica_buffer_as_text(&uri), own->audience);
    own->meta = mica_buffer_as_text(&meta);
    return meta.overflow ? no_memory(definition, error) : MICA_OK;
}

static enum mica_status
place_form_view(struct mica_definition *definition, struct mica_text server,
                size_t number, struct mica_error *error)
{
    struct mica_definition_forms *forms = definition->forms;
    const struct mica_view *view = forms->views[number];
    const char *document =
        forms->documents != NULL ? forms->documents[number] : NULL;
    struct mica_json_writer writer;
    struct mica_buffer uri, meta;

    if (!write_uri(definition, server, view, &uri))
        return no_memory(definition, error);
    if (mica_definition_has_view(definition) &&
        strcmp(definition->view->view->name, view->name) == 0) {
        forms->resources[number] = definition->view->resource;
        mica_definition_hold(forms->resources[number]);
    } else {
        MICA_TRY(view_resource_make(definition, view, document, uri.ptr, error,
                                    &forms->resources[number]));
    }
    mica_buffer_init(&meta, &definition->arena, META_BYTES);
    mica_json_writer_init(&writer, &meta);
    mica_view_write_form(&writer, mica_buffer_as_text(&uri));
    forms->rows[number].meta = mica_buffer_as_text(&meta);
    return meta.overflow ? no_memory(definition, error) : MICA_OK;
}

static enum mica_status
place_forms(struct mica_definition *definition, struct mica_text server,
            struct mica_error *error)
{
    struct mica_definition_forms *forms = definition->forms;

    forms->resources = mica_arena_zero(&definition->arena, forms->count,
                                       sizeof(struct mica_definition *));
    if (forms->resources == NULL)
        return no_memory(definition, error);
    for (size_t i = 0; i < forms->count; i++)
        MICA_TRY(place_form_view(definition, server, i, error));
    return MICA_OK;
}

enum mica_status
mica_definition_place_view(struct mica_definition *definition,
                           struct mica_text server, struct mica_error *error)
{
    if (definition->view != NULL && definition->view->meta.len == 0)
        MICA_TRY(place_own(definition, server, error));
    if (mica_definition_has_form_views(definition) &&
        definition->forms->resources == NULL)
        MICA_TRY(place_forms(definition, server, error));
    return MICA_OK;
}
