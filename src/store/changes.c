// SPDX-License-Identifier: Apache-2.0
//
// The feed of changes, by which servers that share a store tell each other. A
// reader remembers the last sequence it has seen. The newest change is never
// swept: the next one counts on from it.
#include "store/store.h"

static enum mica_status
first_change(struct mica_store *within, bool newest, struct mica_error *error,
             int64_t *sequence_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CHANGES,
                                     .newest_first = newest,
                                     .columns =
                                         MICA_COLUMN(MICA_CHANGE_SEQUENCE)};
    struct mica_store_row row;
    bool found;

    MICA_TRY(mica_store_first(within, range, error, &found, &row));
    *sequence_out = found ? row.values[MICA_CHANGE_SEQUENCE].number : 0;
    return MICA_OK;
}

static enum mica_status
drop(struct mica_store *within, const struct mica_store_row *row,
     struct mica_error *error)
{
    size_t removed;

    MICA_TRY(
        mica_store_remove(within, MICA_STORE_CHANGES, 1, row, error, &removed));
    MICA_TRY(mica_store_add(within, MICA_COUNT_CHANGES_DROPPED, 1, error));
    return mica_store_add(within, MICA_COUNT_CHANGES, -1, error);
}

// ---- Appending -----------------------------------------------------------------

static enum mica_status
keep_count(struct mica_store *within, struct mica_error *error)
{
    struct mica_store_row row;
    int64_t count;

    MICA_TRY(mica_store_total(within, MICA_COUNT_CHANGES, error, &count));
    for (; (uint64_t)count > within->limits.changes; count--) {
        MICA_TRY(first_change(within, false, error,
                              &row.values[MICA_CHANGE_SEQUENCE].number));
        MICA_TRY(drop(within, &row, error));
    }
    return MICA_OK;
}

static enum mica_status
append(struct mica_store *within, enum mica_store_change_kind kind,
       struct mica_text name, int64_t now, struct mica_error *error,
       int64_t *sequence_out)
{
    struct mica_store_row row;
    int64_t last;

    MICA_TRY(first_change(within, true, error, &last));
    row.values[MICA_CHANGE_SEQUENCE].number = last + 1;
    row.values[MICA_CHANGE_CREATED].number = now;
    row.values[MICA_CHANGE_KIND].number = kind;
    row.values[MICA_CHANGE_NAME].text = name;
    MICA_TRY(mica_store_insert(within, MICA_STORE_CHANGES, &row, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_CHANGES, 1, error));
    *sequence_out = last + 1;
    return keep_count(within, error);
}

enum mica_status
mica_store_change_append(struct mica_store *store,
                         enum mica_store_change_kind kind,
                         struct mica_text name, int64_t now,
                         struct mica_error *error, int64_t *sequence_out)
{
    struct mica_store within;

    if (name.len > MICA_STORE_NAME_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "A name of %zu bytes is too long for the feed "
                              "of changes; it takes %d.",
                              name.len, MICA_STORE_NAME_BYTES);
    MICA_TRY(mica_store_text(name, "The name", error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within, append(&within, kind, name, now, error, sequence_out), error);
}

// ---- Reading -------------------------------------------------------------------

enum mica_status
mica_store_change_last(struct mica_store *store, struct mica_error *error,
                       int64_t *sequence_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, first_change(&within, true, error, sequence_out), error);
}

static enum mica_status
copy_changes(const struct mica_store_rows *rows, struct mica_arena *arena,
             struct mica_error *error, struct mica_store_changes *out)
{
    struct mica_store_change *items =
        mica_arena_zero(arena, rows->count, sizeof *items);

    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu changes; ask for "
                              "fewer.",
                              rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        const union mica_store_value *values = rows->items[i].values;
        items[i] = (struct mica_store_change){
            .sequence = values[MICA_CHANGE_SEQUENCE].number,
            .created = values[MICA_CHANGE_CREATED].number,
            .kind =
                (enum mica_store_change_kind)values[MICA_CHANGE_KIND].number,
            .name = values[MICA_CHANGE_NAME].text};
    }
    out->items = items;
    out->count = rows->count;
    return MICA_OK;
}

static enum mica_status
read_after(struct mica_store *within, int64_t after, size_t limit,
           struct mica_arena *arena, struct mica_error *error,
           struct mica_store_changes *out)
{
    struct mica_store_range range = {
        .table = MICA_STORE_CHANGES, .bound = MICA_BOUND_AFTER, .limit = limit};
    struct mica_store_rows rows;
    int64_t oldest;

    MICA_TRY(first_change(within, false, error, &oldest));
    range.values[0].number = after;
    MICA_TRY(mica_store_scan(within, &range, arena, error, &rows));
    MICA_TRY(copy_changes(&rows, arena, error, out));
    out->missed = oldest > 0 && after < oldest - 1;
    return MICA_OK;
}

enum mica_status
mica_store_change_read(struct mica_store *store, int64_t after, size_t limit,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_store_changes *changes_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, read_after(&within, after, limit, arena, error, changes_out),
        error);
}

// ---- Upkeep --------------------------------------------------------------------

enum mica_status
mica_store_changes_expire(struct mica_store *within, int64_t before,
                          size_t limit, struct mica_error *error,
                          size_t *removed_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CHANGES,
                                     .bound = MICA_BOUND_BELOW,
                                     .columns =
                                         MICA_COLUMN(MICA_CHANGE_SEQUENCE) |
                                         MICA_COLUMN(MICA_CHANGE_CREATED),
                                     .limit = limit};
    struct mica_store_rows rows;

    MICA_TRY(first_change(within, true, error, &range.values[0].number));
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    *removed_out = 0;
    for (size_t i = 0;
         i < rows.count &&
         rows.items[i].values[MICA_CHANGE_CREATED].number < before;
         i++) {
        MICA_TRY(drop(within, &rows.items[i], error));
        (*removed_out)++;
    }
    return MICA_OK;
}
