// SPDX-License-Identifier: Apache-2.0
//
// Stands in for tools/lib/timetable.c and for the database of book_flight: flights that
// are known, and what its steps do is counted.
#include <string.h>

#include "../../tools/lib/timetable.h"
#include "call/keep_provider.h"
#include "server/server.h"
#include "world.h"

// Clients ask for a flight to their own number; it comes first in the name of a
// session, so that all that follows is known to be theirs.
static int64_t searching;

size_t
timetable_search(struct mica_text destination, struct mica_date date,
                 struct timetable_flight flights_out[TIMETABLE_FLIGHTS])
{
    (void)date;
    SIM_MUST(mica_integer_read(destination, &searching), "no number");
    flights_out[0] = (struct timetable_flight){"MC1", "07:00", "09:00", 9900};
    flights_out[1] = (struct timetable_flight){"MC2", "17:00", "19:00", 8800};
    return 2;
}

static int64_t
owner_of(struct mica_text session)
{
    static struct {
        char session[200];
        int64_t who;
    } known[SIM_EFFECTS];
    static size_t next;

    for (size_t i = 0; i < MICA_COUNT(known); i++) {
        if (mica_text_is(session, known[i].session))
            return known[i].who;
    }
    snprintf(known[next].session, sizeof known[next].session, "%.*s",
             MICA_ARG(session));
    known[next].who = searching;
    next = (next + 1) % MICA_COUNT(known);
    return searching;
}

// An effect beside the first one of a step.
static void
effect_beside(struct mica_text step, const char *name, int64_t who)
{
    char key[200];

    snprintf(key, sizeof key, "%.*s %s", MICA_ARG(step), name);
    sim_effect_of_key(mica_text(key), name, who);
}

// Each order of book_flight begins with the statement that says what it is; its first
// value is the session.
static enum mica_status
provider_run(void *data, const struct mica_keep_order *order,
             struct mica_arena *arena, struct mica_error *error)
{
    struct mica_buffer answer;
    const char *sql = order->run[0].text;
    int64_t who;

    (void)data;
    if (strstr(sql, "INSERT INTO bookings") != NULL) {
        who = owner_of(order->run[0].values[0].text);
        sim_effect_of_key(order->key, "book", who);
        effect_beside(order->key, "confirmed", who);
    } else {
        bool begins = strstr(sql, "INSERT INTO sessions") != NULL;
        who = owner_of(order->run[0].values[0].text);
        // A clean-up changes nothing that a client could notice: what ended well is
        // not searching any more.
        if (strstr(sql, "status = 'searching'") == NULL)
            sim_effect_of_key(order->key, begins ? "searching" : "cancelled",
                              who);
    }
    mica_buffer_init(&answer, arena, 256);
    mica_buffer_format(&answer, "{\"rows\":[{\"number\":%lld}],\"changes\":1}",
                       (long long)(1000 + who));
    return order->read(order->data, mica_buffer_as_text(&answer), error);
}

void
sim_offer_keep(struct mica_server *server)
{
    static struct mica_keep_provider provider = {.run = provider_run};
    struct mica_error error;

    SIM_MUST(mica_registry_keep_service(&server->registry, MICA_KEEP_SERVICE,
                                        &provider, NULL, &error) == MICA_OK,
             "%s", error.message);
}
