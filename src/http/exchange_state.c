// SPDX-License-Identifier: Apache-2.0
//
// The states of an exchange: one HTTP request, from its first byte until the last
// holder releases it.
//
//     FREE <---------------------------------------------------+
//      | removed from the list                                 | the last holder
//      v                                                       | releases it
//     HEAD --- refused for its headers -------------+          |
//      | its body is read                           |          |
//      v                                            v          |
//     BODY --- refused for its size ------------> REPLY ----> SENT
//      | whole                                     ^ ^         ^
//      v                                           | |         |
//     STEP --- answered at once -------------------+ |         |
//      | | ^                                         |         |
//      | | +-- a stream, or another step ----+       |         |
//      | |                                   |       |         |
//      | +---> STORE, WORK (STORE -> WORK),--+-------+         |
//      |       LOGIN: suspended, on another thread             |
//      +-----> STREAM -----------------------------------------+
//                 the stream is queued
//
// Each state but STORE, LOGIN and WORK also goes to SENT when the connection closes. A
// suspended connection does not close: libmicrohttpd completes it only after it was
// resumed. How the connection ended (open, gone, late) is not a state but `ending`. When
// a reader replaces the exchange (stream_reader.c), the exchange goes to SENT at once.
//
// Owners: the I/O thread of the connection; in STORE the store thread, or for an answer of
// a client the worker that takes it; in LOGIN the login thread, in WORK a worker; from SENT the thread that releases it last.
#include "http/exchange_state.h"

#include "http/http.h"
#include "serve/abort.h"

#define BIT(state) MICA_STATE_BIT(MICA_EXCHANGE_##state)

static const uint32_t exchange_moves[] = {
    [MICA_EXCHANGE_FREE] = BIT(HEAD),
    [MICA_EXCHANGE_HEAD] = BIT(BODY) | BIT(REPLY) | BIT(SENT),
    [MICA_EXCHANGE_BODY] = BIT(STEP) | BIT(REPLY) | BIT(SENT),
    [MICA_EXCHANGE_STEP] = BIT(STORE) | BIT(LOGIN) | BIT(WORK) | BIT(STREAM) |
                           BIT(REPLY) | BIT(SENT),
    [MICA_EXCHANGE_STORE] = BIT(STEP) | BIT(WORK) | BIT(REPLY),
    [MICA_EXCHANGE_LOGIN] = BIT(STEP) | BIT(REPLY),
    [MICA_EXCHANGE_WORK] = BIT(STEP) | BIT(REPLY),
    [MICA_EXCHANGE_STREAM] = BIT(SENT),
    [MICA_EXCHANGE_REPLY] = BIT(SENT),
    [MICA_EXCHANGE_SENT] = BIT(FREE)};

static const char *const exchange_names[] = {"FREE",  "HEAD",  "BODY", "STEP",
                                             "STORE", "LOGIN", "WORK", "STREAM",
                                             "REPLY", "SENT"};

const struct mica_states mica_exchange_states = {.namez = "exchange",
                                                 .names = exchange_names,
                                                 .moves = exchange_moves,
                                                 .count =
                                                     MICA_COUNT(exchange_moves),
                                                 .stop = mica_abort_with};

#ifdef MICA_DEBUG

static bool
is_io_threads(enum mica_exchange_state state)
{
    return state != MICA_EXCHANGE_FREE && state != MICA_EXCHANGE_STORE &&
           state != MICA_EXCHANGE_LOGIN && state != MICA_EXCHANGE_WORK &&
           state != MICA_EXCHANGE_SENT;
}

// Returns which invariant a free exchange breaks, or NULL.
static const char *
find_broken_free(const struct mica_http_exchange *exchange)
{
    if (exchange->connection != NULL || exchange->reader != NULL)
        return "a free exchange has a connection or a reader";
    if (exchange->stream != NULL || exchange->opened != NULL)
        return "a free exchange has a stream";
    if (exchange->stage != MICA_MESSAGE_NONE || exchange->counted > 0)
        return "a free exchange has a message or the memory of a body";
    if (exchange->held != NULL)
        return "a free exchange holds an endpoint";
    return NULL;
}

