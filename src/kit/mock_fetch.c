// SPDX-License-Identifier: Apache-2.0
//
// What other servers answer in a test. Nothing is sent: a request takes the next
// answer with its method and URL, and one without an answer fails the test.
#include "kit/kit.h"

#include <string.h>

// ---- The script ------------------------------------------------------------------

static struct mica_kit_fetch *
script_add(struct mica_here here, struct mica_mock *mock, const char *methodz,
           const char *urlz)
{
    struct mica_kit_fetch *fetch =
        MICA_KIT_NEXT(mock->fetches, mock->fetch_count);

    *fetch = (struct mica_kit_fetch){
        .here = here,
        .method = mica_kit_copy(&mock->arena, mica_text(methodz)),
        .url = mica_kit_copy(&mock->arena, mica_text(urlz))};
    return fetch;
}

void
mica_test_fetch(struct mica_here here, struct mica_mock *mock,
                const char *methodz, const char *urlz, unsigned status,
                const char *bodyz)
{
    struct mica_kit_fetch *fetch = script_add(here, mock, methodz, urlz);

    fetch->status = status;
    if (bodyz != NULL)
        fetch->body = mica_kit_copy(&mock->arena, mica_text(bodyz));
}

void
mica_test_fetch_fails(struct mica_here here, struct mica_mock *mock,
                      const char *methodz, const char *urlz,
                      enum mica_status status)
{
    script_add(here, mock, methodz, urlz)->fails = status;
}

void
mica_kit_rewind_fetches(struct mica_mock *mock)
{
    for (size_t i = 0; i < mock->fetch_count; i++)
        mock->fetches[i].taken = (struct mica_text){NULL, 0};
}

void
mica_kit_check_fetched(struct mica_run *run)
{
    const struct mica_mock *mock = run->mock;

    for (size_t i = 0; i < mock->fetch_count; i++) {
        const struct mica_kit_fetch *fetch = &mock->fetches[i];
        if (fetch->taken.len == 0)
            mica_kit_fail(fetch->here,
                          "%sthis answer to %.*s %.*s was not used; the tool "
                          "sent %zu requests",
                          run->moment, MICA_ARG(fetch->method),
                          MICA_ARG(fetch->url), run->outcome.fetch_count);
    }
}

// ---- Answering -------------------------------------------------------------------

static bool
fetch_fits(const struct mica_kit_fetch *fetch,
           const struct mica_fetch_order *order)
{
    return mica_text_is(fetch->method, order->method) &&
           mica_text_equal(fetch->url, order->url);
}

// A step that runs again, as it was cut off, gets the same answer: a server knows the
// request by its key.
static struct mica_kit_fetch *
script_take(struct mica_mock *mock, const struct mica_fetch_order *order)
{
    for (size_t i = 0; i < mock->fetch_count; i++)
        if (mica_text_equal(mock->fetches[i].taken, order->key) &&
            fetch_fits(&mock->fetches[i], order))
            return &mock->fetches[i];
    for (size_t i = 0; i < mock->fetch_count; i++) {
        struct mica_kit_fetch *fetch = &mock->fetches[i];
        if (fetch->taken.len == 0 && fetch_fits(fetch, order)) {
            fetch->taken = mica_kit_copy(&mock->arena, order->key);
            return fetch;
        }
    }
    return NULL;
}

// Headers as lines; a secret by its name, for a test has none.
static struct mica_text
write_headers(struct mica_run *run, const struct mica_fetch_order *order)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &run->arena, MICA_KIT_BYTES);
    for (size_t i = 0; i < order->header_count; i++) {
        const struct mica_fetch_header *header = &order->headers[i];
        mica_buffer_format(&text, "%s%s: %.*s", i > 0 ? "\n" : "", header->name,
                           MICA_ARG(header->value));
        if (header->secret != NULL)
            mica_buffer_format(&text, "{%s}", header->secret);
    }
    return mica_kit_copy(&run->arena, mica_buffer_as_text(&text));
}

// Each step once, however often it was cut off.
static void
note_fetch(struct mica_run *run, const struct mica_fetch_order *order)
{
    struct mica_outcome *outcome = &run->outcome;
    struct mica_outcome_fetch *note;

    for (size_t i = 0; i < outcome->fetch_count; i++)
        if (mica_text_equal(run->fetched[i].key, order->key))
            return;
    note = MICA_KIT_NEXT(run->fetched, outcome->fetch_count);
    *note = (struct mica_outcome_fetch){
        .key = mica_kit_copy(&run->arena, order->key),
        .method = mica_kit_copy(&run->arena, mica_text(order->method)),
        .url = mica_kit_copy(&run->arena, order->url),
        .headers = write_headers(run, order),
        .body = mica_kit_copy(&run->arena, order->body)};
    outcome->fetches = run->fetched;
}

static enum mica_status
answer_give(const struct mica_kit_fetch *fetch,
            const struct mica_fetch_order *order, struct mica_error *error,
            struct mica_fetch_reply *reply_out)
{
    if (fetch->fails != MICA_OK)
        return mica_error_set(error, fetch->fails, "", "%s",
                              mica_status_meaning(fetch->fails));
    if (fetch->body.len > order->limit_bytes)
        return mica_error_set(error, MICA_E_FETCH_SIZE, "",
                              "the answer has more than %zu bytes; raise "
                              ".limit_bytes, or ask for less",
                              order->limit_bytes);
    *reply_out = (struct mica_fetch_reply){fetch->status, fetch->body};
    return MICA_OK;
}

enum mica_status
mica_kit_fetch_send(void *data, const struct mica_fetch_order *order,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_fetch_reply *reply_out)
{
    struct mica_mock *mock = data;
    struct mica_run *run = mock->run;
    const struct mica_kit_fetch *fetch = script_take(mock, order);

    (void)arena;
    note_fetch(run, order);
    if (strcmp(order->method, "GET") != 0 && strcmp(order->method, "HEAD") != 0)
        (void)mica_mock_effect(mock, order->key);
    if (fetch != NULL)
        return answer_give(fetch, order, error, reply_out);
    mica_kit_fail(run->here,
                  "%sthe tool sends a request that the test does not answer: "
                  "%s %.*s; say what is answered with mica_mock_fetch",
                  run->moment, order->method, MICA_ARG(order->url));
    return mica_error_set(error, MICA_E_FETCH, "",
                          "the test has no answer to %s %.*s", order->method,
                          MICA_ARG(order->url));
}
