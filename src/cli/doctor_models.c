// SPDX-License-Identifier: Apache-2.0
//
// The providers of models: is each key there? No provider is called, which costs money.
#include "cli/cli_file.h"
#include "cli/command_doctor.h"
#include "cli/settings.h"
#include "cli/settings_providers.h"

static void
check_provider(struct mica_doctor *doctor,
               const struct mica_model_provider_options *provider)
{
    const char *check =
        mica_cli_format(doctor->cli, "provider %s", provider->name);
    struct mica_error error;

    if (mica_model_key_check(provider, &error) != MICA_OK) {
        mica_doctor_add(doctor, MICA_FINDING_WARN, check, error.message,
                        "\"mica serve --models\" does not start before that "
                        "is mended.");
        return;
    }
    mica_doctor_add(
        doctor, MICA_FINDING_OK, check,
        mica_cli_format(
            doctor->cli, "%s %s, %s", mica_provider_type_name(provider->type),
            provider->model, mica_provider_key_place(doctor->cli, provider)),
        NULL);
}

void
mica_doctor_models(struct mica_doctor *doctor)
{
    struct mica_settings_file file;
    struct mica_error ignored; // the settings are a finding of their own

    if (mica_settings_read(doctor->cli, MICA_SETTINGS_FILE, &ignored, &file) !=
            MICA_OK ||
        file.providers == NULL)
        return;
    for (size_t i = 0; i < file.providers->options.count; i++)
        check_provider(doctor, &file.providers->options.providers[i]);
}
