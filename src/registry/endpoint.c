// SPDX-License-Identifier: Apache-2.0
//
// Makes endpoints. Each is one block of memory of exactly its size, because a server may
// have ten thousand of them: the struct, the icons, and then all texts.
#include "registry/endpoint.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"

enum {
    INFO_BYTES = 256 << 10 // of the identity of an endpoint
};

// ---- One block of memory ---------------------------------------------------------

// A block that is being filled. `base` is NULL in the pass that only counts its size.
struct piece {
    char *base;
    size_t used;
};

static void *
piece_add(struct piece *piece, const void *bytes, size_t size)
{
    char *at = piece->base != NULL ? piece->base + piece->used : NULL;

    piece->used += size;
    if (at != NULL && size > 0)
        memcpy(at, bytes, size);
    return at;
}

static const char *
piece_textz(struct piece *piece, const char *textz)
{
    return textz != NULL ? piece_add(piece, textz, strlen(textz) + 1) : NULL;
}

static struct mica_text
piece_text(struct piece *piece, struct mica_text text)
{
    return (struct mica_text){piece_add(piece, text.ptr, text.len), text.len};
}

static void
piece_implementation(struct piece *piece, const struct mica_implementation *of,
                     struct mica_implementation *copy)
{
    struct mica_icon *icons =
        piece_add(piece, of->icons, of->icon_count * sizeof *icons);

    for (size_t i = 0; i < of->icon_count; i++) {
        struct mica_icon icon = {
            .src = piece_textz(piece, of->icons[i].src),
            .mime_type = piece_textz(piece, of->icons[i].mime_type),
            .sizes = piece_textz(piece, of->icons[i].sizes),
            .theme = piece_textz(piece, of->icons[i].theme)};
        if (icons != NULL)
            icons[i] = icon;
    }
    copy->icons = of->icon_count > 0 ? icons : NULL;
    copy->icon_count = of->icon_count;
    copy->name = piece_textz(piece, of->name);
    copy->version = piece_textz(piece, of->version);
    copy->title = piece_textz(piece, of->title);
    copy->description = piece_textz(piece, of->description);
    copy->website_url = piece_textz(piece, of->website_url);
}

// Copies the texts of `endpoint` into the block, or counts their size.
static void
piece_endpoint(struct piece *piece, struct mica_endpoint *endpoint)
{
    struct mica_implementation of = endpoint->implementation;

    endpoint->path = piece_text(piece, endpoint->path);
    endpoint->key = piece_text(piece, endpoint->key);
    endpoint->server_info = piece_text(piece, endpoint->server_info);
    endpoint->server_brief = piece_text(piece, endpoint->server_brief);
    endpoint->instructions = piece_text(piece, endpoint->instructions);
    endpoint->scope = piece_text(piece, endpoint->scope);
    piece_implementation(piece, &of, &endpoint->implementation);
}

// Copies all members except those that other threads change.
static void
endpoint_copy_fields(struct mica_endpoint *endpoint,
                     const struct mica_endpoint *of)
{
    const size_t from = offsetof(struct mica_endpoint, bytes);

    memcpy((char *)endpoint + from, (const char *)of + from,
           sizeof *endpoint - from);
    atomic_init(&endpoint->references, 1);
    atomic_init(&endpoint->used, false);
}

// Copies `of`, whose texts may lie anywhere. The copy has one reference.
static struct mica_endpoint *
endpoint_copy(const struct mica_endpoint *of)
{
    struct mica_endpoint counted, *endpoint;
    struct piece piece = {NULL, sizeof counted};
    size_t size;

    endpoint_copy_fields(&counted, of);
    piece_endpoint(&piece, &counted);
    endpoint = mica_memory_take(piece.used, piece.used, &size);
    if (endpoint == NULL)
        return NULL;
    endpoint_copy_fields(endpoint, of);
    endpoint->bytes = size;
    piece = (struct piece){(char *)endpoint, sizeof *endpoint};
    piece_endpoint(&piece, endpoint);
    return endpoint;
}

// ---- Values ------------------------------------------------------------------------