// The same while the request is being read.
static const char *
find_broken_read(const struct mica_http_exchange *exchange)
{
    if (atomic_load(&exchange->references) != 1 || exchange->reader != NULL)
        return "another thread holds a request that is still read";
    if (exchange->stage != MICA_MESSAGE_NONE || exchange->stream != NULL)
        return "a request that is still read has a message or a stream";
    return NULL;
}

// The same from its whole head on, until the connection is done with it.
static const char *
find_broken_open(const struct mica_http_exchange *exchange)
{
    if (exchange->connection == NULL || exchange->link == NULL ||
        exchange->route == NULL)
        return "the connection, its link or the route is missing";
    if (atomic_load(&exchange->references) == 0)
        return "it has no holder";
    if (exchange->stream != NULL && exchange->opened != NULL)
        return "it has two streams";
    return NULL;
}

// The same while another thread has the exchange. The store thread looks for the endpoint
// of a request, and for the documents of an app, before there is a message.
static const char *
find_broken_hand_over(const struct mica_http_exchange *exchange,
                      enum mica_exchange_state state, bool streams)
{
    bool is_begun = exchange->stage != MICA_MESSAGE_NONE;
    bool is_early = state == MICA_EXCHANGE_STORE &&
                    (exchange->place == MICA_PLACE_UNLOADED ||
                     (exchange->route->reach & MICA_ROUTE_OF_APP) != 0);
    // An act; those that are calls (app_call.h) have a message.
    bool is_act = state == MICA_EXCHANGE_WORK && exchange->route->speaks_apps &&
                  !is_begun;

    if (is_early || is_act)
        return is_begun || streams
                   ? "a message has begun before its endpoint is known"
                   : NULL;
    return !is_begun || streams
               ? "another thread needs a message, and no stream yet"
               : NULL;
}

// The same for each state. Only the owner may call this.
static const char *
find_broken_state(const struct mica_http_exchange *exchange,
                  enum mica_exchange_state state)
{
    bool streams = exchange->reader != NULL || exchange->stream != NULL;

    switch (state) {
    case MICA_EXCHANGE_FREE:
        return find_broken_free(exchange);
    case MICA_EXCHANGE_HEAD:
    case MICA_EXCHANGE_BODY:
        return find_broken_read(exchange);
    case MICA_EXCHANGE_STEP:
        return exchange->refused != 0 ? "a refused request goes further" : NULL;
    case MICA_EXCHANGE_LOGIN:
        return exchange->stage != MICA_MESSAGE_NONE || streams
                   ? "a message has begun before its caller is known"
                   : NULL;
    case MICA_EXCHANGE_STORE:
    case MICA_EXCHANGE_WORK:
        return find_broken_hand_over(exchange, state, streams);
    case MICA_EXCHANGE_STREAM:
        return !streams ? "there is no stream" : NULL;
    case MICA_EXCHANGE_REPLY:
        return exchange->stream != NULL ? "a stream answers already" : NULL;
    case MICA_EXCHANGE_SENT:
        break;
    }
    return NULL;
}

static const char *
find_broken(const struct mica_http_exchange *exchange,
            enum mica_exchange_state state)
{
    const char *brokenz = find_broken_state(exchange, state);

    if (is_io_threads(exchange->state) &&
        !pthread_equal(exchange->io_thread, pthread_self()))
        return "it was moved by a thread that does not own it";
    if (brokenz == NULL && state > MICA_EXCHANGE_HEAD &&
        state < MICA_EXCHANGE_SENT)
        brokenz = find_broken_open(exchange);
    return brokenz;
}

#endif

void
mica_exchange_move(struct mica_http_exchange *exchange,
                   enum mica_exchange_state state)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_exchange_states, exchange->state, state,
                      find_broken(exchange, state));
    if (state == MICA_EXCHANGE_HEAD)
        exchange->io_thread = pthread_self();
#endif
    exchange->state = state;
}
