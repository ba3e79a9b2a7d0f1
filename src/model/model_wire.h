// SPDX-License-Identifier: Apache-2.0
//
// The two formats that providers speak: a prompt as the body of a request, and an answer out
// of events or out of one body. Pure: no I/O. What comes from a provider is hostile: every
// reader takes any bytes.
//
// The published references, as they were on 2026-11-26:
//
//     OpenAI     platform.openai.com/docs/api-reference/chat (create, streaming) and
//                …/docs/guides/structured-outputs; errors: …/docs/guides/error-codes
//     Anthropic  platform.claude.com/docs/en/api/messages, …/build-with-claude/streaming,
//                …/build-with-claude/structured-outputs (output_config.format, which has
//                replaced output_format) and …/api/errors (529: overloaded_error)
#ifndef MICA_MODEL_MODEL_WIRE_H
#define MICA_MODEL_MODEL_WIRE_H

#include <mica/json.h>

#include "model/model.h"

enum {
    MICA_MODEL_FAULT_SIZE = 49, // the type of a provider's error, NUL included
    MICA_MODEL_EVENT_ARENA = 8 << 20 // of the JSON of one event or body
};

// ---- Asking --------------------------------------------------------------------------

struct mica_model_prompt {
    struct mica_text model, system;
    const struct mica_model_message *messages;
    size_t count;
    struct mica_text schema; // a JSON object, or empty
    unsigned max_tokens;
    enum mica_model_structure structure;
    bool stream;
    // OpenAI itself: the limit is called max_completion_tokens (max_tokens is deprecated,
    // and models that reason refuse it). Servers that are compatible know max_tokens.
    bool by_openai;
};

// Appends the body. `arena` is for the schema. An overflow of either is the buffer's.
void mica_model_write_prompt(enum mica_model_type type,
                             const struct mica_model_prompt *prompt,
                             struct mica_arena *arena, struct mica_buffer *out);

// Of model_openai.c and model_anthropic.c.
void mica_model_openai_write(const struct mica_model_prompt *prompt,
                             struct mica_arena *arena,
                             struct mica_json_writer *writer);
void mica_model_anthropic_write(const struct mica_model_prompt *prompt,
                                struct mica_arena *arena,
                                struct mica_json_writer *writer);

// The system prompt; with MICA_MODEL_BY_PROMPT it has the schema behind it. Empty: none.
struct mica_text mica_model_system(const struct mica_model_prompt *prompt,
                                   struct mica_arena *arena);

// ---- Schemas (model_schema.c) --------------------------------------------------------

// Writes a schema in the subset that Anthropic's structured outputs take: objects are closed
// (additionalProperties false), bounds of numbers, texts and lists are left out.
void mica_model_schema_write(struct mica_json_writer *writer,
                             const struct mica_json *schema);

// May OpenAI be asked to keep the schema strictly? Every object has to be closed and to
// require all its properties, and a keyword that the subset lacks may not stand in it.
bool mica_model_schema_is_strict(const struct mica_json *schema);

// ---- Reading -------------------------------------------------------------------------

// How far an answer has come.
enum mica_model_extent {
    MICA_MODEL_PARTIAL, // words may follow
    MICA_MODEL_REASON,  // the provider has given a reason why the model stopped
    MICA_MODEL_WHOLE    // [DONE], message_stop, or a whole body
};

// Why an answer counts for nothing. Its words are not read further then, but for a refusal.
enum mica_model_trouble {
    MICA_MODEL_NO_TROUBLE,
    MICA_MODEL_REFUSAL,  // the model declined, or a filter did
    MICA_MODEL_NONSENSE, // the bytes are no answer of this format
    MICA_MODEL_FAULT     // the provider reports an error
};

