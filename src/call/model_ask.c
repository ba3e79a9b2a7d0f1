// SPDX-License-Identifier: Apache-2.0
//
// See model_ask.h.
#include "call/model_ask.h"

#include "base/hash.h"
#include "call/turn_state.h"

enum {
    PARAMS_BYTES = 8 << 20 // a prompt, escaped
};

// ---- The question ----------------------------------------------------------------

static void
write_turn(struct mica_json_writer *writer, const struct mica_said *turn)
{
    mica_json_open_object(writer);
    mica_json_name(writer, "role");
    mica_json_stringz(writer, turn->role == MICA_USER ? "user" : "assistant");
    mica_json_name(writer, "content");
    mica_json_open_object(writer);
    mica_json_field(writer, "type", MICA_LITERAL("text"));
    mica_json_field(writer, "text", turn->text);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

// The params of sampling/createMessage, and what only a provider is told.
static struct mica_text
question_params(struct mica_call *call,
                const struct mica_model_question *question)
{
    struct mica_json_writer writer;
    struct mica_buffer out;

    mica_buffer_init(&out, call->arena, PARAMS_BYTES);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "provider", question->provider);
    mica_json_field(&writer, "model", question->model);
    mica_json_field(&writer, "systemPrompt", question->system);
    mica_json_name(&writer, "messages");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < question->message_count; i++)
        write_turn(&writer, &question->messages[i]);
    mica_json_close_array(&writer);
    if (question->schema.len > 0) {
        mica_json_name(&writer, "schema");
        mica_json_raw(&writer, question->schema);
    }
    if (question->max_tokens > 0) {
        mica_json_name(&writer, "maxTokens");
        mica_json_integer(&writer, question->max_tokens);
    }
    mica_json_name(&writer, "from");
    mica_json_number(&writer, question->progress_from);
    mica_json_name(&writer, "to");
    mica_json_number(&writer, question->progress_to);
    mica_json_close_object(&writer);
    if (out.overflow)
        mica_call_exceed(call);
    return mica_buffer_as_text(&out);
}

// The same provider, model and form of the answer; the words of a prompt may differ when a
// handler runs again, as those of a form may.
static uint64_t
question_hash(const struct mica_model_question *question)
{
    uint64_t hash = MICA_HASH_START;

    hash =
        mica_hash_bytes(hash, question->provider.ptr, question->provider.len);
    hash = mica_hash_bytes(hash, question->model.ptr, question->model.len);
    return mica_hash_bytes(hash, question->schema.ptr, question->schema.len);
}

// ---- The answer ------------------------------------------------------------------

static int64_t
reply_number(const struct mica_json *answer, const char *namez)
{
    const struct mica_json *value = mica_json_get(answer, namez);
    int64_t number = 0;

    return value != NULL && value->kind == MICA_JSON_NUMBER &&
                   mica_integer_read(value->text, &number)
               ? number
               : 0;
}

static void
reply_read(const struct mica_json *answer, struct mica_model_reply *reply_out)
{
    const struct mica_json *cut = mica_json_get(answer, "cut");

    *reply_out = (struct mica_model_reply){
        .text = mica_json_get_text(answer, "text"),
        .model = mica_json_get_text(answer, "model"),
        .cut = cut != NULL && cut->kind == MICA_JSON_TRUE,
        .prompt_tokens = reply_number(answer, "promptTokens"),
        .completion_tokens = reply_number(answer, "completionTokens")};
}

enum mica_status
mica_model_ask(struct mica_call *call,
               const struct mica_model_question *question,
               struct mica_model_reply *reply_out)
{
    const struct mica_question asked = {.kind = MICA_ASK_MODEL,
                                        .keyz = question->key,
                                        .hash = question_hash(question),
                                        .limit_ms = question->limit_ms};
    struct mica_question_state state;
    enum mica_status status;

    *reply_out = (struct mica_model_reply){.cut = false};
    MICA_TRY(mica_turn_enter(call));
    call->error_is_from_operation = true;
    if (question->message_count == 0 || question->messages == NULL)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "a question to a model has no message");
    MICA_TRY(mica_ask_check(call, &asked));
    status = mica_ask_question(call, &asked, true, &state);
    if (call->turn->state->fault.status != MICA_OK)
        return call->turn->state->fault.status;
    if (status == MICA_SUSPENDED) {
        mica_ask_wait(call, &asked, &state, question_params(call, question));
        return mica_turn_suspend(call);
    }
    if (status == MICA_OK)
        reply_read(&state.answer, reply_out);
    return status;
}
