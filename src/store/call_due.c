// SPDX-License-Identifier: Apache-2.0
//
// Which calls a process has to look at: a call says itself when, in one index, so that a
// hundred thousand that wait cost nothing until their time has come; one that is
// claimed says so in its claim. The index begins with the build that runs a call, so
// that a process is given what it can run, and nothing else stands in its way.
#include <stdlib.h>

#include "store/calls.h"

enum {
    BUILDS = 10000 // that are read at once
};

// ---- Builds ----------------------------------------------------------------------

// When the first call of a build has to be looked at: of those that are free, and of
// those that are claimed.
#define NEXT_FREE(build)                                                    \
    "coalesce((SELECT f.wakes FROM calls AS f WHERE f.build = " build       \
    " AND NOT " MICA_STORE_CLAIMED("f") " ORDER BY f.wakes, f.id LIMIT 1)," \
                                        " 9223372036854775807)"
#define NEXT_CLAIMED(build)                                              \
    "coalesce((SELECT min(k.wakes) FROM claims AS k JOIN calls AS h"     \
    " ON h.number = k.call AND k.fence > h.fence WHERE h.build = " build \
    "), 9223372036854775807)"

// From one build to the next along the index. ?1 behind that one, ?2 at most so many
static const struct mica_store_operation call_builds = {
    .name = "call_builds",
    .takes = "nn",
    .steps = {
        {.sql =
             "WITH RECURSIVE b (build) AS (SELECT min(c.build)"
             " FROM calls AS c WHERE c.build > ?1 UNION ALL"
             " SELECT (SELECT min(c.build) FROM calls AS c"
             " WHERE c.build > b.build) FROM b"
             " WHERE b.build IS NOT NULL) SELECT b.build, c.offer,"
             " c.target, c.version, c.endpoint, " NEXT_FREE("b.build") ", " NEXT_CLAIMED(
                 "b.build") " FROM b JOIN calls AS c"
                            " ON c.number = (SELECT o.number FROM calls AS o"
                            " WHERE o.build = b.build ORDER BY o.wakes, o.id LIMIT 1)"
                            " WHERE b.build IS NOT NULL LIMIT ?2",
         .gives = "nntttnn"}}};

static int64_t
call_due_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

enum mica_status
mica_store_call_builds(struct mica_store *store, struct mica_arena *arena,
                       struct mica_error *error,
                       struct mica_store_builds *builds_out)
{
    // The number of those that have ended is 0.
    return mica_store_call_builds_behind(store, 0, arena, error, builds_out);
}

enum mica_status
mica_store_call_builds_behind(struct mica_store *store, int64_t behind,
                              struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_store_builds *builds_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(behind),
                                             MICA_STORE_NUMBER(BUILDS + 1)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_builds builds = {.count = 0};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &call_builds, values, given, arena, error,
                           &refusal));
    builds.items = mica_arena_zero(arena, given[0].count, sizeof *builds.items);
    if (builds.items == NULL)
        return mica_store_no_calls_memory(error);
    builds.more = given[0].count > BUILDS;
    builds.count = builds.more ? BUILDS : given[0].count;
    for (size_t i = 0; i < builds.count; i++) {
        const union mica_store_value *row = mica_store_given_row(&given[0], i);
        builds.items[i] = (struct mica_store_build){
            .number = row[0].number,
            .kind = (int)row[1].number,
            .target = row[2].text,
            .version = row[3].text,
            .endpoint = row[4].text,
            .next = call_due_earlier(row[5].number, row[6].number)};
    }
    *builds_out = builds;
    return MICA_OK;
}

// ---- Giving out ------------------------------------------------------------------

// ?1 build
static const struct mica_store_operation due_next = {
    .name = "due_next",
    .takes = "n",
    .steps = {{.sql = "SELECT " NEXT_FREE("?1") ", " NEXT_CLAIMED("?1"),
               .gives = "nn"}}};

// Those whose time has come. ?1 build, ?2 now, ?3 at most so many
static const struct mica_store_operation due_list = {
    .name = "due_list",
    .takes = "nnn",
    .steps = {
        {.sql =
             "SELECT d.id, d.ending, d.state FROM"
             " (SELECT c.wakes AS at, c.id, c.state, " MICA_STORE_ENDING(
                 "c",
                 "?2") " AS ending"
                       " FROM calls AS c WHERE c.build = ?1 AND c.wakes <= ?2"
                       " AND NOT " MICA_STORE_CLAIMED("c") " UNION ALL SELECT k.wakes, c.id, c.state, " MICA_STORE_ENDING(
                           "c",
                           "?2") " FROM claims AS k"
                                 " JOIN calls AS c ON c.number = k.call"
                                 " AND k.fence > c.fence WHERE c.build = ?1"
                                 " AND k.wakes <= ?2) AS d ORDER BY d.at, d.id LIMIT ?3",
         .gives = "tnn"}}};

