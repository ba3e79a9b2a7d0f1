// SPDX-License-Identifier: Apache-2.0
//
// One message of the view: its size is compared before it is read, its place in the bucket
// before it counts, its form before it is looked at.
#include "host/host_peer.h"

#include <string.h>

#include "base/assert.h"

// The proxy has stopped a view that floods.
#define STOPPED "ui/notifications/sandbox-view-stopped"

enum {
    THOUSANDTHS = 1000,       // of a message, in the bucket
    WEIGHT = 32768,           // bytes that count as one more message
    LONGEST_FILL_MS = 3600000 // an idle hour fills every bucket
};

static const struct mica_text none = {NULL, 0};

// ---- The bucket ------------------------------------------------------------------

static void
bucket_fill(struct mica_host *host)
{
    int64_t most = (int64_t)host->limits.burst * THOUSANDTHS;
    uint64_t passed = host->now_ms - host->tokens_ms;

    if (passed > LONGEST_FILL_MS)
        passed = LONGEST_FILL_MS;
    host->tokens_ms = host->now_ms;
    host->tokens += (int64_t)(passed * host->limits.rate);
    if (host->tokens >= most) {
        host->tokens = most;
        host->refused = 0;
    }
}

// A large message is many. It may take more than there is: then the next ones wait.
static bool
bucket_take(struct mica_host *host, size_t bytes)
{
    if (host->tokens < THOUSANDTHS)
        return false;
    host->tokens -= (int64_t)(1 + bytes / WEIGHT) * THOUSANDTHS;
    return true;
}

static void
write_rate(const struct mica_host *host, struct mica_buffer *out)
{
    mica_buffer_format(out,
                       "A view may send %u messages a second; this one sends "
                       "more.",
                       host->limits.rate);
}

// Disconnects a view that keeps sending.
static void
stop_view(struct mica_host *host, struct mica_text reason)
{
    mica_host_report(host, MICA_HOST_VIEW_FLOODS,
                     "The view was disconnected: %.*s", MICA_ARG(reason));
    mica_host_close(host);
}

// Refuses a message beyond the bucket. `id` is that of a request, or empty.
static void
refuse_flood(struct mica_host *host, struct mica_text id)
{
    char room[128];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_text message;

    write_rate(host, &text);
    message = mica_buffer_as_text(&text);
    // Each is counted once: by the report, by the reply, or here.
    if (host->refused++ == 0) {
        mica_host_report(host, MICA_HOST_RATE_LIMITED, "%.*s",
                         MICA_ARG(message));
        host->counts[MICA_HOST_RATE_LIMITED] -= id.len > 0;
    } else if (id.len == 0) {
        host->counts[MICA_HOST_RATE_LIMITED]++;
    }
    if (host->refused > host->limits.refused)
        stop_view(host, message);
    else if (id.len > 0)
        mica_host_send_refusal(host, id, -32000, MICA_HOST_RATE_LIMITED,
                               message);
}

// ---- Messages that cannot be read ------------------------------------------------

static void
refuse_unread(struct mica_host *host, struct mica_text text,
              enum mica_host_code code, struct mica_text why)
{
    struct mica_id_scan scan;
    struct mica_text id;

    memset(&scan, 0, sizeof scan);
    mica_id_scan(&scan, text);
    id = mica_id_scan_found(&scan);
    if (id.len > 0)
        mica_host_send_refusal(host, id, -32600, code, why);
    else
        mica_host_report(host, code, "%.*s", MICA_ARG(why));
}

// Are there more levels than the limit, in a text that need not be JSON?
static bool
is_deep(struct mica_text text, unsigned most)
{
    size_t depth = 0;
    bool string = false;

    for (size_t i = 0; i < text.len && depth <= most; i++) {
        char c = text.ptr[i];
        if (string && c == '\\')
            i++;
        else if (c == '"')
            string = !string;
        else if (!string && (c == '{' || c == '['))
            depth++;
        else if (!string && (c == '}' || c == ']') && depth > 0)
            depth--;
    }
    return depth > most;
}

// What the reader says, in the words of the table.
static void
refuse_broken(struct mica_host *host, struct mica_text text,
              enum mica_status status, const struct mica_error *error)
{
    char room[sizeof error->message + 32];
    struct mica_buffer why = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    enum mica_host_code code = MICA_HOST_MESSAGE_NOT_JSON;

    if (status == MICA_E_LIMIT) {
        bool deep = is_deep(text, host->limits.depth);
        code = deep ? MICA_HOST_MESSAGE_TOO_DEEP : MICA_HOST_MESSAGE_TOO_LARGE;
        if (deep)
            mica_buffer_format(&why, "The message has more than %u levels.",
                               host->limits.depth);
        else
            mica_buffer_format(&why, "The message has more values than fit the "
                                     "memory of its host.");
    } else {
        mica_buffer_format(&why, "The message is not JSON: %s", error->message);
    }
    refuse_unread(host, text, code, mica_buffer_as_text(&why));
}

// ---- Messages that were read -----------------------------------------------------

struct parts {
    const struct mica_json *method, *id, *params, *result, *error;
};

static struct parts
find_parts(const struct mica_json *message)
{
    return (struct parts){.method = mica_json_get(message, "method"),
                          .id = mica_json_get(message, "id"),
                          .params = mica_json_get(message, "params"),
                          .result = mica_json_get(message, "result"),
                          .error = mica_json_get(message, "error")};
}

