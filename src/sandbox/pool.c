// SPDX-License-Identifier: Apache-2.0
//
// Address space is reserved once per thread and becomes memory as modules grow,
// so a memory never moves. What lies beyond is not mapped: a second fence
// behind the checks in the translated code.
#include "sandbox/pool.h"

#include <string.h>
#include <sys/mman.h>

#include "base/assert.h"

static size_t
pool_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool
mica_pool_reserve(struct mica_pool *pool, size_t size)
{
    if (pool->table == NULL) {
        void *table =
            mmap(NULL, MICA_TABLE_MAX * sizeof *pool->table,
                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (table == MAP_FAILED)
            return false;
        pool->table = table;
    }
    if (pool->reserved >= size)
        return true;
    void *base = mmap(NULL, size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    if (pool->base != NULL)
        (void)munmap(pool->base, pool->reserved);
    pool->base = base;
    pool->reserved = size;
    pool->committed = 0;
    pool->resident = 0;
    return true;
}

bool
mica_pool_commit(struct mica_pool *pool, size_t size)
{
    if (size > pool->reserved)
        return false;
    if (size > pool->committed) {
        if (mprotect(pool->base + pool->committed, size - pool->committed,
                     PROT_READ | PROT_WRITE) != 0)
            return false;
        pool->committed = size;
    }
    return true;
}

static size_t
pool_most(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Looks at what a call could have reached: in builds for tests, after each.
static bool
is_clean(const struct mica_pool *pool)
{
    size_t size = pool_least(pool->committed, MICA_POOL_KEEP);
    return size == 0 || (pool->base[0] == 0 &&
                         memcmp(pool->base, pool->base + 1, size - 1) == 0);
}

void
mica_pool_clean(struct mica_pool *pool, const struct mica_memory *memory)
{
    // Whole pages of any system: what lies behind is given back by the page.
    size_t before = (pool->before + MICA_PAGE - 1) & ~(size_t)(MICA_PAGE - 1);
    size_t keep =
        pool_most(MICA_POOL_KEEP, pool_least(before, MICA_POOL_KEEP_LARGE));
    size_t low = 0, end = 0;
    if (memory != NULL && memory->low < memory->size) {
        low = (size_t)memory->low;
        end = low + (size_t)memory->reach + MICA_STORE_MAX;
    }
    size_t top = pool_most(end, pool->resident);
    if (low < pool_least(end, keep))
        memset(pool->base + low, 0, pool_least(end, keep) - low);
    if (top > keep) {
        // An anonymous private mapping reads as zero after this.
        int failed = madvise(pool->base + keep, top - keep, MADV_DONTNEED);
        MICA_ASSERT(failed == 0);
    }
    pool->resident = pool_least(top, keep);
    pool->before = end;
    MICA_DCHECK(is_clean(pool));
}

void
mica_pool_fini(struct mica_pool *pool)
{
    if (pool->base != NULL)
        (void)munmap(pool->base, pool->reserved);
    if (pool->table != NULL)
        (void)munmap(pool->table, MICA_TABLE_MAX * sizeof *pool->table);
    *pool = (struct mica_pool){0};
}
