// SPDX-License-Identifier: Apache-2.0
//
// A host from its opening to its end, its clock, and what there is to know about it.
#include "host/host_peer.h"

#include <string.h>

#include "base/arena.h"
#include "base/assert.h"

// ---- Opening ---------------------------------------------------------------------

static size_t
or_usual(size_t given, size_t usual)
{
    return given != 0 ? given : usual;
}

static struct mica_host_limits
whole_limits(const struct mica_host_limits *given)
{
#define LIMIT(member, usual) \
    .member = (unsigned)or_usual(given->member, MICA_HOST_##usual)
    return (struct mica_host_limits){
        .message_bytes =
            or_usual(given->message_bytes, MICA_HOST_MESSAGE_BYTES),
        .memory_bytes = or_usual(given->memory_bytes, MICA_HOST_MEMORY_BYTES),
        .result_bytes = or_usual(given->result_bytes, MICA_HOST_RESULT_BYTES),
        LIMIT(depth, DEPTH),
        LIMIT(open_requests, OPEN_REQUESTS),
        LIMIT(queued, QUEUED),
        LIMIT(tools, TOOLS),
        LIMIT(rate, RATE),
        LIMIT(burst, BURST),
        LIMIT(refused, REFUSED),
        LIMIT(call_ms, CALL_MS),
        LIMIT(teardown_ms, TEARDOWN_MS)};
#undef LIMIT
}

static enum mica_status
check_options(const struct mica_host_options *options, struct mica_error *error)
{
    const struct mica_host_limits *limits = &options->limits;

    if (options->callbacks.send == NULL || options->name == NULL ||
        options->version == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A host needs callbacks.send, a name and a "
                              "version.");
    if (limits->rate > 1000000 || limits->burst > 1000000 ||
        limits->refused > 1000000 || limits->depth > 512 ||
        limits->open_requests > 65536)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "rate, burst and refused are at most 1000000, "
                              "depth 512, open_requests 65536.");
    return MICA_OK;
}

// The host lives in its own arena OWN.
static struct mica_host *
host_new(const struct mica_host_options *options)
{
    const struct mica_host_limits limits = whole_limits(&options->limits);
    struct mica_arena own;
    struct mica_host *host;

    mica_arena_init_small(&own, limits.memory_bytes);
    host = mica_arena_zero(&own, 1, sizeof *host);
    if (host == NULL) {
        mica_arena_fini(&own);
        return NULL;
    }
    host->arenas[MICA_HOST_OWN] = own;
    host->limits = limits;
    host->callbacks = options->callbacks;
    host->user = options->user;
    mica_host_clock(host, options->now_ms);
    host->tokens_ms = host->now_ms;
    host->tokens = (int64_t)limits.burst * 1000;
    host->changed_ms = MICA_HOST_NEVER;
    return host;
}

// Gives all memory back.
// ---- Closing ---------------------------------------------------------------------

static void
host_give(struct mica_host *host)
{
    struct mica_arena own = host->arenas[MICA_HOST_OWN];

    for (size_t i = 0; i < MICA_HOST_ARENAS; i++)
        if (i != MICA_HOST_OWN)
            mica_arena_fini(&host->arenas[i]);
    mica_arena_fini(&own);
}

// The tables, and the first block of the arena WORK, which stays.
static enum mica_status
host_tables(struct mica_host *host, struct mica_error *error)
{
    struct mica_arena *own = mica_host_arena(host, MICA_HOST_OWN);
    size_t count = host->limits.open_requests;

    host->asked = mica_arena_zero(own, count, sizeof *host->asked);
    host->running = mica_arena_zero(own, count, sizeof *host->running);
    // The pattern is right, so that only memory can be missing.
    if (mica_host_hidden_open(host, error) != MICA_OK || own->overflow ||
        mica_arena_alloc(mica_host_arena(host, MICA_HOST_WORK), 1) == NULL)
        return mica_host_no_memory(host, error);
    return MICA_OK;
}

// Copies a text into the arena OWN, as it is written by the JSON writer.
static enum mica_status
own_text(struct mica_host *host, struct mica_text text,
         struct mica_error *error, struct mica_text *kept)
{
    *kept = mica_arena_text(mica_host_arena(host, MICA_HOST_OWN), text);
    return kept->ptr == NULL || text.len == 0 ? mica_host_no_memory(host, error)
                                              : MICA_OK;
}

