// SPDX-License-Identifier: Apache-2.0
//
// A server node, and the hooks between it and what outlives it. A node that dies
// leaves its message by a jump out of the hook; what it held in memory is kept
// aside, its clock standing still, so that it does nothing any more, and is freed
// when the run is over.
#include "../unit/store_due.h"
#include "fresh_store.h"
#include "sim.h"

// A message that a node works on.
struct sim_act {
    jmp_buf died;
    struct sim_act *outer;
    struct sim_node *node;
    struct sim_doing doing;
    struct mica_arena arena;
    struct mica_message message;
    struct mica_line_state line;
    unsigned call_state; // of its call, in the store as it knows; 0: not there
};

static int64_t
read_clock(void *data)
{
    const struct sim_node *node = data;

    int64_t frozen = atomic_load(&node->frozen);

    return frozen >= 0 ? frozen : atomic_load(&world.now);
}

static void
take_chance(void *data, void *bytes, size_t size)
{
    unsigned char *out = bytes;

    (void)data;
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)(sim_random() >> 32);
}

// ---- Hooks -------------------------------------------------------------------------

static enum sim_fault
draw(void)
{
    sim.points++;
    if (!sim.lively)
        return sim.points == sim.fault_at ? sim.fault : SIM_NOTHING;
    if (atomic_load(&world.now) >= sim.heals || !sim_one_in(12))
        return SIM_NOTHING;
    return (enum sim_fault)(sim_random() % SIM_FAULTS);
}

// A node within another's message, or of a message within a message, may not die
// or be overtaken once more: two at once are enough.
static enum sim_fault
fit(enum sim_fault fault)
{
    if (fault == SIM_NOTHING || fault == SIM_ERROR || sim.act->outer == NULL)
        return fault;
    if (fault == SIM_CRASH && sim.act->node != sim.act->outer->node)
        return fault;
    return SIM_NOTHING;
}

static void
intrude(struct sim_node *node, bool hangs)
{
    char *line = sim_pending();
    char *reply;

    if (hangs) {
        node->frozen = atomic_load(&world.now);
        atomic_fetch_add(&world.now, SIM_LEASE_MS + 1000);
        sim.hangs++;
        sim.act->doing.lost = true;
    }
    sim.intrusions++;
    if (line != NULL) {
        reply = sim_say((int)(sim_random() % sim.node_count), line);
        free(reply);
    } else if (hangs) {
        sim_tick((int)(sim_random() % sim.node_count));
    }
    free(line);
    node->frozen = -1;
}

// True: the function is to fail.
static bool
hook(struct sim_node *node, const char *name, bool after)
{
    enum sim_fault fault = sim.act != NULL ? fit(draw()) : SIM_NOTHING;

    if (fault != SIM_NOTHING) {
        sim.faulted = true;
        sim_note("%c %s %s: %d", 'A' + node->number, after ? "after" : "before",
                 name, (int)fault);
    }
    if (fault == SIM_CRASH)
        longjmp(sim.act->died, 1);
    if (fault == SIM_INTRUDE || fault == SIM_HANG)
        intrude(node, fault == SIM_HANG);
    sim.errors += fault == SIM_ERROR;
    return fault == SIM_ERROR;
}

static enum mica_status
broken(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "the disk of the test failed");
}

// ---- The call store, with hooks ------------------------------------------------------

static enum mica_status
create(void *data, struct mica_kept_call *call, struct mica_text key,
       struct mica_arena *arena, struct mica_error *error)
{
    struct sim_node *node = data;
    enum mica_status status;

    if (hook(node, "create", false))
        return broken(error);
    sim_check_move(call->id, sim.act->call_state, call->state);
    status = node->real->create(node->real->data, call, key, arena, error);
    if (status == MICA_OK)
        sim.act->call_state = call->state;
    if (status == MICA_OK && hook(node, "create", true)) {
        node->real->release(node->real->data, call);
        return broken(error);
    }
    return status;
}

static enum mica_status
find(void *data, struct mica_text id, const struct mica_caller *caller,
     struct mica_arena *arena, struct mica_error *error,
     struct mica_kept_call *call_out)
{
    struct sim_node *node = data;

