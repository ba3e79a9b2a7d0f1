// SPDX-License-Identifier: Apache-2.0
//
// One request with libcurl. Each has connections of its own, so each connection is
// judged by the address that it goes to, after the name was resolved and before a
// packet is sent.
#include "fetch/fetch_hop.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fetch/fetch_address.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

enum {
    LOOK_MS = 50, // between two looks at the flag of a cancellation
    MOST_RETRY_S = 24 * 60 * 60, // of Retry-After, longer than any fetch waits
    HEAD_BYTES = 64 << 10
};

// While it runs.
struct transfer {
    const struct mica_fetch_hop *hop;
    const struct mica_fetch_library *library;
    CURL *curl;
    struct mica_buffer body;
    size_t head_bytes;
    bool head_large;
    bool refused;   // an address was
    char where[64]; // the last of these
    char detail[CURL_ERROR_SIZE];
};

// ---- Addresses -------------------------------------------------------------------

static bool
address_allowed(const struct mica_fetch_hop *hop,
                const struct sockaddr *address)
{
    if (hop->proxy != NULL) // the operator has chosen where it is
        return true;
    switch (mica_fetch_reach(address)) {
    case MICA_REACH_PUBLIC:
        return !hop->only_loopback;
    case MICA_REACH_LOOPBACK:
        return hop->may_be_private;
    case MICA_REACH_PRIVATE:
        return hop->may_be_private && !hop->only_loopback;
    case MICA_REACH_NOWHERE:
        break;
    }
    return false;
}

static void
write_address(const struct sockaddr *address, char *out, size_t size)
{
    struct sockaddr_in ip4;
    struct sockaddr_in6 ip6;
    const char *done = NULL;

    if (address->sa_family == AF_INET) {
        memcpy(&ip4, address, sizeof ip4);
        done = inet_ntop(AF_INET, &ip4.sin_addr, out, (socklen_t)size);
    } else if (address->sa_family == AF_INET6) {
        memcpy(&ip6, address, sizeof ip6);
        done = inet_ntop(AF_INET6, &ip6.sin6_addr, out, (socklen_t)size);
    }
    if (done == NULL)
        (void)snprintf(out, size, "an address of another family");
}

static curl_socket_t
transfer_socket(void *data, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct transfer *transfer = data;

    if (purpose == CURLSOCKTYPE_IPCXN &&
        address_allowed(transfer->hop, &to->addr))
        return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    transfer->refused = true;
    write_address(&to->addr, transfer->where, sizeof transfer->where);
    return CURL_SOCKET_BAD;
}

// ---- What comes ------------------------------------------------------------------

static size_t
transfer_body(char *bytes, size_t one, size_t size, void *data)
{
    struct transfer *transfer = data;

    mica_buffer_add(&transfer->body, bytes, one * size);
    return transfer->body.overflow ? 0 : one * size;
}

static size_t
transfer_head(void *bytes, size_t one, size_t size, void *data)
{
    struct transfer *transfer = data;

    (void)bytes;
    // The lines are counted alone: libcurl has read what mica asks of them.
    transfer->head_bytes += one * size;
    transfer->head_large = transfer->head_bytes > HEAD_BYTES;
    return transfer->head_large ? 0 : one * size;
}

// ---- Setting up ------------------------------------------------------------------

static const char *
arena_textz(struct mica_arena *arena, struct mica_text text)
{
    char *copy = mica_arena_zero(arena, text.len + 1, 1);

    if (copy != NULL && text.len > 0)
        memcpy(copy, text.ptr, text.len);
    return copy;
}

// A value that curl keeps by pointer or copies, all of one type each.
#define SET(option, value) \
    good = good && library->easy_setopt(curl, (option), (value)) == CURLE_OK

static bool
set_bounds(struct transfer *transfer, const char *urlz)
{
    const struct mica_fetch_library *library = transfer->library;
    const struct mica_fetch_hop *hop = transfer->hop;
    CURL *curl = transfer->curl;
    bool good = true;

    SET(CURLOPT_URL, urlz);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
    SET(CURLOPT_TIMEOUT_MS, (long)hop->limit_ms);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)hop->limit_ms);
    // The answer to HEAD has the length of what GET would bring.
    if (strcmp(hop->method, "HEAD") != 0)
        SET(CURLOPT_MAXFILESIZE, (long)hop->limit_bytes);
    // Set, so that curl does not read http_proxy and no_proxy.
    SET(CURLOPT_PROXY, hop->proxy != NULL ? hop->proxy : "");
    SET(CURLOPT_NOPROXY, "");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    // A cancellation does not wait for a resolver that hangs.
    SET(CURLOPT_QUICK_EXIT, 1L);
    SET(CURLOPT_USERAGENT, "mica/" MICA_VERSION);
    return good;
}

