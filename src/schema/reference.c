// SPDX-License-Identifier: Apache-2.0
//
// Where references lead: first the resource by its URI, then the place in it by
// JSON Pointer or anchor. Documents are read when something refers to them.
#include <string.h>

#include "schema/compile.h"
#include "schema/uri.h"

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

// The child of `value` that a token of a JSON Pointer names, or NULL.
static const struct mica_json *
child(struct mica_schema_compiler *compiler, const struct mica_json *value,
      struct mica_text token)
{
    if (value->kind != MICA_JSON_ARRAY && value->kind != MICA_JSON_OBJECT)
        return NULL;
    struct mica_buffer pointer;
    mica_buffer_init(&pointer, compiler->temporary, token.len + 1);
    mica_buffer_char(&pointer, '/');
    mica_buffer_text(&pointer, token);
    return mica_json_pointer_get(value, mica_buffer_as_text(&pointer));
}

// The schema at a JSON Pointer. A place that no keyword holds as a schema is
// taken for one because somebody refers to it.
static enum mica_status
walk(struct mica_schema_compiler *compiler, struct mica_schema_spot *start,
     struct mica_text pointer, struct mica_schema_spot **spot_out)
{
    const struct mica_json *value = start->value;
    struct mica_schema_resource *resource = start->resource;
    *spot_out = NULL;
    while (pointer.len > 0 && value != NULL) {
        pointer = mica_text_slice(pointer, 1, pointer.len);
        const char *slash =
            pointer.len > 0 ? memchr(pointer.ptr, '/', pointer.len) : NULL;
        size_t size =
            slash != NULL ? (size_t)(slash - pointer.ptr) : pointer.len;
        value = child(compiler, value, mica_text_slice(pointer, 0, size));
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
is_dynamic(const struct mica_schema_spot *spot, struct mica_text name)
{
    struct mica_text own = mica_json_get_text(spot->value, "$dynamicAnchor");
    return own.ptr != NULL && mica_text_equal(own, name);
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
        return walk(compiler, root, fragment, spot_out);
    struct mica_text key = mica_schema_anchor_key(
        compiler->temporary, root->resource->uri, fragment);
    if (key.ptr == NULL)
        return mica_schema_no_memory(compiler);
    *spot_out = mica_schema_map_get(&compiler->anchors, key);
    if (*spot_out != NULL && is_dynamic(*spot_out, fragment))
        *anchor_out = fragment;
    return MICA_OK;
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
    struct mica_text uri = mica_uri_resolve(compiler->temporary, resource->uri,
                                            reference->text, &fragment);
    fragment = mica_uri_decode(compiler->temporary, fragment);
    if (uri.ptr == NULL)
        return mica_schema_no_memory(compiler);
    MICA_TRY(mica_schema_resource_find(compiler, uri, &target));
    if (target == NULL)
        return mica_schema_refuse(
            compiler, resource, reference, MICA_E_NOT_FOUND,
            "the reference \"%.*s\" leads to the document %.*s, which is not "
            "known; register it under that URI, nothing is fetched",
            MICA_ARG(reference->text), MICA_ARG(uri));
    MICA_TRY(find_place(compiler, target, fragment, spot_out, anchor_out));
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
