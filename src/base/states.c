// SPDX-License-Identifier: Apache-2.0
//
// The line that says which move of a table of states was wrong, and why.
#include "base/states.h"

void
mica_states_check(const struct mica_states *states, unsigned from, unsigned to,
                  const char *brokenz)
{
    char room[MICA_STATES_LINE];
    struct mica_buffer line = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    const char *whyz = brokenz;

    if (!mica_states_allow(states, from, to))
        whyz = "the table does not have this move";
    if (whyz == NULL)
        return;
    mica_buffer_format(&line, "%s: %s -> %s: %s", states->namez,
                       mica_states_name(states, from),
                       mica_states_name(states, to), whyz);
    mica_buffer_char(&line, '\0');
    if (!line.overflow) // a reason that is too long is told by itself
        whyz = room;
    if (states->stop != NULL)
        states->stop(whyz);
    mica_assert_failed(__FILE__, __LINE__, whyz);
}