static bool
set_callbacks(struct transfer *transfer)
{
    const struct mica_fetch_library *library = transfer->library;
    CURL *curl = transfer->curl;
    bool good = true;

    SET(CURLOPT_OPENSOCKETFUNCTION, transfer_socket);
    SET(CURLOPT_OPENSOCKETDATA, transfer);
    SET(CURLOPT_WRITEFUNCTION, transfer_body);
    SET(CURLOPT_WRITEDATA, transfer);
    SET(CURLOPT_HEADERFUNCTION, transfer_head);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_ERRORBUFFER, transfer->detail);
    return good;
}

static bool
set_request(struct transfer *transfer)
{
    const struct mica_fetch_library *library = transfer->library;
    const struct mica_fetch_hop *hop = transfer->hop;
    CURL *curl = transfer->curl;
    bool good = true;

    SET(CURLOPT_HTTPHEADER, hop->headers);
    if (hop->body != NULL) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDS, hop->body->len > 0 ? hop->body->ptr : "");
        SET(CURLOPT_POSTFIELDSIZE, (long)hop->body->len);
    }
    if (strcmp(hop->method, "HEAD") == 0)
        SET(CURLOPT_NOBODY, 1L);
    else
        SET(CURLOPT_CUSTOMREQUEST, hop->method);
    return good;
}

// ---- Running ---------------------------------------------------------------------

static bool
hop_cancelled(const struct mica_fetch_hop *hop)
{
    return hop->cancelled != NULL &&
           atomic_load_explicit(hop->cancelled, memory_order_relaxed);
}

// How it ended; false when it was cancelled.
static bool
transfer_wait(const struct transfer *transfer, CURLM *multi, CURLcode *code_out)
{
    const struct mica_fetch_library *library = transfer->library;
    int running = 1, left;
    CURLMsg *message;

    while (!hop_cancelled(transfer->hop)) {
        if (library->multi_perform(multi, &running) != CURLM_OK)
            return true;
        if (running == 0) {
            message = library->multi_info_read(multi, &left);
            if (message != NULL && message->msg == CURLMSG_DONE)
                *code_out = message->data.result;
            return true;
        }
        if (library->multi_poll(multi, NULL, 0, LOOK_MS, NULL) != CURLM_OK)
            return true;
    }
    return false;
}

static bool
transfer_run(struct transfer *transfer, CURLcode *code_out)
{
    const struct mica_fetch_library *library = transfer->library;
    CURLM *multi = library->multi_init();
    bool ended = true;

    *code_out = CURLE_FAILED_INIT;
    if (multi == NULL)
        return true;
    if (library->multi_add_handle(multi, transfer->curl) == CURLM_OK) {
        ended = transfer_wait(transfer, multi, code_out);
        (void)library->multi_remove_handle(multi, transfer->curl);
    }
    (void)library->multi_cleanup(multi);
    return ended;
}

// ---- What it came to -------------------------------------------------------------

static bool
was_sent(const struct transfer *transfer, CURLcode code)
{
    long bytes = 0;

    (void)transfer->library->easy_getinfo(transfer->curl, CURLINFO_REQUEST_SIZE,
                                          &bytes);
    return code == CURLE_OK || bytes > 0;
}

