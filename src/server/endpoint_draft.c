// SPDX-License-Identifier: Apache-2.0
//
// Drafts of endpoints (mica/endpoint.h): a program fills a draft and publishes it. No
// message can see a draft.
#include <mica/endpoint.h>

#include <string.h>

#include "server/server.h"

_Static_assert((int)MICA_ENDPOINT_PATH_SEGMENTS == (int)MICA_ENDPOINT_SEGMENTS,
               "as far as paths are compared");

struct mica_endpoint_draft {
    struct mica_server *server;
    struct mica_endpoint *endpoint;
    struct mica_arena arena; // of the draft
};

// ---- Keys and paths --------------------------------------------------------------

static bool
is_one_of(char c, const char *othersz)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || (c != '\0' && strchr(othersz, c) != NULL);
}

static enum mica_status
check_key(const char *keyz, struct mica_error *error)
{
    size_t length = keyz != NULL ? strlen(keyz) : 0;
    bool valid = length > 0 && length <= MICA_ENDPOINT_KEY_BYTES;

    for (size_t i = 0; i < length && valid; i++)
        valid = is_one_of(keyz[i], "_.-/");
    if (valid)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "the key of an endpoint has 1 to %d of A-Z a-z 0-9 _ "
                          ". - /; set .key of struct mica_endpoint_options",
                          MICA_ENDPOINT_KEY_BYTES);
}

bool
mica_server_reserves(struct mica_text segment)
{
    static const char *const reserved[] = {
        ".well-known", "api",          "builder",     "calls",   "console",
        "dev",         "engines",      "favicon.ico", "healthz", "host",
        "inspect",     "login",        "logout",      "mcp",     "messages",
        "metrics",     "openapi.json", "sse",         "sw.js",   "tools",
        "web"};

    for (size_t i = 0; i < MICA_COUNT(reserved); i++) {
        if (mica_text_is(segment, reserved[i]))
            return true;
    }
    return false;
}

// Removes the first segment, with its slash, from *path. Returns false if it is not valid.
static bool
read_segment(struct mica_text *path, struct mica_text *segment_out)
{
    size_t end = 1;

    if (path->len < 2 || path->ptr[0] != '/')
        return false;
    while (end < path->len && path->ptr[end] != '/') {
        if (!is_one_of(path->ptr[end], "_.-~"))
            return false;
        end++;
    }
    *segment_out = mica_text_slice(*path, 1, end);
    *path = mica_text_slice(*path, end, path->len);
    return segment_out->len > 0 && !mica_text_is(*segment_out, ".") &&
           !mica_text_is(*segment_out, "..");
}

static enum mica_status
check_path(const char *pathz, struct mica_error *error)
{
    struct mica_text path = mica_text(pathz != NULL ? pathz : ""), segment;
    bool valid = path.len > 0 && path.len <= MICA_ENDPOINT_PATH_BYTES;
    size_t count = 0;

    while (valid && path.len > 0) {
        valid = read_segment(&path, &segment) &&
                ++count <= MICA_ENDPOINT_PATH_SEGMENTS;
        if (valid && count == 1 && mica_server_reserves(segment))
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "the server itself answers below /%.*s; let "
                                  "the path of the endpoint begin otherwise",
                                  MICA_ARG(segment));
    }
    if (valid)
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_USAGE, "",
        "the path of an endpoint is like /servers/weather: at most %d segments "
        "of A-Z a-z 0-9 _ . - ~ and %d bytes, no slash at its end; set .path of "
        "struct mica_endpoint_options",
        MICA_ENDPOINT_PATH_SEGMENTS, MICA_ENDPOINT_PATH_BYTES);
}

// ---- The draft -------------------------------------------------------------------

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory for an endpoint");
}

static struct mica_endpoint_parts
parts_of(const struct mica_server *server,
         const struct mica_endpoint_options *options)
{
    return (struct mica_endpoint_parts){
        .key = mica_text(options->key),
        .path = mica_text(options->path),
        .implementation = {.name = options->name,
                           .version = options->version,
                           .title = options->title,
                           .description = options->description,
                           .website_url = options->website_url,
                           .icons = options->icons,
                           .icon_count = options->icon_count},
        .instructions = options->instructions,
        .scope = options->scope,
        .page_items = options->page_items > 0 ? options->page_items
                                              : server->options.page_items,
        .list_ttl_ms = options->list_ttl_ms,
        .list_all = options->list_all};
}

enum mica_status
mica_endpoint_begin(struct mica_server *server,
                    const struct mica_endpoint_options *options,
                    struct mica_error *error,
                    struct mica_endpoint_draft **draft_out)
{
    struct mica_endpoint_draft *draft;
    struct mica_endpoint_parts parts;
    struct mica_arena arena;

    MICA_TRY(check_key(options->key, error));
    MICA_TRY(check_path(options->path, error));
    if (options->name == NULL || options->version == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "an endpoint needs a name and a version; set "
                              ".name and .version of struct "
                              "mica_endpoint_options");
    parts = parts_of(server, options);
    mica_arena_init(&arena, 4096);
    draft = mica_arena_zero(&arena, 1, sizeof *draft);
    if (draft != NULL)
        draft->endpoint = mica_endpoint_make(&parts, mica_catalog_new());
    if (draft == NULL || draft->endpoint == NULL) {
        mica_arena_fini(&arena);
        return no_memory(error);
    }
    draft->server = server;
    draft->arena = arena;
    *draft_out = draft;
    return MICA_OK;
}

