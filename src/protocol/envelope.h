// SPDX-License-Identifier: Apache-2.0
//
// Reads the envelope of a message: JSON-RPC 2.0, and the members of params._meta that
// every request has. Needs no server.
#ifndef MICA_PROTOCOL_ENVELOPE_H
#define MICA_PROTOCOL_ENVELOPE_H

#include <mica/json.h>
#include <mica/protocol.h>

#include "protocol/problem.h"
#include "protocol/revision.h"

// The prefix of MCP's own names in _meta.
#define MICA_META_PREFIX "io.modelcontextprotocol/"

enum mica_envelope_kind {
    MICA_REQUEST,
    MICA_NOTIFICATION,
    MICA_RESPONSE,
    MICA_BATCH // an array (2025-03-26): each item has an envelope of its own
};

// Texts and values are in the arena of mica_envelope_read, or in its text.
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

// Reads one message. Returns false with *problem set; envelope->id is then the id, if it
// was read. A notification gets no reply, so its malformed _meta is ignored.
bool mica_envelope_read(struct mica_text text,
                        const struct mica_json_limits *limits,
                        struct mica_arena *arena,
                        struct mica_envelope *envelope,
                        struct mica_problem *problem);

// The same for an item of a batch, which was read as JSON.
bool mica_envelope_of(const struct mica_json *root,
                      struct mica_envelope *envelope,
                      struct mica_problem *problem);

// Finds the id of a message that is not JSON (id_scan.h), in `arena`; or empty.
struct mica_text mica_envelope_scan_id(struct mica_text text,
                                       struct mica_arena *arena);

// ---- The stateless revision ---------------------------------------------------

// The client that a request declares.
struct mica_client_state {
    unsigned capabilities; // protocol/capability.h
    bool logs;             // it wants log messages of this level and above
    enum mica_log_level log_level;
};

// Does the request declare the stateless revision?
bool mica_envelope_is_stateless(const struct mica_envelope *envelope);

// Checks and reads what such a request must have in params._meta. Afterwards
// envelope->version is a string.
bool mica_envelope_client(const struct mica_envelope *envelope,
                          struct mica_client_state *client,
                          struct mica_problem *problem);

// Finds the stateless revision of that name. The text that the problem quotes is in
// `arena`.
bool mica_revision_stateless(struct mica_text name, struct mica_arena *arena,
                             enum mica_revision *revision_out,
                             struct mica_problem *problem);

// ---- Parts --------------------------------------------------------------------

// Is it a W3C traceparent (Trace Context, 3.2)?
bool mica_trace_is_valid(struct mica_text text);

#endif
