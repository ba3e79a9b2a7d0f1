// SPDX-License-Identifier: Apache-2.0
//
// Puts a built tool in its place, and keeps the builds before it for the calls
// that began with them. A build is superseded when the next one takes its place:
// from then on it ages.
#include "build/folder_lock.h"
#include "build/tool_build.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mica/json.h>

#include "platform/wall_clock.h"
#include "sandbox/seal.h"

enum {
    VERSIONS = 16,                    // of a tool, that are kept …
    VERSION_AGE_S = 31 * 24 * 60 * 60 // … for longer than any call
};

// ---- What was there --------------------------------------------------------------

static bool
version_path(const struct mica_tool_job *job, struct mica_text sha256,
             const char *ending, char out[PATH_MAX])
{
    return mica_path(out, NULL, "%s/" MICA_VERSIONS_DIR "/%s-%.*s%s",
                     job->out_dir, job->name, MICA_ARG(sha256),
                     ending) == MICA_OK;
}

bool
mica_tool_is_current(struct mica_tool_job *job)
{
    char path[PATH_MAX], version[PATH_MAX], sha256[MICA_SHA256_SIZE];
    struct mica_json manifest;

    return mica_tool_manifest_read(job, &manifest) &&
           mica_text_is(mica_json_get_text(&manifest, "build"),
                        job->fingerprint) &&
           mica_path(path, NULL, "%s/%s.so", job->out_dir, job->name) ==
               MICA_OK &&
           mica_trust_hash(path, NULL, sha256) == MICA_OK &&
           mica_text_is(mica_json_get_text(&manifest, "sha256"), sha256) &&
           version_path(job, mica_text(sha256), ".so", version) &&
           mica_file_exists(version) &&
           mica_seal_check(job->out_dir, job->name, sha256, NULL, NULL) ==
               MICA_OK;
}

// The one that goes begins to age now.
static void
tool_supersede(struct mica_tool_job *job)
{
    char path[PATH_MAX];
    struct mica_json manifest;
    struct mica_text sha256;

    if (!mica_tool_manifest_read(job, &manifest))
        return;
    sha256 = mica_json_get_text(&manifest, "sha256");
    if (!mica_text_is(sha256, job->library->sha256) &&
        version_path(job, sha256, ".so", path))
        (void)utimensat(AT_FDCWD, path, NULL, 0);
}

// ---- Old versions ----------------------------------------------------------------

struct version {
    char file[NAME_MAX + 1];
    struct timespec since;
};

static int
newest_first(const void *a, const void *b)
{
    const struct version *one = a, *other = b;

    if (one->since.tv_sec != other->since.tv_sec)
        return one->since.tv_sec < other->since.tv_sec ? 1 : -1;
    return (one->since.tv_nsec < other->since.tv_nsec) -
           (one->since.tv_nsec > other->since.tv_nsec);
}

// "<name>-<64 digits>.so" of this tool.
static bool
is_version(const struct mica_tool_job *job, const char *file)
{
    size_t length = strlen(job->name);

    return strncmp(file, job->name, length) == 0 && file[length] == '-' &&
           strspn(file + length + 1, "0123456789abcdef") == 64 &&
           strcmp(file + length + 65, ".so") == 0;
}

static void
remove_version(int folder, const char *file)
{
    char seal[NAME_MAX + 8];
    size_t stem = strlen(file) - 3;

    (void)unlinkat(folder, file, 0);
    (void)snprintf(seal, sizeof seal, "%.*s.seal", (int)stem, file);
    (void)unlinkat(folder, seal, 0);
}

static void
tool_sweep(struct mica_tool_job *job)
{
    struct version *versions =
        mica_arena_zero(job->arena, 1024, sizeof *versions);
    char folder[PATH_MAX];
    size_t count = 0;
    DIR *list = NULL;

    if (versions != NULL && mica_path(folder, NULL, "%s/" MICA_VERSIONS_DIR,
                                      job->out_dir) == MICA_OK)
        list = opendir(folder);
    if (list == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        struct stat st;
        if (count == 1024 || !is_version(job, entry->d_name) ||
            fstatat(dirfd(list), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) !=
                0 ||
            strncmp(entry->d_name + strlen(job->name) + 1, job->library->sha256,
                    64) == 0)
            continue;
        (void)snprintf(versions[count].file, sizeof versions->file, "%s",
                       entry->d_name);
        versions[count++].since = st.st_mtim;
    }
    qsort(versions, count, sizeof *versions, newest_first);
    for (size_t i = 0; i < count; i++) {
        if (i >= VERSIONS ||
            mica_wall_clock_ms() / 1000 - versions[i].since.tv_sec >
                VERSION_AGE_S)
            remove_version(dirfd(list), versions[i].file);
    }
    (void)closedir(list);
}

