// SPDX-License-Identifier: Apache-2.0
//
// The state of a module's one call (wasm32 only), and the exchange through which
// its result leaves.
#ifdef __wasm__

#    include "engine/module.h"

#    include "engine/limits.h"
#    include "engine/tables.h"

// The build reads the tables of a module as they lie in its memory.
#    define SAME_SIZE(table, real)                          \
        _Static_assert(sizeof(struct mica_table_##table) == \
                           sizeof(struct real),             \
                       "struct " #real " is as in tables.h")
#    define SAME_PLACE(table, real, member)                           \
        _Static_assert(offsetof(struct mica_table_##table, member) == \
                           offsetof(struct real, member),             \
                       "struct " #real " is as in tables.h")
SAME_SIZE(format, mica_text_format);
SAME_PLACE(format, mica_text_format, name);
SAME_PLACE(format, mica_text_format, sample);
SAME_PLACE(format, mica_text_format, matches);
SAME_SIZE(bounds, mica_bounds);
SAME_PLACE(bounds, mica_bounds, minimum);
SAME_PLACE(bounds, mica_bounds, maximum);
SAME_PLACE(bounds, mica_bounds, exclusive_minimum);
SAME_PLACE(bounds, mica_bounds, exclusive_maximum);
SAME_PLACE(bounds, mica_bounds, min_length);
SAME_PLACE(bounds, mica_bounds, max_length);
SAME_PLACE(bounds, mica_bounds, pattern);
SAME_PLACE(bounds, mica_bounds, format);
SAME_PLACE(bounds, mica_bounds, wide);
SAME_SIZE(type, mica_type);
SAME_PLACE(type, mica_type, kind);
SAME_PLACE(type, mica_type, size);
SAME_PLACE(type, mica_type, codec);
SAME_PLACE(type, mica_type, element);
SAME_PLACE(type, mica_type, value_offset);
SAME_PLACE(type, mica_type, record);
SAME_PLACE(type, mica_type, choices);
SAME_PLACE(type, mica_type, choice_count);
SAME_PLACE(type, mica_type, tag);
SAME_SIZE(field, mica_field);
SAME_PLACE(field, mica_field, name);
SAME_PLACE(field, mica_field, offset);
SAME_PLACE(field, mica_field, type);
SAME_PLACE(field, mica_field, description);
SAME_PLACE(field, mica_field, fallback);
SAME_PLACE(field, mica_field, optional);
SAME_PLACE(field, mica_field, has_offset);
SAME_PLACE(field, mica_field, unit);
SAME_PLACE(field, mica_field, title);
SAME_PLACE(field, mica_field, chart);
SAME_PLACE(field, mica_field, answer);
SAME_PLACE(field, mica_field, min_items);
SAME_PLACE(field, mica_field, max_items);
SAME_PLACE(field, mica_field, bounds);
SAME_PLACE(field, mica_field, each);
SAME_PLACE(field, mica_field, keys);
SAME_SIZE(record, mica_record);
SAME_PLACE(record, mica_record, tag);
SAME_PLACE(record, mica_record, size);
SAME_PLACE(record, mica_record, fields);
SAME_PLACE(record, mica_record, count);
SAME_SIZE(example, mica_example);
SAME_PLACE(example, mica_example, title);
SAME_PLACE(example, mica_example, input);
SAME_PLACE(example, mica_example, output);
SAME_PLACE(example, mica_example, error);
SAME_SIZE(engine, mica_engine);
SAME_PLACE(engine, mica_engine, abi);
SAME_PLACE(engine, mica_engine, identifier);
SAME_PLACE(engine, mica_engine, input);
SAME_PLACE(engine, mica_engine, output);
SAME_PLACE(engine, mica_engine, handler);
SAME_PLACE(engine, mica_engine, title);
SAME_PLACE(engine, mica_engine, description);
SAME_PLACE(engine, mica_engine, category);
SAME_PLACE(engine, mica_engine, examples);
SAME_PLACE(engine, mica_engine, example_count);
SAME_PLACE(engine, mica_engine, time_ms);
SAME_PLACE(engine, mica_engine, memory_bytes);
SAME_PLACE(engine, mica_engine, output_bytes);
SAME_PLACE(engine, mica_engine, view);
SAME_SIZE(view, mica_view);
SAME_PLACE(view, mica_view, name);
SAME_PLACE(view, mica_view, file);
SAME_PLACE(view, mica_view, html);
SAME_PLACE(view, mica_view, title);
SAME_PLACE(view, mica_view, description);
SAME_PLACE(view, mica_view, connect_domains);
SAME_PLACE(view, mica_view, resource_domains);
SAME_PLACE(view, mica_view, frame_domains);
SAME_PLACE(view, mica_view, base_uri_domains);
SAME_PLACE(view, mica_view, permissions);
SAME_PLACE(view, mica_view, border);
SAME_PLACE(view, mica_view, domain);

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
