// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the store share: a folder of their own, a store in it, and
// short forms of its functions that must succeed.
#ifndef MICA_TESTS_STORE_H
#define MICA_TESTS_STORE_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_calls.h"
#include "store/store_changes.h"
#include "store/store_keys.h"
#include "store/store_sessions.h"
#include "store/store_streams.h"

#include "store_due.h"
#include "unit.h"

static char store_folder[64];
static struct mica_error error;

static const struct mica_owner no_owner = {{NULL, 0}, {NULL, 0}, {NULL, 0}};

// What streams of tests are for, and how long a process serves them.
#define STREAM_FOR MICA_LITERAL("7")
enum {
    STREAM_MS = 1000
};

static int
store_remove_one(const char *path, const struct stat *st, int kind,
                 struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static void
store_remove_folder(void)
{
    if (store_folder[0] != '\0')
        (void)nftw(store_folder, store_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    store_folder[0] = '\0';
}

// The path of a file in the folder, which is made when it is first asked for.
static const char *
store_file(const char *name)
{
    static char path[128];

    if (store_folder[0] == '\0') {
        // In memory, where it can be: nothing here is about a slow disk.
        strcpy(store_folder, access("/dev/shm", W_OK) == 0
                                 ? "/dev/shm/mica-store-XXXXXX"
                                 : "/tmp/mica-store-XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(store_folder));
    }
    (void)snprintf(path, sizeof path, "%s/%s", store_folder, name);
    return path;
}

static const char *
store_spec(const char *backend, const char *name)
{
    static char spec[160];

    if (strcmp(backend, "memory") == 0)
        return "memory";
    (void)snprintf(spec, sizeof spec, "sqlite:%s", store_file(name));
    return spec;
}

#define MUST(expression)                                        \
    do {                                                        \
        enum mica_status must_ = (expression);                  \
        if (must_ != MICA_OK)                                   \
            ck_abort_msg("%s: %s: %s", #expression, error.code, \
                         error.message);                        \
    } while (0)

// It fails so, with a text for a person.
#define REFUSED(expression, status_)                                \
    do {                                                            \
        memset(&error, 0, sizeof error);                            \
        enum mica_status refused_ = (expression);                   \
        if (refused_ != (status_))                                  \
            ck_abort_msg("%s: %s instead of %s: %s", #expression,   \
                         mica_status_code(refused_),                \
                         mica_status_code(status_), error.message); \
        ck_assert_int_eq(error.status, refused_);                   \
        ck_assert_uint_gt(strlen(error.message), 20);               \
    } while (0)

static inline struct mica_store_session_key
store_key(unsigned number)
{
    char id[32];

    (void)snprintf(id, sizeof id, "session-%u", number);
    return mica_store_session_key_of(mica_text(id));
}

static inline struct mica_store_session
store_session(int64_t now, int64_t expires)
{
    return (struct mica_store_session){
        .revision = MICA_LITERAL("2025-11-25"),
        .client_info = MICA_LITERAL("{\"name\":\"a client\",\"version\":"
                                    "\"1.2.3\"}"),
        .capabilities = MICA_LITERAL("{\"elicitation\":{},\"sampling\":{}}"),
        .log_level = -1,
        .created = now,
        .seen = now,
        .expires = expires};
}

static inline struct mica_store_session_key
store_create(struct mica_store *store, unsigned number, int64_t now,
             int64_t expires)
{
    struct mica_store_session_key key = store_key(number);
    struct mica_store_session session = store_session(now, expires);

    MUST(mica_store_session_create(store, &key, &session, &error));
    return key;
}

static inline struct mica_store_statistics
store_count(struct mica_store *store)
{
    struct mica_store_statistics statistics;

    MUST(mica_store_statistics(store, &error, &statistics));
    return statistics;
}

// A file must agree with itself whatever has happened to it.
static inline void
store_must_be_sound(struct mica_store *store)
{
    struct mica_store_place place;
    struct mica_arena arena;
    struct mica_text findings;

    MUST(mica_store_place(store, &error, &place));
    if (place.path == NULL)
        return;
    mica_arena_init(&arena, 1 << 20);
    MUST(mica_store_check(store, &arena, &error, &findings));
    ck_assert_msg(findings.len == 0, "%.*s", MICA_ARG(findings));
    mica_arena_fini(&arena);
}

#endif
