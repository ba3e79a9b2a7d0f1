// SPDX-License-Identifier: Apache-2.0
//
// What the sandbox and the translated code both know: the guard that lies right
// before each instance, the linear memory, and the table of functions that the
// sandbox hands over at load. A translated object needs no symbol of the
// program, so it works with mica linked statically, as a shared library, or
// loaded itself; and it has no thread-locals.
#ifndef MICA_SANDBOX_GUARD_H
#define MICA_SANDBOX_GUARD_H

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#    error "the sandbox reads module memory in place: little-endian only"
#endif

// The 16 bytes before an instance.
//
// `word` is the one thing that two threads touch: the calling thread and the
// watchdog, with atomic operations only. Its upper half is the generation, odd
// while a call is inside the module; its lower half is the fuse: how deep calls
// may nest, or 0 when the call has to stop. Translated code compares the fuse
// at every function entry and on every way back to the head of a loop, so it
// stops by itself at the next one, at a place the compiler knows about.
struct mica_guard {
    uint64_t word;
    uint32_t depth; // calls that are open now; the calling thread's own
    uint32_t reserved;
};

#define MICA_GUARD_GENERATION(word) ((uint32_t)((word) >> 32))
#define MICA_GUARD_FUSE(word)       ((uint32_t)(word))

// The linear memory. The order of the members is wasm2c's.
struct mica_memory {
    uint8_t *data;
    uint32_t pages, max_pages;
    uint32_t size; // bytes
};

struct mica_function {
    uint32_t func_type;
    void (*func)(void);
    void *module_instance;
};

// Where indirect calls look up their target.
struct mica_table {
    struct mica_function *data;
    uint32_t max_size, size;
};

enum mica_trap {
    MICA_TRAP_NONE,
    MICA_TRAP_BOUNDS,
    MICA_TRAP_INTEGER_OVERFLOW,
    MICA_TRAP_DIVISION_BY_ZERO,
    MICA_TRAP_CONVERSION,
    MICA_TRAP_UNREACHABLE,
    MICA_TRAP_INDIRECT_CALL,
    MICA_TRAP_EXCEPTION,
    MICA_TRAP_FUSE,  // too deep, or told to stop
    MICA_TRAP_MEMORY // the module wants more from its first moment on
};

// What translated code may ask of the sandbox. The functions act on the call
// that the thread is in.
struct mica_runtime {
    void (*trap)(enum mica_trap trap) __attribute__((noreturn));
    void (*memory_new)(struct mica_memory *memory, uint32_t pages,
                       uint32_t max_pages);
    uint32_t (*memory_grow)(struct mica_memory *memory, uint32_t pages);
    void (*table_new)(struct mica_table *table, uint32_t size,
                      uint32_t max_size);
};

#endif
