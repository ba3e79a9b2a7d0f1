// SPDX-License-Identifier: Apache-2.0
//
// A server whose tools ask a model, for models.py:
//
//     model_fixture URL sample|ask --listen HOST:PORT | --stdio
//
// `prompt` asks as apps do (call/model_ask.h), with a step before it that writes a line to
// stderr; `chat` samples as tools do; `pair` asks two models side by side in one turn, one
// after the other. With "sample" the provider also samples for clients without a model.
#include <stdio.h>
#include <string.h>

#include <mica/tool.h>

#include "call/model_ask.h"
#include "model/model_service.h"

struct asked {
    struct mica_text model, user;
    int64_t limit_ms;
    bool structured;
};
MICA_RECORD(asked, MICA_TEXT(model, "Its name.", .fallback = MICA_JSON("")),
            MICA_TEXT(user, "What it is asked."),
            MICA_INTEGER(limit_ms, "Time.", .fallback = MICA_JSON(0)),
            MICA_BOOLEAN(structured, "With a schema?",
                         .fallback = MICA_JSON(false)));

struct said {
    struct mica_text text, model;
    int64_t tokens;
};
MICA_RECORD(said, MICA_TEXT(text, "Its words."), MICA_TEXT(model, "Which."),
            MICA_INTEGER(tokens, "How many."));

static enum mica_status
ask_once(struct mica_call *call, const char *key, const struct asked *in,
         double from, double to, struct said *out)
{
    const struct mica_said said = {MICA_USER, in->user};
    struct mica_model_question question = {
        .key = key,
        .model = in->model,
        .system = MICA_LITERAL("A private system prompt."),
        .messages = &said,
        .message_count = 1,
        .limit_ms = (uint32_t)in->limit_ms,
        .max_tokens = 100,
        .progress_from = from,
        .progress_to = to};
    struct mica_model_reply reply;

    if (in->structured)
        question.schema = MICA_LITERAL("{\"type\":\"object\"}");
    MICA_TRY(mica_model_ask(call, &question, &reply));
    out->text = reply.text;
    out->model = reply.model;
    out->tokens = reply.prompt_tokens + reply.completion_tokens;
    return MICA_OK;
}

static enum mica_status
prompt(struct mica_call *call, const struct asked *in, struct said *out)
{
    return ask_once(call, "words", in, 0, 100, out);
}
MICA_TOOL(prompt, asked, said, prompt, .description = "Asks as apps do.");

// The second question is a repair of the first answer.
static enum mica_status
pair(struct mica_call *call, const struct asked *in, struct said *out)
{
    struct asked again = *in;

    MICA_TRY(ask_once(call, "first", in, 0, 50, out));
    again.user = mica_format(call, "%.*s+", MICA_ARG(out->text));
    return ask_once(call, "second", &again, 50, 100, out);
}
MICA_TOOL(pair, asked, said, pair, .description = "Asks twice.");

static enum mica_status
chat(struct mica_call *call, const struct asked *in, struct said *out)
{
    const struct mica_sampling sampling = {.prompt = in->user,
                                           .max_tokens = 100};

    return mica_sample(call, &sampling, &out->text);
}
MICA_TOOL(chat, asked, said, chat, .description = "Samples as tools do.",
          .requires = MICA_SAMPLING);

static void
say_ready(void *user, unsigned port)
{
    (void)user;
    fprintf(stderr, "listening on port %u\n", port);
}

static enum mica_status
fixture_open(const char *url, bool samples, struct mica_error *error,
             struct mica_server **server_out)
{
    const struct mica_server_options options = {.name = "models",
                                                .version = "1.0.0"};
    const struct mica_model_provider_options provider = {
        .name = "one", .url = url, .model = "echo", .seconds = 20};
    const struct mica_models_options models = {.providers = &provider,
                                               .count = 1};
    struct mica_server *server;

    MICA_TRY(mica_server_open(&options, error, &server));
    *server_out = server;
    MICA_TRY(mica_server_add_tool(server, &mica_tool_prompt, NULL, error));
    MICA_TRY(mica_server_add_tool(server, &mica_tool_pair, NULL, error));
    MICA_TRY(mica_server_add_tool(server, &mica_tool_chat, NULL, error));
    return mica_server_use_models(server, &models, samples ? "one" : NULL,
                                  error);
}

int
main(int argc, char **argv)
{
    struct mica_http_options http = {.quiet = true,
                                     .drain_s = -1,
                                     .workers = 4,
                                     .connections = 4096,
                                     .http_sse = true,
                                     .ready = say_ready};
    struct mica_server *server = NULL;
    struct mica_error error;
    enum mica_status status;

    if (argc < 4)
        return 2;
    if (argc > 4)
        http.listen = argv[4];
    status =
        fixture_open(argv[1], strcmp(argv[2], "sample") == 0, &error, &server);
    if (status == MICA_OK)
        status = argc > 4 ? mica_server_serve_http(server, &http, &error)
                          : mica_server_serve_stdio(server, NULL, &error);
    if (status != MICA_OK)
        fprintf(stderr, "%s: %s\n", error.code, error.message);
    mica_server_close(&server);
    return status == MICA_OK ? 0 : 1;
}
