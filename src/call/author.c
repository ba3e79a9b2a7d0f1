// SPDX-License-Identifier: Apache-2.0
//
// Functions for handlers: memory, text, numbers and failure. None of them returns an
// error when memory runs out: the call ends instead.
#define MICA_TOOL_PLAIN // the functions themselves, not the macros of engine.h

#include <math.h>
#include <string.h>

#include "call/call.h"

// ---- Failing ---------------------------------------------------------------

enum mica_status
mica_fail(struct mica_call *call, const char *code, const char *path,
          const char *format, ...)
{
    char pointer[sizeof call->error.path];
    struct mica_buffer out = {
        .ptr = pointer, .capacity = sizeof pointer, .max = sizeof pointer - 1};
    struct mica_text given = mica_text(path);
    if (given.len > 0 && given.ptr[0] != '/')
        mica_buffer_char(&out, '/');
    mica_buffer_text(&out, mica_text_slice(given, 0, out.max - 1));
    pointer[out.len] = '\0';
    va_list arguments;
    va_start(arguments, format);
    mica_error_vset(&call->error, MICA_FAILED, code, pointer, format,
                    arguments);
    va_end(arguments);
    call->error_is_from_operation = false;
    return MICA_FAILED;
}

// ---- Memory ----------------------------------------------------------------

void *
mica_alloc_array(struct mica_call *call, size_t count, size_t size)
{
    void *memory = mica_arena_zero(call->arena, count, size);
    if (memory == NULL)
        mica_call_exceed(call);
    return memory;
}

void *
mica_alloc(struct mica_call *call, size_t size)
{
    return mica_alloc_array(call, 1, size);
}

// ---- Text ------------------------------------------------------------------

struct mica_buffer
mica_builder(struct mica_call *call)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, call->arena, SIZE_MAX / 2);
    return buffer;
}

// The text of a finished builder, followed by a NUL.
static struct mica_text
text_finish(struct mica_call *call, struct mica_buffer *buffer)
{
    mica_buffer_char(buffer, '\0');
    if (buffer->overflow)
        mica_call_exceed(call);
    return (struct mica_text){buffer->ptr, buffer->len - 1};
}

struct mica_text
mica_format(struct mica_call *call, const char *format, ...)
{
    struct mica_buffer buffer = mica_builder(call);
    va_list arguments;
    va_start(arguments, format);
    mica_buffer_vformat(&buffer, format, arguments);
    va_end(arguments);
    return text_finish(call, &buffer);
}

const char *
mica_number(struct mica_call *call, double value)
{
    char *text = mica_alloc(call, MICA_NUMBER_SIZE);
    (void)mica_number_write(value, text);
    return text;
}

const char *
mica_fixed(struct mica_call *call, double value, unsigned digits)
{
    enum {
        MOST_DIGITS = 100
    };
    struct mica_buffer buffer = mica_builder(call);
    if (!isfinite(value))
        return mica_number(call, value);
    mica_number_fixed(&buffer, value,
                      digits < MOST_DIGITS ? digits : MOST_DIGITS);
    return text_finish(call, &buffer).ptr;
}

const char *
mica_decimal_text(struct mica_call *call, struct mica_decimal value)
{
    char *text = mica_alloc(call, MICA_DECIMAL_SIZE);
    (void)mica_decimal_write(value, text);
    return text;
}

const char *
mica_decimal_fixed(struct mica_call *call, struct mica_decimal value,
                   unsigned digits)
{
    enum {
        MOST_DIGITS = 100
    };
    struct mica_buffer buffer = mica_builder(call);
    char text[MICA_DECIMAL_SIZE];
    digits = digits < MOST_DIGITS ? digits : MOST_DIGITS;
    size_t len = mica_decimal_write(
        mica_decimal_round(value, (int)digits, MICA_HALF_UP), text);
    const char *point = memchr(text, '.', len);
    size_t places = point != NULL ? (size_t)(text + len - point) - 1 : 0;
    mica_buffer_add(&buffer, text, len);
    if (value.fault == MICA_DECIMAL_FINE && memchr(text, 'e', len) == NULL) {
        if (places == 0 && digits > 0)
            mica_buffer_char(&buffer, '.');
        for (; places < digits; places++)
            mica_buffer_char(&buffer, '0');
    }
    return text_finish(call, &buffer).ptr;
}
