// SPDX-License-Identifier: Apache-2.0
//
// What comes to light only when the engine runs: natively and in the sandbox, on
// its examples and on random inputs.
#ifndef MICA_CHECK_RUNS_H
#define MICA_CHECK_RUNS_H

#include "check/native.h"
#include "check/outputs.h"
#include "check/subject.h"
#include "sandbox/sandbox.h"

struct mica_runs {
    const struct mica_subject *subject;
    struct mica_native *native; // NULL when it could not be built
    struct mica_module *module;
    struct mica_outputs *outputs; // what has been seen of them
};

// One run in the module; `json` is in `arena`.
struct mica_native_result mica_runs_module(const struct mica_runs *runs,
                                           struct mica_arena *arena,
                                           struct mica_text input);

// Notes faults, and native and module answers that differ. `pathz` and `line`
// say where the input is from; `input` is shown unless it is empty. False when
// there is no answer to look at further.
bool mica_runs_compare(const struct mica_runs *runs,
                       const struct mica_native_result *module,
                       const struct mica_native_result *native, unsigned line,
                       const char *pathz, struct mica_text input);

// Notes a failure of the engine's own whose code or path breaks the rules.
void mica_runs_failure(const struct mica_runs *runs,
                       const struct mica_native_result *result, unsigned line,
                       const char *pathz);

// Every example, twice on each side, against what it expects.
void mica_runs_examples(const struct mica_runs *runs);

// `count` inputs made from the input schema, from `seed` on, for `most_ms` if that is
// not 0. One finding of each rule, with the smallest input that was found to show it;
// stops at the third.
void mica_runs_random(const struct mica_runs *runs, size_t count, uint64_t seed,
                      unsigned most_ms);

#endif
