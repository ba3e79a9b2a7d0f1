// SPDX-License-Identifier: Apache-2.0
//
// The files of a bundle lie in a folder of their own until zip has read them, each with
// the same time, so that the archive depends on nothing but them.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/process.h"
#include "cli/cli_file.h"
#include "cli/command_pack.h"
#include "cli/project.h"

enum {
    AT_ONCE = 100,      // files that one run of zip is given
    LATEST = 946684800, // the time of all files: zip knows none before 1980
    PRINTED_BYTES = 64 << 10 // by zip
};

static enum mica_status
file_cannot(const char *verb, const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "cannot %s %s: %s", verb, path,
                          strerror(errno));
}

// ---- Putting files there -------------------------------------------------------------

static enum mica_status
note_file(struct mica_pack *pack, const char *name, mode_t mode,
          struct mica_error *error)
{
    static const struct timespec times[2] = {{LATEST, 0}, {LATEST, 0}};
    const char *path = mica_cli_format(pack->cli, "%s/%s", pack->staging, name);

    if (pack->count >= pack->room)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "a bundle holds at most %zu files", pack->room);
    if (chmod(path, mode) != 0 || utimensat(AT_FDCWD, path, times, 0) != 0)
        return file_cannot("write", path, error);
    pack->files[pack->count++] = mica_cli_format(pack->cli, "%s", name);
    return MICA_OK;
}

enum mica_status
mica_pack_add_text(struct mica_pack *pack, const char *name,
                   struct mica_text text, struct mica_error *error)
{
    struct mica_cli_file file;

    MICA_TRY(mica_cli_file_look(
        pack->cli, mica_cli_format(pack->cli, "%s/%s", pack->staging, name),
        error, &file));
    MICA_TRY(mica_cli_file_replace(pack->cli, &file, text, false, error));
    return note_file(pack, name, 0644, error);
}

static enum mica_status
add_file(struct mica_pack *pack, const char *from, const char *name,
         mode_t mode, struct mica_error *error)
{
    struct mica_cli_file file;

    MICA_TRY(mica_cli_file_look(pack->cli, from, error, &file));
    if (!file.there)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no %s to pack", from);
    MICA_TRY(mica_pack_add_text(pack, name, file.text, error));
    pack->count--;
    return note_file(pack, name, mode, error);
}

// ---- The program and its libraries -----------------------------------------------------

struct libraries {
    struct mica_pack *pack;
    struct mica_error *error;
    enum mica_status status;
};

