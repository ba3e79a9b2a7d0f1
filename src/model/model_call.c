// SPDX-License-Identifier: Apache-2.0
//
// Calls from the side of those who make them: checks, and hands them to the model thread.
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "model/model_state.h"

#include "platform/clock.h"

enum {
    BODY_BYTES = 8 * MICA_MODEL_PROMPT_BYTES, // escapes make six of one byte
    WRITE_ARENA = 32 << 20 // of the schema and the system prompt
};

// ---- Checking ------------------------------------------------------------------------

static struct mica_model_provider_state *
find_provider(struct mica_model_state *state, struct mica_text name)
{
    for (size_t i = 0; i < state->count; i++)
        if (mica_text_equal(state->providers[i].name, name))
            return &state->providers[i];
    return NULL;
}

static enum mica_status
check_text(const char *whatz, struct mica_text text, struct mica_error *error)
{
    if (mica_utf8_valid(text) == text.len)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "the %s of a model call is no UTF-8", whatz);
}

static enum mica_status
check_model(struct mica_text model, struct mica_error *error)
{
    if (model.len <= MICA_MODEL_MODEL_BYTES && mica_ascii_visible(model))
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "the name of a model is at most %d bytes of visible "
                          "ASCII",
                          MICA_MODEL_MODEL_BYTES);
}

static enum mica_status
check_schema(struct mica_text schema, struct mica_arena *arena,
             struct mica_error *error)
{
    struct mica_json value;

    if (schema.len == 0)
        return MICA_OK;
    if (schema.len > MICA_MODEL_SCHEMA_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the schema of an answer has %zu bytes; at most "
                              "%d are taken",
                              schema.len, MICA_MODEL_SCHEMA_BYTES);
    if (mica_json_read(arena, schema, NULL, NULL, &value) == MICA_OK &&
        value.kind == MICA_JSON_OBJECT)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "the schema of an answer is no JSON object");
}

static enum mica_status
check_request(const struct mica_model_request *request,
              struct mica_arena *arena, struct mica_error *error)
{
    size_t bytes = request->system.len + request->schema.len;

    MICA_TRY(check_model(request->model, error));
    MICA_TRY(check_text("system prompt", request->system, error));
    if (request->count == 0 || request->count > MICA_MODEL_MESSAGES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "a model call has %zu messages; it takes 1 to %d",
                              request->count, MICA_MODEL_MESSAGES);
    for (size_t i = 0; i < request->count; i++) {
        MICA_TRY(check_text("message", request->messages[i].text, error));
        bytes += request->messages[i].text.len;
    }
    if (bytes > MICA_MODEL_PROMPT_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the prompt of a model call has %zu bytes; at "
                              "most %d are taken",
                              bytes, MICA_MODEL_PROMPT_BYTES);
    return check_schema(request->schema, arena, error);
}

// ---- Making --------------------------------------------------------------------------

static unsigned
limit_within(unsigned wanted, unsigned most)
{
    return wanted > 0 && wanted < most ? wanted : most;
}

static enum mica_status
write_body(struct mica_model_one *one, const struct mica_model_request *request,
           struct mica_arena *arena, struct mica_error *error)
{
    const struct mica_model_provider_state *provider = one->provider;
    const struct mica_model_prompt prompt = {
        .model = request->model.len > 0 ? request->model : provider->model,
        .system = request->system,
        .messages = request->messages,
        .count = request->count,
        .schema = request->schema,
        .max_tokens = one->max_tokens,
        .structure = provider->options.structure,
        .stream = !provider->options.no_stream,
        .by_openai = mica_model_address_is_openai(&provider->address)};

    mica_model_write_prompt(provider->options.type, &prompt, arena, &one->body);
    return one->body.overflow
               ? mica_error_set(error, MICA_E_LIMIT, "",
                                "there is no memory for a model call")
               : MICA_OK;
}

static enum mica_status
one_make(struct mica_model_state *state,
         const struct mica_model_request *request,
         struct mica_model_provider_state *provider, struct mica_error *error,
         struct mica_model_one **one_out)
{
    struct mica_model_one *one = calloc(1, sizeof *one);
    unsigned most_ms = provider->options.seconds * 1000;
    struct mica_arena arena;
    enum mica_status status;