    if (hook(node, "find", false))
        return broken(error);
    return node->real->find(node->real->data, id, caller, arena, error,
                            call_out);
}

static enum mica_status
claim(void *data, struct mica_text id, const struct mica_caller *caller,
      struct mica_arena *arena, struct mica_error *error,
      struct mica_kept_call *call_out)
{
    struct sim_node *node = data;
    enum mica_status status;

    if (hook(node, "claim", false))
        return broken(error);
    status = node->real->claim_for_client(node->real->data, id, caller, arena,
                                          error, call_out);
    if (status == MICA_OK) {
        sim.act->call_state = call_out->state;
        sim_note("%c claims %.6s: %zu bytes, round %u, state %d",
                 'A' + node->number, call_out->id.ptr, call_out->journal.len,
                 call_out->round, (int)call_out->state);
    }
    if (status == MICA_OK && !mica_call_has_ended(call_out) &&
        hook(node, "claim", true)) {
        node->real->release(node->real->data, call_out);
        return broken(error);
    }
    return status;
}

static enum mica_status
take(void *data, struct mica_text id, const struct mica_text *session,
     struct mica_arena *arena, struct mica_error *error,
     struct mica_kept_call *call_out, enum mica_status *ending_out)
{
    struct sim_node *node = data;
    enum mica_status status;

    if (hook(node, "take", false))
        return broken(error);
    status = node->real->claim_for_turn(node->real->data, id, session, arena,
                                        error, call_out, ending_out);
    if (status == MICA_OK)
        sim.act->call_state = call_out->state;
    return status;
}

static enum mica_status
commit(void *data, struct mica_kept_call *call, struct mica_text answers,
       struct mica_text round_reply, bool release, struct mica_error *error)
{
    struct sim_node *node = data;
    enum mica_status status;

    if (hook(node, "commit", false)) {
        if (release)
            node->real->release(node->real->data, call);
        return broken(error);
    }
    sim_check_move(call->id, sim.act->call_state, call->state);
    status = node->real->commit(node->real->data, call, answers, round_reply,
                                release, error);
    if (status != MICA_OK)
        return status;
    sim.act->call_state = call->state;
    sim_recorded(&sim.act->doing, call->id);
    sim_note("%c commits %.6s: %zu bytes, round %u, state %d, %s",
             'A' + node->number, call->id.ptr, call->journal.len, call->round,
             (int)call->state, release ? "released" : "claimed");
    return hook(node, "commit", true) ? broken(error) : MICA_OK;
}

static enum mica_status
replay(void *data, struct mica_text id, uint32_t round,
       struct mica_text answers, struct mica_arena *arena,
       struct mica_error *error, struct mica_text *reply_out)
{
    struct sim_node *node = data;

    if (hook(node, "replay", false))
        return broken(error);
    return node->real->replay(node->real->data, id, round, answers, arena,
                              error, reply_out);
}

static enum mica_status
cancel(void *data, struct mica_text id, struct mica_error *error)
{
    struct sim_node *node = data;

    if (hook(node, "cancel", false))
        return broken(error);
    return node->real->cancel(node->real->data, id, error);
}

static void
release(void *data, const struct mica_kept_call *call)
{
    struct sim_node *node = data;

    (void)hook(node, "release", false);
    node->real->release(node->real->data, call);
}

static void
wake(void *data, struct mica_text id)
{
    struct sim_node *node = data;
    struct sim_event event = {.kind = SIM_WAKE, .node = node->number};

    event.text = calloc(1, id.len + 1);
    memcpy(event.text, id.ptr, id.len);
    sim_post(1 + (int64_t)(sim_random() % 20), event);
}

static enum mica_status
seal(void *user, int64_t now, struct mica_text plain, struct mica_text bound,
     struct mica_error *error, struct mica_buffer *text_out)
{
    struct sim_node *node = user;

    if (hook(node, "seal", false))
        return broken(error);
    return node->real_sealer.seal(node->real_sealer.user, now, plain, bound,
                                  error, text_out);
}

static enum mica_status
unseal(void *user, int64_t now, struct mica_text text, struct mica_text bound,
       struct mica_error *error, struct mica_buffer *plain_out)
{
    struct sim_node *node = user;

