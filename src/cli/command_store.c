// SPDX-License-Identifier: Apache-2.0
//
// mica store: a copy of what the server keeps, whether it is sound, and what is
// in it and in the databases of tools. Nothing here makes a store, and all of it may run while one is served.
#include <string.h>
#include <unistd.h>

#include <mica/store.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/identity.h"
#include "cli/list_databases.h"
#include "keep/keep_backup.h"
#include "serve/stop.h"

enum {
    PAGE_BYTES = 4096,
    SHOWN_PAGES = 16 << 8, // copying less takes no time to speak of
    FINDINGS_BYTES = 256 * 1024,
    JSON_BYTES = 1 << 20
};

// ---- backup --------------------------------------------------------------------

static bool
show_progress(void *user, int64_t done, int64_t total)
{
    struct mica_cli *cli = user;

    bool shows = cli->terminal && total > SHOWN_PAGES;

    if (shows)
        mica_cli_note(cli, "\r\033[K%s%lld of %lld MiB",
                      done < total ? "" : "copied ",
                      (long long)(done * PAGE_BYTES >> 20),
                      (long long)(total * PAGE_BYTES >> 20));
    if (shows && done >= total)
        mica_cli_note(cli, "\n");
    return mica_stop_count() == 0;
}

// The databases of tools, into a folder beside the copy; "": no database.
static enum mica_status
back_up_keep(struct mica_cli *cli, const struct mica_options *options,
             const char *path, struct mica_error *error, const char **copy_out)
{
    char folder[PATH_MAX];
    size_t count = 0;

    *copy_out = mica_cli_format(cli, "%s-keep", path);
    MICA_TRY(mica_cli_project_keep_folder(options, error, folder));
    if (folder[0] != '\0')
        MICA_TRY(mica_keep_backup(folder, *copy_out, error, &count));
    if (count == 0)
        *copy_out = "";
    return MICA_OK;
}

static enum mica_status
back_up(struct mica_cli *cli, const struct mica_options *options,
        struct mica_store *store, struct mica_error *error)
{
    const char *path = options->words[1], *keep;
    struct mica_store_place place;
    enum mica_status status;
    int stop;

    MICA_TRY(mica_store_place(store, error, &place));
    MICA_TRY(mica_stop_open(error, &stop));
    status = mica_store_backup(store, path, show_progress, cli, error);
    mica_stop_close();
    MICA_TRY(status);
    MICA_TRY(back_up_keep(cli, options, path, error, &keep));
    if (!mica_cli_wants_json(options)) {
        mica_cli_print(cli, "%s is a copy of %s\n", path, place.path);
        if (keep[0] != '\0')
            mica_cli_print(cli, "%s has copies of what tools keep\n", keep);
        return MICA_OK;
    }
    struct mica_json_writer writer;
    struct mica_buffer text;
    mica_buffer_init(&text, &cli->arena, JSON_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "store", mica_text(place.path));
    mica_json_field(&writer, "copy", mica_text(path));
    if (keep[0] != '\0')
        mica_json_field(&writer, "keep", mica_text(keep));
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
    return MICA_OK;
}

// ---- check ---------------------------------------------------------------------

// The next line of `*rest`.
static struct mica_text
next_line(struct mica_text *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end != NULL ? (size_t)(end - rest->ptr) : rest->len;
    struct mica_text line = mica_text_slice(*rest, 0, len);

    *rest = mica_text_slice(*rest, len + 1, rest->len);
    return line;
}

static void
report_json(struct mica_cli *cli, const char *path, struct mica_text findings)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, JSON_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "store", mica_text(path));
    mica_json_name(&writer, "sound");
    mica_json_boolean(&writer, findings.len == 0);
    mica_json_name(&writer, "findings");
    mica_json_open_array(&writer);
    while (findings.len > 0)
        mica_json_string(&writer, next_line(&findings));
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
}

static enum mica_status
store_check(struct mica_cli *cli, const struct mica_options *options,
            struct mica_store *store, struct mica_error *error)
{
    struct mica_store_place place;
    struct mica_text findings;

    MICA_TRY(mica_store_place(store, error, &place));
    MICA_TRY(mica_store_check(store, &cli->arena, error, &findings));
    if (mica_cli_wants_json(options))
        report_json(cli, place.path, findings);
    else if (findings.len > 0)
        mica_cli_lines(cli, findings);
    else
        mica_cli_print(cli, "%s is sound\n", place.path);
    if (findings.len == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "%s does not agree with itself. Stop the server, "
                          "move the file away and put a copy back that \"mica "
                          "store backup\" made; or begin without.",
                          place.path);
}

// ---- info ----------------------------------------------------------------------

struct number {
    const char *name, *words;
    int64_t value;
};

static enum mica_status
store_info(struct mica_cli *cli, const struct mica_options *options,
           struct mica_store *store, struct mica_error *error)
{
    struct mica_store_statistics s;
    struct mica_store_place place;
    struct mica_json_writer writer;
    struct mica_buffer text;

