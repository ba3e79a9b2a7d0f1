// SPDX-License-Identifier: Apache-2.0
//
// What mica doctor finds in the configurations of clients, each read as mica install
// reads it.
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli_file.h"
#include "cli/clients.h"
#include "cli/command_doctor.h"

// What a client starts, as far as it says so: each may be empty.
struct started {
    struct mica_text command;
    struct mica_text folder; // behind --project
};

// The value behind "NAME = " of a line, if it is one that JSON has, too.
static bool
read_toml(struct mica_doctor *doctor, struct mica_text entry, const char *namez,
          struct mica_json *value_out)
{
    size_t length = strlen(namez);

    while (entry.len > 0) {
        const char *end = memchr(entry.ptr, '\n', entry.len);
        size_t size = end != NULL ? (size_t)(end - entry.ptr) : entry.len;
        struct mica_text line = mica_text_slice(entry, 0, size);
        if (mica_text_starts(line, namez) &&
            mica_text_starts(mica_text_slice(line, length, size), " = "))
            return mica_json_read(&doctor->cli->arena,
                                  mica_text_slice(line, length + 3, size), NULL,
                                  NULL, value_out) == MICA_OK;
        entry = mica_text_slice(entry, size + 1, entry.len);
    }
    return false;
}

static void
find_folder(const struct mica_json *args, struct mica_text *folder_out)
{
    for (size_t i = 0; args->kind == MICA_JSON_ARRAY && i + 1 < args->count;
         i++)
        if (mica_text_is(args->items[i].text, "--project"))
            *folder_out = args->items[i + 1].text;
}

static struct started
read_entry(struct mica_doctor *doctor, const struct mica_client_kind *client,
           struct mica_text entry)
{
    struct started started = {.command = {NULL, 0}};
    struct mica_json value;

    if (client->format == &mica_edit_toml) {
        if (read_toml(doctor, entry, "command", &value) &&
            value.kind == MICA_JSON_STRING)
            started.command = value.text;
        if (read_toml(doctor, entry, "args", &value))
            find_folder(&value, &started.folder);
    } else if (mica_json_read(&doctor->cli->arena, entry, NULL, NULL, &value) ==
               MICA_OK) {
        const struct mica_json *args = mica_json_get(&value, "args");
        started.command = mica_json_get_text(&value, "command");
        if (args != NULL)
            find_folder(args, &started.folder);
    }
    return started;
}

// A place in full that is not what it should be; what a client has of its own
// folder (${workspaceFolder}) only the client knows.
static bool
is_missing(struct mica_doctor *doctor, struct mica_text path, bool folder)
{
    const char *pathz = mica_cli_format(doctor->cli, "%.*s", MICA_ARG(path));
    struct stat st;

    if (pathz[0] != '/')
        return false;
    return folder ? stat(pathz, &st) != 0 || !S_ISDIR(st.st_mode)
                  : access(pathz, X_OK) != 0;
}

static void
check_entry(struct mica_doctor *doctor, const struct mica_client_kind *client,
            const char *path, struct mica_text entry)
{
    struct started started = read_entry(doctor, client, entry);
    struct mica_cli *cli = doctor->cli;

    if (is_missing(doctor, started.command, false))
        mica_doctor_add(
            doctor, MICA_FINDING_WARN, client->name,
            mica_cli_format(cli, "%s starts %.*s, which cannot be run", path,
                            MICA_ARG(started.command)),
            mica_cli_format(cli, "\"mica install %s\" puts this mica there.",
                            client->name));
    else if (is_missing(doctor, started.folder, true))
        mica_doctor_add(
            doctor, MICA_FINDING_WARN, client->name,
            mica_cli_format(
                cli,
                "%s has a server mica for the folder %.*s, which is "
                "not there",
                path, MICA_ARG(started.folder)),
            mica_cli_format(cli,
                            "\"mica install %s\", in the folder whose tools "
                            "it shall have, puts that there.",
                            client->name));
    else
        mica_doctor_add(doctor, MICA_FINDING_OK, client->name,
                        mica_cli_format(cli, "%s has a server mica", path),
                        NULL);
}

static void
check_client(struct mica_doctor *doctor, const struct mica_client_kind *client,
             const char *path)
{
    struct mica_cli *cli = doctor->cli;
    struct mica_cli_file file;
    struct mica_error error;
    struct mica_text entry;

    if (mica_cli_file_look(cli, path, &error, &file) != MICA_OK) {
        mica_doctor_add(doctor, MICA_FINDING_WARN, client->name, error.message,
                        "mica cannot say what that client starts.");
        return;
    }
    if (!file.there)
        return; // is not used here
    const struct mica_edit edit = {.format = client->format,
                                   .arena = &cli->arena,
                                   .text = file.text,
                                   .section = client->section,
                                   .name = "mica"};
    if (client->format->find(&edit, &error, &entry) != MICA_OK)
        mica_doctor_add(
            doctor, MICA_FINDING_WARN, client->name,
            mica_cli_format(cli, "%s: %s", path, error.message),
            mica_cli_format(cli,
                            "mica leaves such a file alone; \"mica install %s "
                            "--print\" shows what to put there.",
                            client->name));
    else if (entry.len > 0)
        check_entry(doctor, client, path, entry);
    else
        mica_doctor_add(doctor, MICA_FINDING_OK, client->name,
                        mica_cli_format(cli,
                                        "%s has no server mica; \"mica install "
                                        "%s\" puts it there",
                                        path, client->name),
                        NULL);
}

void
mica_doctor_clients(struct mica_doctor *doctor)
{
    for (size_t i = 0; mica_client_kinds[i].name != NULL; i++) {
        struct mica_error error;
        const char *path;
        // Without a home there are no such files; the check of the state says so.
        if (mica_client_path(doctor->cli, &mica_client_kinds[i], false, &error,
                             &path) == MICA_OK)
            check_client(doctor, &mica_client_kinds[i], path);
    }
}
