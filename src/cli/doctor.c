// SPDX-License-Identifier: Apache-2.0
//
// mica doctor: why something does not work here, before a person has to ask.
#include "cli/doctor.h"

#include "cli/commands.h"
#include "cli/file.h"

enum {
    FINDINGS = 1024,
    TEXT_BYTES = 16 << 20
};

static const char *const levels[] = {"ok", "warn", "fail"};

void
mica_doctor_add(struct mica_doctor *doctor, enum mica_finding_level level,
                const char *checkz, const char *factz, const char *fixz)
{
    if (doctor->count < doctor->room)
        doctor->findings[doctor->count++] = (struct mica_finding){
            level, checkz, mica_cli_format(doctor->cli, "%s", factz),
            fixz != NULL ? mica_cli_format(doctor->cli, "%s", fixz) : NULL};
}

static void
write_json(struct mica_cli *cli, const struct mica_doctor *doctor)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < doctor->count; i++) {
        const struct mica_finding *finding = &doctor->findings[i];
        mica_json_open_object(&writer);
        mica_json_field(&writer, "check", mica_text(finding->check));
        mica_json_field(&writer, "level", mica_text(levels[finding->level]));
        mica_json_field(&writer, "message", mica_text(finding->fact));
        if (finding->fix != NULL)
            mica_json_field(&writer, "fix", mica_text(finding->fix));
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    mica_cli_json(cli, mica_buffer_as_text(&text));
    mica_cli_print(cli, "\n");
}

static void
write_table(struct mica_cli *cli, const struct mica_doctor *doctor)
{
    static const enum mica_style styles[] = {MICA_STYLE_GREEN,
                                             MICA_STYLE_YELLOW, MICA_STYLE_RED};

    for (size_t i = 0; i < doctor->count; i++) {
        const struct mica_finding *finding = &doctor->findings[i];
        mica_cli_print(cli, "%s%-4s%s  %s%s%s: %s\n",
                       mica_style(cli->colour, styles[finding->level]),
                       levels[finding->level], mica_cli_plain(cli),
                       mica_cli_bold(cli), finding->check, mica_cli_plain(cli),
                       finding->fact);
        if (finding->fix != NULL)
            mica_cli_fill(cli, 6, mica_text(finding->fix));
    }
}

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    struct mica_doctor doctor = {
        .cli = cli, .options = options, .room = FINDINGS};
    size_t failed = 0;

    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "doctor looks at everything and takes no \"%s\"",
                              options->words[0]);
    doctor.findings =
        mica_arena_zero(&cli->arena, FINDINGS, sizeof *doctor.findings);
    if (doctor.findings == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_doctor_toolchain(&doctor);
    mica_doctor_state(&doctor);
    mica_doctor_folder(&doctor);
    mica_doctor_machine(&doctor);
    mica_doctor_clients(&doctor);
    if (mica_cli_wants_json(cli, options))
        write_json(cli, &doctor);
    else
        write_table(cli, &doctor);
    for (size_t i = 0; i < doctor.count; i++)
        failed += doctor.findings[i].level == MICA_FINDING_FAIL;
    if (failed == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "%zu check%s failed; each line says what to do",
                          failed, mica_cli_s(failed));
}

static const struct mica_option options[] = {
    {"json", MICA_OPTION_SWITCH, NULL,
     "print JSON, as when stdout is no terminal"},
    {"listen", MICA_OPTION_VALUE, "HOST:PORT",
     "the address that is to be free (default 127.0.0.1:8080)"},
    {"store", MICA_OPTION_VALUE, "SPEC",
     "the store that is looked at, sqlite:PATH (default that of mica serve)"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_doctor = {
    .name = "doctor",
    .summary = "Say what on this machine is in mica's way",
    .usage = "[--listen HOST:PORT] [--store SPEC] [--json]",
    .example = "mica doctor",
    .more = "Looks at the compilers, mica's own files, the store, the tools of "
            "this folder, the port, limits, the clock, and the clients that "
            "\"mica install\" knows. Each line is ok, warn or fail, and says "
            "what to do. The exit status is 0 unless something failed.",
    .options = options,
    .run = run};
