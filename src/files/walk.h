// SPDX-License-Identifier: Apache-2.0
//
// What a folder holds: every regular file in it and below, without hidden ones,
// and without following any link. Directories are watched while they are walked,
// so that no change falls between looking and watching.
#ifndef MICA_FILES_WALK_H
#define MICA_FILES_WALK_H

#include "watch/watch.h"

struct mica_walk_file {
    const char *path; // from the folder, '/' between names
    uint64_t size, inode;
    int64_t modified_ns; // since 1970
};

struct mica_walk {
    struct mica_arena arena; // of the paths
    struct mica_walk_file *files;
    size_t count, capacity;
    size_t most;                  // files; more are left out
    size_t directories;           // seen, at most as many as files
    struct mica_watcher *watcher; // of the directories, or NULL
    size_t left_out;              // files or directories past a limit
    size_t unreadable;            // directories
    size_t unwatched;             // directories
};

enum {
    MICA_WALK_DEPTH = 32
};

// Walks the folder that is open as `root`; the files are sorted by path. Set
// `most` and `watcher` first, and zero the rest. Errors: MICA_E_IO, MICA_E_LIMIT
// (no memory). Owner: the caller calls _fini, also after a failure.
enum mica_status mica_walk_run(struct mica_walk *walk, int root,
                               struct mica_error *error) MICA_MUST_USE;
void mica_walk_fini(struct mica_walk *walk);

// Opens the regular file at `path` under `root`, name by name, following no
// link. -1 with errno.
int mica_walk_open(int root, const char *path);

#endif
