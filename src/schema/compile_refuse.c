// SPDX-License-Identifier: Apache-2.0
//
// How compiling a schema fails: with the place in its document.
#include "schema/compile.h"

void
mica_schema_place(struct mica_buffer *pointer, const struct mica_json *root,
                  const struct mica_json *value)
{
    const char *target = value->raw.ptr;
    const struct mica_json *at = root;
    while (at->raw.ptr != target &&
           (at->kind == MICA_JSON_ARRAY || at->kind == MICA_JSON_OBJECT)) {
        // The last child that does not begin behind the target.
        bool array = at->kind == MICA_JSON_ARRAY;
        size_t from = 0, to = at->count;
        while (from < to) {
            size_t middle = (from + to) / 2;
            const struct mica_json *child =
                array ? &at->items[middle] : &at->members[middle].value;
            if (child->raw.ptr <= target)
                from = middle + 1;
            else
                to = middle;
        }
        if (from == 0)
            return;
        const struct mica_json *child =
            array ? &at->items[from - 1] : &at->members[from - 1].value;
        if (target >= child->raw.ptr + child->raw.len)
            return;
        if (array)
            mica_buffer_format(pointer, "/%zu", from - 1);
        else
            mica_json_pointer_add(pointer, at->members[from - 1].name);
        at = child;
    }
}

enum mica_status
mica_schema_refuse(struct mica_schema_compiler *compiler,
                   const struct mica_schema_resource *resource,
                   const struct mica_json *value, enum mica_status status,
                   const char *formatz, ...)
{
    char path[sizeof compiler->error->path];
    struct mica_buffer pointer = {
        .ptr = path, .capacity = sizeof path, .max = sizeof path - 1};
    va_list arguments;
    while (resource != NULL && resource->parent != NULL)
        resource = resource->parent;
    if (resource != NULL)
        mica_schema_place(&pointer, resource->root, value);
    path[pointer.len] = '\0';
    va_start(arguments, formatz);
    mica_error_vset(compiler->error, status, NULL, path, formatz, arguments);
    va_end(arguments);
    if (resource != NULL && resource->root != compiler->root)
        mica_error_prefix(compiler->error, "in the document %.*s",
                          MICA_ARG(resource->uri));
    return status;
}

enum mica_status
mica_schema_no_memory(struct mica_schema_compiler *compiler)
{
    return mica_error_set(compiler->error, MICA_E_LIMIT, "",
                          "the schema needs more memory than it may use");
}
