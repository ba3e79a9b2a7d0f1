// SPDX-License-Identifier: Apache-2.0
//
// A call of a tool in this process, without a server that serves: its turns, with a journal
// that ends with the call. A conversation (converse.h) answers what the tool asks, and the
// providers of the server what is asked of a language model.
#ifndef MICA_CLI_LOCAL_CALL_H
#define MICA_CLI_LOCAL_CALL_H

#include "cli/converse.h"
#include "server/server.h"

enum {
    MICA_LOCAL_CALL_BYTES = 256 << 20,
    MICA_LOCAL_OUTPUT_BYTES = 64 << 20
};

// Where a call runs, and what its tool reaches from there.
struct mica_local_call {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_server *server; // has the tools that the tool invokes
    const struct mica_definition *tool;
    struct mica_arena *arena; // of the call
    // Takes notices of the call, with the conversation; NULL: no one does.
    void (*on_notice)(void *conversation, const struct mica_notice *notice);
    const struct mica_turn *turn; // while one runs
};

// Runs the tool until it has ended; how is in call->result. `conversation` is NULL where the
// tool cannot ask. Errors: those of the conversation.
enum mica_status mica_local_call_run(struct mica_local_call *local,
                                     struct mica_conversation *conversation,
                                     struct mica_call *call,
                                     struct mica_text arguments,
                                     struct mica_error *error) MICA_MUST_USE;

// Ends a call whose tool asks what cannot be asked here: `missing` are capabilities of
// clients. A person reads what to do, where a client would read its capability.
void mica_local_call_refuse(struct mica_call *call,
                            const struct mica_definition *tool,
                            unsigned missing);

// Answers in the journal what a suspended turn asks of language models, by the providers of
// the server; also samplings, if the client declares none and a provider samples. Waits.
// Errors: MICA_E_LIMIT (memory).
enum mica_status
mica_local_models_answer(struct mica_server *server, struct mica_turn *turn,
                         unsigned declared, struct mica_error *error)
    MICA_MUST_USE;

#endif
