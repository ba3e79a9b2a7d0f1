// SPDX-License-Identifier: Apache-2.0
//
// The bus: notifies all subscribers of changes in what a server offers. A thread of the bus
// gathers changes for a moment and then sends them, so that a handler that adds a thousand
// tools neither waits for the clients nor floods them.
//
// Invariants:
//  BUS-1. The bus sends each published change to every subscriber that has joined before
//         and has not left; it may merge equal changes.
//  BUS-2. When mica_bus_leave returns, the bus does not call the subscriber any more.
//  BUS-3. The bus calls subscribers with its lock held: they must not wait, and must not
//         call the bus.
#ifndef MICA_SERVE_BUS_H
#define MICA_SERVE_BUS_H

#include "server/server.h"

struct mica_bus;

// Embedded in the object that subscribes.
struct mica_subscriber {
    void (*changed)(void *data, const struct mica_change *change);
    // For changes of tasks; may be NULL.
    void (*task)(void *data, const struct mica_change *change);
    // For changes of the sources of tools (mica dev); may be NULL.
    void (*sources)(void *data);
    // Of what the Inspector shows (mica dev); NULL: the same.
    void (*exchanges)(void *data);
    void *data;
    size_t index;  // for the bus
    uint64_t pass; // for the bus: the last pass in which it was notified
};

// The bus of `server`. The first call makes it; call it before any thread changes what the
// server offers. It lives until the server closes.
enum mica_status mica_bus_of(struct mica_server *server,
                             struct mica_error *error,
                             struct mica_bus **bus_out) MICA_MUST_USE;

// Sets the witness: the bus calls `made` for every change by this process, on the thread of the
// change, before it notifies subscribers. There is one witness; NULL: none. When this returns,
// the bus does not call the previous one any more; so the caller must not hold a lock that
// `made` locks.
void mica_bus_witness(struct mica_bus *bus,
                      void (*made)(void *data, const struct mica_change *),
                      void *data);

// Notifies the subscribers, and not the witness, of a change by another process.
void mica_bus_publish(struct mica_bus *bus, const struct mica_change *change);

// Adds a subscriber with `changed` and `data` set. Returns false if there is no memory.
bool mica_bus_join(struct mica_bus *bus, struct mica_subscriber *subscriber)
    MICA_MUST_USE;
void mica_bus_leave(struct mica_bus *bus, struct mica_subscriber *subscriber);

size_t mica_bus_count(struct mica_bus *bus);

// Calls `each` for every subscriber that has `changed` as its function.
void mica_bus_each(struct mica_bus *bus,
                   void (*changed)(void *data, const struct mica_change *),
                   void (*each)(void *data, void *context), void *context);

#endif
