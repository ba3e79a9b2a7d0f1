// SPDX-License-Identifier: Apache-2.0
//
// Checks an argument map against the schemas of both sides, when an app is published. A
// schema may say much that this does not follow (anyOf, patternProperties, references to
// elsewhere); there it finds nothing, and the call itself is checked by the whole schema.
#include <mica/schema.h>

#include "apps/app_map.h"
#include "apps/app_map_group.h"
#include "apps/app_pointer.h"
#include "schema/explain.h"

#define CODE(status) mica_status_code(MICA_E_##status)

enum {
    REFERENCES = 8,         // that one schema may follow
    WRAPPED_BYTES = 1 << 20 // of the schema of one property with its $defs
};

// What a schema says about a part.
enum part_answer {
    PART_KNOWN, // here is its schema
    PART_OPEN,  // it may be there; nothing more is known
    PART_CLOSED // it cannot be there
};

struct map_check {
    const struct mica_app_map *map;
    const char *pathz, *whatz;
    const struct mica_json *target, *source; // the roots, for references
    struct mica_arena *arena;
    struct mica_app_findings *findings;
};

#define CHECK_FIND(check, severity, status, target, ...)                       \
    mica_app_find_member((check)->findings, MICA_APP_##severity, CODE(status), \
                         (check)->pathz, target, __VA_ARGS__)

// ---- Schemas ---------------------------------------------------------------------

// The schema itself behind its references into the same document; NULL: not to be found.
static const struct mica_json *
schema_follow(const struct mica_json *root, const struct mica_json *schema)
{
    for (size_t i = 0; i < REFERENCES; i++) {
        struct mica_text to = mica_json_get_text(schema, "$ref");
        if (to.len == 0)
            return schema;
        if (to.ptr[0] != '#' || (to.len > 1 && to.ptr[1] != '/'))
            return NULL;
        schema = mica_json_pointer_get(root, mica_text_slice(to, 1, to.len));
        if (schema == NULL)
            return NULL;
    }
    return NULL;
}

// Whether more than its own properties decides what an object may have.
static bool
schema_is_mixed(const struct mica_json *schema)
{
    static const char *const names[] = {"allOf",
                                        "anyOf",
                                        "oneOf",
                                        "if",
                                        "patternProperties",
                                        "$dynamicRef",
                                        "dependentSchemas",
                                        "dependencies"};

    for (size_t i = 0; i < MICA_COUNT(names); i++)
        if (mica_json_get(schema, names[i]) != NULL)
            return true;
    return false;
}

// Whether the schema's "type" allows that type; true if it says nothing.
static bool
schema_takes(const struct mica_json *schema, const char *typez)
{
    const struct mica_json *type = mica_json_get(schema, "type");

    if (type == NULL || type->kind == MICA_JSON_STRING)
        return type == NULL || mica_text_is(type->text, typez);
    if (type->kind != MICA_JSON_ARRAY)
        return true;
    for (size_t i = 0; i < type->count; i++)
        if (mica_text_is(type->items[i].text, typez))
            return true;
    return false;
}

static enum part_answer
array_part(const struct mica_json *schema, const struct mica_json **part_out)
{
    const struct mica_json *items = mica_json_get(schema, "items");

    if (!schema_takes(schema, "array"))
        return PART_CLOSED;
    if (items == NULL || items->kind != MICA_JSON_OBJECT ||
        mica_json_get(schema, "prefixItems") != NULL)
        return PART_OPEN;
    *part_out = items;
    return PART_KNOWN;
}

// The part of that name. `schema` has been followed.
static enum part_answer
object_part(const struct mica_json *schema, struct mica_text name,
            const struct mica_json **part_out)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");
    const struct mica_json *part =
        properties != NULL ? mica_json_member(properties, name) : NULL;
    const struct mica_json *rest =
        mica_json_get(schema, "additionalProperties");

    if (part != NULL) {
        *part_out = part;
        return part->kind == MICA_JSON_FALSE ? PART_CLOSED : PART_KNOWN;
    }
    if (!schema_takes(schema, "object"))
        return PART_CLOSED;
    if (schema_is_mixed(schema) || rest == NULL)
        return PART_OPEN;
    if (rest->kind == MICA_JSON_FALSE)
        return PART_CLOSED;
    *part_out = rest;
    return rest->kind == MICA_JSON_OBJECT ? PART_KNOWN : PART_OPEN;
}

static enum part_answer
schema_part(const struct mica_json *root, const struct mica_json *schema,
            struct mica_text token, const struct mica_json **part_out)
{
    char room[MICA_APP_MAP_POINTER];

    schema = schema_follow(root, schema);
    if (schema == NULL || schema->kind == MICA_JSON_TRUE)
        return PART_OPEN;
    if (schema->kind != MICA_JSON_OBJECT)
        return PART_CLOSED;
    if (mica_app_pointer_is_index(token) && !schema_takes(schema, "object"))
        return array_part(schema, part_out);
    return object_part(schema, mica_app_pointer_name(token, room), part_out);
}

