// SPDX-License-Identifier: Apache-2.0
//
// The face of a module (wasm32 only): four functions that the sandbox and the
// page call, and the exchange through which a result leaves. One instance serves
// one call, so the state here is that of the call and starts empty.
#ifdef __wasm__

#    include "engine/limits.h"
#    include "engine/run.h"

// Names the functions in the module's export section.
#    define EXPORT(name) __attribute__((export_name(#    name))) name

extern const struct mica_engine *const mica_module_engine;

uint32_t mica_module_input(uint32_t size);
uint32_t mica_module_run(uint32_t size);
uint32_t mica_module_describe(void);
uint32_t mica_module_exchange(void);

static struct mica_arena arena;
static struct mica_exchange exchange = {.status = MICA_E_EXECUTION};
static char *input;
static uint32_t input_size;

// The engine's limit counts the whole memory; the sandbox caps the pages. What
// the arena's cap adds is that a run without such a sandbox keeps it too.
static void
start_arena(void)
{
    uint32_t bytes = mica_module_engine->memory_bytes;
    mica_arena_init(&arena, bytes > 0 ? bytes : MICA_DEFAULT_MEMORY_BYTES);
}

static uint32_t
leave(enum mica_status status, struct mica_text text)
{
    exchange.status = status;
    exchange.result = (uint32_t)(uintptr_t)text.ptr;
    exchange.result_size = (uint32_t)text.len;
    return exchange.status;
}

uint32_t
EXPORT(mica_module_exchange)(void)
{
    return (uint32_t)(uintptr_t)&exchange;
}

uint32_t
EXPORT(mica_module_input)(uint32_t size)
{
    start_arena();
    input = mica_arena_alloc(&arena, size);
    input_size = input != NULL ? size : 0;
    return (uint32_t)(uintptr_t)input;
}

uint32_t
EXPORT(mica_module_run)(uint32_t size)
{
    const struct mica_engine *engine = mica_module_engine;
    struct mica_call call;
    mica_call_init(&call, &arena);
    call.trap_status = &exchange.status;
    call.output_bytes = engine->output_bytes;
    if (input == NULL || size > input_size)
        __builtin_trap();
    mica_engine_run(&call, engine->input, engine->output, engine->handler,
                    (struct mica_text){input, size});
    return leave(call.result.status, call.result.status == MICA_OK
                                         ? call.result.structured
                                         : call.result.error);
}

uint32_t
EXPORT(mica_module_describe)(void)
{
    struct mica_call call;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    start_arena();
    mica_call_init(&call, &arena);
    mica_buffer_init(&buffer, &arena, SIZE_MAX / 2);
    mica_json_writer_init(&writer, &buffer);
    if (mica_engine_describe(mica_module_engine, &arena, &call.error,
                             &writer) == MICA_OK)
        return leave(MICA_OK, mica_buffer_as_text(&buffer));
    mica_call_fail_error(&call);
    return leave(call.result.status, call.result.error);
}

#endif
