// SPDX-License-Identifier: Apache-2.0
//
// What a store promises, in memory and in a file: this one text is built once
// for each back end; streams have a program of their own.
#include <pthread.h>
#include <stdatomic.h>

#include "store/sqlite.h"
#include "store/store.h"
#include "test_store_both.h"

// ---- Keys ------------------------------------------------------------------------

START_TEST(the_current_key_stays_until_it_is_old)
{
    static const struct mica_store_options options = {.key_age_ms = 1000,
                                                      .key_overlap_ms = 500};
    struct mica_store_key first, again, second, found;

    open_with(&options);
    MUST(mica_store_key_current(store, 5000, &error, &first));
    ck_assert_uint_eq(first.id, 1);
    ck_assert_int_eq(first.retires, INT64_MAX);
    MUST(mica_store_key_current(store, 5999, &error, &again));
    ck_assert_uint_eq(again.id, 1);
    ck_assert_mem_eq(again.secret, first.secret, sizeof first.secret);
    ck_assert_int_eq(again.created, first.created);
    ck_assert_int_eq(again.retires, INT64_MAX);
    MUST(
        mica_store_key_current(store, 4000, &error, &again)); // clock went back
    ck_assert_uint_eq(again.id, 1);

    MUST(mica_store_key_current(store, 6000, &error, &second));
    ck_assert_uint_eq(second.id, 2);
    ck_assert(memcmp(first.secret, second.secret, 32) != 0);
    MUST(mica_store_key_find(store, 1, 6499, &error, &found));
    ck_assert_mem_eq(found.secret, first.secret, 32);
    ck_assert_int_eq(found.retires, 6500);
    REFUSED(mica_store_key_find(store, 1, 6500, &error, &found),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_key_find(store, 3, 6000, &error, &found),
            MICA_E_NOT_FOUND);
    end_test();
}
END_TEST

START_TEST(a_key_that_was_rotated_opens_for_a_while_and_is_swept)
{
    static const struct mica_store_options options = {.key_overlap_ms = 100};
    struct mica_store_key key;
    size_t removed;

    open_with(&options);
    for (uint32_t i = 1; i <= 3; i++) {
        MUST(mica_store_key_rotate(store, 1000 * i, &error, &key));
        ck_assert_uint_eq(key.id, i);
    }
    MUST(mica_store_key_find(store, 2, 3099, &error, &key));
    ck_assert_int_eq(store_count(store).keys, 3);
    MUST(mica_store_sweep(store, 3050, 10, &error, &removed));
    ck_assert_int_eq(store_count(store).keys, 2);
    MUST(mica_store_sweep(store, 9000, 10, &error, &removed));
    ck_assert_int_eq(store_count(store).keys, 1);
    MUST(mica_store_key_rotate(store, 9000, &error, &key));
    ck_assert_uint_eq(key.id, 4); // never a number twice
    end_test();
}
END_TEST

// ---- Sessions --------------------------------------------------------------------

START_TEST(ids_are_long_visible_and_never_the_same)
{
    char ids[200][MICA_STORE_ID_SIZE];

    open_with(NULL);
    for (size_t i = 0; i < MICA_COUNT(ids); i++) {
        mica_store_id_make(ids[i]);
        ck_assert_uint_eq(strlen(ids[i]), 43);
        for (size_t j = 0; j < 43; j++)
            UNIT_MUST(ids[i][j] > ' ' && ids[i][j] < 127, "%s", ids[i]);
        for (size_t j = 0; j < i; j++)
            UNIT_MUST(strcmp(ids[i], ids[j]) != 0, "twice %s", ids[i]);
    }
    struct mica_store_session_key a = store_key(1), b = store_key(1),
                                  c = store_key(2);
    ck_assert_mem_eq(&a, &b, sizeof a);
    ck_assert(memcmp(&a, &c, sizeof a) != 0);
    end_test();
}
END_TEST

