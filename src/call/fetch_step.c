// SPDX-License-Identifier: Apache-2.0
//
// mica_fetch: a request as a step. The status of the answer, and the fields of its
// record alone, go into the journal; the handler is given what the journal says.
#include "call/fetcher.h"

#include <string.h>

#include "base/url.h"
#include "call/provider_step.h"
#include "call/turn_state.h"
#include "schema/record.h"

enum {
    DEFAULT_FETCH_MS = 10 * 1000,
    MOST_FETCH_MS = 60 * 1000,
    DEFAULT_FETCH_BYTES = 256 << 10,
    MOST_FETCH_BYTES = 1 << 20,
    DEFAULT_FETCH_ATTEMPTS = 3,
    MOST_FETCH_ATTEMPTS = 5,
    FETCH_URL_BYTES = 8 << 10,
    FETCH_HEADERS = 32,
    FETCH_HEADER_BYTES = 8 << 10, // of one value
    FETCH_METHOD_BYTES = 16,
    ANSWER_OK = 200,
    ANSWER_OK_END = 300
};

// What is recorded.
struct fetched {
    int64_t status;
    struct mica_text json; // fields of the record; empty without
};
MICA_RECORD(fetched, MICA_INTEGER(status, "HTTP status of the answer."),
            MICA_TEXT(json, "What its record reads of it, as JSON."));

// ---- Checking --------------------------------------------------------------------

bool
mica_fetch_names(const char *const *fetches, struct mica_text origin)
{
    for (; fetches != NULL && *fetches != NULL; fetches++) {
        struct mica_text named = mica_text(*fetches);
        if (mica_text_is(named, "*") || mica_url_same_origin(named, origin))
            return true;
    }
    return false;
}

bool
mica_fetch_is_idempotent(const char *methodz)
{
    return strcmp(methodz, "GET") == 0 || strcmp(methodz, "HEAD") == 0 ||
           strcmp(methodz, "PUT") == 0 || strcmp(methodz, "DELETE") == 0;
}

static bool
is_token(struct mica_text text, size_t most)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            !(c >= '0' && c <= '9') &&
            (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
            return false;
    }
    return text.len > 0 && text.len <= most;
}

static bool
is_own_header(struct mica_text name)
{
    static const char *const own[] = {"host",           "connection",
                                      "cookie",         "expect",
                                      "upgrade",        "te",
                                      "trailer",        "idempotency-key",
                                      "keep-alive",     "transfer-encoding",
                                      "content-length", "content-type"};
    char lower[32] = "";

    for (size_t i = 0; i < name.len && i < sizeof lower - 1; i++)
        lower[i] = name.ptr[i] >= 'A' && name.ptr[i] <= 'Z'
                       ? (char)(name.ptr[i] + ('a' - 'A'))
                       : name.ptr[i];
    if (strncmp(lower, "proxy-", 6) == 0)
        return true;
    for (size_t i = 0; i < MICA_COUNT(own); i++)
        if (strcmp(lower, own[i]) == 0)
            return true;
    return false;
}

static enum mica_status
check_header(struct mica_call *call, const struct mica_fetch_header *header)
{
    struct mica_text name = mica_text(header->name != NULL ? header->name : "");
    bool fits = header->value.len <= FETCH_HEADER_BYTES;

    if (!is_token(name, 128) || is_own_header(name))
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "a tool cannot set the header \"%.*s\" of a "
                                   "request",
                                   MICA_ARG(name));
    for (size_t i = 0; i < header->value.len && fits; i++)
        fits = header->value.ptr[i] >= ' ' && header->value.ptr[i] <= '~';
    if (!fits)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "the value of the header %.*s has more than %d "
            "bytes, or one that is not visible ASCII",
            MICA_ARG(name), FETCH_HEADER_BYTES);
    return MICA_OK;
}