    if (one == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "there is no memory");
    one->state = state;
    one->provider = provider;
    one->max_tokens =
        limit_within(request->max_tokens, provider->options.max_tokens);
    one->has_schema = request->schema.len > 0;
    one->began_ms = one->notified_ms = mica_clock_ms();
    one->deadline_ms = one->began_ms + limit_within(request->limit_ms, most_ms);
    one->on_progress = request->on_progress;
    one->on_done = request->on_done;
    one->data = request->data;
    one->watched = request->cancelled;
    mica_buffer_init(&one->body, NULL, BODY_BYTES);
    mica_arena_init(&arena, WRITE_ARENA);
    status = check_request(request, &arena, error);
    if (status == MICA_OK)
        status = write_body(one, request, &arena, error);
    mica_arena_fini(&arena);
    if (status == MICA_OK)
        *one_out = one;
    else
        mica_model_one_free(one);
    return status;
}

// ---- Handing over --------------------------------------------------------------------

// With the lock held: gives the call a slot and an id, which tells them apart for good.
static bool
slot_take(struct mica_model_state *state, struct mica_model_one *one)
{
    for (unsigned i = 0; i < MICA_MODEL_CALLS; i++) {
        unsigned slot = (state->free_hint + i) % MICA_MODEL_CALLS;
        if (state->slots[slot] != NULL)
            continue;
        state->slots[slot] = one;
        state->free_hint = (slot + 1) % MICA_MODEL_CALLS;
        one->id = ++state->generation * MICA_MODEL_CALLS + slot;
        return true;
    }
    return false;
}

// With the lock held.
static enum mica_status
one_hand_over(struct mica_model_state *state, struct mica_model_one *one,
              struct mica_error *error)
{
    if (state->life == MICA_MODEL_CLOSING)
        return mica_error_set(error, MICA_E_CANCELLED, "",
                              "the server stops calling models");
    if (state->life == MICA_MODEL_IDLE)
        MICA_TRY(mica_model_thread_start(state, error));
    if (!slot_take(state, one)) {
        atomic_fetch_add(&state->refused, 1);
        return mica_error_set(error, MICA_E_BUSY, "",
                              "%d model calls are open; try again later",
                              MICA_MODEL_CALLS);
    }
    if (state->submitted_last != NULL)
        state->submitted_last->next_submitted = one;
    else
        state->submitted_first = one;
    state->submitted_last = one;
    atomic_fetch_add(&state->calls, 1);
    atomic_fetch_add(&state->open, 1);
    return MICA_OK;
}

enum mica_status
mica_model_submit(struct mica_model_state *state,
                  const struct mica_model_request *request,
                  struct mica_error *error, uint64_t *id_out)
{
    struct mica_model_provider_state *provider =
        find_provider(state, request->provider);
    struct mica_model_one *one = NULL;
    enum mica_status status;
    uint64_t id;

    if (provider == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no provider of models with that name");
    MICA_TRY(one_make(state, request, provider, error, &one));
    (void)pthread_mutex_lock(&state->lock);
    status = one_hand_over(state, one, error);
    id = one->id;
    (void)pthread_mutex_unlock(&state->lock);
    if (status != MICA_OK) {
        mica_model_one_free(one);
        return status;
    }
    // From here on the call may have ended.
    (void)curl_multi_wakeup(state->multi);
    if (id_out != NULL)
        *id_out = id;
    return MICA_OK;
}

void
mica_model_withdraw(struct mica_model_state *state, uint64_t id)
{
    struct mica_model_one *one;

    (void)pthread_mutex_lock(&state->lock);
    one = state->slots[id % MICA_MODEL_CALLS];
    if (one != NULL && one->id == id) {
        atomic_store(&one->cancelled, true);
        state->has_cancels = true;
        (void)curl_multi_wakeup(state->multi);
    }
    (void)pthread_mutex_unlock(&state->lock);
}
