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

#include <check.h>
#include <mica/store.h>
#include <mica/tool.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/seal.h"
#include "mcp/server.h"
#include "serve/calls.h"
#include "store/sealer.h"

enum {
    SIM_CLIENTS = 4,
    SIM_NODES = 2,
    SIM_ZOMBIES = 64,
    SIM_EFFECTS = 512,
    SIM_EVENTS = 1024,
    SIM_LEASE_MS = 30000
};

// ---- Chance and time (world.c) ---------------------------------------------------

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

struct sim_effect {
    char key[200]; // of the effect, as its tool was given it
    char name[32];
    int64_t who;   // number of the client whose call it is
    int runs;      // how often it ran
    bool recorded; // a commit has succeeded since: it may not run again
};

struct sim_client {
    int number;
    const struct sim_tool *tool;
    uint64_t seed;
    bool tasks, keyed, done;
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
    uint64_t chance;
    _Atomic int64_t now;
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
    struct sim_effect effects[SIM_EFFECTS];
    size_t effect_count;
    struct sim_act *act; // the message that is taken now

    // One fault at one hook, or with `lively` any at any.
    long points; // hooks that were passed
    long fault_at;
    enum sim_fault fault;
    bool lively, faulted;
    size_t crashes, hangs, errors, intrusions;
    char trace[3600]; // for people, when something has gone wrong
    size_t trace_len;
};
extern struct sim sim;
extern char sim_title[100]; // of the run, for people

uint64_t sim_random(void);
static inline bool
sim_one_in(unsigned n)
{
    return sim_random() % n == 0;
}
// The same for the same two, in all of a run.
uint64_t sim_hash(uint64_t seed, const char *text);

void sim_note(const char *format, ...) MICA_PRINTF(1, 2);
#define SIM_MUST(condition, ...)                                     \
    do {                                                             \
        if (!(condition)) {                                          \
            char said_[1500];                                        \
            snprintf(said_, sizeof said_, __VA_ARGS__);              \
            ck_abort_msg("%s: %s\n%s", sim_title, said_, sim.trace); \
        }                                                            \
    } while (0)

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
    struct mica_keeper *keeper;
    struct mica_call_keeper *call_keeper;
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

// What the store says is due is gone on with.
void sim_tick(int node);

// An effect of a handler that runs now.
void sim_effect(struct mica_server_call *call, const char *name, int64_t who);
void sim_effect_keyed(struct mica_text key, const char *name, int64_t who);
int sim_effects_named(const char *name);
int sim_effects_of(int64_t who, const char *name); // different ones

// Locks of deployments that are held now (services.c).
int sim_locks(void);
void sim_services_reset(void);

// ---- Network and clients (client.c) ----------------------------------------------

void sim_post(int64_t delay, struct sim_event event);
bool sim_step(void); // false: nothing will happen any more
bool sim_step_without_ticks(void);
bool sim_all_done(void);
void sim_client_begin(int number, const struct sim_tool *tool, bool tasks,
                      bool keyed);
void sim_client_talk(struct sim_client *client); // to its end, no network
char *sim_client_request(struct sim_client *client);
// Takes a reply; false: it has to be asked again.
bool sim_client_take(struct sim_client *client, const char *reply);
// A message of any client that is on its way, for a hook; NULL: none.
char *sim_pending(void);

// What that client answers: declines, dismisses or accepts, and with what.
enum mica_action sim_action(const struct sim_client *client, const char *key);
bool sim_yes(const struct sim_client *client, const char *key);

// ---- Tools (tools.c) -------------------------------------------------------------

struct sim_tool {
    const struct mica_tool *tool;
    const char *head, *tail; // arguments: JSON around the number of the client
    // What the call must have come to: a text that its result has.
    const char *(*expect)(const struct sim_client *client);
    // Effects, and how many of each when the call has ended.
    void (*check)(const struct sim_client *client);
};
extern const struct sim_tool sim_tools[];
extern const size_t sim_tool_count;
const struct sim_tool *sim_tool_of(const char *name);

#endif
