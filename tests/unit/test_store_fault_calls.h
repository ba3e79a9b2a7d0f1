// SPDX-License-Identifier: Apache-2.0
//
// Calls that wait, for the test of storage that fails.
#ifndef MICA_TESTS_STORE_FAULT_CALLS_H
#define MICA_TESTS_STORE_FAULT_CALLS_H

#include "store_fault.h"

static struct mica_text
call_id(unsigned number)
{
    static const char *const ids[] = {"waits", "is held", "has ended",
                                      "is late", "is new"};

    return mica_text(ids[number]);
}

static struct mica_kept_call
new_call(unsigned number)
{
    struct mica_store_session_key key = store_key(1);
    static struct mica_store_session_key session;

    session = key;
    return (struct mica_kept_call){
        .id = call_id(number),
        .owner = {{"i", 1}, {"alice", 5}, {"", 0}},
        .target = MICA_LITERAL("tool"),
        .arguments = MICA_LITERAL("{}"),
        .session = {(const char *)session.bytes, sizeof session.bytes},
        .stream = 1,
        .state = MICA_CALL_WORKING,
        .due = INT64_MAX,
        .expires = 300};
}

// What was claimed in each of the two stores, for the commit that follows. Without a
// claim there is nothing to commit.
static struct {
    const struct mica_store *store;
    struct mica_kept_call held[4];
    bool claimed[4];
} claims[2];

static void
forget_claims(const struct mica_store *a, const struct mica_store *b)
{
    memset(claims, 0, sizeof claims);
    claims[0].store = a;
    claims[1].store = b;
}

static enum mica_status
claim(struct mica_store *store, unsigned number)
{
    unsigned of = claims[0].store == store ? 0 : 1;
    enum mica_status status =
        mica_store_call_claim(store, call_id(number), NULL, 6, 100, &arena,
                              &error, &claims[of].held[number]);

    claims[of].claimed[number] = status == MICA_OK;
    return status;
}

static enum mica_status
commit(struct mica_store *store, unsigned number)
{
    unsigned of = claims[0].store == store ? 0 : 1;
    struct mica_kept_call call = new_call(number);
    static char large[30000];

    if (!claims[of].claimed[number])
        return MICA_OK;
    memset(large, 'j', sizeof large);
    call.fence = claims[of].held[number].fence;
    call.round = claims[of].held[number].round;
    call.journal = (struct mica_text){large, sizeof large};
    call.state = number == 0 ? MICA_CALL_COMPLETED : MICA_CALL_WAITING;
    call.due = 90;
    return mica_store_call_commit(store, &call, mica_text("a"),
                                  mica_text("reply"), 6, 0, &error);
}

static enum mica_status
do_with_calls(struct mica_store *store, unsigned number)
{
    static const struct mica_text none = {NULL, 0};
    struct mica_kept_call call = new_call(4);
    struct mica_store_calls calls;
    struct mica_store_due due;
    struct mica_text reply;

    switch (number) {
    case 0:
        return mica_store_call_create(store, &call, mica_text("key"), 6, 100,
                                      &arena, &error);
    case 1:
        return mica_store_call_find(store, call_id(0), NULL, 6, &arena, &error,
                                    &call);
    case 2:
        return mica_store_call_claim(store, call_id(0), NULL, 5, 1, &arena,
                                     &error, &call);
    case 3:
        return claim(store, 3);
    case 4:
        return mica_store_call_replay(store, call_id(2), 0, none, 6, &arena,
                                      &error, &reply);
    case 5:
        return store_due(store, 95, 10, 100, &arena, &error, &due);
    case 6:
        return mica_store_call_page(
            store, &(struct mica_store_call_filter){.ended = false}, none, 10,
            &arena, &error, &calls);
    case 7:
        return mica_store_call_expire(store, call_id(1), 6, &error);
    case 8:
        return mica_store_call_delete(store, call_id(2), 6, &error);
    case 9:
        return claim(store, 0);
    case 10:
        return commit(store, 3);
    case 11:
        return commit(store, 0);
    case 12:
        return mica_store_call_cancel(store, call_id(3), &error);
    default:
        return mica_store_call_renew(store, call_id(1), 1, 6, 0, &error);
    }
}

static void
fill_calls(struct mica_store *store)
{
    static const struct mica_text none = {NULL, 0};
    struct mica_kept_call call;

    for (unsigned i = 0; i < 4; i++) {
        call = new_call(i);
        MUST(mica_store_call_create(store, &call, none, 1, 1000, &arena,
                                    &error));
        call.state = i == 2 ? MICA_CALL_FAILED : MICA_CALL_WAITING;
        call.due = i == 3 ? 50 : INT64_MAX;
        if (i != 1)
            MUST(mica_store_call_commit(store, &call, none, mica_text("r"), 1,
                                        0, &error));
    }
    for (unsigned i = 0; i < 3; i++) { // for the sweep
        char id[16];
        (void)snprintf(id, sizeof id, "old %u", i);
        call = new_call(0);
        call.id = mica_text(id);
        call.expires = 40;
        MUST(mica_store_call_create(store, &call, mica_text(id), 1, 1000,
                                    &arena, &error));
        call.state = MICA_CALL_COMPLETED;
        MUST(mica_store_call_commit(store, &call, none, mica_text("r"), 1, 0,
                                    &error));
    }
    mica_arena_reset(&arena);
}

static void
lists_must_match(struct mica_store *a, struct mica_store *b, bool ended)
{
    const struct mica_store_call_filter filter = {.ended = ended};
    static const struct mica_text none = {NULL, 0};
    struct mica_store_calls in_a, in_b;

    MUST(mica_store_call_page(a, &filter, none, 100, &arena, &error, &in_a));
    MUST(mica_store_call_page(b, &filter, none, 100, &arena, &error, &in_b));
    UNIT_MUST(in_a.count == in_b.count, "%zu calls and %zu", in_a.count,
              in_b.count);
    for (size_t i = 0; i < in_a.count; i++) {
        struct mica_kept_call of_a, of_b;
        UNIT_MUST(mica_text_equal(in_a.items[i].id, in_b.items[i].id),
                  "call %zu", i);
        if (mica_store_call_find(a, in_a.items[i].id, NULL, 7, &arena, &error,
                                 &of_a) != MICA_OK)
            continue;
        MUST(mica_store_call_find(b, in_a.items[i].id, NULL, 7, &arena, &error,
                                  &of_b));
        UNIT_MUST(of_a.state == of_b.state && of_a.round == of_b.round &&
                      of_a.due == of_b.due && of_a.expires == of_b.expires &&
                      of_a.changed == of_b.changed &&
                      of_a.bytes == of_b.bytes &&
                      mica_text_equal(of_a.journal, of_b.journal),
                  "call %.*s", MICA_ARG(of_a.id));
    }
}

static void
calls_must_match(struct mica_store *a, struct mica_store *b)
{
    lists_must_match(a, b, false);
    lists_must_match(a, b, true);
}

#endif
