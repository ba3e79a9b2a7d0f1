// SPDX-License-Identifier: Apache-2.0
//
// Providers of mica.toml: each [providers.NAME] is a language model that this server may
// call (model/model.h). They have no flags and no variables; --models lets them be used,
// as a file that came with a folder may not send the operator's keys anywhere by itself.
#ifndef MICA_CLI_SETTINGS_PROVIDERS_H
#define MICA_CLI_SETTINGS_PROVIDERS_H

#include "cli/cli.h"
#include "model/model.h"
#include "toml/toml.h"

// For the options table of a command that serves.
#define MICA_MODELS_OPTION                                                 \
    {                                                                      \
        "models", MICA_OPTION_TOGGLE, NULL,                                \
            "call the language models that [providers.NAME] of mica.toml " \
            "names, with their keys"                                       \
    }

struct mica_provider_settings {
    struct mica_models_options options;
    size_t *lines; // of the file, one for each provider
    const char *
        sampling; // the provider that answers for clients without a model; or NULL
    // The provider that drafts apps; NULL: none, as all say "drafting = false".
    const char *drafting;
};

// Reads and checks the table. In the arena. Errors: as mica_settings_read.
enum mica_status
mica_provider_settings_read(struct mica_cli *cli, const struct mica_toml *table,
                            struct mica_text text, struct mica_error *error,
                            const struct mica_provider_settings **settings_out)
    MICA_MUST_USE;

// Where the key of a provider is, as "variable NAME", "file PATH", "credential NAME" or
// "no key"; never the key itself. In the arena.
const char *
mica_provider_key_place(struct mica_cli *cli,
                        const struct mica_model_provider_options *provider);

// "openai", "anthropic"; "schema", "tool", "prompt".
const char *mica_provider_type_name(enum mica_model_type type);
const char *mica_provider_structure_name(enum mica_model_structure structure);

#endif