// The schema of the value at a pointer. *parent_out and *token_out: where the walk ended.
static enum part_answer
schema_at(const struct mica_json *root, struct mica_text pointer,
          const struct mica_json **part_out,
          const struct mica_json **parent_out, struct mica_text *token_out)
{
    const struct mica_json *schema = root;
    enum part_answer answer = PART_KNOWN;

    *parent_out = root;
    while (mica_app_pointer_next(&pointer, token_out)) {
        *parent_out = schema;
        answer = schema_part(root, schema, *token_out, &schema);
        if (answer != PART_KNOWN)
            return answer;
    }
    *part_out = schema_follow(root, schema);
    return *part_out != NULL ? PART_KNOWN : PART_OPEN;
}

// ---- Findings --------------------------------------------------------------------

// The property that may have been meant, or the first one that there is; empty: none.
static struct mica_text
schema_nearest(const struct mica_json *root, const struct mica_json *schema,
               struct mica_text token, bool *near_out)
{
    const struct mica_json *properties =
        mica_json_get(schema_follow(root, schema), "properties");
    struct mica_schema_nearest nearest = {.to = token, .distance = SIZE_MAX};

    *near_out = false;
    if (properties == NULL || properties->kind != MICA_JSON_OBJECT)
        return (struct mica_text){0};
    for (size_t i = 0; i < properties->count; i++)
        mica_schema_compare(&nearest, properties->members[i].name);
    *near_out = nearest.distance != SIZE_MAX;
    if (*near_out)
        return nearest.name;
    return properties->count > 0 ? properties->members[0].name
                                 : (struct mica_text){0};
}

static void
find_closed(const struct map_check *check, const struct mica_json *root,
            const struct mica_json *parent, struct mica_text target,
            struct mica_text token, const char *ownerz)
{
    bool near;
    struct mica_text other = schema_nearest(root, parent, token, &near);
    struct mica_text shown = mica_app_shown(check->findings, token);
    struct mica_text hint = mica_app_shown(check->findings, other);

    if (other.len == 0)
        CHECK_FIND(check, UNFINISHED, UNKNOWN, target, "%s has no \"%.*s\"",
                   ownerz, MICA_ARG(shown));
    else if (near)
        CHECK_FIND(check, UNFINISHED, UNKNOWN, target,
                   "%s has no \"%.*s\"; did you mean \"%.*s\"?", ownerz,
                   MICA_ARG(shown), MICA_ARG(hint));
    else
        CHECK_FIND(check, UNFINISHED, UNKNOWN, target,
                   "%s has no \"%.*s\" there, but \"%.*s\"", ownerz,
                   MICA_ARG(shown), MICA_ARG(hint));
}

