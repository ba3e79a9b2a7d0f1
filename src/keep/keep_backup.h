// SPDX-License-Identifier: Apache-2.0
//
// Copies of the databases of tools, while servers use them.
#ifndef MICA_KEEP_KEEP_BACKUP_H
#define MICA_KEEP_KEEP_BACKUP_H

#include <stddef.h>

#include <mica/base.h>

// Copies each database of `folder` into the folder `copy`, which must not exist, and
// says how many there are; none: no folder is made. Each is of one moment, complete with
// its log. After a failure there is no copy. Errors: MICA_E_KEEP, MICA_E_KEEP_BUSY,
// MICA_E_EXISTS.
enum mica_status mica_keep_backup(const char *folder, const char *copy,
                                  struct mica_error *error, size_t *count_out)
    MICA_MUST_USE;

#endif
