// SPDX-License-Identifier: Apache-2.0
//
// The signals that end a serving program: SIGTERM, SIGINT, or the death of its parent. The
// handler counts them and makes a descriptor readable, so that a serving thread can wait for it
// beside its other descriptors.
//
// The handlers are installed while at least one server serves; then the previous handlers are
// restored. Several servers may serve at the same time; one signal ends them all.
#ifndef MICA_SERVE_STOP_H
#define MICA_SERVE_STOP_H

#include <signal.h>
#include <stdatomic.h>

#include <mica/base.h>

// Handles SIGTERM and SIGINT, and ignores SIGPIPE. *fd_out becomes readable with the first signal
// and stays so; do not read from it. Call mica_stop_close once for each _open.
enum mica_status mica_stop_open(struct mica_error *error, int *fd_out)
    MICA_MUST_USE;
void mica_stop_close(void);

// Counts the death of the process that started this one as a signal.
void mica_stop_with_parent(void);

// How many signals have arrived: a second one means "end at once".
unsigned mica_stop_count(void);

// Returns false if a single SIGTERM has arrived: a service manager sends that and waits. A person
// who presses Ctrl-C, and a dead parent, do not wait.
bool mica_stop_hurries(void);

// Is true after the first signal; it cancels calls that no connection watches.
const atomic_bool *mica_stop_flag(void);

// From now on SIGHUP is counted and does not end the program: log files are opened again after
// it. Before this call it has its previous effect.
void mica_stop_count_hangups(void);
unsigned mica_stop_hangups(void);

// Block these signals in the calling thread, so that a thread that it starts never handles one:
// they do not interrupt system calls of workers. _unblock restores the mask.
void mica_stop_block(sigset_t *before_out);
void mica_stop_unblock(const sigset_t *before);

#endif
