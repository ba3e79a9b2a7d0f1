// SPDX-License-Identifier: Apache-2.0
//
// What is looked at in an engine's source before a compiler reads it.
#ifndef MICA_BUILD_ENGINE_SOURCE_H
#define MICA_BUILD_ENGINE_SOURCE_H

#include <mica/base.h>

enum {
    MICA_SOURCE_BYTES = 1 << 20
};

// Whether the path names a source that can be built: a file (no FIFO, device,
// socket or folder, which a compiler would wait for or read without end) of bounded
// size, that is no link out of the project (the folder that it stands in, and the
// current one), with no control character in its path. Errors: MICA_E_NOT_FOUND,
// MICA_E_BUILD, MICA_E_LIMIT.
enum mica_status mica_source_file(const char *path, struct mica_error *error)
    MICA_MUST_USE;

// Refuses, with the line: assembly in each spelling that stands in the text; what
// asks whether a file exists; an include of a file that is no header of mica or of
// the C library, or by a macro; what names another file; and what compilers do not
// read alike, so that no directive is hidden from this reader. What a macro puts
// together is refused by the compiler, which is told to take no assembly and to
// find no file, and by its confinement. Errors: MICA_E_IMPURE, MICA_E_BUILD; the
// place goes to `diagnostics`.
enum mica_status mica_source_words(const char *path, struct mica_text text,
                                   struct mica_buffer *diagnostics,
                                   struct mica_error *error) MICA_MUST_USE;

#endif
