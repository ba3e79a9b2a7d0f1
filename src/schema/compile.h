// SPDX-License-Identifier: Apache-2.0
//
// Compiling a schema, between its files:
//   document.c   reads documents; finds schemas, `$id` and anchors in them
//   reference.c  where a reference leads
//   dialect.c    `$schema` and `$vocabulary`
//   keyword.c    the table of keywords
//   compile.c    one node after the other, until all that is reached is there
//   compile_nodes.c    the node of a schema that something leads to
//   compile_refuse.c   refusals with their place
//   compile_values.c, compile_members.c, compile_steps.c   what nodes ask for
//   select.c     alternatives that one member tells apart
//   loops.c      schemas that would apply themselves to one value without end
#ifndef MICA_SCHEMA_COMPILE_H
#define MICA_SCHEMA_COMPILE_H

#include "schema/program.h"

// ---- Keywords --------------------------------------------------------------

enum mica_schema_vocabulary {
    MICA_VOCABULARY_CORE = 1,
    MICA_VOCABULARY_APPLICATOR = 2,
    MICA_VOCABULARY_UNEVALUATED = 4,
    MICA_VOCABULARY_VALIDATION = 8,
    MICA_VOCABULARY_FORMAT = 16,        // says nothing
    MICA_VOCABULARY_FORMAT_ASSERT = 32, // asserts
    MICA_VOCABULARY_STANDARD = 31
};

// What schemas a keyword's value has in it.
enum mica_schema_shape {
    MICA_SHAPE_NONE,
    MICA_SHAPE_SCHEMA,
    MICA_SHAPE_LIST,
    MICA_SHAPE_MAP,
    MICA_SHAPE_MIXED // a map of schemas and of other things (dependencies)
};

