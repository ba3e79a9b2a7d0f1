// SPDX-License-Identifier: Apache-2.0
//
// mica app new --describe: a new app from one sentence, by a language model with --models,
// and otherwise by rule.
#include "cli/cli_file.h"
#include "cli/cli_models.h"
#include "cli/command_app.h"
#include "cli/server_identity.h"
#include "model/model_service.h"

enum {
    REQUEST_BYTES = 32 * 1024
};

// The provider that drafts, of a server that has nothing else; none: by rule.
static enum mica_status
drafter_find(struct mica_cli_app *work)
{
    struct mica_server_options described;

    if (!mica_options_has(work->options, "models"))
        return MICA_OK;
    MICA_TRY(mica_server_identity(work->cli, work->options, work->error,
                                  &described));
    MICA_TRY(mica_server_open(&described, work->error, &work->server));
    MICA_TRY(mica_cli_use_models(work->cli, work->options, work->server,
                                 work->error));
    work->acts.drafter = mica_server_model_drafter(work->server);
    return MICA_OK;
}

static enum mica_status
request_write(struct mica_cli_app *work, const char *sentence,
              struct mica_text *body_out)
{
    const char *layout = mica_cli_app_flag(work, "layout");
    struct mica_json_writer writer;
    struct mica_buffer body;

    mica_buffer_init(&body, &work->cli->arena, REQUEST_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "sentence", mica_text(sentence));
    mica_json_field(&writer, "name", mica_text(work->words[0]));
    if (layout != NULL)
        mica_json_field(&writer, "layoutTemplate", mica_text(layout));
    mica_json_close_object(&writer);
    *body_out = mica_buffer_as_text(&body);
    return body.overflow ? mica_error_set(work->error, MICA_E_LIMIT, "",
                                          "the sentence is too long")
                         : MICA_OK;
}

// Who has made which member, and why a model has not.
static void
say_sources(struct mica_cli_app *work, const struct mica_json *answer)
{
    const struct mica_json *sources = mica_json_get(answer, "sources");
    const struct mica_json *findings = mica_json_get(answer, "findings");
    bool any = false;

    if (work->json)
        return;
    for (size_t i = 0; findings != NULL && i < findings->count; i++)
        mica_cli_note(
            work->cli, "mica: %.*s\n",
            MICA_ARG(mica_json_get_text(&findings->items[i], "message")));
    for (size_t i = 0; sources != NULL && i < sources->count; i++) {
        struct mica_text by = sources->members[i].value.text;
        if (mica_text_is(by, "given"))
            continue;
        mica_cli_note(work->cli, "%s%.*s by %.*s",
                      any ? ", " : "mica: ", MICA_ARG(sources->members[i].name),
                      MICA_ARG(by));
        any = true;
    }
    mica_cli_note(work->cli, "\n");
}

enum mica_status
mica_cli_app_describe(struct mica_cli_app *work, const char *sentence,
                      struct mica_json *draft_out)
{
    struct mica_json answer;
    struct mica_text body;

    MICA_TRY(drafter_find(work));
    MICA_TRY(request_write(work, sentence, &body));
    if (work->acts.drafter.len > 0)
        MICA_TRY(mica_cli_app_call(work, MICA_ACT_DRAFT, "", body));
    else
        MICA_TRY(mica_cli_app_act(work, MICA_ACT_DRAFT, "", body));
    MICA_TRY(mica_cli_app_answer(work, &answer));
    say_sources(work, &answer);
    *draft_out = *mica_json_get(&answer, "draft");
    return MICA_OK;
}
