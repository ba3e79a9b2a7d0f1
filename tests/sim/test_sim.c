// SPDX-License-Identifier: Apache-2.0
//
// What is demanded of every run: each client ends with one of the results that
// its answers allow, effects are single, what has ended answers the same for
// ever, and no call and no claim is left behind.
#include <unistd.h>

#include "../unit/unit.h"
#include "sim.h"

// ---- After a run ---------------------------------------------------------------------

static const char *
result_of(const char *reply)
{
    const char *result = strstr(reply, "\"result\":");

    return result != NULL ? result : reply;
}

static void
check_end(const struct sim_client *client)
{
    const char *expected = client->person.tool->expect(&client->person);

    SIM_MUST(strstr(client->end, expected) != NULL,
             "client %d of %s got %s instead of %s", client->person.number,
             client->person.tool->tool->name, client->end, expected);
    client->person.tool->check(&client->person);
}

// CALL-3: a client that repeats the last round gets the same reply, from any node.
static void
check_again(struct sim_client *client)
{
    const struct mica_tool *tool = client->person.tool->tool;

    // What is not kept is worked out again, and may tell how long it took.
    if (tool->steps == NULL && tool->phases == NULL && !client->person.has_key)
        return;
    for (size_t i = 0; i < sim.node_count; i++) {
        char *reply = sim_say((int)i, client->last);
        SIM_MUST(reply != NULL && strstr(reply, client->end) != NULL,
                 "client %d got another end, %s, than %s",
                 client->person.number,
                 reply != NULL ? result_of(reply) : "none", client->end);
        free(reply);
    }
}

// Round by round: other answers are not taken any more.
static void
check_superseded(const struct sim_client *client)
{
    char *line, *place, *reply;

    if (client->tasks || client->state == NULL ||
        (client->person.tool->tool->steps == NULL &&
         client->person.tool->tool->phases == NULL))
        return;
    line = strdup(client->last);
    place = strstr(line, "\"inputResponses\":{\"");
    ck_assert_ptr_nonnull(place);
    place[strlen("\"inputResponses\":{\"")] = '~'; // another key
    reply = sim_say(0, line);
    SIM_MUST(reply != NULL && strstr(reply, "STATE_SUPERSEDED") != NULL,
             "other answers of client %d came to %s", client->person.number,
             reply);
    free(reply);
    free(line);
}

static size_t
open_calls(void)
{
    const struct mica_store_call_filter open = {.ended = false};
    struct mica_store_calls list;
    struct mica_arena arena;
    struct mica_error error;
    size_t count;

    mica_arena_init(&arena, 8 << 20);
    memset(&list, 0, sizeof list);
    SIM_MUST(mica_store_call_page(sim.nodes[0]->store, &open,
                                  (struct mica_text){NULL, 0}, 64, &arena,
                                  &error, &list) == MICA_OK,
             "%s", error.message);
    count = list.count;
    mica_arena_fini(&arena);
    return count;
}

// Abandoned calls end when their time is over, with their clean-ups.
static void
check_settled(void)
{
    for (int i = 0; i < 300 && open_calls() > 0; i++) {
        atomic_fetch_add(&world.now, 60000);
        for (size_t n = 0; n < sim.node_count; n++)
            sim_tick_at_once((int)n);
    }
    SIM_MUST(open_calls() == 0, "%zu calls never end", open_calls());
    for (size_t i = 0; i < sim.node_count; i++)
        SIM_MUST(mica_call_store_counts(sim.nodes[i]->call_store).claimed == 0,
                 "node %zu holds a claim", i);
    SIM_MUST(sim_effects_named("reserve") == sim_effects_named("unreserve"),
             "%d reserved, %d given back", sim_effects_named("reserve"),
             sim_effects_named("unreserve"));
    SIM_MUST(sim_locks() == 0, "%d environments stay locked", sim_locks());
}

