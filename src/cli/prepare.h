// SPDX-License-Identifier: Apache-2.0
//
// The sources that are built while a command serves already: a few threads take
// the next one each, and each result is swapped in as soon as it is there. The
// server asks what is still to come (struct mica_coming).
#ifndef MICA_CLI_PREPARE_H
#define MICA_CLI_PREPARE_H

#include <time.h>

#include "cli/project.h"
#include "server/server.h"

struct mica_preparation;

// Owner: mica_preparation_close. Errors: MICA_E_LIMIT.
enum mica_status
mica_preparation_open(struct mica_preparation **preparation_out,
                      struct mica_error *error) MICA_MUST_USE;

// Adds a source to be built. Before the start. Errors: MICA_E_LIMIT.
enum mica_status mica_preparation_add(struct mica_preparation *preparation,
                                      const struct mica_source_kind *kind,
                                      const char *name,
                                      struct mica_error *error) MICA_MUST_USE;

// Is it still to be built? From any thread; NULL for one that has nothing to do.
bool mica_preparation_builds(struct mica_preparation *preparation,
                             const struct mica_source_kind *kind,
                             const char *name);

// Was it built here, or tried? Then `source_out` is how old its source was. From any
// thread.
bool mica_preparation_tried(struct mica_preparation *preparation,
                            const struct mica_source_kind *kind,
                            const char *name, struct timespec *source_out);

// Begins to build. `swap` is called on one of the threads, one at a time, when one
// more is built, and brings the server in step. From now on the server tells
// requests what is to come. Errors: MICA_E_NOT_FOUND (no compiler).
enum mica_status mica_preparation_start(struct mica_preparation *preparation,
                                        struct mica_server *server,
                                        void (*swap)(void *data), void *data,
                                        struct mica_error *error) MICA_MUST_USE;

// Ends what still builds, with all programs that it runs. The server must not
// serve any more; the questions above may still be asked. NULL is allowed.
void mica_preparation_end(struct mica_preparation *self);

// The same, and nothing may be asked any more: after the reloader has stopped.
void mica_preparation_close(struct mica_preparation **preparation);

#endif