// X(symbol, name, shape, vocabulary), sorted by name.
#define MICA_SCHEMA_KEYWORDS(X)                                             \
    X(ANCHOR, "$anchor", NONE, CORE)                                        \
    X(DEFS, "$defs", MAP, CORE)                                             \
    X(DYNAMIC_ANCHOR, "$dynamicAnchor", NONE, CORE)                         \
    X(DYNAMIC_REF, "$dynamicRef", NONE, CORE)                               \
    X(ID, "$id", NONE, CORE)                                                \
    X(REF, "$ref", NONE, CORE)                                              \
    X(SCHEMA, "$schema", NONE, CORE)                                        \
    X(VOCABULARY, "$vocabulary", NONE, CORE)                                \
    X(ADDITIONAL_PROPERTIES, "additionalProperties", SCHEMA, APPLICATOR)    \
    X(ALL_OF, "allOf", LIST, APPLICATOR)                                    \
    X(ANY_OF, "anyOf", LIST, APPLICATOR)                                    \
    X(CONST, "const", NONE, VALIDATION)                                     \
    X(CONTAINS, "contains", SCHEMA, APPLICATOR)                             \
    X(DEFINITIONS, "definitions", MAP, CORE)                                \
    X(DEPENDENCIES, "dependencies", MIXED, APPLICATOR)                      \
    X(DEPENDENT_REQUIRED, "dependentRequired", NONE, VALIDATION)            \
    X(DEPENDENT_SCHEMAS, "dependentSchemas", MAP, APPLICATOR)               \
    X(ELSE, "else", SCHEMA, APPLICATOR)                                     \
    X(ENUM, "enum", NONE, VALIDATION)                                       \
    X(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", NONE, VALIDATION)              \
    X(EXCLUSIVE_MINIMUM, "exclusiveMinimum", NONE, VALIDATION)              \
    X(FORMAT, "format", NONE, FORMAT)                                       \
    X(IF, "if", SCHEMA, APPLICATOR)                                         \
    X(ITEMS, "items", SCHEMA, APPLICATOR)                                   \
    X(MAX_CONTAINS, "maxContains", NONE, VALIDATION)                        \
    X(MAX_ITEMS, "maxItems", NONE, VALIDATION)                              \
    X(MAX_LENGTH, "maxLength", NONE, VALIDATION)                            \
    X(MAX_PROPERTIES, "maxProperties", NONE, VALIDATION)                    \
    X(MAXIMUM, "maximum", NONE, VALIDATION)                                 \
    X(MIN_CONTAINS, "minContains", NONE, VALIDATION)                        \
    X(MIN_ITEMS, "minItems", NONE, VALIDATION)                              \
    X(MIN_LENGTH, "minLength", NONE, VALIDATION)                            \
    X(MIN_PROPERTIES, "minProperties", NONE, VALIDATION)                    \
    X(MINIMUM, "minimum", NONE, VALIDATION)                                 \
    X(MULTIPLE_OF, "multipleOf", NONE, VALIDATION)                          \
    X(NOT, "not", SCHEMA, APPLICATOR)                                       \
    X(ONE_OF, "oneOf", LIST, APPLICATOR)                                    \
    X(PATTERN, "pattern", NONE, VALIDATION)                                 \
    X(PATTERN_PROPERTIES, "patternProperties", MAP, APPLICATOR)             \
    X(PREFIX_ITEMS, "prefixItems", LIST, APPLICATOR)                        \
    X(PROPERTIES, "properties", MAP, APPLICATOR)                            \
    X(PROPERTY_NAMES, "propertyNames", SCHEMA, APPLICATOR)                  \
    X(REQUIRED, "required", NONE, VALIDATION)                               \
    X(THEN, "then", SCHEMA, APPLICATOR)                                     \
    X(TYPE, "type", NONE, VALIDATION)                                       \
    X(UNEVALUATED_ITEMS, "unevaluatedItems", SCHEMA, UNEVALUATED)           \
    X(UNEVALUATED_PROPERTIES, "unevaluatedProperties", SCHEMA, UNEVALUATED) \
    X(UNIQUE_ITEMS, "uniqueItems", NONE, VALIDATION)

enum mica_schema_keyword {
#define MICA_SCHEMA_SYMBOL(symbol, name, shape, vocabulary) MICA_KEY_##symbol,
    MICA_SCHEMA_KEYWORDS(MICA_SCHEMA_SYMBOL)
#undef MICA_SCHEMA_SYMBOL
    MICA_KEY_COUNT
};

// MICA_KEY_COUNT for a name that is no keyword.
enum mica_schema_keyword mica_schema_keyword(struct mica_text name);
const char *mica_schema_keyword_name(enum mica_schema_keyword keyword);
enum mica_schema_shape
mica_schema_keyword_shape(enum mica_schema_keyword keyword);
unsigned mica_schema_keyword_vocabulary(enum mica_schema_keyword keyword);

// ---- The compiler ----------------------------------------------------------

// A schema that was found in a document, and the node made of it.
struct mica_schema_spot {
    const struct mica_json *value;
    struct mica_schema_resource *resource;
    struct mica_schema_node *node;   // NULL until it is asked for
    struct mica_schema_node *scoped; // the same, entering its resource
    bool identified;                 // has its own `$id`
    bool named;                      // `dynamic` has been looked for
    struct mica_text dynamic;        // its own `$dynamicAnchor`, or {NULL, 0}
    // Of one that is nothing but a reference: where that leads, once it has been
    // followed, and with others like it skipped (compile_nodes.c).
    struct mica_schema_spot *leads;
};

// A `$dynamicAnchor` of a resource.
struct mica_schema_anchor {
    struct mica_text name;
    struct mica_schema_spot *spot;
    struct mica_schema_anchor *next;
};

struct mica_schema_work {
    struct mica_schema_spot *spot;
    struct mica_schema_work *next;
};

// Growing maps of the compiler: texts (URIs, URI#anchor) to things, and values
// to spots.
struct mica_schema_map {
    struct mica_schema_table table;
    void **things;
    size_t room;
};

struct mica_schema_compiler {
    struct mica_arena *arena;     // of the program
    struct mica_arena *temporary; // of the compiler
    struct mica_error *error;
    const struct mica_schema_options *options;
    const struct mica_json *root; // the document that is compiled
    size_t spot_limit;

    struct mica_schema_map resources, anchors;
    struct mica_schema_map objects;  // large ones that pointers lead through
    struct mica_schema_spot **spots; // by address, open addressing
    size_t spot_room, spot_count;
    bool *read; // which documents of the options are

    uint64_t pattern_budget; // for automata
    size_t regex_steps;      // of the largest pattern without automaton

    struct mica_text slot_names[MICA_SCHEMA_SLOTS];
    size_t slot_count;

    struct mica_schema_node *nodes;        // all, newest first
    struct mica_schema_work *first, *last; // spots whose node is empty yet
};

// A schema's keywords by their number, NULL where absent or where its dialect
// does not know them.
struct mica_schema_keys {
    const struct mica_schema_spot *spot;
    const struct mica_json *source;
    const struct mica_json *values[MICA_KEY_COUNT];
};

// Fails with the place of `value` in its document.
enum mica_status mica_schema_refuse(struct mica_schema_compiler *compiler,
                                    const struct mica_schema_resource *resource,
                                    const struct mica_json *value,
                                    enum mica_status status,
                                    const char *formatz, ...) MICA_PRINTF(5, 6);
enum mica_status mica_schema_no_memory(struct mica_schema_compiler *compiler);

// ---- document.c ------------------------------------------------------------

// Reads a document and finds the schemas in it. `uri` is where it was found.
enum mica_status
mica_schema_document_read(struct mica_schema_compiler *compiler,
                          struct mica_text uri, struct mica_text text,
                          struct mica_schema_spot **spot_out) MICA_MUST_USE;

// Finds the schemas in a value of a resource, itself being one.
enum mica_status mica_schema_scan(struct mica_schema_compiler *compiler,
                                  const struct mica_json *value,
                                  struct mica_schema_resource *resource)
    MICA_MUST_USE;

// The spot of a value, or NULL.
struct mica_schema_spot *
mica_schema_spot_find(const struct mica_schema_compiler *compiler,
                      const struct mica_json *value);

// A map's thing of that name, or NULL; and adding one, false when there is no
// memory. The name must live as long as the map.
void *mica_schema_map_get(const struct mica_schema_map *map,
                          struct mica_text name);
bool mica_schema_map_add(struct mica_schema_map *map, struct mica_arena *arena,
                         struct mica_text name, void *thing);

// "URI#name" as one text, for the map of anchors; {NULL, 0} without memory.
struct mica_text mica_schema_anchor_key(struct mica_arena *arena,
                                        struct mica_text uri,
                                        struct mica_text name);

// ---- reference.c, dialect.c ------------------------------------------------

// Where `reference` (a string in `resource`) leads. `*anchor_out` is the name
// when it leads there by that `$dynamicAnchor`, else {NULL, 0}.
enum mica_status mica_schema_follow(struct mica_schema_compiler *compiler,
                                    struct mica_schema_resource *resource,
                                    const struct mica_json *reference,
                                    struct mica_schema_spot **spot_out,
                                    struct mica_text *anchor_out) MICA_MUST_USE;

// The resource of an absolute URI, read if need be; NULL: it is not there.
enum mica_status mica_schema_resource_find(
    struct mica_schema_compiler *compiler, struct mica_text uri,
    struct mica_schema_resource **resource_out) MICA_MUST_USE;

// Obeys the `$schema` of a resource's root.
enum mica_status mica_schema_dialect(struct mica_schema_compiler *compiler,
                                     struct mica_schema_resource *resource)
    MICA_MUST_USE;

// The text of a metaschema that is inside mica, or {NULL, 0}.
struct mica_text mica_schema_metaschema(struct mica_text uri);

// ---- compile_nodes.c, and the parts of a node -------------------------------

// The node of a schema, seen from a resource: it may enter another one. The node
// may be filled later.
enum mica_status mica_schema_node_of(struct mica_schema_compiler *compiler,
                                     struct mica_schema_spot *spot,
                                     const struct mica_schema_resource *from,
                                     const struct mica_schema_node **node_out)
    MICA_MUST_USE;

// The same for a keyword's value; refuses what is no schema.
enum mica_status mica_schema_child(struct mica_schema_compiler *compiler,
                                   const struct mica_schema_keys *keys,
                                   const struct mica_json *value,
                                   const struct mica_schema_node **node_out)
    MICA_MUST_USE;

// For an array of schemas that is not empty.
enum mica_status mica_schema_children(
    struct mica_schema_compiler *compiler, const struct mica_schema_keys *keys,
    enum mica_schema_keyword keyword,
    const struct mica_schema_node *const **nodes_out) MICA_MUST_USE;

// The number of a dynamic anchor's slot.
enum mica_status mica_schema_slot_of(struct mica_schema_compiler *compiler,
                                     const struct mica_schema_keys *keys,
                                     struct mica_text name, uint32_t *slot_out)
    MICA_MUST_USE;

// Each fills its part of the node.
typedef enum mica_status mica_schema_part(struct mica_schema_compiler *compiler,
                                          const struct mica_schema_keys *keys,
                                          struct mica_schema_node *node);
mica_schema_part mica_schema_compile_types, mica_schema_compile_choices,
    mica_schema_compile_numbers, mica_schema_compile_texts,
    mica_schema_compile_items, mica_schema_compile_members,
    mica_schema_compile_steps;

// A count of a keyword: a whole number from 0, SIZE_MAX when larger than that.
enum mica_status mica_schema_compile_count(
    struct mica_schema_compiler *compiler, const struct mica_schema_keys *keys,
    enum mica_schema_keyword keyword, size_t *count_out) MICA_MUST_USE;

// A pattern, which stands at `value`.
enum mica_status mica_schema_compile_pattern(
    struct mica_schema_compiler *compiler, const struct mica_schema_keys *keys,
    const struct mica_json *value, struct mica_text source,
    const struct mica_schema_pattern **pattern_out) MICA_MUST_USE;

enum mica_status mica_schema_check_loops(struct mica_schema_compiler *compiler)
    MICA_MUST_USE;

enum mica_status
mica_schema_add_selectors(struct mica_schema_compiler *compiler) MICA_MUST_USE;

// The format of that name, or NULL; by name for the evaluator.
const struct mica_schema_format *mica_schema_format_find(struct mica_text name);

#endif
