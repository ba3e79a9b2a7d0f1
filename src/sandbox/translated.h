// SPDX-License-Identifier: Apache-2.0
//
// What a translated engine exports: the one symbol of a built engine's shared
// object, or one of many in a program that has engines linked in. Written by
// the build driver next to wasm2c's output.
#ifndef MICA_SANDBOX_TRANSLATED_H
#define MICA_SANDBOX_TRANSLATED_H

#include <stddef.h>
#include <stdint.h>

#define MICA_TRANSLATED_ABI 7

// The symbol of an engine's struct mica_translated starts with this; its slug,
// with _ for -, follows.
#define MICA_TRANSLATED_SYMBOL "mica_translated_"

struct mica_runtime; // what the sandbox does for translated code

// The functions of a module. `instance` has room for instance_size bytes, is
// aligned for any type, and has a struct mica_guard right before it.
struct mica_translated_code {
    size_t instance_size;
    // Once, before anything else; another call does nothing. Not thread-safe.
    void (*bind)(const struct mica_runtime *runtime);
    void (*instantiate)(void *instance);
    uint32_t (*input)(void *instance, uint32_t size);
    uint32_t (*run)(void *instance, uint32_t size);
    uint32_t (*exchange)(void *instance);
    void *(*memory)(void *instance); // struct mica_memory *
};

// What browsers load of an engine: its module, its fallback and the page it brings.
// Compressed by gzip: they take it so, and a program that has engines linked in
// stays small.
enum mica_web_file {
    MICA_WEB_MODULE,
    MICA_WEB_FALLBACK,
    MICA_WEB_PAGE,
    MICA_WEB_VIEW, // not compressed: clients get it in a message
    MICA_WEB_COUNT
};

struct mica_translated_files {
    const unsigned char *bytes[MICA_WEB_COUNT]; // NULL: not carried
    size_t sizes[MICA_WEB_COUNT];
};

struct mica_translated {
    uint32_t abi; // MICA_TRANSLATED_ABI
    const char *slug;
    const char *sha256;   // of the .wasm, 64 hex digits
    const char *manifest; // JSON text, NUL-terminated
    size_t manifest_size;
    uint32_t stack_bytes; // of the native stack, for the frames of a call
    uint32_t time_ms, memory_bytes, output_bytes; // the engine's limits
    const struct mica_translated_code *code;
    // Of an engine that is linked into a program; NULL: they lie in its folder.
    const struct mica_translated_files *files;
};

#endif
