// SPDX-License-Identifier: Apache-2.0
//
// Which translations this user has built: the key, and what a seal is good for.
// Every test has a folder of its own for the key.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/seal.h"
#include "unit.h"

#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define HASH  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct mica_sealed sealed = {HASH, OTHER};
static char folder[] = "/tmp/mica-test-XXXXXX";

static void
make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
}

static void
in_folder(const char *what)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "cd %s && %s", folder, what);
    ck_assert_int_eq(system(command), 0);
}

static void
remove_folder(void)
{
    in_folder("rm -rf -- * .local");
    ck_assert_int_eq(rmdir(folder), 0);
}

static struct mica_seal_key
get_key(void)
{
    struct mica_seal_key key;
    struct mica_error error;
    enum mica_status status = mica_seal_key(&error, &key);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    return key;
}

static void
has_no_key(enum mica_status status, const char *words)
{
    struct mica_seal_key key;
    struct mica_error error;
    ck_assert_int_eq(mica_seal_key(&error, &key), status);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
}

static void
write_seal(const struct mica_seal_key *key, const char *slug)
{
    char text[MICA_SEAL_SIZE], path[256];
    ck_assert(mica_seal_write(key, slug, &sealed, text));
    ck_assert_uint_eq(strlen(text), MICA_SEAL_SIZE - 1);
    (void)snprintf(path, sizeof path, "%s/%s.seal", folder, slug);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static bool
is_own(const struct mica_seal_key *key, const char *slug)
{
    struct mica_sealed found;
    return mica_seal_read(key, folder, slug, &found) &&
           strcmp(found.object, HASH) == 0 &&
           strcmp(found.manifest, OTHER) == 0;
}

// ---- The key ---------------------------------------------------------------------

START_TEST(a_key_is_made_once_and_for_this_user_alone)
{
    make_folder();
    struct mica_seal_key one = get_key(), two = get_key(), zero = {{0}};
    ck_assert_mem_eq(&one, &two, sizeof one);
    ck_assert_mem_ne(&one, &zero, sizeof one);
    in_folder("test \"$(stat -c %a mica)\" = 700 && "
              "test \"$(stat -c '%a %s' mica/key)\" = '600 32' && "
              "test \"$(ls mica)\" = key");
    remove_folder();
}
END_TEST

// Builds run in several processes at once.
START_TEST(the_first_of_several_keys_stays)
{
    enum {
        PROCESSES = 8
    };
    make_folder();
    int pipes[2];
    struct mica_seal_key first, other;
    ck_assert_int_eq(pipe(pipes), 0);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0) {
            first = get_key();
            _exit(write(pipes[1], &first, sizeof first) != sizeof first);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
        ck_assert_int_eq(read(pipes[0], &other, sizeof other), sizeof other);
        if (i > 0)
            ck_assert_mem_eq(&first, &other, sizeof first);
        first = other;
    }
    in_folder("test \"$(ls mica)\" = key");
    remove_folder();
}
END_TEST

START_TEST(a_key_within_reach_of_others_is_refused)
{
    make_folder();
    (void)get_key();
    in_folder("chmod g+r mica/key");
    has_no_key(MICA_E_TRUST, "chmod 600");
    in_folder("chmod g-r mica/key && chmod g+w mica");
    has_no_key(MICA_E_TRUST, "chmod go-w");
    in_folder("chmod g-w mica && mv mica/key mica/a && ln -s a mica/key");
    has_no_key(MICA_E_TRUST, "mica/key");
    in_folder("rm mica/key && head -c 31 mica/a >mica/key && chmod 600 mica/*");
    has_no_key(MICA_E_TRUST, "is no key");
    in_folder("mv mica/a mica/key");
    (void)get_key();
    if (geteuid() == 0) { // only root can give a file away
        in_folder("chown 65534 mica/key");
        has_no_key(MICA_E_TRUST, "belongs to user 65534");
    }
    remove_folder();
}
END_TEST

