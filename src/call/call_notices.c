// SPDX-License-Identifier: Apache-2.0
//
// Progress and log messages of a native handler. A surface that can send them receives
// them as notices; without such a surface they cost a comparison. A notice that an earlier
// turn of the call has sent is not sent again (TURN-4).
#ifndef __wasm__

#    include <math.h>

#    define MICA_TOOL_PLAIN // the functions themselves, not their macros
#    include "call/turn_state.h"

enum {
    MESSAGE_BYTES = 64 * 1024 // of one notice
};

static void notice_send(struct mica_call *call, struct mica_notice *notice,
                        const char *formatz, va_list arguments)
    MICA_PRINTF(3, 0);

// JSON has no NaN and no infinity: such a progress is not sent, and such a total unknown.
static void
notice_send(struct mica_call *call, struct mica_notice *notice,
            const char *formatz, va_list arguments)
{
    struct mica_buffer text;

    if (!isfinite(notice->progress))
        return;
    if (!isfinite(notice->total))
        notice->total = 0;
    // On the heap: many messages must not use up the memory of the call.
    mica_buffer_init(&text, NULL, MESSAGE_BYTES);
    if (formatz != NULL)
        mica_buffer_vformat(&text, formatz, arguments);
    notice->message =
        text.overflow
            ? MICA_LITERAL("(a message longer than 64 KiB)")
            : mica_call_clean(call->arena, mica_buffer_as_text(&text));
    call->on_notice(call->notice_data, notice);
    mica_buffer_fini(&text);
}

// Counts the notice, also if no client receives it. Returns true if it must be sent: a
// client receives notices, and no earlier turn has sent this one.
static bool
count_and_check_notice(struct mica_call *call)
{
    bool is_new = mica_turn_sends_notice(call);

    return is_new && call->on_notice != NULL;
}

// Sends a notice, in a variadic function whose last named parameter is `formatz`.
#    define TELL(call_, notice_, formatz)                        \
        do {                                                     \
            va_list arguments_;                                  \
            va_start(arguments_, formatz);                       \
            notice_send(call_, &(notice_), formatz, arguments_); \
            va_end(arguments_);                                  \
        } while (0)

void
mica_progress(struct mica_call *call, double progress, double total,
              const char *formatz, ...)
{
    struct mica_notice notice = {
        .kind = MICA_NOTICE_PROGRESS, .progress = progress, .total = total};

    if (count_and_check_notice(call))
        TELL(call, notice, formatz);
}

void
mica_notify(struct mica_call *call, const char *formatz, ...)
{
    struct mica_notice notice = {.kind = MICA_NOTICE_PROGRESS};

    if (!count_and_check_notice(call))
        return;
    notice.progress = mica_turn_notification(call);
    TELL(call, notice, formatz);
}

void
mica_notify_at(struct mica_call *call, double progress, const char *formatz,
               ...)
{
    struct mica_notice notice = {.kind = MICA_NOTICE_PROGRESS,
                                 .progress = progress};

    if (!count_and_check_notice(call))
        return;
    mica_turn_notified(call, progress);
    TELL(call, notice, formatz);
}

void
mica_log(struct mica_call *call, enum mica_log_level level, const char *formatz,
         ...)
{
    struct mica_notice notice = {.kind = MICA_NOTICE_LOG, .level = level};

    if (count_and_check_notice(call))
        TELL(call, notice, formatz);
}

bool
mica_close_stream(struct mica_call *call)
{
    return call->close_stream != NULL && call->close_stream(call->notice_data);
}

#endif
