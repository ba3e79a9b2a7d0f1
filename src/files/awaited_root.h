// SPDX-License-Identifier: Apache-2.0
//
// The descriptor of a folder that may be missing, go and come again while it is served.
#ifndef MICA_FILES_AWAITED_ROOT_H
#define MICA_FILES_AWAITED_ROOT_H

#include <limits.h>

#include <mica/base.h>

// The folder that `path` is in: its events tell when the folder comes and goes, as one that
// is held open has none when it is removed. False when the path is too long.
bool mica_awaited_parent(const char *path, char parent[PATH_MAX]) MICA_MUST_USE;

// Brings *root (-1: never opened) in step with the folder that lies at `path` now, and says
// whether there is one. The number of the descriptor stays the same, so that other threads
// may use it meanwhile. A folder that has come later is not opened through a link, which
// might lead out of the project. Errors: MICA_E_IO (a link, no right to read it).
enum mica_status mica_awaited_root(const char *path, int *root,
                                   struct mica_error *error, bool *here_out)
    MICA_MUST_USE;

#endif
