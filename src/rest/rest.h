// SPDX-License-Identifier: Apache-2.0
//
// The tools over plain HTTP and JSON, and the OpenAPI document of that. No I/O: a
// request becomes a message like one of MCP, with the same finding, scopes, limits
// and rounds, and is run in the same way (server/server.h). docs/rest.md describes it.
#ifndef MICA_REST_REST_H
#define MICA_REST_REST_H

#include "rest/problem_details.h"
#include "server/server.h"

// The form of failures at the endpoint of the message: that of apps at an endpoint of a
// source, and at every other the problem document.
enum mica_problem_form mica_rest_form(struct mica_message *message);

// Begins a message that came as one HTTP request to "/api", below it, or to
// "/openapi.json". Checks Host and Origin, method, media types, query and body.
// The request must live until the reply is done. Then as after mica_message_http.
void mica_rest_begin(struct mica_message *message,
                     const struct mica_http_allowed *allowed,
                     const struct mica_http_request *request);

struct mica_openapi {
    const char *url; // of the server, or NULL: where the document was found
    bool secured;    // it asks for access tokens
    // What is offered to the one who asks; NULL: all of the endpoint.
    const struct mica_catalog *catalog;
    // The request for the document: it decides which tools are in it. NULL: those for
    // programs are.
    const struct mica_message *message;
    enum mica_problem_form form; // of the failures that it describes
};

// The OpenAPI 3.1 document of what the endpoint offers, one line of JSON. Overflow
// is the buffer's.
void mica_openapi_write(const struct mica_endpoint *endpoint,
                        const struct mica_openapi *options,
                        struct mica_buffer *buffer);

#endif
