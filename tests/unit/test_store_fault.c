// SPDX-License-Identifier: Apache-2.0
//
// Storage that fails. A row of calls runs once for each point at which the file
// system, SQLite's memory or ours can fail, and that point fails: once, or from
// then on. A call that says it failed has done nothing, one that says it was
// done is done; a second store in memory, in which only the latter run, shows
// which. Afterwards the store continues to work, and so does the file when it is opened
// anew.
#include <sqlite3.h>

#include "test_store_fault_calls.h"

// Points that are much alike, one of so many is taken. The plain build takes nearly
// all. The address sanitizer makes a run twice as long, and looks at the code after a
// failure, of which there is far less than there are points. Of our own memory each
// point is taken.
#if defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define WATCHED 1
#    endif
#endif
#if defined(WATCHED) || defined(__SANITIZE_ADDRESS__)
enum {
    SQL_STRIDE = 23,
    OPEN_STRIDE = 29,
    STRIDE = 3
};
#else
enum {
    SQL_STRIDE = 11,
    OPEN_STRIDE = 13,
    STRIDE = 1
};
#endif

// ---- Failing ---------------------------------------------------------------------

enum what {
    READS,      // of the file system
    WRITES,     // and its syncs, truncations and new files
    SQL_MEMORY, // of SQLite
    OUR_MEMORY  // of the program
};

static struct {
    bool armed, for_ever, fired;
    enum what what;
    int write_code;  // what a write that fails says
    unsigned passed; // points that were passed since it was armed
    unsigned at;     // the one that fails
} fault;

static void
arm(enum what what, unsigned at, bool for_ever)
{
    fault.what = what;
    fault.passed = 0;
    fault.at = at;
    fault.for_ever = for_ever;
    fault.fired = false;
    fault.armed = true;
}

// At a point: does it fail?
static bool
fails(enum what what)
{
    if (!fault.armed || fault.what != what)
        return false;
    fault.passed++;
    if (fault.passed == fault.at || (fault.for_ever && fault.fired)) {
        fault.fired = true;
        return true;
    }
    return false;
}

// ---- The file system -------------------------------------------------------------

struct file {
    sqlite3_file base;
    sqlite3_file *real; // right behind
};

static sqlite3_vfs *real_vfs;

static sqlite3_file *
real(sqlite3_file *file)
{
    return ((struct file *)(void *)file)->real;
}

#define METHOD(file, name)    real(file)->pMethods->name
#define CALL(file, name, ...) METHOD(file, name)(real(file), __VA_ARGS__)

static int
do_close(sqlite3_file *file)
{
    return METHOD(file, xClose)(real(file));
}

static int
do_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 at)
{
    if (fails(READS))
        return SQLITE_IOERR_READ;
    return CALL(file, xRead, bytes, size, at);
}

// A write that fails may have written a part.
static int
do_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    if (fails(WRITES)) {
        (void)CALL(file, xWrite, bytes, size / 2, at);
        return fault.write_code;
    }
    return CALL(file, xWrite, bytes, size, at);
}

static int
do_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return fails(WRITES) ? SQLITE_IOERR_TRUNCATE : CALL(file, xTruncate, size);
}

static int
do_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags; // no machine loses power here
    return fails(WRITES) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int
do_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return fails(READS) ? SQLITE_IOERR_FSTAT : CALL(file, xFileSize, size);
}

static int
do_lock(sqlite3_file *file, int lock)
{
    return fails(READS) ? SQLITE_IOERR_LOCK : CALL(file, xLock, lock);
}

static int
do_unlock(sqlite3_file *file, int lock)
{
    return CALL(file, xUnlock, lock);
}

static int
do_reserved(sqlite3_file *file, int *out)
{
    return CALL(file, xCheckReservedLock, out);
}

static int
do_control(sqlite3_file *file, int code, void *data)
{
    return CALL(file, xFileControl, code, data);
}

static int
do_sector(sqlite3_file *file)
{
    return METHOD(file, xSectorSize)(real(file));
}

