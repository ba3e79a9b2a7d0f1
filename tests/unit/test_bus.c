// SPDX-License-Identifier: Apache-2.0
//
// The bus of changes: all subscribers are told, bursts are merged, a subscriber that leaves is left
// alone, and it works from many threads at once.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "platform/clock.h"
#include "serve/bus.h"
#include "unit.h"

enum {
    GATHER_NS = 5000000 // what comes within is told together
};

struct ear {
    struct mica_subscriber subscriber;
    atomic_int lists[MICA_CHANGED_CONTENTS], contents, any, exchanges;
};

static void
hear(void *data, const struct mica_change *change)
{
    struct ear *ear = data;

    if (change->kind != MICA_CHANGED_CONTENTS)
        atomic_fetch_add(&ear->lists[change->kind], 1);
    else
        atomic_fetch_add(change->uri.len > 0 ? &ear->contents : &ear->any, 1);
}

static void
hear_of_exchanges(void *data)
{
    struct ear *ear = data;

    atomic_fetch_add(&ear->exchanges, 1);
}

static struct mica_server *server;
static struct mica_bus *bus;

static void
begin(void)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    struct mica_error error;

    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    ck_assert_int_eq(mica_bus_of(server, &error, &bus), MICA_OK);
}

static void
join(struct ear *ear)
{
    memset(ear, 0, sizeof *ear);
    ear->subscriber = (struct mica_subscriber){.changed = hear, .data = ear};
    ck_assert(mica_bus_join(bus, &ear->subscriber));
}

static void
publish(enum mica_change_kind kind)
{
    struct mica_change change = {.kind = kind};

    server->registry.changed(server->registry.changed_data, &change);
}

static void
await(const atomic_int *counter, int least)
{
    UNIT_AWAIT(atomic_load(counter) >= least);
}

START_TEST(a_server_has_one_bus)
{
    struct mica_bus *again;
    struct mica_error error;

    begin();
    ck_assert_int_eq(mica_bus_of(server, &error, &again), MICA_OK);
    ck_assert_ptr_eq(bus, again);
    publish(MICA_CHANGED_TOOLS); // without a subscriber
    mica_server_close(&server);
}
END_TEST

START_TEST(everybody_is_told_and_only_of_what_comes_after)
{
    static struct ear ears[1000];

    begin();
    publish(MICA_CHANGED_PROMPTS); // before there is a subscriber
    for (size_t i = 0; i < MICA_COUNT(ears); i++)
        join(&ears[i]);
    publish(MICA_CHANGED_TOOLS);
    mica_server_resource_changed(server, "test://a");
    for (size_t i = 0; i < MICA_COUNT(ears); i++) {
        await(&ears[i].lists[MICA_CHANGED_TOOLS], 1);
        await(&ears[i].contents, 1);
        ck_assert_int_eq(atomic_load(&ears[i].lists[MICA_CHANGED_PROMPTS]), 0);
        mica_bus_leave(bus, &ears[i].subscriber);
    }
    ck_assert_uint_eq(mica_bus_count(bus), 0);
    mica_server_close(&server);
}
END_TEST

START_TEST(of_exchanges_those_are_told_who_follow_them)
{
    const struct mica_change change = {.kind = MICA_CHANGED_EXCHANGES};
    static struct ear inspector, client;

    begin();
    join(&client);
    memset(&inspector, 0, sizeof inspector);
    inspector.subscriber = (struct mica_subscriber){
        .changed = hear, .exchanges = hear_of_exchanges, .data = &inspector};
    ck_assert(mica_bus_join(bus, &inspector.subscriber));
    mica_bus_publish(bus, &change);
    await(&inspector.exchanges, 1);
    mica_bus_leave(bus, &inspector.subscriber);
    publish(MICA_CHANGED_TOOLS);
    await(&client.lists[MICA_CHANGED_TOOLS], 1);
    // One change is one call, and none of a kind that clients know.
    ck_assert_int_eq(atomic_load(&inspector.exchanges), 1);
    ck_assert_int_eq(atomic_load(&client.any), 0);
    ck_assert_int_eq(atomic_load(&client.contents), 0);
    for (size_t i = 0; i < MICA_CHANGED_CONTENTS; i++)
        ck_assert_int_eq(atomic_load(&client.lists[i]),
                         i == MICA_CHANGED_TOOLS);
    mica_bus_leave(bus, &client.subscriber);
    mica_server_close(&server);
}
END_TEST

START_TEST(a_burst_is_told_as_few_and_different_ones_all)
{
    static struct ear ear;
    char uri[32];

    begin();
    join(&ear);
    uint64_t began = mica_clock_ns();
    for (int i = 0; i < 1000; i++) {
        publish(MICA_CHANGED_TOOLS);
        mica_server_resource_changed(server, "test://same");
    }
    for (int i = 0; i < 100; i++) {
        (void)snprintf(uri, sizeof uri, "test://%d", i);
        mica_server_resource_changed(server, uri);
    }
    int most = (int)((mica_clock_ns() - began) / GATHER_NS) + 2;
    await(&ear.contents, 101);
    await(&ear.lists[MICA_CHANGED_TOOLS], 1);
    ck_assert_int_le(atomic_load(&ear.lists[MICA_CHANGED_TOOLS]), most);
    ck_assert_int_le(atomic_load(&ear.contents), 100 + most);
    mica_bus_leave(bus, &ear.subscriber);
    mica_server_close(&server);
}
END_TEST

START_TEST(more_uris_than_are_kept_become_any)
{
    static struct ear ear;
    static char uri[9000];

    begin();
    join(&ear);
    // A slow machine tells some before enough have come together.
    for (int round = 0; round < 300 && atomic_load(&ear.any) == 0; round++) {
        for (int i = 0; i < 2000; i++) {
            (void)snprintf(uri, sizeof uri, "test://%08000d", i);
            mica_server_resource_changed(server, uri);
        }
        unit_sleep(20);
    }
    await(&ear.any, 1);
    mica_bus_leave(bus, &ear.subscriber);
    mica_server_close(&server);
}
END_TEST

static void *
come_and_go(void *data)
{
    struct ear ears[8];

    (void)data;
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 8; i++)
            join(&ears[i]);
        publish(MICA_CHANGED_TOOLS);
        for (int i = 0; i < 8; i++)
            mica_bus_leave(bus, &ears[i].subscriber);
        memset(ears, 0xff, sizeof ears); // they must not be called any more
    }
    return NULL;
}

START_TEST(subscribers_come_and_go_while_others_publish)
{
    static struct ear constant;
    pthread_t threads[4];

    begin();
    join(&constant);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, come_and_go, NULL),
                         0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    publish(MICA_CHANGED_PROMPTS);
    await(&constant.lists[MICA_CHANGED_PROMPTS], 1);
    ck_assert_int_ge(atomic_load(&constant.lists[MICA_CHANGED_TOOLS]), 1);
    mica_bus_leave(bus, &constant.subscriber);
    mica_server_close(&server);
}
END_TEST

UNIT_MAIN("bus", a_server_has_one_bus,
          everybody_is_told_and_only_of_what_comes_after,
          of_exchanges_those_are_told_who_follow_them,
          a_burst_is_told_as_few_and_different_ones_all,
          more_uris_than_are_kept_become_any,
          subscribers_come_and_go_while_others_publish)
