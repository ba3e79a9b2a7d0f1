// SPDX-License-Identifier: Apache-2.0
//
// A loaded engine, as the parts of the sandbox see it.
#ifndef MICA_SANDBOX_LOADED_MODULE_H
#define MICA_SANDBOX_LOADED_MODULE_H

#include <stdatomic.h>

#include "sandbox/sandbox.h"

struct mica_module {
    _Atomic(uint32_t) references;
    const struct mica_translated *translated;
    void *library; // of dlopen; NULL for a module linked into the program
};

// A module around code that is in memory. `library` is closed with it, or here
// if this fails.
enum mica_status mica_module_make(const struct mica_translated *translated,
                                  void *library, struct mica_error *error,
                                  struct mica_module **module_out)
    MICA_MUST_USE;

#endif
