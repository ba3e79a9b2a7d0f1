// SPDX-License-Identifier: Apache-2.0
//
// The cache of translations: what is taken from it, what is not believed, what it
// does when it cannot be used, and that it stays within its bounds.
#include "test_build.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/build_cache.h"

#define GOOD BEFORE HANDLER "out->b = in->a * 2;" AFTER("good")
#define KEY  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void
open_cached(struct bench *bench)
{
    open_bench(bench);
    (void)snprintf(bench->toolchain.cache, sizeof bench->toolchain.cache,
                   "%s/cache", bench->folder);
    write_source(bench, "good.c", GOOD);
}

static unsigned
entries(const struct bench *bench)
{
    return (unsigned)mica_cache_measure(bench->toolchain.cache).entries;
}

// Builds good.c from scratch; its shared object is that of the first build.
static void
builds_the_same(struct bench *bench)
{
    ck_assert(shell(bench, "rm -rf out"));
    builds_to(bench, "good.c", MICA_OK, "");
    ck_assert(shell(bench, "test -f good.so || cp out/good-*.so good.so"));
    ck_assert(shell(bench, "cmp good.so out/good-*.so"));
}

// The only entry was read and believed by the last build.
static bool
was_used(const struct bench *bench)
{
    return shell(bench, "test -n \"$(find cache -type f -newer mark)\"");
}

static void
age(const struct bench *bench)
{
    ck_assert(shell(bench, "touch -d '2 hours ago' cache/* && "
                           "touch -d '1 hour ago' mark"));
}

// ---- What is taken -----------------------------------------------------------------

START_TEST(the_same_translation_is_compiled_once)
{
    struct bench bench;
    open_cached(&bench);
    builds_the_same(&bench);
    ck_assert_uint_eq(entries(&bench), 1);
    ck_assert(shell(&bench, "test $(stat -c %a cache) = 700 && "
                            "test $(stat -c %a cache/*) = 600 && "
                            "sha256sum cache/* > sums"));
    age(&bench);
    builds_the_same(&bench);
    ck_assert(was_used(&bench));
    ck_assert(shell(&bench, "sha256sum --status -c sums"));
    ck_assert_uint_eq(entries(&bench), 1);
    close_bench(&bench);
}
END_TEST

START_TEST(what_differs_in_any_part_is_compiled)
{
    struct bench bench;
    open_cached(&bench);
    builds_the_same(&bench);
    bench.options.fast = false;
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_uint_eq(entries(&bench), 2);
    bench.options.fast = true;
    write_source(&bench, "good.c",
                 BEFORE HANDLER "out->b = in->a * 3;" AFTER("good"));
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_uint_eq(entries(&bench), 3);
    // A header that the translation includes.
    char command[2 * PATH_MAX];
    (void)snprintf(command, sizeof command,
                   "cp -r %s runtime && echo 'extern int more;' >> "
                   "runtime/checks.h",
                   bench.toolchain.runtime_dir);
    ck_assert(shell(&bench, command));
    (void)snprintf(bench.toolchain.runtime_dir,
                   sizeof bench.toolchain.runtime_dir, "%s/runtime",
                   bench.folder);
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_uint_eq(entries(&bench), 4);
    // Another compiler that says the same of itself.
    (void)snprintf(
        command, sizeof command,
        "printf '#!/bin/sh\\nexec %s \"$@\"\\n' > cc && chmod 755 cc",
        bench.toolchain.cc);
    ck_assert(shell(&bench, command));
    (void)snprintf(bench.toolchain.cc, sizeof bench.toolchain.cc, "%s/cc",
                   bench.folder);
    bench.options.fast = false;
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_uint_eq(entries(&bench), 5);
    close_bench(&bench);
}
END_TEST

START_TEST(without_a_cache_nothing_is_kept)
{
    struct bench bench;
    open_cached(&bench);
    bench.toolchain.cache[0] = '\0';
    builds_the_same(&bench);
    ck_assert(shell(&bench, "test ! -e cache"));
    close_bench(&bench);
}
END_TEST

// ---- What is not believed ------------------------------------------------------------