START_TEST(a_session_is_found_as_it_was_made)
{
    static const struct mica_owner owner = {
        {"https://login.example", 21}, {"user-ü", 7}, {"", 0}};
    struct mica_store_session session = store_session(10, 500), found;
    struct mica_store_session_key key = store_key(7);

    open_with(NULL);
    session.owner = owner;
    MUST(mica_store_session_create(store, &key, &session, &error));
    REFUSED(mica_store_session_create(store, &key, &session, &error),
            MICA_E_EXISTS);
    MUST(mica_store_session_find(store, &key, &owner, 20, &arena, &error,
                                 &found));
    UNIT_TEXT_EQ(found.owner.issuer, "https://login.example");
    UNIT_TEXT_EQ(found.owner.subject, "user-ü");
    UNIT_TEXT_EQ(found.revision, "2025-11-25");
    UNIT_TEXT_EQ(found.client_info,
                 "{\"name\":\"a client\",\"version\":\"1.2.3\"}");
    UNIT_TEXT_EQ(found.capabilities, "{\"elicitation\":{},\"sampling\":{}}");
    ck_assert_int_eq(found.log_level, -1);
    ck_assert_int_eq(found.created, 10);
    ck_assert_int_eq(found.expires, 500);

    MUST(mica_store_session_touch(store, &key, 30, 530, &error));
    MUST(mica_store_session_set_log_level(store, &key, 30, 4, &error));
    MUST(mica_store_session_find(store, &key, &owner, 529, &arena, &error,
                                 &found));
    ck_assert_int_eq(found.log_level, 4);
    ck_assert_int_eq(found.seen, 30);
    ck_assert_int_eq(found.expires, 530);
    ck_assert_int_eq(found.created, 10);
    UNIT_TEXT_EQ(found.owner.subject, "user-ü");
    MUST(mica_store_session_delete(store, &key, 40, &error));
    REFUSED(mica_store_session_find(store, &key, &owner, 40, &arena, &error,
                                    &found),
            MICA_E_NOT_FOUND);
    end_test();
}
END_TEST

START_TEST(unknown_expired_and_foreign_sessions_are_told_apart_by_nobody)
{
    static const struct mica_owner other = {
        {"https://login.example", 21}, {"mallory", 7}, {"", 0}};
    struct mica_store_session found;
    struct mica_store_session_key key, unknown = store_key(2);
    char first[512];

    open_with(NULL);
    key = store_create(store, 1, 0, 100);
    REFUSED(mica_store_session_find(store, &unknown, &no_owner, 50, &arena,
                                    &error, &found),
            MICA_E_NOT_FOUND);
    strcpy(first, error.message);
    REFUSED(mica_store_session_find(store, &key, &no_owner, 100, &arena, &error,
                                    &found),
            MICA_E_NOT_FOUND);
    ck_assert_str_eq(error.message, first);
    REFUSED(mica_store_session_find(store, &key, &other, 50, &arena, &error,
                                    &found),
            MICA_E_NOT_FOUND);
    ck_assert_str_eq(error.message, first);
    // Nor can one that has expired be brought back.
    REFUSED(mica_store_session_touch(store, &key, 100, 500, &error),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_session_set_log_level(store, &key, 100, 1, &error),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_session_delete(store, &key, 100, &error),
            MICA_E_NOT_FOUND);
    end_test();
}
END_TEST

START_TEST(there_are_so_many_sessions_and_expired_ones_make_room)
{
    static const struct mica_store_options options = {.sessions = 3};
    struct mica_store_session session = store_session(0, 100);
    struct mica_store_session_key key = store_key(4);

    open_with(&options);
    for (unsigned i = 1; i <= 3; i++)
        (void)store_create(store, i, 0, i == 2 ? 50 : 100);
    REFUSED(mica_store_session_create(store, &key, &session, &error),
            MICA_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "3 sessions"));
    session.seen = 50;
    MUST(mica_store_session_create(store, &key, &session, &error));
    ck_assert_int_eq(store_count(store).sessions, 3);
    ck_assert_int_eq(store_count(store).sessions_expired, 1);
    key = store_key(1);
    MUST(mica_store_session_delete(store, &key, 60, &error));
    (void)store_create(store, 5, 60, 100);
    end_test();
}
END_TEST