static struct mica_text
text_or_empty(const char *textz)
{
    return textz != NULL ? mica_text(textz) : (struct mica_text){NULL, 0};
}

static void
write_info(struct mica_buffer *info, const struct mica_implementation *of)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, info);
    mica_implementation_write(&writer, of,
                              mica_revision_features(MICA_REVISION_2026_07_28));
}

struct mica_endpoint *
mica_endpoint_make(const struct mica_endpoint_parts *parts,
                   struct mica_catalog *catalog)
{
    struct mica_endpoint made = {.key = parts->key,
                                 .path = parts->path,
                                 .implementation = parts->implementation,
                                 .instructions =
                                     text_or_empty(parts->instructions),
                                 .scope = text_or_empty(parts->scope),
                                 .page_items = parts->page_items,
                                 .list_ttl_ms = parts->list_ttl_ms,
                                 .list_all = parts->list_all,
                                 .invokes = parts->invokes,
                                 .version = 1,
                                 .catalog = catalog};
    struct mica_endpoint *endpoint = NULL;
    struct mica_implementation plain = parts->implementation;
    struct mica_buffer info, brief;
    struct mica_arena arena;

    mica_arena_init(&arena, (size_t)4 * INFO_BYTES);
    mica_buffer_init(&info, &arena, INFO_BYTES);
    mica_buffer_init(&brief, &arena, INFO_BYTES);
    write_info(&info, &parts->implementation);
    made.server_info = mica_buffer_as_text(&info);
    plain.icon_count = 0;
    if (parts->implementation.icon_count > 0)
        write_info(&brief, &plain);
    made.server_brief = mica_buffer_as_text(&brief);
    if (catalog != NULL && !info.overflow)
        endpoint = endpoint_copy(&made);
    mica_arena_fini(&arena);
    if (endpoint == NULL)
        mica_catalog_drop(catalog);
    return endpoint;
}

struct mica_endpoint *
mica_endpoint_next(const struct mica_endpoint *endpoint,
                   struct mica_catalog *catalog, unsigned declared)
{
    struct mica_endpoint *next =
        catalog != NULL ? endpoint_copy(endpoint) : NULL;

    if (next == NULL) {
        mica_catalog_drop(catalog);
        return NULL;
    }
    next->catalog = catalog;
    next->declared |= declared;
    next->version++;
    return next;
}

void
mica_endpoint_hold(struct mica_endpoint *endpoint)
{
    atomic_fetch_add_explicit(&endpoint->references, 1, memory_order_relaxed);
}

void
mica_endpoint_drop(struct mica_endpoint *endpoint)
{
    if (endpoint == NULL ||
        atomic_fetch_sub_explicit(&endpoint->references, 1,
                                  memory_order_acq_rel) != 1)
        return;
    mica_catalog_drop(endpoint->catalog);
    mica_memory_give(endpoint, endpoint->bytes);
}

unsigned
mica_definition_declares(const struct mica_definition *definition)
{
    static const unsigned kinds[MICA_DEFINITION_COUNT] = {
        [MICA_DEFINITION_TOOL] = MICA_DECLARED_TOOLS,
        [MICA_DEFINITION_RESOURCE] = MICA_DECLARED_RESOURCES,
        [MICA_DEFINITION_TEMPLATE] = MICA_DECLARED_RESOURCES,
        [MICA_DEFINITION_PROMPT] = MICA_DECLARED_PROMPTS};
    unsigned declared = kinds[definition->kind];

    if (mica_definition_for_requests(definition))
        return 0; // the tools with views declare what they need
    if (mica_definition_has_view(definition))
        declared |= mica_definition_view_is_made(definition)
                        ? MICA_DECLARED_VIEWS
                        : MICA_DECLARED_RESOURCES;
    if (mica_definition_has_form_views(definition))
        declared |= MICA_DECLARED_RESOURCES | MICA_DECLARED_FORM_VIEWS;
    if (definition->completes)
        declared |= MICA_DECLARED_COMPLETIONS;
    if (definition->logs)
        declared |= MICA_DECLARED_LOGGING;
    if (definition->task != MICA_TASK_NEVER)
        declared |= MICA_DECLARED_TASKS;
    return declared;
}