// A build finds what the command left of the entry, does not use it, and puts a good
// one in its place.
static void
replaces(struct bench *bench, const char *command)
{
    age(bench);
    ck_assert_msg(shell(bench, command), "%s", command);
    builds_the_same(bench);
    ck_assert_msg(shell(bench, "sha256sum --status -c sums && "
                               "test -z \"$(find cache -type l)\""),
                  "%s", command);
}

START_TEST(a_damaged_or_foreign_entry_is_replaced)
{
    static const char *const commands[] = {
        "truncate -s 100 cache/*",
        "truncate -s 300 cache/*",
        ": > cache/$(ls cache)",
        "truncate -s -1 cache/*",
        "printf x >> cache/$(ls cache)",
        // A byte of the object, and the object of something else behind the seal.
        "printf x | dd of=cache/$(ls cache) bs=1 seek=5000 conv=notrunc 2>/dev/null",
        "f=cache/$(ls cache); head -c 208 $f > x; cat /bin/true >> x; cp x $f",
        // Others may have written it.
        "chmod 666 cache/*",
        // In its place a link to a good one, a link to nothing, and a FIFO.
        "f=$(ls cache); mv cache/$f good.entry; ln -s ../good.entry cache/$f",
        "f=$(ls cache); ln -sf /nonexistent cache/$f",
        "f=$(ls cache); rm cache/$f; mkfifo cache/$f",
    };
    struct bench bench;
    open_cached(&bench);
    builds_the_same(&bench);
    ck_assert(shell(&bench, "sha256sum cache/* > sums"));
    for (size_t i = 0; i < MICA_COUNT(commands); i++)
        replaces(&bench, commands[i]);
    ck_assert_uint_eq(entries(&bench), 1);
    close_bench(&bench);
}
END_TEST

START_TEST(an_entry_is_good_under_its_own_key_and_for_its_own_user)
{
    struct bench bench;
    char state[PATH_MAX];
    open_cached(&bench);
    builds_the_same(&bench);
    ck_assert(shell(&bench, "sha256sum cache/* > sums && cp cache/* mine"));
    write_source(&bench, "good.c",
                 BEFORE HANDLER "out->b = in->a * 3;" AFTER("good"));
    ck_assert(shell(&bench, "rm -r out cache"));
    builds_to(&bench, "good.c", MICA_OK, "");
    // The entry of another translation, whole and sealed by the same user.
    ck_assert(shell(&bench, "f=$(cut -c67- sums); cp cache/* other; "
                            "rm cache/*; cp other $f"));
    write_source(&bench, "good.c", GOOD);
    builds_the_same(&bench);
    ck_assert(shell(&bench, "sha256sum --status -c sums"));
    // The same cache with the key of another.
    (void)snprintf(state, sizeof state, "%s/another", bench.folder);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", state, 1), 0);
    builds_the_same(&bench);
    ck_assert(!shell(&bench, "sha256sum --status -c sums 2>/dev/null"));
    close_bench(&bench);
}
END_TEST

// A compiler that was deceived cannot put anything beside what the next one reads.
START_TEST(the_compiler_of_an_entry_reads_nothing_that_another_wrote)
{
    struct bench bench;
    char command[2 * PATH_MAX];
    open_cached(&bench);
    bench.options.fast = false;
    (void)snprintf(
        command, sizeof command,
        "printf '#!/bin/sh\\n{ echo \"#error planted\" > checks.h; } "
        "2>/dev/null\\n"
        "exec %s \"$@\"\\n' > clang && chmod 755 clang",
        bench.toolchain.clang);
    ck_assert(shell(&bench, command));
    (void)snprintf(bench.toolchain.clang, sizeof bench.toolchain.clang,
                   "%s/clang", bench.folder);
    builds_the_same(&bench);
    close_bench(&bench);
}
END_TEST

// ---- When it cannot be used ------------------------------------------------------------

static void
warns(struct bench *bench, const char *words)
{
    builds_the_same(bench);
    ck_assert_msg(strstr(bench->diagnostics.ptr, "warning: not cached: ") &&
                      strstr(bench->diagnostics.ptr, words),
                  "%s", bench->diagnostics.ptr);
}