// What came of an answer until now.
struct mica_model_reading {
    struct mica_buffer text; // the words, or the arguments of the tool
    struct mica_buffer model;
    uint64_t prompt_tokens, completion_tokens;
    enum mica_model_extent extent;
    enum mica_model_trouble trouble;
    bool
        by_tool; // the model has called the tool: its words beside are not the answer
    bool cut; // the model stopped at the limit of tokens
    char fault
        [MICA_MODEL_FAULT_SIZE]; // the type of the error, cleaned; "" without one
};

// Owner: the heap, until _fini.
void mica_model_reading_init(struct mica_model_reading *reading);
void mica_model_reading_fini(struct mica_model_reading *reading);

// One event of a stream. `arena` is reset.
void mica_model_read_event(enum mica_model_type type,
                           struct mica_model_reading *reading,
                           struct mica_text name, struct mica_text data,
                           struct mica_arena *arena);

// A whole body that is an answer, and one that is an error. `arena` is reset.
void mica_model_read_body(enum mica_model_type type,
                          struct mica_model_reading *reading,
                          struct mica_text body, struct mica_arena *arena);
void mica_model_read_fault(struct mica_model_reading *reading,
                           struct mica_text body, struct mica_arena *arena);

// Of model_openai.c and model_anthropic.c.
void mica_model_openai_event(struct mica_model_reading *reading,
                             const struct mica_json *event);
void mica_model_openai_body(struct mica_model_reading *reading,
                            const struct mica_json *body);
void mica_model_anthropic_event(struct mica_model_reading *reading,
                                struct mica_text name,
                                const struct mica_json *event);
void mica_model_anthropic_body(struct mica_model_reading *reading,
                               const struct mica_json *body);

// Shared by both (model_reading.c): words, and arguments of the tool, whose first piece
// replaces words.
void mica_model_take_words(struct mica_model_reading *reading,
                           struct mica_text words);
void mica_model_take_arguments(struct mica_model_reading *reading,
                               struct mica_text arguments);
void mica_model_take_reason(struct mica_model_reading *reading);
void mica_model_take_model(struct mica_model_reading *reading,
                           const struct mica_json *owner);
// Reads `error` of {"error": {…}}: both formats have that.
void mica_model_take_fault(struct mica_model_reading *reading,
                           const struct mica_json *error);
// A count of tokens; 0 for anything else.
uint64_t mica_model_tokens(const struct mica_json *usage, const char *namez);

// The answer without the fence ("```json … ```") that some models put around JSON.
struct mica_text mica_model_unfenced(struct mica_text text);

// ---- Judging (model_retry.c) ---------------------------------------------------------

// How an attempt ended.
struct mica_model_attempt {
    long http_status;  // 0: no answer
    bool network;      // no connection, or it broke
    const char *fault; // of the reading
};

// Is another attempt worth it? 408, 429, 5xx and a broken connection, and errors within a
// stream that stand for one of these; but not a quota that is used up.
bool mica_model_worth_retry(const struct mica_model_attempt *attempt);

// How long to wait before attempt `number` (2, 3, …): what the provider asks for, else
// half a second, doubled each time up to 8 s, and spread by `seed` over a quarter.
int64_t mica_model_retry_ms(unsigned number, int64_t retry_after_ms,
                            uint64_t seed);

// Roughly how many tokens that many bytes are.
uint64_t mica_model_estimate(uint64_t bytes);

// The progress of a call of which `bytes` of the answer have come in so many milliseconds:
// above `before`, and below MICA_MODEL_ALL. How long an answer becomes is not known, and most
// are far shorter than they may be: so it rises on a curve that slows down, n / (n + k).
unsigned mica_model_rise(unsigned before, size_t bytes, uint64_t tokens,
                         int64_t elapsed_ms);

// Writes why an attempt failed, as a sentence for people. `key` is that of the provider: a
// fault that is in it, or it in that, is left out.
void mica_model_explain(const struct mica_model_attempt *attempt,
                        struct mica_text provider, struct mica_text key,
                        char *out, size_t size);

#endif
