// SPDX-License-Identifier: Apache-2.0
//
// The feed of changes: a sequence without gaps, of which the store has the newest.
#include "store/store.h"

// ---- Append --------------------------------------------------------------------

static void
count_append(struct mica_store *store, const struct mica_store_part *part)
{
    int64_t dropped = (int64_t)part->given[1].changed;

    mica_store_count(store, MICA_COUNT_CHANGES, 1 - dropped);
    mica_store_count(store, MICA_COUNT_CHANGES_DROPPED, dropped);
}

// ?1 created, ?2 kind, ?3 name, ?4 how many are kept, ?5 token, ?6 endpoint
static const struct mica_store_operation change_append = {
    .name = "change_append",
    .writes = true,
    .takes = "nntnnt",
    .steps = {{.sql = "INSERT INTO changes (sequence, created, kind, name,"
                      " token, endpoint) SELECT"
                      " coalesce(max(sequence), 0) + 1, ?1, ?2, ?3, ?5, ?6"
                      " FROM changes RETURNING sequence",
               .gives = "n"},
              {.sql = "DELETE FROM changes WHERE sequence <="
                      " (SELECT max(c.sequence) FROM changes AS c) - ?4"}},
    // Other processes may have appended changes meanwhile.
    .done = {.sql = "SELECT c.sequence FROM changes AS c WHERE c.token = ?5"
                    " AND c.sequence > (SELECT max(n.sequence)"
                    " FROM changes AS n) - 64",
             .gives = "n"},
    .count = count_append};

enum mica_status
mica_store_change_append(struct mica_store *store,
                         const struct mica_store_change *change,
                         struct mica_error *error, int64_t *sequence_out)
{
    struct mica_text name = change->name;
    const union mica_store_value values[] = {
        MICA_STORE_NUMBER(change->created),
        MICA_STORE_NUMBER((int64_t)change->kind),
        MICA_STORE_TEXT(name),
        MICA_STORE_NUMBER((int64_t)store->limits.changes),
        MICA_STORE_NUMBER(mica_store_token()),
        MICA_STORE_TEXT(change->endpoint)};
    struct mica_store_given given[2] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    if (name.len > MICA_STORE_NAME_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "A name of %zu bytes is too long for the feed "
                              "of changes; it takes %d.",
                              name.len, MICA_STORE_NAME_BYTES);
    MICA_TRY(mica_store_text(name, "The name", error));
    mica_arena_init(&arena, 1 << 12);
    status = mica_store_do(store, &change_append, values, given, &arena, error,
                           &refusal);
    if (status == MICA_OK)
        *sequence_out = mica_store_given_row(&given[0], 0)[0].number;
    mica_arena_fini(&arena);
    return status;
}

// ---- Read ----------------------------------------------------------------------

static const struct mica_store_operation change_last = {
    .name = "change_last",
    .takes = "",
    .steps = {{.sql = "SELECT coalesce(max(sequence), 0) FROM changes",
               .gives = "n"}}};

enum mica_status
mica_store_change_last(struct mica_store *store, struct mica_error *error,
                       int64_t *sequence_out)
{
    const union mica_store_value none[1] = {{.number = 0}};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 12);
    status = mica_store_do(store, &change_last, none, given, &arena, error,
                           &refusal);
    if (status == MICA_OK)
        *sequence_out = mica_store_given_row(&given[0], 0)[0].number;
    mica_arena_fini(&arena);
    return status;
}

static const struct mica_store_operation change_read = {
    .name = "change_read",
    .takes = "nn",
    .steps = {
        {.sql = "SELECT coalesce(min(sequence), 0) FROM changes", .gives = "n"},
        {.sql = "SELECT sequence, created, kind, name, endpoint FROM changes"
                " WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
         .gives = "nnntt"}}};

static enum mica_status
copy_changes(const struct mica_store_given *given, struct mica_arena *arena,
             struct mica_error *error, struct mica_store_changes *out)
{
    struct mica_store_change *items =
        mica_arena_zero(arena, given->count, sizeof *items);

    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu changes; ask for "
                              "fewer.",
                              given->count);
    for (size_t i = 0; i < given->count; i++) {
        const union mica_store_value *values = mica_store_given_row(given, i);
        items[i] = (struct mica_store_change){
            .sequence = values[0].number,
            .created = values[1].number,
            .kind = (enum mica_store_change_kind)values[2].number,
            .name = values[3].text,
            .endpoint = values[4].text};
    }
    out->items = items;
    out->count = given->count;
    return MICA_OK;
}

enum mica_status
mica_store_change_read(struct mica_store *store, int64_t after, size_t limit,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_store_changes *changes_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_NUMBER(after),
        MICA_STORE_NUMBER(limit < INT64_MAX ? (int64_t)limit : INT64_MAX)};
    struct mica_store_given given[2] = {{.count = 0}};
    unsigned refusal;
    int64_t oldest;

    MICA_TRY(mica_store_do(store, &change_read, values, given, arena, error,
                           &refusal));
    MICA_TRY(copy_changes(&given[1], arena, error, changes_out));
    oldest = mica_store_given_row(&given[0], 0)[0].number;
    changes_out->missed = oldest > 0 && after < oldest - 1;
    return MICA_OK;
}

// ---- Expire --------------------------------------------------------------------

static void
count_expired(struct mica_store *store, const struct mica_store_part *part)
{
    int64_t dropped = (int64_t)part->given[0].changed;

    mica_store_count(store, MICA_COUNT_CHANGES, -dropped);
    mica_store_count(store, MICA_COUNT_CHANGES_DROPPED, dropped);
}

// ?1 before, ?2 the most
static const struct mica_store_operation changes_expire = {
    .name = "changes_expire",
    .writes = true,
    .takes = "nn",
    .steps = {{.sql = "DELETE FROM changes WHERE sequence IN"
                      " (SELECT c.sequence FROM changes AS c WHERE c.sequence <"
                      " coalesce((SELECT y.sequence FROM changes AS y"
                      " WHERE y.created >= ?1 ORDER BY y.sequence LIMIT 1),"
                      " (SELECT max(n.sequence) FROM changes AS n))"
                      " ORDER BY c.sequence LIMIT ?2)"}},
    .count = count_expired};

enum mica_status
mica_store_changes_expire(struct mica_store *store, int64_t before,
                          size_t limit, struct mica_error *error,
                          size_t *removed_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(before),
                                             MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &changes_expire, values, given, NULL, error,
                           &refusal));
    *removed_out = given[0].changed;
    return MICA_OK;
}
