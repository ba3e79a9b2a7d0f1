// SPDX-License-Identifier: Apache-2.0
//
// An HTTP request and its response as values, for a program that has an HTTP server
// of its own (mica_server_handle in mica/server.h) and for mica's.
#ifndef MICA_HTTP_H
#define MICA_HTTP_H

#include <mica/base.h>

// Who calls: as the access token says, or all empty without authorization.
// Scopes are separated by spaces.
struct mica_principal {
    struct mica_text issuer, subject, scopes;
};

// One header of a request or response. The name's case does not matter.
struct mica_header {
    struct mica_text name, value;
};

// A request as it came. Borrowed for the call.
struct mica_http_request {
    struct mica_text method, path; // path without query
    const struct mica_header *headers;
    size_t header_count;
    struct mica_text body;
    // For mica_server_handle: the caller that the program has identified. NULL: it
    // identifies no callers, and every caller has each .scope.
    const struct mica_principal *principal;
    struct mica_text query; // what stands behind the "?", as it came; or empty
    // Where the client finds the paths of this server, for addresses in the reply.
    // `base` stands in front of each, "/tools/x", or is empty; `path` is without it.
    // At most 128 bytes: slashes, A-Z a-z 0-9 and - . _ ~
    struct mica_text base;
    // Scheme and host, "https://example.org"; or empty: as the client knows them.
    struct mica_text origin;
};

// What to answer. Owner: everything is in the arena given to the call.
struct mica_http_response {
    unsigned status;
    struct mica_header headers[16];
    size_t header_count;
    struct mica_text body;
};

// Which names may stand in Host and Origin, beside those of the loopback.
struct mica_http_allowed {
    const char *const *hosts;   // NULL-ended; "*" allows all
    const char *const *origins; // NULL-ended; "*" allows all
};

#endif
