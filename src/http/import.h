// SPDX-License-Identifier: Apache-2.0
//
// Replaces a function that a shared library imports, where the library has no hook.
#ifndef MICA_HTTP_IMPORT_H
#define MICA_HTTP_IMPORT_H

#include <stdbool.h>

// Any function: the caller casts one of the type of the import.
typedef void mica_import(void);

// From here on the loaded library whose file name begins with `libraryz` calls
// `function` instead of `namez`. The program and other libraries do not. Returns false
// if there is no such library or import.
bool mica_import_replace(const char *libraryz, const char *namez,
                         mica_import *function);

#endif
