// SPDX-License-Identifier: Apache-2.0
//
// Where the tools of a command come from. What this folder has is built before it
// is loaded (project.h).
#include "cli/cli_catalog.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mica/mount.h>

#include "build/files.h"
#include "cli/builtin.h"
#include "cli/cli_keep.h"
#include "cli/cli_models.h"
#include "cli/find.h"
#include "cli/identity.h"
#include "cli/prepare.h"
#include "cli/project_files.h"
#include "cli/server_identity.h"
#include "cli/settings.h"
#include "cli/settings_fetch.h"
#include "sandbox/engine_catalog.h"
#include "tools/tool_catalog.h"

// ---- Opening -------------------------------------------------------------------

// The key by which own builds are known. Before anything is built, so that
// nothing is built into a folder from which nothing could be loaded.
static enum mica_status
find_key(const struct mica_source_kind *kind, struct mica_error *error,
         struct mica_seal_key *key_out)
{
    MICA_TRY(mica_project_trust(kind, error));
    enum mica_status status = mica_seal_key(error, key_out);
    if (status == MICA_OK)
        return MICA_OK;
    const struct mica_error reason = *error;
    return mica_error_set(error, status, "",
                          "%s To use what is built as it is, name it: %s %s",
                          reason.message, kind->option, kind->built);
}

// What this folder has, or the one of it that is wanted.
struct here {
    const char *const *engines, *const *tools; // NULL-ended
};

static enum mica_status
find_stale(const struct mica_source_kind *kind, const char *const *names,
           const struct mica_seal_key *key, struct mica_error *error,
           bool *any_out)
{
    *any_out = false;
    for (; *names != NULL && !*any_out; names++)
        MICA_TRY(mica_project_stale(kind, *names, key, error, any_out));
    return MICA_OK;
}

// Builds what has to be built: now, or while the command serves. Without compilers
// what was built before is used. They are looked for only if something is to be
// built, for that takes a while.
static enum mica_status
catalog_refresh(struct mica_cli *cli, const struct mica_source_kind *kind,
                const char *const *names, const struct mica_seal_key *key,
                struct mica_error *error)
{
    struct mica_toolchain toolchain;
    bool stale;

    if (cli->developer != NULL)
        return MICA_OK;
    if (cli->preparation == NULL)
        return mica_project_refresh(cli, kind, names, key, error);
    MICA_TRY(find_stale(kind, names, key, error, &stale));
    if (!stale)
        return MICA_OK;
    if (kind->find(&toolchain, error) != MICA_OK)
        return mica_project_refresh(cli, kind, names, key, error);
    for (; *names != NULL; names++) {
        MICA_TRY(mica_project_stale(kind, *names, key, error, &stale));
        if (stale)
            MICA_TRY(
                mica_preparation_add(cli->preparation, kind, *names, error));
    }
    return MICA_OK;
}

// Before the first of them is there, so that a client that asks early is told.
static enum mica_status
catalog_declare(const struct mica_cli *cli, const struct mica_source_kind *kind,
                struct mica_server *server, struct mica_error *error)
{
    unsigned declared = MICA_DECLARED_TOOLS;

    if (cli->preparation != NULL && kind == &mica_kind_tool)
        declared |= MICA_DECLARED_LOGGING | MICA_DECLARED_TASKS;
    return mica_registry_declare(&server->registry, declared, error);
}

// By the sources, so that an engine whose source is gone is gone, too.
static enum mica_status
load_engines(struct mica_cli *cli, const char *const *slugs,
             struct mica_server *server, struct mica_error *error)
{
    const struct mica_source_kind *kind = &mica_kind_engine;
    struct mica_seal_key key;
    const char **built;
    size_t count = 0;