void
mica_endpoint_discard(struct mica_endpoint_draft **draft)
{
    struct mica_arena arena;

    if (*draft == NULL)
        return;
    mica_endpoint_drop((*draft)->endpoint);
    // The draft lies in its own arena: copy the arena before freeing it.
    arena = (*draft)->arena;
    *draft = NULL;
    mica_arena_fini(&arena);
}

// ---- Definitions -------------------------------------------------------------------

// Adds a definition; the caller keeps its reference.
static enum mica_status
draft_share(struct mica_endpoint_draft *draft,
            struct mica_definition *definition, struct mica_error *error)
{
    struct mica_endpoint *endpoint = draft->endpoint;

    if (mica_catalog_find(endpoint->catalog, definition->kind,
                          definition->key) != NULL)
        return mica_error_set(
            error, MICA_E_EXISTS, "",
            "there is a %s '%.*s' already: give one of them another name",
            mica_definition_kind_noun(definition->kind),
            MICA_ARG(definition->key));
    MICA_TRY(mica_registry_check_view(endpoint->catalog, definition, error));
    if (!mica_catalog_add(endpoint->catalog, definition))
        return no_memory(error);
    endpoint->declared |= mica_definition_declares(definition);
    return MICA_OK;
}

// Adds a definition and drops the caller's reference, also on failure.
static enum mica_status
draft_add(struct mica_endpoint_draft *draft, struct mica_definition *definition,
          struct mica_error *error)
{
    enum mica_status status = mica_definition_check(definition, error);

    if (status == MICA_OK)
        status = mica_definition_place_view(
            definition, draft->server->registry.name, error);
    if (status == MICA_OK)
        status = draft_share(draft, definition, error);
    mica_definition_drop(definition);
    return status;
}

enum mica_status
mica_endpoint_add_tool(struct mica_endpoint_draft *draft,
                       const struct mica_tool *tool, void *user,
                       struct mica_error *error)
{
    struct mica_definition *definition;
    enum mica_status status;

    MICA_TRY(mica_definition_of_tool(tool, user, NULL, error, &definition));
    status = mica_registry_open_services(&draft->server->registry, definition,
                                         error);
    if (status == MICA_OK)
        return draft_add(draft, definition, error);
    mica_definition_drop(definition);
    return status;
}

enum mica_status
mica_endpoint_add_engine(struct mica_endpoint_draft *draft,
                         const struct mica_engine *engine,
                         struct mica_error *error)
{
    struct mica_definition *definition;

    MICA_TRY(mica_definition_of_linked_engine(engine, error, &definition));
    return draft_add(draft, definition, error);
}

enum mica_status
mica_endpoint_add_resource(struct mica_endpoint_draft *draft,
                           const struct mica_resource *resource, void *user,
                           struct mica_error *error)
{
    struct mica_definition *definition;

    MICA_TRY(mica_definition_of_resource(resource, user, error, &definition));
    return draft_add(draft, definition, error);
}

enum mica_status
mica_endpoint_add_prompt(struct mica_endpoint_draft *draft,
                         const struct mica_prompt *prompt, void *user,
                         struct mica_error *error)
{
    struct mica_definition *definition;

    MICA_TRY(mica_definition_of_prompt(prompt, user, error, &definition));
    return draft_add(draft, definition, error);
}

enum mica_status
mica_endpoint_add_offered(struct mica_endpoint_draft *draft,
                          enum mica_definition_kind kind, const char *key,
                          struct mica_error *error)
{
    struct mica_catalog *catalog =
        mica_registry_catalog(&draft->server->registry);
    struct mica_definition *definition =
        mica_catalog_find(catalog, kind, mica_text(key));
    enum mica_status status;

    if (definition == NULL)
        status = mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "the server itself offers no %s '%s'",
                                mica_definition_kind_noun(kind), key);
    else
        status = draft_share(draft, definition, error);
    mica_catalog_drop(catalog);
    return status;
}

// ---- Publishing --------------------------------------------------------------------

enum mica_status
mica_endpoint_publish(struct mica_endpoint_draft **draft,
                      struct mica_error *error)
{
    struct mica_endpoint *endpoint = (*draft)->endpoint;
    struct mica_registry *registry = &(*draft)->server->registry;

    (*draft)->endpoint = NULL;
    mica_endpoint_discard(draft);
    return mica_registry_publish(registry, endpoint, error);
}

enum mica_status
mica_endpoint_withdraw(struct mica_server *server, const char *key,
                       struct mica_error *error)
{
    return mica_registry_withdraw(&server->registry, mica_text(key), error);
}

void
mica_endpoint_resource_changed(struct mica_server *server, const char *key,
                               const char *uri)
{
    struct mica_change change = {.endpoint = mica_text(key),
                                 .kind = MICA_CHANGED_CONTENTS,
                                 .uri = mica_text(uri)};

    mica_registry_tell(&server->registry, &change);
}
