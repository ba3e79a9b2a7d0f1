// SPDX-License-Identifier: Apache-2.0
//
// The runtime that code written by wasm2c (wabt 1.0.32) is compiled against.
// The names are wasm2c's. Differences from the packaged one: every access is
// checked in plain sight (checks.h), no signal handlers, no process-wide state;
// everything rare goes through the table that the sandbox hands over in
// mica_bind.
//
// Included by exactly one translation unit of each engine.
#ifndef MICA_SANDBOX_WASM_RT_H
#define MICA_SANDBOX_WASM_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard.h"

#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 0
#define WASM_RT_USE_STACK_DEPTH_COUNT   0 // checks.h has a better measure

#define LIKELY(x)      __builtin_expect(!!(x), 1)
#define UNLIKELY(x)    __builtin_expect(!!(x), 0)
#define wasm_rt_memcpy __builtin_memcpy

// Every translated function has the instance as its parameter `instance`.
#define MICA_INSTANCE_GUARD ((struct mica_guard *)(void *)instance - 1)
#define MICA_FUSE    \
    MICA_GUARD_FUSE( \
        __atomic_load_n(&MICA_INSTANCE_GUARD->word, __ATOMIC_RELAXED))

// The build driver puts this before every jump back to the head of a loop.
#define MICA_LOOP                 \
    if (UNLIKELY(MICA_FUSE == 0)) \
        wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);

typedef enum {
    WASM_RT_TRAP_NONE = MICA_TRAP_NONE,
    WASM_RT_TRAP_OOB = MICA_TRAP_BOUNDS,
    WASM_RT_TRAP_INT_OVERFLOW = MICA_TRAP_INTEGER_OVERFLOW,
    WASM_RT_TRAP_DIV_BY_ZERO = MICA_TRAP_DIVISION_BY_ZERO,
    WASM_RT_TRAP_INVALID_CONVERSION = MICA_TRAP_CONVERSION,
    WASM_RT_TRAP_UNREACHABLE = MICA_TRAP_UNREACHABLE,
    WASM_RT_TRAP_CALL_INDIRECT = MICA_TRAP_INDIRECT_CALL,
    WASM_RT_TRAP_UNCAUGHT_EXCEPTION = MICA_TRAP_EXCEPTION,
    WASM_RT_TRAP_EXHAUSTION = MICA_TRAP_FUSE
} wasm_rt_trap_t;

typedef enum {
    WASM_RT_I32,
    WASM_RT_I64,
    WASM_RT_F32,
    WASM_RT_F64,
    WASM_RT_FUNCREF,
    WASM_RT_EXTERNREF
} wasm_rt_type_t;

typedef struct mica_memory wasm_rt_memory_t;
typedef struct mica_function wasm_rt_funcref_t;
typedef struct mica_table wasm_rt_funcref_table_t;
typedef void (*wasm_rt_function_ptr_t)(void);
static const wasm_rt_funcref_t wasm_rt_funcref_null_value = {0, NULL, NULL};

// wasm2c's helpers mention tables of foreign references; no engine has one.
typedef void *wasm_rt_externref_t;
typedef struct {
    wasm_rt_externref_t *data;
    uint32_t max_size, size;
} wasm_rt_externref_table_t;
static const wasm_rt_externref_t wasm_rt_externref_null_value = NULL;

static const struct mica_runtime *mica_runtime;
static uint32_t mica_function_types;

static inline _Noreturn __attribute__((cold)) void
wasm_rt_trap(wasm_rt_trap_t trap)
{
    mica_runtime->trap((enum mica_trap)trap);
}

static inline bool
wasm_rt_is_initialized(void)
{
    return mica_runtime != NULL;
}

// A number for each entry of the type section. The linker leaves no two alike;
// in a module that had two, a call through the other one would trap.
static inline uint32_t
wasm_rt_register_func_type(uint32_t parameters, uint32_t results, ...)
{
    (void)parameters;
    (void)results;
    return ++mica_function_types;
}

static inline void
wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages,
                        uint32_t max_pages)
{
    mica_runtime->memory_new(memory, pages, max_pages);
}

static inline uint32_t
wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages)
{
    return mica_runtime->memory_grow(memory, pages);
}

static inline void
wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t size,
                               uint32_t max_size)
{
    mica_runtime->table_new(table, size, max_size);
}

// Both belong to the thread's pool, which takes them back by itself.
static inline void
wasm_rt_free_memory(wasm_rt_memory_t *memory)
{
    (void)memory;
}

static inline void
wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table)
{
    (void)table;
}

#endif
