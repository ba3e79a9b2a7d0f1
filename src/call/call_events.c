// SPDX-License-Identifier: Apache-2.0
//
// Progress and log messages of a native handler. A surface that can send them receives
// them as events; without such a surface they cost a comparison. An event that an earlier
// turn of the call has sent is not sent again (T4).
#ifndef __wasm__

#    define MICA_TOOL_PLAIN // the functions themselves, not their macros
#    include "call/turn_state.h"

enum {
    MESSAGE_BYTES = 64 * 1024 // of one event
};

static void event_send(struct mica_call *call, struct mica_event *event,
                       const char *formatz, va_list arguments)
    MICA_PRINTF(3, 0);

static void
event_send(struct mica_call *call, struct mica_event *event,
           const char *formatz, va_list arguments)
{
    struct mica_buffer text;

    // On the heap: many messages must not use up the memory of the call.
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

// Counts the event, also if no client receives it. Returns true if it must be sent: a
// client receives events, and no earlier turn has sent this one.
static bool
count_and_check_event(struct mica_call *call)
{
    bool is_new = mica_turn_sends_event(call);

    return is_new && call->event != NULL;
}

// Sends an event, in a variadic function whose last named parameter is `formatz`.
#    define TELL(call_, event_, formatz)                       \
        do {                                                   \
            va_list arguments_;                                \
            va_start(arguments_, formatz);                     \
            event_send(call_, &(event_), formatz, arguments_); \
            va_end(arguments_);                                \
        } while (0)

void
mica_progress(struct mica_call *call, double progress, double total,
              const char *formatz, ...)
{
    struct mica_event event = {
        .kind = MICA_EVENT_PROGRESS, .progress = progress, .total = total};

    if (count_and_check_event(call))
        TELL(call, event, formatz);
}

void
mica_notify(struct mica_call *call, const char *formatz, ...)
{
    struct mica_event event = {.kind = MICA_EVENT_PROGRESS};

    if (!count_and_check_event(call))
        return;
    event.progress = mica_turn_notification(call);
    TELL(call, event, formatz);
}

void
mica_notify_at(struct mica_call *call, double progress, const char *formatz,
               ...)
{
    struct mica_event event = {.kind = MICA_EVENT_PROGRESS,
                               .progress = progress};

    if (!count_and_check_event(call))
        return;
    mica_turn_notified(call, progress);
    TELL(call, event, formatz);
}

void
mica_log(struct mica_call *call, enum mica_log_level level, const char *formatz,
         ...)
{
    struct mica_event event = {.kind = MICA_EVENT_LOG, .level = level};

    if (count_and_check_event(call))
        TELL(call, event, formatz);
}

bool
mica_close_stream(struct mica_call *call)
{
    return call->close_stream != NULL && call->close_stream(call->event_data);
}

#endif