START_TEST(the_key_lies_in_the_home_folder_by_default)
{
    make_folder();
    (void)setenv("XDG_STATE_HOME", "relative", 1);
    (void)setenv("HOME", folder, 1);
    (void)get_key();
    in_folder("test -f .local/state/mica/key");
    (void)unsetenv("XDG_STATE_HOME");
    (void)get_key();
    // A home that is not there is not made.
    char nowhere[256];
    (void)snprintf(nowhere, sizeof nowhere, "%s/nowhere", folder);
    (void)setenv("HOME", nowhere, 1);
    has_no_key(MICA_E_IO, "XDG_STATE_HOME");
    ck_assert_int_ne(access(nowhere, F_OK), 0);
    (void)setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    has_no_key(MICA_E_IO, "/proc/nowhere/mica");
    remove_folder();
}
END_TEST

// ---- The seal --------------------------------------------------------------------

START_TEST(a_seal_is_good_for_one_user_and_one_engine)
{
    make_folder();
    struct mica_seal_key key = get_key(), other = key;
    write_seal(&key, "one");
    ck_assert(is_own(&key, "one"));
    ck_assert(!is_own(&key, "two"));
    in_folder("cp one.seal two.seal");
    ck_assert(!is_own(&key, "two"));
    other.bytes[0] ^= 1;
    ck_assert(!is_own(&other, "one"));
    remove_folder();
}
END_TEST

START_TEST(a_damaged_seal_is_none)
{
    make_folder();
    static const char *const damage[] = {
        "sed -i s/2.0/2_0/ one.seal",
        "sed -i 's/.$/z/' one.seal",
        "printf x >> one.seal",
        "truncate -s -1 one.seal",
        "truncate -s 0 one.seal",
        "rm one.seal",
        "mkfifo one.seal",
        "rm one.seal; mkdir one.seal",
    };
    struct mica_seal_key key = get_key();
    write_seal(&key, "one");
    for (size_t i = 0; i < MICA_COUNT(damage); i++) {
        in_folder(damage[i]);
        ck_assert_msg(!is_own(&key, "one"), "%s", damage[i]);
        if (i < 5)
            write_seal(&key, "one");
    }
    remove_folder();
}
END_TEST

START_TEST(a_seal_is_for_an_object_and_the_manifest_beside_it)
{
    make_folder();
    struct mica_error error;
    struct mica_seal_key key = get_key();
    write_seal(&key, "one");
    ck_assert_int_eq(mica_seal_check(folder, "one", HASH, OTHER, &error),
                     MICA_OK);
    ck_assert_int_eq(mica_seal_check(folder, "one", HASH, NULL, &error),
                     MICA_OK);
    ck_assert_int_eq(mica_seal_check(folder, "one", NULL, OTHER, &error),
                     MICA_OK);
    ck_assert_int_eq(mica_seal_check(folder, "one", OTHER, NULL, &error),
                     MICA_E_TRUST);
    ck_assert_ptr_nonnull(strstr(error.message, "mica build"));
    ck_assert_int_eq(mica_seal_check(folder, "one", HASH, HASH, &error),
                     MICA_E_TRUST);
    ck_assert_int_eq(mica_seal_check(folder, "one", NULL, HASH, &error),
                     MICA_E_TRUST);
    in_folder("rm one.seal");
    ck_assert_int_eq(mica_seal_check(folder, "one", HASH, OTHER, &error),
                     MICA_E_TRUST);
    remove_folder();
}
END_TEST

// As mica has sealed before: the object's hash and a code of it and the name.
START_TEST(a_seal_of_an_older_mica_is_none)
{
    make_folder();
    struct mica_seal_key key = get_key();
    write_seal(&key, "one");
    in_folder("printf '%s %s\\n' " HASH " " OTHER " >one.seal");
    ck_assert(!is_own(&key, "one"));
    write_seal(&key, "one");
    in_folder("sed -i s/mica-seal-2/mica-seal-1/ one.seal");
    ck_assert(!is_own(&key, "one"));
    remove_folder();
}
END_TEST

// ---- What is opened ---------------------------------------------------------------

