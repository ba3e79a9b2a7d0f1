// SPDX-License-Identifier: Apache-2.0
//
// The table of log levels.
#include "protocol/log_level.h"

static const char *const levels[MICA_LOG_LEVELS] = {
    "debug", "info",     "notice", "warning",
    "error", "critical", "alert",  "emergency"};

bool
mica_log_level_find(struct mica_text name, enum mica_log_level *level_out)
{
    for (unsigned level = 0; level < MICA_LOG_LEVELS; level++) {
        if (mica_text_is(name, levels[level])) {
            *level_out = (enum mica_log_level)level;
            return true;
        }
    }
    return false;
}

const char *
mica_log_level_name(enum mica_log_level level)
{
    return levels[level];
}
