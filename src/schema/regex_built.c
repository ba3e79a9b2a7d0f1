// SPDX-License-Identifier: Apache-2.0
//
// Patterns in a module (wasm32 only): the build has compiled them
// (build/patterns.c), so that no call does, and no browser fetches the compiler.
#ifdef __wasm__

#    include <string.h>

#    include "schema/regex.h"

// Ends with a source of NULL.
extern const struct mica_regex_built mica_module_patterns[];

enum mica_status
mica_regex_compile(struct mica_arena *arena, struct mica_text pattern,
                   struct mica_error *error, struct mica_regex *regex_out)
{
    const struct mica_regex_built *built = mica_module_patterns;
    while (built->source != NULL && !mica_text_is(pattern, built->source))
        built++;
    if (built->source == NULL) // a table that the build did not read
        __builtin_trap();
    uint32_t *room = mica_arena_alloc(
        arena, MICA_REGEX_ROOM * built->step_count * sizeof *room);
    if (room == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "there is no memory for the pattern");
    *regex_out = (struct mica_regex){
        .steps = built->steps,
        .ranges = built->ranges,
        .step_count = built->step_count,
        .range_count = built->range_count,
        .anchored = built->anchored,
        .room = room,
    };
    return MICA_OK;
}

#endif