START_TEST(what_was_opened_is_what_is_hashed_and_read)
{
    char path[256], before[MICA_SHA256_SIZE], after[MICA_SHA256_SIZE];
    char first[MICA_TRUST_NAME_SIZE], second[MICA_TRUST_NAME_SIZE];
    struct mica_error error;
    struct mica_arena arena;
    struct mica_text bytes;
    int file, other;

    make_folder();
    mica_arena_init(&arena, 1 << 20);
    (void)snprintf(path, sizeof path, "%s/object", folder);
    in_folder("printf good > object");
    ck_assert_int_eq(mica_trust_open(path, &error, &file), MICA_OK);
    in_folder("printf evil > new && mv new object");
    ck_assert_int_eq(mica_trust_hash_file(file, path, &error, before), MICA_OK);
    ck_assert_int_eq(mica_trust_read(file, path, 4, &arena, &error, &bytes),
                     MICA_OK);
    ck_assert(mica_text_is(bytes, "good"));
    mica_trust_hash_bytes(bytes, after);
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(mica_trust_read(file, path, 3, &arena, &error, &bytes),
                     MICA_E_LIMIT);
    // A name opens that file, and is never given twice.
    ck_assert_int_eq(mica_trust_name(file, &error, first), MICA_OK);
    ck_assert_int_eq(mica_trust_name(file, &error, second), MICA_OK);
    ck_assert_str_ne(first, second);
    ck_assert_int_eq(mica_trust_hash(first, &error, after), MICA_OK);
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(mica_trust_open(path, &error, &other), MICA_OK);
    ck_assert_int_eq(mica_trust_hash_file(other, path, &error, after), MICA_OK);
    ck_assert_str_ne(before, after);
    ck_assert_int_eq(close(other), 0);
    ck_assert_int_eq(close(file), 0);
    mica_arena_fini(&arena);
    remove_folder();
}
END_TEST

START_TEST(what_others_may_have_written_is_not_opened)
{
    static const struct {
        const char *command;
        enum mica_status status;
    } cases[] = {
        {"printf x > object && chmod g+w object", MICA_E_TRUST},
        {"chmod g-w object && chmod o+w .", MICA_E_TRUST},
        {"chmod 1777 .", MICA_E_TRUST},
        {"chmod 700 . && mv object it && ln -s it object", MICA_E_TRUST},
        {"rm object && mkfifo object", MICA_E_TRUST},
        {"rm object && mkdir object", MICA_E_TRUST},
        {"rmdir object", MICA_E_NOT_FOUND},
    };
    char path[256];

    make_folder();
    (void)snprintf(path, sizeof path, "%s/object", folder);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_error error;
        int file = -1;
        in_folder(cases[i].command);
        ck_assert_msg(mica_trust_open(path, &error, &file) == cases[i].status,
                      "%s", cases[i].command);
        ck_assert_int_eq(file, -1);
    }
    remove_folder();
}
END_TEST

START_TEST(what_is_no_file_is_not_hashed_and_not_waited_for)
{
    static const char *const commands[] = {
        "mkfifo object",
        "rm object && ln -s /dev/zero object",
        "rm object && mkdir object",
    };
    char path[256], sha256[MICA_SHA256_SIZE];
    struct mica_error error;

    make_folder();
    (void)snprintf(path, sizeof path, "%s/object", folder);
    for (size_t i = 0; i < MICA_COUNT(commands); i++) {
        in_folder(commands[i]);
        ck_assert_msg(mica_trust_hash(path, &error, sha256) == MICA_E_TRUST,
                      "%s", commands[i]);
        ck_assert_ptr_nonnull(strstr(error.message, "is no file"));
    }
    remove_folder();
}
END_TEST

UNIT_MAIN("seal", a_key_is_made_once_and_for_this_user_alone,
          the_first_of_several_keys_stays,
          a_key_within_reach_of_others_is_refused,
          the_key_lies_in_the_home_folder_by_default,
          a_seal_is_good_for_one_user_and_one_engine, a_damaged_seal_is_none,
          a_seal_is_for_an_object_and_the_manifest_beside_it,
          a_seal_of_an_older_mica_is_none,
          what_was_opened_is_what_is_hashed_and_read,
          what_others_may_have_written_is_not_opened,
          what_is_no_file_is_not_hashed_and_not_waited_for)
