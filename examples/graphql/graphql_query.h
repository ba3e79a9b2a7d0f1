// SPDX-License-Identifier: Apache-2.0
//
// Reads one GraphQL document into a tree of fields: a query or a mutation with selection
// sets, arguments, and variables, each with its value. It knows a subset of the language and
// refuses the rest by name: aliases, fragments, directives, subscriptions, default values,
// lists, objects, enum values and block strings.
#ifndef GRAPHQL_QUERY_H
#define GRAPHQL_QUERY_H

#include <mica/json.h>

#define GRAPHQL_BYTES     4096 // of a document
#define GRAPHQL_DEPTH     6    // selection sets in one another
#define GRAPHQL_FIELDS    64   // of a document
#define GRAPHQL_ARGUMENTS 4    // of a field
#define GRAPHQL_VARIABLES 8    // of an operation

struct graphql_argument {
    struct mica_text name;
    struct mica_json value;
    struct mica_text type; // of the variable that it came from: "ID"; or empty
};

struct graphql_field {
    struct mica_text name; // {NULL, 0} for none
    struct graphql_argument arguments[GRAPHQL_ARGUMENTS];
    size_t argument_count;
    struct graphql_field *selection; // the first field below this one, or NULL
    struct graphql_field *next;      // its neighbor, or NULL
};

struct graphql_query {
    bool is_mutation;
    struct mica_text name; // or empty
    struct graphql_field *selection;
};

// What is wrong with a document, as `extensions.code` and `message` of a reply. `at` is the
// byte at fault.
struct graphql_fault {
    const char
        *code; // GRAPHQL_PARSE_FAILED or LIMIT_EXCEEDED; the caller has more
    char message[160];
    size_t at;
};

// Reads `text`. `variables` is an object, or NULL. Returns false with what is wrong.
// Owner: the tree is in `arena`; its names point into `text`.
bool graphql_read(struct mica_arena *arena, struct mica_text text,
                  const struct mica_json *variables,
                  struct graphql_query *query_out,
                  struct graphql_fault *fault_out);

// Writes a fault. Always returns false.
bool graphql_fail(struct graphql_fault *fault, const char *code, size_t at,
                  const char *format, ...) MICA_PRINTF(4, 5);

#endif
