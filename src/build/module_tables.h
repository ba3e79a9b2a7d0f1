// SPDX-License-Identifier: Apache-2.0
//
// The tables of an engine, read from its module as it was linked. Nothing of the
// module runs for that: what describes an engine are constants.
#ifndef MICA_BUILD_MODULE_TABLES_H
#define MICA_BUILD_MODULE_TABLES_H

#include <mica/engine.h>

#include "build/wasm.h"

// The export that holds the address of the pointer to struct mica_engine.
#define MICA_TABLES_EXPORT "mica_module_engine"

// Fills an engine like the one in the module, its records laid out for this
// machine; it has no handler. Everything is in `arena`. Errors: MICA_E_BUILD: the
// module has no tables, or they point outside its memory, hold themselves, or
// describe more than 10,000 fields.
enum mica_status mica_tables_read(struct mica_arena *arena,
                                  const struct mica_wasm *module,
                                  struct mica_error *error,
                                  struct mica_engine *engine_out) MICA_MUST_USE;

#endif
