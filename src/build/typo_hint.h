// SPDX-License-Identifier: Apache-2.0
//
// A slip of the pen in one of mica's names, which compilers tell in words of the
// macros around it.
#ifndef MICA_BUILD_TYPO_HINT_H
#define MICA_BUILD_TYPO_HINT_H

#include "build/build.h"

struct mica_typo {
    struct mica_text word, meant; // MICA_NUMBR, MICA_NUMBER; in the arena
    unsigned line;
};

// Says so of a source that did not compile, if there is one. Always MICA_E_BUILD.
enum mica_status mica_typo_tell(const struct mica_toolchain *toolchain,
                                const char *source, struct mica_arena *arena,
                                struct mica_error *error);

// The first word of a source that looks like one of mica's macros or constants and
// is not, if a real one comes near. For a source that does not compile.
bool mica_typo_find(const struct mica_toolchain *toolchain, const char *source,
                    struct mica_arena *arena, struct mica_typo *typo_out);

#endif
