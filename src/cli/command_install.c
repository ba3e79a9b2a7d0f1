// SPDX-License-Identifier: Apache-2.0
//
// mica install: mica as a server of a client, in the client's own configuration. The
// change is shown before it is made, the file as it was is kept, and --undo brings it
// back. A file that cannot be read whole is never written.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/clients.h"
#include "cli/commands.h"
#include "cli/difference.h"
#include "cli/project.h"
#include "cli/server_identity.h"

#define BACKUP ".mica-backup"

enum {
    NAME_LENGTH = 64,
    RESULT_BYTES = 64 << 10, // of what is printed in the end
    ARGS = 8
};

// One run of the command.
struct work {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_error *error;
    const struct mica_client_kind *client;
    const char *name;
    bool project;
    struct mica_cli_file file, backup;
    struct mica_edit edit; // of the file
};

// ---- What is wanted ----------------------------------------------------------------

static enum mica_status
check_name(const char *name, struct mica_error *error)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(name);

    if (length >= 1 && length <= NAME_LENGTH && strspn(name, allowed) == length)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" cannot be the name of a server: use 1 to %d "
                          "of A-Z, a-z, 0-9, \"_\" and \"-\"",
                          name, NAME_LENGTH);
}

static enum mica_status
check_url(const char *url, struct mica_error *error)
{
    if (url == NULL)
        return MICA_OK;
    if ((strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0) &&
        strpbrk(url, " \t\r\n\"\\<>") == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" is no address of a server; \"mica serve\" "
                          "prints one like http://127.0.0.1:8080/mcp",
                          url);
}

// Writing into the home of another user would leave files that are not theirs.
static enum mica_status
check_home(const struct work *work)
{
    const char *home = getenv("HOME");
    struct stat st;

    if (work->project || home == NULL || stat(home, &st) != 0 ||
        st.st_uid == geteuid())
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_USAGE, "",
                          "the folder %s belongs to another user; run mica "
                          "install as that user",
                          home);
}

static enum mica_status
install_look(struct work *work)
{
    struct mica_cli *cli = work->cli;
    const char *path;

    MICA_TRY(check_home(work));
    MICA_TRY(
        mica_client_path(cli, work->client, work->project, work->error, &path));
    MICA_TRY(mica_cli_file_look(cli, path, work->error, &work->file));
    MICA_TRY(mica_cli_file_look(
        cli, mica_cli_format(cli, "%s" BACKUP, work->file.path), work->error,
        &work->backup));
    work->edit = (struct mica_edit){.format = work->client->format,
                                    .arena = &cli->arena,
                                    .text = work->file.text,
                                    .section = work->client->section,
                                    .name = work->name};
    return MICA_OK;
}

static enum mica_status
read_words(struct work *work)
{
    const struct mica_options *options = work->options;
    const char *scope = mica_options_value(options, "scope");
    const char *name = mica_options_value(options, "name");

    if (options->word_count != 1)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "install into which client? " MICA_CLIENT_NAMES);
    work->client = mica_client_find(options->words[0]);
    if (work->client == NULL)
        return mica_error_set(
            work->error, MICA_E_USAGE, "",
            "mica knows no client \"%s\", but " MICA_CLIENT_NAMES
            "; for others, \"mica install cursor --print\" "
            "shows what most of them take",
            options->words[0]);
    if (scope != NULL && strcmp(scope, "user") != 0 &&
        strcmp(scope, "project") != 0)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "--scope takes \"user\" or \"project\", not "
                              "\"%s\"",
                              scope);
    work->project = scope != NULL && strcmp(scope, "project") == 0;
    work->name = name == NULL ? "mica"
                 : mica_options_last(options, "name")->by == MICA_BY_FLAG
                     ? name
                     : mica_server_slug(work->cli, name);
    MICA_TRY(check_name(work->name, work->error));
    return check_url(mica_options_value(options, "url"), work->error);
}

