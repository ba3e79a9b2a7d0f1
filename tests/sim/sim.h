// SPDX-License-Identifier: Apache-2.0
//
// A world in one thread: clients, one or two server nodes on one store, and a
// network between them that loses, delays, repeats and reorders what it carries.
// Time is a number, and all chance comes from one seed, so what went wrong goes
// wrong again.
//
// Between a server and all that outlives it (the store, the keys) stand hooks. At
// each of them a node may die, be refused, or be overtaken by another message.
#ifndef MICA_TESTS_SIM_H
#define MICA_TESTS_SIM_H

#include <setjmp.h>

#include "serve/stored_calls.h"
#include "server/sealer.h"
#include "server/server.h"
#include "store/store_sealer.h"
#include "world.h"

enum {
    SIM_CLIENTS = 4,
    SIM_NODES = 2,
    SIM_ZOMBIES = 64,
    SIM_EVENTS = 1024,
    SIM_LEASE_MS = 30000
};

// ---- The world -------------------------------------------------------------------

// What may happen at a hook.
enum sim_fault {
    SIM_NOTHING,
    SIM_CRASH,   // the node is gone, and what it knew
    SIM_ERROR,   // the function fails with MICA_E_IO
    SIM_INTRUDE, // another message is taken first, by another worker or node
    SIM_HANG,    // the same, and a minute passes for everybody else
    SIM_FAULTS
};

struct sim_node;
struct sim_act;

struct sim_event {
    int64_t at;
    uint64_t order; // of two at the same time
    enum sim_event_kind {
        SIM_REQUEST,
        SIM_REPLY,
        SIM_RETRY,
        SIM_WAKE,
        SIM_TICK,
        SIM_RESTART
    } kind;
    int node, client;
    uint64_t attempt;
    char *text; // owned
};

struct sim_client {
    struct sim_person person;
    bool tasks, done;
    int leaves; // before it answers the round of that number, for ever; 0: never
    char *state;   // requestState
    char *answers; // of the round that is now asked for; NULL: the first
    char *task;    // its id
    char *inputs;  // to be given to the task, or NULL
    char *polled;  // inputRequests that were last answered
    char *end;     // the result, once it is there
    char *last;    // the request that it answers
    uint64_t attempt, since; // the newest request; the first of this round
    int attempts, rounds;
    bool alone; // sends by `sim_say` alone, no network
};

struct sim {
    int64_t heals; // nothing goes wrong from then on
    bool sqlite;
    char path[256];
    struct mica_store *shared; // in memory
    struct sim_node *nodes[SIM_NODES];
    struct sim_node *zombies[SIM_ZOMBIES];
    size_t node_count, zombie_count;
    struct sim_client clients[SIM_CLIENTS];
    size_t client_count;
    struct sim_event events[SIM_EVENTS];
    size_t event_count;
    uint64_t order, attempts;
    struct sim_act *act; // the message that is taken now

    // One fault at one hook, or with `lively` any at any.
    long points; // hooks that were passed
    long fault_at;
    enum sim_fault fault;
    bool lively, faulted;
    size_t crashes, hangs, errors, intrusions;
};
extern struct sim sim;

void sim_begin(uint64_t seed, size_t nodes, bool sqlite);
void sim_end(void);

// ---- Nodes (node.c) --------------------------------------------------------------

struct sim_node {
    int number;
    bool up;
    _Atomic int64_t frozen; // its clock stands still; -1: it does not
    struct mica_platform platform;
    struct mica_store *store;
    struct mica_store_sealer *keys;
    struct mica_sealer real_sealer, sealer;
    struct mica_session_store *session_store;
    struct mica_call_store *call_store;
    const struct mica_calls *real;
    struct mica_calls calls;
    struct mica_server *server;
};

void sim_node_open(int number);
void sim_node_crash(struct sim_node *node);

// One message to a node: the reply (owned by the caller), or NULL when there is
// none, as the node is down or died over it.
char *sim_say(int node, const char *line);

// One more turn of a kept call.
void sim_resume(int node, const char *id, enum mica_status ending);

// What the store says is due is gone on with; some of it only after other messages,
// as a process queues its turns.
void sim_tick(int node);
void sim_tick_at_once(int node); // all of it

// ---- Network and clients (client.c) ----------------------------------------------

void sim_post(int64_t delay, struct sim_event event);
bool sim_step(void); // false: nothing will happen any more
bool sim_step_without_ticks(void);
bool sim_all_done(void);
void sim_client_begin(int number, const struct sim_tool *tool, bool tasks,
                      bool has_key);
void sim_client_run(struct sim_client *client); // to its end, no network
// The same, until it would have to answer.
void sim_client_run_until_asked(struct sim_client *client);
// Gives its task what it was asked for, whatever comes of it.
void sim_client_give(struct sim_client *client);
char *sim_client_request(struct sim_client *client);
// Takes a reply; false: it has to be asked again.
bool sim_client_take(struct sim_client *client, const char *reply);
// A message of any client that is on its way, for a hook; NULL: none.
char *sim_pending(void);

#endif
