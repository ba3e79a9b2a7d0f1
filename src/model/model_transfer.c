// SPDX-License-Identifier: Apache-2.0
//
// One attempt: a request with libcurl, and what comes of it. Connections are kept and
// shared by the calls of one multi handle; the address of each was judged when it was made.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/model_state.h"

#include "platform/clock.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

enum {
    READ_BYTES = 8 << 10,
    WRITE_BYTES = 16 << 10,
    HTTP_OK = 200
};

// ---- Addresses -----------------------------------------------------------------------

static curl_socket_t
transfer_socket(void *data, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct mica_model_one *one = data;
    struct mica_model_provider_state *provider = one->provider;

    // The name is known now.
    provider->known_until_ms = mica_clock_ms() + MICA_MODEL_NAME_MS;
    if (one->transfer.resolves)
        one->transfer.resolves = provider->resolving = false;
    // Behind a proxy the operator has chosen where it is.
    if (purpose == CURLSOCKTYPE_IPCXN &&
        (provider->options.proxy != NULL ||
         mica_model_address_allows(&provider->address, provider->key != NULL,
                                   &to->addr)))
        return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    one->transfer.stop = MICA_MODEL_STOP_ADDRESS;
    return CURL_SOCKET_BAD;
}

// ---- What comes ----------------------------------------------------------------------

static void
transfer_progress(struct mica_model_one *one)
{
    int64_t now_ms = mica_clock_ms();

    // The first piece is told at once; of the others some.
    if (one->on_progress != NULL && one->transfer.reading.text.len > 0 &&
        (one->progress == 0 || now_ms - one->notified_ms >= MICA_MODEL_TELL_MS))
        mica_model_tell(one, now_ms);
}

static void
transfer_event(void *user, struct mica_text name, struct mica_text data)
{
    struct mica_model_one *one = user;

    mica_model_read_event(one->provider->options.type, &one->transfer.reading,
                          name, data, &one->state->json);
}

static bool
is_event_stream(CURL *curl)
{
    static const char wanted[] = "text/event-stream";
    const char *type = NULL;

    (void)curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    return type != NULL && strncasecmp(type, wanted, sizeof wanted - 1) == 0;
}

// The body may be a stream, though none was asked for, and the other way around: servers
// that are compatible do as they like.
static void
transfer_look(struct mica_model_one *one)
{
    long status = 0;

    (void)curl_easy_getinfo(one->transfer.curl, CURLINFO_RESPONSE_CODE,
                            &status);
    one->transfer.body = status != HTTP_OK ? MICA_MODEL_FAULT_BODY
                         : is_event_stream(one->transfer.curl)
                             ? MICA_MODEL_STREAM_BODY
                             : MICA_MODEL_WHOLE_BODY;
    mica_buffer_init(&one->transfer.whole, NULL,
                     status == HTTP_OK ? MICA_MODEL_WHOLE_BYTES
                                       : MICA_MODEL_FAULT_BYTES);
}

// The last event has come. The response may still end within MICA_MODEL_LINGER_MS, and its
// connection serves another call then.
static void
transfer_linger(struct mica_model_one *one)
{
    if (one->stage != MICA_MODEL_RUNNING)
        return;
    mica_model_move(one, MICA_MODEL_LINGERING);
    mica_model_timed_add(one, mica_clock_ms() + MICA_MODEL_LINGER_MS);
}

// Takes a piece of the body. Returns false when no more is wanted.
static bool
transfer_take(struct mica_model_one *one, struct mica_text piece)
{
    const struct mica_model_event_taker taker = {transfer_event, one};
    const struct mica_model_reading *reading = &one->transfer.reading;

    if (one->transfer.body == MICA_MODEL_NO_BODY)
        transfer_look(one);
    one->transfer.received += piece.len;
    if (one->transfer.body != MICA_MODEL_STREAM_BODY) {
        mica_buffer_text(&one->transfer.whole, piece);
        if (one->transfer.whole.overflow)
            one->transfer.stop = MICA_MODEL_STOP_SIZE;
        return !one->transfer.whole.overflow;
    }
    if (!mica_model_events_feed(&one->transfer.events, piece, &taker) ||
        reading->text.overflow ||
        one->transfer.received > MICA_MODEL_BODY_BYTES) {
        one->transfer.stop = MICA_MODEL_STOP_SIZE;
        return false;
    }
    transfer_progress(one);
    if (reading->extent == MICA_MODEL_WHOLE)
        transfer_linger(one);
    return reading->trouble <= MICA_MODEL_REFUSAL;
}

static size_t
transfer_body(void *bytes, size_t one_byte, size_t size, void *data)
{
    const struct mica_text piece = {bytes, one_byte * size};

    return transfer_take(data, piece) ? piece.len : 0;
}

// OpenAI sends this one beside Retry-After, which libcurl reads.
static size_t
transfer_header(void *bytes, size_t one_byte, size_t size, void *data)
{
    static const char wanted[] = "retry-after-ms:";
    struct mica_model_one *one = data;
    struct mica_text line = {bytes, one_byte * size};
    int64_t value = 0;

    if (line.len <= sizeof wanted - 1 ||
        strncasecmp(line.ptr, wanted, sizeof wanted - 1) != 0)
        return line.len;
    line = mica_text_slice(line, sizeof wanted - 1, line.len);
    while (line.len > 0 && line.ptr[0] == ' ')
        line = mica_text_slice(line, 1, line.len);
    while (line.len > 0 && line.ptr[line.len - 1] <= ' ')
        line.len--;
    if (mica_integer_read(line, &value) && value > 0)
        one->transfer.retry_after_ms = value;
    return one_byte * size;
}