// Those of the C library belong to the machine: they go with its kernel.
static bool
is_of_system(const char *name)
{
    static const char *const names[] = {"ld-linux",  "libc.so",  "libm.so",
                                        "libdl.so",  "librt.so", "libpthread",
                                        "linux-vdso"};

    for (size_t i = 0; i < MICA_COUNT(names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// Tools of this folder are loaded, too, to be described; they go where the other
// built files go.
static bool
is_built(const char *path)
{
    const struct mica_source_kind *const kinds[] = {&mica_kind_engine,
                                                    &mica_kind_tool};
    char folder[PATH_MAX];

    for (size_t i = 0; i < MICA_COUNT(kinds); i++)
        if (realpath(kinds[i]->built, folder) != NULL &&
            strncmp(path, folder, strlen(folder)) == 0 &&
            path[strlen(folder)] == '/')
            return true;
    return false;
}

static int
see_library(struct dl_phdr_info *info, size_t size, void *data)
{
    struct libraries *libraries = data;
    const char *path = info->dlpi_name, *slash = strrchr(path, '/');

    (void)size;
    if (path[0] != '/' || strstr(slash, ".so") == NULL ||
        is_of_system(slash + 1) || is_built(path))
        return 0;
    libraries->status = add_file(
        libraries->pack, path,
        mica_cli_format(libraries->pack->cli, "server/lib/%s", slash + 1), 0644,
        libraries->error);
    return libraries->status == MICA_OK ? 0 : 1;
}

// ---- What is built ---------------------------------------------------------------------

static bool
is_of(const char *file, const char *name, const char *suffix)
{
    size_t length = strlen(name);

    return strncmp(file, name, length) == 0 &&
           (strcmp(file + length, suffix) == 0 ||
            (strcmp(suffix, ".so") == 0 && file[length] == '-' &&
             strspn(file + length + 1, "0123456789abcdef") == 64 &&
             strcmp(file + length + 65, ".so") == 0));
}

static enum mica_status
add_built(struct mica_pack *pack, const struct mica_source_kind *kind,
          const char *name, struct mica_error *error)
{
    static const char *const suffixes[] = {".json", ".so", ".wasm"};
    DIR *folder = opendir(kind->built);
    enum mica_status status = MICA_OK;
    const struct dirent *entry;

    if (folder == NULL)
        return file_cannot("read", kind->built, error);
    while (status == MICA_OK && (entry = readdir(folder)) != NULL)
        for (size_t i = 0; status == MICA_OK && i < MICA_COUNT(suffixes); i++)
            if (is_of(entry->d_name, name, suffixes[i]))
                status = add_file(pack,
                                  mica_cli_format(pack->cli, "%s/%s",
                                                  kind->built, entry->d_name),
                                  mica_cli_format(pack->cli, "server/%s/%s",
                                                  kind->dir, entry->d_name),
                                  0644, error);
    (void)closedir(folder);
    return status;
}

static enum mica_status
add_kind(struct mica_pack *pack, const struct mica_source_kind *kind,
         struct mica_error *error)
{
    const char *const *names;

    MICA_TRY(mica_project_sources(pack->cli, kind, error, &names));
    for (; *names != NULL; names++)
        MICA_TRY(add_built(pack, kind, *names, error));
    return MICA_OK;
}

enum mica_status
mica_pack_collect(struct mica_pack *pack, struct mica_error *error)
{
    struct libraries libraries = {pack, error, MICA_OK};
    char program[PATH_MAX];

    if (realpath("/proc/self/exe", program) == NULL)
        return file_cannot("find", "this program", error);
    MICA_TRY(add_file(pack, program, "server/mica", 0755, error));
    (void)dl_iterate_phdr(see_library, &libraries);
    MICA_TRY(libraries.status);
    if (pack->built_in)
        return MICA_OK;
    MICA_TRY(add_kind(pack, &mica_kind_engine, error));
    return add_kind(pack, &mica_kind_tool, error);
}

// ---- The archive -----------------------------------------------------------------------

static int
file_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum mica_status
run_zip(struct mica_pack *pack, const char *archive, size_t from,
        struct mica_error *error)
{
    struct mica_process command = {.count = 0};
    struct mica_buffer printed;
    int status;

    mica_buffer_init(&printed, &pack->cli->arena, PRINTED_BYTES);
    mica_process_add(&command, "zip");
    mica_process_add(&command, "-X"); // no times of access, no owners
    mica_process_add(&command, "-q");
    mica_process_add(&command, "-D"); // no entries for folders
    mica_process_add(&command, archive);
    for (size_t i = from; i < pack->count && i < from + AT_ONCE; i++)
        mica_process_add(&command, pack->files[i]);
    if (mica_process_run(&command, pack->staging, &printed, error, &status) !=
        MICA_OK) {
        if (error->status == MICA_E_NOT_FOUND)
            return mica_error_set(error, MICA_E_NOT_FOUND, "",
                                  "there is no program zip; install the "
                                  "package zip");
        return error->status;
    }
    if (status != 0)
        return mica_error_set(error, MICA_E_IO, "", "zip ended with %d: %.*s",
                              status, MICA_ARG(printed));
    return MICA_OK;
}

enum mica_status
mica_pack_zip(struct mica_pack *pack, const char *path,
              struct mica_error *error)
{
    const char *archive;
    char whole[PATH_MAX];

    // zip runs in the staging folder.
    if (realpath(pack->staging, whole) == NULL)
        return file_cannot("find", pack->staging, error);
    archive = mica_cli_format(pack->cli, "%s/.bundle.zip", whole);
    // It writes the times of files as clocks on a wall show them.
    if (setenv("TZ", "UTC0", 1) != 0)
        return file_cannot("set the time zone for", path, error);
    qsort(pack->files, pack->count, sizeof *pack->files, file_compare);
    for (size_t from = 0; from < pack->count; from += AT_ONCE)
        MICA_TRY(run_zip(pack, archive, from, error));
    if (chmod(archive, 0644) != 0 || rename(archive, path) != 0)
        return file_cannot("write", path, error);
    return MICA_OK;
}

// ---- The end ---------------------------------------------------------------------------

void
mica_pack_clean(const struct mica_pack *pack)
{
    static const char *const folders[] = {"server/lib", "server/engines",
                                          "server/tools", "server"};
    char path[PATH_MAX];

    for (size_t i = 0; i < pack->count; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", pack->staging,
                       pack->files[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/.bundle.zip", pack->staging);
    (void)unlink(path);
    for (size_t i = 0; i < MICA_COUNT(folders); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", pack->staging, folders[i]);
        (void)rmdir(path);
    }
    (void)rmdir(pack->staging);
}
