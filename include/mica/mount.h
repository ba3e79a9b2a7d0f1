// SPDX-License-Identifier: Apache-2.0
//
// HTTP requests of views. A view runs without network, and its host carries calls of tools
// alone. So a server may offer the tool `http_request` to views (ext-apps PR #425), by which
// `fetch` in a view reaches the REST of the server (docs/rest.md) and what the program mounts:
//
//     static enum mica_status
//     answer(struct mica_call *call, void *context, const struct mica_http_request *request,
//            struct mica_http_response *response_out);
//
//     static const struct mica_mount graphql = {.path = "/graphql", .handle = answer};
//     mica_server_mount(server, &graphql, &error);
//
// Nothing else is reached: the tool opens no connection. Models never see it, and clients
// without views neither (mica/view.h). A request has the identity, the scopes and the rules
// of the client that calls the tool; it never carries Authorization, Cookie or Host.
// docs/views.md has the end of the view.
#ifndef MICA_MOUNT_H
#define MICA_MOUNT_H

#include <mica/server.h>

#pragma GCC visibility push(default)

// Longest path of a mount, mounts of one server, and further names of headers of one.
#define MICA_MOUNT_PATH_BYTES 128
#define MICA_MOUNTS           32
#define MICA_MOUNT_HEADERS    32

struct mica_mount {
    // "/graphql": this path, and those below it. At most 8 segments of A-Z a-z 0-9 _ . - ~,
    // of which the server itself must not answer the first (/api, /tools, …).
    const char *path;
    // Handles one request, on a worker. `request` has the method (GET, HEAD, POST, PUT, PATCH,
    // DELETE or OPTIONS), the path as it was resolved, the query, the headers that are carried,
    // the body and the caller. The response is zeroed; its status 0 means 200. Its texts live
    // as long as the call (mica_format, mica_alloc). Set-Cookie is not carried. A redirection
    // (status 301, 302, 303, 307 or 308 with a Location) leads to another mount or to REST.
    // A failure (mica_fail) rejects the fetch of the view.
    enum mica_status (*handle)(struct mica_call *call, void *context,
                               const struct mica_http_request *request,
                               struct mica_http_response *response_out);
    void *context; // for `handle`
    // Names of headers that the handler reads, in lower case, NULL-ended; beside those that
    // are always carried (docs/views.md). NULL: none. Never authorization, cookie or host.
    const char *const *headers;
    const char
        *scope; // scopes that a caller needs, separated by spaces; or NULL
};

// Offers http_request at /mcp, with the REST of the server. The tool is in lists while a tool
// with a view is. mica_endpoint_add_offered (mica/endpoint.h) offers it at another endpoint,
// whose REST it then reaches. Does nothing the second time. Call it before the server serves.
// Errors: MICA_E_EXISTS (the program has a tool of that name), MICA_E_LIMIT.
enum mica_status mica_server_use_http_request(struct mica_server *server,
                                              struct mica_error *error)
    MICA_MUST_USE;

// Mounts a handler, and offers http_request if it is not offered yet. Owner: `mount`, its
// texts and its context are the caller's and outlive the server. Call it before the server
// serves. Errors: MICA_E_USAGE (no handler, a wrong path or name), MICA_E_EXISTS (the path is
// mounted), MICA_E_LIMIT, and those of mica_server_use_http_request.
enum mica_status mica_server_mount(struct mica_server *server,
                                   const struct mica_mount *mount,
                                   struct mica_error *error) MICA_MUST_USE;

#pragma GCC visibility pop

#endif
