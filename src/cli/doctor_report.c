// SPDX-License-Identifier: Apache-2.0
//
// The findings of mica doctor: collected, then printed as JSON or for a person.
#include "cli/command_doctor.h"

#include "cli/cli_file.h"

enum {
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
findings_write_json(struct mica_cli *cli, const struct mica_doctor *doctor)
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
    mica_cli_json_buffer(cli, &text);
}

static void
findings_write_table(struct mica_cli *cli, const struct mica_doctor *doctor)
{
    static const enum mica_style styles[] = {MICA_STYLE_GREEN,
                                             MICA_STYLE_YELLOW, MICA_STYLE_RED};

    for (size_t i = 0; i < doctor->count; i++) {
        const struct mica_finding *finding = &doctor->findings[i];
        mica_cli_print(cli, "%s%-4s%s  %s%s%s: %s\n",
                       mica_style(cli->color, styles[finding->level]),
                       levels[finding->level], mica_cli_plain(cli),
                       mica_cli_bold(cli), finding->check, mica_cli_plain(cli),
                       finding->fact);
        if (finding->fix != NULL)
            mica_cli_fill(cli, 6, mica_text(finding->fix));
    }
}

void
mica_doctor_print(const struct mica_doctor *doctor)
{
    if (mica_cli_wants_json(doctor->options))
        findings_write_json(doctor->cli, doctor);
    else
        findings_write_table(doctor->cli, doctor);
}