// ---- In its place ----------------------------------------------------------------

// The seal of `file` in `folder`. A build that cannot seal is good all the same: it
// is loaded from a folder that is named.
static enum mica_status
tool_job_seal(struct mica_tool_job *job, const struct mica_seal_key *key,
              const char *folder, const char *file)
{
    char from[PATH_MAX], to[PATH_MAX], text[MICA_SEAL_SIZE];
    struct mica_sealed sealed;

    memcpy(sealed.object, job->library->sha256, sizeof sealed.object);
    memcpy(sealed.manifest, job->library->sha256, sizeof sealed.manifest);
    if (!mica_seal_write(key, file, &sealed, text))
        return mica_error_set(job->error, MICA_E_INTERNAL, "",
                              "%s has no hash.", file);
    MICA_TRY(mica_path(from, job->error, "%s/seal", job->folder));
    MICA_TRY(mica_file_write(from, mica_text(text), job->error));
    MICA_TRY(mica_path(to, job->error, "%s/%s.seal", folder, file));
    return mica_file_publish(from, to, job->error);
}

// As the version that it is.
static enum mica_status
publish_version(struct mica_tool_job *job, const struct mica_seal_key *key)
{
    char folder[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
    char file[sizeof job->name + MICA_SHA256_SIZE];

    MICA_TRY(
        mica_path(folder, job->error, "%s/" MICA_VERSIONS_DIR, job->out_dir));
    MICA_TRY(mica_folder_make_inner(folder, job->error));
    (void)snprintf(file, sizeof file, "%s-%s", job->name, job->library->sha256);
    if (key != NULL)
        MICA_TRY(tool_job_seal(job, key, folder, file));
    MICA_TRY(mica_path(from, job->error, "%s/tool.so", job->folder));
    MICA_TRY(mica_path(to, job->error, "%s/%s.so", folder, file));
    return mica_file_publish(from, to, job->error);
}

// As the one that is served: the same file by another name.
static enum mica_status
publish_current(struct mica_tool_job *job, const struct mica_seal_key *key)
{
    char version[PATH_MAX], from[PATH_MAX], to[PATH_MAX];

    MICA_TRY(mica_path(from, job->error, "%s/current.so", job->folder));
    MICA_TRY(mica_path(to, job->error, "%s/%s.so", job->out_dir, job->name));
    if (!version_path(job, mica_text(job->library->sha256), ".so", version) ||
        link(version, from) != 0)
        return mica_error_set(job->error, MICA_E_IO, "",
                              "Cannot link %s to %s.", version, from);
    MICA_TRY(mica_file_publish(from, to, job->error));
    if (key != NULL)
        MICA_TRY(tool_job_seal(job, key, job->out_dir, job->name));
    MICA_TRY(mica_path(from, job->error, "%s/manifest.json", job->folder));
    MICA_TRY(mica_path(to, job->error, "%s/%s.json", job->out_dir, job->name));
    return mica_file_publish(from, to, job->error);
}

static enum mica_status
tool_publish(struct mica_tool_job *job)
{
    struct mica_seal_key own;
    const struct mica_seal_key *key = &own;
    struct mica_error error;

    if (mica_seal_key(&error, &own) != MICA_OK) {
        mica_buffer_format(job->diagnostics, "%s: warning: not sealed: %s\n",
                           job->source, error.message);
        key = NULL;
    }
    MICA_TRY(publish_version(job, key));
    tool_supersede(job);
    MICA_TRY(publish_current(job, key));
    tool_sweep(job);
    return MICA_OK;
}

// With the lock: what is published next was built of files that are as new at least. The
// manifest is written before the files are looked at, so that one that is saved later is
// newer.
static enum mica_status
publish_unless_stale(struct mica_tool_job *job)
{
    char now[MICA_SHA256_SIZE], manifest[PATH_MAX];

    MICA_TRY(mica_path(manifest, job->error, "%s/manifest.json", job->folder));
    MICA_TRY(mica_file_write(manifest, job->manifest, job->error));
    MICA_TRY(mica_tool_fingerprint(job, true, now));
    job->is_stale = strcmp(now, job->fingerprint) != 0;
    return job->is_stale ? MICA_OK : tool_publish(job);
}

// One build at a time: of two of the same tool, the files of one are there, and of the
// one that has read the newer files.
enum mica_status
mica_tool_publish(struct mica_tool_job *job)
{
    enum mica_status status;
    int lock;

    MICA_TRY(mica_folder_lock(job->out_dir, MICA_LOCK_MS, job->error, &lock));
    status = publish_unless_stale(job);
    (void)close(lock);
    return status;
}
