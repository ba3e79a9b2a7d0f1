// SPDX-License-Identifier: Apache-2.0
//
// The face of a module that is asked for its manifest (wasm32 only).
#ifdef __wasm__

#    include "engine/module.h"

uint32_t mica_module_describe(void);

uint32_t
MICA_EXPORT(mica_module_describe)(void)
{
    struct mica_call call;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_module_start(mica_module_engine->memory_bytes);
    mica_call_init(&call, &mica_module_arena);
    mica_buffer_init(&buffer, &mica_module_arena, SIZE_MAX / 2);
    mica_json_writer_init(&writer, &buffer);
    if (mica_engine_describe(mica_module_engine, &mica_module_arena,
                             &call.error, &writer) == MICA_OK)
        return mica_module_leave(MICA_OK, mica_buffer_as_text(&buffer));
    mica_call_fail_error(&call);
    return mica_module_leave(call.result.status, call.result.error);
}

#endif