// ---- The server --------------------------------------------------------------------

// "mica" if that is what a shell would start, for files that others will have.
static bool
is_on_path(const char *program)
{
    const char *path = getenv("PATH");
    char candidate[PATH_MAX], whole[PATH_MAX];

    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        if (length > 0 && length + sizeof "/mica" < sizeof candidate) {
            memcpy(candidate, path, length);
            memcpy(candidate + length, "/mica", sizeof "/mica");
            if (realpath(candidate, whole) != NULL)
                return strcmp(whole, program) == 0;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

// Clients start it from a folder of their own, so what it serves is said in full.
static enum mica_status
find_server(struct work *work, const char **args,
            struct mica_client_server *server)
{
    struct mica_cli *cli = work->cli;
    char program[PATH_MAX], here[PATH_MAX];
    size_t count = 0;

    *server = (struct mica_client_server){
        .args = args, .url = mica_options_value(work->options, "url")};
    if (server->url != NULL)
        return MICA_OK;
    if (realpath("/proc/self/exe", program) == NULL ||
        getcwd(here, sizeof here) == NULL)
        return mica_error_set(work->error, MICA_E_IO, "",
                              "cannot say where mica or this folder is: %s",
                              strerror(errno));
    server->command = work->project && is_on_path(program)
                          ? "mica"
                          : mica_cli_format(cli, "%s", program);
    args[count++] = "stdio";
    if (!mica_project_is_chosen(work->options)) {
        args[count++] = "--built-in";
    } else if (!work->project || work->client->here != NULL) {
        args[count++] = "--project";
        args[count++] = work->project ? work->client->here
                                      : mica_cli_format(cli, "%s", here);
    }
    return MICA_OK;
}

static enum mica_status
make_entry(struct work *work, struct mica_text old, struct mica_text *entry_out)
{
    const char *args[ARGS] = {NULL};
    struct mica_client_server server;

    MICA_TRY(find_server(work, args, &server));
    return mica_client_entry(work->cli, work->client, &server, old, work->error,
                             entry_out);
}

// ---- What is said in the end -------------------------------------------------------

// The file, when it was changed; with --json also that it was not.
static void
print_end(struct work *work, bool changed)
{
    struct mica_cli *cli = work->cli;
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (!mica_cli_wants_json(work->options)) {
        if (changed)
            mica_cli_print(cli, "%s\n", work->file.path);
        return;
    }
    mica_buffer_init(&text, &cli->arena, RESULT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "client", mica_text(work->client->name));
    mica_json_field(&writer, "name", mica_text(work->name));
    mica_json_field(&writer, "file", mica_text(work->file.path));
    mica_json_name(&writer, "changed");
    mica_json_boolean(&writer, changed);
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
}

// ---- Writing -----------------------------------------------------------------------

// With a file that cannot be edited, what a person can put there is said.
static enum mica_status
install_explain(struct work *work, enum mica_status status)
{
    struct mica_edit empty = work->edit;
    struct mica_error ignored;
    struct mica_text entry, text;

    if (status != MICA_E_JSON && status != MICA_E_FORMAT &&
        status != MICA_E_TYPE && status != MICA_E_DUPLICATE)
        return status;
    mica_error_prefix(work->error,
                      "%s is left as it is, since mica does not understand it",
                      work->file.path);
    empty.text = (struct mica_text){NULL, 0};
    if (make_entry(work, empty.text, &entry) == MICA_OK &&
        work->client->format->put(&empty, entry, &ignored, &text) == MICA_OK) {
        mica_cli_note(work->cli, "To do it by hand, put this into it:\n");
        mica_cli_tell_lines(text);
        mica_cli_note(work->cli, "\n");
    }
    return status;
}

// Shows the change, and asks unless --yes. A user who has taken the right to write away
// has answered already.
static enum mica_status
install_agree(struct work *work, struct mica_text after)
{
    struct mica_text answer;

    if (work->file.there && (work->file.mode & 0222) == 0)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "%s is read-only, so nothing is changed; allow "
                              "it with \"chmod u+w\", or change by hand what "
                              "--print shows",
                              work->file.path);
    mica_cli_difference(work->cli, work->file.path, work->file.text, after);
    if (mica_options_has(work->options, "yes"))
        return MICA_OK;
    if (isatty(STDIN_FILENO) == 0)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "nothing is changed, as no person can be asked: "
                              "give --yes");
    mica_cli_note(work->cli, "Write this? [y/N] ");
    if (mica_cli_read_line(work->cli, &answer) &&
        (mica_text_is(answer, "y") || mica_text_is(answer, "yes")))
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_CANCELLED, "",
                          "nothing is changed");
}

