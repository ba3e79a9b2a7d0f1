// SPDX-License-Identifier: Apache-2.0
//
// Carries changes of what a server offers to all subscribers. Changes
// are gathered for a moment and told by a thread of the bus, so that a handler
// that adds a thousand tools neither waits for the clients nor floods them.
//
// Invariants:
//  B1. The bus sends what is published to every subscriber that had joined by then and
//      has not left; several equal changes may be told as one.
//  B2. Once mica_bus_leave returns, the subscriber is not called any more.
//  B3. Subscribers are called under the bus's lock: they must not wait, and not
//      call the bus.
#ifndef MICA_SERVE_BUS_H
#define MICA_SERVE_BUS_H

#include "server/server.h"

struct mica_bus;

// Embedded in whatever wants to be told.
struct mica_subscriber {
    void (*changed)(void *data, const struct mica_change *change);
    // Of tasks; NULL: it does not want to know.
    void (*task)(void *data, const struct mica_change *change);
    // Of the sources of tools (mica dev); NULL: the same.
    void (*sources)(void *data);
    void *data;
    size_t index;   // of the bus
    uint64_t round; // of the bus: the last in which it was told
};

// The bus of `server`, made by the first caller, before any thread changes what
// is offered. It lives until the server closes.
enum mica_status mica_bus_of(struct mica_server *server,
                             struct mica_error *error,
                             struct mica_bus **bus_out) MICA_MUST_USE;

// The bus calls `made` for every change that is made in this process, on the thread that
// makes it, before the subscribers are. One at a time; NULL: no function. Once this
// returns, the one before is not called any more; so the caller holds no lock
// that it takes.
void mica_bus_witness(struct mica_bus *bus,
                      void (*made)(void *data, const struct mica_change *),
                      void *data);

// Tells the subscribers, and not the witness, of a change that was made elsewhere.
void mica_bus_publish(struct mica_bus *bus, const struct mica_change *change);

// `changed` and `data` of the subscriber are set. False for want of memory.
bool mica_bus_join(struct mica_bus *bus, struct mica_subscriber *subscriber)
    MICA_MUST_USE;
void mica_bus_leave(struct mica_bus *bus, struct mica_subscriber *subscriber);

size_t mica_bus_count(struct mica_bus *bus);

// Calls `each` for every subscriber that has `changed` as its function.
void mica_bus_each(struct mica_bus *bus,
                   void (*changed)(void *data, const struct mica_change *),
                   void (*each)(void *data));

#endif
