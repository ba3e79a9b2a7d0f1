// SPDX-License-Identifier: Apache-2.0
//
// Keeps time for all threads that are inside a module.
#ifndef MICA_SANDBOX_WATCHDOG_H
#define MICA_SANDBOX_WATCHDOG_H

#include "sandbox/slot.h"

// Starts the watchdog if it does not run in this process.
enum mica_status mica_watchdog_start(struct mica_error *error) MICA_MUST_USE;

bool mica_watchdog_runs(void);

// Puts the calling thread's slot under watch, and takes it away.
void mica_watchdog_add(struct mica_slot *slot);
void mica_watchdog_remove(struct mica_slot *slot);

// True while the watchdog sleeps until it is woken. To be asked after entering.
bool mica_watchdog_sleeps(void);
void mica_watchdog_wake(void);

// The sum over all threads, those that have ended included.
struct mica_sandbox_counters mica_watchdog_counters(void);

#endif
