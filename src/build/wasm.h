// SPDX-License-Identifier: Apache-2.0
//
// Reads what the purity checks need out of WebAssembly files: the symbols and
// data segments of an object (linking section, version 2), and the imports,
// exports and memory of a linked module.
#ifndef MICA_BUILD_WASM_H
#define MICA_BUILD_WASM_H

#include <mica/base.h>

struct mica_wasm_symbol {
    struct mica_text name;
    bool is_data;   // a variable or constant; else a function, table, …
    bool undefined; // has to come from elsewhere
    bool is_local;  // static
    bool exported;  // by its author: export_name
    // Undefined, and imported by a name of its author: "module.name"; else empty.
    struct mica_text import;
    uint32_t segment, size; // of defined data
};

// An export; `global` is its value when it is a constant of 32 bits, as the address
// of a variable is.
struct mica_wasm_export {
    struct mica_text name;
    bool is_global;
    uint32_t global;
};

// What the memory holds at the start, from `address` on.
struct mica_wasm_data {
    uint32_t address;
    struct mica_text bytes;
};

struct mica_wasm {
    size_t import_count;
    const struct mica_text *imports; // "module.name"
    size_t export_count;
    const struct mica_wasm_export *exports;
    uint32_t memory_pages, memory_max_pages; // 0: none declared
    size_t data_count;
    const struct mica_wasm_data *data;
    // Of an object:
    size_t symbol_count;
    const struct mica_wasm_symbol *symbols;
    size_t segment_count;
    const struct mica_text *segments; // names, e.g. ".rodata.table"
    size_t constructor_count;         // functions that would run at the start
    // The first custom section that no compiler writes by itself; empty: none.
    struct mica_text foreign_section;
    // The first module but "env" that something is imported from; empty: none.
    struct mica_text foreign_module;
};

// Errors: MICA_E_BUILD: the bytes are no module. Everything is in `arena` or
// points into `bytes`.
enum mica_status mica_wasm_read(struct mica_arena *arena,
                                struct mica_text bytes,
                                struct mica_error *error,
                                struct mica_wasm *wasm_out) MICA_MUST_USE;

// The exported global of that name; false: no global has that name.
bool mica_wasm_global(const struct mica_wasm *module, const char *name,
                      uint32_t *value_out);

// The memory as the module finds it when it starts, in `arena`. Errors:
// MICA_E_BUILD: a part lies outside of it; MICA_E_LIMIT: it is too large.
enum mica_status mica_wasm_memory(struct mica_arena *arena,
                                  const struct mica_wasm *module,
                                  struct mica_error *error,
                                  struct mica_text *memory_out) MICA_MUST_USE;

#endif
