// SPDX-License-Identifier: Apache-2.0
//
// Slots, and the runtime functions that translated code reaches. How a call is
// stopped, and why a stop can never hit another call:
//
//  SANDBOX-1. guard.word is (generation, fuse). Only the slot's own thread changes the
//             generation, one up at enter (odd: inside) and one up at leave (even).
//  SANDBOX-2. The watchdog changes only the fuse, only to 0, and only by comparing and
//             swapping a whole word that it read with an odd generation. If the call has
//             ended meanwhile the word differs and nothing happens. So a blown fuse
//             belongs to the very call that the watchdog judged.
//  SANDBOX-3. limit_ms and cancelled are stored before the word that enters. The watchdog
//             reads them between two reads of an equal word; both are then of that
//             generation: their stores release the leave before them, so having seen a
//             later value it would see the later word too.
//  SANDBOX-4. *cancelled lives as long as its call. The watchdog announces the generation
//             in `peeking`, then looks again at the word, and follows the pointer only if
//             the call is still inside. Leaving swaps the word first and then waits while
//             `peeking` names its generation. Both sides store before they load, all four
//             sequentially consistent, so one of them sees the other.
//  SANDBOX-5. The translated code polls the fuse itself (guard.h) and unwinds by a call
//             of trap() from its own frames. No signal is sent, so there is no moment at
//             which unwinding is wrong: the thread is never inside the allocator, a lock
//             or the C library when it jumps.
//  SANDBOX-6. Between two polls lies straight-line code, or one bulk memory operation of
//             at most the memory's size. Recursion is polled at each entry, loops at each
//             way back, and each bulk operation of 4 KiB or more before it begins. So a
//             stop takes effect within microseconds, and within some milliseconds for an
//             operation on 64 MiB.
#include "sandbox/slot.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "base/assert.h"
#include "sandbox/watchdog.h"

_Static_assert(offsetof(struct mica_slot, instance) ==
                   offsetof(struct mica_slot, guard) +
                       sizeof(struct mica_guard),
               "translated code finds the guard right before the instance");

enum {
    FRAME_ROOM = 4096 // of native stack, for the frames of the sandbox itself
};

static _Thread_local struct mica_slot *mine;
static pthread_key_t at_thread_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void
free_slot(void *data)
{
    struct mica_slot *slot = data;
    mica_watchdog_remove(slot);
    mica_pool_fini(&slot->pool);
    (void)munmap(slot, sizeof *slot);
    mine = NULL;
}

static void
make_key(void)
{
    have_key = pthread_key_create(&at_thread_end, free_slot) == 0;
}

static struct mica_slot *
make_slot(void)
{
    (void)pthread_once(&once, make_key);
    if (!have_key)
        return NULL;
    struct mica_slot *slot = mmap(NULL, sizeof *slot, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slot == MAP_FAILED)
        return NULL;
    if (pthread_setspecific(at_thread_end, slot) != 0) {
        (void)munmap(slot, sizeof *slot);
        return NULL;
    }
    slot->thread = pthread_self();
    slot->has_cpu_clock =
        pthread_getcpuclockid(pthread_self(), &slot->cpu_clock) == 0;
    mica_watchdog_add(slot);
    return slot;
}

struct mica_slot *
mica_slot_mine(void)
{
    if (mine == NULL)
        mine = make_slot();
    return mine;
}

struct mica_slot *
mica_slot_inside(void)
{
    MICA_ASSERT(mine != NULL);
    return mine;
}

static uint64_t
word_of(uint32_t generation, uint32_t fuse)
{
    return (uint64_t)generation << 32 | fuse;
}

