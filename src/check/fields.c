// SPDX-License-Identifier: Apache-2.0
//
// Walks the fields that the schemas of a manifest tell.
#include "check/fields.h"

// ---- Visiting ------------------------------------------------------------------

struct walk {
    struct mica_arena *arena;
    bool output;
    mica_field_visit *visit;
    void *context;
};

static const char *
fields_longer(struct mica_arena *arena, const char *pathz,
              struct mica_text name, const struct mica_json *schema)
{
    struct mica_buffer path;

    mica_buffer_init(&path, arena, 4096);
    mica_buffer_format(&path, "%s", pathz);
    if (name.len > 0) {
        mica_buffer_format(&path, "/%.*s", MICA_ARG(name));
    }
    while ((schema = mica_value_element(schema)) != NULL) {
        mica_buffer_text(&path, MICA_LITERAL("/*"));
    }
    mica_buffer_char(&path, '\0');
    return path.overflow ? pathz : path.ptr;
}

static void
walk_record(const struct walk *walk, const struct mica_json *record,
            const char *pathz, const struct mica_field_view *parent)
{
    const struct mica_json *properties = mica_json_get(record, "properties");

    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        struct mica_text name = properties->members[i].name;
        const struct mica_json *schema = &properties->members[i].value, *leaf;
        struct mica_field_view *field =
            mica_arena_zero(walk->arena, 1, sizeof *field);

        if (field == NULL) {
            return;
        }
        *field = (struct mica_field_view){
            .parent = parent,
            .record = record,
            .schema = schema,
            .name = name,
            .path = fields_longer(walk->arena, pathz, name, NULL),
            .output = walk->output,
        };
        walk->visit(walk->context, field);
        if (mica_value_leaf(schema, &leaf) == MICA_VALUE_RECORD) {
            walk_record(walk, leaf,
                        fields_longer(walk->arena, field->path,
                                      (struct mica_text){NULL, 0}, schema),
                        field);
        }
    }
}

void
mica_fields_visit(struct mica_arena *arena, const struct mica_json *schema,
                  const char *rootz, bool output, mica_field_visit *visit,
                  void *context)
{
    struct walk walk = {arena, output, visit, context};

    walk_record(&walk, schema, rootz, NULL);
}

// ---- Paths ---------------------------------------------------------------------

static bool
is_index(struct mica_text token)
{
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9') {
            return false;
        }
    }
    return token.len > 0;
}

static const struct mica_json *
fields_property(const struct mica_json *schema, struct mica_text name)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");

    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        if (mica_text_equal(properties->members[i].name, name)) {
            return &properties->members[i].value;
        }
    }
    return NULL;
}

static struct mica_text
next_token(struct mica_text *path)
{
    size_t end = 0;
    struct mica_text token;

    while (end < path->len && path->ptr[end] != '/') {
        end++;
    }
    token = mica_text_slice(*path, 0, end);
    *path = mica_text_slice(*path, end + 1, path->len);
    return token;
}

bool
mica_path_leads(const struct mica_json *schema, struct mica_text path)
{
    if (mica_text_starts(path, "/")) {
        path = mica_text_slice(path, 1, path.len);
    }
    while (path.len > 0) {
        struct mica_text token = next_token(&path);
        enum mica_value_kind kind = mica_value_kind(schema);

        schema = mica_value_schema(schema);
        if (kind == MICA_VALUE_ANY) {
            return true;
        }
        if (kind == MICA_VALUE_RECORD) {
            schema = fields_property(schema, token);
        } else if (kind == MICA_VALUE_LIST && !is_index(token)) {
            return false;
        } else {
            schema = mica_value_element(schema);
        }
        if (schema == NULL) {
            return false;
        }
    }
    return true;
}
