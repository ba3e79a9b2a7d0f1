// SPDX-License-Identifier: Apache-2.0
//
// The id in the file is random and has a seal of this user's key beside it: an id
// that came with a foreign folder counts for nothing. Where the folder was
// last seen stands beside the store, in <home>/place: so a copy is told from a
// folder that was moved. All of it happens under one lock for each user.
#include "cli/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mica/store.h>

#include "build/digest.h"
#include "build/files.h"
#include "build/folder_lock.h"
#include "cli/cli_file.h"
#include "cli/identity_text.h"
#include "cli/project.h"
#include "sandbox/seal.h"
#include "serve/system_platform.h"

#define IDENTITY_DIR  ".mica"
#define IDENTITY_FILE IDENTITY_DIR "/project"

enum {
    ID_DIGITS = MICA_IDENTITY_SIZE - 1,
    SEAL_DIGITS = MICA_SHA256_SIZE - 1,
    FILE_BYTES = 1024,
    PLACE_BYTES = PATH_MAX + 64,
    LOCK_MS = 10000 // that a start waits for others of this user
};

// ---- Small files -----------------------------------------------------------------

// The length; -1: it is not there (errno), no file, or too large.
static ssize_t
read_small(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    ssize_t length = -1;

    if (file < 0)
        return -1;
    errno = EINVAL;
    if (fstat(file, &st) == 0 && S_ISREG(st.st_mode))
        length = read(file, text, size);
    if (length >= (ssize_t)size) {
        errno = EFBIG;
        length = -1;
    }
    (void)close(file);
    if (length >= 0)
        text[length] = '\0';
    return length;
}

// As a whole or not at all. The name of the part is random: what a process that was
// killed has left does not stand in the way of one with the same number.
static bool
write_small(const char *path, const char *text, size_t length, mode_t mode)
{
    char part[PATH_MAX];
    uint64_t random;
    bool written;
    int count, file;

    mica_platform_real.random(NULL, (unsigned char *)&random, sizeof random);
    count = snprintf(part, sizeof part, "%s.%016" PRIx64, path, random);
    if (count < 0 || (size_t)count >= sizeof part)
        return false;
    file =
        open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file < 0)
        return false;
    written = write(file, text, length) == (ssize_t)length && fsync(file) == 0;
    written = close(file) == 0 && written && rename(part, path) == 0;
    if (!written)
        (void)unlink(part);
    return written;
}

// ---- The id ----------------------------------------------------------------------

// Of the key and the id, twice, so that nothing can be added at the end.
static void
seal_id(const struct mica_seal_key *key, const char *id,
        char seal_out[MICA_SHA256_SIZE])
{
    const struct mica_text secret = {(const char *)key->bytes,
                                     sizeof key->bytes};
    struct mica_digest digest;

    mica_digest_begin(&digest);
    mica_digest_text(&digest, secret);
    mica_digest_text(&digest, MICA_LITERAL("mica project"));
    mica_digest_text(&digest, mica_text(id));
    mica_digest_end(&digest, seal_out);
    mica_digest_begin(&digest);
    mica_digest_text(&digest, secret);
    mica_digest_text(&digest, mica_text(seal_out));
    mica_digest_end(&digest, seal_out);
}

