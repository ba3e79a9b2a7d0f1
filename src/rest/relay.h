// SPDX-License-Identifier: Apache-2.0
//
// What the files of http_request share: requests that a host carries for its views
// (include/mica/mount.h). The arguments of the tool are read into a request
// (relay_request.c, relay_body.c), REST or a mount answers it (http_request_tool.c), and
// the response is written as the result (relay_response.c). Not for other folders.
#ifndef MICA_REST_RELAY_H
#define MICA_REST_RELAY_H

#include <mica/mount.h>

#include <stdatomic.h>

#include "server/server.h"

enum {
    MICA_RELAY_HEADERS = 32,           // of a request
    MICA_RELAY_HEADER_BYTES = 8 << 10, // of all names and values of a request
    MICA_RELAY_FIELDS = 256,           // of a form
    MICA_RELAY_BYTES = 4 << 20,        // of a body, decoded
    MICA_RELAY_REDIRECTS = 5,
    MICA_RELAY_BURST = 200, // requests of one caller at once
    MICA_RELAY_RATE = 50,   // and each second
    MICA_RELAY_BUCKETS = 1024
};

// How often a caller may send requests. Each bucket is the time at which it will be full, in
// milliseconds (GCRA). Callers whose hashes are the same share one. From any thread.
struct mica_relay_buckets {
    _Atomic(int64_t) full[MICA_RELAY_BUCKETS];
};

// Takes a request out of the caller's bucket. Returns 0, or the milliseconds until it may send
// one.
uint32_t mica_relay_wait(struct mica_relay_buckets *buckets,
                         const struct mica_caller *caller,
                         struct mica_text party, int64_t now);

// server->relay.
struct mica_relay {
    struct mica_server *server;
    const struct mica_mount *mounts[MICA_MOUNTS];
    size_t mount_count;
    bool offered; // http_request is a tool of /mcp
    struct mica_relay_buckets buckets;
};

enum mica_relay_redirect {
    MICA_REDIRECT_FOLLOW,
    MICA_REDIRECT_ERROR,
    MICA_REDIRECT_MANUAL
};

struct mica_relay_request {
    struct mica_http_request http;
    struct mica_header headers[MICA_RELAY_HEADERS + 1]; // of `http`
    const struct mica_mount *mount;                     // NULL: REST answers it
    enum mica_relay_redirect redirect;
    bool redirected;
};

// Finds what answers the path of the request. Errors: MICA_E_NOT_MOUNTED.
enum mica_status mica_relay_route(const struct mica_relay *relay,
                                  struct mica_relay_request *request,
                                  struct mica_error *error) MICA_MUST_USE;

// Reads the arguments of http_request. Owner: all texts are in `arena` or in the arguments.
// Errors: MICA_E_FORMAT, MICA_E_NOT_MOUNTED, MICA_E_METHOD, MICA_E_HEADER, MICA_E_LIMIT,
// MICA_E_TYPE.
enum mica_status mica_relay_read(const struct mica_relay *relay,
                                 const struct mica_json *arguments,
                                 struct mica_arena *arena,
                                 struct mica_error *error,
                                 struct mica_relay_request *request_out)
    MICA_MUST_USE;

// Reads `body` by `bodyType`. *type_out is the Content-Type of a request without one; for a
// form, of every request. Errors: MICA_E_FORMAT, MICA_E_TYPE, MICA_E_LIMIT.
enum mica_status
mica_relay_body(const struct mica_json *arguments, struct mica_arena *arena,
                struct mica_error *error, struct mica_text *body_out,
                struct mica_text *type_out, bool *is_form_out) MICA_MUST_USE;

// Removes the headers that are not carried to what answers the request now.
void mica_relay_limit_headers(struct mica_relay_request *request);

// Appends a header. Returns false if the request has as many as it may.
bool mica_relay_add(struct mica_relay_request *request, struct mica_text name,
                    struct mica_text value);

// May a handler read a header of that name (in lower case), whatever a mount says?
bool mica_relay_is_never(struct mica_text name);

// The Location of a response that redirects; empty: it does not.
struct mica_text mica_relay_location(const struct mica_http_response *response);

// Writes the result of http_request. Errors: MICA_E_LIMIT.
enum mica_status mica_relay_write(struct mica_call *call,
                                  const struct mica_relay_request *request,
                                  const struct mica_http_response *response,
                                  struct mica_json_writer *out) MICA_MUST_USE;

#endif