static int
do_device(sqlite3_file *file)
{
    return METHOD(file, xDeviceCharacteristics)(real(file));
}

static int
do_shm_map(sqlite3_file *file, int page, int size, int extend,
           void volatile **out)
{
    if (fails(WRITES))
        return SQLITE_IOERR_SHMMAP;
    return CALL(file, xShmMap, page, size, extend, out);
}

static int
do_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    // Giving back never fails; taking may.
    if ((flags & SQLITE_SHM_LOCK) != 0 && fails(READS))
        return SQLITE_IOERR_SHMLOCK;
    return CALL(file, xShmLock, offset, count, flags);
}

static void
do_shm_barrier(sqlite3_file *file)
{
    METHOD(file, xShmBarrier)(real(file));
}

static int
do_shm_unmap(sqlite3_file *file, int remove_it)
{
    return CALL(file, xShmUnmap, remove_it);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = do_close,
    .xRead = do_read,
    .xWrite = do_write,
    .xTruncate = do_truncate,
    .xSync = do_sync,
    .xFileSize = do_size,
    .xLock = do_lock,
    .xUnlock = do_unlock,
    .xCheckReservedLock = do_reserved,
    .xFileControl = do_control,
    .xSectorSize = do_sector,
    .xDeviceCharacteristics = do_device,
    .xShmMap = do_shm_map,
    .xShmLock = do_shm_lock,
    .xShmBarrier = do_shm_barrier,
    .xShmUnmap = do_shm_unmap,
};

static int
do_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
        int *flags_out)
{
    struct file *mine = (struct file *)(void *)file;
    int code;

    (void)vfs;
    mine->base.pMethods = NULL;
    if (fails(WRITES))
        return SQLITE_CANTOPEN;
    mine->real = (sqlite3_file *)(void *)(mine + 1);
    code = real_vfs->xOpen(real_vfs, name, mine->real, flags, flags_out);
    if (mine->real->pMethods != NULL)
        mine->base.pMethods = &methods;
    return code;
}

static void
install_files(void)
{
    static sqlite3_vfs vfs;

    real_vfs = sqlite3_vfs_find(NULL);
    vfs = *real_vfs;
    vfs.zName = "faulty";
    vfs.szOsFile = (int)sizeof(struct file) + real_vfs->szOsFile;
    vfs.xOpen = do_open;
    ck_assert_int_eq(sqlite3_vfs_register(&vfs, 1), SQLITE_OK);
}

// ---- Memory ----------------------------------------------------------------------

static sqlite3_mem_methods real_memory;

static void *
sql_malloc(int size)
{
    return fails(SQL_MEMORY) ? NULL : real_memory.xMalloc(size);
}

static void *
sql_realloc(void *old, int size)
{
    return fails(SQL_MEMORY) ? NULL : real_memory.xRealloc(old, size);
}

static void
install_memory(void)
{
    sqlite3_mem_methods mine;

    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory),
                     SQLITE_OK);
    mine = real_memory;
    mine.xMalloc = sql_malloc;
    mine.xRealloc = sql_realloc;
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
}

// The linker puts these in the place of the C library's (--wrap).
void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *
__wrap_malloc(size_t size)
{
    return fails(OUR_MEMORY) ? NULL : __real_malloc(size);
}

