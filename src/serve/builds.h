// SPDX-License-Identifier: Apache-2.0
//
// Which of the builds that calls of a store began with this process can run (C6 in
// server/calls/call_store.h): those that its server offers, and older ones that are still beside
// their tools. A look for an older build may open a file, so its outcome is
// remembered for some seconds.
//
// Threads: one, but for mica_builds_has.
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

// Is the build of that call here? With `now` only what is offered now counts, and
// no file is looked at. From any thread.
bool mica_builds_has(const struct mica_builds *builds,
                     const struct mica_kept_call *call, bool now);

// Reads which builds open calls began with, in `arena`: those that are here, and
// the others. Of more than 10,000 it reads so many, and the rest the next
// time. Errors: those of the store.
enum mica_status mica_builds_sort(struct mica_builds *builds,
                                  struct mica_store *store, int64_t now,
                                  struct mica_arena *arena,
                                  struct mica_error *error,
                                  struct mica_store_build_set *here_out,
                                  struct mica_store_build_set *others_out)
    MICA_MUST_USE;

// Did that read all of them?
bool mica_builds_were_whole(const struct mica_builds *builds);

#endif
