// SPDX-License-Identifier: Apache-2.0
//
// Calls of language models: what a program asks a provider, and how the answer comes. A
// provider is a server that the operator has configured: OpenAI Chat Completions, Anthropic
// Messages, or one compatible with either.
//
//     mica_models_open(&options, error, &models)    once; loads mica-model.so
//     mica_model_call(models, &request, error, &id) any thread; returns at once
//         … request.on_progress(data, 120000), …           the model thread
//         … request.on_done(data, &answer)                 the model thread, exactly once
//     mica_model_cancel(models, id)                 any thread
//     mica_models_close(&models)                    when the program stops calling
//
// Threads: one thread of the module, the *model thread*, serves all calls of one
// `struct mica_models` with one curl_multi handle. It calls on_progress and on_done, which
// must not block: a callback that waits delays every other call. A callback may call
// mica_model_call and mica_model_cancel; it must not call mica_models_close. No lock is held
// while it runs.
//
// Owner: mica_model_call copies all of the request but `data`. An answer and its texts
// live until on_done returns.
//
// Secrets: neither the key, nor the prompt, nor a byte of a provider's body beside the
// cleaned name of its error type is in an error, a count or a report.
//
// Invariants:
//  MODEL-1. on_done of an accepted call comes exactly once, and nothing of the call comes
//           after it. A call that mica_model_call refuses has no callback.
//  MODEL-2. The progress of a call rises, also across attempts, with what has arrived and
//           with time: on_progress comes at least every MICA_MODEL_SILENCE_MS and half of
//           it, also while nothing arrives, since clients give up a call that tells nothing.
//           MICA_MODEL_ALL comes only with an answer, before on_done.
//  MODEL-3. A call ends within its time limit, waiting and further attempts included.
//  MODEL-4. A key goes to the origin of its provider's url alone: redirects are refused,
//           and over http it goes to this machine alone.
#ifndef MICA_MODEL_MODEL_H
#define MICA_MODEL_MODEL_H

#include <stdatomic.h>

#include <mica/base.h>

struct mica_models;

enum {
    MICA_MODEL_PROVIDERS = 16,
    MICA_MODEL_CALLS = 4096, // open at once: running, or waiting for their turn
    MICA_MODEL_MESSAGES = 64,
    MICA_MODEL_PROMPT_BYTES =
        1 << 20, // system prompt, messages and schema together
    MICA_MODEL_SCHEMA_BYTES = 64 << 10, // of these, the schema
    MICA_MODEL_ANSWER_BYTES = 1 << 20,  // the text of an answer
    MICA_MODEL_BODY_BYTES = 32 << 20,   // what a provider sends for it
    MICA_MODEL_NAME_BYTES = 64,         // the name of a provider
    MICA_MODEL_MODEL_BYTES = 128,       // the name of a model
    MICA_MODEL_URL_BYTES = 2048,
    MICA_MODEL_TOKENS = 4096, // of an answer, where nothing else is set
    MICA_MODEL_MOST_TOKENS = 1 << 20,
    MICA_MODEL_SECONDS = 60, // of a call, where nothing else is set
    MICA_MODEL_MOST_SECONDS = 3600,
    MICA_MODEL_CONCURRENT =
        1024, // requests of one provider, where nothing else is set
    MICA_MODEL_ALL = 1000000,     // the progress of a call that has its answer
    MICA_MODEL_SILENCE_MS = 1000, // after which the progress of a call is told
    MICA_MODEL_ATTEMPTS = 3,      // of a call, where nothing else is set
    MICA_MODEL_MOST_ATTEMPTS = 10
};

// ---- Providers -----------------------------------------------------------------------

// What a provider speaks.
enum mica_model_type {
    MICA_MODEL_OPENAI,   // POST …/v1/chat/completions
    MICA_MODEL_ANTHROPIC // POST …/v1/messages
};

// How a provider is told the schema of an answer.
enum mica_model_structure {
    MICA_MODEL_BY_SCHEMA, // response_format, output_config
    MICA_MODEL_BY_TOOL,   // a tool that the model has to call
    MICA_MODEL_BY_PROMPT  // in the system prompt
};

// One provider, as the operator has configured it. Zero takes a default.
struct mica_model_provider_options {
    const char *name; // a-z, 0-9, "-" and "_", at most MICA_MODEL_NAME_BYTES
    enum mica_model_type type;
    // The base of its addresses, with or without "/v1" at the end; NULL: that of the
    // service itself. http only to this machine or to a private address.
    const char *url;
    const char *model; // of a call that names none
    // Where the key is: at most one of the three. A variable of the environment, a file
    // that others cannot read, or a credential of systemd (LoadCredential=).
    const char *key_env, *key_file, *key_credential;
    // The name of the url may lead to a private address. A url with an address in place
    // of a name, or with localhost, needs no such leave.
    bool is_private;
    const char *proxy; // an origin; NULL: none, whatever the environment says
    const char
        *ca_file; // certificates to trust in place of the system's; or NULL
    enum mica_model_structure structure;
    bool
        no_stream; // ask for the whole answer at once: progress is of time alone
    unsigned max_tokens; // of an answer, at most
    unsigned seconds;    // of a call, at most
    unsigned concurrent; // requests at once; further calls wait for their turn
    unsigned attempts;
};

struct mica_models_options {
    const struct mica_model_provider_options *providers;
    size_t count;       // 1 to MICA_MODEL_PROVIDERS
    const char *module; // path of mica-model.so; NULL: it is looked for
};

