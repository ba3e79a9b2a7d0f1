// SPDX-License-Identifier: Apache-2.0
//
// Operations of the store, without a server around them: conversations (a call begins
// and asks, is claimed by the answer, and ends), sessions, and events.
//
//     bench-store STORE CONVERSATIONS THREADS
//
// Prints a line for each: what, how many, microseconds each, bytes of memory each; and
// for a file the bytes that its log has grown by for each conversation.
#include "store/store_calls.h"
#include "store/store_sessions.h"
#include "store/store_streams.h"
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_THREADS = 64,
    LEASE_MS = 30000,
    KEEP_MS = 86400000
};

static struct mica_store *store;
static long each;

static double
now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int64_t
wall_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void
must(enum mica_status status, const struct mica_error *error)
{
    if (status == MICA_OK)
        return;
    fprintf(stderr, "%s: %s\n", mica_status_code(status), error->message);
    exit(1);
}

// ---- Conversations ---------------------------------------------------------------

static struct mica_kept_call
new_call(const char *id)
{
    static const char arguments[] =
        "{\"city\":\"Utrecht\",\"nights\":3,\"guests\":[\"Ann\",\"Bo\"]}";
    static const char asks[] =
        "{\"confirm\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"
        "\"Book it?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
        "\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}}}}";

    return (struct mica_kept_call){.id = mica_text(id),
                                   .owner = {mica_text(""), mica_text("")},
                                   .mode = MICA_CALL_ROUNDS,
                                   .kind = MICA_DEFINITION_TOOL,
                                   .target = mica_text("book"),
                                   .version = mica_text("0123456789abcdef"),
                                   .arguments = mica_text(arguments),
                                   .context = mica_text("{}"),
                                   .state = MICA_CALL_WAITING,
                                   .journal =
                                       mica_text("0123456789012345678901"),
                                   .asks = mica_text(asks),
                                   .due = INT64_MAX};
}

static void
converse(const char *id, struct mica_arena *arena)
{
    static const char reply[] =
        "{\"content\":[{\"type\":\"text\",\"text\":\"Booked.\"}],"
        "\"structuredContent\":{\"booked\":true,\"number\":12345}}";
    struct mica_kept_call call = new_call(id);
    struct mica_error error;
    int64_t now = wall_ms();

    call.created = now;
    call.expires = now + KEEP_MS;
    call.begins = true;
    must(mica_store_call_commit(store, &call, (struct mica_text){NULL, 0},
                                call.asks, now, 0, &error),
         &error);
    must(mica_store_call_claim(store, mica_text(id), &call.owner, now + 1,
                               LEASE_MS, arena, &error, &call),
         &error);
    call.state = MICA_CALL_COMPLETED;
    call.asks = (struct mica_text){NULL, 0};
    call.reply = mica_text(reply);
    must(mica_store_call_commit(store, &call, mica_text("{\"confirm\":true}"),
                                call.reply, now + 2, 0, &error),
         &error);
}

static void *
run_conversations(void *data)
{
    struct mica_arena arena;
    char id[64];

    mica_arena_init(&arena, 16 << 20);
    for (long i = 0; i < each; i++) {
        char random[MICA_STORE_ID_SIZE];
        mica_store_id_make(random);
        (void)snprintf(id, sizeof id, "c-%.32s", random);
        converse(id, &arena);
        mica_arena_reset(&arena);
    }
    mica_arena_fini(&arena);
    return data;
}

static void
measure_conversations(long count, long threads)
{
    pthread_t ids[MOST_THREADS];
    double begin;

    each = count / threads;
    begin = now_us();
    for (long i = 0; i < threads; i++)
        (void)pthread_create(&ids[i], NULL, run_conversations, NULL);
    for (long i = 0; i < threads; i++)
        (void)pthread_join(ids[i], NULL);
    double took = now_us() - begin;
    printf("conversations %ld, threads %ld: %.1f us each, %.0f a second\n",
           each * threads, threads, took / (double)(each * threads),
           1e6 * (double)(each * threads) / took);
}

// The first ones, whose log is not yet copied into the file.
static void
measure_log(void)
{
    enum {
        FEW = 100
    };
    struct mica_store_place before, after;
    struct mica_error error;

    must(mica_store_place(store, &error, &before), &error);
    each = FEW;
    (void)run_conversations(NULL);
    must(mica_store_place(store, &error, &after), &error);
    printf("log: %lld bytes each conversation\n",
           (long long)(after.bytes - before.bytes) / FEW);
}

// ---- Sessions --------------------------------------------------------------------

static void
measure_sessions(long count)
{
    size_t before = mallinfo2().uordblks;
    struct mica_error error;
    int64_t now = wall_ms();
    double begin = now_us();

    for (long i = 0; i < count; i++) {
        char id[MICA_STORE_ID_SIZE];
        mica_store_id_make(id);
        const struct mica_store_session_key key =
            mica_store_session_key_of(mica_text(id));
        const struct mica_store_session session = {
            .owner = {mica_text(""), mica_text("")},
            .revision = mica_text("2025-11-25"),
            .client_info = mica_text("{\"name\":\"bench\",\"version\":\"1\"}"),
            .capabilities = mica_text("{}"),
            .log_level = -1,
            .created = now,
            .seen = now,
            .expires = now + KEEP_MS};
        must(mica_store_session_create(store, &key, &session, &error), &error);
    }
    double took = now_us() - begin;
    printf("sessions %ld: %.1f us each, %ld bytes of memory each\n", count,
           took / (double)count,
           (long)((long)(mallinfo2().uordblks - before) / count));
}

// ---- Events ----------------------------------------------------------------------

static void
measure_events(long count)
{
    const struct mica_store_session_key key =
        mica_store_session_key_of(mica_text("bench"));
    const struct mica_store_session session = {.revision =
                                                   mica_text("2025-11-25"),
                                               .log_level = -1,
                                               .created = wall_ms(),
                                               .seen = wall_ms(),
                                               .expires = wall_ms() + KEEP_MS};
    static const char event[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
        "\"progressToken\":1,\"progress\":5,\"total\":10}}";
    struct mica_error error;
    int64_t stream, sequence;
    double begin;

    must(mica_store_session_create(store, &key, &session, &error), &error);
    must(mica_store_stream_open(store, &key, mica_text("1"), wall_ms(),
                                LEASE_MS, &error, &stream),
         &error);
    begin = now_us();
    for (long i = 0; i < count; i++)
        must(mica_store_event_append(store, &key, stream, wall_ms(),
                                     mica_text(event), &error, &sequence),
             &error);
    printf("events %ld: %.1f us each\n", count,
           (now_us() - begin) / (double)count);
}

int
main(int count, char **arguments)
{
    struct mica_error error;
    struct mica_store_options options = {.sessions = 1000000};
    struct mica_store_place place;
    double begin = now_us();
    size_t before = mallinfo2().uordblks;

    if (count != 4)
        return 2;
    long conversations = strtol(arguments[2], NULL, 10);
    long threads = strtol(arguments[3], NULL, 10);
    if (conversations < 1 || threads < 1 || threads > MOST_THREADS)
        return 2;
    must(mica_store_open(arguments[1], &options, &error, &store), &error);
    printf("opening: %.0f us, %ld bytes of memory\n", now_us() - begin,
           (long)(mallinfo2().uordblks - before));
    measure_log();
    measure_sessions(conversations);
    measure_events(conversations);
    measure_conversations(conversations, threads);
    must(mica_store_place(store, &error, &place), &error);
    printf("file: %lld bytes\n", (long long)place.bytes);
    mica_store_close(&store);
    return 0;
}
