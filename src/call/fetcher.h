// SPDX-License-Identifier: Apache-2.0
//
// What sends the requests of mica_fetch: libcurl in a server (src/fetch), a script in
// a test (src/kit). The core knows it as a service of this name.
#ifndef MICA_CALL_FETCHER_H
#define MICA_CALL_FETCHER_H

#include <stdatomic.h>

#include <mica/base.h>

// The functions of <mica/tool.h> themselves, not its macros.
#ifndef MICA_TOOL_PLAIN
#    define MICA_TOOL_PLAIN
#endif
#include <mica/fetch.h>

#define MICA_FETCH_SERVICE "mica-fetch"

// A request that has been checked: the method is a token, the URL is one of
// mica_url_read, headers have names and values that may be sent.
struct mica_fetch_order {
    struct mica_text key; // idempotency key of the step
    const char *method;
    struct mica_text url;
    const struct mica_fetch_header *headers;
    size_t header_count;
    bool has_body;
    struct mica_text body; // JSON
    uint32_t limit_ms;
    size_t limit_bytes;
    unsigned attempts;
    bool repeats;                 // may be sent again after it was received
    const char *const *fetches;   // origins of the tool
    const atomic_bool *cancelled; // or NULL
};

struct mica_fetch_reply {
    unsigned status;
    struct mica_text body; // in the arena
};

struct mica_fetcher {
    // Blocks. Errors: MICA_E_FETCH and its like, MICA_E_CANCELLED, MICA_E_LIMIT.
    enum mica_status (*send)(void *data, const struct mica_fetch_order *order,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_fetch_reply *reply_out);
    void *data;
};

// May a tool with these .fetches use that origin?
bool mica_fetch_names(const char *const *fetches, struct mica_text origin);

// Is it GET, HEAD, PUT or DELETE, which a server may get twice?
bool mica_fetch_is_idempotent(const char *methodz);

#endif
