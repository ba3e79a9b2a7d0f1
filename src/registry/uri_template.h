// SPDX-License-Identifier: Apache-2.0
//
// Matches URIs with URI templates (RFC 6570, levels 1 to 3), and finds the values of the
// variables. A template is compiled once. The matcher reads a URI once, from left to
// right. If several matches are possible, each variable gets the shortest value, but the
// end of the template must match the end of the URI. The compiler refuses templates that
// cannot be matched that way.
//
//     {a}  {a,b}     one segment of a path, or a part of it
//     {+a}           several segments; never a `?` or `#`
//     {/a,b} {.a,b} {;a,b}   each with its mark before it; may be absent
//     {?a,b} {&a,b}  of the query, in any order; may be absent
//     {#a}           the fragment; may be absent
#ifndef MICA_REGISTRY_URI_TEMPLATE_H
#define MICA_REGISTRY_URI_TEMPLATE_H

#include <mica/base.h>

// Longest URI that is compared with templates.
#define MICA_TEMPLATE_URI_BYTES 8192

// Most variables of a template: as many as a record has fields.
#define MICA_TEMPLATE_VARIABLES 48

// A variable, in the order of the template.
struct mica_variable {
    struct mica_text name;
    char mark;     // the operator of its expression, or 0
    bool optional; // the variable and its mark may be absent
};

struct mica_template {
    const struct mica_variable *variables;
    size_t variable_count;
    const struct mica_part *parts; // of the path, before query and fragment
    size_t part_count;
    struct mica_text end;           // literal at the end of the path, or empty
    size_t query_from, query_count; // variables {?} and {&}; count 0: none
    size_t matrix_count;            // variables {;}: the last of the path
    size_t continued;  // {&}: bytes of the last literal from its `?` on; or 0
    bool has_fragment; // the last variable is {#}
};

// A literal, or a variable with the byte that comes before it.
struct mica_part {
    struct mica_text literal; // empty: a variable
    size_t variable;
    char before; // '/', '.', ',' or ';'; 0: nothing
};

// Compiles `text`, which must outlive the template. Errors: MICA_E_USAGE; its message shows
// the wrong expression.
enum mica_status mica_template_compile(struct mica_arena *arena,
                                       struct mica_text text,
                                       struct mica_error *error,
                                       struct mica_template *template_out)
    MICA_MUST_USE;

// Returns true if `uri` matches; `values_out` (variable_count elements) then has the
// decoded values, with ptr NULL for an absent variable. Returns false for a value with a
// `.` or `..` segment, an encoded slash in a variable of one segment, a {+a} that begins
// with a slash, U+0000, invalid UTF-8, and for want of memory. Owner: values are in
// `arena`, or slices of `uri`.
bool mica_template_match(const struct mica_template *template,
                         struct mica_text uri, struct mica_arena *arena,
                         struct mica_text *values_out);

#endif
