// SPDX-License-Identifier: Apache-2.0
//
// What the tests of calls in a store share: a call with an owner, and short forms
// of what is done with it.
#ifndef MICA_TESTS_STORE_CALLS_H
#define MICA_TESTS_STORE_CALLS_H

#include "test_store_both.h"

static const struct mica_text none = {NULL, 0};
static const struct mica_owner alice = {
    {"https://i", 9}, {"alice", 5}, {"", 0}};
static const struct mica_owner bob = {{"https://i", 9}, {"bob", 3}, {"", 0}};

enum {
    LEASE = 20000
};

static inline struct mica_kept_call
new_call(const char *id, int64_t now)
{
    return (struct mica_kept_call){
        .id = mica_text(id),
        .owner = alice,
        .mode = 1,
        .kind = 2,
        .target = MICA_LITERAL("book_flight"),
        .version = MICA_LITERAL("1.2"),
        .arguments = MICA_LITERAL("{\"to\":\"Rome\"}"),
        .context = MICA_LITERAL("{\"wire\":\"2026-07-28\"}"),
        .created = now,
        .state = MICA_CALL_WORKING,
        .journal = {"MJ\1\0x", 5},
        .due = INT64_MAX,
        .expires = now + 100000};
}

static inline struct mica_kept_call
create_call(const char *id, int64_t now)
{
    struct mica_kept_call call = new_call(id, now);

    MUST(
        mica_store_call_create(store, &call, none, now, LEASE, &arena, &error));
    return call;
}

// Gives it back, waiting for answers until `due`.
static inline void
suspend(struct mica_kept_call *call, int64_t now, int64_t due)
{
    call->state = MICA_CALL_WAITING;
    call->asks = MICA_LITERAL("{\"pick\":{}}");
    call->due = due;
    MUST(mica_store_call_commit(store, call, none, MICA_LITERAL("asked"), now,
                                0, &error));
}

static inline void
end_call(struct mica_kept_call *call, int64_t now)
{
    call->state = MICA_CALL_COMPLETED;
    call->asks = none;
    call->reply = MICA_LITERAL("{\"done\":true}");
    MUST(mica_store_call_commit(store, call, MICA_LITERAL("a"),
                                MICA_LITERAL("end"), now, 0, &error));
}

static inline struct mica_kept_call
find_call(const char *id, int64_t now)
{
    struct mica_kept_call call;

    MUST(mica_store_call_find(store, mica_text(id), &alice, now, &arena, &error,
                              &call));
    return call;
}

static inline struct mica_kept_call
claim_call(const char *id, int64_t now)
{
    struct mica_kept_call call;

    MUST(mica_store_call_claim(store, mica_text(id), &alice, now, LEASE, &arena,
                               &error, &call));
    return call;
}

static inline struct mica_store_due
due_at(int64_t now)
{
    struct mica_store_due due;

    MUST(store_due(store, now, 10, LEASE, &arena, &error, &due));
    return due;
}

static inline struct mica_text
replay_round(uint32_t round, const char *answers, int64_t now)
{
    struct mica_text reply;

    MUST(mica_store_call_replay(store, mica_text("c1"), round,
                                mica_text(answers), now, &arena, &error,
                                &reply));
    return reply;
}

static inline void
must_be_due(int64_t now, const char *id, enum mica_status ending)
{
    struct mica_store_due due = due_at(now);

    ck_assert_uint_eq(due.count, 1);
    UNIT_TEXT_EQ(due.ids[0], id);
    ck_assert_int_eq(due.endings[0], ending);
}

#endif