static enum mica_status
create_of(unsigned number, int64_t now, const char *party, const char *subject)
{
    struct mica_store_session session = store_session(now, 100000);
    struct mica_store_session_key key = store_key(number);

    session.party = mica_text(party);
    session.owner.subject = mica_text(subject);
    return mica_store_session_create(store, &key, &session, &error);
}

static bool
is_there(unsigned number, const char *subject, int64_t now)
{
    struct mica_store_session_key key = store_key(number);
    const struct mica_owner owner = {{"", 0}, mica_text(subject), {"", 0}};
    struct mica_store_session found;

    return mica_store_session_find(store, &key, &owner, now, &arena, &error,
                                   &found) == MICA_OK;
}

START_TEST(the_session_of_a_party_that_is_idle_for_longest_makes_room)
{
    static const struct mica_store_options options = {.party_sessions = 3};
    struct mica_store_session_key key = store_key(1);

    open_with(&options);
    for (unsigned i = 1; i <= 3; i++)
        MUST(create_of(i, i, "192.0.2.1", ""));
    MUST(mica_store_session_touch(store, &key, 10, 100000, &error));
    MUST(create_of(4, 11, "192.0.2.1", ""));
    ck_assert(is_there(1, "", 12) && !is_there(2, "", 12) &&
              is_there(3, "", 12) && is_there(4, "", 12));
    ck_assert_int_eq(store_count(store).sessions, 3);
    ck_assert_int_eq(store_count(store).sessions_displaced, 1);
    // Another address, a principal, and an address without an owner have their own.
    MUST(create_of(5, 12, "192.0.2.2", ""));
    MUST(create_of(6, 12, "192.0.2.1", "user"));
    for (unsigned i = 10; i < 20; i++)
        MUST(create_of(i, 12, "", ""));
    ck_assert(is_there(1, "", 12) && is_there(3, "", 12) &&
              is_there(4, "", 12));
    // A principal is one party wherever it calls from.
    for (unsigned i = 30; i < 33; i++)
        MUST(create_of(i, 13, i == 31 ? "192.0.2.7" : "192.0.2.8", "user"));
    ck_assert(!is_there(6, "user", 13));
    // What was ended or has expired counts no more.
    MUST(mica_store_session_delete(store, &key, 14, &error));
    MUST(create_of(7, 14, "192.0.2.1", ""));
    ck_assert(is_there(3, "", 14) && is_there(4, "", 14));
    end_test();
}
END_TEST

START_TEST(a_session_with_an_open_stream_does_not_make_room)
{
    static const struct mica_store_options options = {.party_sessions = 2};
    struct mica_store_session_key one = store_key(1), two = store_key(2);
    int64_t stream;

    open_with(&options);
    MUST(create_of(1, 1, "192.0.2.1", ""));
    MUST(create_of(2, 2, "192.0.2.1", ""));
    MUST(mica_store_stream_open(store, &one, MICA_LITERAL("x"), 3, 50000,
                                &error, &stream));
    MUST(mica_store_session_listen(store, &two, 3, 1000000, 80000, &error));
    REFUSED(create_of(3, 4, "192.0.2.1", ""), MICA_E_SESSIONS);
    ck_assert_ptr_nonnull(strstr(error.message, "2 sessions"));
    ck_assert_int_eq(store_count(store).sessions, 2);
    MUST(create_of(4, 4, "192.0.2.2", ""));
    // Renewed: it stays until the other one's time has run out.
    MUST(mica_store_stream_renew(store, &one, stream, 40000, 50000, &error));
    REFUSED(create_of(3, 60000, "192.0.2.1", ""), MICA_E_SESSIONS);
    MUST(create_of(3, 81000, "192.0.2.1", ""));
    ck_assert(is_there(1, "", 81000) && !is_there(2, "", 81000));
    // Closed before its lease has run out: it is idle at once.
    MUST(mica_store_stream_close(store, &one, stream, 82000, &error));
    MUST(create_of(5, 83000, "192.0.2.1", ""));
    MUST(create_of(6, 84000, "192.0.2.1", ""));
    ck_assert(!is_there(1, "", 84000));
    end_test();
}
END_TEST

