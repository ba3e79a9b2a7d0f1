// SPDX-License-Identifier: Apache-2.0
//
// Compiling: a node for each schema that is reached from the root, one after the
// other from a list, so that long chains of references need no stack.
#include "schema/compile.h"

#include "schema/uri.h"

enum {
    SUBSCHEMAS = 100000,
    TEMPORARY_BYTES = 64 << 20,     // that many were seen to take 56
    PATTERN_WORK = 50 * 1000 * 1000 // a tenth of a second
};

static enum mica_status
fill_node(struct mica_schema_compiler *compiler,
          const struct mica_schema_spot *spot)
{
    static mica_schema_part *const parts[] = {
        mica_schema_compile_types,   mica_schema_compile_choices,
        mica_schema_compile_numbers, mica_schema_compile_texts,
        mica_schema_compile_steps,   mica_schema_compile_items,
        mica_schema_compile_members};
    struct mica_schema_node *node = spot->node;
    struct mica_schema_keys keys = {.spot = spot, .source = spot->value};
    if (spot->value->kind == MICA_JSON_FALSE) {
        node->types = 0;
        node->flags = MICA_NODE_LEAF;
        return MICA_OK;
    }
    for (size_t i = 0; i < spot->value->count; i++) {
        const struct mica_json_member *member = &spot->value->members[i];
        enum mica_schema_keyword keyword = mica_schema_keyword(member->name);
        if (keyword != MICA_KEY_COUNT &&
            (spot->resource->vocabularies &
             mica_schema_keyword_vocabulary(keyword)) != 0)
            keys.values[keyword] = &member->value;
    }
    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        MICA_TRY(parts[i](compiler, &keys, node));
    if (node->items != NULL || node->members != NULL || node->step_count > 0)
        return MICA_OK;
    if (node->choices == NULL)
        node->flags |= MICA_NODE_LEAF;
    else if (node->choices->next == NULL && node->numbers == NULL &&
             node->texts == NULL && (node->choices->kinds & ~node->types) == 0)
        node->flags |= MICA_NODE_CHOICE;
    return MICA_OK;
}

static enum mica_status
schema_compile(struct mica_schema_compiler *compiler, struct mica_text text,
               struct mica_schema *schema)
{
    struct mica_schema_spot *root;
    const struct mica_schema_options *options = compiler->options;
    struct mica_text fragment;
    struct mica_text uri =
        mica_uri_resolve(compiler->temporary, (struct mica_text){NULL, 0},
                         options->uri, &fragment);
    compiler->read =
        mica_arena_zero(compiler->temporary, options->document_count + 1, 1);
    if (compiler->read == NULL || uri.ptr == NULL)
        return mica_schema_no_memory(compiler);
    MICA_TRY(mica_schema_document_read(compiler, uri, text, &root));
    MICA_TRY(mica_schema_node_of(compiler, root, NULL, &schema->root));
    for (; compiler->first != NULL; compiler->first = compiler->first->next)
        MICA_TRY(fill_node(compiler, compiler->first->spot));
    schema->slot_count = compiler->slot_count;
    schema->regex_steps = compiler->regex_steps;
    MICA_TRY(mica_schema_check_loops(compiler));
    return mica_schema_add_selectors(compiler);
}

// The cap of what is needed only while compiling: it grows with the subschemas
// that the caller allows.
static size_t
temporary_bytes(size_t subschemas)
{
    size_t times = subschemas > 0 ? (subschemas - 1) / SUBSCHEMAS + 1 : 1;
    return times <= SIZE_MAX / TEMPORARY_BYTES ? times * TEMPORARY_BYTES
                                               : SIZE_MAX;
}

enum mica_status
mica_schema_compile(struct mica_arena *arena, struct mica_text text,
                    const struct mica_schema_options *options,
                    struct mica_error *error, struct mica_schema **schema_out)
{
    static const struct mica_schema_options defaults;
    struct mica_arena temporary;
    struct mica_error unseen = {.status = MICA_OK};
    if (options == NULL)
        options = &defaults;
    mica_arena_init(&temporary, temporary_bytes(options->subschemas));
    struct mica_schema_compiler compiler = {
        .arena = arena,
        .temporary = &temporary,
        .error = error != NULL ? error : &unseen,
        .options = options,
        .pattern_budget = PATTERN_WORK,
        .spot_limit =
            options->subschemas != 0 ? options->subschemas : SUBSCHEMAS};
    struct mica_schema *schema = mica_arena_zero(arena, 1, sizeof *schema);
    enum mica_status status = schema != NULL
                                  ? schema_compile(&compiler, text, schema)
                                  : mica_schema_no_memory(&compiler);
    mica_arena_fini(&temporary);
    if (status == MICA_OK)
        *schema_out = schema;
    return status;
}