// No restart or answer on its way brings anything new.
static void
drain(void)
{
    for (int i = 0; i < SIM_EVENTS && sim_step_without_ticks(); i++)
        ;
    for (size_t i = 0; i < sim.node_count; i++) {
        if (sim.nodes[i] == NULL)
            sim_node_open((int)i);
    }
}

static void
check_run(void)
{
    for (size_t i = 0; i < sim.client_count; i++) {
        if (sim.clients[i].end == NULL)
            continue; // it has left
        check_again(&sim.clients[i]);
        check_superseded(&sim.clients[i]);
    }
    check_settled();
    for (size_t i = 0; i < sim.client_count; i++) {
        if (sim.clients[i].end != NULL)
            check_end(&sim.clients[i]);
    }
}

// ---- One fault at every hook -----------------------------------------------------------

static long
conversation(const struct sim_tool *tool, uint64_t seed, bool tasks,
             enum sim_fault kind, long at)
{
    long points;

    sim_begin(seed, SIM_NODES, false);
    sim.fault = kind;
    sim.fault_at = at;
    sim_client_begin(0, tool, tasks, true);
    sim_client_run(&sim.clients[0]);
    sim.fault_at = -1;
    points = sim.points;
    check_run();
    sim_end();
    return points;
}

// A crash leaves the handler where it is, and with it the words that it was about
// to say, which are on the heap. For the leak sanitizer, which asks for this name.
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
    return "leak:^notice_send$\n";
}

static void
converse_with_each_fault(const char *name, uint64_t seeds, bool tasks)
{
    const struct sim_tool *tool = sim_tool_of(name);
    uint64_t stride = sim_wanted("MICA_SIM_STRIDE", SIM_SLOWLY);
    long runs = 0;

    for (uint64_t seed = 1; seed <= seeds; seed += stride) {
        for (unsigned kind = SIM_CRASH; kind < SIM_FAULTS; kind++) {
            enum sim_fault fault = (enum sim_fault)kind;
            for (long at = 1; at <= conversation(tool, seed, tasks, fault, at);
                 at++) {
                ck_assert_int_lt(at, 1000);
                runs++;
            }
        }
    }
    ck_assert_int_gt(runs, 20);
}

