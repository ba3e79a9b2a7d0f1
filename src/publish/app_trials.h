// SPDX-License-Identifier: Apache-2.0
//
// What tests of drafts need in a program that serves no apps: the command line. A server
// that serves apps has it already (mica_published_apps_tests).
//
//     mica_app_trials_open(server, error, &trials)
//     acts.tests = mica_app_trials_tests; acts.tests_data = trials;
//         … tests …
//     mica_app_trials_close(&trials, store)      the store has what was counted
#ifndef MICA_PUBLISH_APP_TRIALS_H
#define MICA_PUBLISH_APP_TRIALS_H

#include "publish/app_endpoint.h"

struct mica_app_trials;

// `server` has the tools that drafts map, and outlives this. Errors: MICA_E_LIMIT.
enum mica_status mica_app_trials_open(struct mica_server *server,
                                      struct mica_error *error,
                                      struct mica_app_trials **trials_out)
    MICA_MUST_USE;

// Adds to `store` what the tests have counted. Waits for the store. NULL inside is allowed.
void mica_app_trials_close(struct mica_app_trials **trials,
                           struct mica_store *store);

// For struct mica_acts; `data` is the trials.
enum mica_status
mica_app_trials_tests(void *data, struct mica_error *error,
                      const struct mica_app_common **common_out) MICA_MUST_USE;

#endif
