// SPDX-License-Identifier: Apache-2.0
//
// Which project a command works for, and so which store and which files of services
// are its own. A project is a folder; its identity is an id in the file
// .mica/project there, or, where that cannot be written or was made by another user,
// follows from the resolved path of the folder.
#ifndef MICA_CLI_IDENTITY_H
#define MICA_CLI_IDENTITY_H

#include <limits.h>

#include "cli/cli.h"

enum mica_identity_kind {
    MICA_IDENTITY_NONE, // no project: the store that all of them once shared
    MICA_IDENTITY_FILE, // by the file
    MICA_IDENTITY_PATH  // by the path
};

enum {
    MICA_IDENTITY_SIZE = 33 // of an id, its end included
};

struct mica_identity {
    enum mica_identity_kind kind;
    char id[MICA_IDENTITY_SIZE];
    char home[PATH_MAX];   // where its store and its services are; "": none
    char folder[PATH_MAX]; // of the project, resolved
    char other[PATH_MAX];  // where it was before, or what it is a copy of
    bool copied, moved;    // which of them; both false: `other` is empty
};

// Finds it from the options --engines, --tools and --built-in, in the folder where
// the command works. With `use` it is written down where it is not yet: a copy of a
// folder gets an identity of its own, and one that was moved keeps its own. Errors:
// MICA_E_IO (no folder for mica's own files), MICA_E_BUSY (another start holds the lock).
enum mica_status mica_identity_find(const struct mica_options *options,
                                    bool use, struct mica_error *error,
                                    struct mica_identity *identity_out)
    MICA_MUST_USE;

// The store of a command: --store, or that of the project, or else "sqlite". In
// memory of the command.
const char *mica_identity_store(struct mica_cli *cli,
                                const struct mica_options *options);

// Opens that store, which has to be there (`pages_trusted` of mica_store_options). Where
// the folder is a copy that was never served, stderr says so: the store is not the
// original's. Errors: as of mica_store_open.
enum mica_status
mica_identity_open(struct mica_cli *cli, const struct mica_options *options,
                   bool pages_trusted, struct mica_error *error,
                   struct mica_store **store_out) MICA_MUST_USE;

// True for a copy of a folder that has neither an identity nor a store of its own.
bool mica_identity_is_new_copy(const struct mica_identity *identity);

// Says on stderr what is surprising about it: that it is a copy, or was moved.
void mica_identity_tell(struct mica_cli *cli,
                        const struct mica_identity *identity);

// Has the services of the server keep their files in the project, and takes over
// what they have in the folder that all projects once shared. Before tools are
// loaded.
enum mica_status mica_identity_serve(const struct mica_identity *identity,
                                     struct mica_server *server,
                                     struct mica_error *error) MICA_MUST_USE;

// At the first start in a project: takes over the calls that its tools can continue
// from the store that all projects once shared. What fails is said on stderr, and
// tried again at the next start.
void mica_identity_take_over(struct mica_cli *cli,
                             const struct mica_identity *identity,
                             struct mica_server *server);

#endif