// Of the file before the server was put into it. One that is there and may be of
// another time is written anew when the file has no such server.
static enum mica_status
keep_backup(struct work *work, struct mica_text old)
{
    if (!work->file.there || (work->backup.there && old.len > 0))
        return MICA_OK;
    // As secret as the file itself.
    work->backup.mode = work->file.mode;
    work->backup.owner = work->file.owner;
    work->backup.group = work->file.group;
    MICA_TRY(mica_cli_file_replace(work->cli, &work->backup, work->file.text,
                                   true, work->error));
    work->backup.there = true;
    if (chmod(work->backup.path, work->file.mode) != 0)
        return mica_error_set(work->error, MICA_E_IO, "",
                              "cannot keep the rights of %s: %s",
                              work->backup.path, strerror(errno));
    return MICA_OK;
}

static enum mica_status
install_server(struct work *work)
{
    struct mica_text old, entry, after;
    enum mica_status status;

    status = work->client->format->find(&work->edit, work->error, &old);
    if (status != MICA_OK)
        return install_explain(work, status);
    MICA_TRY(make_entry(work, old, &entry));
    status = work->client->format->put(&work->edit, entry, work->error, &after);
    if (status != MICA_OK)
        return install_explain(work, status);
    if (mica_text_equal(after, work->file.text)) {
        mica_cli_note(work->cli, "%s has it already; nothing is changed.\n",
                      work->file.path);
        print_end(work, false);
        return MICA_OK;
    }
    MICA_TRY(install_agree(work, after));
    MICA_TRY(keep_backup(work, old));
    MICA_TRY(mica_cli_file_replace(work->cli, &work->file, after,
                                   !work->project, work->error));
    print_end(work, true);
    mica_cli_note(work->cli,
                  "%s knows the server \"%s\" when it is started again; "
                  "\"mica install %s%s --undo\" takes it out.\n",
                  work->client->title, work->name, work->client->name,
                  work->project ? " --scope project" : "");
    return MICA_OK;
}

// ---- Undoing -----------------------------------------------------------------------

// Is the file what install made of the backup (of nothing), and no more?
static bool
is_as_made(struct work *work, struct mica_text entry)
{
    struct mica_edit before = work->edit;
    struct mica_error ignored;
    struct mica_text made;

    before.text = work->backup.text;
    return work->client->format->put(&before, entry, &ignored, &made) ==
               MICA_OK &&
           mica_text_equal(made, work->file.text);
}

static enum mica_status
remove_file(struct work *work, const char *path)
{
    if (unlink(path) == 0)
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_IO, "", "cannot remove %s: %s",
                          path, strerror(errno));
}

