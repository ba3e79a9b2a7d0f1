// SPDX-License-Identifier: Apache-2.0
//
// Legacy sessions in a rough world: servers over HTTP that die, hang and cannot
// write, connections that break, and clients that come back. What is demanded of
// every run: a client that keeps trying ends with one of the results that its answers
// allow, effects are single, each question has one answer, and in the end there
// is nothing left, in the store or in a server.
#include <unistd.h>

#include "../unit/unit.h"
#include "call/journal.h"
#include "store/store.h"
#include "talker.h"

enum {
    ENOUGH = 20, // runs, for all that may go wrong
    MOST_STEPS = 4000000,
    MINUTE_MS = 60000,
    DAY_MS = 24 * 60 * MINUTE_MS
};

static const char *const revisions[] = {"2025-11-25", "2025-06-18"};

// ---- After a run ---------------------------------------------------------------------

// For so long.
static void
advance(int64_t ms)
{
    int64_t until = atomic_load(&world.now) + ms;

    for (int i = 0; i < MOST_STEPS && atomic_load(&world.now) < until; i++) {
        if (!sim_step())
            return;
    }
}

// NULL: it may have had any end.
static const char *
expect(const struct sim_talker *talker)
{
    const struct sim_tool *tool = talker->person.tool;

    if (talker->mood == SIM_PATIENT)
        return tool->expect(&talker->person);
    if (talker->mood != SIM_SILENT && talker->mood != SIM_REFUSES)
        return NULL;
    if (tool->otherwise != NULL)
        return tool->otherwise;
    return talker->mood == SIM_SILENT ? "TIMEOUT: " : "CLIENT_ERROR: ";
}

static void
check_end(struct sim_talker *talker)
{
    struct sim_person *person = &talker->person;
    const char *expected = expect(talker);

    // Of a call that was begun once the effects are known to the last.
    person->has_key = talker->calls == 1 && cluster.repeated == 0;
    if (expected == NULL)
        return;
    SIM_MUST(strstr(talker->end, expected) != NULL,
             "client %d of %s got %s instead of %s", person->number,
             person->tool->tool->name, talker->end, expected);
    if (talker->mood == SIM_PATIENT && person->has_key)
        person->tool->check(person);
}

static bool
was_said(const struct sim_question *question, struct mica_text answer)
{
    for (size_t i = 0; i < SIM_ANSWERS && question->answers[i] != NULL; i++) {
        if (mica_text_is(answer, question->answers[i]))
            return true;
    }
    return false;
}

// JOURNAL-2 says that there is one. It is one that the client gave, before it was told
// that it had been taken.
static void
check_answer(const struct sim_talker *talker,
             const struct sim_question *question)
{
    struct mica_text id = mica_text(question->id);
    size_t dot = strcspn(question->id, ".");
    const struct sim_call *known = sim_call_of(mica_text_slice(id, 0, dot));
    uint32_t number = (uint32_t)strtoul(question->id + dot + 1, NULL, 10);
    struct mica_journal journal;
    struct mica_arena arena;
    const struct mica_entry *entry;

    mica_arena_init(&arena, 8 << 20);
    SIM_MUST(mica_journal_read(&journal, &arena, known->journal, NULL) ==
                 MICA_OK,
             "%s has no journal", question->id);
    entry = &journal.entries[number];
    if (entry->answer != 0) {
        entry = &journal.entries[entry->answer - 1];
        SIM_MUST(entry->status == MICA_E_TIMEOUT ||
                     entry->status == MICA_E_DISCONNECTED ||
                     entry->status == MICA_E_CANCELLED ||
                     was_said(question, entry->data),
                 "client %d never answered %s with %.*s", talker->person.number,
                 question->id, MICA_ARG(entry->data));
    }
    mica_arena_fini(&arena);
}

static void
check_talker(struct sim_talker *talker)
{
    check_end(talker);
    for (size_t i = 0; i < talker->question_count; i++)
        check_answer(talker, &talker->questions[i]);
}

static size_t
fault_count(void)
{
    size_t count = 0;

    for (unsigned i = SIM_CRASH; i < SIM_FAULTS; i++)
        count += cluster.faults[i];
    return count;
}

static struct mica_store_statistics
statistics(void)
{
    struct mica_store_statistics now;
    struct mica_error error;

    // A process that crashes, or learns no outcome, leaves changes out of the totals.
    // The store counts them anew once it has proved the death and nothing else is under
    // way; the simulation proves no death, so it counts itself. Without a fault the
    // totals are exact.
    if (fault_count() > 0)
        SIM_MUST(mica_store_totals_recount(sim_store(), &error) == MICA_OK,
                 "%s", error.message);
    SIM_MUST(mica_store_statistics(sim_store(), &error, &now) == MICA_OK, "%s",
             error.message);
    return now;
}

