// SPDX-License-Identifier: Apache-2.0
//
// What a schema asks of the members of an object. Properties and required names
// are in one table, so that a member is looked up once.
#include "schema/compile.h"

enum {
    BITS = 64,
    FEW_REQUIRED = 4, // that are looked for one by one
    FEW = 5           // properties that are
};

static enum mica_status
schema_compiler_wrong(struct mica_schema_compiler *compiler,
                      const struct mica_schema_keys *keys,
                      const struct mica_json *value, const char *messagez)
{
    return mica_schema_refuse(compiler, keys->spot->resource, value,
                              MICA_E_USAGE, "%s", messagez);
}

static enum mica_status
check_names(struct mica_schema_compiler *compiler,
            const struct mica_schema_keys *keys, const struct mica_json *list,
            const char *messagez)
{
    if (list->kind != MICA_JSON_ARRAY)
        return schema_compiler_wrong(compiler, keys, list, messagez);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind != MICA_JSON_STRING)
            return schema_compiler_wrong(compiler, keys, &list->items[i],
                                         messagez);
    return MICA_OK;
}

// ---- properties and required -----------------------------------------------

static enum mica_status
add_properties(struct mica_schema_compiler *compiler,
               const struct mica_schema_keys *keys,
               struct mica_schema_members *members,
               struct mica_schema_property *properties)
{
    const struct mica_json *map = keys->values[MICA_KEY_PROPERTIES];
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        struct mica_schema_property *property = &properties[i];
        property->name = map->members[i].name;
        MICA_TRY(mica_schema_child(compiler, keys, &map->members[i].value,
                                   &property->node));
        mica_schema_table_add(&members->table, property->name, (uint32_t)i);
    }
    return MICA_OK;
}

static void
add_required(const struct mica_json *required,
             struct mica_schema_members *members,
             struct mica_schema_property *properties)
{
    members->required_list = required;
    members->many_required =
        required->count > BITS ||
        (!members->walk && required->count <= FEW_REQUIRED);
    if (members->many_required)
        return;
    members->walk = required->count > 0;
    for (size_t i = 0; i < required->count; i++) {
        struct mica_text name = required->items[i].text;
        uint32_t index =
            mica_schema_table_add(&members->table, name, members->table.count);
        properties[index].name = name;
        properties[index].required |= UINT64_C(1) << i;
        members->required |= UINT64_C(1) << i;
    }
}

static enum mica_status
compile_properties(struct mica_schema_compiler *compiler,
                   const struct mica_schema_keys *keys,
                   struct mica_schema_members *members)
{
    const struct mica_json *map = keys->values[MICA_KEY_PROPERTIES];
    const struct mica_json *required = keys->values[MICA_KEY_REQUIRED];
    if (map != NULL && map->kind != MICA_JSON_OBJECT)
        return schema_compiler_wrong(compiler, keys, map,
                                     "properties must be an object of schemas");
    if (required != NULL)
        MICA_TRY(check_names(compiler, keys, required,
                             "required must be an array of names"));
    size_t count = (map != NULL ? map->count : 0) +
                   (required != NULL ? required->count : 0);
    struct mica_schema_property *properties =
        mica_arena_zero(compiler->arena, count, sizeof *properties);
    if (properties == NULL ||
        !mica_schema_table_init(&members->table, compiler->arena, count))
        return mica_schema_no_memory(compiler);
    members->properties = properties;
    bool alone = !members->walk;
    members->walk = members->walk || (map != NULL && map->count > 0);
    MICA_TRY(add_properties(compiler, keys, members, properties));
    if (required != NULL)
        add_required(required, members, properties);
    members->few = alone && members->walk && members->table.count <= FEW;
    for (size_t i = 0; i < members->table.count; i++)
        properties[i].key = mica_schema_key(properties[i].name);
    return MICA_OK;
}

// ---- The others ------------------------------------------------------------

static enum mica_status
compile_patterns(struct mica_schema_compiler *compiler,
                 const struct mica_schema_keys *keys,
                 struct mica_schema_members *members)
{
    const struct mica_json *map = keys->values[MICA_KEY_PATTERN_PROPERTIES];
    if (map == NULL)
        return MICA_OK;
    if (map->kind != MICA_JSON_OBJECT)
        return schema_compiler_wrong(
            compiler, keys, map,
            "patternProperties must be an object of schemas");
    struct mica_schema_matching *patterns =
        mica_arena_zero(compiler->arena, map->count, sizeof *patterns);
    if (patterns == NULL)
        return mica_schema_no_memory(compiler);
    members->patterns = patterns;
    members->pattern_count = map->count;
    members->walk = members->walk || map->count > 0;
    for (size_t i = 0; i < map->count; i++) {
        MICA_TRY(mica_schema_compile_pattern(
            compiler, keys, &map->members[i].value, map->members[i].name,
            &patterns[i].pattern));
        MICA_TRY(mica_schema_child(compiler, keys, &map->members[i].value,
                                   &patterns[i].node));
    }
    return MICA_OK;
}

