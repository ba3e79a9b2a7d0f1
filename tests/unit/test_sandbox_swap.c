// SPDX-License-Identifier: Apache-2.0
//
// An object that changes its name while the sandbox loads it: what was hashed is
// what runs, or nothing is.
#include "test_sandbox.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/seal.h"
#include "unit.h"

struct swapping {
    const char *folder;
    atomic_bool over;
    atomic_int swaps;
};

// Puts an object without a seal in the place of the good one and back.
static void *
swap_objects(void *data)
{
    struct swapping *swapping = data;
    char good[256], evil[256], place[256];
    (void)snprintf(good, sizeof good, "%s/good", swapping->folder);
    (void)snprintf(evil, sizeof evil, "%s/evil", swapping->folder);
    (void)snprintf(place, sizeof place, "%s/place", swapping->folder);
    char target[PATH_MAX];
    ssize_t length = readlink(place, target, sizeof target - 1);
    ck_assert_int_gt(length, 0);
    target[length] = '\0';
    while (!atomic_load(&swapping->over)) {
        char next[300];
        bool bad = atomic_fetch_add(&swapping->swaps, 1) % 2 == 0;
        (void)snprintf(next, sizeof next, "%s/next", swapping->folder);
        if (link(bad ? evil : good, next) == 0)
            (void)rename(next, target);
        (void)unlink(next); // rename leaves it where both are one file
    }
    return NULL;
}

// evil.so has a constructor that makes the file "ran".
START_TEST(an_object_that_is_swapped_while_it_is_loaded_never_runs)
{
    enum {
        LOADS = 300,
        MOST = 100 * LOADS // until each has happened, on a busy machine
    };
    char folder[] = "/tmp/mica-test-XXXXXX", ran[64], text[MICA_SEAL_SIZE];
    char name[512], path[64];
    struct swapping swapping = {.folder = folder};
    struct mica_sealed sealed;
    struct mica_seal_key key;
    struct mica_error error;
    pthread_t thread;
    int loaded = 0, refused = 0;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    copy_engine(folder, "digest-text");
    change(folder, "ln digest-text-*.so good && "
                   "ln -s \"$PWD\"/$(ls digest-text-*.so) place && "
                   "printf '#include <fcntl.h>\\n__attribute__((constructor)) "
                   "static void run(void){(void)open(\"'$PWD/ran'\",O_CREAT,"
                   "0600);}\\n' >evil.c && cc -shared -fPIC -o evil evil.c");
    ck_assert_int_eq(mica_seal_key(&error, &key), MICA_OK);
    (void)snprintf(path, sizeof path, "%s/good", folder);
    ck_assert_int_eq(mica_trust_hash(path, &error, sealed.object), MICA_OK);
    memcpy(sealed.manifest, sealed.object, sizeof sealed.manifest);
    ck_assert(mica_seal_write(&key, "digest-text", &sealed, text));
    (void)snprintf(name, sizeof name, "printf '%s' >digest-text.seal", text);
    change(folder, name);
    ck_assert_int_eq(pthread_create(&thread, NULL, swap_objects, &swapping), 0);
    for (int i = 0; i < LOADS || (i < MOST && (loaded == 0 || refused == 0));
         i++) {
        struct mica_module *module = NULL;
        if (mica_module_open_own(folder, "digest-text", &error, &module) ==
            MICA_OK) {
            loaded++;
            mica_module_release(&module);
        } else {
            ck_assert_msg(error.status == MICA_E_TRUST, "%s", error.message);
            refused++;
        }
    }
    atomic_store(&swapping.over, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    (void)snprintf(ran, sizeof ran, "%s/ran", folder);
    ck_assert_int_ne(access(ran, F_OK), 0);
    ck_assert_int_gt(loaded, 0);
    ck_assert_int_gt(refused, 0);
    remove_folder(folder);
}
END_TEST

UNIT_MAIN("sandbox_swap",
          an_object_that_is_swapped_while_it_is_loaded_never_runs)
