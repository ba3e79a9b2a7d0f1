// SPDX-License-Identifier: Apache-2.0
//
// Runs an engine on JSON text, by the same code inside the module and natively, and
// describes it.
#ifndef MICA_ENGINE_RUN_H
#define MICA_ENGINE_RUN_H

#include "call/call.h"

// What a module links may not begin with mica_engine_: MICA_ENGINE puts the name of the
// author's engine behind that.

// Decodes `arguments` by `input`, runs `handler`, encodes by `output` (NULL: no
// structured result). Fills call->result; never fails otherwise. An output that
// its own record refuses (NaN, out of bounds, no choice) is EXECUTION_ERROR
// naming the field.
void mica_handler_run(struct mica_call *call, const struct mica_record *input,
                      const struct mica_record *output, mica_handler *handler,
                      struct mica_text arguments);

// The input as a handler of `input` would see it, as JSON: decoded, then encoded
// by the same record, so that defaults are there and what the record refuses is
// the error of the call. Fills call->result like mica_handler_run.
void mica_handler_parse(struct mica_call *call, const struct mica_record *input,
                        struct mica_text arguments);

// Writes the manifest of an engine: one JSON object with, in this order,
//   "slug", "title", "description", "category",
//   "limits": {"time_ms","memory_bytes","output_bytes"},
//   "inputSchema", "outputSchema" (JSON Schema 2020-12, `examples` inside),
//   "examples": [{"title","input","output"|"error"}].
// Fails with MICA_E_USAGE when the engine's tables are wrong (a hole in a choice
// list, a fallback that its own field refuses, an example that is no JSON, …);
// the message names the field.
enum mica_status
mica_engine_describe(const struct mica_engine *engine, struct mica_arena *arena,
                     struct mica_error *error, struct mica_json_writer *writer)
    MICA_MUST_USE;

// How a module is linked: the engine's object (compiled with -DMICA_MODULE, which
// makes MICA_ENGINE define mica_module_engine and mica_module_run_engine) with
// libmica-module.a, -lc and clang's builtins for wasm32. Nothing is left to
// import. --stack-first makes a stack overflow trap; -z stack-size=32768 is
// enough for the core, and memory then begins with one page.
//
// The same object is linked twice: once to read its tables, which the build
// describes (build/module_tables.h), and once as the module that is served, which then has
// none of the texts that only a manifest needs. Its functions are in
// src/engine/module*.c (wasm32 only):
//   uint32_t mica_module_input(uint32_t size)  where to put the arguments; 0: no
//   uint32_t mica_module_run(uint32_t size)    runs on them; an enum mica_status
//   uint32_t mica_module_parse(uint32_t size)  only decodes them: pages ask it
//   uint32_t mica_module_exchange(void)        address of struct mica_exchange
// The exchange tells where the JSON text of the result (status MICA_OK) or of
// the error ({"code","message","path"}) lies. Before a trap that means a limit,
// `status` is MICA_E_LIMIT; otherwise it stays MICA_E_EXECUTION while running.
struct mica_exchange {
    uint32_t status, result, result_size;
};

#endif
