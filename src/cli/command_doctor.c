// SPDX-License-Identifier: Apache-2.0
//
// mica doctor: why something does not work here, before a person has to ask.
#include "cli/command_doctor.h"

#include "cli/commands.h"
#include "cli/settings.h"

enum {
    FINDINGS = 1024
};

static enum mica_status
doctor_run(struct mica_cli *cli, const struct mica_options *options,
           struct mica_error *error)
{
    struct mica_doctor doctor = {
        .cli = cli, .options = options, .room = FINDINGS};
    struct mica_options settled = *options;
    size_t failed = 0;

    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "doctor looks at everything and takes no \"%s\"",
                              options->words[0]);
    // With a fault in the file the defaults are looked at, and the fault is a finding.
    if (mica_settings_apply(cli, &settled, error) == MICA_OK)
        doctor.options = &settled;
    doctor.findings =
        mica_arena_zero(&cli->arena, FINDINGS, sizeof *doctor.findings);
    if (doctor.findings == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_doctor_toolchain(&doctor);
    mica_doctor_state(&doctor);
    mica_doctor_folder(&doctor);
    mica_doctor_machine(&doctor);
    mica_doctor_clients(&doctor);
    mica_doctor_print(&doctor);
    for (size_t i = 0; i < doctor.count; i++)
        failed += doctor.findings[i].level == MICA_FINDING_FAIL;
    if (failed == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "%zu check%s failed; each line says what to do",
                          failed, mica_cli_s(failed));
}

static const struct mica_option options[] = {
    {"json", MICA_OPTION_SWITCH, NULL, "print JSON, for a program"},
    {"listen", MICA_OPTION_VALUE, "HOST:PORT",
     "the address that is to be free (default 127.0.0.1:8080)"},
    {"store", MICA_OPTION_VALUE, "SPEC",
     "the store that is looked at, sqlite:PATH (default that of mica serve)"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_doctor = {
    .name = "doctor",
    .group = MICA_GROUP_SERVING,
    .summary = "Say what on this machine is in mica's way",
    .usage = "[--listen HOST:PORT] [--store SPEC] [--json]",
    .example = "mica doctor",
    .more = "Looks at the compilers, mica's own files, the store, the tools of "
            "this folder, the port, limits, the clock, and the clients that "
            "\"mica install\" knows. Each line is ok, warn or fail, and says "
            "what to do. The exit status is 0 unless something failed.",
    .options = options,
    .run = doctor_run};
