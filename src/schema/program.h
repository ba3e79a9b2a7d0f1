// SPDX-License-Identifier: Apache-2.0
//
// A compiled schema: a graph of nodes, one for each schema that can be reached,
// in which references are pointers. What a node asks of a value is sorted by
// the kind of the value, so that the evaluator looks only at what applies.
// Everything here is read-only once compiled.
#ifndef MICA_SCHEMA_PROGRAM_H
#define MICA_SCHEMA_PROGRAM_H

#include <mica/schema.h>

#include "base/numeral.h"
#include "schema/pattern.h"
#include "schema/table.h"

// A set of kinds: a bit for each enum mica_json_kind, and one for the numbers
// that are whole.
enum {
    MICA_TYPES_WHOLE = 0x80,
    MICA_TYPES_BOOLEAN = 1 << MICA_JSON_FALSE | 1 << MICA_JSON_TRUE,
    MICA_TYPES_ALL = 0x7F
};

enum {
    MICA_NODE_LEAF = 1,   // asks for a type, and of strings and numbers
    MICA_NODE_TRACKS = 2, // has unevaluated…, so marks what was evaluated
    MICA_NODE_SCOPE = 4,  // has nothing but a step that enters a resource
    MICA_NODE_CHOICE = 8  // has an enum or a const and nothing else
};

// ---- What is asked of one kind of value ------------------------------------

// A bound on numbers. `number` is the keyword's value, NULL when absent.
struct mica_schema_bound {
    const struct mica_json *number;
    struct mica_numeral decimal;
};

struct mica_schema_numbers {
    struct mica_schema_bound minimum, exclusive_minimum;
    struct mica_schema_bound maximum, exclusive_maximum;
    // The same for whole numbers of up to 18 digits, when they can be said so.
    bool simple;
    int64_t least, most;
    const struct mica_json *multiple_of; // is factor × 10^exponent
    uint64_t factor;
    int64_t exponent;
};

struct mica_schema_format {
    const char *name;
    const char *sample; // for messages
    bool (*matches)(struct mica_text text);
};

struct mica_schema_texts {
    bool sized;         // either of these says something
    size_t least, most; // code points
    const struct mica_schema_pattern *pattern;
    const struct mica_schema_format *format;
};

struct mica_schema_items {
    size_t least, most;
    bool unique;
    size_t prefix_count;
    const struct mica_schema_node *const *prefix;
    const struct mica_schema_node *rest; // behind the prefix
    const char *rest_keywordz;
    const struct mica_schema_node *contains; // NULL: absent, as all here
    size_t contains_least, contains_most;
    const struct mica_schema_node *unevaluated;
};

struct mica_schema_property {
    struct mica_text name;
    struct mica_schema_key key;
    const struct mica_schema_node *node; // NULL: not among `properties`
    uint64_t required;                   // its bit, or 0
};

struct mica_schema_matching {
    const struct mica_schema_pattern *pattern;
    const struct mica_schema_node *node;
};

// dependentRequired: with the member `name` come `others`.
struct mica_schema_dependent {
    struct mica_text name;
    const struct mica_json *others; // an array of strings
    const char *keywordz;
};

struct mica_schema_members {
    bool sized;
    size_t least, most;
    struct mica_schema_table table; // names to indices of `properties`
    const struct mica_schema_property *properties;
    uint64_t required; // bits of all that must be there
    const struct mica_json *required_list;
    bool many_required; // more than there are bits: looked up
    bool few; // properties, and nothing else: they are looked for in the value
    bool few_alone; // and no sizes or dependents
    bool walk;      // there is something to ask of members
    size_t pattern_count;
    const struct mica_schema_matching *patterns;
    const struct mica_schema_node *additional;
    const char *additional_keywordz;
    const struct mica_schema_node *names;
    size_t dependent_count;
    const struct mica_schema_dependent *dependents;
    const struct mica_schema_node *unevaluated;
};

// enum and const.
struct mica_schema_choices {
    const struct mica_json *items;
    size_t count;
    uint8_t kinds;                  // of the items
    bool single;                    // one string
    struct mica_schema_key key;     // of it
    bool constant;                  // written as const
    struct mica_schema_table table; // of the strings, when there are many
    const struct mica_schema_choices *next; // const, when there is enum too
};

// ---- What is asked of any value --------------------------------------------

enum mica_schema_op {
    MICA_SCHEMA_OP_REF,      // node
    MICA_SCHEMA_OP_DYNAMIC,  // the node in `slot`, else node
    MICA_SCHEMA_OP_SCOPE,    // node, inside the resource `scope`
    MICA_SCHEMA_OP_ANY,      // nodes
    MICA_SCHEMA_OP_ONE,      // nodes
    MICA_SCHEMA_OP_NOT,      // node
    MICA_SCHEMA_OP_IF,       // node, then nodes[0], else nodes[1] (may be NULL)
    MICA_SCHEMA_OP_DEPENDENT // node, if the member `name` is there
};

// Alternatives that can be told apart by one member: each requires it to be one
// of some strings. `masks` has for each string the alternatives that allow it.
struct mica_schema_selector {
    struct mica_text name;
    struct mica_schema_table table;
    const uint64_t *masks;
};

// The dynamic anchors of one resource: which node goes into which slot.
struct mica_schema_scope {
    size_t count;
    const struct mica_schema_node **nodes;
    uint32_t *slots;
};

struct mica_schema_step {
    enum mica_schema_op op;
    uint32_t count; // of nodes
    uint32_t slot;
    const struct mica_schema_node *node;
    const struct mica_schema_node *const *nodes;
    const struct mica_schema_scope *scope;
    const struct mica_schema_selector *selector; // of ANY and ONE, or NULL
    struct mica_text name;
};

// Where schemas are told apart by URI. The root is what `#` means.
struct mica_schema_resource {
    struct mica_text uri;
    const struct mica_json *root;
    const struct mica_schema_resource *parent; // around it, or NULL
    unsigned vocabularies;
    struct mica_schema_anchor *dynamic_anchors; // newest first
    struct mica_schema_scope *scope;            // once it is needed
};

struct mica_schema_node {
    uint8_t types;
    uint8_t flags;
    uint8_t state; // for compiling
    uint32_t step_count;
    const struct mica_schema_choices *choices;
    const struct mica_schema_numbers *numbers;
    const struct mica_schema_texts *texts;
    const struct mica_schema_items *items;
    const struct mica_schema_members *members;
    struct mica_schema_step *steps; // written until all is compiled
    const struct mica_json *source; // the schema that it was made of
    const struct mica_schema_resource *resource;
    struct mica_schema_node *next;
};

struct mica_schema {
    const struct mica_schema_node *root;
    size_t slot_count;
    size_t regex_steps; // of the largest pattern without automaton
};

enum {
    MICA_SCHEMA_SLOTS = 64
};

extern const struct mica_schema_node mica_schema_anything;

// JSON Pointer from `root` to `value` inside it (both as they were read),
// appended.
void mica_schema_place(struct mica_buffer *pointer,
                       const struct mica_json *root,
                       const struct mica_json *value);

#endif
