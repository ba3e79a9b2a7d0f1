// SPDX-License-Identifier: Apache-2.0
//
// One fetch: attempts, and in each of them the request and the redirects that it
// leads to. Each hop is judged as the first one was.
//
//     order -> attempt -> hop -> redirect -> hop -> … -> reply
//                 ^                                        |
//                 +---- wait, if it may be sent again -----+
#include "fetch/fetch_service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mica/json.h>

#include "fetch/fetch_address.h"
#include "fetch/fetch_hop.h"
#include "platform/clock.h"
#include "sandbox/trust.h"
#include "store/random.h"

enum {
    MOST_REDIRECTS = 5,
    FIRST_WAIT_MS =
        200, // before the second attempt; doubled for each further one
    WAIT_STEP_MS = 50,
    LINE_ROOM = 16
};

// One fetch as it goes.
struct run {
    struct mica_fetch_service *service;
    const struct mica_fetch_library *library;
    const struct mica_fetch_order *order;
    struct mica_arena *arena;
    struct mica_error *error;
    int64_t end_ms; // of the clock
};

// Where an attempt is.
struct place {
    struct mica_url url;
    struct mica_text text; // of that
    const char *method;
    const struct mica_text *body; // or NULL
    bool may_be_private;
    bool away; // a redirect has left the first origin
};

static enum mica_status
run_no_memory(const struct run *run)
{
    return mica_error_set(run->error, MICA_E_LIMIT, "",
                          "no memory for a fetch");
}

// ---- Headers ---------------------------------------------------------------------

static bool
headers_add(const struct run *run, struct curl_slist **headers,
            const char *linez)
{
    struct curl_slist *longer = run->library->slist_append(*headers, linez);

    if (longer != NULL)
        *headers = longer;
    return longer != NULL;
}

// "name: value" and a secret behind it. The line is wiped: libcurl has a copy.
static enum mica_status
add_header(const struct run *run, const struct place *place,
           const struct mica_fetch_header *header, struct curl_slist **headers,
           bool *secret_out)
{
    const char *secret = "";
    size_t room;
    char *line;
    bool added;

    if (header->secret != NULL) {
        MICA_TRY(mica_fetch_policy_secret(&run->service->policy, header->secret,
                                          &place->url, run->error, &secret));
        *secret_out = true;
    }
    room =
        strlen(header->name) + header->value.len + strlen(secret) + LINE_ROOM;
    line = mica_arena_zero(run->arena, room, 1);
    if (line == NULL)
        return run_no_memory(run);
    (void)snprintf(line, room, "%s: %.*s%s", header->name,
                   MICA_ARG(header->value), secret);
    added = headers_add(run, headers, line);
    explicit_bzero(line, room);
    return added ? MICA_OK : run_no_memory(run);
}

// The key of the step has the id of its call, which other servers do not get.
static bool
add_key(const struct run *run, struct curl_slist **headers)
{
    char hash[MICA_SHA256_SIZE], line[sizeof hash + 32];

    mica_trust_hash_bytes(run->order->key, hash);
    (void)snprintf(line, sizeof line, "Idempotency-Key: %s", hash);
    return headers_add(run, headers, line);
}

static enum mica_status
make_headers(const struct run *run, const struct place *place,
             struct curl_slist **headers, bool *secret_out)
{
    bool changes =
        strcmp(place->method, "GET") != 0 && strcmp(place->method, "HEAD") != 0;
    bool good = headers_add(run, headers, "Accept: application/json") &&
                headers_add(run, headers, "Expect:");

    if (good && place->body != NULL)
        good = headers_add(run, headers, "Content-Type: application/json");
    if (good && changes)
        good = add_key(run, headers);
    if (!good)
        return run_no_memory(run);
    // What the tool has set was meant for the first origin.
    for (size_t i = 0; i < run->order->header_count && !place->away; i++)
        MICA_TRY(add_header(run, place, &run->order->headers[i], headers,
                            secret_out));
    return MICA_OK;
}

