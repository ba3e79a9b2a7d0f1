// SPDX-License-Identifier: Apache-2.0
//
// The memory of a host, its counters and its errors.
#include "host/host_peer.h"

#include <string.h>

#include "base/arena.h"

// ---- Memory ----------------------------------------------------------------------

static size_t
memory_used(const struct mica_host *host)
{
    size_t used = 0;

    for (size_t i = 0; i < MICA_HOST_ARENAS; i++)
        used += host->arenas[i].used;
    return used;
}

size_t
mica_host_room(const struct mica_host *host)
{
    size_t used = memory_used(host);

    return used < host->limits.memory_bytes ? host->limits.memory_bytes - used
                                            : 0;
}

struct mica_arena *
mica_host_arena(struct mica_host *host, enum mica_host_arena which)
{
    struct mica_arena *arena = &host->arenas[which];

    arena->cap = arena->used + mica_host_room(host);
    arena->small = which > MICA_HOST_WORK;
    return arena;
}

struct mica_arena
mica_host_enter(struct mica_host *host)
{
    host->entered++;
    return host->arenas[MICA_HOST_WORK];
}

void
mica_host_leave(struct mica_host *host, const struct mica_arena *mark)
{
    size_t used = memory_used(host);

    if (used > host->memory_most)
        host->memory_most = used;
    mica_arena_rewind(&host->arenas[MICA_HOST_WORK], mark);
    host->entered--;
}

void
mica_host_usage(const struct mica_host *host, struct mica_host_usage *usage_out)
{
    size_t used = memory_used(host);

    *usage_out = (struct mica_host_usage){
        .received = host->received,
        .sent = host->sent,
        .memory_bytes = used,
        .memory_most = used > host->memory_most ? used : host->memory_most,
        .queued = host->queue.count + host->partials.count,
        .asked = host->asked_count,
        .running = host->running_count};
}

enum mica_status
mica_host_no_memory(struct mica_host *host, struct mica_error *error)
{
    return mica_host_fail(host, MICA_HOST_MEMORY_FULL, error,
                          "The host of this view has no memory left: its "
                          "limit is %zu bytes.",
                          host->limits.memory_bytes);
}

enum mica_status
mica_host_keep(struct mica_host *host, enum mica_host_arena which,
               struct mica_text *kept, struct mica_text text,
               struct mica_error *error)
{
    struct mica_arena arena;
    struct mica_text copy;

    mica_arena_init_small(&arena, mica_host_room(host));
    copy = mica_arena_text(&arena, text);
    if (arena.overflow) {
        mica_arena_fini(&arena);
        return mica_host_no_memory(host, error);
    }
    mica_arena_fini(&host->arenas[which]);
    host->arenas[which] = arena;
    *kept = copy;
    return MICA_OK;
}

void
mica_host_clock(struct mica_host *host, uint64_t now_ms)
{
    if (now_ms > INT64_MAX)
        now_ms = INT64_MAX;
    if (now_ms > host->now_ms)
        host->now_ms = now_ms;
}

// ---- Errors ----------------------------------------------------------------------

static const struct {
    const char *word;
    enum mica_status status;
} codes[] = {
#define CODE_ROW(symbol, word, status, meaning) {word, status},
    MICA_HOST_CODE_TABLE(CODE_ROW)
#undef CODE_ROW
};

const char *
mica_host_code_word(enum mica_host_code code)
{
    return code < MICA_HOST_CODES ? codes[code].word : "INTERNAL_ERROR";
}

enum mica_status
mica_host_fail(struct mica_host *host, enum mica_host_code code,
               struct mica_error *error, const char *formatz, ...)
{
    va_list arguments;

    host->counts[code]++;
    va_start(arguments, formatz);
    mica_error_vset(error, codes[code].status, codes[code].word, "", formatz,
                    arguments);
    va_end(arguments);
    return codes[code].status;
}

void
mica_host_report(struct mica_host *host, enum mica_host_code code,
                 const char *formatz, ...)
{
    struct mica_error error;
    va_list arguments;

    host->counts[code]++;
    if (host->callbacks.error == NULL)
        return;
    va_start(arguments, formatz);
    mica_error_vset(&error, codes[code].status, codes[code].word, "", formatz,
                    arguments);
    va_end(arguments);
    host->callbacks.error(host->user, &error);
}

// ---- Texts of the program --------------------------------------------------------

// A limit of the reader, as a word of the table.
static enum mica_status
refuse_text(struct mica_host *host, struct mica_text text,
            enum mica_status status, const char *whatz,
            struct mica_error *error)
{
    if (status != MICA_E_LIMIT) {
        mica_error_prefix(error, "%s", whatz);
        return status;
    }
    if (text.len > host->limits.message_bytes)
        return mica_host_fail(host, MICA_HOST_MESSAGE_TOO_LARGE, error,
                              "%s: it has more than %zu bytes.", whatz,
                              host->limits.message_bytes);
    host->counts[MICA_HOST_MEMORY_FULL]++;
    mica_error_prefix(error, "%s", whatz);
    return status;
}

enum mica_status
mica_host_read(struct mica_host *host, struct mica_text text,
               enum mica_json_kind kind, const char *whatz,
               struct mica_error *error, struct mica_json *value_out)
{
    const struct mica_json_limits limits = {
        .depth = host->limits.depth, .bytes = host->limits.message_bytes};
    struct mica_error local;
    enum mica_status status;

    if (error == NULL)
        error = &local;
    status = mica_json_read(mica_host_arena(host, MICA_HOST_WORK), text,
                            &limits, error, value_out);
    if (status != MICA_OK)
        return refuse_text(host, text, status, whatz, error);
    if (value_out->kind == kind)
        return MICA_OK;
    return mica_error_set(error, MICA_E_TYPE, "", "%s must be %s, not %s",
                          whatz,
                          kind == MICA_JSON_ARRAY ? "an array" : "an object",
                          mica_json_kind_name(value_out->kind));
}

struct mica_text
mica_host_compact(struct mica_host *host, const struct mica_json *value)
{
    struct mica_buffer out;
    struct mica_json_writer writer;

    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    (void)mica_buffer_reserve(&out, value->raw.len);
    mica_json_writer_init(&writer, &out);
    mica_json_value(&writer, value);
    return out.overflow ? (struct mica_text){NULL, 0}
                        : mica_buffer_as_text(&out);
}
