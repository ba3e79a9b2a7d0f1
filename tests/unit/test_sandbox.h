// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the sandbox share: a module of the test engines and one
// call of it.
#ifndef MICA_TEST_SANDBOX_H
#define MICA_TEST_SANDBOX_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/sandbox.h"

#ifdef __has_feature
#    if __has_feature(thread_sanitizer)
#        define UNDER_TSAN 1
#    elif __has_feature(address_sanitizer)
#        define UNDER_ASAN 1
#    endif
#endif
#ifdef __SANITIZE_THREAD__
#    define UNDER_TSAN 1
#endif
#ifdef __SANITIZE_ADDRESS__
#    define UNDER_ASAN 1
#endif

static inline const char *
engines_folder(void)
{
    const char *folder = getenv("MICA_TEST_ENGINES");
    ck_assert_ptr_nonnull(folder);
    return folder;
}

static inline struct mica_module *
open_engine(const char *slug)
{
    struct mica_module *module = NULL;
    struct mica_error error;
    enum mica_status status =
        mica_module_open(engines_folder(), slug, &error, &module);
    ck_assert_msg(status == MICA_OK, "%s: %s", slug, error.message);
    return module;
}

// Copies the engine's files to a folder of this test.
static inline void
copy_engine(const char *folder, const char *slug)
{
    char command[1024];
    (void)snprintf(command, sizeof command,
                   "cp %s/%s.wasm %s/%s-*.so %s && chmod go-w %s/*",
                   engines_folder(), slug, engines_folder(), slug, folder,
                   folder);
    ck_assert_int_eq(system(command), 0);
}

static inline void
remove_folder(const char *folder)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static inline void
change(const char *folder, const char *what)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "cd %s && %s", folder, what);
    ck_assert_int_eq(system(command), 0);
}

// One call and its memory.
struct trial {
    struct mica_arena arena;
    struct mica_call call;
};

static inline void
start_trial(struct trial *trial)
{
    mica_arena_init(&trial->arena, 32 << 20);
    mica_call_init(&trial->call, &trial->arena);
}

static inline void
end_trial(struct trial *trial)
{
    mica_arena_fini(&trial->arena);
}

#endif