static enum mica_status
check_url(struct mica_call *call, const struct mica_fetch *fetch)
{
    const char *const *fetches = call->turn->state->frame->fetches;
    struct mica_url url = {.https = false};
    const char *wrong = fetch->url.len > FETCH_URL_BYTES
                            ? "is longer than 8 KiB"
                            : mica_url_read(fetch->url, &url);

    // mica_fetch_escape cannot keep ".." from being one.
    if (wrong == NULL && mica_url_has_dots(url.path))
        wrong = "has a segment \".\" or \"..\" in its path, which would lead "
                "elsewhere";
    if (wrong != NULL)
        return mica_turn_set_error(call, MICA_E_FETCH_ADDRESS,
                                   "the URL of the fetch \"%s\" %s", fetch->key,
                                   wrong);
    if (mica_fetch_names(fetches, url.origin))
        return MICA_OK;
    return mica_turn_set_error(
        call, MICA_E_FETCH_ADDRESS,
        "the tool does not say that it uses %.*s; name it "
        "in the tool: .fetches = MICA_FETCHES(\"%.*s\")",
        MICA_ARG(url.origin), MICA_ARG(url.origin));
}

static enum mica_status
check_fetch(struct mica_call *call, const struct mica_fetch *fetch)
{
    const char *const *fetches = call->turn->state->frame->fetches;

    if (fetches == NULL || *fetches == NULL)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "the tool fetches, but has no .fetches; declare "
            "what it uses: .fetches = "
            "MICA_FETCHES(\"https://api.example.org\")");
    if (!mica_step_key_valid(fetch->key) ||
        !is_token(mica_text(fetch->method), FETCH_METHOD_BYTES) ||
        fetch->limit_ms > MOST_FETCH_MS ||
        fetch->limit_bytes > MOST_FETCH_BYTES ||
        fetch->attempts > MOST_FETCH_ATTEMPTS ||
        fetch->header_count > FETCH_HEADERS)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "a fetch needs a key of 1 to %d bytes without ' ', '/' and '#', "
            "and takes at most %d ms, %d bytes, %d attempts and %d headers",
            MICA_TOOL_STEP_KEY_BYTES, MOST_FETCH_MS, MOST_FETCH_BYTES,
            MOST_FETCH_ATTEMPTS, FETCH_HEADERS);
    for (size_t i = 0; i < fetch->header_count; i++)
        MICA_TRY(check_header(call, &fetch->headers[i]));
    return check_url(call, fetch);
}

// ---- Sending ---------------------------------------------------------------------

struct fetch_step {
    const struct mica_fetch *fetch;
    const struct mica_record *record; // of the answer, or NULL
};

static const struct mica_fetcher *
find_fetcher(struct mica_call *call)
{
    struct mica_turn *turn = call->turn;

    return turn->service != NULL ? turn->service(turn->data, MICA_FETCH_SERVICE)
                                 : NULL;
}

static enum mica_status
order_make(struct mica_call *call, const struct mica_fetch *fetch,
           struct mica_fetch_order *order)
{
    *order = (struct mica_fetch_order){
        .key = mica_idempotency_key(call),
        .method = fetch->method,
        .url = fetch->url,
        .headers = fetch->headers,
        .header_count = fetch->header_count,
        .has_body = fetch->body.record != NULL,
        .limit_ms = fetch->limit_ms > 0 ? fetch->limit_ms : DEFAULT_FETCH_MS,
        .limit_bytes =
            fetch->limit_bytes > 0 ? fetch->limit_bytes : DEFAULT_FETCH_BYTES,
        .attempts =
            fetch->attempts > 0 ? fetch->attempts : DEFAULT_FETCH_ATTEMPTS,
        .repeats = fetch->repeats || mica_fetch_is_idempotent(fetch->method),
        .fetches = call->turn->state->frame->fetches,
        .cancelled = call->cancelled};
    return order->has_body ? mica_turn_encode(call, fetch->body, &order->body)
                           : MICA_OK;
}

