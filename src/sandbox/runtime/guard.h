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
// while a call is inside the module; its lower half is the fuse: how many bytes
// of the native stack the call may use, or 0 when the call has to stop.
// Translated code compares the fuse at every function entry and on every way
// back to the head of a loop, so it stops by itself at the next one, at a place
// the compiler knows about.
struct mica_guard {
    uint64_t word;
    uint32_t stack; // lower half of an address right above the call's frames
    uint32_t reserved;
};

#define MICA_GUARD_GENERATION(word) ((uint32_t)((word) >> 32))
#define MICA_GUARD_FUSE(word)       ((uint32_t)(word))

// The linear memory. The order of the first members is wasm2c's.
//
// `low` and `reach` are the window of what was written: bytes before low, and
// from low + reach + MICA_STORE_MAX on, are still zero. So a store of up to
// MICA_STORE_MAX bytes at an address a needs one comparison, a - low > reach,
// which is at once the check of the memory's bounds: the window lies inside.
struct mica_memory {
    uint8_t *data;
    uint32_t pages, max_pages;
    uint64_t size; // bytes
    uint64_t low, reach;
};

enum {
    MICA_STORE_MAX = 8,
    MICA_WIDEN_DOWN = 1024, // a stack grows by little
    MICA_WIDEN_UP = 4096
};

// No address is in this window, and any other one contains it: its end,
// low + reach + MICA_STORE_MAX, wraps around to less than any end.
#define MICA_WINDOW_EMPTY .low = UINT64_MAX, .reach = 0

// Widens the window to take in `size` bytes at `at`, which the memory has.
static inline void
mica_memory_widen(struct mica_memory *memory, uint64_t at, uint64_t size)
{
    uint64_t low = memory->low, end = low + memory->reach + MICA_STORE_MAX;
    uint64_t from = at & ~(uint64_t)(MICA_WIDEN_DOWN - 1);
    uint64_t to = (at + size + MICA_WIDEN_UP - 1) / MICA_WIDEN_UP;
    if (size == 0)
        return;
    to *= MICA_WIDEN_UP;
    if (to > memory->size)
        to = memory->size;
    if (from < low)
        low = from;
    if (to > end)
        end = to;
    memory->low = low;
    memory->reach = end - low - MICA_STORE_MAX;
}

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
    void (*poll)(void); // traps when the call has to stop
};

#endif
