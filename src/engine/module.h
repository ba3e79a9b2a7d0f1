// SPDX-License-Identifier: Apache-2.0
//
// What the entries of a module share (wasm32 only). run.h says what a module
// exports, and in which of its two forms.
#ifndef MICA_ENGINE_MODULE_H
#define MICA_ENGINE_MODULE_H

#include <mica/engine.h>

#include "engine/run.h"

// Names a function in the module's export section.
#define MICA_EXPORT(name) __attribute__((export_name(#name))) name

// One instance serves one call: its state starts empty.
extern struct mica_arena mica_module_arena;
extern struct mica_exchange mica_module_state;

// The arena of the call, with the engine's limit or the usual one for 0. The
// limit counts the whole memory; the sandbox caps the pages. What the arena's
// cap adds is that a run without such a sandbox keeps it too.
void mica_module_start(uint32_t memory_bytes);

// Puts the result or the error into the exchange; returns its status.
uint32_t mica_module_leave(enum mica_status status, struct mica_text text);

#endif
