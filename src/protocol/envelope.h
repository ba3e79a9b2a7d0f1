// SPDX-License-Identifier: Apache-2.0
//
// The envelope of a message: JSON-RPC 2.0, and what every request says of itself
// in params._meta. Reading one needs neither a server nor a client.
#ifndef MICA_PROTOCOL_ENVELOPE_H
#define MICA_PROTOCOL_ENVELOPE_H

#include <mica/json.h>
#include <mica/protocol.h>

#include "protocol/problem.h"
#include "protocol/revision.h"

// The prefix of names that MCP itself has in _meta.
#define MICA_META_PREFIX "io.modelcontextprotocol/"

enum mica_envelope_kind {
    MICA_REQUEST,
    MICA_NOTIFICATION,
    MICA_RESPONSE,
    MICA_BATCH // an array (2025-03-26): each item has an envelope of its own
};

// Texts and values lie in the arena of the reading, or in the text that was read.
struct mica_envelope {
    enum mica_envelope_kind kind;
    const struct mica_json *root;
    struct mica_text method;
    struct mica_text id;            // JSON text; empty where there is no id
    const struct mica_json *params; // an object, or NULL
    // Of params._meta; NULL or empty where it is absent:
    const struct mica_json *version, *capabilities, *log_level;
    struct mica_text progress_token; // JSON text
    struct mica_text trace;          // a valid W3C traceparent
};

// Reads one message. False: *problem says why, and envelope->id has the id as far
// as it was read. Of a notification, which cannot be answered, a malformed _meta
// is left out.
bool mica_envelope_read(struct mica_text text,
                        const struct mica_json_limits *limits,
                        struct mica_arena *arena,
                        struct mica_envelope *envelope,
                        struct mica_problem *problem);

// The same of an item of a batch, which has been read as JSON.
bool mica_envelope_of(const struct mica_json *root,
                      struct mica_envelope *envelope,
                      struct mica_problem *problem);

// The id of a message that is not JSON, as far as one can be told, in `arena`; or
// empty.
struct mica_text mica_envelope_scan_id(struct mica_text text,
                                       struct mica_arena *arena);

// ---- The stateless revision ---------------------------------------------------

// What a request says of its client.
struct mica_client_state {
    unsigned capabilities; // protocol/capability.h
    bool logs;             // it wants log messages, from this level on
    enum mica_log_level log_level;
};

// Does the request say of itself that it is one of the stateless revision?
bool mica_envelope_is_stateless(const struct mica_envelope *envelope);

// What such a request must have in params._meta. Afterwards envelope->version is a
// string.
bool mica_envelope_client(const struct mica_envelope *envelope,
                          struct mica_client_state *client,
                          struct mica_problem *problem);

// The stateless revision of that name. What the problem quotes is in `arena`.
bool mica_revision_stateless(struct mica_text name, struct mica_arena *arena,
                             enum mica_revision *revision_out,
                             struct mica_problem *problem);

// ---- Parts --------------------------------------------------------------------

// Is it a W3C traceparent (Trace Context, 3.2)?
bool mica_trace_is_valid(struct mica_text text);

#endif
