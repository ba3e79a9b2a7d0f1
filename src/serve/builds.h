// SPDX-License-Identifier: Apache-2.0
//
// The builds of calls in a store that this process can run (CALL-6 in
// server/calls/calls_interface.h): those that its server offers, and older ones whose files
// still exist. The search for an older build may open a file, so its result is cached for
// some seconds.
//
// Threads: one; any for mica_builds_has.
#ifndef MICA_SERVE_BUILDS_H
#define MICA_SERVE_BUILDS_H

#include "server/server.h"

#include "store/store_calls.h"

struct mica_builds;

// Without a server every build is here. Errors: MICA_E_LIMIT.
enum mica_status mica_builds_open(struct mica_server *server,
                                  struct mica_error *error,
                                  struct mica_builds **builds_out)
    MICA_MUST_USE;
void mica_builds_close(struct mica_builds **builds);

// Can this process run the build of that call? With `offered_only` only builds that the server
// offers now count, and this opens no file.
bool mica_builds_has(const struct mica_builds *builds,
                     const struct mica_kept_call *call, bool offered_only);

// Reads the builds of open calls, in `arena`: those that this process can run, and the others.
// If there are more than 10,000, it reads the next ones the next time. Errors: those of the
// store.
enum mica_status mica_builds_sort(struct mica_builds *builds,
                                  struct mica_store *store, int64_t now,
                                  struct mica_arena *arena,
                                  struct mica_error *error,
                                  struct mica_store_build_set *here_out,
                                  struct mica_store_build_set *others_out)
    MICA_MUST_USE;

// Did the last mica_builds_sort read all builds?
bool mica_builds_were_whole(const struct mica_builds *builds);

#endif
