// SPDX-License-Identifier: Apache-2.0
//
// The states of an exchange: which moves there are, and that a build with
// MICA_DEBUG stops at any other, at a broken invariant, and at a thread that moves
// what it does not own. Compiled with MICA_DEBUG in every build.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "http/http.h"
#include "stops.h"

enum {
    STATES = MICA_EXCHANGE_SENT + 1
};

// By from and to, in the order of the enum.
static const char *const table[STATES] = {
    // FHBSTLWMRE: Free Head Body Step sTore Login Work streaM Reply sEnt
    ".x........", // FREE
    "..x.....xx", // HEAD
    "...x....xx", // BODY
    "....xxxxxx", // STEP
    "...x..x.x.", // STORE
    "...x....x.", // LOGIN
    "...x....x.", // WORK
    ".........x", // STREAM
    ".........x", // REPLY
    "x.........", // SENT
};

static struct mica_http_exchange exchange;
static struct mica_link link_of;
static const struct mica_route route;
static struct mica_reader reader;

// Makes it one that can be in any state on its way, on this thread.
static void
set(enum mica_exchange_state state)
{
    memset(&exchange, 0, sizeof exchange);
    exchange.io_thread = pthread_self();
    exchange.state = state;
    atomic_init(&exchange.references, 1);
}

// Gives it what the state that it moves to needs.
static void
fit(enum mica_exchange_state state)
{
    if (state == MICA_EXCHANGE_FREE || state == MICA_EXCHANGE_HEAD)
        return;
    exchange.connection = (void *)&link_of; // only compared with NULL
    exchange.link = &link_of;
    exchange.route = &route;
    exchange.stage = state == MICA_EXCHANGE_STORE || state == MICA_EXCHANGE_WORK
                         ? MICA_MESSAGE_BEGUN
                         : MICA_MESSAGE_NONE;
    exchange.reader = state == MICA_EXCHANGE_STREAM ? &reader : NULL;
}

START_TEST(the_table_has_these_moves)
{
    ck_assert_uint_eq(mica_exchange_states.count, STATES);
    for (unsigned from = 0; from < STATES; from++) {
        for (unsigned to = 0; to < STATES; to++)
            ck_assert_msg(mica_states_allow(&mica_exchange_states, from, to) ==
                              (table[from][to] == 'x'),
                          "%s -> %s",
                          mica_states_name(&mica_exchange_states, from),
                          mica_states_name(&mica_exchange_states, to));
    }
}
END_TEST

START_TEST(each_allowed_move_is_made)
{
    for (unsigned from = 0; from < STATES; from++) {
        for (unsigned to = 0; to < STATES; to++) {
            if (table[from][to] != 'x')
                continue;
            set((enum mica_exchange_state)from);
            fit((enum mica_exchange_state)to);
            mica_exchange_move(&exchange, (enum mica_exchange_state)to);
            ck_assert_uint_eq(exchange.state, to);
        }
    }
}
END_TEST

static void
move(void *data)
{
    mica_exchange_move(&exchange, *(enum mica_exchange_state *)data);
}

START_TEST(each_other_move_aborts)
{
    char line[256];

    for (unsigned from = 0; from < STATES; from++) {
        for (unsigned to = 0; to < STATES; to++) {
            enum mica_exchange_state state = (enum mica_exchange_state)to;
            if (table[from][to] == 'x')
                continue;
            set((enum mica_exchange_state)from);
            fit(state);
            (void)snprintf(
                line, sizeof line,
                "mica: exchange: %s -> %s: the table does not have this move",
                mica_states_name(&mica_exchange_states, from),
                mica_states_name(&mica_exchange_states, to));
            check_aborts(move, &state, line);
        }
    }
}
END_TEST

START_TEST(a_broken_invariant_aborts)
{
    enum mica_exchange_state state = MICA_EXCHANGE_WORK;

    set(MICA_EXCHANGE_STEP);
    fit(state);
    exchange.stage = MICA_MESSAGE_NONE;
    check_aborts(
        move, &state,
        "mica: exchange: STEP -> WORK: another thread needs a message, "
        "and no stream yet");
    state = MICA_EXCHANGE_STEP;
    set(MICA_EXCHANGE_BODY);
    fit(state);
    exchange.connection = NULL;
    check_aborts(
        move, &state,
        "mica: exchange: BODY -> STEP: the connection, its link or the "
        "route is missing");
    fit(state);
    atomic_store(&exchange.references, 0);
    check_aborts(move, &state,
                 "mica: exchange: BODY -> STEP: it has no holder");
    state = MICA_EXCHANGE_FREE;
    set(MICA_EXCHANGE_SENT);
    exchange.counted = 1;
    check_aborts(move, &state,
                 "mica: exchange: SENT -> FREE: a free exchange has a message "
                 "or the memory of a body");
    exchange.counted = 0;
    exchange.held = (void *)&link_of; // only compared with NULL
    check_aborts(move, &state,
                 "mica: exchange: SENT -> FREE: a free exchange holds an "
                 "endpoint");
}
END_TEST

// The store thread looks for the endpoint of a request before its message begins.
START_TEST(a_message_waits_for_its_endpoint)
{
    enum mica_exchange_state state = MICA_EXCHANGE_STORE;

    set(MICA_EXCHANGE_STEP);
    fit(state);
    exchange.place = MICA_PLACE_UNLOADED;
    check_aborts(move, &state,
                 "mica: exchange: STEP -> STORE: a message has begun before "
                 "its endpoint is known");
    exchange.stage = MICA_MESSAGE_NONE;
    move(&state);
    ck_assert_uint_eq(exchange.state, MICA_EXCHANGE_STORE);
}
END_TEST

static void *
move_there(void *data)
{
    move(data);
    return NULL;
}

static void
move_elsewhere(void *data)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, move_there, data) == 0)
        pthread_join(thread, NULL);
}

START_TEST(only_the_owner_moves_it)
{
    enum mica_exchange_state state = MICA_EXCHANGE_STEP;

    set(MICA_EXCHANGE_BODY);
    fit(state);
    check_aborts(move_elsewhere, &state,
                 "mica: exchange: BODY -> STEP: it was moved by a thread that "
                 "does not own it");
    set(MICA_EXCHANGE_WORK); // handed over
    fit(state);
    move_elsewhere(&state);
    ck_assert_uint_eq(exchange.state, MICA_EXCHANGE_STEP);
}
END_TEST

UNIT_MAIN("exchange_state", the_table_has_these_moves,
          each_allowed_move_is_made, each_other_move_aborts,
          a_broken_invariant_aborts, a_message_waits_for_its_endpoint,
          only_the_owner_moves_it)
