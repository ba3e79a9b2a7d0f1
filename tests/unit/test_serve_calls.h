// SPDX-License-Identifier: Apache-2.0
//
// What the tests of kept calls share: a clock that stands still, nodes on one
// store, and a list of what was handed over.
#ifndef MICA_TESTS_SERVE_CALLS_H
#define MICA_TESTS_SERVE_CALLS_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "serve/stored_calls.h"
#include "serve/system_platform.h"
#include "server/server.h"
#include "test_store.h"

enum {
    LEASE = 30000,
    START = 1000000
};

static const struct mica_text none = {NULL, 0};
// That principal at /mcp.
#define CALLER(of) (&(const struct mica_caller){.principal = (of)})

static const struct mica_principal alice = {.issuer = {"https://i", 9},
                                            .subject = {"alice", 5}};
static const struct mica_principal bob = {.issuer = {"https://i", 9},
                                          .subject = {"bob", 3}};

static struct mica_arena arena;

// Memory that a test has in common with its children; zeros.
static inline void *
share(size_t size)
{
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(shared, MAP_FAILED);
    return shared;
}

// ---- Time ------------------------------------------------------------------------

static _Atomic int64_t virtual_now = START;
static atomic_uint times_asked;

static inline int64_t
virtual_time(void *data)
{
    (void)data;
    atomic_fetch_add(&times_asked, 1);
    return atomic_load(&virtual_now);
}

static _Thread_local bool is_test;

// Of a process that hangs: no time passes for its threads, but for that of the test.
static inline int64_t
hanging_time(void *data)
{
    return is_test ? virtual_time(data) : START;
}

// A counter, six bits to a byte: an id uses no more of one.
static inline void
count_up(void *data, void *bytes, size_t size)
{
    static atomic_uint next;
    unsigned number = atomic_fetch_add(&next, 1);
    unsigned char *digits = bytes;

    (void)data;
    for (size_t i = 0; i < size; i++, number >>= 6)
        digits[i] = number & 63;
}

static const struct mica_platform virtual_platform = {.now_ms = virtual_time,
                                                      .random = count_up};
static const struct mica_platform hanging_platform = {.now_ms = hanging_time,
                                                      .random = count_up};

// ---- A node ----------------------------------------------------------------------

// What a process has, or one of two servers in this one.
struct node {
    struct mica_session_store *sessions;
    struct mica_call_store *call_store;
    const struct mica_calls *calls;
};

static inline struct node
open_node(const char *backend, const struct mica_platform *platform,
          unsigned poll_ms)
{
    struct mica_session_store_options kept = {
        .store = store_spec(backend, "mica.db")};
    struct mica_call_store_options options = {.platform = platform,
                                              .poll_ms = poll_ms};
    struct node node;

    MUST(mica_session_store_open(&kept, &error, &node.sessions));
    options.session_store = node.sessions;
    MUST(mica_call_store_open(&options, &error, &node.call_store));
    node.calls = mica_call_store_calls(node.call_store);
    return node;
}

static inline void
close_node(struct node *node)
{
    mica_call_store_close(&node->call_store);
    mica_call_store_close(&node->call_store); // again: nothing
    mica_session_store_close(&node->sessions);
}

static inline void
begin_test(void)
{
    mica_arena_init(&arena, 16 << 20);
}

static inline void
end_test(void)
{
    mica_arena_fini(&arena);
    store_remove_folder();
}

// ---- Short forms -----------------------------------------------------------------

static inline struct mica_kept_call
new_call(void)
{
    return (struct mica_kept_call){
        .mode = MICA_CALL_TASK,
        .state = MICA_CALL_WORKING,
        .owner = {.issuer = alice.issuer, .subject = alice.subject},
        .kind = MICA_DEFINITION_TOOL,
        .target = MICA_LITERAL("import"),
        .version = MICA_LITERAL("1"),
        .arguments = MICA_LITERAL("{\"a\":1,\"b\":[2]}"),
        .due = INT64_MAX,
        .expires = INT64_MAX};
}

static inline struct mica_kept_call
create_call(const struct node *node)
{
    struct mica_kept_call call = new_call();

    MUST(node->calls->create(node->calls->data, &call, none, &arena, &error));
    return call;
}

static inline enum mica_status
claim_call(const struct node *node, struct mica_text id,
           struct mica_kept_call *call)
{
    return node->calls->claim_for_client(node->calls->data, id, CALLER(&alice),
                                         &arena, &error, call);
}

static inline enum mica_status
commit_call(const struct node *node, struct mica_kept_call *call,
            const char *reply, bool release)
{
    return node->calls->commit(node->calls->data, call, MICA_LITERAL("answers"),
                               mica_text(reply), release, &error);
}

static inline void
suspend(const struct node *node, struct mica_kept_call *call, int64_t due)
{
    call->state = MICA_CALL_WAITING;
    call->asks = MICA_LITERAL("{\"k\":{}}");
    call->due = due;
    MUST(commit_call(node, call, "asked", true));
}

// ---- What is handed over ---------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    char ids[64][32];
    enum mica_status endings[64];
    unsigned count;
    unsigned refuse; // so many times
} handed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline bool
note_due(void *data, struct mica_text id, enum mica_status ending)
{
    bool taken;

    (void)data;
    pthread_mutex_lock(&handed.lock);
    taken = handed.refuse == 0;
    if (!taken) {
        handed.refuse--;
    } else if (handed.count < 64) {
        (void)snprintf(handed.ids[handed.count], 32, "%.*s", MICA_ARG(id));
        handed.endings[handed.count++] = ending;
    }
    pthread_mutex_unlock(&handed.lock);
    return taken;
}

static inline unsigned
handed_count(void)
{
    unsigned count;

    pthread_mutex_lock(&handed.lock);
    count = handed.count;
    pthread_mutex_unlock(&handed.lock);
    return count;
}

static inline void
await_handed(unsigned count)
{
    UNIT_AWAIT(handed_count() >= count);
    ck_assert_uint_eq(handed_count(), count);
}

// The newest is that.
static inline void
must_be_handed(unsigned count, struct mica_text id, enum mica_status ending)
{
    await_handed(count);
    ck_assert(mica_text_is(id, handed.ids[count - 1]));
    ck_assert_int_eq(handed.endings[count - 1], ending);
}

#endif