    if (hook(node, "open", false))
        return broken(error);
    return node->real_sealer.open(node->real_sealer.user, now, text, bound,
                                  error, plain_out);
}

// ---- A node ------------------------------------------------------------------------

static void
must(enum mica_status status, const struct mica_error *error)
{
    SIM_MUST(status == MICA_OK, "%s", error->message);
}

// From one run to the next: a run begins with it empty.
static struct mica_store *kept_store;

static void
open_store(struct sim_node *node)
{
    const struct mica_store_options options = {.key_overlap_ms = 3600000};
    struct mica_error error;
    char where[300];

    node->store = sim.shared;
    if (!sim.sqlite && sim.shared != NULL)
        return;
    snprintf(where, sizeof where, "%s%s", sim.sqlite ? "sqlite:" : "memory",
             sim.sqlite ? sim.path : "");
    must(mica_store_open(where, &options, &error, &node->store), &error);
    if (!sim.sqlite)
        sim.shared = kept_store = node->store;
}

void
sim_node_open(int number)
{
    struct sim_node *node = calloc(1, sizeof *node);
    struct mica_error error;

    node->number = number;
    node->frozen = -1;
    node->platform = (struct mica_platform){read_clock, take_chance, node};
    open_store(node);
    must(mica_store_sealer_open(node->store, &error, &node->keys), &error);
    node->real_sealer = mica_store_sealer(node->keys);
    node->sealer =
        (struct mica_sealer){.seal = seal, .open = unseal, .user = node};
    must(mica_session_store_open(
             &(struct mica_session_store_options){.open = node->store}, &error,
             &node->session_store),
         &error);
    must(mica_call_store_open(
             &(struct mica_call_store_options){.session_store =
                                                   node->session_store,
                                               .platform = &node->platform,
                                               .lease_ms = SIM_LEASE_MS},
             &error, &node->call_store),
         &error);
    node->real = mica_call_store_calls(node->call_store);
    node->calls = (struct mica_calls){node,   create, find,   claim,   take,
                                      commit, replay, cancel, release, wake};
    must(mica_server_open(
             &(struct mica_server_options){.name = "sim", .version = "1"},
             &error, &node->server),
         &error);
    node->server->platform = &node->platform;
    node->server->sealer = &node->sealer;
    node->server->calls = &node->calls;
    sim_offer(node->server);
    node->up = true;
    sim.nodes[number] = node;
}

static void
discard(struct sim_node *node)
{
    mica_server_close(&node->server);
    mica_call_store_close(&node->call_store);
    mica_session_store_close(&node->session_store);
    mica_store_sealer_close(&node->keys);
    if (sim.sqlite)
        mica_store_close(&node->store);
    free(node);
}

void
sim_node_crash(struct sim_node *node)
{
    struct sim_event event = {.kind = SIM_RESTART, .node = node->number};

    node->up = false;
    atomic_store(&node->frozen, atomic_load(&world.now));
    SIM_MUST(sim.zombie_count < SIM_ZOMBIES, "too many crashes");
    sim.zombies[sim.zombie_count++] = node;
    sim.nodes[node->number] = NULL;
    sim.crashes++;
    if (sim.lively)
        sim_post((int64_t)(sim_random() % 5000), event);
    else
        sim_node_open(node->number);
}

// ---- Messages ----------------------------------------------------------------------

static struct sim_act *
enter(struct sim_node *node)
{
    struct sim_act *act = calloc(1, sizeof *act);

    act->outer = sim.act;
    act->node = node;
    mica_arena_init(&act->arena, node->server->options.call_bytes);
    mica_message_init(&act->message, node->server, &act->arena);
    sim.act = act;
    world.doing = &act->doing;
    return act;
}

