// SPDX-License-Identifier: Apache-2.0
//
// Reads the folders that a client's user works in (MCP: ListRootsResult). A root is a
// file:// URI with an optional name. This file opens none of them.
#include "base/ascii.h"
#include "call/form.h"
#include "schema/format.h"

static enum mica_status
roots_fail(struct mica_error *error, enum mica_status status, size_t index,
           const char *wordsz)
{
    char path[32];
    struct mica_buffer pointer = {
        .ptr = path, .capacity = sizeof path, .max = sizeof path - 1};
    mica_buffer_format(&pointer, "/roots/%zu", index);
    path[pointer.len] = '\0';
    return mica_error_set(error, status, path, "root %zu of the client %s",
                          index, wordsz);
}

// Ignores the case of the scheme (RFC 3986, 3.1).
static bool
is_file_uri(struct mica_text uri)
{
    static const char scheme[] = "file://";
    return uri.len >= sizeof scheme - 1 &&
           mica_ascii_same(uri.ptr, scheme, sizeof scheme - 1) &&
           mica_format_is_uri(uri, false, true);
}

static enum mica_status
read_root(const struct mica_json *value, size_t index, struct mica_error *error,
          struct mica_root *root)
{
    const struct mica_json *uri = mica_json_get(value, "uri");
    const struct mica_json *name = mica_json_get(value, "name");
    if (uri == NULL || uri->kind != MICA_JSON_STRING)
        return roots_fail(error, MICA_E_TYPE, index,
                          "must be an object with a string in \"uri\"");
    if (name != NULL && name->kind != MICA_JSON_STRING)
        return roots_fail(error, MICA_E_TYPE, index,
                          "must have a string in \"name\", or none");
    if (!is_file_uri(uri->text))
        return roots_fail(error, MICA_E_FORMAT, index,
                          "must have a URI of a file, like file:///srv/notes");
    *root = (struct mica_root){uri->text, {NULL, 0}};
    if (name != NULL)
        root->name = name->text;
    return MICA_OK;
}

enum mica_status
mica_roots_read(const struct mica_json *result, struct mica_arena *arena,
                struct mica_error *error, struct mica_roots *roots_out)
{
    const struct mica_json *roots = mica_json_get(result, "roots");
    if (roots == NULL || roots->kind != MICA_JSON_ARRAY)
        return mica_error_set(error, MICA_E_TYPE, "/roots",
                              "the client's answer must have \"roots\", an "
                              "array");
    struct mica_root *items =
        mica_arena_zero(arena, roots->count, sizeof *items);
    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "/roots",
                              "%zu roots need more memory than one call may "
                              "use",
                              roots->count);
    for (size_t i = 0; i < roots->count; i++)
        MICA_TRY(read_root(&roots->items[i], i, error, &items[i]));
    *roots_out = (struct mica_roots){items, roots->count};
    return MICA_OK;
}
