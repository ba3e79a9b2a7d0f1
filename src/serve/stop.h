// SPDX-License-Identifier: Apache-2.0
//
// How a serving program is told to end: SIGTERM, SIGINT, or the death of its
// parent. The handler only counts and makes a descriptor readable, so a
// serving thread can wait for it beside its other descriptors.
//
// The handlers are the process's while at least one server serves, and what was
// there before comes back afterwards. Several servers may serve at once; one
// signal ends them all.
#ifndef MICA_SERVE_STOP_H
#define MICA_SERVE_STOP_H

#include <signal.h>
#include <stdatomic.h>

#include <mica/base.h>

// Takes SIGTERM and SIGINT and ignores SIGPIPE. `*fd_out` becomes readable on
// the first signal and stays so; do not read it. One mica_stop_close for each.
enum mica_status mica_stop_open(struct mica_error *error, int *fd_out)
    MICA_MUST_USE;
void mica_stop_close(void);

// Counts the death of the process that started this one as a signal.
void mica_stop_with_parent(void);

// How many signals have come: a second one means "now".
unsigned mica_stop_count(void);

// True unless one SIGTERM is all that came. A service manager sends that one and
// waits; a person who presses Ctrl-C, and a parent that has died, do not.
bool mica_stop_hurries(void);

// True once the first has come: what cancels a call that no connection watches.
const atomic_bool *mica_stop_flag(void);

// From here on SIGHUP is counted and ends nothing any more: files that are open for
// ever are opened again. Before, it does what it did.
void mica_stop_count_hangups(void);
unsigned mica_stop_hangups(void);

// Blocks these signals in the calling thread, so that a thread it starts never
// takes one: system calls of workers are not interrupted.
void mica_stop_block(sigset_t *before_out);
void mica_stop_unblock(const sigset_t *before);

#endif