    if (*slugs == NULL)
        return MICA_OK;
    MICA_TRY(find_key(kind, error, &key));
    MICA_TRY(catalog_refresh(cli, kind, slugs, &key, error));
    while (slugs[count] != NULL)
        count++;
    built = mica_arena_zero(&cli->arena, count + 1, sizeof *built);
    if (built == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (count = 0; *slugs != NULL; slugs++) {
        if (!mica_preparation_builds(cli->preparation, kind, *slugs)) {
            built[count++] = *slugs;
            continue;
        }
        MICA_TRY(catalog_declare(cli, kind, server, error));
    }
    // `mica dev` serves the engines that there are; the rest come once built.
    return count == 0
               ? MICA_OK
               : mica_server_load_own_engines(server, kind->built, built,
                                              cli->developer != NULL, error);
}

static enum mica_status
load_tools(struct mica_cli *cli, const char *const *names, bool look,
           struct mica_server *server, struct mica_error *error)
{
    const struct mica_source_kind *kind = &mica_kind_tool;
    const struct mica_tool_source source = {
        .folder = kind->built, .own = true, .look = look};
    struct mica_seal_key key;

    if (*names == NULL)
        return MICA_OK;
    MICA_TRY(find_key(kind, error, &key));
    MICA_TRY(catalog_refresh(cli, kind, names, &key, error));
    for (; *names != NULL; names++) {
        if (mica_preparation_builds(cli->preparation, kind, *names)) {
            MICA_TRY(catalog_declare(cli, kind, server, error));
            continue;
        }
        enum mica_status status =
            mica_server_load_tool(server, &source, *names, error);
        if (cli->developer == NULL)
            MICA_TRY(status);
    }
    return MICA_OK;
}

static enum mica_status
load_some(struct mica_cli *cli, const struct here *here, bool look,
          struct mica_server *server, struct mica_error *error)
{
    MICA_TRY(load_engines(cli, here->engines, server, error));
    return load_tools(cli, here->tools, look, server, error);
}

static enum mica_status
list_here(struct mica_cli *cli, struct mica_error *error, struct here *here_out)
{
    MICA_TRY(mica_project_built(&mica_kind_engine, error));
    MICA_TRY(mica_project_built(&mica_kind_tool, error));
    MICA_TRY(mica_project_sources(cli, &mica_kind_engine, error,
                                  &here_out->engines));
    return mica_project_sources(cli, &mica_kind_tool, error, &here_out->tools);
}

static enum mica_status
load_all(struct mica_cli *cli, bool look, struct mica_server *server,
         struct mica_error *error)
{
    struct here here;

    MICA_TRY(list_here(cli, error, &here));
    if (*here.engines == NULL && *here.tools == NULL)
        return mica_project_empty(error);
    return load_some(cli, &here, look, server, error);
}

static enum mica_status
load_one(struct mica_cli *cli, const struct mica_source_kind *kind,
         const char *name, struct mica_server *server, struct mica_error *error)
{
    const char *const one[] = {name, NULL}, *const none[] = {NULL};
    const struct here here = {.engines = kind == &mica_kind_engine ? one : none,
                              .tools = kind == &mica_kind_tool ? one : none};

    return load_some(cli, &here, false, server, error);
}

enum mica_status
mica_cli_catalog_place(const struct mica_options *options,
                       struct mica_error *error)
{
    const char *folder = mica_options_value(options, "project");

    if (mica_options_has(options, "built-in") &&
        (folder != NULL || mica_options_value(options, "engines") != NULL ||
         mica_options_value(options, "tools") != NULL))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--built-in means no folder; leave it or the "
                              "folder out");
    if (folder == NULL || chdir(folder) == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "cannot work in the folder %s: %s", folder,
                          strerror(errno));
}

static enum mica_status
catalog_load(struct mica_cli *cli, const struct mica_options *options,
             const struct mica_found *only, bool look,
             struct mica_server *server, struct mica_error *error)
{
    const char *engines = mica_options_value(options, "engines");
    const char *tools = mica_options_value(options, "tools");

    if (engines != NULL)
        MICA_TRY(mica_server_load_engines(server, engines, error));
    if (tools != NULL)
        MICA_TRY(mica_server_load_tools(server, tools, error));
    if (engines != NULL || tools != NULL)
        return MICA_OK;
    if (only != NULL)
        return load_one(cli, only->kind, only->name, server, error);
    if (mica_project_is_chosen(options))
        return load_all(cli, look, server, error);
    return mica_server_load_translated(server, mica_builtin_engines,
                                       mica_builtin_count, error);
}

