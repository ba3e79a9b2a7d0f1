// SPDX-License-Identifier: Apache-2.0
//
// Rules of an operator between a request and a tool: which tools a caller has, under
// which names, how often it may call them, and what is recorded of that. The rules are an
// adapter's (src/serve/rules.h); here is where every surface passes them.
//
// Invariants:
//  RULES-1. A rule names a tool by its own name. Clients see the shown name, and behind
//           mica_message_tool there is the own one alone: in journals, kept calls,
//           sealed states, logs and counters.
//  RULES-2. A tool that a caller may not use is in no list of its, and a call of it is
//           refused as one of a tool that is not there.
//  RULES-3. A call that has begun continues: rules are for its first request.
#ifndef MICA_SERVER_CALL_RULES_H
#define MICA_SERVER_CALL_RULES_H

#include "registry/catalog.h"
#include "server/caller.h"

// A call, as rules see it. Texts are borrowed.
struct mica_ruled_call {
    struct mica_caller caller;
    struct mica_text party; // the address of an unknown caller, or empty
    struct mica_text
        tool; // its own name; as the client wrote it if it has none
    struct mica_text version;   // the protocol's revision, or the surface
    struct mica_text arguments; // JSON in canonical form, or empty
    struct mica_text id;        // of a kept call, or empty
    const char *code;           // of its failure, or NULL
    bool continues;             // it began with an earlier request
};

// Every function may be called from any thread.
struct mica_rules {
    void *data;
    // The catalog as this caller has it, held for the one who asks; NULL for want of
    // memory.
    struct mica_catalog *(*view)(void *data,
                                 const struct mica_principal *principal,
                                 struct mica_catalog *catalog);
    // The own name of the tool that this caller means by `shown`; empty if it may use
    // none that would be called so.
    struct mica_text (*own_name)(void *data,
                                 const struct mica_principal *principal,
                                 struct mica_text shown);
    // May the call begin? 0, and it counts; otherwise the milliseconds until it may.
    uint32_t (*take)(void *data, const struct mica_ruled_call *call);
    // A request about a call has ended. NULL: nothing is recorded.
    void (*record)(void *data, const struct mica_ruled_call *call);
};

struct mica_server;
struct mica_message;

// The catalog of a server's endpoint as that principal has it, held for the caller;
// never NULL. Takes over `catalog`, which the caller holds.
struct mica_catalog *mica_rules_view(struct mica_server *server,
                                     const struct mica_principal *principal,
                                     struct mica_catalog *catalog);

// A call of message->execution.target is about to begin. False: it may not, and an
// error reply is ready.
bool mica_rules_admit(struct mica_message *message) MICA_MUST_USE;

// The message has ended, and holds still what it held.
void mica_rules_record(const struct mica_message *message);

#endif
