// SPDX-License-Identifier: Apache-2.0
//
// Documents: reading them, and finding in them all schemas with their resource,
// and the names that references can use. Only keywords that are known to hold
// schemas are followed, so that an `$id` in a constant means nothing.
#include "schema/compile.h"

#include <string.h>

#include "schema/uri.h"

enum {
    DOCUMENT_DEPTH = 512
};

// ---- Maps ------------------------------------------------------------------

void *
mica_schema_map_get(const struct mica_schema_map *map, struct mica_text name)
{
    int64_t index = mica_schema_find(&map->table, name);
    return index < 0 ? NULL : map->things[index];
}

// Twice the room; what was there is added again.
static bool
schema_map_grow(struct mica_schema_map *map, struct mica_arena *arena)
{
    size_t room = map->room == 0 ? 8 : 2 * map->room;
    struct mica_schema_map larger = {.room = room};
    larger.things = mica_arena_alloc(arena, room * sizeof(void *));
    if (larger.things == NULL ||
        !mica_schema_table_init(&larger.table, arena, room))
        return false;
    for (size_t i = 0; map->room > 0 && i <= map->table.mask; i++) {
        const struct mica_schema_slot *slot = &map->table.slots[i];
        if (slot->index == 0)
            continue;
        mica_schema_table_add(&larger.table, slot->name, slot->index - 1);
        larger.things[slot->index - 1] = map->things[slot->index - 1];
    }
    *map = larger;
    return true;
}

bool
mica_schema_map_add(struct mica_schema_map *map, struct mica_arena *arena,
                    struct mica_text name, void *thing)
{
    if (map->table.count == map->room && !schema_map_grow(map, arena))
        return false;
    uint32_t index = map->table.count;
    map->things[mica_schema_table_add(&map->table, name, index)] = thing;
    return true;
}

struct mica_text
mica_schema_anchor_key(struct mica_arena *arena, struct mica_text uri,
                       struct mica_text name)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, arena, uri.len + name.len + 1);
    mica_buffer_text(&buffer, uri);
    mica_buffer_char(&buffer, '#');
    mica_buffer_text(&buffer, name);
    return buffer.overflow ? (struct mica_text){NULL, 0}
                           : mica_buffer_as_text(&buffer);
}

// ---- Spots -----------------------------------------------------------------

static size_t
spot_slot(const struct mica_schema_compiler *compiler,
          const struct mica_json *value)
{
    uint64_t mixed = (uint64_t)(uintptr_t)value * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(mixed >> 32) & (compiler->spot_room - 1);
    while (compiler->spots[at] != NULL && compiler->spots[at]->value != value)
        at = (at + 1) & (compiler->spot_room - 1);
    return at;
}

struct mica_schema_spot *
mica_schema_spot_find(const struct mica_schema_compiler *compiler,
                      const struct mica_json *value)
{
    if (compiler->spot_room == 0)
        return NULL;
    return compiler->spots[spot_slot(compiler, value)];
}

static bool
grow_spots(struct mica_schema_compiler *compiler)
{
    struct mica_schema_spot **old = compiler->spots;
    size_t room = compiler->spot_room;
    size_t wish = room == 0 ? 64 : 2 * room;
    struct mica_schema_spot **spots =
        mica_arena_zero(compiler->temporary, wish, sizeof(void *));
    if (spots == NULL)
        return false;
    compiler->spots = spots;
    compiler->spot_room = wish;
    for (size_t i = 0; i < room; i++)
        if (old[i] != NULL)
            spots[spot_slot(compiler, old[i]->value)] = old[i];
    return true;
}

static enum mica_status
add_spot(struct mica_schema_compiler *compiler, const struct mica_json *value,
         struct mica_schema_resource *resource,
         struct mica_schema_spot **spot_out)
{
    if (compiler->spot_count == compiler->spot_limit)
        return mica_schema_refuse(compiler, resource, value, MICA_E_LIMIT,
                                  "the schema has more than %zu subschemas",
                                  compiler->spot_limit);
    if (2 * compiler->spot_count >= compiler->spot_room &&
        !grow_spots(compiler))
        return mica_schema_no_memory(compiler);
    struct mica_schema_spot *spot =
        mica_arena_zero(compiler->temporary, 1, sizeof *spot);
    if (spot == NULL)
        return mica_schema_no_memory(compiler);
    spot->value = value;
    spot->resource = resource;
    compiler->spots[spot_slot(compiler, value)] = spot;
    compiler->spot_count++;
    *spot_out = spot;
    return MICA_OK;
}