static enum mica_status
keep_info(struct mica_host *host, const struct mica_host_options *options,
          struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_text name = mica_text(options->name);
    struct mica_text version = mica_text(options->version);

    if (mica_utf8_valid(name) != name.len ||
        mica_utf8_valid(version) != version.len)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "name and version must be UTF-8");
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", name);
    mica_json_field(&writer, "version", version);
    mica_json_close_object(&writer);
    return own_text(host, mica_buffer_as_text(&out), error, &host->info);
}

static enum mica_status
keep_capabilities(struct mica_host *host, struct mica_text text,
                  struct mica_error *error)
{
    struct mica_json value;

    if (text.len == 0)
        text = MICA_LITERAL("{}");
    MICA_TRY(mica_host_read(host, text, MICA_JSON_OBJECT, "the capabilities",
                            error, &value));
    host->keeps_model = mica_json_get(&value, "updateModelContext") != NULL;
    return own_text(host, mica_host_compact(host, &value), error,
                    &host->capabilities);
}

static enum mica_status
host_begin(struct mica_host *host, const struct mica_host_options *options,
           struct mica_error *error)
{
    struct mica_arena mark;
    enum mica_status status = host_tables(host, error);

    if (status != MICA_OK)
        return status;
    mark = mica_host_enter(host);
    status = keep_info(host, options, error);
    if (status == MICA_OK)
        status = keep_capabilities(host, options->capabilities, error);
    if (status == MICA_OK)
        status = mica_host_context_merge(
            host,
            options->context.len > 0 ? options->context : MICA_LITERAL("{}"),
            error);
    mica_host_leave(host, &mark);
    return status;
}

enum mica_status
mica_host_open(const struct mica_host_options *options,
               struct mica_error *error, struct mica_host **host_out)
{
    struct mica_host *host;
    enum mica_status status;

    MICA_TRY(check_options(options, error));
    host = host_new(options);
    if (host == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "A host needs more than %zu bytes of memory.",
                              options->limits.memory_bytes);
    status = host_begin(host, options, error);
    if (status == MICA_OK)
        *host_out = host;
    else
        host_give(host); // it was not open
    return status;
}

// ---- The end ---------------------------------------------------------------------

void
mica_host_free(struct mica_host *host)
{
    if (host == NULL)
        return;
    MICA_ASSERT(host->entered == 0); // not in a callback
    mica_host_close(host);
    host_give(host);
}

// ---- Time ------------------------------------------------------------------------

bool
mica_host_due(const struct mica_host *host, uint64_t *at_ms_out)
{
    bool due = host->changed_ms != MICA_HOST_NEVER;

    if (due)
        *at_ms_out = host->changed_ms;
    for (unsigned i = 0;
         host->asked_count > 0 && i < host->limits.open_requests; i++) {
        const struct mica_host_asked *asked = &host->asked[i];
        if (asked->state == MICA_HOST_ASKED_FREE ||
            (due && asked->due_ms >= *at_ms_out))
            continue;
        *at_ms_out = asked->due_ms;
        due = true;
    }
    return due;
}

void
mica_host_tick(struct mica_host *host, uint64_t now_ms)
{
    struct mica_arena mark;

    MICA_ASSERT(host->entered == 0); // not in a callback
    mica_host_clock(host, now_ms);
    mark = mica_host_enter(host);
    if (host->changed_ms <= host->now_ms) { // MICA_HOST_NEVER is later
        host->changed_ms = MICA_HOST_NEVER;
        if (host->callbacks.tools_changed != NULL)
            host->callbacks.tools_changed(host->user);
    }
    mica_host_asked_expire(host);
    mica_host_leave(host, &mark);
}

// ---- What there is to know -------------------------------------------------------

enum mica_host_state
mica_host_state(const struct mica_host *host)
{
    return host->state;
}

struct mica_text
mica_host_app_info(const struct mica_host *host)
{
    return host->app_info;
}

struct mica_text
mica_host_app_capabilities(const struct mica_host *host)
{
    return host->app_capabilities;
}

struct mica_text
mica_host_model_context(const struct mica_host *host)
{
    return host->model;
}

uint64_t
mica_host_count(const struct mica_host *host, enum mica_host_code code)
{
    return code < MICA_HOST_CODES ? host->counts[code] : 0;
}