static bool
is_kind(const struct mica_json *value, enum mica_json_kind kind)
{
    return value != NULL && value->kind == kind;
}

static bool
is_error(const struct mica_json *error)
{
    const struct mica_json *code = mica_json_get(error, "code");
    int64_t value;

    return is_kind(code, MICA_JSON_NUMBER) &&
           mica_integer_read(code->text, &value) &&
           is_kind(mica_json_get(error, "message"), MICA_JSON_STRING);
}

static bool
is_message(const struct mica_json *message, const struct parts *parts)
{
    bool id = parts->id != NULL && mica_id_is_valid(parts->id);

    if (!mica_text_is(mica_json_get_text(message, "jsonrpc"), "2.0"))
        return false;
    if (parts->method != NULL)
        return parts->method->kind == MICA_JSON_STRING &&
               (parts->params == NULL ||
                parts->params->kind == MICA_JSON_OBJECT) &&
               (parts->id == NULL || id);
    if (!id || (parts->result == NULL) == (parts->error == NULL))
        return false;
    return parts->result != NULL ? parts->result->kind == MICA_JSON_OBJECT
                                 : is_error(parts->error);
}

static void
take_reply(struct mica_host *host, const struct mica_json *message,
           const struct parts *parts)
{
    struct mica_host_asked *asked = mica_host_asked_find(host, parts->id);
    char room[4 * 40 + 4];
    struct mica_buffer id = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (asked != NULL) {
        mica_host_asked_replied(host, asked, message);
        return;
    }
    mica_host_shown(&host->hidden, parts->id->text, 40, &id);
    struct mica_text shown = mica_buffer_as_text(&id);
    mica_host_report(host, MICA_HOST_UNKNOWN_REPLY, "No request %.*s is open.",
                     MICA_ARG(shown));
}

static void
take_message(struct mica_host *host, const struct mica_json *message)
{
    struct parts parts = find_parts(message);
    struct mica_text method;

    if (!is_message(message, &parts)) {
        mica_host_report(host, MICA_HOST_INVALID_MESSAGE,
                         "This is not JSON-RPC 2.0.");
        return;
    }
    if (parts.method == NULL) {
        take_reply(host, message, &parts);
        return;
    }
    method = parts.method->text;
    if (mica_text_is(method, STOPPED))
        stop_view(host, mica_json_get_text(parts.params, "reason"));
    else if (parts.id != NULL)
        mica_host_serve(host, parts.id->raw, method, parts.params);
    else
        mica_host_notified(host, method, parts.params);
}

// Whether the message is read any further.
static bool
admit_message(struct mica_host *host, const struct mica_json *message,
              size_t bytes)
{
    struct parts parts = find_parts(message);
    struct mica_text method = mica_json_get_text(message, "method");

    if (mica_text_is(method, STOPPED) ||
        (parts.method == NULL && mica_host_asked_find(host, parts.id) != NULL))
        return true;
    if (!bucket_take(host, bytes)) {
        refuse_flood(host, parts.method != NULL && parts.id != NULL &&
                                   mica_id_is_valid(parts.id)
                               ? parts.id->raw
                               : none);
        return false;
    }
    // The view was loaded again: no one waits for what its last document asked.
    if (mica_text_is(method, "ui/initialize"))
        mica_host_abandon(host, "The view was loaded again.");
    return true;
}

// ---- The function of the header --------------------------------------------------

static void
receive_text(struct mica_host *host, struct mica_text text)
{
    const struct mica_json_limits limits = {
        .depth = host->limits.depth, .bytes = host->limits.message_bytes};
    char room[96];
    struct mica_buffer why = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_error error;
    struct mica_json message;
    enum mica_status status;

    bucket_fill(host);
    // With an empty bucket only a reply that the host waits for is worth reading.
    if (host->tokens < THOUSANDTHS &&
        (host->asked_count == 0 || text.len > host->limits.message_bytes)) {
        struct mica_id_scan scan;
        memset(&scan, 0, sizeof scan);
        mica_id_scan(&scan, text);
        refuse_flood(host, mica_id_scan_found(&scan));
        return;
    }
    if (text.len > host->limits.message_bytes) {
        (void)bucket_take(host, host->limits.message_bytes);
        mica_buffer_format(&why, "The message is larger than %zu.",
                           host->limits.message_bytes);
        refuse_unread(host, text, MICA_HOST_MESSAGE_TOO_LARGE,
                      mica_buffer_as_text(&why));
        return;
    }
    status = mica_json_read(mica_host_arena(host, MICA_HOST_WORK), text,
                            &limits, &error, &message);
    if (status == MICA_OK) {
        if (admit_message(host, &message, text.len))
            take_message(host, &message);
    } else if (bucket_take(host, text.len)) {
        refuse_broken(host, text, status, &error);
    } else {
        refuse_flood(host, none);
    }
}

void
mica_host_receive(struct mica_host *host, struct mica_text message,
                  uint64_t now_ms)
{
    struct mica_arena mark;

    MICA_ASSERT(host->entered == 0); // not in a callback
    mica_host_clock(host, now_ms);
    if (host->state == MICA_HOST_CLOSED)
        return;
    mark = mica_host_enter(host);
    host->received++;
    receive_text(host, message);
    mica_host_leave(host, &mark);
}
