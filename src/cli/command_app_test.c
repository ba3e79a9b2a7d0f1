// SPDX-License-Identifier: Apache-2.0
//
// mica app test: runs a draft in this process, without a server. The tool that it maps runs
// as by "mica call", a prompt is asked of the providers of mica.toml with --models, and the
// test counts as a call of the app in its store.
#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/cli_models.h"
#include "cli/command_app.h"
#include "cli/server_identity.h"
#include "model/model_service.h"
#include "publish/app_trials.h"

// ---- The result --------------------------------------------------------------------

// The texts of a result, then its data.
static void
print_result(struct mica_cli_app *work, const struct mica_json *result)
{
    const struct mica_json *content = mica_json_get(result, "content");
    const struct mica_json *data = mica_json_get(result, "structuredContent");
    struct mica_buffer pretty;

    for (size_t i = 0; content != NULL && i < content->count; i++) {
        mica_cli_lines(work->cli,
                       mica_json_get_text(&content->items[i], "text"));
        mica_cli_print(work->cli, "\n");
    }
    if (data == NULL)
        return;
    mica_buffer_init(&pretty, &work->cli->arena, MICA_CLI_APP_BYTES);
    mica_json_pretty(&pretty, data);
    mica_cli_print(work->cli, "%s", mica_cli_dim(work->cli));
    mica_cli_shown_json(work->cli, mica_cli_whole(&pretty));
    mica_cli_print(work->cli, "%s\n", mica_cli_plain(work->cli));
}

// ---- What the draft needs ------------------------------------------------------------

// The behavior with what the words change, as far as it says what is needed.
struct needed {
    struct mica_text type, tool;
};

static void
needed_take(const struct mica_json *draft, struct needed *needed)
{
    const struct mica_json *behavior = mica_json_get(draft, "behavior");
    struct mica_text type = mica_json_get_text(behavior, "type");
    struct mica_text tool = mica_json_get_text(behavior, "tool");

    if (type.len > 0)
        needed->type = type;
    if (tool.len > 0)
        needed->tool = tool;
}

static enum mica_status
needed_read(struct mica_cli_app *work, struct mica_text body,
            struct needed *needed_out)
{
    struct mica_json app, request;

    *needed_out = (struct needed){.type = {NULL, 0}};
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_READ, work->words[0],
                              (struct mica_text){NULL, 0}));
    MICA_TRY(mica_cli_app_answer(work, &app));
    needed_take(&app, needed_out);
    MICA_TRY(
        mica_json_read(&work->cli->arena, body, NULL, work->error, &request));
    needed_take(mica_json_get(&request, "draft"), needed_out);
    return MICA_OK;
}

// A server with the mapped tool alone, or with none: it only has the providers.
static enum mica_status
test_server_open(struct mica_cli_app *work, const struct needed *needed)
{
    const struct mica_definition *tool;
    struct mica_server_options described;

    if (mica_text_is(needed->type, "tool") && needed->tool.len > 0)
        return mica_cli_catalog_open_tool(
            work->cli, work->options,
            mica_cli_format(work->cli, "%.*s", MICA_ARG(needed->tool)),
            work->error, &work->server, &tool);
    MICA_TRY(mica_server_identity(work->cli, work->options, work->error,
                                  &described));
    return mica_server_open(&described, work->error, &work->server);
}

static enum mica_status
acts_complete(struct mica_cli_app *work, const struct needed *needed)
{
    struct mica_models *models;

    MICA_TRY(test_server_open(work, needed));
    work->acts.server = work->server;
    if (mica_text_is(needed->type, "prompt"))
        MICA_TRY(mica_cli_use_models(work->cli, work->options, work->server,
                                     work->error));
    models = mica_server_models(work->server);
    work->acts.knows_providers = true;
    if (models != NULL)
        work->acts.providers =
            mica_models_names(models, &work->acts.provider_count);
    work->acts.tests = mica_app_trials_tests;
    return MICA_OK;
}

// ---- The test ------------------------------------------------------------------------

// Fixed data are answered as they are; all else runs.
static enum mica_status
test_answer(struct mica_cli_app *work, struct mica_text body)
{
    struct mica_app_trials *trials = NULL;
    struct needed needed;
    enum mica_status status;

    MICA_TRY(needed_read(work, body, &needed));
    if (needed.type.len == 0 || mica_text_is(needed.type, "data"))
        return mica_cli_app_act(work, MICA_ACT_TEST, work->words[0], body);
    MICA_TRY(acts_complete(work, &needed));
    MICA_TRY(mica_app_trials_open(work->server, work->error, &trials));
    work->acts.tests_data = trials;
    status = mica_cli_app_call(work, MICA_ACT_TEST, work->words[0], body);
    mica_app_trials_close(&trials, work->store);
    if (status != MICA_OK && !work->json &&
        mica_text_is(needed.type, "prompt") &&
        mica_server_models(work->server) == NULL)
        mica_cli_note(work->cli,
                      "mica: --models asks the providers of mica.toml, and "
                      "--sampler 'CMD' answers for the model of a client\n");
    return status;
}

enum mica_status
mica_cli_app_test(struct mica_cli_app *work)
{
    struct mica_json result;
    struct mica_text body;

    MICA_TRY(mica_cli_app_words_patch(
        work->cli, work->words + 1, work->count - 1, NULL, work->error, &body));
    MICA_TRY(test_answer(work, body));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &result));
    print_result(work, &result);
    return MICA_OK;
}