// A request reads the clock and then waits for the store: what has become idle in
// that time has a later clock.
START_TEST(a_session_whose_clock_is_a_little_ahead_is_idle)
{
    enum {
        AHEAD = 3000
    };
    static const struct mica_store_options options = {.party_sessions = 1};
    struct mica_store_session_key two = store_key(2);
    int64_t stream;

    open_with(&options);
    MUST(create_of(1, 10000, "192.0.2.1", ""));
    REFUSED(create_of(2, 10000 - AHEAD, "192.0.2.1", ""), MICA_E_SESSIONS);
    MUST(create_of(2, 10001 - AHEAD, "192.0.2.1", ""));
    ck_assert(!is_there(1, "", 10000));
    // One with a lease is busy, on whatever clock.
    MUST(mica_store_stream_open(store, &two, MICA_LITERAL("x"), 10000, 30000,
                                &error, &stream));
    REFUSED(create_of(3, 10001, "192.0.2.1", ""), MICA_E_SESSIONS);
    REFUSED(create_of(3, 40000 - AHEAD, "192.0.2.1", ""), MICA_E_SESSIONS);
    ck_assert(is_there(2, "", 10001));
    end_test();
}
END_TEST

START_TEST(texts_of_a_session_are_bounded_and_clean)
{
    static char large[MICA_STORE_SESSION_BYTES + 1];
    struct mica_store_session session = {.expires = 100}, found;
    struct mica_store_session_key key = store_key(1);

    open_with(NULL);
    memset(large, 'a', sizeof large);
    session.client_info = (struct mica_text){large, sizeof large};
    REFUSED(mica_store_session_create(store, &key, &session, &error),
            MICA_E_LIMIT);
    session.client_info.len = 10000;
    session.capabilities = (struct mica_text){large, 6385};
    REFUSED(mica_store_session_create(store, &key, &session, &error),
            MICA_E_LIMIT);
    session.capabilities = MICA_LITERAL("a\xFF");
    REFUSED(mica_store_session_create(store, &key, &session, &error),
            MICA_E_FORMAT);
    session.capabilities = MICA_LITERAL("a\0b");
    REFUSED(mica_store_session_create(store, &key, &session, &error),
            MICA_E_FORMAT);
    session.capabilities = (struct mica_text){large, 6384};
    MUST(mica_store_session_create(store, &key, &session, &error));
    MUST(mica_store_session_find(store, &key, &no_owner, 1, &arena, &error,
                                 &found));
    ck_assert_uint_eq(found.client_info.len, 10000);
    ck_assert_uint_eq(found.capabilities.len, 6384);
    end_test();
}
END_TEST

// ---- Changes ---------------------------------------------------------------------

START_TEST(changes_are_read_in_order_from_any_point)
{
    struct mica_store_changes changes;
    int64_t sequence;

    open_with(NULL);
    MUST(mica_store_change_last(store, &error, &sequence));
    ck_assert_int_eq(sequence, 0);
    MUST(mica_store_change_read(store, 0, 10, &arena, &error, &changes));
    ck_assert_uint_eq(changes.count, 0);
    MUST(mica_store_change_append(
        store,
        &(struct mica_store_change){.kind = MICA_CHANGE_TOOLS,
                                    .name = mica_text("adder"),
                                    .created = 5},
        &error, &sequence));
    MUST(mica_store_change_append(
        store,
        &(struct mica_store_change){.kind = MICA_CHANGE_RESOURCE,
                                    .name = mica_text("file:///a"),
                                    .created = 6},
        &error, &sequence));
    MUST(mica_store_change_append(
        store,
        &(struct mica_store_change){
            .kind = MICA_CHANGE_PROMPTS, .name = mica_text(""), .created = 7},
        &error, &sequence));
    ck_assert_int_eq(sequence, 3);
    MUST(mica_store_change_read(store, 1, 10, &arena, &error, &changes));
    ck_assert_uint_eq(changes.count, 2);
    ck_assert(!changes.missed);
    ck_assert_int_eq(changes.items[0].kind, MICA_CHANGE_RESOURCE);
    UNIT_TEXT_EQ(changes.items[0].name, "file:///a");
    ck_assert_int_eq(changes.items[0].created, 6);
    ck_assert_int_eq(changes.items[1].sequence, 3);
    MUST(mica_store_change_read(store, 0, 1, &arena, &error, &changes));
    ck_assert_uint_eq(changes.count, 1);
    ck_assert_int_eq(changes.items[0].kind, MICA_CHANGE_TOOLS);
    end_test();
}
END_TEST

