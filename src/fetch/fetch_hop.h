// SPDX-License-Identifier: Apache-2.0
//
// One request and its answer, without what follows: no redirect, no second attempt.
#ifndef MICA_FETCH_FETCH_HOP_H
#define MICA_FETCH_FETCH_HOP_H

#include "fetch/fetch_library.h"

#include <stdatomic.h>
#include <stdint.h>

#include "base/url.h"

struct mica_fetch_hop {
    struct mica_text url; // of mica_url_read
    const char *method;
    struct curl_slist *headers;
    const struct mica_text *body; // or NULL
    size_t limit_bytes;
    int64_t limit_ms;             // from now on, more than 0
    const atomic_bool *cancelled; // or NULL
    const char *proxy;            // or NULL
    bool may_be_private;          // the project has named the origin as private
    bool only_loopback;           // a secret goes over http
    struct mica_arena *arena;
};

struct mica_fetch_hop_reply {
    unsigned status;
    struct mica_text body;     // in the arena
    struct mica_text redirect; // whole URL, in the arena; empty without one
    int64_t retry_after_s;     // 0: nothing was said
};

// Sends it. `sent_out` is false when nothing of it can have arrived. Errors:
// MICA_E_FETCH, MICA_E_FETCH_ADDRESS, MICA_E_FETCH_TIME, MICA_E_FETCH_SIZE,
// MICA_E_CANCELLED, MICA_E_LIMIT.
enum mica_status mica_fetch_hop(const struct mica_fetch_library *library,
                                const struct mica_fetch_hop *hop,
                                struct mica_error *error,
                                struct mica_fetch_hop_reply *reply_out,
                                bool *sent_out) MICA_MUST_USE;

#endif