// ---- Setting up ----------------------------------------------------------------------

#define SET(option, value) \
    good = good && curl_easy_setopt(curl, (option), (value)) == CURLE_OK

static bool
set_bounds(const struct mica_model_one *one, CURL *curl, int64_t now_ms)
{
    const struct mica_model_provider_options *options = &one->provider->options;
    int64_t left_ms = one->deadline_ms - now_ms;
    bool good = true;

    SET(CURLOPT_URL, one->provider->address.url);
    SET(CURLOPT_PROTOCOLS_STR, one->provider->address.https ? "https" : "http");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TIMEOUT_MS, left_ms > 0 ? (long)left_ms : 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)MICA_MODEL_CONNECT_MS);
    // Set, so that libcurl does not read http_proxy and no_proxy.
    SET(CURLOPT_PROXY, options->proxy != NULL ? options->proxy : "");
    SET(CURLOPT_NOPROXY, "");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    if (options->ca_file != NULL)
        SET(CURLOPT_CAINFO, options->ca_file);
    if (options->ca_file != NULL)
        SET(CURLOPT_CAPATH, NULL);
    SET(CURLOPT_BUFFERSIZE, (long)READ_BYTES);
    SET(CURLOPT_UPLOAD_BUFFERSIZE, (long)WRITE_BYTES);
    // A cancellation does not wait for a resolver that hangs.
    SET(CURLOPT_QUICK_EXIT, 1L);
    SET(CURLOPT_USERAGENT, "mica/" MICA_VERSION);
    return good;
}

static bool
set_request(struct mica_model_one *one, CURL *curl)
{
    bool good = true;

    SET(CURLOPT_PRIVATE, one);
    SET(CURLOPT_HTTPHEADER, one->provider->headers);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, one->body.ptr);
    SET(CURLOPT_POSTFIELDSIZE, (long)one->body.len);
    SET(CURLOPT_OPENSOCKETFUNCTION, transfer_socket);
    SET(CURLOPT_OPENSOCKETDATA, one);
    SET(CURLOPT_WRITEFUNCTION, transfer_body);
    SET(CURLOPT_WRITEDATA, one);
    SET(CURLOPT_HEADERFUNCTION, transfer_header);
    SET(CURLOPT_HEADERDATA, one);
    return good;
}

bool
mica_model_transfer_begin(struct mica_model_one *one, int64_t now_ms)
{
    struct mica_model_provider_state *provider = one->provider;

    one->transfer = (struct mica_model_transfer){
        .resolves = now_ms >= provider->known_until_ms};
    one->attempts++;
    mica_model_events_init(&one->transfer.events);
    mica_model_reading_init(&one->transfer.reading);
    mica_buffer_init(&one->transfer.whole, NULL, MICA_MODEL_FAULT_BYTES);
    provider->resolving = provider->resolving || one->transfer.resolves;
    provider->running++;
    one->transfer.curl = curl_easy_init();
    return one->transfer.curl != NULL &&
           set_bounds(one, one->transfer.curl, now_ms) &&
           set_request(one, one->transfer.curl) &&
           curl_multi_add_handle(one->state->multi, one->transfer.curl) ==
               CURLM_OK;
}

// What the attempt cost beyond what the provider has told: it has read the prompt, and
// written what has come. A provider that refuses a request bills nothing.
static uint64_t
transfer_estimate(const struct mica_model_one *one)
{
    const struct mica_model_transfer *transfer = &one->transfer;
    const struct mica_model_reading *reading = &transfer->reading;
    bool has_all =
        reading->extent != MICA_MODEL_PARTIAL && reading->completion_tokens > 0;
    uint64_t prompt, words;
    curl_off_t sent = 0;
    long status = 0;

    (void)curl_easy_getinfo(transfer->curl, CURLINFO_SIZE_UPLOAD_T, &sent);
    (void)curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    if (sent <= 0 || (status != 0 && status != HTTP_OK))
        return 0;
    prompt =
        reading->prompt_tokens > 0 ? 0 : mica_model_estimate((uint64_t)sent);
    words = mica_model_estimate(reading->text.len > 0 ? reading->text.len
                                                      : transfer->whole.len);
    if (has_all || words < reading->completion_tokens)
        return prompt;
    return prompt + words - reading->completion_tokens;
}

void
mica_model_transfer_end(struct mica_model_one *one)
{
    struct mica_model_provider_state *provider = one->provider;

    if (one->transfer.resolves)
        one->transfer.resolves = provider->resolving = false;
    if (one->transfer.curl != NULL) {
        one->estimated_tokens += transfer_estimate(one);
        (void)curl_multi_remove_handle(one->state->multi, one->transfer.curl);
        curl_easy_cleanup(one->transfer.curl);
        one->transfer.curl = NULL;
    }
    provider->running--;
    mica_model_events_fini(&one->transfer.events);
    mica_buffer_fini(&one->transfer.whole);
    one->prompt_tokens += one->transfer.reading.prompt_tokens;
    one->completion_tokens += one->transfer.reading.completion_tokens;
}
