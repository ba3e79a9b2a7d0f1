// SPDX-License-Identifier: Apache-2.0
//
// What a project takes over from the time when all projects of a user shared one
// store and one folder of services. The old store stays where it is, with all that
// belongs to no tool of this project; it can be read with --store.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/store_calls.h"

#include "cli/identity.h"
#include "sandbox/seal.h"
#include "serve/system_platform.h"
#include "server/server.h"
#include "tools/tool_catalog.h"

// Beside the store of a project, once there is nothing more to take over.
#define DONE_FILE "taken-over"

static bool
may_take(void *user, const struct mica_store_build *build)
{
    struct mica_server *server = user;
    const struct mica_call_build what = {
        .endpoint = build->endpoint,
        .kind = (enum mica_definition_kind)build->kind,
        .target = build->target,
        .version = build->version};

    return mica_registry_runs(&server->registry, &what, false);
}

static void
mark_done(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (file >= 0)
        (void)close(file);
}

static enum mica_status
take_over(const struct mica_identity *identity, const char *shared,
          struct mica_server *server, struct mica_error *error,
          struct mica_store_taken *taken_out)
{
    static const struct mica_store_options there = {.must_exist = true};
    char from_spec[MICA_STORE_PATH_SIZE + 8], to_spec[PATH_MAX + 32];
    struct mica_store *from = NULL, *to = NULL;
    enum mica_status status;

    // Where it is gone, what was on its way is here for good.
    (void)snprintf(from_spec, sizeof from_spec, "%s%s",
                   shared[0] != '\0' ? "sqlite:" : "memory", shared);
    (void)snprintf(to_spec, sizeof to_spec, "sqlite:%s/mica.db",
                   identity->home);
    status = mica_store_open(from_spec, &there, error, &from);
    if (status == MICA_OK)
        status = mica_store_open(to_spec, NULL, error, &to);
    if (status == MICA_OK)
        status = mica_store_take_over(to, from, may_take, server,
                                      mica_platform_real.now_ms(NULL), error,
                                      taken_out);
    mica_store_close(&to);
    mica_store_close(&from);
    return status;
}

void
mica_identity_take_over(struct mica_cli *cli,
                        const struct mica_identity *identity,
                        struct mica_server *server)
{
    char done[PATH_MAX + 32], own[PATH_MAX + 32];
    char shared[MICA_STORE_PATH_SIZE];
    struct mica_store_taken taken = {.calls = 0};
    const char *there; // what is on its way may be all that is left
    struct mica_error error;

    if (identity->home[0] == '\0')
        return;
    (void)snprintf(done, sizeof done, "%s/" DONE_FILE, identity->home);
    if (access(done, F_OK) == 0)
        return;
    if (mica_store_default_path(shared, &error) != MICA_OK ||
        access(shared, F_OK) != 0)
        shared[0] = '\0';
    (void)snprintf(own, sizeof own, "%s/mica.db", identity->home);
    if (shared[0] == '\0' && access(own, F_OK) != 0) {
        mark_done(done); // there is nothing that could be taken over
        return;
    }
    there = shared[0] != '\0' ? shared : own;
    if (take_over(identity, shared, server, &error, &taken) != MICA_OK)
        mica_cli_note(cli,
                      "mica: the calls of this project in %s could not be "
                      "taken over, which is tried again at the next start: "
                      "%s\n",
                      there, error.message);
    else if (taken.left > 0)
        mica_cli_note(cli,
                      "mica: %zu calls of this project are held by a server "
                      "that still uses %s; they are taken over at the next "
                      "start\n",
                      taken.left, there);
    else if (cli->developer == NULL) // else its tools may not be built yet
        mark_done(done);
    if (taken.calls > 0)
        mica_cli_note(cli,
                      "mica: took %zu call%s of this project over from %s, "
                      "which all projects once shared\n",
                      taken.calls, mica_cli_s(taken.calls), there);
}

enum mica_status
mica_identity_serve(const struct mica_identity *identity,
                    struct mica_server *server, struct mica_error *error)
{
    char shared[PATH_MAX];

    if (identity->home[0] == '\0')
        return MICA_OK;
    MICA_TRY(mica_server_use_folder(server, identity->home, error));
    MICA_TRY(mica_state_folder(error, shared));
    mica_server_inherit_services(server, shared);
    return MICA_OK;
}
