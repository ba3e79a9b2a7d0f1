// SPDX-License-Identifier: Apache-2.0
//
// Servers over HTTP, as they are shipped, each a process of simulated threads, on
// a store that they share; and the network between them and their clients. What
// takes the place of libmicrohttpd here (wire.c) calls them as it would, but
// carries requests and responses itself: it delays, loses and repeats them, and
// breaks connections.
//
// At every transaction of the store something may go wrong: before it the process
// may die, hang or be slow, or the store may fail; behind it all but the last.
#ifndef MICA_TESTS_SIM_HOSTS_H
#define MICA_TESTS_SIM_HOSTS_H

#include "store/store_calls.h"
#include "threads.h"

struct MHD_Daemon;

enum {
    SIM_HOSTS = 2,
    SIM_GHOSTS = 64,
    SIM_LEASE_MS = 30000 // as in src/serve/stored_calls.c
};

enum sim_fault {
    SIM_NOTHING,
    SIM_CRASH,   // the process is gone, and what it knew
    SIM_HANG,    // for longer than a lease lasts
    SIM_SLOW,    // this thread, for a while
    SIM_ERROR,   // the store fails
    SIM_BUSY,    // others have held it for too long
    SIM_UNKNOWN, // the outcome of the transaction is not known
    SIM_FAULTS
};

struct sim_host {
    struct sim_process process;
    struct mica_store *store;
    struct mica_server *server;
    struct MHD_Daemon *daemon;
    bool has_ended;
};

struct sim_cluster {
    struct sim_host *hosts[SIM_HOSTS]; // NULL: it is down
    struct sim_host *ghosts[SIM_GHOSTS];
    size_t host_count, ghost_count;
    struct mica_store *shared; // in memory; NULL: a file
    char path[256];

    // One fault at one point, or with `rough` any at any.
    bool rough;
    unsigned one_in; // so many points
    int64_t heals;   // nothing goes wrong from then on
    long points, fault_at;
    enum sim_fault fault;
    size_t faults[SIM_FAULTS]; // that happened

    // The same of connections: one breaks at the chunk of that number.
    long chunks, break_at;
    size_t broken, lost, repeated, ended;
};
extern struct sim_cluster cluster;

// Before all: chance gives ids and secrets, too.
void sim_chance_begin(void);

// Hosts on a store in memory, or with `path` in that file.
void sim_cluster_begin(size_t hosts, const char *path);

// All hosts end as by a signal, the dead ones too. Everything is given back.
void sim_cluster_end(void);

// Does anything go wrong now?
bool sim_is_rough(void);

// A store that tests may use, outside of all threads.
struct mica_store *sim_store(void);

void sim_host_start(int number);

// Now; it starts again some time later.
void sim_host_crash(struct sim_host *host);

// While the world is rough hosts are told to end now and then, and start again.
void sim_hosts_change(void);

// ---- What calls have come to (storm.c) ----------------------------------------------

// What was committed last of each call.
struct sim_call {
    char id[MICA_STORE_CALL_ID_BYTES + 1];
    int64_t request;                 // id of the request that began it
    struct mica_text journal, reply; // on the heap
    enum mica_call_state state;
    int64_t fence; // of the last claim
    int commits;
};
const struct sim_call *sim_call_of(struct mica_text id); // NULL: none
const struct sim_call *sim_call_by(int64_t request);
void sim_calls_begin(void);
void sim_calls_end(void);

// ---- The network (wire.c) ------------------------------------------------------------

// A request to the MCP endpoint. Texts may be NULL.
struct sim_request {
    const char *method, *session, *version, *last_event, *body;
};

// What a client hears of a connection of its own.
enum sim_heard {
    SIM_HEAD,  // of the response
    SIM_BYTES, // of its body
    SIM_END,   // it was whole
    SIM_BROKEN // the connection is gone
};

struct sim_head {
    unsigned status;
    bool stream; // text/event-stream
    char session[64];
};

// The listener tells: the client, the connection's number, and what.
typedef void sim_listener(int client, int connection, enum sim_heard heard,
                          const struct sim_head *head, const char *bytes,
                          size_t size);

void sim_wire_begin(sim_listener *listener);
void sim_wire_end(void);

// On a connection of its own, whose number it returns. What comes back is told
// until it has ended or broken. `twice_out`: something on the way sent it again, to
// any host, and keeps the second response to itself.
int sim_send(int client, int host, const struct sim_request *request,
             bool *twice_out);

// The client hears no more of it. Unless `silently` the server may notice.
void sim_hang_up(int connection, bool silently);

// Connections of a host that has died.
void sim_wire_cut(const struct sim_host *host);

#endif
