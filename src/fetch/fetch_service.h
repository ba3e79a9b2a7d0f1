// SPDX-License-Identifier: Apache-2.0
//
// The fetcher of a server: what its project allows, and what it counts.
#ifndef MICA_FETCH_FETCH_SERVICE_H
#define MICA_FETCH_FETCH_SERVICE_H

#include <stdatomic.h>
#include <stdint.h>

#include "call/fetcher.h"
#include "fetch/fetch_policy.h"

struct mica_fetch_service {
    struct mica_fetcher fetcher; // first: it is what the core finds
    struct mica_arena arena;     // of the policy
    struct mica_fetch_policy policy;
    atomic_llong requests; // that were sent, each attempt and each redirect
    atomic_llong refused;  // fetches that policy or address refused
    atomic_llong failed;   // fetches that ended with another error
};

struct mica_fetch_counts {
    long long requests, refused, failed;
};

// Of a server; all zero if its tools fetch nothing. From any thread.
struct mica_fetch_counts mica_fetch_counts(struct mica_server *server);

// A struct mica_fetch_order as libcurl sends it; `data` is the service.
enum mica_status mica_fetch_send(void *data,
                                 const struct mica_fetch_order *order,
                                 struct mica_arena *arena,
                                 struct mica_error *error,
                                 struct mica_fetch_reply *reply_out);

#endif