START_TEST(old_changes_go_and_who_missed_them_is_told)
{
    static const struct mica_store_options options = {.changes = 3,
                                                      .change_age_ms = 50};
    static char name[MICA_STORE_NAME_BYTES + 1];
    struct mica_store_changes changes;
    int64_t sequence;
    size_t removed;

    open_with(&options);
    for (int64_t i = 1; i <= 5; i++)
        MUST(mica_store_change_append(
            store,
            &(struct mica_store_change){.kind = MICA_CHANGE_TOOLS,
                                        .name = mica_text("t"),
                                        .created = i},
            &error, &sequence));
    MUST(mica_store_change_read(store, 2, 10, &arena, &error, &changes));
    ck_assert(!changes.missed);
    ck_assert_uint_eq(changes.count, 3);
    MUST(mica_store_change_read(store, 1, 10, &arena, &error, &changes));
    ck_assert(changes.missed);
    MUST(mica_store_sweep(store, 1000, 10, &error, &removed));
    ck_assert_int_eq(store_count(store).changes, 1);
    ck_assert_int_eq(store_count(store).changes_dropped, 4);
    // The newest stays, so the numbers continue.
    MUST(mica_store_change_last(store, &error, &sequence));
    ck_assert_int_eq(sequence, 5);
    MUST(mica_store_change_read(store, 5, 10, &arena, &error, &changes));
    ck_assert(!changes.missed);
    memset(name, 'n', sizeof name);
    REFUSED(mica_store_change_append(
                store,
                &(struct mica_store_change){
                    .kind = MICA_CHANGE_RESOURCE,
                    .name = (struct mica_text){name, sizeof name},
                    .created = 1},
                &error, &sequence),
            MICA_E_LIMIT);
    end_test();
}
END_TEST

// ---- Subscriptions ---------------------------------------------------------------

START_TEST(subscribers_of_a_resource_are_listed_page_by_page)
{
    struct mica_store_session_key keys[100], *after = NULL;
    struct mica_store_subscribers page;
    size_t seen = 0;

    open_with(NULL);
    for (unsigned i = 0; i < 100; i++) {
        keys[i] = store_create(store, i, 0, i % 4 == 0 ? 50 : 100);
        MUST(mica_store_subscribe(store, &keys[i], mica_text("file:///a"), 1,
                                  &error));
        MUST(mica_store_subscribe(store, &keys[i], mica_text("file:///a"), 1,
                                  &error)); // twice is once
        MUST(mica_store_subscribe(store, &keys[i], mica_text("file:///ab"), 1,
                                  &error));
    }
    ck_assert_int_eq(store_count(store).subscriptions, 200);
    MUST(mica_store_unsubscribe(store, &keys[1], mica_text("file:///a"), 1,
                                &error));
    MUST(mica_store_unsubscribe(store, &keys[1], mica_text("file:///a"), 1,
                                &error));
    ck_assert_int_eq(store_count(store).subscriptions, 199);
    do {
        MUST(mica_store_subscribers(store, mica_text("file:///a"), after, 7, 60,
                                    &arena, &error, &page));
        for (size_t i = 0; i < page.count; i++) {
            bool known = false;
            for (unsigned j = 2; j < 100 && !known; j++)
                known = j % 4 != 0 &&
                        memcmp(&page.keys[i], &keys[j], sizeof keys[j]) == 0;
            ck_assert(known);
            ck_assert(after == NULL ||
                      memcmp(after, &page.keys[i], sizeof *after) < 0);
            after = &page.keys[i];
        }
        seen += page.count;
    } while (page.count == 7);
    ck_assert_uint_eq(seen, 74); // 100, less 25 expired and one that left
    MUST(mica_store_subscribers(store, mica_text("file:///"), NULL, 7, 60,
                                &arena, &error, &page));
    ck_assert_uint_eq(page.count, 0);
    end_test();
}
END_TEST

