// SPDX-License-Identifier: Apache-2.0
//
// What translated code checks at each access to its memory and at the entry of
// each function, in place of wasm2c's macros: included where these are defined
// and not yet used.
#ifndef MICA_SANDBOX_CHECKS_H
#define MICA_SANDBOX_CHECKS_H

#include "wasm-rt.h"

// ---- Function entry --------------------------------------------------------

// How far the native stack has grown, in one comparison with a poll of the fuse:
// nothing has to be counted up and down.
#if defined(__x86_64__)
__extension__ register uintptr_t mica_stack_pointer __asm__("rsp");
#elif defined(__aarch64__)
__extension__ register uintptr_t mica_stack_pointer __asm__("sp");
#else
#    define mica_stack_pointer ((uintptr_t)__builtin_frame_address(0))
#endif

#undef FUNC_PROLOGUE
#define FUNC_PROLOGUE                                                        \
    if (UNLIKELY(MICA_INSTANCE_GUARD->stack - (uint32_t)mica_stack_pointer > \
                 MICA_FUSE))                                                 \
        wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);

// ---- Memory ----------------------------------------------------------------

// What is written widens the window in struct mica_memory, so that after a call
// only that is zeroed. In the common case this costs nothing: a store is
// compared with the window instead of the memory's size.

#undef RANGE_CHECK
#undef MEMCHECK
#undef DEFINE_LOAD
#undef DEFINE_STORE

static inline void
mica_check_read(const wasm_rt_memory_t *memory, uint64_t at, uint64_t size)
{
    if (UNLIKELY(at + size > memory->size))
        wasm_rt_trap(WASM_RT_TRAP_OOB);
}

// Outside the window: outside the memory, or the window has to be wider.
static __attribute__((cold, noinline)) void
mica_write_outside(wasm_rt_memory_t *memory, uint64_t at, uint64_t size)
{
    mica_check_read(memory, at, size);
    mica_memory_widen(memory, at, size);
}

static inline void
mica_check_write(wasm_rt_memory_t *memory, uint64_t at, uint64_t size)
{
    uint64_t inside = at - memory->low;
    if (UNLIKELY(inside > memory->reach ||
                 size > memory->reach - inside + MICA_STORE_MAX))
        mica_write_outside(memory, at, size);
}

// A large operation polls the fuse: without a loop or a call there may be thousands
// of them in a row, of milliseconds each. It does not know the instance, so it asks
// the sandbox.
enum {
    MICA_LARGE = 4096
};

static inline void
mica_poll_large(uint64_t size)
{
    if (UNLIKELY(size >= MICA_LARGE))
        mica_runtime->poll();
}

// For the operations on many bytes; what is only read is const.
#define RANGE_CHECK(memory, at, size) \
    mica_poll_large(size);            \
    _Generic((memory),                                    \
        const wasm_rt_memory_t * : mica_check_read,       \
        wasm_rt_memory_t * : mica_check_write)((memory), (at), (size));

// A memory begins with these bytes at `at`, which it has.
static inline void
mica_memory_begin(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages,
                  uint64_t at, const uint8_t *image, size_t size)
{
    mica_runtime->memory_new(memory, pages, max_pages);
    mica_check_write(memory, at, size);
    // Of a size that it knows the compiler would copy eight bytes at a time.
    __asm__("" : "+r"(size));
    wasm_rt_memcpy(memory->data + at, image, size);
}

#define DEFINE_LOAD(name, memory_type, wide_type, type)            \
    static inline type name(wasm_rt_memory_t *memory, uint64_t at) \
    {                                                              \
        memory_type result;                                        \
        mica_check_read(memory, at, sizeof result);                \
        wasm_rt_memcpy(&result, memory->data + at, sizeof result); \
        return (type)(wide_type)result;                            \
    }

#define DEFINE_STORE(name, memory_type, type)                                  \
    static inline void name(wasm_rt_memory_t *memory, uint64_t at, type value) \
    {                                                                          \
        memory_type narrow = (memory_type)value;                               \
        if (UNLIKELY(at - memory->low > memory->reach))                        \
            mica_write_outside(memory, at, sizeof narrow);                     \
        wasm_rt_memcpy(memory->data + at, &narrow, sizeof narrow);             \
    }

#endif