// Of the file in `folder`: 1: it is this user's, 0: it has none, -1: another's, or
// it cannot be read.
static int
read_id(const struct mica_seal_key *key, const char *folder,
        char id_out[MICA_IDENTITY_SIZE])
{
    char path[PATH_MAX + 16], text[FILE_BYTES], seal[MICA_SHA256_SIZE];
    struct mica_identity_text found;

    (void)snprintf(path, sizeof path, "%s/" IDENTITY_FILE, folder);
    if (read_small(path, text, sizeof text) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    if (!mica_identity_text_read(text, &found))
        return -1;
    memcpy(id_out, found.id, MICA_IDENTITY_SIZE);
    seal_id(key, id_out, seal);
    return memcmp(found.seal, seal, SEAL_DIGITS) == 0 ? 1 : -1;
}

static bool
write_id(const struct mica_seal_key *key, const char *id)
{
    char text[FILE_BYTES], seal[MICA_SHA256_SIZE];
    struct stat st;
    int length;

    seal_id(key, id, seal);
    length = snprintf(text, sizeof text,
                      "# By this mica finds the store of the project "
                      "(docs/store.md). It is of one user\n"
                      "# on one machine: leave it out of version control.\n"
                      "id %s\nseal %s\n",
                      id, seal);
    if ((mkdir(IDENTITY_DIR, 0755) != 0 && errno != EEXIST) ||
        lstat(IDENTITY_DIR, &st) != 0 || !S_ISDIR(st.st_mode))
        return false;
    if (access(IDENTITY_DIR "/.gitignore", F_OK) != 0)
        (void)write_small(IDENTITY_DIR "/.gitignore", "*\n", 2, 0644);
    return write_small(IDENTITY_FILE, text, (size_t)length, 0644);
}

// The id that follows from a path.
static void
id_of_path(const char *path, char id_out[MICA_IDENTITY_SIZE])
{
    struct mica_digest digest;
    char hash[MICA_SHA256_SIZE];

    mica_digest_begin(&digest);
    mica_digest_text(&digest, MICA_LITERAL("mica project"));
    mica_digest_text(&digest, mica_text(path));
    mica_digest_end(&digest, hash);
    memcpy(id_out, hash, ID_DIGITS);
    id_out[ID_DIGITS] = '\0';
}

static void
make_id(char id_out[MICA_IDENTITY_SIZE])
{
    unsigned char bits[ID_DIGITS / 2];

    mica_platform_real.random(NULL, bits, sizeof bits);
    for (size_t i = 0; i < sizeof bits; i++)
        (void)snprintf(id_out + 2 * i, 3, "%02x", bits[i]);
}

// ---- Where it is -----------------------------------------------------------------

struct place {
    unsigned long long device, inode;
    char path[PATH_MAX];
};

static bool
find_place(const char *folder, struct place *place_out)
{
    struct stat st;

    if (stat(folder, &st) != 0)
        return false;
    place_out->device = (unsigned long long)st.st_dev;
    place_out->inode = (unsigned long long)st.st_ino;
    (void)snprintf(place_out->path, PATH_MAX, "%s", folder);
    return true;
}

static bool
read_place(const char *home, struct place *place_out)
{
    char path[PATH_MAX + 8], text[PLACE_BYTES];
    char *rest;

    (void)snprintf(path, sizeof path, "%s/place", home);
    if (read_small(path, text, sizeof text) < 0)
        return false;
    errno = 0;
    place_out->device = strtoull(text, &rest, 10);
    if (rest == text || *rest++ != ' ')
        return false;
    char *second = rest;
    place_out->inode = strtoull(second, &rest, 10);
    if (errno != 0 || rest == second || *rest++ != ' ')
        return false;
    (void)snprintf(place_out->path, PATH_MAX, "%s", rest);
    return true;
}

// What cannot be written is written at the next start.
static void
write_place(const char *home, const struct place *place)
{
    char path[PATH_MAX + 8], text[PLACE_BYTES];
    int length = snprintf(text, sizeof text, "%llu %llu %s", place->device,
                          place->inode, place->path);

    (void)snprintf(path, sizeof path, "%s/place", home);
    if (length > 0 && (size_t)length < sizeof text)
        (void)write_small(path, text, (size_t)length, 0600);
}

static bool
is_same_folder(const struct place *a, const struct place *b)
{
    return a->device == b->device && a->inode == b->inode;
}

enum whereabouts {
    AS_BEFORE,
    ELSEWHERE, // reached by another path: a link, a mount
    MOVED,
    COPIED
};

// Compares where the id was seen last with where it is.
static enum whereabouts
compare_places(const struct mica_seal_key *key, const char *id,
               const struct place *before, const struct place *now)
{
    char other[MICA_IDENTITY_SIZE];
    struct place there;
    int found;

    if (strcmp(before->path, now->path) == 0)
        return AS_BEFORE;
    if (!find_place(before->path, &there))
        return errno == ENOENT || errno == ENOTDIR ? MOVED : COPIED;
    if (is_same_folder(&there, now))
        return ELSEWHERE;
    found = read_id(key, before->path, other);
    if (found == 0 || (found > 0 && strcmp(other, id) != 0))
        return MOVED; // there is another project, or none
    return is_same_folder(before, now) ? MOVED : COPIED;
}

// ---- Finding ---------------------------------------------------------------------

static bool
make_private(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static void
set_home(struct mica_identity *identity, const char *projects)
{
    int length = snprintf(identity->home, sizeof identity->home, "%s/%s",
                          projects, identity->id);

    if (length < 0 || (size_t)length >= sizeof identity->home)
        identity->home[0] = '\0';
}

static void
use_path(struct mica_identity *identity, const char *path, const char *projects)
{
    identity->kind = MICA_IDENTITY_PATH;
    id_of_path(path, identity->id);
    set_home(identity, projects);
}

// A new one, unless the folder had one by its path: that is then written down.
static void
begin_id(struct mica_identity *identity, const struct mica_seal_key *key,
         const char *projects)
{
    use_path(identity, identity->folder, projects);
    if (access(identity->home, F_OK) != 0)
        make_id(identity->id);
    if (write_id(key, identity->id)) {
        identity->kind = MICA_IDENTITY_FILE;
        set_home(identity, projects);
    } else {
        use_path(identity, identity->folder, projects);
    }
}

// The folder has an id of this user: whose is it?
static void
check_id(struct mica_identity *identity, const struct mica_seal_key *key,
         const char *projects, bool use)
{
    enum whereabouts where = AS_BEFORE;
    struct place before, now;

    identity->kind = MICA_IDENTITY_FILE;
    set_home(identity, projects);
    if (!find_place(identity->folder, &now))
        return;
    if (read_place(identity->home, &before))
        where = compare_places(key, identity->id, &before, &now);
    identity->copied = where == COPIED;
    identity->moved = where == MOVED;
    if (where == COPIED || where == MOVED)
        (void)snprintf(identity->other, sizeof identity->other, "%s",
                       before.path);
    if (where == COPIED && use) {
        begin_id(identity, key, projects);
    } else if (where == COPIED) {
        use_path(identity, identity->folder, projects);
    }
}

static void
find_here(struct mica_identity *identity, const char *projects, bool use)
{
    struct mica_seal_key key;
    struct mica_error error;
    int found = -1;

    if (mica_seal_key(&error, &key) == MICA_OK)
        found = read_id(&key, identity->folder, identity->id);
    if (found > 0)
        check_id(identity, &key, projects, use);
    else if (found == 0 && use)
        begin_id(identity, &key, projects);
    else
        use_path(identity, identity->folder, projects);
    explicit_bzero(&key, sizeof key);
}

// A folder of built tools that was named, and is not inside this project.
static bool
is_outside(const struct mica_identity *identity, const char *folder,
           char resolved[PATH_MAX])
{
    resolved[0] = '\0';
    if (folder == NULL || realpath(folder, resolved) == NULL)
        return folder != NULL;
    return !mica_path_is_within(resolved, identity->folder);
}

static void
find_project(const struct mica_options *options, bool use, const char *projects,
             struct mica_identity *identity)
{
    const char *engines = mica_options_value(options, "engines");
    const char *tools = mica_options_value(options, "tools");
    char paths[2][PATH_MAX], both[2 * PATH_MAX];
    bool named = engines != NULL || tools != NULL;
    bool outside = is_outside(identity, engines, paths[0]);

    outside = is_outside(identity, tools, paths[1]) || outside;
    if (named && (outside || !(mica_folder_exists(mica_kind_engine.dir) ||
                               mica_folder_exists(mica_kind_tool.dir)))) {
        (void)snprintf(both, sizeof both, "%s\n%s", paths[0], paths[1]);
        use_path(identity, both, projects);
    } else if (named || mica_project_is_here(options)) {
        find_here(identity, projects, use);
    }
}

// Most often it is where it was.
static void
note_place(const struct mica_identity *identity)
{
    struct place before, now;

    if (find_place(identity->folder, &now) &&
        (!read_place(identity->home, &before) ||
         strcmp(before.path, now.path) != 0 || !is_same_folder(&before, &now)))
        write_place(identity->home, &now);
}

enum mica_status
mica_identity_find(const struct mica_options *options, bool use,
                   struct mica_error *error, struct mica_identity *identity_out)
{
    char state[PATH_MAX], projects[PATH_MAX + 16];
    struct mica_identity *identity = identity_out;
    int lock = -1;

    memset(identity, 0, sizeof *identity);
    if (mica_options_value(options, "engines") == NULL &&
        mica_options_value(options, "tools") == NULL &&
        !mica_project_is_here(options))
        return MICA_OK; // and nothing is made
    MICA_TRY(mica_state_folder(error, state));
    (void)snprintf(projects, sizeof projects, "%s/projects", state);
    if (realpath(".", identity->folder) == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot find out where this folder is: %s",
                              strerror(errno));
    if (use && make_private(projects))
        MICA_TRY(mica_folder_lock(projects, LOCK_MS, error, &lock));
    find_project(options, use, projects, identity);
    if (use && identity->home[0] != '\0' && make_private(identity->home) &&
        identity->kind == MICA_IDENTITY_FILE)
        note_place(identity);
    if (lock >= 0)
        (void)close(lock);
    return MICA_OK;
}

const char *
mica_identity_store(struct mica_cli *cli, const struct mica_options *options)
{
    const char *spec = mica_options_value(options, "store");
    struct mica_identity identity;
    struct mica_error ignored; // then there is no default store either

    if (spec != NULL)
        return spec;
    if (mica_identity_find(options, false, &ignored, &identity) != MICA_OK ||
        identity.home[0] == '\0')
        return "sqlite";
    return mica_cli_format(cli, "sqlite:%s/mica.db", identity.home);
}

bool
mica_identity_is_new_copy(const struct mica_identity *identity)
{
    return identity->copied && access(identity->home, F_OK) != 0;
}

enum mica_status
mica_identity_open(struct mica_cli *cli, const struct mica_options *options,
                   bool pages_trusted, struct mica_error *error,
                   struct mica_store **store_out)
{
    const struct mica_store_options there = {.must_exist = true,
                                             .pages_trusted = pages_trusted};
    const char *spec = mica_options_value(options, "store");
    struct mica_identity identity;

    if (spec == NULL)
        MICA_TRY(mica_identity_find(options, false, error, &identity));
    if (spec == NULL && mica_identity_is_new_copy(&identity))
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "This folder is a copy of %s and was never "
                              "served, so it has no store yet: \"mica serve\" "
                              "makes one of its own. What the original keeps "
                              "is found there.",
                              identity.other);
    if (spec == NULL && identity.copied)
        mica_cli_note(cli, "mica: this folder is a copy of %s\n",
                      identity.other);
    return mica_store_open(mica_identity_store(cli, options), &there, error,
                           store_out);
}

void
mica_identity_tell(struct mica_cli *cli, const struct mica_identity *identity)
{
    if (identity->copied)
        mica_cli_note(cli,
                      "mica: this folder is a copy of %s. It has an identity "
                      "of its own now, and begins with an empty store: calls, "
                      "sessions and files of services stay with the "
                      "original.\n",
                      identity->other);
    else if (identity->moved)
        mica_cli_note(cli,
                      "mica: this project was in %s before; it keeps its "
                      "store.\n",
                      identity->other);
}
