// SPDX-License-Identifier: Apache-2.0
//
// Reads the bytes of a connection before libmicrohttpd does, and refuses requests that
// two programs could read in two ways (framing.h): it sends one refusal and closes the
// connection, and no byte after a refused request is processed.
//
// Invariants:
//  GUARD-1. libmicrohttpd never gets the last byte of a request that is refused.
//  GUARD-2. Earlier requests are answered first, and the refusal is sent once.
//  GUARD-3. A request whose head no guard has read closes its connection: where the
//           guard cannot read for libmicrohttpd, there is no second request.
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
    MICA_GUARD_REPLY_HEAD_BYTES = 768,    // for the head of a reply, at least
    MICA_GUARD_LINGER_MS = 2000,          // for the client to read a refusal
    MICA_GUARD_LINGER_BYTES = 1024 * 1024 // of its input that are discarded
};

enum mica_guard_state {
    MICA_GUARD_OPEN,
    MICA_GUARD_REFUSES, // once the earlier requests are answered
    MICA_GUARD_DEAF     // discards all input
};

// Does the client wait for something? A server that ends has to know (http_drain.c).
// The I/O thread sets BUSY before it reads, and QUIET when all requests are answered and
// there is no more input. The ending thread turns QUIET into SEEN, and SEEN into CLOSED.
enum mica_guard_use {
    MICA_GUARD_QUIET,
    MICA_GUARD_SEEN, // quiet at the last half-close attempt, and since
    MICA_GUARD_BUSY,
    MICA_GUARD_CLOSED // the server's side is closed: input is discarded
};

// One connection.
struct mica_guard {
    struct mica_framing framing;
    int fd;
    enum mica_guard_state state;
    atomic_int use;         // enum mica_guard_use
    struct mica_text added; // base path, for addresses in a refusal
    bool closes;            // the current reply is the last one
    uint64_t begun;         // requests that libmicrohttpd has begun
    uint64_t done;          // requests that were answered
    size_t ignored;         // input that was discarded
    // Called after a refusal, with `data`.
    void (*refused)(const struct mica_guard *guard, void *data);
    void *data;
};

// Call this before the first daemon starts: from then on libmicrohttpd reads through the
// guards. No effect if libmicrohttpd is linked statically.
void mica_guard_install(void);

// Begin and end the guard of the connection at `fd`, which has `pool_bytes` of
// libmicrohttpd's memory. The caller neither moves the guard in between nor changes the
// texts of `base` (may be NULL).
void mica_guard_open(struct mica_guard *guard, int fd, size_t pool_bytes,
                     const struct mica_base_path *base);
void mica_guard_close(struct mica_guard *guard);

// A request begins. Returns true if the guard has read its head; otherwise the caller
// closes the connection after the reply [GUARD-3].
bool mica_guard_has_seen_head(struct mica_guard *guard) MICA_MUST_USE;

// The memory that the request which began last leaves for the head of its reply. At least
// MICA_GUARD_REPLY_HEAD_BYTES; only as much if a later head was read already. SIZE_MAX if
// no guard has read its head.
size_t mica_guard_reply_room(const struct mica_guard *guard);

// The current reply has "Connection: close".
void mica_guard_mark_last_answer(struct mica_guard *guard);

// For a server that ends, while the connection at `fd` is open: closes the server's side
// if the connection is quiet and was so at the last call. No effect if the guard does not
// read for libmicrohttpd.
void mica_guard_half_close(struct mica_guard *guard, int fd);

// The code of the refusal.
enum mica_status mica_guard_code(const struct mica_guard *guard);

// libmicrohttpd is done with a request.
void mica_guard_completed(struct mica_guard *guard,
                          enum MHD_RequestTerminationCode code);

#endif
