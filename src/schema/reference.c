// SPDX-License-Identifier: Apache-2.0
//
// Where references lead: first the resource by its URI, then the place in it by
// JSON Pointer or anchor. Documents are read when something refers to them.
#include <string.h>

#include "schema/compile.h"
#include "schema/uri.h"

enum {
    FEW_MEMBERS = 16 // of an object that is looked through
};

// ---- Resources -------------------------------------------------------------

// Reads the documents of the options: the one of that URI, or all for an empty
// one, since the `$id` that is looked for may be inside any of them.
static enum mica_status
read_documents(struct mica_schema_compiler *compiler, struct mica_text uri)
{
    const struct mica_schema_options *options = compiler->options;
    struct mica_schema_spot *spot;
    struct mica_text fragment;
    for (size_t i = 0; i < options->document_count; i++) {
        const struct mica_schema_document *document = &options->documents[i];
        struct mica_text name =
            mica_uri_resolve(compiler->temporary, (struct mica_text){NULL, 0},
                             document->uri, &fragment);
        if (name.ptr == NULL)
            return mica_schema_no_memory(compiler);
        if (compiler->read[i] || (uri.len > 0 && !mica_text_equal(uri, name)))
            continue;
        compiler->read[i] = true;
        MICA_TRY(
            mica_schema_document_read(compiler, name, document->text, &spot));
    }
    return MICA_OK;
}

enum mica_status
mica_schema_resource_find(struct mica_schema_compiler *compiler,
                          struct mica_text uri,
                          struct mica_schema_resource **resource_out)
{
    struct mica_schema_spot *spot;
    *resource_out = mica_schema_map_get(&compiler->resources, uri);
    if (*resource_out != NULL)
        return MICA_OK;
    MICA_TRY(read_documents(compiler, uri));
    *resource_out = mica_schema_map_get(&compiler->resources, uri);
    if (*resource_out != NULL)
        return MICA_OK;
    struct mica_text metaschema = mica_schema_metaschema(uri);
    if (metaschema.ptr != NULL)
        MICA_TRY(mica_schema_document_read(compiler, uri, metaschema, &spot));
    else
        MICA_TRY(read_documents(compiler, (struct mica_text){NULL, 0}));
    *resource_out = mica_schema_map_get(&compiler->resources, uri);
    return MICA_OK;
}

// ---- Places in a resource --------------------------------------------------

// A large object's members by name: a schema may refer to all of its
// definitions, and looking through them for each would take the square of that.
struct object {
    const struct mica_json *value;
    struct mica_schema_table members; // names to indices
};

// How an object is known in the map of objects.
static struct mica_text
reference_address(const struct mica_json *const *value)
{
    return (struct mica_text){(const char *)value, sizeof(void *)};
}

static enum mica_status
index_members(struct mica_schema_compiler *compiler,
              const struct mica_json *value, const struct object **object_out)
{
    struct object *object =
        mica_schema_map_get(&compiler->objects, reference_address(&value));
    *object_out = object;
    if (object != NULL)
        return MICA_OK;
    object = mica_arena_alloc(compiler->temporary, sizeof *object);
    if (object == NULL ||
        !mica_schema_table_init(&object->members, compiler->temporary,
                                value->count))
        return mica_schema_no_memory(compiler);
    object->value = value;
    for (size_t i = 0; i < value->count; i++)
        mica_schema_table_add(&object->members, value->members[i].name,
                              (uint32_t)i);
    if (!mica_schema_map_add(&compiler->objects, compiler->temporary,
                             reference_address(&object->value), object))
        return mica_schema_no_memory(compiler);
    *object_out = object;
    return MICA_OK;
}

// A token of a JSON Pointer without its escapes (RFC 6901 section 4). False when
// it has another one, or there is no memory.
static bool
reference_unescape(struct mica_arena *arena, struct mica_text token,
                   struct mica_text *name_out)
{
    struct mica_buffer name;
    *name_out = token;
    if (token.len == 0 || memchr(token.ptr, '~', token.len) == NULL)
        return true;
    mica_buffer_init(&name, arena, token.len);
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        if (c == '~') {
            c = i + 1 < token.len ? token.ptr[++i] : '\0';
            if (c != '0' && c != '1')
                return false;
            c = c == '0' ? '~' : '/';
        }
        mica_buffer_char(&name, c);
    }
    *name_out = mica_buffer_as_text(&name);
    return !name.overflow;
}

// The child of `value` that a JSON Pointer of one token names, or NULL.
static enum mica_status
schema_compiler_child(struct mica_schema_compiler *compiler,
                      const struct mica_json *value, struct mica_text pointer,
                      const struct mica_json **child_out)
{
    const struct object *object;
    struct mica_text name;
    *child_out = NULL;
    if (value->kind != MICA_JSON_OBJECT || value->count <= FEW_MEMBERS) {
        *child_out = mica_json_pointer_get(value, pointer);
        return MICA_OK;
    }
    MICA_TRY(index_members(compiler, value, &object));
    if (!reference_unescape(compiler->temporary,
                            mica_text_slice(pointer, 1, pointer.len), &name))
        return MICA_OK;
    int64_t index = mica_schema_find(&object->members, name);
    if (index >= 0)
        *child_out = &value->members[index].value;
    return MICA_OK;
}

