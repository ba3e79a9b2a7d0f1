// SPDX-License-Identifier: Apache-2.0
//
// A request to /api/apps or /api/collections as an act: its path, method, query, body, If-Match, and whether
// the page that sends it may.
#ifndef MICA_HTTP_APP_REQUEST_H
#define MICA_HTTP_APP_REQUEST_H

#include <mica/http.h>

#include "publish/app_acts.h"

enum {
    MICA_APP_ALLOW_BYTES = 64 // of the methods of a path
};

struct mica_app_request {
    struct mica_act_request act;
    char allow
        [MICA_APP_ALLOW_BYTES]; // the methods of the path, after MICA_E_METHOD
};

// Does the request come from a page of this server, or from a program? `host` is the value
// of its Host, `origin` the scheme and host by which clients reach the server (or empty).
bool mica_app_request_same_site(const struct mica_http_request *request,
                                struct mica_text host, struct mica_text origin);

// Reads a request. `request->path` is without the base path;
// Owner: texts are in `arena` and in `request`.
// Errors: MICA_E_NOT_FOUND (no such path), MICA_E_METHOD, MICA_E_CROSS_SITE,
// MICA_E_MEDIA, MICA_E_CONFIG (the query, or If-Match).
enum mica_status
mica_app_request_read(const struct mica_http_request *request,
                      struct mica_text host, struct mica_text origin,
                      struct mica_arena *arena, struct mica_error *error,
                      struct mica_app_request *request_out) MICA_MUST_USE;

#endif
