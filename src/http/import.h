// SPDX-License-Identifier: Apache-2.0
//
// The functions that a shared library imports. A library that has no hook for
// something can be given another function for one that it calls.
#ifndef MICA_HTTP_IMPORT_H
#define MICA_HTTP_IMPORT_H

#include <stdbool.h>
#include <sys/types.h>

// What takes the place of recv (POSIX).
typedef ssize_t mica_import_recv(int fd, void *bytes, size_t size, int flags);

// From here on the loaded library whose file name begins with `libraryz` calls
// `function` where it called `namez`. Nothing else is concerned: not the program,
// and no other library. False when there is no such library or import.
bool mica_import_replace(const char *libraryz, const char *namez,
                         mica_import_recv *function);

#endif