// The schema at a JSON Pointer. A place that no keyword holds as a schema is
// taken for one because a reference leads to it.
static enum mica_status
schema_compiler_walk(struct mica_schema_compiler *compiler,
                     struct mica_schema_spot *start, struct mica_text pointer,
                     struct mica_schema_spot **spot_out)
{
    const struct mica_json *value = start->value;
    struct mica_schema_resource *resource = start->resource;
    *spot_out = NULL;
    while (pointer.len > 0 && value != NULL) {
        const char *slash = memchr(pointer.ptr + 1, '/', pointer.len - 1);
        size_t size =
            slash != NULL ? (size_t)(slash - pointer.ptr) : pointer.len;
        MICA_TRY(schema_compiler_child(
            compiler, value, mica_text_slice(pointer, 0, size), &value));
        pointer = mica_text_slice(pointer, size, pointer.len);
        const struct mica_schema_spot *spot =
            value != NULL ? mica_schema_spot_find(compiler, value) : NULL;
        if (spot != NULL)
            resource = spot->resource;
    }
    if (value == NULL ||
        (value->kind != MICA_JSON_OBJECT && value->kind != MICA_JSON_TRUE &&
         value->kind != MICA_JSON_FALSE))
        return MICA_OK;
    MICA_TRY(mica_schema_scan(compiler, value, resource));
    *spot_out = mica_schema_spot_find(compiler, value);
    return MICA_OK;
}

static bool
is_dynamic(struct mica_schema_spot *spot, struct mica_text name)
{
    // Once: any number of references may lead to a schema of any size.
    if (!spot->named)
        spot->dynamic = mica_json_get_text(spot->value, "$dynamicAnchor");
    spot->named = true;
    return spot->dynamic.ptr != NULL && mica_text_equal(spot->dynamic, name);
}

static enum mica_status
find_place(struct mica_schema_compiler *compiler,
           struct mica_schema_resource *resource, struct mica_text fragment,
           struct mica_schema_spot **spot_out, struct mica_text *anchor_out)
{
    struct mica_schema_spot *root =
        mica_schema_spot_find(compiler, resource->root);
    *anchor_out = (struct mica_text){NULL, 0};
    *spot_out = root;
    if (fragment.len == 0 || root == NULL)
        return MICA_OK;
    if (fragment.ptr[0] == '/')
        return schema_compiler_walk(compiler, root, fragment, spot_out);
    struct mica_text key = mica_schema_anchor_key(
        compiler->temporary, root->resource->uri, fragment);
    if (key.ptr == NULL)
        return mica_schema_no_memory(compiler);
    *spot_out = mica_schema_map_get(&compiler->anchors, key);
    if (*spot_out != NULL && is_dynamic(*spot_out, fragment))
        *anchor_out = fragment;
    return MICA_OK;
}

// The resource and the fragment, still encoded. A reference into the resource
// that it stands in needs no look at a URI, which may be long.
static enum mica_status
find_target(struct mica_schema_compiler *compiler,
            struct mica_schema_resource *resource,
            const struct mica_json *reference,
            struct mica_schema_resource **target_out,
            struct mica_text *fragment_out)
{
    struct mica_text text = reference->text;
    *target_out = resource;
    *fragment_out = mica_text_slice(text, 1, text.len);
    if (text.len > 0 && text.ptr[0] == '#')
        return MICA_OK;
    struct mica_text uri = mica_uri_resolve(compiler->temporary, resource->uri,
                                            text, fragment_out);
    if (uri.ptr == NULL)
        return mica_schema_no_memory(compiler);
    MICA_TRY(mica_schema_resource_find(compiler, uri, target_out));
    if (*target_out != NULL)
        return MICA_OK;
    return mica_schema_refuse(
        compiler, resource, reference, MICA_E_NOT_FOUND,
        "the reference \"%.*s\" leads to the document %.*s, which is not "
        "known; register it under that URI, nothing is fetched",
        MICA_ARG(text), MICA_ARG(uri));
}

enum mica_status
mica_schema_follow(struct mica_schema_compiler *compiler,
                   struct mica_schema_resource *resource,
                   const struct mica_json *reference,
                   struct mica_schema_spot **spot_out,
                   struct mica_text *anchor_out)
{
    struct mica_schema_resource *target;
    struct mica_text fragment;
    if (reference->kind != MICA_JSON_STRING)
        return mica_schema_refuse(compiler, resource, reference, MICA_E_USAGE,
                                  "a reference must be a string, a URI "
                                  "reference like \"#/$defs/name\"");
    MICA_TRY(find_target(compiler, resource, reference, &target, &fragment));
    fragment = mica_uri_decode(compiler->temporary, fragment);
    MICA_TRY(find_place(compiler, target, fragment, spot_out, anchor_out));
    if (compiler->temporary->overflow)
        return mica_schema_no_memory(compiler);
    if (*spot_out == NULL)
        return mica_schema_refuse(
            compiler, resource, reference, MICA_E_NOT_FOUND,
            "the reference \"%.*s\" leads nowhere: %s",
            MICA_ARG(reference->text),
            fragment.len > 0 && fragment.ptr[0] == '/'
                ? "there is no schema at that JSON Pointer"
                : "there is no $anchor of that name");
    return MICA_OK;
}