// Lets the tools fetch what the settings file allows; without the table nothing.
static enum mica_status
use_fetch(struct mica_cli *cli, struct mica_server *server,
          struct mica_error *error)
{
    struct mica_settings_file file;

    MICA_TRY(mica_settings_read(cli, MICA_SETTINGS_FILE, error, &file));
    return file.fetch != NULL
               ? mica_server_use_fetch(server, &file.fetch->options, error)
               : MICA_OK;
}

// What services keep is a project's own, as its store is. Engines have none.
static enum mica_status
use_project(struct mica_cli *cli, const struct mica_options *options,
            struct mica_server *server, struct mica_error *error)
{
    struct mica_identity identity;

    if (mica_options_value(options, "tools") == NULL &&
        (!mica_project_is_chosen(options) ||
         !mica_folder_exists(mica_kind_tool.dir)))
        return MICA_OK;
    MICA_TRY(mica_identity_find(options, true, error, &identity));
    mica_identity_tell(cli, &identity);
    MICA_TRY(use_fetch(cli, server, error));
    MICA_TRY(mica_cli_use_keep(options, &identity, server, error));
    return mica_identity_serve(&identity, server, error);
}

static enum mica_status
open_server(struct mica_cli *cli, const struct mica_options *options,
            const struct mica_found *only, bool look, struct mica_error *error,
            struct mica_server **server_out)
{
    struct mica_server_options described;
    struct mica_server *server;
    enum mica_status status;

    MICA_TRY(mica_server_identity(cli, options, error, &described));
    MICA_TRY(mica_server_open(&described, error, &server));
    status = look ? MICA_OK : use_project(cli, options, server, error);
    if (status == MICA_OK && cli->developer != NULL) // there may be none yet
        status = mica_registry_declare(&server->registry, MICA_DECLARED_TOOLS,
                                       error);
    if (status == MICA_OK)
        status = catalog_load(cli, options, only, look, server, error);
    if (status != MICA_OK) {
        mica_server_close(&server);
        return status;
    }
    *server_out = server;
    return MICA_OK;
}

enum mica_status
mica_cli_catalog_open(struct mica_cli *cli, const struct mica_options *options,
                      struct mica_error *error, struct mica_server **server_out)
{
    return open_server(cli, options, NULL, true, error, server_out);
}

// Lets views send HTTP requests (mica/mount.h), unless the project has a tool of that name.
static enum mica_status
carry_requests(struct mica_server *server, struct mica_error *error)
{
    if (mica_catalog_find(server->registry.main->catalog, MICA_DEFINITION_TOOL,
                          MICA_LITERAL("http_request")) != NULL)
        return MICA_OK;
    return mica_server_use_http_request(server, error);
}

enum mica_status
mica_cli_catalog_open_served(struct mica_cli *cli,
                             const struct mica_options *options,
                             struct mica_error *error,
                             struct mica_server **server_out)
{
    struct mica_server *server;
    enum mica_status status;

    MICA_TRY(open_server(cli, options, NULL, false, error, &server));
    status = mica_project_files_add(cli, options, server, error);
    if (status == MICA_OK && !mica_options_has(options, "no-rest"))
        status = carry_requests(server, error);
    if (status == MICA_OK)
        status = mica_cli_use_models(cli, options, server, error);
    if (status != MICA_OK)
        mica_server_close(&server);
    else
        *server_out = server;
    return status;
}

// Among those of a server.
static enum mica_status
find_offered(struct mica_cli *cli, const struct mica_server *server,
             const char *word, struct mica_error *error,
             const struct mica_definition **tool_out)
{
    const struct mica_definition_list *tools =
        &server->registry.main->catalog->lists[MICA_DEFINITION_TOOL];
    struct mica_text *names =
        mica_arena_zero(&cli->arena, tools->count + 1, sizeof *names);
    size_t index = 0;

    if (names == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < tools->count; i++)
        names[i] = tools->items[i]->name;
    MICA_TRY(mica_find_name(cli, word, names, tools->count, error, &index));
    *tool_out = tools->items[index];
    return MICA_OK;
}

