// SPDX-License-Identifier: Apache-2.0
//
// What counts the calls of an app and stops those that its budget does not allow. The core
// has no clock and no lock: src/publish/ implements the meter.
#ifndef MICA_APPS_APP_METER_H
#define MICA_APPS_APP_METER_H

#include <mica/base.h>

// One turn of a call.
struct mica_app_turn {
    struct mica_text call; // its id; empty: it runs in this turn alone
    bool continues;        // an earlier turn was admitted
    bool unattended; // no client waits for it: it takes no place of theirs
    uint64_t slot;   // the meter's
};

// How the call ended.
struct mica_app_outcome {
    bool suspended; // it has not: it waits for an answer
    bool failed;
};

struct mica_app_meter {
    // May the call begin? A call that continues may, and is counted no second time.
    // Errors: MICA_E_BUDGET; `retry_s_out` then says in how many seconds it may be tried
    // again. Each MICA_OK is followed by `end`. Any thread; does not block.
    enum mica_status (*begin)(struct mica_app_meter *self,
                              struct mica_app_turn *turn,
                              struct mica_error *error, unsigned *retry_s_out);
    void (*end)(struct mica_app_meter *self, const struct mica_app_turn *turn,
                const struct mica_app_outcome *outcome);
    // Counts tokens of language models, in and out, as soon as they are spent. A turn may
    // have ended by then. Any thread; does not block.
    void (*spend)(struct mica_app_meter *self, int64_t tokens);
};

#endif