// Checks the options without reading a key or loading the module. Errors: MICA_E_FORMAT,
// MICA_E_LIMIT, MICA_E_RANGE, MICA_E_DUPLICATE.
enum mica_status mica_models_check(const struct mica_models_options *options,
                                   struct mica_error *error) MICA_MUST_USE;

// Is the key of a provider there, and can it be one? For `mica doctor`. Errors:
// MICA_E_NOT_FOUND, MICA_E_TRUST (others can read the file), MICA_E_FORMAT, MICA_E_IO.
enum mica_status
mica_model_key_check(const struct mica_model_provider_options *provider,
                     struct mica_error *error) MICA_MUST_USE;

// Loads the module and the keys, and copies the options. The model thread starts with the
// first call. Errors: those of the two above; MICA_E_NOT_FOUND, MICA_E_TRUST, MICA_E_IO and
// MICA_E_USAGE of the module.
enum mica_status mica_models_open(const struct mica_models_options *options,
                                  struct mica_error *error,
                                  struct mica_models **models_out)
    MICA_MUST_USE;

// Ends all calls with MICA_E_CANCELLED: their on_done have returned when this returns. NULL
// inside is allowed. Not from a callback.
void mica_models_close(struct mica_models **models);

// ---- Calls ---------------------------------------------------------------------------

enum mica_model_role {
    MICA_MODEL_USER,
    MICA_MODEL_ASSISTANT // what the model has answered before
};

struct mica_model_message {
    enum mica_model_role role;
    struct mica_text text; // UTF-8
};

// Why the model has stopped.
enum mica_model_finish {
    MICA_MODEL_STOPPED, // by itself
    MICA_MODEL_LENGTH,  // the answer has reached max_tokens: it is cut
};

// How a call ended.
//
//     status            text       message
//     MICA_OK           its words  ""
//     MICA_E_LLM        empty      why: the provider failed, refused or answered nonsense
//     MICA_E_TIMEOUT    empty      the time limit has passed
//     MICA_E_LIMIT      empty      the answer is larger than MICA_MODEL_ANSWER_BYTES
//     MICA_E_CANCELLED  empty      by mica_model_cancel or mica_models_close
//
// A call with a schema is MICA_E_LLM if its answer was cut. Whether the text is JSON that
// the schema describes is for the caller to check: providers promise it, and some of the
// servers that are compatible do not keep it.
struct mica_model_answer {
    enum mica_status status;
    struct mica_text text; // UTF-8, at most MICA_MODEL_ANSWER_BYTES
    const char *message;   // a sentence for people, without secrets
    enum mica_model_finish finish;
    struct mica_text model; // as the provider names it; may be empty
    // Tokens that the provider has counted, of all attempts; 0 where it told none.
    uint64_t prompt_tokens, completion_tokens;
    // What attempts cost beyond that, by their bytes: providers bill an answer that was
    // cancelled, cut or came too late, and some tell no numbers at all.
    uint64_t estimated_tokens;
    unsigned attempts; // requests that were sent, or tried
};

struct mica_model_request {
    struct mica_text provider;
    struct mica_text model;  // empty: the provider's
    struct mica_text system; // empty: none
    const struct mica_model_message *messages;
    size_t count; // 1 to MICA_MODEL_MESSAGES
    struct mica_text
        schema; // JSON Schema of the answer, an object; empty: words
    // 0 takes the provider's; more than that is cut to it.
    unsigned max_tokens, limit_ms;
    // The call is cancelled when this becomes true; looked at four times a second until
    // on_done. NULL: mica_model_cancel alone.
    const atomic_bool *cancelled;
    // 1 to MICA_MODEL_ALL (MODEL-2). NULL: not wanted.
    void (*on_progress)(void *data, unsigned progress);
    void (*on_done)(void *data, const struct mica_model_answer *answer);
    void *data;
};

// Begins a call; on_done may come before this returns. `id_out` may be NULL. Errors:
// MICA_E_NOT_FOUND (no such provider), MICA_E_FORMAT (no UTF-8, a schema that is no JSON
// object), MICA_E_LIMIT (the prompt), MICA_E_BUSY (MICA_MODEL_CALLS are open).
enum mica_status mica_model_call(struct mica_models *models,
                                 const struct mica_model_request *request,
                                 struct mica_error *error, uint64_t *id_out)
    MICA_MUST_USE;

// Ends the call with MICA_E_CANCELLED unless it has ended; its on_done comes on the model
// thread. An id of a call that has ended is ignored.
void mica_model_cancel(struct mica_models *models, uint64_t id);

// ---- Looking -------------------------------------------------------------------------

// The names of all providers, `count_out` of them; they live as long as `models`.
const struct mica_text *mica_models_names(const struct mica_models *models,
                                          size_t *count_out);

struct mica_model_counts {
    uint64_t calls;     // that were accepted
    uint64_t refused;   // MICA_E_BUSY
    uint64_t answered;  // MICA_OK
    uint64_t failed;    // MICA_E_LLM
    uint64_t late;      // MICA_E_TIMEOUT
    uint64_t large;     // MICA_E_LIMIT
    uint64_t cancelled; // MICA_E_CANCELLED
    uint64_t retries;   // attempts beside the first
    uint64_t prompt_tokens, completion_tokens;
    uint64_t open; // now
};

// From any thread.
struct mica_model_counts mica_models_counts(const struct mica_models *models);

#endif