void *
__wrap_realloc(void *old, size_t size)
{
    return fails(OUR_MEMORY) ? NULL : __real_realloc(old, size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return fails(OUR_MEMORY) ? NULL : __real_calloc(count, size);
}

// ---- The calls -------------------------------------------------------------------

static enum mica_status
do_call(struct mica_store *store, unsigned number)
{
    static char large[20000];
    struct mica_store_session_key first = store_key(1), key = store_key(number);
    struct mica_store_session session = store_session(5, 500);
    struct mica_store_key sealing;
    struct mica_store_events events;
    int64_t value;
    size_t removed;

    memset(large, 'd', sizeof large);
    memset(&error, 0, sizeof error);
    switch (number) {
    case 2:
    case 3:
        return mica_store_session_create(store, &key, &session, &error);
    case 4:
        return mica_store_session_find(store, &first, &no_owner, 5, &arena,
                                       &error, &session);
    case 5:
        return mica_store_session_touch(store, &first, 6, 600, &error);
    case 6:
        return mica_store_event_append(store, &first, 1, 6,
                                       (struct mica_text){large, sizeof large},
                                       &error, &value);
    case 7:
        return mica_store_stream_open(store, &first, STREAM_FOR, 6, STREAM_MS,
                                      &error, &value);
    case 8:
        return mica_store_event_replay(store, &first, 1, 0, 9, 6, &arena,
                                       &error, &events);
    case 9:
        return mica_store_subscribe(store, &first, mica_text("b:"), 6, &error);
    case 10:
        key = store_key(0);
        return mica_store_stream_end(store, &key, 1, 6, mica_text("the end"),
                                     &error, &value);
    case 11:
        return mica_store_key_rotate(store, 6, &error, &sealing);
    case 12:
        return mica_store_session_set_log_level(store, &first, 6, 3, &error);
    case 13:
        return mica_store_sweep(store, 60, 100, &error, &removed);
    case 14:
        key = store_key(0);
        return mica_store_session_delete(store, &key, 6, &error);
    case 15:
        return mica_store_stream_renew(store, &first, 1, 6, STREAM_MS, &error);
    case 16:
        return mica_store_stream_close(store, &first, 1, 6, &error);
    default:
        return do_with_calls(store, number - 17);
    }
}

enum {
    FIRST_CALL = 2,
    LAST_CALL = 30
};

// What is there before.
static void
fill(struct mica_store *store)
{
    struct mica_store_session_key key;
    struct mica_store_key sealing;
    int64_t number;

    MUST(mica_store_key_current(store, 0, &error, &sealing));
    for (unsigned i = 0; i < 2; i++) {
        key = store_create(store, i, 0, 400);
        MUST(mica_store_stream_open(store, &key, STREAM_FOR, 1, STREAM_MS,
                                    &error, &number));
        for (int j = 0; j < 4; j++)
            MUST(mica_store_event_append(store, &key, 1, 1, mica_text("event"),
                                         &error, &number));
        MUST(mica_store_subscribe(store, &key, mica_text("a:"), 1, &error));
    }
    for (unsigned i = 60; i < 70; i++)
        (void)store_create(store, i, 0, 50); // for the sweep
    fill_calls(store);
}

// Both hold the same.
static void
must_match(struct mica_store *a, struct mica_store *b)
{
    struct mica_store_statistics of_a = store_count(a), of_b = store_count(b);

    ck_assert_mem_eq(&of_a, &of_b, sizeof of_a);
    calls_must_match(a, b);
    for (unsigned i = 0; i <= 70; i++) {
        struct mica_store_session_key key = store_key(i);
        struct mica_store_session in_a, in_b;
        enum mica_status status_a = mica_store_session_find(
                             a, &key, &no_owner, 7, &arena, &error, &in_a),
                         status_b = mica_store_session_find(
                             b, &key, &no_owner, 7, &arena, &error, &in_b);
        UNIT_MUST(status_a == status_b, "session %u: %s and %s", i,
                  mica_status_code(status_a), mica_status_code(status_b));
        if (status_a != MICA_OK)
            continue;
        UNIT_MUST(in_a.seen == in_b.seen && in_a.expires == in_b.expires &&
                      in_a.log_level == in_b.log_level,
                  "session %u", i);
        struct mica_store_events events_a = {.count = 0}, events_b;
        events_b = events_a;
        status_a = mica_store_event_replay(a, &key, 1, 0, 100, 7, &arena,
                                           &error, &events_a);
        status_b = mica_store_event_replay(b, &key, 1, 0, 100, 7, &arena,
                                           &error, &events_b);
        UNIT_MUST(status_a == status_b && events_a.count == events_b.count &&
                      events_a.closed == events_b.closed,
                  "events of %u", i);
    }
    mica_arena_reset(&arena);
}

static enum mica_status
expected(void)
{
    return fault.what == SQL_MEMORY || fault.what == OUR_MEMORY ? MICA_E_LIMIT
                                                                : MICA_E_IO;
}

// A sweep is a transaction for each kind: what it has removed before it failed is gone,
// and another removes the rest.
static bool
sweeps(unsigned number)
{
    return number == 13;
}

// All calls on `store`, with what succeeds on `shadow`, too.
static void
do_calls(struct mica_store *store, struct mica_store *shadow)
{
    for (unsigned i = FIRST_CALL; i <= LAST_CALL; i++) {
        enum mica_status status = do_call(store, i);
        if (status != MICA_OK)
            UNIT_MUST(status == expected() && error.message[0] != '\0',
                      "call %u: %s: %s", i, error.code, error.message);
        bool armed = fault.armed;
        mica_arena_reset(&arena); // it may be what had no memory
        fault.armed = false;
        if (status == MICA_OK || sweeps(i))
            MUST(do_call(shadow, i));
        if (status != MICA_OK && sweeps(i))
            MUST(do_call(store, i));
        else if (fault.fired && status != MICA_OK)
            must_match(store, shadow);
        fault.armed = armed;
    }
}

// One run with one fault. False: there is no such point any more.
static bool
run_with(const char *backend, enum what what, unsigned at, bool for_ever)
{
    struct mica_store *store, *shadow;

    MUST(mica_store_open("memory", NULL, &error, &shadow));
    fill(shadow);
    MUST(mica_store_open(store_spec(backend, "mica.db"), NULL, &error, &store));
    fill(store);
    if (strcmp(backend, "sqlite") == 0) { // nothing is in its cache
        mica_store_close(&store);
        MUST(mica_store_open(store_spec(backend, "mica.db"), NULL, &error,
                             &store));
    }
    forget_claims(store, shadow);
    arm(what, at, for_ever);
    do_calls(store, shadow);
    fault.armed = false;
    must_match(store, shadow);
    store_must_be_sound(store);
    (void)store_create(store, 1000, 0, 100); // it continues to work
    (void)store_create(shadow, 1000, 0, 100);
    mica_store_close(&store);
    if (strcmp(backend, "sqlite") == 0) {
        MUST(mica_store_open(store_spec(backend, "mica.db"), NULL, &error,
                             &store));
        must_match(store, shadow);
        store_must_be_sound(store);
        mica_store_close(&store);
    }
    mica_store_close(&shadow);
    store_remove_folder();
    return fault.fired;
}

static void
run_all(const char *backend, enum what what, bool for_ever, unsigned least)
{
    static const unsigned strides[] = {[READS] = STRIDE,
                                       [WRITES] = STRIDE,
                                       [SQL_MEMORY] = SQL_STRIDE,
                                       [OUR_MEMORY] = 1};
    unsigned at = 1;

    mica_arena_init(&arena, 64 << 20);
    while (run_with(backend, what, at, for_ever))
        at += strides[what];
    mica_arena_fini(&arena);
    ck_assert_msg(at > least, "only %u points", at);
}

START_TEST(a_read_that_fails_at_any_point)
{
    install_files();
    run_all("sqlite", READS, false, 30);
}
END_TEST

START_TEST(a_write_that_fails_at_any_point)
{
    install_files();
    fault.write_code = SQLITE_IOERR_WRITE;
    run_all("sqlite", WRITES, false, 50);
}
END_TEST

START_TEST(a_disk_that_is_full_from_any_point_on)
{
    install_files();
    fault.write_code = SQLITE_FULL;
    run_all("sqlite", WRITES, true, 50);
}
END_TEST

START_TEST(memory_of_sqlite_that_ends_at_any_point)
{
    install_memory();
    install_files();
    run_all("sqlite", SQL_MEMORY, false, 100);
}
END_TEST

START_TEST(our_memory_that_ends_at_any_point_with_a_file)
{
    install_files();
    run_all("sqlite", OUR_MEMORY, false, 20);
}
END_TEST

START_TEST(our_memory_that_ends_at_any_point_without_a_file)
{
    run_all("memory", OUR_MEMORY, false, 20);
    store_remove_folder();
    run_all("memory", OUR_MEMORY, true, 20);
}
END_TEST

// ---- Opening ---------------------------------------------------------------------

// Opens with each point failing in turn; then it opens, and nothing is lost.
static void
open_all(enum what what, bool is_new, unsigned least)
{
    unsigned stride = what == SQL_MEMORY ? OPEN_STRIDE : 1, at = 1;
    bool fired = true;

    for (; fired; at += stride) {
        struct mica_store *store = NULL;
        enum mica_status status;
        mica_arena_init(&arena, 64 << 20);
        if (!is_new) {
            MUST(mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                                 &store));
            fill(store);
            mica_store_close(&store);
        }
        arm(what, at, false);
        status = mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                                 &store);
        fault.armed = false;
        fired = fault.fired;
        ck_assert_msg(status == MICA_OK || (fired && status == expected()),
                      "point %u: %s: %s", at, error.code, error.message);
        if (status != MICA_OK)
            MUST(mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                                 &store));
        ck_assert_int_eq(store_count(store).sessions, is_new ? 0 : 12);
        store_must_be_sound(store);
        mica_store_close(&store);
        mica_arena_fini(&arena);
        store_remove_folder();
    }
    ck_assert_msg(at > least, "only %u points", at);
}

