// SPDX-License-Identifier: Apache-2.0
//
// Endpoints: more places than /mcp where clients connect to one server. Each has a name,
// instructions and tools of its own, its own path over HTTP, and clients of its own: a
// session, a call, a cursor or a state of one endpoint is unknown at every other.
//
//     struct mica_endpoint_draft *draft;
//     struct mica_endpoint_options options = {.key = "app/weather",
//                                             .path = "/servers/weather",
//                                             .name = "weather", .version = "1"};
//     mica_endpoint_begin(server, &options, &error, &draft);
//     mica_endpoint_add_tool(draft, &mica_tool_forecast, NULL, &error);
//     mica_endpoint_publish(&draft, &error);   // /servers/weather/mcp answers
//
// A draft is made, and then published as a whole: no client sees half of one. To
// change an endpoint, publish another draft with its key. Messages that have begun end
// with what they began with, and listeners are told that the lists have changed.
//
// A program that hands requests to mica_server_handle itself hands those of endpoints to
// it, too; once it has published one, /mcp has the paths /mcp, /api and /openapi.json
// alone.
//
// Threads: a draft belongs to one thread at a time. Publishing and withdrawing may be
// done from any number of threads, while the server serves, too.
#ifndef MICA_ENDPOINT_H
#define MICA_ENDPOINT_H

#include <mica/server.h>

#pragma GCC visibility push(default)

// Longest key and longest path, and the segments of a path.
#define MICA_ENDPOINT_KEY_BYTES     128
#define MICA_ENDPOINT_PATH_BYTES    128
#define MICA_ENDPOINT_PATH_SEGMENTS 8

struct mica_endpoint_draft;

// Who the endpoint says it is, and the rules of its lists. 0 takes the default. Texts
// are copied.
struct mica_endpoint_options {
    // What sessions, calls and states are bound to: 1 to 128 of A-Z a-z 0-9 _ . - /
    // Never give it to another endpoint, as that would take over what this one's
    // clients have.
    const char *key;
    // "/servers/weather": MCP is then at /servers/weather/mcp, REST at
    // /servers/weather/api. At most 8 segments of A-Z a-z 0-9 _ . - ~, of which the
    // server itself must not answer the first (/api, /tools, …). Where the server has a
    // base path (.base_path in struct mica_http_options), neither may lie below the
    // other: a proxy may have taken the base path off.
    const char *path;
    const char *name, *version; // required
    const char *title, *description, *website_url;
    const char *instructions; // for the agent, on how the tools go together
    const struct mica_icon *icons;
    size_t icon_count;
    const char *scope;    // scopes that every caller needs, separated by spaces
    uint32_t list_ttl_ms; // as in struct mica_server_options
    size_t page_items;
    bool list_all;
};

// A draft without tools. Owner: the caller, until it is published or discarded; the
// server must outlive it. Errors: MICA_E_USAGE (key, path, name or version is missing or
// not as above), MICA_E_LIMIT.
enum mica_status
mica_endpoint_begin(struct mica_server *server,
                    const struct mica_endpoint_options *options,
                    struct mica_error *error,
                    struct mica_endpoint_draft **draft_out) MICA_MUST_USE;

// Each adds what the function of that name in mica/server.h does, with its errors.
enum mica_status mica_endpoint_add_tool(struct mica_endpoint_draft *draft,
                                        const struct mica_tool *tool,
                                        void *user, struct mica_error *error)
    MICA_MUST_USE;
enum mica_status mica_endpoint_add_engine(struct mica_endpoint_draft *draft,
                                          const struct mica_engine *engine,
                                          struct mica_error *error)
    MICA_MUST_USE;
enum mica_status
mica_endpoint_add_resource(struct mica_endpoint_draft *draft,
                           const struct mica_resource *resource, void *user,
                           struct mica_error *error) MICA_MUST_USE;
enum mica_status mica_endpoint_add_prompt(struct mica_endpoint_draft *draft,
                                          const struct mica_prompt *prompt,
                                          void *user, struct mica_error *error)
    MICA_MUST_USE;

// Adds what /mcp offers by that name, URI or template now, for example an engine of
// mica_server_load_engines. Both share it. Errors: MICA_E_NOT_FOUND, MICA_E_EXISTS,
// MICA_E_LIMIT.
enum mica_status mica_endpoint_add_offered(struct mica_endpoint_draft *draft,
                                           enum mica_definition_kind kind,
                                           const char *key,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Serves the draft from now on, in place of the endpoint that has its key, and sets
// *draft to NULL, also when it fails. Errors: MICA_E_EXISTS (another endpoint has the
// path), MICA_E_USAGE (the base path is the path, below it or above it), MICA_E_LIMIT (no
// memory, or 100,000 endpoints).
enum mica_status mica_endpoint_publish(struct mica_endpoint_draft **draft,
                                       struct mica_error *error) MICA_MUST_USE;

// Frees a draft and sets *draft to NULL. NULL is allowed.
void mica_endpoint_discard(struct mica_endpoint_draft **draft);

// Serves that endpoint no more: its paths answer 404, and clients that listen there are
// told that the lists have changed. What its clients have is kept until it expires, and
// found again by an endpoint that is published with the key.
// Errors: MICA_E_NOT_FOUND.
enum mica_status mica_endpoint_withdraw(struct mica_server *server,
                                        const char *key,
                                        struct mica_error *error) MICA_MUST_USE;

// Tells clients of the endpoint `key` that subscribed to the resource `uri`, or to one
// above it, that its contents have changed.
void mica_endpoint_resource_changed(struct mica_server *server, const char *key,
                                    const char *uri);

#pragma GCC visibility pop

#endif
