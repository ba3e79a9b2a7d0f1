// SPDX-License-Identifier: Apache-2.0
//
// Parts of the OpenAPI document: schemas of tools at a place of their own, and what
// is the same for every server.
#ifndef MICA_REST_OPENAPI_PARTS_H
#define MICA_REST_OPENAPI_PARTS_H

#include "rest/problem_details.h"
#include "server/server.h"

// A tool's schema, or a part of it, as it stands under components/schemas/`name`:
// a reference to its own root ("#/$defs/x") is one to there.
void mica_openapi_schema(const struct mica_json *schema, struct mica_text name,
                         struct mica_json_writer *writer);

// Members of an object, without its braces: schemas, responses and parameters that
// operations refer to, and the paths that are there whatever the tools are; `form` is that
// of failures; `calls`: some of them may ask.
void mica_openapi_common_schemas(enum mica_problem_form form,
                                 struct mica_json_writer *writer);
void mica_openapi_common_responses(enum mica_problem_form form,
                                   struct mica_json_writer *writer);
void mica_openapi_common_parameters(struct mica_json_writer *writer);
void mica_openapi_common_paths(bool calls, struct mica_json_writer *writer);

#endif
