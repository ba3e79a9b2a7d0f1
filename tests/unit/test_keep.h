// SPDX-License-Identifier: Apache-2.0
//
// A service in a folder of its own, and orders to it: what the tests of databases share.
#ifndef MICA_UNIT_TEST_KEEP_H
#define MICA_UNIT_TEST_KEEP_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/keep_database.h"
#include "keep/keep_service.h"
#include "unit.h"

// ---- A service in a folder ---------------------------------------------------------

static char folder[] = "/tmp/mica-keep-XXXXXX";
static struct mica_keep_service *service;
static struct mica_arena arena;
static struct mica_error error;
static struct mica_text answer;  // to the last order
static enum mica_status verdict; // what the reader of answers says

static inline int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static inline void
open_service(uint32_t megabytes)
{
    char path[PATH_MAX];
    const struct mica_keep_options options = {path, megabytes};

    (void)snprintf(path, sizeof path, "%s/keep", folder);
    ck_assert_int_eq(mica_keep_service_open(&options, &error, &service),
                     MICA_OK);
}

static inline void
reopen(uint32_t megabytes)
{
    mica_keep_service_close(service);
    open_service(megabytes);
}

static inline void
begin(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    mica_arena_init(&arena, 64 << 20);
    open_service(0);
}

static inline void
end(void)
{
    mica_keep_service_close(service);
    mica_arena_fini(&arena);
    ck_assert_int_eq(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline enum mica_status
take(void *data, struct mica_text text, struct mica_error *why)
{
    (void)data;
    answer = mica_arena_text(&arena, text);
    return verdict == MICA_OK ? MICA_OK
                              : mica_error_set(why, verdict, "", "refused");
}

static const char *const no_tables[] = {NULL};
static const char *const one_table[] = {
    "CREATE TABLE t (id INTEGER PRIMARY KEY, x ANY) STRICT", NULL};
static struct mica_keep_place place = {"tool.test", no_tables};

static inline enum mica_status
run_order(struct mica_keep_order order)
{
    order.place = &place;
    order.read = take;
    answer = MICA_LITERAL("");
    error.status = MICA_OK;
    return service->provider.run(service->provider.data, &order, &arena,
                                 &error);
}

static inline enum mica_status
put(const char *name, const char *json, int64_t expect)
{
    return run_order((struct mica_keep_order){.act = MICA_KEEP_PUT,
                                              .name = mica_text(name),
                                              .value = mica_text(json),
                                              .expect = expect});
}

static inline enum mica_status
get(const char *name)
{
    return run_order((struct mica_keep_order){.act = MICA_KEEP_GET,
                                              .name = mica_text(name)});
}

static inline enum mica_status
list(const char *prefix, const char *after, unsigned limit)
{
    return run_order((struct mica_keep_order){.act = MICA_KEEP_LIST,
                                              .name = mica_text(prefix),
                                              .after = mica_text(after),
                                              .limit = limit});
}

static inline enum mica_status
sql(const char *text)
{
    const struct mica_sql_statement one = {text, NULL, 0};

    return run_order((struct mica_keep_order){
        .act = MICA_KEEP_SQL, .run = &one, .count = 1});
}

static inline void
must_answer(enum mica_status status, const char *wanted)
{
    ck_assert_msg(status == MICA_OK, "%s: %s", mica_status_code(status),
                  error.message);
    ck_assert_msg(mica_text_is(answer, wanted), "%.*s, not %s",
                  MICA_ARG(answer), wanted);
}

static inline void
must_fail(enum mica_status status, enum mica_status wanted, const char *words)
{
    ck_assert_msg(status == wanted, "%s, not %s: %s", mica_status_code(status),
                  mica_status_code(wanted), error.message);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
}

// A value of that many bytes.
static inline const char *
large_value(size_t bytes)
{
    char *value = mica_arena_alloc(&arena, bytes + 1);

    ck_assert_ptr_nonnull(value);
    memset(value, 'x', bytes);
    value[0] = value[bytes - 1] = '"';
    value[bytes] = '\0';
    return value;
}

static inline enum mica_status
insert(const char *key, const char *text, int64_t now)
{
    const struct mica_sql_statement one = {text, NULL, 0};

    return run_order((struct mica_keep_order){.key = mica_text(key),
                                              .now = now,
                                              .expires = now + 1000,
                                              .act = MICA_KEEP_SQL,
                                              .run = &one,
                                              .count = 1});
}

#endif