    MICA_TRY(mica_store_statistics(store, error, &s));
    MICA_TRY(mica_store_place(store, error, &place));
    const struct number numbers[] = {
        {"schema", "version of its tables", place.schema},
        {"bytes", "bytes of the file", place.bytes},
        {"keys", "sealing keys", s.keys},
        {"sessions", "sessions", s.sessions},
        {"sessionsExpired", "sessions that have expired", s.sessions_expired},
        {"sessionsDisplaced", "sessions that made room for another",
         s.sessions_displaced},
        {"streams", "streams of sessions", s.streams},
        {"events", "events that can be resumed from", s.events},
        {"eventBytes", "bytes of those", s.event_bytes},
        {"eventsDropped", "events dropped", s.events_dropped},
        {"changes", "changes in the feed", s.changes},
        {"changesDropped", "changes dropped", s.changes_dropped},
        {"subscriptions", "subscriptions to resources", s.subscriptions},
        {"calls", "calls, open or kept to be read", s.calls},
        {"openCalls", "of these, open", s.open_calls},
        {"callsStranded", "calls that ended as no process had their build",
         s.calls_stranded},
        {"apps", "apps", s.apps},
        {"publishedApps", "of these, published", s.published_apps},
        {"appVersions", "versions of apps", s.app_versions},
        {"appWidgets", "widgets of apps", s.app_widgets}};
    if (!mica_cli_wants_json(options)) {
        mica_cli_print(cli, "%s\n", place.path);
        for (size_t i = 0; i < MICA_COUNT(numbers); i++)
            mica_cli_print(cli, "%12lld  %s\n", (long long)numbers[i].value,
                           numbers[i].words);
        return MICA_OK;
    }
    mica_buffer_init(&text, &cli->arena, JSON_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "store", mica_text(place.path));
    mica_json_field(&writer, "backend", mica_text(place.backend));
    for (size_t i = 0; i < MICA_COUNT(numbers); i++) {
        mica_json_name(&writer, numbers[i].name);
        mica_json_integer(&writer, numbers[i].value);
    }
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
    return MICA_OK;
}

// ---- The command ---------------------------------------------------------------

struct act {
    const char *name;
    size_t words; // behind it
    // NULL: it needs no store, and mica_list_databases runs.
    enum mica_status (*run)(struct mica_cli *cli,
                            const struct mica_options *options,
                            struct mica_store *store, struct mica_error *error);
};

static const struct act acts[] = {{"backup", 1, back_up},
                                  {"check", 0, store_check},
                                  {"info", 0, store_info},
                                  {"databases", 0, NULL}};

// NULL: `error` says what is wrong.
static const struct act *
find_act(const struct mica_options *options, struct mica_error *error)
{
    const char *name = options->word_count > 0 ? options->words[0] : "";

    for (size_t i = 0; i < MICA_COUNT(acts); i++) {
        if (strcmp(name, acts[i].name) != 0)
            continue;
        if (options->word_count == acts[i].words + 1)
            return &acts[i];
        (void)mica_error_set(error, MICA_E_USAGE, "",
                             acts[i].words > 0
                                 ? "store %s takes one file: mica store %s "
                                   "copy.db"
                                 : "store %s takes nothing more; the store is "
                                   "named by --store",
                             name, name);
        return NULL;
    }
    (void)mica_error_set(error, MICA_E_USAGE, "",
                         "store %s is not known: write mica store backup "
                         "FILE, check, info or databases",
                         name[0] != '\0' ? name : "by itself");
    return NULL;
}

static enum mica_status
store_run(struct mica_cli *cli, const struct mica_options *options,
          struct mica_error *error)
{
    const char *spec = mica_options_value(options, "store");
    const struct act *act = find_act(options, error);
    struct mica_store *store;
    enum mica_status status;

    if (act == NULL)
        return error->status;
    if (act->run == NULL)
        return mica_list_databases(cli, options, error);
    MICA_TRY(mica_identity_open(cli, options, false, error, &store));
    status = strcmp(act->name, "info") != 0 || spec == NULL ||
                     strcmp(spec, "memory") != 0
                 ? act->run(cli, options, store, error)
                 : mica_error_set(error, MICA_E_USAGE, "",
                                  "a store in memory ends with its process; "
                                  "nothing can be said of it");
    mica_store_close(&store);
    return status;
}

static const struct mica_option options[] = {
    {"store", MICA_OPTION_VALUE, "SPEC",
     "sqlite:PATH; without it the store of the project in this folder, and "
     "elsewhere $XDG_STATE_HOME/mica/mica.db"},
    {"keep", MICA_OPTION_VALUE, "DIR",
     "where tools keep their databases, which backup copies, too, and "
     "databases lists"},
    MICA_PLACE_OPTIONS,
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_store = {
    .name = "store",
    .group = MICA_GROUP_SERVING,
    .summary = "Copy, check or describe what a server keeps",
    .usage = "backup FILE | check | info | databases [--store SPEC] [--json]",
    .example = "mica store backup mica-$(date +%F).db",
    .more =
        "A server keeps sealing keys, sessions of older clients and the "
        "events that their streams resume from; its tools keep entries and "
        "tables, each in a database, which databases lists with their "
        "sizes. All four work while it serves. A copy is of one moment, complete or not there; it holds "
        "keys, so keep it as secret as the store. To go back to it, stop "
        "the server and name it with --store.",
    .words = "backup|check|info|databases",
    .options = options,
    .settings = true,
    .run = store_run};