// dependentRequired, and those of `dependencies` that are lists of names.
static enum mica_status
compile_dependents(struct mica_schema_compiler *compiler,
                   const struct mica_schema_keys *keys,
                   struct mica_schema_members *members)
{
    static const enum mica_schema_keyword keywords[] = {
        MICA_KEY_DEPENDENT_REQUIRED, MICA_KEY_DEPENDENCIES};
    size_t count = 0;
    for (size_t k = 0; k < MICA_COUNT(keywords); k++) {
        const struct mica_json *map = keys->values[keywords[k]];
        if (map != NULL && map->kind != MICA_JSON_OBJECT)
            return schema_compiler_wrong(
                compiler, keys, map,
                "dependentRequired and dependencies must be objects");
        count += map != NULL ? map->count : 0;
    }
    struct mica_schema_dependent *dependents =
        mica_arena_zero(compiler->arena, count, sizeof *dependents);
    if (dependents == NULL)
        return mica_schema_no_memory(compiler);
    members->dependents = dependents;
    for (size_t k = 0; k < MICA_COUNT(keywords); k++) {
        const struct mica_json *map = keys->values[keywords[k]];
        for (size_t i = 0; map != NULL && i < map->count; i++) {
            const struct mica_json *others = &map->members[i].value;
            if (k == 1 && others->kind != MICA_JSON_ARRAY)
                continue;
            MICA_TRY(check_names(compiler, keys, others,
                                 "a name depends on an array of names"));
            dependents[members->dependent_count++] =
                (struct mica_schema_dependent){
                    map->members[i].name, others,
                    mica_schema_keyword_name(keywords[k])};
        }
    }
    return MICA_OK;
}

// A schema that is a keyword's value, or NULL.
static enum mica_status
compile_child(struct mica_schema_compiler *compiler,
              const struct mica_schema_keys *keys,
              enum mica_schema_keyword keyword,
              const struct mica_schema_node **node_out)
{
    if (keys->values[keyword] == NULL)
        return MICA_OK;
    return mica_schema_child(compiler, keys, keys->values[keyword], node_out);
}

// Whether other schemas are applied to the same value, which may evaluate parts
// of it.
static bool
applies_others(const struct mica_schema_node *node)
{
    for (size_t i = 0; i < node->step_count; i++)
        if (node->steps[i].op != MICA_SCHEMA_OP_NOT)
            return true;
    return false;
}

static enum mica_status
compile_unevaluated(struct mica_schema_compiler *compiler,
                    const struct mica_schema_keys *keys,
                    struct mica_schema_node *node,
                    struct mica_schema_members *members)
{
    members->additional_keywordz = "additionalProperties";
    MICA_TRY(compile_child(compiler, keys, MICA_KEY_UNEVALUATED_PROPERTIES,
                           &members->unevaluated));
    if (members->unevaluated == NULL)
        return MICA_OK;
    if (members->additional != NULL) {
        members->unevaluated = NULL;
    } else if (!applies_others(node)) {
        members->additional = members->unevaluated;
        members->additional_keywordz = "unevaluatedProperties";
        members->unevaluated = NULL;
    } else {
        node->flags |= MICA_NODE_TRACKS;
    }
    return MICA_OK;
}

enum mica_status
mica_schema_compile_members(struct mica_schema_compiler *compiler,
                            const struct mica_schema_keys *keys,
                            struct mica_schema_node *node)
{
    struct mica_schema_members members = {.most = SIZE_MAX};
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MIN_PROPERTIES,
                                       &members.least));
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MAX_PROPERTIES,
                                       &members.most));
    MICA_TRY(compile_child(compiler, keys, MICA_KEY_ADDITIONAL_PROPERTIES,
                           &members.additional));
    MICA_TRY(
        compile_child(compiler, keys, MICA_KEY_PROPERTY_NAMES, &members.names));
    MICA_TRY(compile_unevaluated(compiler, keys, node, &members));
    members.walk = members.additional != NULL || members.names != NULL;
    MICA_TRY(compile_patterns(compiler, keys, &members));
    MICA_TRY(compile_properties(compiler, keys, &members));
    MICA_TRY(compile_dependents(compiler, keys, &members));
    if (!members.walk && members.required_list == NULL &&
        members.dependent_count == 0 && members.least == 0 &&
        members.most == SIZE_MAX && members.unevaluated == NULL)
        return MICA_OK;
    members.sized = members.least > 0 || members.most != SIZE_MAX;
    members.few_alone = members.few && members.dependent_count == 0 &&
                        !members.sized && !members.many_required;
    struct mica_schema_members *kept =
        mica_arena_alloc(compiler->arena, sizeof *kept);
    if (kept == NULL)
        return mica_schema_no_memory(compiler);
    *kept = members;
    node->members = kept;
    return MICA_OK;
}
