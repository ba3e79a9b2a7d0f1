// SPDX-License-Identifier: Apache-2.0
//
// Runs translated engines: WebAssembly modules turned into native code by
// wasm2c, each call in a fresh instance, bounded in time, memory, depth and
// output. A fault ends the call, never the process.
//
// Threads: any number of threads may call mica_sandbox_run at once, with the
// same or different modules. Each needs 2 MiB of stack.
#ifndef MICA_SANDBOX_SANDBOX_H
#define MICA_SANDBOX_SANDBOX_H

#include "call/call.h"
#include "sandbox/translated.h"

struct mica_module; // a loaded engine; reference-counted

// Starts what the sandbox needs in this process: the watchdog thread. Safe to
// call more than once. Called by the functions below. Errors: MICA_E_IO.
enum mica_status mica_sandbox_start(struct mica_error *error) MICA_MUST_USE;

// A module linked into the program. The manifest is the JSON text that
// mica_engine_describe writes. Owner: both must outlive the module.
enum mica_status mica_module_builtin(const struct mica_translated *translated,
                                     struct mica_error *error,
                                     struct mica_module **module_out)
    MICA_MUST_USE;

// A module from a folder: <folder>/<slug>.wasm and
// <folder>/<slug>-<sha256 of the wasm>.so. Checks that folder and files belong
// to this user or root and that no other user may write them, and that the hash
// fits. Errors: MICA_E_NOT_FOUND, MICA_E_TRUST, MICA_E_IO, MICA_E_USAGE (built
// for another version of mica: build it again).
enum mica_status mica_module_open(const char *folder, const char *slug,
                                  struct mica_error *error,
                                  struct mica_module **module_out)
    MICA_MUST_USE;

// As mica_module_open, but only what this user has built (sandbox/seal.h);
// anything else is MICA_E_TRUST.
enum mica_status mica_module_open_own(const char *folder, const char *slug,
                                      struct mica_error *error,
                                      struct mica_module **module_out)
    MICA_MUST_USE;

void mica_module_retain(struct mica_module *module);
void mica_module_release(struct mica_module **module);

const struct mica_translated *
mica_module_translated(const struct mica_module *module);

// One call. Fills call->result: the engine's output or failure, or
// EXECUTION_ERROR (trap, wild access, recursion), TIMEOUT, LIMIT_EXCEEDED
// (memory, output), CANCELLED. With call->budget_ms set and spent, the status
// is MICA_E_TIMEOUT and the same call may be run again without it.
// Owner: the caller keeps its reference to `module` until this returns.
void mica_sandbox_run(struct mica_module *module, struct mica_call *call,
                      struct mica_text arguments);

// Counters since start, for /metrics and tests.
struct mica_sandbox_counters {
    uint64_t calls, traps, timeouts, limits, cancelled;
};
struct mica_sandbox_counters mica_sandbox_counters(void);

#endif