START_TEST(a_session_has_so_many_subscriptions)
{
    static const struct mica_store_options options = {.subscriptions = 2};
    struct mica_store_session_key key;

    open_with(&options);
    key = store_create(store, 1, 0, 100);
    MUST(mica_store_subscribe(store, &key, mica_text("a:"), 1, &error));
    MUST(mica_store_subscribe(store, &key, mica_text("b:"), 1, &error));
    REFUSED(mica_store_subscribe(store, &key, mica_text("c:"), 1, &error),
            MICA_E_LIMIT);
    MUST(mica_store_subscribe(store, &key, mica_text("b:"), 1, &error));
    REFUSED(mica_store_subscribe(store, &key, MICA_LITERAL("\xC3"), 1, &error),
            MICA_E_FORMAT);
    REFUSED(mica_store_subscribe(store, &key, mica_text("b:"), 100, &error),
            MICA_E_NOT_FOUND);
    MUST(mica_store_unsubscribe(store, &key, mica_text("a:"), 1, &error));
    MUST(mica_store_subscribe(store, &key, mica_text("c:"), 1, &error));
    end_test();
}
END_TEST

// ---- Sweeping --------------------------------------------------------------------

START_TEST(a_sweep_removes_so_much_and_says_how_much)
{
    size_t removed;

    open_with(NULL);
    for (unsigned i = 0; i < 25; i++)
        (void)store_create(store, i, 0, i < 20 ? 50 : 500);
    MUST(mica_store_sweep(store, 49, 8, &error, &removed));
    ck_assert_uint_eq(removed, 0);
    MUST(mica_store_sweep(store, 50, 8, &error, &removed));
    ck_assert_uint_eq(removed, 8);
    MUST(mica_store_sweep(store, 50, 8, &error, &removed));
    MUST(mica_store_sweep(store, 50, 8, &error, &removed));
    ck_assert_uint_eq(removed, 4);
    ck_assert_int_eq(store_count(store).sessions, 5);
    ck_assert_int_eq(store_count(store).sessions_expired, 20);
    REFUSED(mica_store_sweep(store, 50, 0, &error, &removed), MICA_E_USAGE);
    REFUSED(mica_store_sweep(store, 50, 1001, &error, &removed), MICA_E_USAGE);
    end_test();
}
END_TEST

// ---- Threads ---------------------------------------------------------------------

enum {
    THREADS = 4,
    ROUNDS = 150
};

static atomic_uint next_thread;

static void *
work(void *data)
{
    unsigned mine = atomic_fetch_add(&next_thread, 1);
    struct mica_error problem;
    struct mica_arena own;
    int64_t number, stream;

    (void)data;
    mica_arena_init(&own, 16 << 20);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct mica_store_session_key key = store_key(1000 * (mine + 1) + i);
        struct mica_store_session session = store_session(0, 100), found;
        struct mica_store_key sealing;
        struct mica_store_events events;
        UNIT_MUST(
            mica_store_session_create(store, &key, &session, &problem) ==
                    MICA_OK &&
                mica_store_stream_open(store, &key, STREAM_FOR, 1, STREAM_MS,
                                       &problem, &stream) == MICA_OK &&
                mica_store_event_append(store, &key, stream, 1,
                                        mica_text("event"), &problem,
                                        &number) == MICA_OK &&
                mica_store_event_replay(store, &key, stream, 0, 5, 1, &own,
                                        &problem, &events) == MICA_OK &&
                mica_store_session_find(store, &key, &no_owner, 1, &own,
                                        &problem, &found) == MICA_OK &&
                mica_store_key_current(store, 1, &problem, &sealing) ==
                    MICA_OK &&
                mica_store_change_append(
                    store,
                    &(struct mica_store_change){.kind = MICA_CHANGE_TOOLS,
                                                .name = mica_text("x"),
                                                .created = 1},
                    &problem, &number) == MICA_OK,
            "%s", problem.message);
        UNIT_MUST(events.count == 1 && sealing.id == 1, "mixed up");
        if (i % 2 == 0)
            UNIT_MUST(mica_store_session_delete(store, &key, 1, &problem) ==
                          MICA_OK,
                      "%s", problem.message);
        mica_arena_reset(&own);
    }
    mica_arena_fini(&own);
    return NULL;
}