// Abandoned calls end when their time is over, with their clean-ups.
static void
check_settled(void)
{
    for (int i = 0; i < 100 && statistics().open_calls > 0; i++) {
        advance(MINUTE_MS);
        if (i > 15) // none of them is asked for so long
            sim_jump(10 * MINUTE_MS);
    }
    SIM_MUST(statistics().open_calls == 0, "%lld calls never end",
             (long long)statistics().open_calls);
    SIM_MUST(sim_effects_named("reserve") == sim_effects_named("unreserve"),
             "%d reserved, %d given back", sim_effects_named("reserve"),
             sim_effects_named("unreserve"));
    SIM_MUST(sim_locks() == 0, "%d environments stay locked", sim_locks());
}

static const struct mica_store_operation row_counts[] = {
#define COUNT_OF(table)                                          \
    {                                                            \
        .name = table, .takes = "", .steps = {                   \
            {.sql = "SELECT count(*) FROM " table, .gives = "n"} \
        }                                                        \
    }
    COUNT_OF("sessions"),     COUNT_OF("parties"), COUNT_OF("streams"),
    COUNT_OF("events"),       COUNT_OF("calls"),   COUNT_OF("claims"),
    COUNT_OF("rounds"),       COUNT_OF("callers"), COUNT_OF("call_keys"),
    COUNT_OF("subscriptions")};

static int64_t
rows_of(const struct mica_store_operation *operation)
{
    const union mica_store_value none[1] = {{.number = 0}};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_error error;
    struct mica_arena arena;
    unsigned refusal;
    int64_t count;

    mica_arena_init(&arena, 1 << 12);
    SIM_MUST(mica_store_do(sim_store(), operation, none, given, &arena, &error,
                           &refusal) == MICA_OK,
             "%s", error.message);
    count = mica_store_given_row(&given[0], 0)[0].number;
    mica_arena_fini(&arena);
    return count;
}

// A day later all has expired, and a process has swept. Processes stay known: a file
// keeps those that have not proved dead.
static void
check_empty(void)
{
    struct mica_store_statistics now;

    sim_jump(DAY_MS + MINUTE_MS);
    advance((int64_t)5 * MINUTE_MS);
    for (unsigned i = 0; i < MICA_COUNT(row_counts); i++)
        SIM_MUST(rows_of(&row_counts[i]) == 0, "%lld rows are left in %s",
                 (long long)rows_of(&row_counts[i]), row_counts[i].name);
    now = statistics();
    SIM_MUST(now.sessions == 0 && now.streams == 0 && now.events == 0 &&
                 now.event_bytes == 0 && now.calls == 0 &&
                 now.call_bytes == 0 && now.rounds == 0,
             "the store counts what is not there");
}

static void
wait_for_talkers(void)
{
    for (int i = 0; i < MOST_STEPS && !sim_talkers_done(); i++)
        SIM_MUST(sim_step(), "nothing happens any more");
    SIM_MUST(sim_talkers_done(), "a client has no end");
}

static void
finish_run(void)
{
    int64_t now = atomic_load(&world.now);

    sim_talkers_leave();
    cluster.rough = false;
    cluster.fault_at = cluster.break_at = -1;
    advance(now < cluster.heals ? cluster.heals - now : 0);
    advance(MINUTE_MS); // what is down starts again
    check_settled();
    for (size_t i = 0; i < talkers.count; i++)
        check_talker(&talkers.all[i]);
    check_empty();
    sim_cluster_end();
    advance(MINUTE_MS); // what is on its way
    sim_talkers_end();
    sim_wire_end();
    sim_threads_end();
}

static void
begin_run(uint64_t seed, size_t hosts, const char *path)
{
    sim_chance_begin();
    sim_world_begin(seed);
    sim_threads_begin();
    sim_wire_begin(sim_talker_hears);
    sim_talkers_begin();
    sim_cluster_begin(hosts, path);
}

// ---- Everything at once ----------------------------------------------------------------

static enum sim_mood
some_mood(void)
{
    return sim_one_in(2) ? SIM_PATIENT
                         : (enum sim_mood)(sim_random() % (SIM_VANISHES + 1));
}

static void
live(uint64_t seed, const char *path)
{
    begin_run(seed, SIM_HOSTS, path);
    cluster.rough = true;
    cluster.one_in = 10 + (unsigned)(sim_random() % 30);
    cluster.heals = atomic_load(&world.now) + MINUTE_MS +
                    (int64_t)(sim_random() % (2 * MINUTE_MS));
    threads.restless = 4 + (unsigned)(sim_random() % 12);
    talkers.curious = true;
    for (int i = 0; i < SIM_TALKERS; i++)
        sim_talker_begin(&sim_tools[sim_random() % (sim_tool_count - 1)],
                         some_mood(), revisions[sim_random() % 2]);
    sim_hosts_change();
    wait_for_talkers();
    finish_run();
}

