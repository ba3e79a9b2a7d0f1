// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a tool that clients repeat in headers (x-mcp-header, SEP-2243).
#ifndef MICA_REGISTRY_HEADER_PARAMS_H
#define MICA_REGISTRY_HEADER_PARAMS_H

#include <mica/http.h>

#include "protocol/problem.h"
#include "registry/definition.h"

// An argument of a tool that clients repeat in a header Mcp-Param-<name>.
struct mica_param {
    struct mica_param *next;
    struct mica_text name;    // of the header, after "Mcp-Param-"
    struct mica_text pointer; // to the argument, RFC 6901
    enum mica_param_kind {
        MICA_PARAM_STRING,
        MICA_PARAM_INTEGER,
        MICA_PARAM_BOOLEAN
    } kind;
};

// Finds every x-mcp-header of a tool's input schema. Errors: MICA_E_USAGE (an invalid or
// duplicate name, a place or a type that may not have one).
enum mica_status mica_params_define(struct mica_definition *definition,
                                    struct mica_error *error) MICA_MUST_USE;

// Compares the headers of a request with the arguments (NULL: none). Returns false if one
// differs; *problem then tells which. Quoted values are decoded in `arena`.
bool mica_params_check(const struct mica_param *params,
                       const struct mica_http_request *request,
                       const struct mica_json *arguments,
                       struct mica_arena *arena, struct mica_problem *problem);

#endif
