// SPDX-License-Identifier: Apache-2.0
//
// An ask that the server answers: a call of a language model, by a provider that the
// operator has configured. For handlers inside mica; tools use mica_sample.
//
// It is an ask like any other: the handler returns MICA_SUSPENDED, the turn ends, no worker
// waits, and the handler runs again with the answer, which the journal keeps. Only the
// answerer is another: the client never sees the question, and what it sends under the key
// of the question is ignored. If the process dies while the model works, the call continues
// at another one as calls do, which asks the model again: a provider may bill twice.
#ifndef MICA_CALL_MODEL_ASK_H
#define MICA_CALL_MODEL_ASK_H

#include <mica/tool.h>

struct mica_model_question {
    const char *key; // as of mica_sample; unique among the asks of the handler
    struct mica_text
        provider; // its name; empty: the one that samples, or the first
    struct mica_text model;  // empty: that of the provider
    struct mica_text system; // prompt; empty: none
    const struct mica_said *messages;
    size_t message_count;
    struct mica_text
        schema;          // JSON Schema of the answer, an object; empty: words
    unsigned max_tokens; // 0: that of the provider
    uint32_t limit_ms;   // 0: that of the tool; the provider's holds as well
    // Progress of the model goes to the client from `from` to `to`, of 100; equal: none.
    double progress_from, progress_to;
};

struct mica_model_reply {
    struct mica_text text, model;
    bool cut; // at max_tokens
    int64_t prompt_tokens, completion_tokens;
};

// Asks. Errors: MICA_SUSPENDED (return it), MICA_E_LLM, MICA_E_TIMEOUT, MICA_E_LIMIT,
// MICA_E_BUSY, MICA_E_NOT_FOUND (no such provider, or none at all), MICA_E_USAGE; with
// call->error, which has neither prompt nor key. The texts are in the call's arena.
enum mica_status mica_model_ask(struct mica_call *call,
                                const struct mica_model_question *question,
                                struct mica_model_reply *reply_out);

#endif