START_TEST(opening_fails_at_any_point)
{
    install_files();
    fault.write_code = SQLITE_IOERR_WRITE;
    open_all(READS, false, 10);
    open_all(READS, true, 10);
    open_all(WRITES, false, 3);
    open_all(WRITES, true, 10);
}
END_TEST

START_TEST(opening_without_memory_fails_at_any_point)
{
    install_memory();
    install_files();
    open_all(SQL_MEMORY, false, 50);
    open_all(SQL_MEMORY, true, 50);
    open_all(OUR_MEMORY, false, 2);
}
END_TEST

// A copy that fails leaves nothing, and the store as it was.
static void
copy_all(enum what what, unsigned least)
{
    struct mica_store *store;
    unsigned at = 1;
    bool fired = true;
    char copy[128];

    mica_arena_init(&arena, 64 << 20);
    MUST(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &store));
    fill(store);
    strcpy(copy, store_file("copy.db"));
    for (; fired; at++) {
        enum mica_status status;
        arm(what, at, false);
        status = mica_store_backup(store, copy, NULL, NULL, &error);
        fault.armed = false;
        fired = fault.fired;
        ck_assert_msg(status == MICA_OK || (fired && status == expected()),
                      "point %u: %s: %s", at, error.code, error.message);
        ck_assert_int_eq(access(copy, F_OK) == 0, status == MICA_OK);
        if (status == MICA_OK) {
            struct mica_store *copied;
            char spec[160];
            (void)snprintf(spec, sizeof spec, "sqlite:%s", copy);
            MUST(mica_store_open(spec, NULL, &error, &copied));
            ck_assert_int_eq(store_count(copied).sessions, 12);
            store_must_be_sound(copied);
            mica_store_close(&copied);
            unlink(copy);
        }
    }
    store_must_be_sound(store);
    mica_store_close(&store);
    mica_arena_fini(&arena);
    store_remove_folder();
    ck_assert_msg(at > least, "only %u points", at);
}

START_TEST(copying_fails_at_any_point)
{
    install_files();
    fault.write_code = SQLITE_FULL;
    copy_all(READS, 20);
    copy_all(WRITES, 20);
}
END_TEST

UNIT_MAIN("store fault", a_read_that_fails_at_any_point,
          a_write_that_fails_at_any_point,
          a_disk_that_is_full_from_any_point_on,
          memory_of_sqlite_that_ends_at_any_point,
          our_memory_that_ends_at_any_point_with_a_file,
          our_memory_that_ends_at_any_point_without_a_file,
          opening_fails_at_any_point, opening_without_memory_fails_at_any_point,
          copying_fails_at_any_point)