// ---- Resources and anchors -------------------------------------------------

static enum mica_status
add_resource(struct mica_schema_compiler *compiler, struct mica_text uri,
             const struct mica_json *root, struct mica_schema_resource *parent,
             struct mica_schema_resource **resource_out)
{
    struct mica_schema_resource *resource =
        mica_arena_zero(compiler->arena, 1, sizeof *resource);
    uri = mica_arena_text(compiler->arena, uri);
    if (resource == NULL || uri.ptr == NULL)
        return mica_schema_no_memory(compiler);
    resource->uri = uri;
    resource->root = root;
    resource->parent = parent;
    resource->vocabularies =
        parent != NULL ? parent->vocabularies : MICA_VOCABULARY_STANDARD;
    if (mica_schema_map_get(&compiler->resources, uri) != NULL)
        return mica_schema_refuse(compiler, parent, root, MICA_E_USAGE,
                                  "another schema has the URI \"%.*s\" "
                                  "already; give each $id a URI of its own",
                                  MICA_ARG(uri));
    if (!mica_schema_map_add(&compiler->resources, compiler->temporary, uri,
                             resource))
        return mica_schema_no_memory(compiler);
    *resource_out = resource;
    return MICA_OK;
}

// The resource that begins at `value` if it has an `$id`.
static enum mica_status
read_id(struct mica_schema_compiler *compiler, const struct mica_json *value,
        struct mica_schema_resource **resource, bool *identified_out)
{
    const struct mica_json *id = mica_json_get(value, "$id");
    struct mica_text fragment;
    *identified_out = false;
    if (id == NULL)
        return MICA_OK;
    if (id->kind != MICA_JSON_STRING)
        return mica_schema_refuse(compiler, *resource, id, MICA_E_USAGE,
                                  "$id must be a string, a URI reference");
    struct mica_text uri = mica_uri_resolve(
        compiler->temporary, (*resource)->uri, id->text, &fragment);
    if (uri.ptr == NULL)
        return mica_schema_no_memory(compiler);
    if (fragment.len > 0)
        return mica_schema_refuse(compiler, *resource, id, MICA_E_USAGE,
                                  "$id cannot have a fragment; to name a "
                                  "place in the schema use $anchor");
    if ((*resource)->root == value && mica_text_equal((*resource)->uri, uri))
        return MICA_OK;
    *identified_out = true;
    return add_resource(compiler, uri, value, *resource, resource);
}

