// SPDX-License-Identifier: Apache-2.0
//
// Finds the calls that are due. The row of a call, or of its claim while it is claimed, has
// the time (`wakes`) in an index, so that a hundred thousand waiting calls cost nothing
// until they are due. The index begins with the build of a call, so that a process finds
// the calls that it can run, and calls that it cannot run do not delay them.
#include <stdlib.h>

#include "store/calls.h"

enum {
    BUILDS = 10000 // that one call reads
};

// ---- Builds ----------------------------------------------------------------------

// When the first call of a build becomes due: of the free calls, and of the claimed ones.
#define NEXT_FREE(build)                                                    \
    "coalesce((SELECT f.wakes FROM calls AS f WHERE f.build = " build       \
    " AND NOT " MICA_STORE_CLAIMED("f") " ORDER BY f.wakes, f.id LIMIT 1)," \
                                        " 9223372036854775807)"
#define NEXT_CLAIMED(build)                                              \
    "coalesce((SELECT min(k.wakes) FROM claims AS k JOIN calls AS h"     \
    " ON h.number = k.call AND k.fence > h.fence WHERE h.build = " build \
    "), 9223372036854775807)"

// Steps from build to build along the index. ?1 after that build, ?2 the most
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
    // Calls that have ended have the build number 0.
    return mica_store_call_builds_after(store, 0, arena, error, builds_out);
}

enum mica_status
mica_store_call_builds_after(struct mica_store *store, int64_t after,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_store_builds *builds_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(after),
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

// ---- Due calls -------------------------------------------------------------------

// ?1 build
static const struct mica_store_operation due_next = {
    .name = "due_next",
    .takes = "n",
    .steps = {{.sql = "SELECT " NEXT_FREE("?1") ", " NEXT_CLAIMED("?1"),
               .gives = "nn"}}};

// Lists due calls. ?1 build, ?2 now, ?3 the most
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

// Assigns a due call to this process: no process gets it again before ?3. ?1 id, ?2 now
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
    // Reads the column that counts; the other one may have that value by chance.
    .done = {.sql = "SELECT 1 FROM calls AS c WHERE c.id = ?1 AND ?3 = CASE"
                    " WHEN " MICA_STORE_CLAIMED(
                        "c") " THEN (SELECT k.wakes"
                             " FROM claims AS k WHERE k.call = c.number)"
                             " ELSE c.wakes END",
             .gives = "n"}};

// The call is not due: `wakes` was the end of a lost claim's lease. ?1 id, ?2 now
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

// Assigns the listed calls in one transaction. Another process may have been faster.
struct assignment {
    union mica_store_value (*values)[3];
    struct mica_store_given (*given)[2];
    struct mica_store_part *parts;
};

static void
fill_assignment(const struct mica_store_given *listed, int64_t now,
                int64_t again_ms, struct assignment *assignment)
{
    for (size_t i = 0; i < listed->count; i++) {
        const union mica_store_value *row = mica_store_given_row(listed, i);
        bool later = row[1].number == 0 && row[2].number == MICA_CALL_WAITING;
        assignment->values[i][0].text = row[0].text;
        assignment->values[i][1].number = now;
        assignment->values[i][2].number = now + again_ms;
        assignment->parts[i] = (struct mica_store_part){
            later ? &due_later : &due_give, assignment->values[i],
            assignment->given[i]};
    }
}

static void
read_assigned(const struct mica_store_given *listed,
              const struct assignment *assignment, struct mica_store_due *out)
{
    for (size_t i = 0; i < listed->count; i++) {
        const union mica_store_value *row = mica_store_given_row(listed, i);
        if (assignment->parts[i].operation != &due_give ||
            assignment->given[i][0].changed + assignment->given[i][1].changed +
                    assignment->given[i][0].count ==
                0)
            continue;
        out->ids[out->count] = row[0].text;
        out->endings[out->count++] = mica_store_ending(row[1].number);
    }
}

static enum mica_status
assign_calls(struct mica_store *store, const struct mica_store_given *listed,
             int64_t now, int64_t again_ms, struct mica_error *error,
             struct mica_store_due *out)
{
    struct assignment assignment = {
        calloc(listed->count, sizeof *assignment.values),
        calloc(listed->count, sizeof *assignment.given),
        calloc(listed->count, sizeof *assignment.parts)};
    enum mica_status status = mica_store_no_calls_memory(error);
    unsigned refusal;

    if (assignment.values != NULL && assignment.given != NULL &&
        assignment.parts != NULL) {
        fill_assignment(listed, now, again_ms, &assignment);
        status = mica_store_perform(store, assignment.parts, listed->count,
                                    NULL, error, &refusal);
        if (status == MICA_OK)
            read_assigned(listed, &assignment, out);
    }
    free(assignment.values);
    free(assignment.given);
    free(assignment.parts);
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
    return assign_calls(store, &given[0], now, again_ms, error, out);
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

// Reads first: most often no call is due, and a read does not wait for a writer.
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

// Walks over the due calls: there is no index of expired calls.
// ?1 build, ?2 expired at, ?3 now, ?4 the most
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

// Changes only the totals.
static const struct mica_store_operation stranded = {
    .name = "stranded",
    .takes = "",
    .steps = {{.sql = "SELECT 1", .gives = "n"}},
    .count = count_stranded};

// Writes the totals at once: no other operation may write them soon.
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
