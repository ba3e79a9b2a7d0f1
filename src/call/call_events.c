// SPDX-License-Identifier: Apache-2.0
//
// What a native handler may say before it ends: how far it is, and messages for
// the client's log. A surface that can pass them on takes them as events; for
// any other they cost a comparison. What was told in an earlier turn of the call
// is not told again.
#ifndef __wasm__

#    include "call/turn_state.h"

enum {
    MESSAGE_BYTES = 64 * 1024 // of one event
};

static void event_tell(struct mica_call *call, struct mica_event *event,
                       const char *formatz, va_list arguments)
    MICA_PRINTF(3, 0);

static void
event_tell(struct mica_call *call, struct mica_event *event,
           const char *formatz, va_list arguments)
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

// Does a client listen, and was it not told before? It counts as told when no client
// listens.
static bool
event_passes(struct mica_call *call)
{
    bool tells = mica_turn_tells(call);

    return tells && call->event != NULL;
}

// Tells what passed, in a variadic function whose last named parameter is
// `formatz`.
#    define TELL(call_, event_, formatz)                       \
        do {                                                   \
            va_list arguments_;                                \
            va_start(arguments_, formatz);                     \
            event_tell(call_, &(event_), formatz, arguments_); \
            va_end(arguments_);                                \
        } while (0)

void
mica_progress(struct mica_call *call, double progress, double total,
              const char *formatz, ...)
{
    struct mica_event event = {
        .kind = MICA_EVENT_PROGRESS, .progress = progress, .total = total};

    if (event_passes(call))
        TELL(call, event, formatz);
}

void
mica_notify(struct mica_call *call, const char *formatz, ...)
{
    struct mica_event event = {.kind = MICA_EVENT_PROGRESS};

    if (!event_passes(call))
        return;
    event.progress = mica_turn_notification(call);
    TELL(call, event, formatz);
}

void
mica_log(struct mica_call *call, enum mica_log_level level, const char *formatz,
         ...)
{
    struct mica_event event = {.kind = MICA_EVENT_LOG, .level = level};

    if (event_passes(call))
        TELL(call, event, formatz);
}

bool
mica_close_stream(struct mica_call *call)
{
    return call->close_stream != NULL && call->close_stream(call->event_data);
}

#endif
