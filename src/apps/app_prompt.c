// SPDX-License-Identifier: Apache-2.0
//
// The behavior "prompt": a language model makes the data of the layout. A provider of the
// server answers, or the client's model (sampling). {message, context} are what the user
// says; the system prompt is the app's alone.
//
// An answer that the schema of the layout forbids is asked for once more, with what is wrong.
// The journal has each answer, so a call that continues elsewhere asks nothing twice. What a
// model or a provider says of a failure is no part of the app's: it may quote the prompt.
#define MICA_TOOL_PLAIN
#include "apps/app_behavior.h"
#include "apps/model_answer.h"
#include "call/model_ask.h"

#include <string.h>

enum {
    USER_BYTES = 1 << 20,   // of {message, context}, as the user says them
    SYSTEM_BYTES = 1 << 19, // of the system prompt with a schema
    TURNS = 2,              // the answer, and its repair
    MESSAGES = 2 * TURNS - 1,
    TOKENS = 4096 // of an answer of the client's model
};

// How far the progress of the call is when each answer begins, and when the last ends.
static const double reached[TURNS + 1] = {50, 95, 99};

struct conversation {
    struct mica_app_run *run;
    bool by_client;
    struct mica_said messages[MESSAGES];
    size_t count;
    int64_t began; // milliseconds since 1970
};

// ---- What the user says -----------------------------------------------------------

static struct mica_text
user_text(struct mica_app_run *run)
{
    const struct mica_json *context = mica_json_get(run->arguments, "context");
    struct mica_text message = mica_json_get_text(run->arguments, "message");
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (context == NULL || context->count == 0)
        return message;
    mica_buffer_init(&text, run->call->arena, USER_BYTES);
    mica_buffer_text(&text, message);
    mica_buffer_text(&text, MICA_LITERAL("\n\nContext, as JSON:\n"));
    mica_json_writer_init(&writer, &text);
    mica_json_value(&writer, context);
    if (text.overflow)
        mica_call_exceed(run->call);
    return mica_buffer_as_text(&text);
}

static void
conversation_add(struct conversation *conversation, enum mica_role role,
                 struct mica_text text)
{
    conversation->messages[conversation->count++] =
        (struct mica_said){role, text};
}

// ---- The answer ---------------------------------------------------------------------

// Milliseconds that are left of the budget; 0: it has none.
static uint32_t
time_left(const struct conversation *conversation)
{
    uint32_t limit_ms = conversation->run->plan->limit_ms;
    int64_t spent;

    if (limit_ms == 0)
        return 0;
    spent = mica_now(conversation->run->call) - conversation->began;
    return spent < limit_ms ? limit_ms - (uint32_t)spent : 1;
}

static enum mica_status
ask_provider(struct conversation *conversation, size_t turn,
             struct mica_text *text_out)
{
    struct mica_app_run *run = conversation->run;
    const struct mica_app_plan *plan = run->plan;
    const struct mica_model_question question = {
        .key = "model",
        .provider = plan->provider,
        .model = plan->model,
        .system = plan->system,
        .messages = conversation->messages,
        .message_count = conversation->count,
        .schema = plan->layout->schema,
        .limit_ms = time_left(conversation),
        .progress_from = reached[turn],
        .progress_to = reached[turn + 1]};
    struct mica_model_reply reply;

    MICA_TRY(mica_model_ask(run->call, &question, &reply));
    *text_out = reply.text;
    return MICA_OK;
}

static enum mica_status
ask_client(struct conversation *conversation, struct mica_text *text_out)
{
    struct mica_app_run *run = conversation->run;
    struct mica_buffer system;
    struct mica_sampling sampling = {.key = "sample",
                                     .messages = conversation->messages,
                                     .message_count = conversation->count,
                                     .max_tokens = TOKENS,
                                     .limit_ms = time_left(conversation)};

    mica_buffer_init(&system, run->call->arena, SYSTEM_BYTES);
    mica_buffer_format(&system,
                       "%.*s\n\nAnswer with one JSON object and nothing else. "
                       "It must be valid under this JSON Schema:\n%.*s",
                       MICA_ARG(run->plan->system),
                       MICA_ARG(run->plan->layout->schema));
    if (system.overflow)
        mica_call_exceed(run->call);
    sampling.system_prompt = mica_buffer_as_text(&system);
    return mica_sample(run->call, &sampling, text_out);
}

