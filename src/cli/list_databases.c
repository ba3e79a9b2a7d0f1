// SPDX-License-Identifier: Apache-2.0
//
// See list_databases.h.
#include "cli/list_databases.h"

#include <string.h>

#include "cli/cli_keep.h"
#include "keep/keep_list.h"
#include "platform/wall_clock.h"

enum {
    JSON_BYTES = 1 << 20,
    KIB = 1024
};

static void
write_json(struct mica_cli *cli, const struct mica_keep_listed *listed,
           size_t count)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, JSON_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < count; i++) {
        const struct mica_keep_listed *one = &listed[i];
        const struct {
            const char *name;
            int64_t value;
        } numbers[] = {{"entries", one->entries},
                       {"expired", one->expired},
                       {"tables", one->tables},
                       {"bytes", one->bytes},
                       {"freeBytes", one->free_bytes}};
        mica_json_open_object(&writer);
        mica_json_field(&writer, "name", mica_text(one->name));
        for (size_t k = 0; k < MICA_COUNT(numbers); k++) {
            mica_json_name(&writer, numbers[k].name);
            mica_json_integer(&writer, numbers[k].value);
        }
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    mica_cli_json_buffer(cli, &text);
}

static void
write_line(struct mica_cli *cli, const struct mica_keep_listed *one,
           size_t width)
{
    mica_cli_print(cli, "%s", one->name);
    for (size_t i = strlen(one->name); i < width + 2; i++)
        mica_cli_print(cli, " ");
    mica_cli_print(cli, "%lld entr%s, %lld table%s, %lld KiB",
                   (long long)one->entries, one->entries == 1 ? "y" : "ies",
                   (long long)one->tables, mica_cli_s((size_t)one->tables),
                   (long long)(one->bytes / KIB));
    if (one->free_bytes > 0)
        mica_cli_print(cli, ", %lld KiB of it free",
                       (long long)(one->free_bytes / KIB));
    mica_cli_print(cli, "\n");
}

static void
write_lines(struct mica_cli *cli, const struct mica_keep_listed *listed,
            size_t count)
{
    size_t width = 0;

    for (size_t i = 0; i < count; i++)
        if (strlen(listed[i].name) > width)
            width = strlen(listed[i].name);
    for (size_t i = 0; i < count; i++)
        write_line(cli, &listed[i], width);
}

enum mica_status
mica_list_databases(struct mica_cli *cli, const struct mica_options *options,
                    struct mica_error *error)
{
    const struct mica_keep_listed *listed = NULL;
    char folder[PATH_MAX];
    size_t count = 0;

    MICA_TRY(mica_cli_project_keep_folder(options, error, folder));
    if (folder[0] != '\0')
        MICA_TRY(mica_keep_list_databases(folder, mica_wall_clock_ms(),
                                          &cli->arena, error, &listed, &count));
    if (mica_cli_wants_json(options))
        write_json(cli, listed, count);
    else
        write_lines(cli, listed, count);
    if (count == 0 && cli->note_terminal)
        mica_cli_note(cli, "The tools of this folder keep nothing yet.\n");
    return MICA_OK;
}
