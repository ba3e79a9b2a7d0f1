// SPDX-License-Identifier: Apache-2.0
//
// The face of app-rules.wasm (wasm32 only). An instance serves one call, as that of an
// engine does: the caller puts a text into the room that mica_rules_input gives, calls one
// of the next two with its size, and reads the answer at the address and with the size that
// mica_rules_result points to. Both return 1, or 0 if the answer is an error.
#ifdef __wasm__

#    include "apps/draft_answer.h"

#    define EXPORT(name) __attribute__((export_name(#    name))) name

enum {
    MODULE_BYTES = 48 * 1024 * 1024 // of one call
};

uint32_t mica_rules_input(uint32_t size);
uint32_t mica_rules_findings(uint32_t size);
uint32_t mica_rules_preview(uint32_t size);
uint32_t mica_rules_result(void);

static struct mica_arena arena;
static struct mica_text input;
static uint32_t result[2]; // address and size

typedef bool rules_answer(struct mica_text json, struct mica_arena *,
                          struct mica_buffer *);

uint32_t
EXPORT(mica_rules_input)(uint32_t size)
{
    char *room;

    mica_arena_init(&arena, MODULE_BYTES);
    room = mica_arena_alloc(&arena, size);
    input = (struct mica_text){room, room != NULL ? size : 0};
    return (uint32_t)(uintptr_t)room;
}

uint32_t
EXPORT(mica_rules_result)(void)
{
    return (uint32_t)(uintptr_t)result;
}

static uint32_t
rules_run(rules_answer *answer, uint32_t size)
{
    struct mica_buffer text;
    bool done;

    if (size > input.len)
        __builtin_trap();
    mica_buffer_init(&text, &arena, MICA_DRAFT_ANSWER_BYTES);
    done = answer(mica_text_slice(input, 0, size), &arena, &text);
    if (text.overflow)
        __builtin_trap();
    result[0] = (uint32_t)(uintptr_t)text.ptr;
    result[1] = (uint32_t)text.len;
    return done;
}

uint32_t
EXPORT(mica_rules_findings)(uint32_t size)
{
    return rules_run(mica_draft_findings, size);
}

uint32_t
EXPORT(mica_rules_preview)(uint32_t size)
{
    return rules_run(mica_draft_preview, size);
}

#endif