// libcurl's copies hold the secrets.
static void
free_headers(const struct run *run, struct curl_slist *headers)
{
    for (struct curl_slist *one = headers; one != NULL; one = one->next)
        explicit_bzero(one->data, strlen(one->data));
    run->library->slist_free_all(headers);
}

// ---- Where it may go -------------------------------------------------------------

// A host that is written as an address: a proxy would connect to it unseen.
static enum mica_status
check_literal(const struct run *run, const struct place *place)
{
    struct mica_text host = mica_url_host(&place->url);
    struct sockaddr_in ip4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6};
    const struct sockaddr *address = NULL;
    char name[256] = "";

    if (host.len >= sizeof name)
        return MICA_OK;
    memcpy(name, host.ptr, host.len);
    if (inet_aton(name, &ip4.sin_addr) != 0) {
        address = (const struct sockaddr *)&ip4;
    } else if (host.len > 2 && host.ptr[0] == '[') {
        name[host.len - 1] = '\0';
        if (inet_pton(AF_INET6, name + 1, &ip6.sin6_addr) == 1)
            address = (const struct sockaddr *)&ip6;
    }
    if (address == NULL || place->may_be_private ||
        mica_fetch_reach(address) == MICA_REACH_PUBLIC)
        return MICA_OK;
    return mica_error_set(run->error, MICA_E_FETCH_ADDRESS, "",
                          "%.*s is no public address; if that is meant, name "
                          "it in mica.toml: [fetch] private = [\"%.*s\"]",
                          MICA_ARG(place->url.origin),
                          MICA_ARG(place->url.origin));
}

// Is `text` a URL that this tool of this project may use?
static enum mica_status
place_enter(const struct run *run, struct mica_text text, struct place *place)
{
    const char *wrong = mica_url_read(text, &place->url);

    place->text = text;
    if (wrong != NULL)
        return mica_error_set(run->error, MICA_E_FETCH_ADDRESS, "",
                              "the URL of a fetch %s", wrong);
    if (!mica_fetch_names(run->order->fetches, place->url.origin))
        return mica_error_set(run->error, MICA_E_FETCH_ADDRESS, "",
                              "the tool does not say that it uses %.*s; name "
                              "it in .fetches",
                              MICA_ARG(place->url.origin));
    MICA_TRY(mica_fetch_policy_find(&run->service->policy, place->url.origin,
                                    run->error, &place->may_be_private));
    return check_literal(run, place);
}

// ---- Redirects -------------------------------------------------------------------

static bool
is_redirect(unsigned status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 ||
           status == 308;
}

// The method behind a redirect, as browsers have it (RFC 9110, 15.4).
static void
place_turn(struct place *place, unsigned status)
{
    bool post = strcmp(place->method, "POST") == 0;
    bool gets = strcmp(place->method, "HEAD") == 0;

    if (!(status == 303 && !gets) &&
        !((status == 301 || status == 302) && post))
        return;
    place->method = "GET";
    place->body = NULL;
}

static enum mica_status
place_redirect(const struct run *run, const struct mica_fetch_hop_reply *reply,
               struct place *place)
{
    struct mica_url from = place->url;
    bool was_private = place->may_be_private;
    enum mica_status status = place_enter(run, reply->redirect, place);

    if (status == MICA_OK && from.https && !place->url.https)
        status = mica_error_set(run->error, MICA_E_FETCH_ADDRESS, "",
                                "from https to http");
    if (status == MICA_OK && place->may_be_private && !was_private)
        status = mica_error_set(run->error, MICA_E_FETCH_ADDRESS, "",
                                "from a public server to a private one");
    if (status != MICA_OK) {
        mica_error_prefix(run->error, "%.*s redirects where it may not",
                          MICA_ARG(from.origin));
        return status;
    }
    place->away =
        place->away || !mica_url_same_origin(from.origin, place->url.origin);
    place_turn(place, reply->status);
    return MICA_OK;
}