static char *
leave(struct sim_act *act, bool died)
{
    struct mica_text reply = mica_buffer_as_text(&act->message.reply.text);
    char *text = NULL;

    if (!died && act->message.step == MICA_STEP_REPLY) {
        text = calloc(1, reply.len + 1);
        memcpy(text, reply.ptr, reply.len);
    }
    // A process that dies moves no state and gives nothing back. The simulation takes
    // its memory, which the table of executions allows only after the release.
    if (died)
        act->message.execution.state = MICA_EXECUTION_RELEASED;
    mica_message_end(&act->message);
    mica_arena_fini(&act->arena);
    sim.act = act->outer;
    world.doing = sim.act != NULL ? &sim.act->doing : NULL;
    if (died)
        sim_node_crash(act->node);
    free(act);
    return text;
}

char *
sim_say(int number, const char *line)
{
    struct sim_node *node = sim.nodes[number];
    struct sim_act *act;

    if (node == NULL || !node->up)
        return NULL;
    act = enter(node);
    if (setjmp(act->died) != 0)
        return leave(sim.act, true);
    mica_message_line(&act->message, &act->line, mica_text(line));
    if (act->message.step == MICA_STEP_WORK &&
        !mica_message_execute_inline(&act->message))
        mica_message_execute(&act->message);
    return leave(act, false);
}

void
sim_resume(int number, const char *id, enum mica_status ending)
{
    struct sim_node *node = sim.nodes[number];
    struct mica_resume_cause why = {.call = mica_text(id), .ending = ending};
    struct sim_act *act;
    char *reply;

    if (node == NULL || !node->up)
        return;
    act = enter(node);
    if (setjmp(act->died) != 0) {
        (void)leave(sim.act, true);
        return;
    }
    mica_message_resume(&act->message, &why);
    reply = leave(act, false);
    free(reply);
}

// A worker takes it some time later, whatever happens to the call until then.
static void
put_off(int number, struct mica_text id)
{
    struct sim_event event = {.kind = SIM_WAKE, .node = number};

    event.text = sim_copy(id);
    sim_post(1 + (int64_t)(sim_random() % 6000), event);
}

static void
hand_out(int number, bool may_put_off)
{
    struct mica_store_due due;
    struct mica_arena arena;
    struct mica_error error;

    if (sim.nodes[number] == NULL)
        return;
    mica_arena_init(&arena, 1 << 20);
    must(store_due(sim.nodes[number]->store, atomic_load(&world.now), 64,
                   SIM_LEASE_MS, &arena, &error, &due),
         &error);
    for (size_t i = 0; i < due.count; i++) {
        char id[MICA_CALL_ID_SIZE] = "";
        memcpy(id, due.ids[i].ptr, due.ids[i].len);
        if (may_put_off && sim_one_in(2))
            put_off(number, due.ids[i]);
        else
            sim_resume(number, id, due.endings[i]);
    }
    mica_arena_fini(&arena);
}

void
sim_tick(int number)
{
    hand_out(number, true);
}

void
sim_tick_at_once(int number)
{
    hand_out(number, false);
}

// ---- The world ---------------------------------------------------------------------

void
sim_begin(uint64_t seed, size_t nodes, bool sqlite)
{
    char path[sizeof sim.path];

    memcpy(path, sim.path, sizeof path);
    sim_world_begin(seed);
    memset(&sim, 0, sizeof sim);
    if (!sqlite && kept_store != NULL)
        sim_store_empty(kept_store);
    sim.shared = sqlite ? NULL : kept_store;
    memcpy(sim.path, path, sizeof path);
    sim.heals = INT64_MAX;
    sim.sqlite = sqlite;
    sim.node_count = nodes;
    for (size_t i = 0; i < nodes; i++)
        sim_node_open((int)i);
}

void
sim_end(void)
{
    for (size_t i = 0; i < sim.zombie_count; i++)
        discard(sim.zombies[i]);
    for (size_t i = 0; i < sim.node_count; i++) {
        if (sim.nodes[i] != NULL)
            discard(sim.nodes[i]);
    }
    for (size_t i = 0; i < sim.event_count; i++)
        free(sim.events[i].text);
    for (size_t i = 0; i < sim.client_count; i++) {
        struct sim_client *client = &sim.clients[i];
        free(client->state);
        free(client->answers);
        free(client->task);
        free(client->inputs);
        free(client->polled);
        free(client->end);
        free(client->last);
    }
    if (sim.sqlite)
        (void)remove(sim.path);
}
