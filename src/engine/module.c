// SPDX-License-Identifier: Apache-2.0
//
// The state of a module's one call (wasm32 only), and the exchange through which
// its result leaves.
#ifdef __wasm__

#    include "engine/module.h"

#    include "engine/limits.h"

struct mica_arena mica_module_arena;
struct mica_exchange mica_module_state = {.status = MICA_E_EXECUTION};

uint32_t mica_module_exchange(void);

void
mica_module_start(uint32_t memory_bytes)
{
    mica_arena_init(&mica_module_arena, memory_bytes > 0
                                            ? memory_bytes
                                            : MICA_DEFAULT_MEMORY_BYTES);
}

uint32_t
mica_module_leave(enum mica_status status, struct mica_text text)
{
    mica_module_state.status = status;
    mica_module_state.result = (uint32_t)(uintptr_t)text.ptr;
    mica_module_state.result_size = (uint32_t)text.len;
    return mica_module_state.status;
}

uint32_t
MICA_EXPORT(mica_module_exchange)(void)
{
    return (uint32_t)(uintptr_t)&mica_module_state;
}

#endif