// One of them is given out: not again before ?3. ?1 id, ?2 now
static const struct mica_store_operation due_give = {
    .name = "due_give",
    .writes = true,
    .takes = "tnn",
    .steps = {{.sql =
                   "UPDATE claims SET wakes = ?3 WHERE wakes <= ?2 AND call ="
                   " (SELECT c.number FROM calls AS c WHERE c.id = ?1)"
                   " AND fence > (SELECT c.fence FROM calls AS c"
                   " WHERE c.id = ?1)"},
              {.sql =
                   "UPDATE calls SET wakes = ?3 WHERE id = ?1 AND wakes <= ?2"
                   " AND ended = 0 AND NOT " MICA_STORE_CLAIMED("calls")}},
    // The column that does not count may have that value by chance.
    .done = {.sql = "SELECT 1 FROM calls AS c WHERE c.id = ?1 AND ?3 = CASE"
                    " WHEN " MICA_STORE_CLAIMED(
                        "c") " THEN (SELECT k.wakes"
                             " FROM claims AS k WHERE k.call = c.number)"
                             " ELSE c.wakes END",
             .gives = "n"}};

// It is not yet time after all, since that was when a claim was lost. ?1 id, ?2 now
static const struct mica_store_operation due_later = {
    .name = "due_later",
    .writes = true,
    .takes = "tn",
    .steps = {
        {.sql = "UPDATE claims SET wakes = (SELECT " MICA_STORE_NEXT_RUN(
             "c.state", "c.changed", "c.due",
             "c.expires") " FROM calls AS c WHERE c.number = claims.call)"
                          " WHERE wakes <= ?2 AND call = (SELECT c.number"
                          " FROM calls AS c WHERE c.id = ?1)"
                          " AND fence > (SELECT c.fence FROM calls AS c"
                          " WHERE c.id = ?1)"},
        {.sql = "UPDATE calls SET wakes = " MICA_STORE_NEXT_RUN(
             "state", "changed", "due",
             "expires") " WHERE id = ?1 AND wakes <= ?2 AND ended = 0 AND NOT " MICA_STORE_CLAIMED("calls")}}};

static enum mica_status
read_next(struct mica_store *store, const struct mica_store_build_set *builds,
          struct mica_error *error, int64_t *next_out)
{
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status = MICA_OK;
    unsigned refusal;

    *next_out = INT64_MAX;
    mica_arena_init(&arena, 1 << 12);
    for (size_t i = 0; i < builds->count && status == MICA_OK; i++) {
        const union mica_store_value values[] = {
            MICA_STORE_NUMBER(builds->numbers[i])};
        mica_arena_reset(&arena);
        status = mica_store_do(store, &due_next, values, given, &arena, error,
                               &refusal);
        if (status != MICA_OK)
            break;
        const union mica_store_value *row = mica_store_given_row(&given[0], 0);
        *next_out = call_due_earlier(
            *next_out, call_due_earlier(row[0].number, row[1].number));
    }
    mica_arena_fini(&arena);
    return status;
}

// What was listed, given out in one transaction. Others may have come before.
struct giving {
    union mica_store_value (*values)[3];
    struct mica_store_given (*given)[2];
    struct mica_store_part *parts;
};

static void
fill_giving(const struct mica_store_given *listed, int64_t now,
            int64_t again_ms, struct giving *giving)
{
    for (size_t i = 0; i < listed->count; i++) {
        const union mica_store_value *row = mica_store_given_row(listed, i);
        bool later = row[1].number == 0 && row[2].number == MICA_CALL_WAITING;
        giving->values[i][0].text = row[0].text;
        giving->values[i][1].number = now;
        giving->values[i][2].number = now + again_ms;
        giving->parts[i] =
            (struct mica_store_part){later ? &due_later : &due_give,
                                     giving->values[i], giving->given[i]};
    }
}

static void
take_given(const struct mica_store_given *listed, const struct giving *giving,
           struct mica_store_due *out)
{
    for (size_t i = 0; i < listed->count; i++) {
        const union mica_store_value *row = mica_store_given_row(listed, i);
        if (giving->parts[i].operation != &due_give ||
            giving->given[i][0].changed + giving->given[i][1].changed +
                    giving->given[i][0].count ==
                0)
            continue;
        out->ids[out->count] = row[0].text;
        out->endings[out->count++] = mica_store_ending(row[1].number);
    }
}

static enum mica_status
give_out(struct mica_store *store, const struct mica_store_given *listed,
         int64_t now, int64_t again_ms, struct mica_error *error,
         struct mica_store_due *out)
{
    struct giving giving = {calloc(listed->count, sizeof *giving.values),
                            calloc(listed->count, sizeof *giving.given),
                            calloc(listed->count, sizeof *giving.parts)};
    enum mica_status status = mica_store_no_calls_memory(error);
    unsigned refusal;

    if (giving.values != NULL && giving.given != NULL && giving.parts != NULL) {
        fill_giving(listed, now, again_ms, &giving);
        status = mica_store_perform(store, giving.parts, listed->count, NULL,
                                    error, &refusal);
        if (status == MICA_OK)
            take_given(listed, &giving, out);
    }
    free(giving.values);
    free(giving.given);
    free(giving.parts);
    return status;
}

