// SPDX-License-Identifier: Apache-2.0
//
// Storage that fails, for any row of calls: the points at which the file system, SQLite's memory
// or ours can fail, and the runs in which each of them does. A call that says it failed has done
// nothing, one that says it was done is done; a second store in memory, in which only the latter
// run, shows which. Afterwards the store continues to work, and so does the file when it is opened
// anew.
#ifndef MICA_TESTS_STORE_FAULT_H
#define MICA_TESTS_STORE_FAULT_H

#include <sqlite3.h>

#include "test_store.h"

static struct mica_arena arena;

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

// ---- Runs ------------------------------------------------------------------------

// What runs while storage fails.
struct fault_subject {
    unsigned first, last; // numbers of its calls
    enum mica_status (*call)(struct mica_store *store, unsigned number);
    // A call of several transactions: what it has done before it failed is done, and another
    // call does the rest.
    bool (*is_sweep)(unsigned number);
    void (*fill)(struct mica_store *store); // what is there before
    void (*must_match)(struct mica_store *a, struct mica_store *b);
    void (*begin)(const struct mica_store *a, const struct mica_store *b);
};

static enum mica_status
expected(void)
{
    return fault.what == SQL_MEMORY || fault.what == OUR_MEMORY ? MICA_E_LIMIT
                                                                : MICA_E_IO;
}

// All calls on `store`, with what succeeds on `shadow`, too.
static void
do_calls(const struct fault_subject *subject, struct mica_store *store,
         struct mica_store *shadow)
{
    for (unsigned i = subject->first; i <= subject->last; i++) {
        enum mica_status status = subject->call(store, i);
        if (status != MICA_OK)
            UNIT_MUST(status == expected() && error.message[0] != '\0',
                      "call %u: %s: %s", i, error.code, error.message);
        bool armed = fault.armed;
        mica_arena_reset(&arena); // it may be what had no memory
        fault.armed = false;
        if (status == MICA_OK || subject->is_sweep(i))
            MUST(subject->call(shadow, i));
        if (status != MICA_OK && subject->is_sweep(i))
            MUST(subject->call(store, i));
        else if (fault.fired && status != MICA_OK)
            subject->must_match(store, shadow);
        fault.armed = armed;
    }
}

// One run with one fault. False: there is no such point any more.
static bool
run_with(const struct fault_subject *subject, const char *backend,
         enum what what, unsigned at, bool for_ever)
{
    struct mica_store *store, *shadow;

    MUST(mica_store_open("memory", NULL, &error, &shadow));
    subject->fill(shadow);
    MUST(mica_store_open(store_spec(backend, "mica.db"), NULL, &error, &store));
    subject->fill(store);
    if (strcmp(backend, "sqlite") == 0) { // nothing is in its cache
        mica_store_close(&store);
        MUST(mica_store_open(store_spec(backend, "mica.db"), NULL, &error,
                             &store));
    }
    subject->begin(store, shadow);
    arm(what, at, for_ever);
    do_calls(subject, store, shadow);
    fault.armed = false;
    subject->must_match(store, shadow);
    store_must_be_sound(store);
    (void)store_create(store, 1000, 0, 100); // it continues to work
    (void)store_create(shadow, 1000, 0, 100);
    mica_store_close(&store);
    if (strcmp(backend, "sqlite") == 0) {
        MUST(mica_store_open(store_spec(backend, "mica.db"), NULL, &error,
                             &store));
        subject->must_match(store, shadow);
        store_must_be_sound(store);
        mica_store_close(&store);
    }
    mica_store_close(&shadow);
    store_remove_folder();
    return fault.fired;
}

static void
run_all(const struct fault_subject *subject, const char *backend,
        enum what what, bool for_ever, unsigned least)
{
    static const unsigned strides[] = {[READS] = STRIDE,
                                       [WRITES] = STRIDE,
                                       [SQL_MEMORY] = SQL_STRIDE,
                                       [OUR_MEMORY] = 1};
    unsigned at = 1;

    mica_arena_init(&arena, 64 << 20);
    while (run_with(subject, backend, what, at, for_ever))
        at += strides[what];
    mica_arena_fini(&arena);
    ck_assert_msg(at > least, "only %u points", at);
}

#endif
