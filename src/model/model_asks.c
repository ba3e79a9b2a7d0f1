// SPDX-License-Identifier: Apache-2.0
//
// See model_asks.h.
#include "model/model_asks.h"

#include <stdlib.h>
#include <string.h>

#include "call/turn.h"
#include "platform/clock.h"

_Static_assert((int)MICA_MODEL_ALL == (int)MICA_ERRAND_ALL,
               "progress is told as it comes");

enum {
    PARAMS_ARENA = 32 << 20, // of the JSON of a question
    ANSWER_BYTES = 8 << 20,  // of an answer, escaped
    WAIT_MS = 50             // between two looks of a thread that waits
};

// One question under way.
struct ask_errand {
    struct mica_model_asks *asks;
    struct mica_model_errand errand;
};

// ---- The question ----------------------------------------------------------------

// The text of a message: a block of text, or a list of them.
static bool
read_content(const struct mica_json *content, struct mica_arena *arena,
             struct mica_text *text_out)
{
    struct mica_buffer text;

    if (content == NULL)
        return false;
    if (content->kind == MICA_JSON_OBJECT) {
        *text_out = mica_json_get_text(content, "text");
        return mica_text_is(mica_json_get_text(content, "type"), "text");
    }
    if (content->kind != MICA_JSON_ARRAY)
        return false;
    mica_buffer_init(&text, arena, MICA_MODEL_PROMPT_BYTES);
    for (size_t i = 0; i < content->count; i++) {
        const struct mica_json *block = &content->items[i];
        if (!mica_text_is(mica_json_get_text(block, "type"), "text"))
            return false;
        mica_buffer_text(&text, mica_json_get_text(block, "text"));
    }
    *text_out = mica_buffer_as_text(&text);
    return !text.overflow;
}

static enum mica_status
read_messages(const struct mica_json *params, struct mica_arena *arena,
              struct mica_error *error, struct mica_model_request *request)
{
    const struct mica_json *items = mica_json_get(params, "messages");
    struct mica_model_message *messages;

    if (items == NULL || items->kind != MICA_JSON_ARRAY)
        return mica_error_set(error, MICA_E_TYPE, "",
                              "a question to a model has no messages");
    messages = mica_arena_zero(arena, items->count + 1, sizeof *messages);
    for (size_t i = 0; messages != NULL && i < items->count; i++) {
        struct mica_text role = mica_json_get_text(&items->items[i], "role");
        if (!read_content(mica_json_get(&items->items[i], "content"), arena,
                          &messages[i].text))
            return mica_error_set(error, MICA_E_TYPE, "",
                                  "message %zu of a question to a model is no "
                                  "text, and a provider is sent texts",
                                  i + 1);
        messages[i].role = mica_text_is(role, "assistant")
                               ? MICA_MODEL_ASSISTANT
                               : MICA_MODEL_USER;
    }
    request->messages = messages;
    request->count = messages != NULL ? items->count : 0;
    return MICA_OK;
}

static unsigned
read_max_tokens(const struct mica_json *params)
{
    const struct mica_json *value = mica_json_get(params, "maxTokens");
    int64_t tokens = 0;

    if (value == NULL || value->kind != MICA_JSON_NUMBER ||
        !mica_integer_read(value->text, &tokens) || tokens <= 0)
        return 0;
    return tokens < MICA_MODEL_MOST_TOKENS ? (unsigned)tokens
                                           : MICA_MODEL_MOST_TOKENS;
}

static enum mica_status
read_params(const struct mica_model_asks *asks,
            const struct mica_model_errand *errand, struct mica_arena *arena,
            struct mica_error *error, struct mica_model_request *request)
{
    struct mica_json params;
    const struct mica_json *schema;

    MICA_TRY(mica_json_read(arena, errand->params, NULL, error, &params));
    // A sampling comes from a tool, which names no provider and no model.
    if (!errand->is_sampling) {
        request->provider = mica_json_get_text(&params, "provider");
        request->model = mica_json_get_text(&params, "model");
        schema = mica_json_get(&params, "schema");
        if (schema != NULL)
            request->schema = schema->raw;
    }
    if (request->provider.len == 0)
        request->provider = asks->fallback;
    request->system = mica_json_get_text(&params, "systemPrompt");
    request->max_tokens = read_max_tokens(&params);
    return read_messages(&params, arena, error, request);
}

// ---- The answer ------------------------------------------------------------------