START_TEST(threads_use_one_store_at_once)
{
    static const struct mica_store_options options = {.busy_ms = 30000};
    pthread_t threads[THREADS];
    struct mica_store_statistics there;

    open_with(&options);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    there = store_count(store);
    ck_assert_int_eq(there.sessions, THREADS * ROUNDS / 2);
    ck_assert_int_eq(there.events, THREADS * ROUNDS / 2);
    ck_assert_int_eq(there.changes, THREADS * ROUNDS);
    ck_assert_int_eq(there.keys, 1);
    end_test();
}
END_TEST

static atomic_bool inside, release;

// Has the store as long as an operation would that takes its time.
static void *
hold_store(void *data)
{
    struct mica_sqlite *sqlite = store->self;

    (void)data;
    UNIT_MUST(mica_timed_lock_enter(&sqlite->timed_lock, NULL) == MICA_OK,
              "held");
    atomic_store(&inside, true);
    while (!atomic_load(&release))
        usleep(1000);
    mica_timed_lock_leave(&sqlite->timed_lock);
    return NULL;
}

START_TEST(a_wait_for_other_threads_ends)
{
    static const struct mica_store_options options = {.busy_ms = 50};
    struct mica_store_statistics statistics;
    struct mica_store_place place;
    pthread_t thread;

    open_with(&options);
    ck_assert_int_eq(pthread_create(&thread, NULL, hold_store, NULL), 0);
    while (!atomic_load(&inside))
        usleep(1000);
    REFUSED(mica_store_statistics(store, &error, &statistics), MICA_E_BUSY);
    atomic_store(&release, true);
    pthread_join(thread, NULL);
    MUST(mica_store_statistics(store, &error, &statistics));
    MUST(mica_store_place(store, &error, &place));
    ck_assert_uint_ge(place.waits_vain, 1);
    end_test();
}
END_TEST

// ---- Opening ---------------------------------------------------------------------

START_TEST(a_spec_that_is_none_is_refused)
{
    static const char *const specs[] = {"", "postgres:x", "sqlite:", "Memory",
                                        "memory "};

    for (size_t i = 0; i < MICA_COUNT(specs); i++) {
        REFUSED(mica_store_open(specs[i], NULL, &error, &store), MICA_E_USAGE);
        ck_assert_ptr_nonnull(strstr(error.message, "sqlite:PATH"));
    }
    open_with(NULL);
    end_test();
}
END_TEST

UNIT_MAIN("store in " MICA_TEST_STORE, the_current_key_stays_until_it_is_old,
          a_key_that_was_rotated_opens_for_a_while_and_is_swept,
          ids_are_long_visible_and_never_the_same,
          a_session_is_found_as_it_was_made,
          unknown_expired_and_foreign_sessions_are_told_apart_by_nobody,
          there_are_so_many_sessions_and_expired_ones_make_room,
          the_session_of_a_party_that_is_idle_for_longest_makes_room,
          a_session_with_an_open_stream_does_not_make_room,
          a_session_whose_clock_is_a_little_ahead_is_idle,
          texts_of_a_session_are_bounded_and_clean,
          changes_are_read_in_order_from_any_point,
          old_changes_go_and_who_missed_them_is_told,
          subscribers_of_a_resource_are_listed_page_by_page,
          a_session_has_so_many_subscriptions,
          a_sweep_removes_so_much_and_says_how_much,
          threads_use_one_store_at_once, a_wait_for_other_threads_ends,
          a_spec_that_is_none_is_refused)
