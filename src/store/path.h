// SPDX-License-Identifier: Apache-2.0
//
// The path of a store's file, and its permissions: no other user may read it, as it has
// keys.
#ifndef MICA_STORE_PATH_H
#define MICA_STORE_PATH_H

#include <mica/store.h>

// Makes the folders above `path` that are missing, for this user alone, and the
// file, empty, if it is missing. Errors: MICA_E_NOT_FOUND (missing, and
// `must_exist`), MICA_E_TRUST (others may read or write it, or own it),
// MICA_E_IO.
enum mica_status mica_store_make_file(const char *path, bool must_exist,
                                      struct mica_error *error) MICA_MUST_USE;

#endif