// ---- One attempt -----------------------------------------------------------------

static enum mica_status
run_hop(const struct run *run, struct place *place,
        struct mica_fetch_hop_reply *reply, bool *sent)
{
    struct mica_fetch_hop hop = {
        .url = place->text,
        .method = place->method,
        .body = place->body,
        .limit_bytes = run->order->limit_bytes,
        .limit_ms = run->end_ms - mica_clock_ms(),
        .cancelled = run->order->cancelled,
        .proxy = place->url.loopback ? NULL : run->service->policy.proxy,
        .may_be_private = place->may_be_private,
        .arena = run->arena};
    struct curl_slist *headers = NULL;
    bool has_secret = false;
    enum mica_status status;

    *sent = false;
    if (hop.limit_ms <= 0)
        return mica_error_set(run->error, MICA_E_FETCH_TIME, "",
                              "%.*s did not answer in time; try again later, "
                              "or raise .limit_ms",
                              MICA_ARG(place->url.origin));
    status = make_headers(run, place, &headers, &has_secret);
    if (status == MICA_OK) {
        hop.headers = headers;
        hop.only_loopback = has_secret && !place->url.https;
        atomic_fetch_add_explicit(&run->service->requests, 1,
                                  memory_order_relaxed);
        status = mica_fetch_hop(run->library, &hop, run->error, reply, sent);
    }
    free_headers(run, headers);
    return status;
}

// `sent` is false while nothing can have arrived anywhere.
static enum mica_status
run_attempt(const struct run *run, struct mica_fetch_hop_reply *reply,
            bool *sent)
{
    struct place place = {.method = run->order->method,
                          .body =
                              run->order->has_body ? &run->order->body : NULL};
    bool now;

    *sent = false;
    MICA_TRY(place_enter(run, run->order->url, &place));
    for (unsigned redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
        enum mica_status status = run_hop(run, &place, reply, &now);
        *sent = *sent || now;
        if (status != MICA_OK || !is_redirect(reply->status) ||
            reply->redirect.len == 0)
            return status;
        MICA_TRY(place_redirect(run, reply, &place));
    }
    return mica_error_set(run->error, MICA_E_FETCH_REDIRECT, "",
                          "%.*s redirects more than %d times",
                          MICA_ARG(place.url.origin), MOST_REDIRECTS);
}

// ---- Attempts --------------------------------------------------------------------

static bool
is_passing(unsigned status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static bool
may_repeat(const struct run *run, enum mica_status status, bool sent,
           const struct mica_fetch_hop_reply *reply)
{
    if (status == MICA_OK)
        return is_passing(reply->status) && run->order->repeats;
    return status == MICA_E_FETCH && (run->order->repeats || !sent);
}

// Half to all of a time that doubles, or what the server has asked for.
static int64_t
wait_before(unsigned attempt, int64_t retry_after_s)
{
    int64_t most = (int64_t)FIRST_WAIT_MS << attempt;
    uint32_t random;

    mica_store_random(&random, sizeof random);
    most = most / 2 + (int64_t)(random % (uint32_t)(most / 2 + 1));
    return retry_after_s > 0 ? retry_after_s * 1000 : most;
}

// False when the call was cancelled.
static bool
run_wait(const struct run *run, int64_t wait_ms)
{
    const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};
    int64_t until = mica_clock_ms() + wait_ms;

    while (mica_clock_ms() < until) {
        if (run->order->cancelled != NULL &&
            atomic_load_explicit(run->order->cancelled, memory_order_relaxed))
            return false;
        (void)nanosleep(&step, NULL);
    }
    return true;
}