static bool
is_anchor(const struct mica_json *name)
{
    if (name->kind != MICA_JSON_STRING || name->text.len == 0)
        return false;
    for (size_t i = 0; i < name->text.len; i++) {
        char c = name->text.ptr[i], low = (char)(c | 0x20);
        bool first = (low >= 'a' && low <= 'z') || c == '_';
        if (!first &&
            (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.')))
            return false;
    }
    return true;
}

static enum mica_status
add_anchor(struct mica_schema_compiler *compiler, struct mica_schema_spot *spot,
           const char *keyword)
{
    const struct mica_json *name = mica_json_get(spot->value, keyword);
    if (name == NULL)
        return MICA_OK;
    if (!is_anchor(name))
        return mica_schema_refuse(compiler, spot->resource, name, MICA_E_USAGE,
                                  "%s must be a name of letters, digits, - _ "
                                  "and ., with a letter or _ first",
                                  keyword);
    struct mica_text key = mica_schema_anchor_key(
        compiler->temporary, spot->resource->uri, name->text);
    if (key.ptr == NULL)
        return mica_schema_no_memory(compiler);
    struct mica_schema_spot *other =
        mica_schema_map_get(&compiler->anchors, key);
    if (other != NULL && other != spot)
        return mica_schema_refuse(compiler, spot->resource, name, MICA_E_USAGE,
                                  "another schema here has the anchor \"%.*s\" "
                                  "already",
                                  MICA_ARG(name->text));
    if (!mica_schema_map_add(&compiler->anchors, compiler->temporary, key,
                             spot))
        return mica_schema_no_memory(compiler);
    if (keyword[1] == 'a')
        return MICA_OK;
    struct mica_schema_anchor *anchor =
        mica_arena_alloc(compiler->temporary, sizeof *anchor);
    if (anchor == NULL)
        return mica_schema_no_memory(compiler);
    *anchor = (struct mica_schema_anchor){name->text, spot,
                                          spot->resource->dynamic_anchors};
    spot->resource->dynamic_anchors = anchor;
    return MICA_OK;
}

// ---- Scanning --------------------------------------------------------------

// The schemas in the value of a keyword.
static enum mica_status
scan_inside(struct mica_schema_compiler *compiler,
            const struct mica_json *value, enum mica_schema_shape shape,
            struct mica_schema_resource *resource)
{
    // A value of the wrong kind is refused when it is compiled.
    if (shape == MICA_SHAPE_SCHEMA &&
        (value->kind == MICA_JSON_OBJECT || value->kind == MICA_JSON_TRUE ||
         value->kind == MICA_JSON_FALSE))
        return mica_schema_scan(compiler, value, resource);
    if (shape == MICA_SHAPE_LIST && value->kind == MICA_JSON_ARRAY)
        for (size_t i = 0; i < value->count; i++)
            MICA_TRY(scan_inside(compiler, &value->items[i], MICA_SHAPE_SCHEMA,
                                 resource));
    if ((shape == MICA_SHAPE_MAP || shape == MICA_SHAPE_MIXED) &&
        value->kind == MICA_JSON_OBJECT)
        for (size_t i = 0; i < value->count; i++)
            MICA_TRY(scan_inside(compiler, &value->members[i].value,
                                 MICA_SHAPE_SCHEMA, resource));
    return MICA_OK;
}

enum mica_status
mica_schema_scan(struct mica_schema_compiler *compiler,
                 const struct mica_json *value,
                 struct mica_schema_resource *resource)
{
    struct mica_schema_spot *spot = NULL;
    bool identified;
    if (mica_schema_spot_find(compiler, value) != NULL)
        return MICA_OK;
    MICA_TRY(read_id(compiler, value, &resource, &identified));
    enum mica_status status = add_spot(compiler, value, resource, &spot);
    if (spot == NULL)
        return status;
    spot->identified = identified;
    if (value->kind != MICA_JSON_OBJECT)
        return MICA_OK;
    if (resource->root == value)
        MICA_TRY(mica_schema_dialect(compiler, resource));
    MICA_TRY(add_anchor(compiler, spot, "$anchor"));
    MICA_TRY(add_anchor(compiler, spot, "$dynamicAnchor"));
    for (size_t i = 0; i < value->count; i++) {
        enum mica_schema_keyword keyword =
            mica_schema_keyword(value->members[i].name);
        if (keyword != MICA_KEY_COUNT)
            MICA_TRY(scan_inside(compiler, &value->members[i].value,
                                 mica_schema_keyword_shape(keyword), resource));
    }
    return MICA_OK;
}

enum mica_status
mica_schema_document_read(struct mica_schema_compiler *compiler,
                          struct mica_text uri, struct mica_text text,
                          struct mica_schema_spot **spot_out)
{
    const struct mica_json_limits limits = {.depth = DOCUMENT_DEPTH};
    struct mica_schema_resource *resource = NULL;
    struct mica_json *root = mica_arena_alloc(compiler->arena, sizeof *root);
    if (root == NULL)
        return mica_schema_no_memory(compiler);
    enum mica_status status =
        mica_json_read(compiler->arena, text, &limits, compiler->error, root);
    if (status != MICA_OK) {
        mica_error_prefix(compiler->error, "the schema%s%.*s",
                          uri.len > 0 ? " " : "", MICA_ARG(uri));
        return status;
    }
    if (compiler->root == NULL)
        compiler->root = root;
    status = add_resource(compiler, uri, root, NULL, &resource);
    if (resource == NULL)
        return status;
    if (root->kind != MICA_JSON_OBJECT && root->kind != MICA_JSON_TRUE &&
        root->kind != MICA_JSON_FALSE)
        return mica_schema_refuse(compiler, resource, root, MICA_E_USAGE,
                                  "a schema is an object, true or false, not "
                                  "a JSON %s",
                                  mica_json_kind_name(root->kind));
    MICA_TRY(mica_schema_scan(compiler, root, resource));
    *spot_out = mica_schema_spot_find(compiler, root);
    return MICA_OK;
}