START_TEST(a_cache_that_cannot_be_used_is_said_and_fails_no_build)
{
    struct bench bench;
    open_cached(&bench);
    builds_the_same(&bench);
    age(&bench);
    ck_assert(shell(&bench, "chmod 770 cache"));
    warns(&bench, "cache");
    ck_assert(!was_used(&bench));
    ck_assert(shell(&bench, "chmod 702 cache"));
    warns(&bench, "cache");
    ck_assert(!was_used(&bench));
    ck_assert(shell(&bench, "chmod 700 cache && mv cache was && : > cache"));
    warns(&bench, "cache");
    ck_assert(shell(&bench, "rm cache && mv was cache && f=$(ls cache) && "
                            "rm cache/$f && mkdir cache/$f"));
    warns(&bench, "cannot write");
    ck_assert(shell(&bench, "rmdir cache/* && rm -d cache"));
    (void)snprintf(bench.toolchain.cache, sizeof bench.toolchain.cache,
                   "/proc/nowhere");
    warns(&bench, "/proc/nowhere");
    close_bench(&bench);
}
END_TEST

START_TEST(a_full_disk_leaves_nothing_behind)
{
    struct bench bench;
    struct mica_error error;
    struct rlimit before, small;
    static char content[1 << 16];
    open_cached(&bench);
    ck_assert_int_eq(mica_cache_open(bench.toolchain.cache, &error), MICA_OK);
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum mica_status status =
        mica_cache_keep(bench.toolchain.cache, KEY,
                        (struct mica_text){content, sizeof content}, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(status, MICA_E_IO);
    ck_assert(shell(&bench, "test -z \"$(ls -A cache)\""));
    status = mica_cache_keep(
        bench.toolchain.cache, KEY,
        (struct mica_text){content, MICA_CACHE_ENTRY_BYTES + 1}, &error);
    ck_assert_int_eq(status, MICA_E_LIMIT);
    ck_assert(shell(&bench, "test -z \"$(ls -A cache)\""));
    close_bench(&bench);
}
END_TEST

// ---- Bounds ----------------------------------------------------------------------

START_TEST(what_was_used_longest_ago_goes)
{
    struct bench bench;
    struct mica_error error;
    open_cached(&bench);
    ck_assert_int_eq(mica_cache_open(bench.toolchain.cache, &error), MICA_OK);
    // Eleven of 25 MiB, of which the first was used last; a stale draft; and what is
    // not an entry.
    ck_assert(shell(&bench,
                    "cd cache && for i in 0 1 2 3 4 5 6 7 8 9 a; do "
                    "f=$(printf %064d 0 | tr 0 $i); truncate -s 25M $f; "
                    "touch -d \"$((100 - 0x$i)) minutes ago\" $f; done; "
                    "touch -d '1 minute ago' $(printf %064d 0); "
                    "touch -d '1 day ago' $(printf %064d 0).abcdef; "
                    "truncate -s 900M notes; touch -d '1 day ago' notes"));
    ck_assert_int_eq(mica_cache_keep(bench.toolchain.cache, KEY,
                                     mica_text("content"), &error),
                     MICA_OK);
    struct mica_cache_size size = mica_cache_measure(bench.toolchain.cache);
    ck_assert_uint_eq(size.entries, 11);
    ck_assert_uint_le(size.bytes, MICA_CACHE_BYTES);
    ck_assert(shell(&bench, "cd cache && test -f notes -a -f " KEY
                            " -a -f $(printf %064d 0) && "
                            "test ! -e $(printf %064d 0).abcdef && "
                            "test ! -e $(printf %064d 0 | tr 0 1)"));
    close_bench(&bench);
}
END_TEST

START_TEST(the_number_of_entries_is_bounded)
{
    struct bench bench;
    struct mica_error error;
    open_cached(&bench);
    ck_assert_int_eq(mica_cache_open(bench.toolchain.cache, &error), MICA_OK);
    ck_assert(shell(&bench,
                    "cd cache && seq -f %064.0f 1 4196 | xargs touch -d "
                    "yesterday"));
    ck_assert_int_eq(mica_cache_keep(bench.toolchain.cache, KEY,
                                     mica_text("content"), &error),
                     MICA_OK);
    ck_assert_uint_eq(entries(&bench), MICA_CACHE_ENTRIES);
    ck_assert(shell(&bench, "test -f cache/" KEY));
    close_bench(&bench);
}
END_TEST

// ---- At once ---------------------------------------------------------------------

enum {
    ROUNDS = 200,
    CONTENT = 100000
};

struct user {
    const char *folder;
    char letter;
    size_t found;
};

// Each finds its own content or the other's, whole.
static void *
use_cache(void *data)
{
    struct user *user = data;
    struct mica_error error;
    static _Thread_local char content[CONTENT];
    memset(content, user->letter, sizeof content);
    for (int i = 0; i < ROUNDS; i++) {
        struct mica_arena arena;
        struct mica_text found;
        mica_arena_init(&arena, 1 << 20);
        ck_assert_int_eq(
            mica_cache_keep(user->folder, KEY,
                            (struct mica_text){content, sizeof content},
                            &error),
            MICA_OK);
        if (mica_cache_find(user->folder, KEY, &arena, &found)) {
            ck_assert_uint_eq(found.len, sizeof content);
            ck_assert_int_eq(found.ptr[0], found.ptr[CONTENT - 1]);
            user->found++;
        }
        mica_arena_fini(&arena);
    }
    return NULL;
}

START_TEST(two_at_once_read_whole_entries)
{
    struct bench bench;
    struct mica_error error;
    pthread_t threads[2];
    struct user users[2];
    open_cached(&bench);
    ck_assert_int_eq(mica_cache_open(bench.toolchain.cache, &error), MICA_OK);
    for (int i = 0; i < 2; i++) {
        users[i] = (struct user){bench.toolchain.cache, (char)('a' + i), 0};
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, use_cache, &users[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(users[0].found + users[1].found, 2 * ROUNDS);
    ck_assert_uint_eq(entries(&bench), 1);
    close_bench(&bench);
}
END_TEST

// ---- Where it lies -----------------------------------------------------------------

START_TEST(the_environment_says_where_it_lies)
{
    static const struct {
        const char *own, *caches, *home, *folder;
    } cases[] = {{"/a/b", "/c", "/h", "/a/b"},
                 {"off", "/c", "/h", ""},
                 {"", "/c", "/h", "/c/mica/built"},
                 {"", "relative", "/h", "/h/.cache/mica/built"},
                 {"", "", "/h", "/h/.cache/mica/built"},
                 {"", "", "", ""}};
    char folder[MICA_CACHE_PATH_SIZE];
    struct mica_error error;
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_int_eq(setenv("MICA_CACHE", cases[i].own, 1), 0);
        ck_assert_int_eq(setenv("XDG_CACHE_HOME", cases[i].caches, 1), 0);
        ck_assert_int_eq(setenv("HOME", cases[i].home, 1), 0);
        ck_assert_int_eq(mica_cache_folder(&error, folder), MICA_OK);
        ck_assert_str_eq(folder, cases[i].folder);
    }
    ck_assert_int_eq(setenv("MICA_CACHE", "of", 1), 0);
    ck_assert_int_eq(mica_cache_folder(&error, folder), MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "\"off\""));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("build_cache");
    TCase *cases = tcase_create("all");
    tcase_set_timeout(cases, 240);
    tcase_add_test(cases, the_same_translation_is_compiled_once);
    tcase_add_test(cases, what_differs_in_any_part_is_compiled);
    tcase_add_test(cases, without_a_cache_nothing_is_kept);
    tcase_add_test(cases, a_damaged_or_foreign_entry_is_replaced);
    tcase_add_test(cases,
                   an_entry_is_good_under_its_own_key_and_for_its_own_user);
    tcase_add_test(cases,
                   the_compiler_of_an_entry_reads_nothing_that_another_wrote);
    tcase_add_test(cases,
                   a_cache_that_cannot_be_used_is_said_and_fails_no_build);
    tcase_add_test(cases, a_full_disk_leaves_nothing_behind);
    tcase_add_test(cases, what_was_used_longest_ago_goes);
    tcase_add_test(cases, the_number_of_entries_is_bounded);
    tcase_add_test(cases, two_at_once_read_whole_entries);
    tcase_add_test(cases, the_environment_says_where_it_lies);
    suite_add_tcase(suite, cases);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
