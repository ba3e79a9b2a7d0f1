// SPDX-License-Identifier: Apache-2.0
//
// Sees the bytes of a connection before libmicrohttpd does, and refuses what two
// readers could read in two ways (framing.h): one answer, then the connection
// closes, and nothing behind a refusal ever runs.
//
// Invariants:
//  GUARD-1. libmicrohttpd never gets the last byte of a request that is refused.
//  GUARD-2. Requests before it are answered first, and it is answered once.
//  GUARD-3. A request whose head a guard has not passed closes its connection:
//           where libmicrohttpd cannot be listened to, there is no second request.
//  GUARD-4. A connection is half-closed only while no request on it is read or
//           answered.
//
// All functions but mica_guard_install and mica_guard_half_close are called on the I/O
// thread of their connection.
#ifndef MICA_HTTP_GUARD_H
#define MICA_HTTP_GUARD_H

#include <stdatomic.h>

#include <microhttpd.h>

#include "http/framing.h"
#include "protocol/base_path.h"

enum {
    MICA_GUARD_REPLY_HEAD_BYTES = 768,    // of a connection's memory
    MICA_GUARD_LINGER_MS = 2000,          // for the client to read a refusal
    MICA_GUARD_LINGER_BYTES = 1024 * 1024 // that it may send meanwhile
};

enum mica_guard_state {
    MICA_GUARD_OPEN,
    MICA_GUARD_REFUSES, // when the requests before are answered
    MICA_GUARD_DEAF     // nothing that comes belongs to a request
};

// What its client waits for, which a server that ends has to know (http_drain.c).
// The I/O thread moves to BUSY before it reads and back to QUIET where nothing has
// come and everything is answered; another thread makes SEEN of QUIET, and CLOSED of
// SEEN.
enum mica_guard_use {
    MICA_GUARD_QUIET,
    MICA_GUARD_SEEN, // quiet at the last look, and since
    MICA_GUARD_BUSY,
    MICA_GUARD_CLOSED // our side is closed: what comes is read and thrown away
};

// One connection.
struct mica_guard {
    struct mica_framing framing;
    int fd;
    enum mica_guard_state state;
    atomic_int use;         // enum mica_guard_use
    struct mica_text added; // in front of addresses in a refusal
    bool closes;            // what goes out now is the last answer
    uint64_t begun;         // requests that libmicrohttpd has begun
    uint64_t done;          // requests that were answered
    size_t ignored;         // bytes read when deaf
    // It has refused; `data` is its second argument.
    void (*refused)(const struct mica_guard *guard, void *data);
    void *data;
};

// Once in a process, before the first daemon starts: from then on libmicrohttpd
// reads through the guards. Without effect where it is linked statically.
void mica_guard_install(void);

// The connection at `fd` begins, with `pool_bytes` of libmicrohttpd's memory, and
// ends. The guard stays where it is between. `base` may be NULL; its texts stay.
void mica_guard_open(struct mica_guard *guard, int fd, size_t pool_bytes,
                     const struct mica_base_path *base);
void mica_guard_close(struct mica_guard *guard);

// A request begins; true: its head was seen. False: close after it [GUARD-3].
bool mica_guard_has_seen_head(struct mica_guard *guard) MICA_MUST_USE;

// Its answer says that the connection closes.
void mica_guard_mark_last_answer(struct mica_guard *guard);

// For a server that ends, while the connection at `fd` is open: closes our side if it was
// quiet at the last look, too, and marks it if it is quiet now. Without a guard that
// reads the connection stays as it is.
void mica_guard_half_close(struct mica_guard *guard, int fd);

// The code of what it has refused.
enum mica_status mica_guard_code(const struct mica_guard *guard);

// libmicrohttpd has done with a request.
void mica_guard_completed(struct mica_guard *guard,
                          enum MHD_RequestTerminationCode code);

#endif