// The schema of one property, so that references into $defs still lead somewhere.
static struct mica_text
wrap_schema(const struct map_check *check, const struct mica_json *part)
{
    struct mica_buffer text;
    struct mica_json_writer writer;

    mica_buffer_init(&text, check->arena, WRAPPED_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    for (const char *const *name =
             (const char *const[]){"$defs", "definitions", NULL};
         *name != NULL; name++) {
        const struct mica_json *defs = mica_json_get(check->target, *name);
        if (defs == NULL)
            continue;
        mica_json_name(&writer, *name);
        mica_json_value(&writer, defs);
    }
    mica_json_name(&writer, "allOf");
    mica_json_open_array(&writer);
    mica_json_value(&writer, part);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    return text.overflow ? (struct mica_text){NULL, 0}
                         : mica_buffer_as_text(&text);
}

static void
check_constant(const struct map_check *check,
               const struct mica_app_map_entry *entry,
               const struct mica_json *part)
{
    struct mica_schema_limits limits = {.errors = 1};
    struct mica_text text = wrap_schema(check, part);
    struct mica_schema_report report;
    struct mica_schema *schema;

    // A reference that leads elsewhere: the call is checked by the whole schema.
    if (text.len == 0 ||
        mica_schema_compile(check->arena, text, NULL, NULL, &schema) != MICA_OK)
        return;
    if (mica_schema_validate(schema, entry->value, &limits, check->arena,
                             &report) == MICA_OK ||
        report.count == 0)
        return;
    mica_app_find_member(check->findings, MICA_APP_UNFINISHED,
                         mica_status_code(report.errors[0].status),
                         check->pathz, entry->target, "the constant: %.*s",
                         MICA_ARG(report.errors[0].message));
}

// ---- Entries ---------------------------------------------------------------------

// Whether some type that `source` can have is one that `target` takes.
static bool
types_meet(const struct mica_json *source, const struct mica_json *target)
{
    static const char *const types[] = {
        "null", "boolean", "number", "integer", "string", "array", "object"};

    for (size_t i = 0; i < MICA_COUNT(types); i++)
        if (schema_takes(source, types[i]) && schema_takes(target, types[i]))
            return true;
    // A number may be an integer, and the other way round.
    return (schema_takes(source, "number") &&
            schema_takes(target, "integer")) ||
           (schema_takes(source, "integer") && schema_takes(target, "number"));
}

static void
check_pointer(const struct map_check *check,
              const struct mica_app_map_entry *entry,
              const struct mica_json *target)
{
    const struct mica_json *part = NULL, *parent;
    struct mica_text token = {0};
    struct mica_text type;
    enum part_answer answer =
        schema_at(check->source, entry->pointer, &part, &parent, &token);

    if (answer == PART_CLOSED) {
        find_closed(check, check->source, parent, entry->target, token,
                    "the source");
        return;
    }
    if (answer != PART_KNOWN || target == NULL ||
        part->kind != MICA_JSON_OBJECT || target->kind != MICA_JSON_OBJECT ||
        types_meet(part, target))
        return;
    type = mica_json_get_text(target, "type");
    CHECK_FIND(check, UNFINISHED, TYPE, entry->target,
               "\"%.*s\" is of another type than %s takes there%s%.*s",
               MICA_ARG(entry->pointer), check->whatz, type.len > 0 ? ": " : "",
               MICA_ARG(type));
}

static void
check_entry(const struct map_check *check,
            const struct mica_app_map_entry *entry)
{
    const struct mica_json *part = NULL, *parent;
    struct mica_text token = {0};
    enum part_answer answer = PART_OPEN;

    if (check->target != NULL)
        answer =
            schema_at(check->target, entry->target, &part, &parent, &token);
    if (answer == PART_CLOSED) {
        find_closed(check, check->target, parent, entry->target, token,
                    check->whatz);
        return;
    }
    if (answer != PART_KNOWN)
        part = NULL;
    if (entry->value != NULL) {
        if (part != NULL && part->kind == MICA_JSON_OBJECT)
            check_constant(check, entry, part);
    } else if (check->source != NULL) {
        check_pointer(check, entry, part);
    }
}

// ---- Required parts --------------------------------------------------------------

static bool
group_has(const struct mica_app_map *map, size_t from, size_t to, size_t at,
          struct mica_text name)
{
    char room[MICA_APP_MAP_POINTER];

    for (size_t i = from; i < to; i++) {
        struct mica_text token = mica_app_map_token(&map->entries[i], at);
        if (mica_text_equal(mica_app_pointer_name(token, room), name))
            return true;
    }
    return false;
}

static void
find_required(const struct map_check *check, struct mica_text parent,
              const struct mica_json *name)
{
    char room[2 * MICA_APP_MAP_POINTER];
    struct mica_buffer target = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_text shown;

    mica_buffer_text(&target, parent);
    mica_json_pointer_add(&target, name->text);
    if (target.overflow) // longer than any entry could be
        return;
    shown = mica_app_shown(check->findings, mica_buffer_as_text(&target));
    CHECK_FIND(check, UNFINISHED, REQUIRED, mica_buffer_as_text(&target),
               "%s needs \"%.*s\"; add an entry for it", check->whatz,
               MICA_ARG(shown));
}

// The object that the entries [from, to) make, and those inside it.
static void
check_required(const struct map_check *check, const struct mica_json *schema,
               size_t from, size_t to, size_t at)
{
    const struct mica_app_map *map = check->map;
    const struct mica_json *required;
    struct mica_text parent = {0};

    schema = schema_follow(check->target, schema);
    if (schema == NULL || schema->kind != MICA_JSON_OBJECT)
        return;
    if (to > from)
        parent = mica_text_slice(map->entries[from].target, 0, at);
    required = mica_json_get(schema, "required");
    for (size_t i = 0; required != NULL && required->kind == MICA_JSON_ARRAY &&
                       i < required->count;
         i++)
        if (!group_has(map, from, to, at, required->items[i].text))
            find_required(check, parent, &required->items[i]);
    for (size_t end; from < to; from = end) {
        struct mica_text token = mica_app_map_token(&map->entries[from], at);
        const struct mica_json *part = NULL;
        size_t inside = at + 1 + token.len;
        end = mica_app_map_group_end(map, from, to, at);
        if (map->entries[from].target.len > inside &&
            schema_part(check->target, schema, token, &part) == PART_KNOWN)
            check_required(check, part, from, end, inside);
    }
}

void
mica_app_map_check(const struct mica_app_map *map, const char *pathz,
                   const char *whatz, const struct mica_json *target,
                   const struct mica_json *source, struct mica_arena *arena,
                   struct mica_app_findings *findings)
{
    const struct map_check check = {.map = map,
                                    .pathz = pathz,
                                    .whatz = whatz,
                                    .target = target,
                                    .source = source,
                                    .arena = arena,
                                    .findings = findings};

    for (size_t i = 0; i < map->count; i++)
        check_entry(&check, &map->entries[i]);
    // One entry for all gives what it gives.
    if (target == NULL || (map->count == 1 && map->entries[0].target.len == 0))
        return;
    check_required(&check, target, 0, map->count, 0);
}
