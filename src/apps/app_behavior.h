// SPDX-License-Identifier: Apache-2.0
//
// The behaviors of apps, each in a file of its own; app_execute.c has their table.
// Internal to this folder.
#ifndef MICA_APPS_APP_BEHAVIOR_H
#define MICA_APPS_APP_BEHAVIOR_H

#include "apps/app_error.h"
#include "apps/app_execute.h"

enum {
    MICA_APP_DATA_BYTES = 512 * 1024 // of the data of a result, as JSON
};

// One turn of a call of an app.
struct mica_app_run {
    struct mica_call *call;
    const struct mica_app_plan *plan;
    const struct mica_json *arguments; // {message, context}, checked
    struct mica_app_error
        failure; // of a behavior that does not return MICA_OK
    struct mica_app_outcome outcome;
};

// Runs a behavior, which fills the result of the call. Another status than MICA_OK: the
// turn was stopped (call->stopped), or run->failure is filled.
typedef enum mica_status mica_app_behavior(struct mica_app_run *run);
mica_app_behavior mica_app_execute_tool, mica_app_execute_prompt;

// Fills run->failure; the message is in the call's memory. `reason` is the code of the
// cause, or empty; `because` what the cause says itself, or empty; `pathz` a JSON Pointer
// into {message, context}, or "". Returns `status` as apps have it.
enum mica_status mica_app_fail(struct mica_app_run *run,
                               enum mica_status status, const char *reasonz,
                               const char *becausez, const char *pathz,
                               const char *formatz, ...) MICA_PRINTF(6, 7);

// Checks data of the app against the schema of its layout. Returns what is wrong, a
// sentence in the call's memory; empty: nothing.
struct mica_text mica_app_data_faults(struct mica_app_run *run,
                                      const struct mica_json *data,
                                      enum mica_status *status_out);

// Adds the result: the message of the app, the data, and which widget shows them.
void mica_app_add_result(struct mica_app_run *run, struct mica_text data,
                         struct mica_text plain);

// The same for data that a behavior has made: writes their plain text.
void mica_app_add_data(struct mica_app_run *run, const struct mica_json *data);

#endif
