// SPDX-License-Identifier: Apache-2.0
//
// A folder whose files every client may read must have no private ones: the store
// holds the keys of sealed states, and keep.path what tools know of their callers.
#ifndef MICA_CLI_SERVED_FOLDER_H
#define MICA_CLI_SERVED_FOLDER_H

#include "cli/cli.h"

// Refuses a folder of resources in which the store, the databases of tools, auth.file or
// rules.file lie, or that lies in the folder of one. Names that begin with '.' are not
// served, and neither is what lies below them. Errors: MICA_E_USAGE (it names both), those
// of mica_identity_find.
enum mica_status mica_served_folder_check(const struct mica_options *options,
                                          const char *folder,
                                          struct mica_error *error)
    MICA_MUST_USE;

#endif