static enum mica_status
due_of(struct mica_store *store, int64_t build, int64_t now, size_t limit,
       int64_t again_ms, struct mica_arena *arena, struct mica_error *error,
       struct mica_store_due *out)
{
    const union mica_store_value values[] = {
        MICA_STORE_NUMBER(build), MICA_STORE_NUMBER(now),
        MICA_STORE_NUMBER((int64_t)(limit - out->count))};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(
        mica_store_do(store, &due_list, values, given, arena, error, &refusal));
    if (given[0].count == 0)
        return MICA_OK;
    return give_out(store, &given[0], now, again_ms, error, out);
}

static enum mica_status
due_calls(struct mica_store *store, const struct mica_store_build_set *builds,
          int64_t now, size_t limit, int64_t again_ms, struct mica_arena *arena,
          struct mica_error *error, struct mica_store_due *out)
{
    out->ids = mica_arena_zero(arena, limit, sizeof *out->ids);
    out->endings = mica_arena_zero(arena, limit, sizeof *out->endings);
    if (out->ids == NULL || out->endings == NULL)
        return mica_store_no_calls_memory(error);
    for (size_t i = 0; i < builds->count && out->count < limit; i++)
        MICA_TRY(due_of(store, builds->numbers[i], now, limit, again_ms, arena,
                        error, out));
    return read_next(store, builds, error, &out->next);
}

// Most often no call is due, and looking waits for no writer.
enum mica_status
mica_store_call_due_of(struct mica_store *store,
                       const struct mica_store_build_set *builds, int64_t now,
                       size_t limit, int64_t again_ms, struct mica_arena *arena,
                       struct mica_error *error, struct mica_store_due *due_out)
{
    struct mica_store_due found = {.count = 0};

    MICA_TRY(mica_store_calls_limit(limit, error));
    MICA_TRY(read_next(store, builds, error, &found.next));
    if (found.next <= now)
        MICA_TRY(due_calls(store, builds, now, limit, again_ms, arena, error,
                           &found));
    else
        mica_store_totals_idle(store);
    *due_out = found;
    return MICA_OK;
}

// ---- Stranded --------------------------------------------------------------------

// There is no index of what has expired: the calls that are due are walked over.
// ?1 build, ?2 expired at, ?3 now, ?4 at most so many
static const struct mica_store_operation call_stranded = {
    .name = "call_stranded",
    .takes = "nnnn",
    .steps = {
        {.sql =
             "SELECT c.id FROM calls AS c WHERE c.build = ?1"
             " AND c.wakes <= ?3 AND c.expires <= ?2 AND NOT " MICA_STORE_HELD(
                 "c", "?3") " ORDER BY c.wakes, c.id LIMIT ?4",
         .gives = "t"}}};

enum mica_status
mica_store_call_stranded(struct mica_store *store,
                         const struct mica_store_build_set *builds,
                         int64_t before, int64_t now, size_t limit,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_due *stranded_out)
{
    struct mica_store_due found = {.next = INT64_MAX};
    unsigned refusal;

    MICA_TRY(mica_store_calls_limit(limit, error));
    found.ids = mica_arena_zero(arena, limit, sizeof *found.ids);
    if (found.ids == NULL)
        return mica_store_no_calls_memory(error);
    for (size_t i = 0; i < builds->count && found.count < limit; i++) {
        const union mica_store_value values[] = {
            MICA_STORE_NUMBER(builds->numbers[i]), MICA_STORE_NUMBER(before),
            MICA_STORE_NUMBER(now),
            MICA_STORE_NUMBER((int64_t)(limit - found.count))};
        struct mica_store_given given[1] = {{.count = 0}};
        MICA_TRY(mica_store_do(store, &call_stranded, values, given, arena,
                               error, &refusal));
        for (size_t r = 0; r < given[0].count; r++)
            found.ids[found.count++] =
                mica_store_given_row(&given[0], r)[0].text;
    }
    *stranded_out = found;
    return MICA_OK;
}

static void
count_stranded(struct mica_store *store, const struct mica_store_part *part)
{
    (void)part;
    mica_store_count(store, MICA_COUNT_CALLS_STRANDED, 1);
}

// It changes nothing but the totals.
static const struct mica_store_operation stranded = {
    .name = "stranded",
    .takes = "",
    .steps = {{.sql = "SELECT 1", .gives = "n"}},
    .count = count_stranded};

// At once: nothing else would write it soon.
enum mica_status
mica_store_count_stranded(struct mica_store *store, struct mica_error *error)
{
    const union mica_store_value none[1] = {{.number = 0}};
    int64_t totals[MICA_STORE_COUNTERS];
    unsigned refusal;

    MICA_TRY(
        mica_store_do(store, &stranded, none, NULL, NULL, error, &refusal));
    return mica_store_totals(store, MICA_STORE_TOTALS_WRITE, error, totals);
}
