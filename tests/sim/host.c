// SPDX-License-Identifier: Apache-2.0
//
// A server as a process: how it starts, dies, and goes in the end.
#include "fresh_store.h"
#include "hosts.h"

#include <mica/server.h>
#include <sodium.h>

struct sim_cluster cluster;

enum {
    RESTART_MS = 5000,
    CHANGE_MS = 40000,
    STEPS_TO_END = 1000000
};

static bool ending;

// ---- A process -----------------------------------------------------------------------

static void
must(enum mica_status status, const struct mica_error *error)
{
    SIM_MUST(status == MICA_OK, "%s", error->message);
}

static void
open_store(struct sim_host *host)
{
    struct mica_error error;
    char where[300];

    host->store = cluster.shared;
    if (cluster.shared != NULL)
        return;
    snprintf(where, sizeof where, "sqlite:%s", cluster.path);
    must(mica_store_open(where, NULL, &error, &host->store), &error);
}

static void
restart(const struct sim_event *event)
{
    if (!ending)
        sim_host_start((int)event->number);
}

// Another takes its place, some time later.
static void
replace_host(struct sim_host *host)
{
    int number = host->process.number;

    SIM_MUST(cluster.ghost_count < SIM_GHOSTS, "too many hosts have ended");
    cluster.ghosts[cluster.ghost_count++] = host;
    cluster.hosts[number] = NULL;
    sim_post((int64_t)(sim_random() % RESTART_MS),
             (struct sim_event){.happens = restart, .number = number});
}

void
sim_host_crash(struct sim_host *host)
{
    replace_host(host);
    sim_wire_cut(host);
}

// The store failed it; the world starts it again.
static void
fail_to_start(struct sim_host *host, const struct mica_error *error)
{
    sim_note("%c fails: %s", 'A' + host->process.number, error->message);
    SIM_MUST(host->process.life == SIM_GHOST || sim_is_rough() ||
                 cluster.points >= cluster.fault_at,
             "%c does not start: %s", 'A' + host->process.number,
             error->message);
    if (host->process.life == SIM_LIVES)
        sim_host_crash(host);
}

// What main() does in a program.
static void
serve(void *data)
{
    struct sim_host *host = data;
    const struct mica_http_options options = {.listen = "127.0.0.1:0",
                                              .quiet = true,
                                              .drain_s = -1,
                                              .workers = 3,
                                              .connections = 128};
    struct mica_error error;

    open_store(host);
    must(mica_server_open(
             &(struct mica_server_options){.name = "sim", .version = "1"},
             &error, &host->server),
         &error);
    must(mica_server_use_store(host->server, host->store, &error), &error);
    sim_offer(host->server);
    if (mica_server_serve_http(host->server, &options, &error) != MICA_OK)
        fail_to_start(host, &error);
    mica_server_close(&host->server);
    if (cluster.shared == NULL)
        mica_store_close(&host->store);
    host->has_ended = true;
    if (host == cluster.hosts[host->process.number] && !ending)
        replace_host(host);
}

static void
change(const struct sim_event *event)
{
    struct sim_host *host = cluster.hosts[sim_random() % cluster.host_count];

    (void)event;
    if (!sim_is_rough())
        return;
    if (host != NULL && !host->process.ending_asked && sim_one_in(2)) {
        sim_note("%c is told to end", 'A' + host->process.number);
        cluster.ended++;
        host->process.ending_asked = true;
        sim_rouse(&host->process);
    }
    sim_hosts_change();
}

void
sim_hosts_change(void)
{
    sim_post((int64_t)(sim_random() % CHANGE_MS),
             (struct sim_event){.happens = change});
}

void
sim_host_start(int number)
{
    struct sim_host *host = calloc(1, sizeof *host);

    host->process.number = number;
    cluster.hosts[number] = host;
    sim_thread_start(&host->process, serve, host);
    sim_note("%c starts", 'A' + number);
}

// ---- The cluster ---------------------------------------------------------------------

// Ids and secrets follow from the seed, too.
static const char *
name_of_chance(void)
{
    return "sim";
}

static uint32_t
some_bits(void)
{
    return (uint32_t)(sim_random() >> 8);
}

static void
some_bytes(void *const room, const size_t size)
{
    unsigned char *bytes = room;

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(sim_random() >> 16);
}

static struct randombytes_implementation chance = {.implementation_name =
                                                       name_of_chance,
                                                   .random = some_bits,
                                                   .buf = some_bytes};

void
sim_chance_begin(void)
{
    // What it does once is no part of a run.
    SIM_MUST(sodium_init() >= 0, "no libsodium");
    randombytes_set_implementation(&chance);
}

// From one cluster to the next: a cluster begins with it empty.
static struct mica_store *
take_fresh_store(void)
{
    static struct mica_store *kept;
    struct mica_error error;

    if (kept == NULL)
        must(mica_store_open("memory", NULL, &error, &kept), &error);
    else
        sim_store_empty(kept);
    return kept;
}

void
sim_cluster_begin(size_t hosts, const char *path)
{
    memset(&cluster, 0, sizeof cluster);
    sim_calls_begin();
    ending = false;
    cluster.host_count = hosts;
    cluster.break_at = cluster.fault_at = -1;
    if (path != NULL)
        snprintf(cluster.path, sizeof cluster.path, "%s", path);
    else
        cluster.shared = take_fresh_store();
    for (size_t i = 0; i < hosts; i++)
        sim_host_start((int)i);
}

struct mica_store *
sim_store(void)
{
    for (size_t i = 0; i < cluster.host_count; i++) {
        if (cluster.hosts[i] != NULL)
            return cluster.hosts[i]->store;
    }
    return cluster.shared;
}

static void
end(struct sim_host *host)
{
    host->process.ending_asked = true;
    host->process.hangs_until = 0;
    sim_rouse(&host->process);
    for (int i = 0; i < STEPS_TO_END && !host->has_ended; i++)
        SIM_MUST(sim_step(), "%c does not end", 'A' + host->process.number);
    SIM_MUST(host->has_ended, "%c never ends", 'A' + host->process.number);
    free(host);
}

void
sim_cluster_end(void)
{
    ending = true;
    for (size_t i = 0; i < cluster.host_count; i++) {
        if (cluster.hosts[i] != NULL)
            end(cluster.hosts[i]);
        cluster.hosts[i] = NULL;
    }
    for (size_t i = 0; i < cluster.ghost_count; i++) {
        cluster.ghosts[i]->process.life = SIM_GHOST;
        end(cluster.ghosts[i]);
    }
    sim_calls_end();
}