// The answer as its record has it, in JSON.
static enum mica_status
reply_take(struct mica_call *call, const struct fetch_step *step,
           struct mica_text body, struct mica_text *json_out)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_json value;
    enum mica_status status;
    void *out = mica_alloc(call, step->record->size);

    status = mica_json_read(call->arena, body, NULL, &error, &value);
    if (status == MICA_OK)
        status = mica_record_decode_foreign(step->record, &value, call->arena,
                                            &error, out);
    if (call->arena->overflow)
        mica_call_exceed(call);
    if (status != MICA_OK)
        return mica_turn_set_error(
            call, MICA_E_FETCH_ANSWER,
            "the answer to the fetch \"%s\" cannot be read: "
            "%s%s%s",
            step->fetch->key, error.path, error.path[0] != '\0' ? ": " : "",
            error.message);
    return mica_turn_encode(call, (struct mica_from){step->record, out},
                            json_out);
}

// The project allows nothing. check_url has read the URL before.
static enum mica_status
fetch_forbidden(struct mica_call *call, const struct mica_fetch *fetch)
{
    struct mica_url url = {.https = false};

    (void)mica_url_read(fetch->url, &url);
    return mica_turn_set_error(
        call, MICA_E_FETCH_ADDRESS,
        "the tools of this server may fetch nothing; allow it in mica.toml: "
        "[fetch] allow = [\"%.*s\"], or private = [\"%.*s\"] for a server of this "
        "machine or of a private network",
        MICA_ARG(url.origin), MICA_ARG(url.origin));
}

static enum mica_status
fetch_send(struct mica_call *call, void *data, void *out)
{
    const struct fetch_step *step = data;
    const struct mica_fetcher *fetcher = find_fetcher(call);
    struct fetched *fetched = out;
    struct mica_error error = {.status = MICA_OK};
    struct mica_fetch_order order;
    struct mica_fetch_reply reply = {.status = 0};
    enum mica_status status;

    if (fetcher == NULL)
        return fetch_forbidden(call, step->fetch);
    MICA_TRY(order_make(call, step->fetch, &order));
    status = fetcher->send(fetcher->data, &order, call->arena, &error, &reply);
    if (status == MICA_E_CANCELLED)
        return mica_step_cancel(call, "it waited for another server");
    if (call->arena->overflow)
        mica_call_exceed(call);
    if (status != MICA_OK)
        return mica_turn_set_error(call, status, "%s", error.message);
    fetched->status = (int64_t)reply.status;
    fetched->json = MICA_LITERAL("");
    if (reply.status < ANSWER_OK || reply.status >= ANSWER_OK_END)
        return step->fetch->status_out != NULL
                   ? MICA_OK
                   : mica_turn_set_error(
                         call, MICA_E_FETCH_STATUS,
                         "the fetch \"%s\" was answered with HTTP "
                         "status %u",
                         step->fetch->key, reply.status);
    return step->record != NULL
               ? reply_take(call, step, reply.body, &fetched->json)
               : MICA_OK;
}

// ---- One fetch -------------------------------------------------------------------

enum mica_status
mica_fetch(struct mica_call *call, const struct mica_fetch *fetch,
           struct mica_into into)
{
    struct mica_fetch full = *fetch;
    struct fetch_step step = {&full, into.record};
    struct fetched fetched;
    struct mica_effect effect = {.kind = MICA_ENTRY_STEP,
                                 .run = fetch_send,
                                 .data = &step,
                                 .into = MICA_INTO(fetched, &fetched)};
    enum mica_status status = mica_turn_enter(call);

    if (into.record != NULL)
        memset(into.out, 0, into.record->size);
    if (full.status_out != NULL)
        *full.status_out = 0;
    if (status != MICA_OK)
        return status;
    if (full.key == NULL)
        full.key = "fetch";
    if (full.method == NULL)
        full.method = full.body.record != NULL ? "POST" : "GET";
    MICA_TRY(check_fetch(call, &full));
    effect.namez = full.key;
    MICA_TRY(mica_effect_run(call, &effect));
    if (full.status_out != NULL)
        *full.status_out = (unsigned)fetched.status;
    return mica_step_give(call, "fetch", full.key, fetched.json, into);
}

struct mica_text
mica_fetch_escape(struct mica_call *call, struct mica_text text)
{
    struct mica_buffer out;

    mica_buffer_init(&out, call->arena, 3 * text.len + 1);
    mica_url_encode(&out, text);
    if (out.overflow)
        mica_call_exceed(call);
    return mica_buffer_as_text(&out);
}
