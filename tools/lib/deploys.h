// SPDX-License-Identifier: Apache-2.0
//
// The service "deploys": builds, deployments, notices, and who is deploying where
// just now, in a SQLite file of its own. Each effect takes the idempotency key of
// the step that it belongs to, and a key that was seen before changes nothing.
//
// Threads: any number at once.
#ifndef TOOLS_DEPLOYS_H
#define TOOLS_DEPLOYS_H

#include <mica/server.h>

#include "database.h"

// Opens $folder/deploys.db: what mica_service gives is a struct database.
extern const struct mica_service_definition deploys_service;

// Locks an environment for `owner` until a time. MICA_E_BUSY: another owner has
// it. One whose time has passed has it no more, so that what was lost for good
// does not lock others out for ever. Errors: MICA_E_IO.
enum mica_status deploys_lock(struct database *deploys,
                              struct mica_text environment,
                              struct mica_text owner, int64_t now_ms,
                              int64_t until_ms, struct mica_error *error)
    MICA_MUST_USE;

// Does nothing when another has it.
enum mica_status deploys_unlock(struct database *deploys,
                                struct mica_text environment,
                                struct mica_text owner,
                                struct mica_error *error) MICA_MUST_USE;

// Each of these gives the number of what was made with this key, now or before.
// Errors: MICA_E_IO.
enum mica_status deploys_build(struct database *deploys, struct mica_text key,
                               struct mica_text service,
                               struct mica_text version,
                               struct mica_error *error, int64_t *number_out)
    MICA_MUST_USE;
enum mica_status deploys_deploy(struct database *deploys, struct mica_text key,
                                int64_t build, struct mica_text environment,
                                struct mica_text strategy,
                                struct mica_error *error, int64_t *number_out)
    MICA_MUST_USE;
enum mica_status deploys_notify(struct database *deploys, struct mica_text key,
                                int64_t deployment, struct mica_text words,
                                struct mica_error *error, int64_t *number_out)
    MICA_MUST_USE;

#endif
