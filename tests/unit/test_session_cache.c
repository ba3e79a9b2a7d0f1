// SPDX-License-Identifier: Apache-2.0
//
// Sessions that were read a moment ago: for whom, for how long, how many.
#include "store/session_cache.h"

#include <stdio.h>

#include "unit.h"

static struct mica_session_cache *cache;
static struct mica_arena arena;
static struct mica_store_session found;

static void
cache_begin(void)
{
    cache = mica_session_cache_open();
    ck_assert_ptr_nonnull(cache);
    mica_arena_init(&arena, 1 << 24);
}

static void
cache_end(void)
{
    mica_session_cache_close(&cache);
    ck_assert_ptr_null(cache);
    mica_arena_fini(&arena);
}

static struct mica_store_session_key
key_of(unsigned number)
{
    char text[32];

    (void)snprintf(text, sizeof text, "session %u", number);
    return mica_store_session_key_of(mica_text(text));
}

static struct mica_owner
owner_of(const char *subjectz)
{
    return (struct mica_owner){
        mica_text("https://idp"), mica_text(subjectz), {NULL, 0}};
}

// Keeps a session of "ada", with `size` bytes of capabilities.
static void
keep(unsigned number, int64_t now, size_t size)
{
    static char bytes[MICA_STORE_SESSION_BYTES];
    struct mica_store_session_key key = key_of(number);
    struct mica_owner ada = owner_of("ada");
    struct mica_store_session session = {.owner = ada,
                                         .revision = mica_text("2025-11-25"),
                                         .capabilities = {bytes, size},
                                         .log_level = 3,
                                         .seen = now,
                                         .expires = now + 60000};

    mica_session_cache_keep(cache, mica_session_cache_mark(cache), &key, &ada,
                            now, &session);
}

static enum mica_session_known
look(unsigned number, const char *subjectz, int64_t now)
{
    struct mica_store_session_key key = key_of(number);
    struct mica_owner owner = owner_of(subjectz);

    return mica_session_cache_find(cache, &key, &owner, now, &arena, &found);
}

START_TEST(a_session_is_known_for_a_while_and_to_its_owner)
{
    cache_begin();
    ck_assert_int_eq(look(1, "ada", 1000), MICA_SESSION_NOT_KNOWN);
    keep(1, 1000, 10);
    ck_assert_int_eq(look(1, "ada", 1000), MICA_SESSION_FOUND);
    UNIT_TEXT_EQ(found.revision, "2025-11-25");
    UNIT_TEXT_EQ(found.owner.subject, "ada");
    ck_assert_uint_eq(found.capabilities.len, 10);
    ck_assert_int_eq(found.log_level, 3);
    ck_assert_int_eq(look(1, "eve", 1000), MICA_SESSION_GONE);
    ck_assert_int_eq(look(2, "ada", 1000), MICA_SESSION_NOT_KNOWN);
    ck_assert_int_eq(look(1, "ada", 1000 + MICA_SESSION_CACHE_AGE_MS - 1),
                     MICA_SESSION_FOUND);
    ck_assert_int_eq(look(1, "ada", 1000 + MICA_SESSION_CACHE_AGE_MS),
                     MICA_SESSION_NOT_KNOWN);
    ck_assert_int_eq(look(1, "ada", 999), MICA_SESSION_NOT_KNOWN);
    cache_end();
}
END_TEST

START_TEST(an_expired_session_is_gone)
{
    struct mica_store_session_key key = key_of(1);
    struct mica_owner ada = owner_of("ada");
    struct mica_store_session session = {.owner = ada, .expires = 1500};

    cache_begin();
    mica_session_cache_keep(cache, 0, &key, &ada, 1000, &session);
    ck_assert_int_eq(look(1, "ada", 1499), MICA_SESSION_FOUND);
    ck_assert_int_eq(look(1, "ada", 1500), MICA_SESSION_GONE);
    cache_end();
}
END_TEST

// What was not there for eve may be there for ada.
START_TEST(an_absence_is_known_to_who_has_asked)
{
    struct mica_store_session_key key = key_of(1);
    struct mica_owner eve = owner_of("eve");

    cache_begin();
    mica_session_cache_keep(cache, 0, &key, &eve, 1000, NULL);
    ck_assert_int_eq(look(1, "eve", 1999), MICA_SESSION_GONE);
    ck_assert_int_eq(look(1, "eve", 2000), MICA_SESSION_NOT_KNOWN);
    ck_assert_int_eq(look(1, "ada", 1000), MICA_SESSION_NOT_KNOWN);
    keep(1, 1000, 0);
    ck_assert_int_eq(look(1, "ada", 1000), MICA_SESSION_FOUND);
    cache_end();
}
END_TEST

START_TEST(what_was_read_before_a_change_is_not_kept)
{
    struct mica_store_session_key key = key_of(1), other = key_of(2);
    struct mica_owner ada = owner_of("ada");
    struct mica_store_session session = {.owner = ada, .expires = 60000};
    uint64_t mark;

    cache_begin();
    mark = mica_session_cache_mark(cache);
    mica_session_cache_forget(cache, &other);
    mica_session_cache_keep(cache, mark, &key, &ada, 1000, &session);
    ck_assert_int_eq(look(1, "ada", 1000), MICA_SESSION_NOT_KNOWN);
    keep(1, 1000, 0);
    keep(2, 1000, 0);
    mica_session_cache_forget(cache, &key);
    ck_assert_int_eq(look(1, "ada", 1000), MICA_SESSION_NOT_KNOWN);
    ck_assert_int_eq(look(2, "ada", 1000), MICA_SESSION_FOUND);
    mica_session_cache_clear(cache);
    ck_assert_int_eq(look(2, "ada", 1000), MICA_SESSION_NOT_KNOWN);
    cache_end();
}
END_TEST

// Of many, those that were read last; and of large ones, no more than fit.
START_TEST(it_has_a_bound)
{
    unsigned known = 0;

    cache_begin();
    for (unsigned i = 0; i < 4 * MICA_SESSION_CACHE_ENTRIES; i++)
        keep(i, 1000 + i / 100, 0);
    for (unsigned i = 0; i < 4 * MICA_SESSION_CACHE_ENTRIES; i++)
        known += look(i, "ada", 1200) == MICA_SESSION_FOUND;
    ck_assert_uint_le(known, MICA_SESSION_CACHE_ENTRIES);
    ck_assert_uint_ge(known, MICA_SESSION_CACHE_ENTRIES / 2);
    mica_session_cache_clear(cache);
    for (unsigned i = 0; i < 1000; i++)
        keep(i, 1000, 16000);
    known = 0;
    for (unsigned i = 0; i < 1000; i++)
        known += look(i, "ada", 1000) == MICA_SESSION_FOUND;
    ck_assert_uint_le(known, MICA_SESSION_CACHE_BYTES / 16000);
    ck_assert_uint_ge(known, 200);
    // What is too old makes room.
    keep(1001, 1000 + MICA_SESSION_CACHE_AGE_MS, 16000);
    ck_assert_int_eq(look(1001, "ada", 1000 + MICA_SESSION_CACHE_AGE_MS),
                     MICA_SESSION_FOUND);
    cache_end();
}
END_TEST

UNIT_MAIN("session cache", a_session_is_known_for_a_while_and_to_its_owner,
          an_expired_session_is_gone, an_absence_is_known_to_who_has_asked,
          what_was_read_before_a_change_is_not_kept, it_has_a_bound)
