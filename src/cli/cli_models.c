// SPDX-License-Identifier: Apache-2.0
//
// See cli_models.h.
#include "cli/cli_models.h"

#include "cli/cli_file.h"
#include "cli/settings.h"
#include "cli/settings_providers.h"
#include "model/model_service.h"

enum mica_status
mica_cli_use_models(struct mica_cli *cli, const struct mica_options *options,
                    struct mica_server *server, struct mica_error *error)
{
    struct mica_settings_file file = {.path = NULL};
    bool wanted = mica_options_has(options, "models");
    enum mica_status status;

    if (!mica_options_has(options, "built-in"))
        MICA_TRY(mica_settings_read(cli, MICA_SETTINGS_FILE, error, &file));
    if (file.providers == NULL || file.providers->options.count == 0) {
        if (!wanted)
            return MICA_OK;
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--models needs a provider: name one in "
                              "[providers.NAME] of " MICA_SETTINGS_FILE
                              " (docs/models.md)");
    }
    if (!wanted) {
        mica_cli_note(cli,
                      "mica: %s names %zu provider%s of models; they are "
                      "called with --models alone\n",
                      file.path, file.providers->options.count,
                      mica_cli_s(file.providers->options.count));
        return MICA_OK;
    }
    status = mica_server_use_models(server, &file.providers->options,
                                    file.providers->sampling, error);
    if (status != MICA_OK)
        mica_error_prefix(error, "--models");
    else
        mica_server_draft_models(server, file.providers->drafting);
    return status;
}