enum mica_status
mica_cli_catalog_open_tool(struct mica_cli *cli,
                           const struct mica_options *options, const char *word,
                           struct mica_error *error,
                           struct mica_server **server_out,
                           const struct mica_definition **tool_out)
{
    bool project = mica_project_is_chosen(options);
    struct mica_found found;
    struct mica_server *server;
    enum mica_status status;

    if (project)
        MICA_TRY(mica_find_here(cli, word, error, &found));
    MICA_TRY(open_server(cli, options, project ? &found : NULL, false, error,
                         &server));
    status =
        find_offered(cli, server, project ? found.name : word, error, tool_out);
    if (status == MICA_OK)
        *server_out = server;
    else
        mica_server_close(&server);
    return status;
}

// ---- For a shell that completes --------------------------------------------------

static enum mica_status
load_built(const struct mica_found *found, struct mica_server *server,
           struct mica_error *error)
{
    const struct mica_tool_source source = {
        .folder = mica_kind_tool.built, .own = true, .look = true};

    MICA_TRY(mica_project_trust(found->kind, error));
    return found->kind == &mica_kind_tool
               ? mica_server_load_tool(server, &source, found->name, error)
               : mica_server_load_own_engine(server, found->kind->built,
                                             found->name, error);
}

enum mica_status
mica_cli_catalog_open_built(struct mica_cli *cli, const char *word,
                            struct mica_error *error,
                            struct mica_server **server_out,
                            const struct mica_definition **tool_out)
{
    static const struct mica_server_options described = {
        .name = "mica", .version = MICA_VERSION};
    static const struct mica_options none = {.given_count = 0};
    bool project = mica_project_is_chosen(&none);
    struct mica_found found = {.name = word};
    struct mica_server *server;
    enum mica_status status;

    if (project)
        MICA_TRY(mica_find_here(cli, word, error, &found));
    MICA_TRY(mica_server_open(&described, error, &server));
    status = project ? load_built(&found, server, error)
                     : mica_server_load_translated(server, mica_builtin_engines,
                                                   mica_builtin_count, error);
    if (status == MICA_OK)
        status = find_offered(cli, server, found.name, error, tool_out);
    if (status == MICA_OK)
        *server_out = server;
    else
        mica_server_close(&server);
    return status;
}

// ---- For a tool that invokes ------------------------------------------------------

// By its very name, as on a server.
static enum mica_status
load_named(struct mica_cli *cli, struct mica_text name,
           struct mica_server *server, struct mica_error *error)
{
    static const struct mica_source_kind *const kinds[] = {&mica_kind_engine,
                                                           &mica_kind_tool};
    struct here here;

    MICA_TRY(list_here(cli, error, &here));
    const char *const *const lists[] = {here.engines, here.tools};
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        for (const char *const *at = lists[i]; *at != NULL; at++) {
            if (mica_text_is(name, *at))
                return load_one(cli, kinds[i], *at, server, error);
        }
    }
    return MICA_OK; // then it is not there
}

enum mica_status
mica_cli_catalog_find_tool(struct mica_cli *cli,
                           const struct mica_options *options,
                           struct mica_text name, struct mica_server *server,
                           struct mica_error *error,
                           const struct mica_definition **tool_out)
{
    *tool_out = mica_catalog_find(server->registry.main->catalog,
                                  MICA_DEFINITION_TOOL, name);
    if (*tool_out != NULL)
        return MICA_OK;
    if (mica_project_is_chosen(options))
        MICA_TRY(load_named(cli, name, server, error));
    *tool_out = mica_catalog_find(server->registry.main->catalog,
                                  MICA_DEFINITION_TOOL, name);
    if (*tool_out != NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "there is no tool \"%.*s\"", MICA_ARG(name));
}
