// SPDX-License-Identifier: Apache-2.0
//
// What a native handler may say before it ends: how far it is, and messages for
// the client's log. A surface that can pass them on takes them as events; for
// any other they cost a comparison.
#ifndef __wasm__

#    include <mica/server.h>

#    include "call/call.h"

enum {
    MESSAGE_BYTES = 64 * 1024 // of one event
};

static void tell(struct mica_call *call, struct mica_event *event,
                 const char *formatz, va_list arguments) MICA_PRINTF(3, 0);

static void
tell(struct mica_call *call, struct mica_event *event, const char *formatz,
     va_list arguments)
{
    struct mica_buffer text;

    // On the heap: a handler that tells much must not use up its call's memory.
    mica_buffer_init(&text, NULL, MESSAGE_BYTES);
    if (formatz != NULL)
        mica_buffer_vformat(&text, formatz, arguments);
    event->message =
        text.overflow
            ? MICA_LITERAL("(a message longer than 64 KiB)")
            : mica_call_clean(call->arena, mica_buffer_as_text(&text));
    call->event(call->event_data, event);
    mica_buffer_fini(&text);
}

// Tells, in a variadic function whose last named parameter is `formatz`, if there
// is somebody to tell.
#    define TELL(call_, event_, formatz)                     \
        do {                                                 \
            if ((call_)->event != NULL) {                    \
                va_list arguments_;                          \
                va_start(arguments_, formatz);               \
                tell(call_, &(event_), formatz, arguments_); \
                va_end(arguments_);                          \
            }                                                \
        } while (0)

void
mica_progress(struct mica_call *call, double progress, double total,
              const char *formatz, ...)
{
    struct mica_event event = {
        .kind = MICA_EVENT_PROGRESS, .progress = progress, .total = total};

    TELL(call, event, formatz);
}

void
mica_notify(struct mica_call *call, const char *formatz, ...)
{
    struct mica_event event = {.kind = MICA_EVENT_PROGRESS,
                               .progress = ++call->notified};

    TELL(call, event, formatz);
}

void
mica_log(struct mica_call *call, enum mica_log_level level, const char *formatz,
         ...)
{
    struct mica_event event = {.kind = MICA_EVENT_LOG, .level = level};

    TELL(call, event, formatz);
}

bool
mica_close_stream(struct mica_call *call)
{
    return call->close_stream != NULL && call->close_stream(call->event_data);
}

#endif
