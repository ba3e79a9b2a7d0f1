// SPDX-License-Identifier: Apache-2.0
//
// An HTTP request and its response as values: for a program with an HTTP server of
// its own (mica_server_handle in mica/server.h), and for mica's server.
#ifndef MICA_HTTP_H
#define MICA_HTTP_H

#include <mica/base.h>

// The identity of a caller, from its access token. All texts are empty without
// authorization. Scopes are separated by spaces.
struct mica_principal {
    struct mica_text issuer, subject, scopes;
};

// One header of a request or response. The name's case does not matter.
struct mica_header {
    struct mica_text name, value;
};

// A request. The caller of mica keeps the texts until the call returns.
struct mica_http_request {
    struct mica_text method, path; // path without query
    const struct mica_header *headers;
    size_t header_count;
    struct mica_text body;
    // For mica_server_handle: the identity of the caller, which the program has
    // checked. NULL: the program checks none, and every caller has each .scope.
    const struct mica_principal *principal;
    struct mica_text query; // after the "?", not decoded; or empty
    // The base path of this server, "/tools/x", which mica writes in front of each path
    // in the reply; or empty. `path` is without it. At most 128 bytes: slashes,
    // A-Z a-z 0-9 and - . _ ~
    struct mica_text base;
    // Scheme and host, "https://example.org", for addresses in the reply. Empty: mica
    // writes addresses without them.
    struct mica_text origin;
};

// A response. Owner: all texts are in the arena that the caller passed.
struct mica_http_response {
    unsigned status;
    struct mica_header headers[16];
    size_t header_count;
    struct mica_text body;
};

// The names that Host and Origin may have besides those of the loopback.
struct mica_http_allowed {
    const char *const *hosts;   // NULL-ended; "*" allows all
    const char *const *origins; // NULL-ended; "*" allows all
};

#endif
