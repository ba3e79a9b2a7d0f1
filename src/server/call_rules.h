// SPDX-License-Identifier: Apache-2.0
//
// The operator's rules between a request and a tool: which tools a caller may use, their
// names for that caller, how often it may call them, and which calls are recorded. An
// adapter implements the rules (src/serve/operator_rules.h); this folder applies them, for
// every surface.
//
// Invariants:
//  RULES-1. A rule names a tool by its own name. Clients see the shown name.
//           mica_message_tool replaces it: journals, stored calls, sealed states, logs
//           and counters have only the own name.
//  RULES-2. A caller that may not use a tool sees it in no list, and a call of it gets the
//           same refusal as a call of an unknown tool.
//  RULES-3. Rules apply to the first request of a call. A call that has begun continues.
#ifndef MICA_SERVER_CALL_RULES_H
#define MICA_SERVER_CALL_RULES_H

#include "registry/catalog.h"
#include "server/caller.h"

// A call, for a rule. Texts are borrowed.
struct mica_ruled_call {
    struct mica_caller caller;
    struct mica_text party;     // the address of an unknown caller, or empty
    struct mica_text tool;      // own name; of an unknown tool: the shown name
    struct mica_text version;   // revision of the protocol, or surface
    struct mica_text arguments; // JSON in canonical form, or empty
    struct mica_text id;        // of a stored call, or empty
    const char *code;           // of its failure, or NULL
    bool continues;             // an earlier request began the call
};

// Any thread may call these functions.
struct mica_rules {
    void *data;
    // The catalog with the tools that this caller may use; the caller of the function
    // holds it. NULL for want of memory.
    struct mica_catalog *(*view)(void *data,
                                 const struct mica_principal *principal,
                                 struct mica_catalog *catalog);
    // The own name of the tool whose shown name is `shown` for this caller; empty: this
    // caller has no such tool.
    struct mica_text (*own_name)(void *data,
                                 const struct mica_principal *principal,
                                 struct mica_text shown);
    // Counts the call against the limits of its caller. Returns 0 if it may begin;
    // otherwise, without counting, the milliseconds until it may.
    uint32_t (*admit)(void *data, const struct mica_ruled_call *call);
    // Runs a tool, or gives the result of an earlier run with the same arguments. NULL:
    // the server runs every tool itself.
    void (*run)(void *data, const struct mica_definition *tool,
                struct mica_call *call, struct mica_text arguments);
    // Records a request about a call, when it has ended. NULL: nothing is recorded.
    void (*record)(void *data, const struct mica_ruled_call *call);
};

struct mica_server;
struct mica_message;

// The part of `catalog` that the principal may use, held for the caller; never NULL.
// Takes over the caller's reference to `catalog`.
struct mica_catalog *mica_rules_view(struct mica_server *server,
                                     const struct mica_principal *principal,
                                     struct mica_catalog *catalog);

// Applies the limits before a call of message->execution.target begins, when its round
// has been entered. Returns false if the call may not begin; an error reply is then ready.
bool mica_rules_admit(struct mica_message *message) MICA_MUST_USE;

// Runs the message's handler, which cannot ask.
void mica_rules_run(struct mica_message *message);

// Records the message, after it has ended and before it drops its references.
void mica_rules_record(const struct mica_message *message);

#endif