// curl has no memory for a line of the header of more than 100 KiB, and says so of its
// memory.
static bool
is_head_large(const struct transfer *transfer, CURLcode code)
{
    curl_off_t first_byte_us = 0;

    if (transfer->head_large || code != CURLE_OUT_OF_MEMORY)
        return transfer->head_large;
    (void)transfer->library->easy_getinfo(
        transfer->curl, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
    return first_byte_us > 0 && transfer->body.len == 0;
}

static enum mica_status
transfer_fail(const struct transfer *transfer, const struct mica_url *url,
              CURLcode code, struct mica_error *error)
{
    const char *detail = transfer->detail[0] != '\0'
                             ? transfer->detail
                             : transfer->library->easy_strerror(code);

    if (transfer->body.overflow || code == CURLE_FILESIZE_EXCEEDED)
        return mica_error_set(error, MICA_E_FETCH_SIZE, "",
                              "the answer of %.*s has more than %zu bytes; "
                              "raise .limit_bytes, or ask for less",
                              MICA_ARG(url->origin),
                              transfer->hop->limit_bytes);
    if (is_head_large(transfer, code))
        return mica_error_set(error, MICA_E_FETCH_SIZE, "",
                              "the header of the answer of %.*s has more than "
                              "%d KiB",
                              MICA_ARG(url->origin), HEAD_BYTES >> 10);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return mica_error_set(error, MICA_E_FETCH_TIME, "",
                              "%.*s did not answer in time; try again later, "
                              "or raise .limit_ms",
                              MICA_ARG(url->origin));
    if (transfer->refused && transfer->hop->only_loopback)
        return mica_error_set(error, MICA_E_FETCH_SECRET, "",
                              "%.*s leads to %s; a secret goes over http to "
                              "this machine alone, use https",
                              MICA_ARG(url->origin), transfer->where);
    if (transfer->refused && code == CURLE_COULDNT_CONNECT)
        return mica_error_set(
            error, MICA_E_FETCH_ADDRESS, "",
            "%.*s leads to %s, which is no public address; if that is meant, "
            "name it in mica.toml: [fetch] private = [\"%.*s\"]",
            MICA_ARG(url->origin), transfer->where, MICA_ARG(url->origin));
    return mica_error_set(error, MICA_E_FETCH, "",
                          "the fetch from %.*s failed: %s",
                          MICA_ARG(url->origin), detail);
}

static enum mica_status
transfer_reply(const struct transfer *transfer, struct mica_error *error,
               struct mica_fetch_hop_reply *reply)
{
    const struct mica_fetch_library *library = transfer->library;
    long status = 0;
    curl_off_t retry_after = 0;
    char *redirect = NULL;

    (void)library->easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE,
                                &status);
    (void)library->easy_getinfo(transfer->curl, CURLINFO_RETRY_AFTER,
                                &retry_after);
    (void)library->easy_getinfo(transfer->curl, CURLINFO_REDIRECT_URL,
                                &redirect);
    *reply = (struct mica_fetch_hop_reply){
        .status = (unsigned)status,
        .body = mica_buffer_as_text(&transfer->body),
        .retry_after_s =
            retry_after < MOST_RETRY_S ? retry_after : MOST_RETRY_S};
    if (redirect == NULL)
        return MICA_OK;
    reply->redirect =
        mica_arena_text(transfer->hop->arena, mica_text(redirect));
    return reply->redirect.ptr != NULL
               ? MICA_OK
               : mica_error_set(error, MICA_E_LIMIT, "", "no memory");
}

static enum mica_status
transfer_judge(const struct transfer *transfer, CURLcode code, bool ended,
               struct mica_error *error, struct mica_fetch_hop_reply *reply)
{
    struct mica_url url;

    if (!ended)
        return mica_error_set(error, MICA_E_CANCELLED, "",
                              "the call was cancelled");
    if (code == CURLE_OK)
        return transfer_reply(transfer, error, reply);
    if (mica_url_read(transfer->hop->url, &url) != NULL)
        url.origin = MICA_LITERAL("the server");
    return transfer_fail(transfer, &url, code, error);
}

enum mica_status
mica_fetch_hop(const struct mica_fetch_library *library,
               const struct mica_fetch_hop *hop, struct mica_error *error,
               struct mica_fetch_hop_reply *reply_out, bool *sent_out)
{
    struct transfer transfer = {.hop = hop, .library = library};
    const char *urlz = arena_textz(hop->arena, hop->url);
    enum mica_status status = MICA_E_LIMIT;
    CURLcode code = CURLE_OUT_OF_MEMORY;

    *sent_out = false;
    mica_buffer_init(&transfer.body, hop->arena, hop->limit_bytes);
    transfer.curl = library->easy_init();
    if (urlz != NULL && transfer.curl != NULL && set_bounds(&transfer, urlz) &&
        set_callbacks(&transfer) && set_request(&transfer)) {
        bool ended = transfer_run(&transfer, &code);
        *sent_out = was_sent(&transfer, code);
        status = transfer_judge(&transfer, code, ended, error, reply_out);
    } else {
        (void)mica_error_set(error, MICA_E_LIMIT, "", "no memory for a fetch");
    }
    if (transfer.curl != NULL)
        library->easy_cleanup(transfer.curl);
    return status;
}