// A provider goes first: sampling is on its way out of the protocol.
static enum mica_status
model_ask(struct conversation *conversation, size_t turn,
          struct mica_text *text_out)
{
    enum mica_app_prompt_by by = conversation->run->plan->by;
    enum mica_status status;

    if (by != MICA_APP_BY_CLIENT && !conversation->by_client) {
        status = ask_provider(conversation, turn, text_out);
        if (status != MICA_E_NOT_FOUND || by == MICA_APP_BY_PROVIDER)
            return status;
        conversation->by_client = true;
    }
    return ask_client(conversation, text_out);
}

static enum mica_status
fail_ask(struct mica_app_run *run, enum mica_status status)
{
    const char *reasonz = mica_status_code(status);

    switch ((int)status) {
    case MICA_E_TIMEOUT:
        return mica_app_fail(run, status, "", "", "",
                             "the language model took longer than a call of "
                             "the app may take");
    case MICA_E_LLM:
        return mica_app_fail(run, status, "", "", "",
                             "the language model could not answer");
    case MICA_E_BUSY:
        return mica_app_fail(run, status, "", "", "",
                             "too many calls of language models are open; try "
                             "again in a moment");
    case MICA_E_CAPABILITY:
        return mica_app_fail(run, status, "", "", "",
                             "the app needs a language model: one of the "
                             "client (sampling), or a provider of the server");
    case MICA_E_NOT_FOUND:
        return mica_app_fail(run, MICA_E_EXECUTION, reasonz, "", "",
                             "this server does not call the language model "
                             "that the app needs");
    default:
        return mica_app_fail(run, status, reasonz, "", "",
                             "the language model gave no answer: %s",
                             mica_status_meaning(status));
    }
}

// ---- The data -----------------------------------------------------------------------

// Reads the data. Returns MICA_OK, or what is wrong with them: `faults_out` tells the model.
static enum mica_status
data_read(struct mica_app_run *run, struct mica_text words,
          struct mica_json *data_out, struct mica_text *faults_out)
{
    struct mica_error error;
    enum mica_status status =
        mica_json_read(run->call->arena, mica_model_answer_object(words), NULL,
                       &error, data_out);

    if (status == MICA_OK) {
        *faults_out = mica_app_data_faults(run, data_out, &status);
        return status;
    }
    *faults_out = mica_format(run->call, "%s", error.message);
    return status;
}

static enum mica_status
conversation_run(struct conversation *conversation, struct mica_json *data_out)
{
    struct mica_app_run *run = conversation->run;
    enum mica_status status = MICA_OK;
    struct mica_text words, faults;

    for (size_t turn = 0; turn < TURNS; turn++) {
        status = model_ask(conversation, turn, &words);
        if (run->call->stopped)
            return status;
        if (status != MICA_OK)
            return fail_ask(run, status);
        status = data_read(run, words, data_out, &faults);
        if (status == MICA_OK)
            return MICA_OK;
        if (turn + 1 == TURNS)
            break;
        conversation_add(conversation, MICA_ASSISTANT, words);
        conversation_add(
            conversation, MICA_USER,
            mica_format(run->call,
                        "This answer cannot be shown: %.*s. Answer again, with "
                        "one JSON object that is valid under the schema.",
                        MICA_ARG(faults)));
    }
    return mica_app_fail(run, MICA_E_EXECUTION, mica_status_code(status), "",
                         "",
                         "the language model answered twice with data that "
                         "the layout \"%.*s\" does not show",
                         MICA_ARG(run->plan->layout->name));
}

enum mica_status
mica_app_execute_prompt(struct mica_app_run *run)
{
    struct mica_json *data = mica_alloc(run->call, sizeof *data);
    struct conversation conversation = {.run = run, .count = 0};

    conversation.began = run->plan->limit_ms > 0 ? mica_now(run->call) : 0;
    conversation_add(&conversation, MICA_USER, user_text(run));
    MICA_TRY(conversation_run(&conversation, data));
    mica_app_add_data(run, data);
    return MICA_OK;
}