#define EACH(name_, seeds_, tasks_)                        \
    START_TEST(each_fault_at_each_hook_of_##name_##tasks_) \
    {                                                      \
        converse_with_each_fault(#name_, seeds_, tasks_);  \
    }                                                      \
    END_TEST
EACH(asks, 20, 0)
EACH(orders, 20, 0)
EACH(pays, 20, 0)
EACH(pays, 20, 1)
EACH(hires, 20, 0)
EACH(forgets, 20, 0)
EACH(defaults, 20, 0)
EACH(book_flight, 20, 0)
EACH(deploy_approval, 20, 0)
EACH(import, 5, 0)
EACH(import, 5, 1)
EACH(survey, 20, 0)

// ---- A client that never comes back --------------------------------------------------

// What a call has done whose client has left when it was asked first.
struct left {
    const char *tool;
    const char *effects[2]; // once each
};

static const struct left lefts[] = {
    {"orders", {"reserve", "unreserve"}},
    {"pays", {"charge"}},
    {"hires", {"charge"}},
    {"forgets", {"charge"}},
    {"defaults", {"charge"}},
    {"book_flight", {"searching"}},
    {"deploy_approval", {"build"}},
};

static bool
stands(const struct left *left, const char *name)
{
    for (size_t i = 0; i < MICA_COUNT(left->effects); i++) {
        if (left->effects[i] != NULL && strcmp(left->effects[i], name) == 0)
            return true;
    }
    return false;
}

// The handler has run once more to its end, and effects are what they were.
static void
check_left(const struct left *left)
{
    for (size_t i = 0; i < world.effect_count; i++)
        SIM_MUST(stands(left, world.effects[i].name),
                 "%s has happened without a request", world.effects[i].name);
    for (size_t i = 0; i < MICA_COUNT(left->effects); i++) {
        if (left->effects[i] != NULL)
            SIM_MUST(sim_effects_named(left->effects[i]) == 1, "%d of %s",
                     sim_effects_named(left->effects[i]), left->effects[i]);
    }
}

// And when it comes after all, it is told what it has come to, by any node: over
// and over the same.
static void
check_late(struct sim_client *client)
{
    const char *late = client->person.tool->otherwise;
    char *first = NULL;

    if (late == NULL)
        late = "TIMEOUT: ";
    if (client->task != NULL) // what it gives now changes nothing
        sim_client_give(client);
    for (int i = 0; i < 4; i++) {
        char *line = sim_client_request(client);
        char *reply = sim_say(i % (int)sim.node_count, line);
        SIM_MUST(reply != NULL && strstr(reply, late) != NULL,
                 "late, client %d hears %s instead of %s",
                 client->person.number,
                 reply != NULL ? result_of(reply) : "nothing", late);
        SIM_MUST(first == NULL ||
                     strcmp(result_of(first), result_of(reply)) == 0,
                 "first %s, then %s", first, reply);
        free(line);
        if (first == NULL)
            first = reply;
        else
            free(reply);
    }
    free(first);
}

// Asked `questions` times, it is gone; then one thing goes wrong.
static long
converse_and_leave(const struct left *left, uint64_t seed, bool tasks,
                   enum sim_fault kind, long at)
{
    struct sim_client *client = &sim.clients[0];
    long points;

    sim_begin(seed, SIM_NODES, false);
    snprintf(sim_title, sizeof sim_title, "%s, seed %llu, fault %d at %ld",
             left->tool, (unsigned long long)seed, (int)kind, at);
    sim_client_begin(0, sim_tool_of(left->tool), tasks, true);
    sim_client_run_until_asked(client);
    sim.points = 0;
    sim.fault = kind;
    sim.fault_at = at;
    check_settled();
    points = sim.points;
    sim.fault_at = -1;
    check_left(left);
    check_late(client);
    check_left(left);
    sim_end();
    return points;
}

static void
leave_with_each_fault(bool tasks)
{
    for (size_t i = 0; i < MICA_COUNT(lefts); i++) {
        const struct sim_tool *tool = sim_tool_of(lefts[i].tool);
        long runs = 0;
        if (tasks && tool->tool->task == MICA_TASK_NEVER)
            continue;
        for (unsigned kind = SIM_CRASH; kind < SIM_FAULTS; kind++) {
            for (long at = 1;
                 at <= converse_and_leave(&lefts[i], 1, tasks,
                                          (enum sim_fault)kind, at);
                 at++) {
                ck_assert_int_lt(at, 1000);
                runs++;
            }
        }
        ck_assert_int_gt(runs, 8);
    }
}

START_TEST(a_client_that_never_comes_back_after_an_effect)
{
    leave_with_each_fault(false);
}
END_TEST

START_TEST(a_task_whose_client_never_comes_back_after_an_effect)
{
    leave_with_each_fault(true);
}
END_TEST

// ---- Everything at once ------------------------------------------------------------------

static void
live(uint64_t seed, bool sqlite)
{
    sim_begin(seed, SIM_NODES, sqlite);
    sim.lively = true;
    sim.heals = atomic_load(&world.now) + 60000;
    sim_post(1000, (struct sim_event){.kind = SIM_TICK});
    for (int i = 0; i < SIM_CLIENTS; i++) {
        const struct sim_tool *tool =
            &sim_tools[sim_random() % (sim_tool_count - 1)];
        bool tasks = tool->tool->task != MICA_TASK_NEVER && sim_one_in(2);
        sim_client_begin(i, tool, tasks, sim_one_in(2));
        if (sim_one_in(6))
            sim.clients[i].leaves = 1 + (int)(sim_random() % 3);
    }
    for (int i = 0; i < 50000 && !sim_all_done(); i++)
        (void)sim_step();
    SIM_MUST(sim_all_done(), "a client has no end");
    atomic_store(&world.now, atomic_load(&world.now) > sim.heals
                                 ? atomic_load(&world.now)
                                 : sim.heals);
    drain();
    atomic_fetch_add(&world.now, SIM_LEASE_MS);
    check_run();
    sim_end();
}

static void
live_often(uint64_t runs, bool sqlite)
{
    size_t crashes = 0, errors = 0, intrusions = 0, hangs = 0;

    for (uint64_t i = 0; i < runs; i++) {
        snprintf(sim_title, sizeof sim_title, "seed %llu",
                 (unsigned long long)(sim_wanted("MICA_SIM_SEED", 1) + i));
        live(sim_wanted("MICA_SIM_SEED", 1) + i, sqlite);
        crashes += sim.crashes;
        errors += sim.errors;
        intrusions += sim.intrusions;
        hangs += sim.hangs;
    }
    // Each of them has been there.
    ck_assert_uint_gt(crashes, runs / 2);
    ck_assert_uint_gt(errors, runs / 2);
    ck_assert_uint_gt(intrusions, runs / 2);
    ck_assert_uint_gt(hangs, runs / 4);
}

START_TEST(a_rough_world_comes_to_the_results_of_a_smooth_one)
{
    live_often(sim_wanted("MICA_SIM_RUNS", 2000 / SIM_SLOWLY), false);
}
END_TEST

START_TEST(a_rough_world_on_one_file)
{
    // Of its own: a store is refused in a folder that others may write.
    char folder[] = "/tmp/mica-sim-XXXXXX";
    char path[64], nodes[80];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mica.db", folder);
    snprintf(sim.path, sizeof sim.path, "%s", path);
    live_often(sim_wanted("MICA_SIM_RUNS", 2000 / SIM_SLOWLY) / 20, true);
    snprintf(nodes, sizeof nodes, "%s-nodes", path);
    (void)remove(nodes);
    (void)rmdir(folder);
}
END_TEST

// Both questions are named.
START_TEST(a_handler_that_asks_in_another_order_is_found_out)
{
    struct sim_client *client = &sim.clients[0];
    char *line, *reply;

    sim_begin(3, 1, false);
    sim_client_begin(0, sim_tool_of("reorders"), false, false);
    for (int i = 0; i < 2; i++) {
        line = sim_client_request(client);
        reply = sim_say(0, line);
        free(line);
        ck_assert_ptr_nonnull(reply);
        if (i == 0) {
            ck_assert(sim_client_take(client, reply));
        } else {
            ck_assert_msg(strstr(reply, "REPLAY_DIVERGED") != NULL, "%s",
                          reply);
            ck_assert_msg(strstr(reply, "sure") != NULL &&
                              strstr(reply, "again") != NULL,
                          "%s", reply);
        }
        free(reply);
    }
    sim_end();
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {
        each_fault_at_each_hook_of_asks0,
        each_fault_at_each_hook_of_orders0,
        each_fault_at_each_hook_of_pays0,
        each_fault_at_each_hook_of_pays1,
        each_fault_at_each_hook_of_hires0,
        each_fault_at_each_hook_of_forgets0,
        each_fault_at_each_hook_of_defaults0,
        each_fault_at_each_hook_of_book_flight0,
        each_fault_at_each_hook_of_deploy_approval0,
        each_fault_at_each_hook_of_import0,
        each_fault_at_each_hook_of_import1,
        each_fault_at_each_hook_of_survey0,
        a_client_that_never_comes_back_after_an_effect,
        a_task_whose_client_never_comes_back_after_an_effect,
        a_rough_world_comes_to_the_results_of_a_smooth_one,
        a_rough_world_on_one_file,
        a_handler_that_asks_in_another_order_is_found_out,
    };

    return unit_run("sim", tests, MICA_COUNT(tests));
}