void
mica_slot_enter(struct mica_slot *slot, uint32_t stack_bytes, uint32_t limit_ms,
                const atomic_bool *cancelled)
{
    uint64_t word = __atomic_load_n(&slot->guard.word, __ATOMIC_RELAXED);
    uint32_t generation = MICA_GUARD_GENERATION(word);
    MICA_ASSERT(generation % 2 == 0); // one call a thread
    // The module's frames lie below this one's caller, so well below this.
    slot->guard.stack =
        (uint32_t)(uintptr_t)__builtin_frame_address(0) + FRAME_ROOM;
    atomic_store_explicit(&slot->limit_ms, limit_ms, memory_order_release);
    atomic_store_explicit(&slot->cancelled, cancelled, memory_order_release);
    // Sequentially consistent, so that either the watchdog sees this call
    // before it lies down, or this thread sees that it sleeps.
    __atomic_store_n(&slot->guard.word,
                     word_of(generation + 1, stack_bytes + FRAME_ROOM),
                     __ATOMIC_SEQ_CST);
    if (mica_watchdog_sleeps())
        mica_watchdog_wake();
}

enum mica_stop
mica_slot_leave(struct mica_slot *slot)
{
    uint64_t word = __atomic_load_n(&slot->guard.word, __ATOMIC_RELAXED);
    uint32_t generation = MICA_GUARD_GENERATION(word);
    word = __atomic_exchange_n(&slot->guard.word, word_of(generation + 1, 0),
                               __ATOMIC_SEQ_CST);
    for (int spins = 0; atomic_load(&slot->peeking) == generation; spins++) {
        if (spins > 100)
            (void)sched_yield(); // the watchdog lost its processor here
    }
    if (MICA_GUARD_FUSE(word) != 0)
        return MICA_STOP_NONE;
    return (enum mica_stop)atomic_load(&slot->reason);
}

bool
mica_slot_stopped(const struct mica_slot *slot)
{
    uint64_t word = __atomic_load_n(&slot->guard.word, __ATOMIC_ACQUIRE);
    return MICA_GUARD_FUSE(word) == 0;
}

// ---- What translated code calls ----------------------------------------------

__attribute__((noreturn)) static void
slot_trap(enum mica_trap slot_trap)
{
    struct mica_slot *slot = mica_slot_inside();
    slot->trap = slot_trap;
    longjmp(slot->unwind, 1);
}

static void
memory_new(struct mica_memory *memory, uint32_t pages, uint32_t max_pages)
{
    struct mica_slot *slot = mica_slot_inside();
    if (max_pages > slot->memory_max)
        max_pages = slot->memory_max;
    // A second memory would share the first one's bytes.
    if (pages > max_pages || slot->memory != NULL ||
        !mica_pool_commit(&slot->pool, (size_t)pages * MICA_PAGE))
        slot_trap(MICA_TRAP_MEMORY);
    *memory =
        (struct mica_memory){slot->pool.base, pages, max_pages,
                             (uint64_t)pages * MICA_PAGE, MICA_WINDOW_EMPTY};
    slot->memory = memory;
}

static uint32_t
memory_grow(struct mica_memory *memory, uint32_t pages)
{
    struct mica_slot *slot = mica_slot_inside();
    uint32_t before = memory->pages;
    if (pages > memory->max_pages - before)
        return UINT32_MAX;
    uint32_t after = before + pages;
    if (!mica_pool_commit(&slot->pool, (size_t)after * MICA_PAGE))
        return UINT32_MAX;
    memory->pages = after;
    memory->size = (uint64_t)after * MICA_PAGE;
    return before;
}

static void
table_new(struct mica_table *table, uint32_t size, uint32_t max_size)
{
    struct mica_slot *slot = mica_slot_inside();
    if (size > MICA_TABLE_MAX)
        slot_trap(MICA_TRAP_MEMORY);
    memset(slot->pool.table, 0, size * sizeof *table->data);
    *table = (struct mica_table){slot->pool.table, max_size, size};
}

static void
slot_poll(void)
{
    if (mica_slot_stopped(mica_slot_inside()))
        slot_trap(MICA_TRAP_FUSE);
}

const struct mica_runtime mica_slot_runtime = {
    slot_trap, memory_new, memory_grow, table_new, slot_poll};