static void
write_answer(const struct mica_model_errand *errand,
             const struct mica_model_answer *answer, struct mica_buffer *out)
{
    struct mica_json_writer writer;
    char model[MICA_MODEL_MODEL_BYTES + 1] = "model";

    if (answer->model.len > 0 && answer->model.len < sizeof model) {
        memcpy(model, answer->model.ptr, answer->model.len);
        model[answer->model.len] = '\0';
    }
    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    if (errand->is_sampling) {
        mica_sampling_write_answer(&writer, answer->text, model);
    } else {
        mica_json_field(&writer, "text", answer->text);
        mica_json_field(&writer, "model", answer->model);
        mica_json_name(&writer, "cut");
        mica_json_boolean(&writer, answer->finish == MICA_MODEL_LENGTH);
        mica_json_name(&writer, "promptTokens");
        mica_json_integer(&writer, (int64_t)answer->prompt_tokens);
        mica_json_name(&writer, "completionTokens");
        mica_json_integer(&writer, (int64_t)answer->completion_tokens);
    }
    mica_json_close_object(&writer);
}

static void
ask_progress(void *data, unsigned progress)
{
    const struct ask_errand *ask = data;

    ask->errand.on_progress(ask->errand.data, progress);
}

// On the model thread: neither waits nor touches the message after on_outcome.
static void
ask_done(void *data, const struct mica_model_answer *answer)
{
    struct ask_errand *ask = data;
    struct mica_model_asks *asks = ask->asks;
    struct mica_model_outcome outcome = {
        .status = answer->status,
        .message = answer->message,
        .tokens = (int64_t)(answer->prompt_tokens + answer->completion_tokens +
                            answer->estimated_tokens)};
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, ANSWER_BYTES);
    if (answer->status == MICA_OK) {
        write_answer(&ask->errand, answer, &text);
        outcome.answer = mica_buffer_as_text(&text);
        if (text.overflow) {
            outcome.status = MICA_E_LIMIT;
            outcome.message = "the answer of the model needs more memory than "
                              "there is";
        }
    }
    ask->errand.on_outcome(ask->errand.data, &outcome);
    mica_buffer_fini(&text);
    free(ask);
    (void)pthread_mutex_lock(&asks->lock);
    (void)pthread_cond_broadcast(&asks->answered);
    (void)pthread_mutex_unlock(&asks->lock);
}

// ---- The provider ----------------------------------------------------------------

static enum mica_status
ask_begin(void *errands, const struct mica_model_errand *errand,
          struct mica_error *error)
{
    struct mica_model_asks *asks = errands;
    struct ask_errand *ask = malloc(sizeof *ask);
    struct mica_model_request request = {
        .limit_ms = errand->limit_ms,
        .cancelled = errand->cancelled,
        .on_progress = errand->on_progress != NULL ? ask_progress : NULL,
        .on_done = ask_done,
        .data = ask};
    struct mica_arena arena;
    enum mica_status status;

    if (ask == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "there is no memory");
    *ask = (struct ask_errand){.asks = asks, .errand = *errand};
    mica_arena_init(&arena, PARAMS_ARENA);
    status = read_params(asks, errand, &arena, error, &request);
    if (status == MICA_OK)
        status = mica_model_call(asks->models, &request, error, NULL);
    mica_arena_fini(&arena);
    if (status != MICA_OK)
        free(ask);
    return status;
}

static bool
ask_has(void *errands, struct mica_text name)
{
    const struct mica_model_asks *asks = errands;
    size_t count;
    const struct mica_text *names = mica_models_names(asks->models, &count);

    for (size_t i = 0; i < count; i++)
        if (name.len == 0 || mica_text_equal(name, names[i]))
            return true;
    return false;
}

static void
ask_wait(void *errands, const atomic_ullong *signals)
{
    struct mica_model_asks *asks = errands;
    struct timespec until;

    (void)pthread_mutex_lock(&asks->lock);
    while ((uint32_t)atomic_load(signals) == 0) {
        until = mica_clock_after(WAIT_MS);
        (void)pthread_cond_timedwait(&asks->answered, &asks->lock, &until);
    }
    (void)pthread_mutex_unlock(&asks->lock);
}

void
mica_model_asks_init(struct mica_model_asks *asks, struct mica_models *models,
                     struct mica_text fallback, bool samples)
{
    pthread_condattr_t attributes;

    *asks = (struct mica_model_asks){.models = models,
                                     .fallback = fallback,
                                     .provider = {.errands = asks,
                                                  .begin = ask_begin,
                                                  .has = ask_has,
                                                  .samples = samples,
                                                  .wait = ask_wait}};
    (void)pthread_mutex_init(&asks->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&asks->answered, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

void
mica_model_asks_fini(struct mica_model_asks *asks)
{
    (void)pthread_cond_destroy(&asks->answered);
    (void)pthread_mutex_destroy(&asks->lock);
}