static enum mica_status
run_attempts(const struct run *run, struct mica_fetch_hop_reply *reply)
{
    for (unsigned attempt = 0;; attempt++) {
        bool sent;
        enum mica_status status = run_attempt(run, reply, &sent);
        int64_t wait_ms =
            wait_before(attempt, status == MICA_OK ? reply->retry_after_s : 0);

        if (attempt + 1 >= run->order->attempts ||
            !may_repeat(run, status, sent, reply) ||
            wait_ms >= run->end_ms - mica_clock_ms())
            return status;
        if (!run_wait(run, wait_ms))
            return mica_error_set(run->error, MICA_E_CANCELLED, "",
                                  "the call was cancelled");
    }
}

// ---- What comes back -------------------------------------------------------------

static bool
text_holds(struct mica_text text, struct mica_text part)
{
    return part.len > 0 && text.len >= part.len &&
           memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

// A value as JSON, as mica writes it: every escape that another writer chose is gone.
static struct mica_text
write_json(const struct run *run, const struct mica_json *value,
           struct mica_text text)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, run->arena, 8 * run->order->limit_bytes + 65536);
    mica_json_writer_init(&writer, &buffer);
    if (value != NULL)
        mica_json_value(&writer, value);
    else
        mica_json_string(&writer, text);
    return mica_buffer_as_text(&buffer);
}

// Does the answer repeat this secret, as it is or inside of JSON?
static bool
repeats_secret(const struct run *run, struct mica_text body, const char *valuez)
{
    struct mica_text plain = mica_text(valuez), quoted, all;
    struct mica_json value;

    if (text_holds(body, plain))
        return true;
    if (mica_json_read(run->arena, body, NULL, NULL, &value) != MICA_OK)
        return false;
    all = write_json(run, &value, plain);
    quoted = write_json(run, NULL, plain);
    return text_holds(all, plain) ||
           (quoted.len > 2 &&
            text_holds(all, mica_text_slice(quoted, 1, quoted.len - 1)));
}

// An answer is recorded, and a secret never is.
static enum mica_status
check_secrets(const struct run *run, struct mica_text body)
{
    struct mica_url url;

    if (mica_url_read(run->order->url, &url) != NULL)
        return MICA_OK; // it was never sent
    for (size_t i = 0; i < run->order->header_count; i++) {
        const char *namez = run->order->headers[i].secret, *value;
        if (namez == NULL)
            continue;
        MICA_TRY(mica_fetch_policy_secret(&run->service->policy, namez, &url,
                                          run->error, &value));
        if (repeats_secret(run, body, value))
            return mica_error_set(run->error, MICA_E_FETCH_ANSWER, "",
                                  "the answer of %.*s repeats the secret %s, "
                                  "so mica does not take it",
                                  MICA_ARG(url.origin), namez);
    }
    return MICA_OK;
}

static void
run_count(struct mica_fetch_service *service, enum mica_status status)
{
    bool refused =
        status == MICA_E_FETCH_ADDRESS || status == MICA_E_FETCH_SECRET;

    if (status == MICA_OK || status == MICA_E_CANCELLED)
        return;
    atomic_fetch_add_explicit(refused ? &service->refused : &service->failed, 1,
                              memory_order_relaxed);
}

enum mica_status
mica_fetch_send(void *data, const struct mica_fetch_order *order,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_fetch_reply *reply_out)
{
    struct mica_fetch_service *service = data;
    struct run run = {.service = service,
                      .order = order,
                      .arena = arena,
                      .error = error,
                      .end_ms = mica_clock_ms() + order->limit_ms};
    struct mica_fetch_hop_reply reply = {.status = 0};
    enum mica_status status = mica_fetch_library(error, &run.library);

    if (status == MICA_OK)
        status = run_attempts(&run, &reply);
    if (status == MICA_OK)
        status = check_secrets(&run, reply.body);
    run_count(service, status);
    if (status == MICA_OK)
        *reply_out = (struct mica_fetch_reply){reply.status, reply.body};
    return status;
}