static enum mica_status
install_undo(struct work *work)
{
    struct mica_text entry, after;
    enum mica_status status;
    bool whole;

    status = work->client->format->find(&work->edit, work->error, &entry);
    if (status != MICA_OK)
        return install_explain(work, status);
    status = work->client->format->drop(&work->edit, work->error, &after);
    if (status != MICA_OK)
        return install_explain(work, status);
    if (entry.len == 0) {
        mica_cli_note(work->cli,
                      "%s has no server \"%s\"; nothing is changed.\n",
                      work->file.path, work->name);
        print_end(work, false);
        return MICA_OK;
    }
    whole = is_as_made(work, entry);
    if (whole)
        after = work->backup.text;
    MICA_TRY(install_agree(work, after));
    if (whole && !work->backup.there)
        MICA_TRY(remove_file(work, work->file.path));
    else
        MICA_TRY(mica_cli_file_replace(work->cli, &work->file, after,
                                       !work->project, work->error));
    if (whole && work->backup.there)
        MICA_TRY(remove_file(work, work->backup.path));
    else if (work->backup.there)
        mica_cli_note(work->cli,
                      "The file has changed since mica was put into it; as it "
                      "was before that it is in %s.\n",
                      work->backup.path);
    print_end(work, true);
    return MICA_OK;
}

// ---- The command -------------------------------------------------------------------

static enum mica_status
print_entry(struct work *work)
{
    struct mica_edit empty = {.format = work->client->format,
                              .arena = &work->cli->arena,
                              .section = work->client->section,
                              .name = work->name};
    struct mica_text entry, text;

    MICA_TRY(make_entry(work, empty.text, &entry));
    MICA_TRY(work->client->format->put(&empty, entry, work->error, &text));
    mica_cli_file(work->cli, text);
    return MICA_OK;
}

static enum mica_status
install_run(struct mica_cli *cli, const struct mica_options *options,
            struct mica_error *error)
{
    struct work work = {.cli = cli, .options = options, .error = error};
    bool undoes = mica_options_has(options, "undo");

    MICA_TRY(read_words(&work));
    if (mica_options_has(options, "print") &&
        (undoes || mica_options_has(options, "yes")))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--print changes nothing; leave it out, or the "
                              "others");
    if (undoes && mica_options_value(options, "url") != NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--undo takes the server out by its name; leave "
                              "--url out");
    if (mica_options_has(options, "print"))
        return print_entry(&work);
    MICA_TRY(install_look(&work));
    return undoes ? install_undo(&work) : install_server(&work);
}

static const struct mica_option options[] = {
    {"yes", MICA_OPTION_SWITCH, NULL, "write without asking"},
    {"undo", MICA_OPTION_SWITCH, NULL,
     "take the server out again; a file that has not changed since is as it "
     "was before"},
    {"print", MICA_OPTION_SWITCH, NULL,
     "print what would be put there, to copy; change nothing"},
    {"scope", MICA_OPTION_VALUE, "user|project",
     "for all that you do (default), or for this folder alone, in a file that "
     "goes with it"},
    {"url", MICA_OPTION_VALUE, "URL",
     "a server that runs, as \"mica serve\" prints it, instead of one that the "
     "client starts"},
    {"name", MICA_OPTION_VALUE, "NAME",
     "what the server is called there (default the name in mica.toml, else "
     "mica)"},
    {"json", MICA_OPTION_SWITCH, NULL,
     "print {client, name, file, changed} as JSON; --print has the client's own "
     "format in any case"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_install = {
    .name = "install",
    .group = MICA_GROUP_SERVING,
    .summary = "Put mica into the configuration of a client",
    .usage = "CLIENT [--url URL] [--scope user|project] [--yes | --print] | "
             "CLIENT --undo",
    .example = "mica install claude-desktop\n  mica install vscode --scope "
               "project --yes\n  mica install codex --url "
               "http://127.0.0.1:8080/mcp",
    .more =
        "CLIENT is " MICA_CLIENT_NAMES
        ". The client will serve the tools of this folder, or where it has "
        "none those inside mica. The change is shown first, all else in the "
        "file stays as it is, and the file as it was is kept beside it as "
        "FILE" BACKUP " until --undo. A file that is broken, or has comments "
        "where its client takes none, is left alone: what to put there is "
        "printed.",
    .words = "claude-desktop|claude-code|vscode|cursor|codex|gemini",
    .options = options,
    .settings = true,
    .run = install_run};
