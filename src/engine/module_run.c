// SPDX-License-Identifier: Apache-2.0
//
// The face of a module that runs (wasm32 only): the functions that the sandbox
// and the page call.
#ifdef __wasm__

#    include "engine/module.h"

uint32_t mica_module_input(uint32_t size);
uint32_t mica_module_run(uint32_t size);
uint32_t mica_module_parse(uint32_t size);

static char *input;
static uint32_t input_size;

uint32_t
MICA_EXPORT(mica_module_input)(uint32_t size)
{
    mica_module_start(mica_module_run_engine.memory_bytes);
    input = mica_arena_alloc(&mica_module_arena, size);
    input_size = input != NULL ? size : 0;
    return (uint32_t)(uintptr_t)input;
}

// A call that is about to begin, and its arguments.
static struct mica_text
module_run_begin(struct mica_call *call, uint32_t size)
{
    mica_call_init(call, &mica_module_arena);
    call->trap_status = &mica_module_state.status;
    call->output_bytes = mica_module_run_engine.output_bytes;
    if (input == NULL || size > input_size)
        __builtin_trap();
    return (struct mica_text){input, size};
}

static uint32_t
module_run_leave(const struct mica_call *call)
{
    return mica_module_leave(call->result.status, call->result.status == MICA_OK
                                                      ? call->result.structured
                                                      : call->result.error);
}

uint32_t
MICA_EXPORT(mica_module_run)(uint32_t size)
{
    const struct mica_run_engine *engine = &mica_module_run_engine;
    struct mica_call call;
    struct mica_text arguments = module_run_begin(&call, size);
    mica_handler_run(&call, engine->input, engine->output, engine->handler,
                     arguments);
    return module_run_leave(&call);
}

uint32_t
MICA_EXPORT(mica_module_parse)(uint32_t size)
{
    struct mica_call call;
    struct mica_text arguments = module_run_begin(&call, size);
    mica_handler_parse(&call, mica_module_run_engine.input, arguments);
    return module_run_leave(&call);
}

#endif
