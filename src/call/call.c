// SPDX-License-Identifier: Apache-2.0
//
// Begins and ends a call. When memory runs out, the call ends at once, wherever its
// handler is, so that no author has to check an allocation. Otherwise the status that the
// handler returns ends the call.
#include "call/call.h"

#include <string.h>

#include "base/assert.h"

void
mica_call_init(struct mica_call *call, struct mica_arena *arena)
{
    *call = (struct mica_call){.arena = arena};
}

// ---- Ending ----------------------------------------------------------------

void
mica_error_json(struct mica_json_writer *writer, const struct mica_error *error)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "code", mica_text(error->code));
    mica_json_field(writer, "message", mica_text(error->message));
    mica_json_field(writer, "path", mica_text(error->path));
    mica_json_close_object(writer);
}

struct mica_text
mica_call_clean(struct mica_arena *arena, struct mica_text text)
{
    struct mica_buffer clean;
    size_t valid = mica_utf8_valid(text);
    if (valid == text.len)
        return text;
    mica_buffer_init(&clean, arena, SIZE_MAX / 2);
    while (text.len > 0) {
        valid = mica_utf8_valid(text);
        mica_buffer_text(&clean, mica_text_slice(text, 0, valid));
        if (valid < text.len)
            mica_buffer_text(&clean, MICA_LITERAL("\xEF\xBF\xBD"));
        text = mica_text_slice(text, valid + 1, text.len);
    }
    return mica_buffer_as_text(&clean);
}

static void
clean_error(struct mica_arena *arena, struct mica_error *error)
{
    const struct {
        char *text;
        size_t size;
    } parts[] = {{error->code, sizeof error->code},
                 {error->message, sizeof error->message},
                 {error->path, sizeof error->path}};
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        struct mica_text text = mica_text(parts[i].text);
        struct mica_text clean = mica_call_clean(arena, text);
        if (clean.ptr == text.ptr || clean.ptr == NULL)
            continue;
        // Cut the text where the space ends, between two characters.
        clean = mica_utf8_cut(clean, parts[i].size - 1);
        memcpy(parts[i].text, clean.ptr, clean.len);
        parts[i].text[clean.len] = '\0';
    }
}

// Writes the failure without memory of the arena.
static void
fail_for_memory(struct mica_call *call)
{
    mica_error_set(&call->error, MICA_E_LIMIT, "",
                   "the call needed more memory than its limit; ask for less");
    call->result.status = MICA_E_LIMIT;
    call->result.structured = (struct mica_text){NULL, 0};
    call->result.error = MICA_LITERAL(
        "{\"code\":\"LIMIT_EXCEEDED\",\"message\":\"the call needed more "
        "memory than its limit; ask for less\",\"path\":\"\"}");
}

struct mica_text
mica_call_error_text(struct mica_call *call)
{
    static const struct mica_text none = {NULL, 0};
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    if (call->arena->overflow)
        return none;
    clean_error(call->arena, &call->error);
    mica_buffer_init(&buffer, call->arena, 8 * sizeof call->error);
    mica_json_writer_init(&writer, &buffer);
    mica_error_json(&writer, &call->error);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

void
mica_call_fail_error(struct mica_call *call)
{
    struct mica_text error = mica_call_error_text(call);
    if (error.len == 0) {
        fail_for_memory(call);
        return;
    }
    call->result.status = call->error.status;
    call->result.structured = (struct mica_text){NULL, 0};
    call->result.error = error;
}

void
mica_call_fail(struct mica_call *call, enum mica_status status,
               const char *pathz, const char *formatz, ...)
{
    va_list arguments;
    va_start(arguments, formatz);
    mica_error_vset(&call->error, status, NULL, pathz, formatz, arguments);
    va_end(arguments);
    mica_call_fail_error(call);
}

#ifdef __wasm__

static bool
fail_by_operation(const struct mica_call *call, enum mica_status status)
{
    (void)call, (void)status;
    return false;
}

#else

// Can an ask return this status? A handler may return one that an earlier ask returned.
static bool
is_ask_outcome(enum mica_status status)
{
    return status == MICA_E_DECLINED || status == MICA_E_DISMISSED ||
           status == MICA_E_ATTEMPTS || status == MICA_E_CAPABILITY ||
           status == MICA_E_CLIENT || status == MICA_E_TIMEOUT ||
           status == MICA_E_DISCONNECTED || status == MICA_E_CANCELLED;
}

// Ends a call whose handler returns the status of an operation (an ask, a step, another
// tool). Returns false if `status` is not one.
static bool
fail_by_operation(struct mica_call *call, enum mica_status status)
{
    if (call->error_is_from_operation && call->error.status == status)
        mica_call_fail_error(call);
    else if (call->turn != NULL && is_ask_outcome(status))
        mica_call_fail(call, status, "", "%s", mica_status_meaning(status));
    else
        return false;
    return true;
}

#endif

bool
mica_call_conclude(struct mica_call *call, enum mica_status handler_status)
{
    bool explained =
        call->error.status == MICA_FAILED && !call->error_is_from_operation;
    if (call->arena->overflow) {
        fail_for_memory(call);
        return false;
    }
    if (call->stopped)
        return false;
    if (handler_status == MICA_OK && !explained)
        return true;
    if (fail_by_operation(call, handler_status))
        return false;
    if (handler_status == MICA_FAILED && explained)
        mica_call_fail_error(call);
    else if (handler_status == MICA_FAILED)
        mica_call_fail(call, MICA_E_EXECUTION, "",
                       "the handler returned MICA_FAILED without saying why; "
                       "it must end with `return mica_fail(…)`");
    else if (handler_status == MICA_OK)
        mica_call_fail(call, MICA_E_EXECUTION, "",
                       "the handler called mica_fail with %s but returned "
                       "MICA_OK; it must end with `return mica_fail(…)`",
                       call->error.code);
    else
        mica_call_fail(call, MICA_E_EXECUTION, "",
                       "the handler returned the status %s; it must end with "
                       "MICA_OK or `return mica_fail(…)`",
                       mica_status_code(handler_status));
    return false;
}

// ---- Running out of memory -------------------------------------------------

#ifdef __wasm__

void
mica_call_exceed(struct mica_call *call)
{
    if (call->trap_status != NULL)
        *call->trap_status = MICA_E_LIMIT;
    __builtin_trap();
}

void
mica_call_guard(struct mica_call *call,
                void (*body)(struct mica_call *call, void *data), void *data)
{
    body(call, data);
}

#else

void
mica_call_exceed(struct mica_call *call)
{
    MICA_ASSERT(call->unwind != NULL);
    longjmp(*call->unwind, 1);
}

void
mica_call_leave(struct mica_call *call)
{
    MICA_ASSERT(call->unwind != NULL);
    call->left = true;
    longjmp(*call->unwind, 1);
}

void
mica_call_guard(struct mica_call *call,
                void (*body)(struct mica_call *call, void *data), void *data)
{
    jmp_buf here;
    if (call->unwind != NULL) {
        body(call, data);
        return;
    }
    if (setjmp(here) == 0) {
        call->unwind = &here;
        body(call, data);
    } else if (!call->left) {
        fail_for_memory(call);
    }
    call->left = false;
    call->unwind = NULL;
}

#endif