static void
live_often(uint64_t runs, const char *path)
{
    uint64_t first = sim_wanted("MICA_SIM_SEED", 1);
    size_t faults[SIM_FAULTS] = {0}, broken = 0, resumed = 0, again = 0,
           pinged = 0;

    for (uint64_t i = 0; i < runs; i++) {
        snprintf(sim_title, sizeof sim_title, "seed %llu",
                 (unsigned long long)(first + i));
        if (path != NULL)
            (void)remove(path);
        live(first + i, path);
        for (unsigned j = 0; j < SIM_FAULTS; j++)
            faults[j] += cluster.faults[j];
        broken += cluster.broken;
        resumed += talkers.resumed;
        again += talkers.asked_again;
        pinged += talkers.pinged;
    }
    if (path != NULL)
        (void)remove(path);
    if (runs < ENOUGH)
        return;
    // Each of them has been there.
    for (unsigned j = SIM_CRASH; j < SIM_FAULTS; j++)
        ck_assert_uint_gt(faults[j], runs / 2);
    ck_assert_uint_gt(broken, runs);
    ck_assert_uint_gt(resumed, runs);
    ck_assert_uint_gt(again, runs / 10);
    ck_assert_uint_gt(pinged, 0);
}

START_TEST(sessions_in_a_rough_world_come_to_the_results_of_a_smooth_one)
{
    live_often(sim_wanted("MICA_SIM_RUNS", 300 / SIM_SLOWLY), NULL);
}
END_TEST

START_TEST(sessions_in_a_rough_world_on_one_file)
{
    // Of its own: a store is refused in a folder that others may write.
    char folder[] = "/tmp/mica-sim-XXXXXX";
    char path[64], nodes[80];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mica.db", folder);
    live_often(sim_wanted("MICA_SIM_RUNS", 300 / SIM_SLOWLY) / 20, path);
    snprintf(nodes, sizeof nodes, "%s-nodes", path);
    (void)remove(nodes);
    (void)rmdir(folder);
}
END_TEST

// ---- One thing at a time ---------------------------------------------------------------

// One client, and one fault, or one broken connection; or with at = 0 none. How many
// there could be.
static long
conversation(const struct sim_tool *tool, uint64_t seed, enum sim_fault fault,
             long at)
{
    static size_t notified; // when nothing is wrong
    const struct sim_talker *talker = &talkers.all[0];
    long points;

    begin_run(seed, SIM_HOSTS, NULL);
    snprintf(sim_title, sizeof sim_title, "%s, seed %llu, fault %d at %ld",
             tool->tool->name, (unsigned long long)seed, (int)fault, at);
    cluster.fault = fault;
    if (fault == SIM_NOTHING)
        cluster.break_at = at;
    else
        cluster.fault_at = at;
    sim_talker_begin(tool, SIM_PATIENT, revisions[seed % 2]);
    wait_for_talkers();
    points = fault == SIM_NOTHING ? cluster.chunks : cluster.points;
    if (at == 0)
        notified = talker->notified;
    SIM_MUST(fault != SIM_NOTHING || talker->calls > 1 ||
                 talker->notified == notified,
             "%zu notifications instead of %zu", talker->notified, notified);
    finish_run();
    return points;
}

static void
converse_with_each_fault(const char *name)
{
    uint64_t seeds = sim_wanted("MICA_SIM_SEEDS", 2); // one for each revision
    long stride = (long)sim_wanted("MICA_SIM_STRIDE", SIM_SLOWLY);
    const struct sim_tool *tool = sim_tool_of(name);

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        (void)conversation(tool, seed, SIM_NOTHING, 0);
        for (unsigned fault = SIM_NOTHING; fault < SIM_FAULTS; fault++) {
            for (long at = 1;
                 at <= conversation(tool, seed, (enum sim_fault)fault, at);
                 at += stride)
                ck_assert_int_lt(at, 2000);
        }
    }
}

#define EACH(name_)                                           \
    START_TEST(each_fault_at_each_point_of_a_session_##name_) \
    {                                                         \
        converse_with_each_fault(#name_);                     \
    }                                                         \
    END_TEST
EACH(asks)
EACH(orders)
EACH(pays)
EACH(hires)
EACH(forgets)
EACH(defaults)
EACH(book_flight)
EACH(deploy_approval)
EACH(import)
EACH(survey)

// Of one seed there is one run, whatever was before it.
START_TEST(a_run_can_be_repeated)
{
    static char first[sizeof world.trace];
    size_t points = 0;

    for (int i = 0; i < 3; i++) {
        live(7, NULL);
        if (i == 0) {
            memcpy(first, world.trace, sizeof first);
            points = (size_t)cluster.points;
        }
        ck_assert_str_eq(first, world.trace);
        ck_assert_uint_eq(points, (size_t)cluster.points);
        live(100 + (uint64_t)i, NULL);
    }
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {
        each_fault_at_each_point_of_a_session_asks,
        each_fault_at_each_point_of_a_session_orders,
        each_fault_at_each_point_of_a_session_pays,
        each_fault_at_each_point_of_a_session_hires,
        each_fault_at_each_point_of_a_session_forgets,
        each_fault_at_each_point_of_a_session_defaults,
        each_fault_at_each_point_of_a_session_book_flight,
        each_fault_at_each_point_of_a_session_deploy_approval,
        each_fault_at_each_point_of_a_session_import,
        each_fault_at_each_point_of_a_session_survey,
        a_run_can_be_repeated,
        sessions_in_a_rough_world_come_to_the_results_of_a_smooth_one,
        sessions_in_a_rough_world_on_one_file,
    };

    return unit_run("sessions", tests, MICA_COUNT(tests));
}
