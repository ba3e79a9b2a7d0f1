// SPDX-License-Identifier: Apache-2.0
//
// How often apps are used: a row for each app and day.
#include "store/store_app_steps.h"

enum {
    BATCH = 256,      // items of one transaction
    MOST_DAYS = 1000, // of one read
    DAY_MS = 86400000,
    ID = 0, // the values of an item
    DAY,
    CALLS,
    FAILURES,
    TOKENS,
    TOKEN,
    ITEM_VALUES
};

// ---- Add -----------------------------------------------------------------------

// If it runs twice with the same token, it adds once.
static const struct mica_store_operation app_usage_add = {
    .name = "app_usage_add",
    .writes = true,
    .takes = "tnnnnn",
    .steps = {{.sql = "INSERT INTO app_usage (app, day, calls, failures,"
                      " tokens, token) SELECT a.number, ?2, ?3, ?4, ?5, ?6"
                      " FROM apps AS a WHERE a.id = ?1"
                      " ON CONFLICT (app, day) DO UPDATE"
                      " SET calls = app_usage.calls + excluded.calls,"
                      " failures = app_usage.failures + excluded.failures,"
                      " tokens = app_usage.tokens + excluded.tokens,"
                      " token = excluded.token"
                      " WHERE app_usage.token <> excluded.token"}}};

struct usage_batch {
    union mica_store_value values[BATCH][ITEM_VALUES];
    struct mica_store_part parts[BATCH];
    size_t count;
};

static enum mica_status
check_item(const struct mica_store_app_usage *item, struct mica_error *error)
{
    if (!mica_app_is_name(item->id) || item->calls < 0 || item->failures < 0 ||
        item->tokens < 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The usage of an app has the id of the app, and "
                              "numbers that are not negative.");
    return MICA_OK;
}

// Adds an item to that of the same app and day, if the batch has it: a row has one token.
static void
add_item(struct usage_batch *batch, const struct mica_store_app_usage *item,
         int64_t token)
{
    size_t at = 0;

    while (at < batch->count &&
           (batch->values[at][DAY].number != item->day ||
            !mica_text_equal(batch->values[at][ID].text, item->id)))
        at++;
    union mica_store_value *values = batch->values[at];
    if (at == batch->count) {
        batch->parts[batch->count++] =
            (struct mica_store_part){&app_usage_add, values, NULL};
        values[ID].text = item->id;
        values[DAY].number = item->day;
        values[CALLS].number = values[FAILURES].number = values[TOKENS].number =
            0;
        values[TOKEN].number = token;
    }
    values[CALLS].number += item->calls;
    values[FAILURES].number += item->failures;
    values[TOKENS].number += item->tokens;
}

enum mica_status
mica_store_app_usage_add(struct mica_store *store,
                         const struct mica_store_app_usage *items, size_t count,
                         struct mica_error *error)
{
    struct usage_batch batch = {.count = 0};
    int64_t token = mica_store_token();
    unsigned refusal;

    if (count > BATCH)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The usage of at most %d apps is added at once, "
                              "not of %zu.",
                              BATCH, count);
    for (size_t i = 0; i < count; i++) {
        MICA_TRY(check_item(&items[i], error));
        add_item(&batch, &items[i], token);
    }
    if (batch.count == 0)
        return MICA_OK;
    return mica_store_perform(store, batch.parts, batch.count, NULL, error,
                              &refusal);
}

// ---- Read ----------------------------------------------------------------------

// ?1 id, ?2 from, ?3 to
static const struct mica_store_operation app_usage_read = {
    .name = "app_usage",
    .takes = "tnn",
    .steps = {{.sql = "SELECT u.day, u.calls, u.failures, u.tokens"
                      " FROM apps AS a JOIN app_usage AS u ON u.app = a.number"
                      " WHERE a.id = ?1 AND u.day >= ?2 AND u.day <= ?3"
                      " ORDER BY u.day",
               .gives = "nnnn"}}};

enum mica_status
mica_store_app_usage(struct mica_store *store, struct mica_text id,
                     int64_t from, int64_t to, struct mica_arena *arena,
                     struct mica_error *error,
                     struct mica_store_app_days *days_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(id), MICA_STORE_NUMBER(from), MICA_STORE_NUMBER(to)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_app_days found = {NULL, 0};
    unsigned refusal;

    if (from < 0 || to < from || to - from >= MOST_DAYS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The usage of an app is read for 1 to %d days.",
                              MOST_DAYS);
    *days_out = found;
    if (!mica_app_is_name(id))
        return MICA_OK;
    MICA_TRY(mica_store_do(store, &app_usage_read, values, given, arena, error,
                           &refusal));
    found.items = mica_arena_zero(arena, given[0].count, sizeof *found.items);
    if (found.items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu days; ask for fewer.",
                              given[0].count);
    for (; found.count < given[0].count; found.count++) {
        const union mica_store_value *row =
            mica_store_given_row(&given[0], found.count);
        found.items[found.count] =
            (struct mica_store_app_usage){.day = row[0].number,
                                          .calls = row[1].number,
                                          .failures = row[2].number,
                                          .tokens = row[3].number};
    }
    *days_out = found;
    return MICA_OK;
}

// ---- Expire --------------------------------------------------------------------

// ?1 the first day that stays, ?2 the most
static const struct mica_store_operation app_usage_expire = {
    .name = "app_usage_expire",
    .writes = true,
    .takes = "nn",
    .steps = {{.sql = "DELETE FROM app_usage WHERE (app, day) IN"
                      " (SELECT u.app, u.day FROM app_usage AS u"
                      " WHERE u.day < ?1 ORDER BY u.day, u.app LIMIT ?2)"}}};

enum mica_status
mica_store_app_usage_expire(struct mica_store *store, int64_t now, size_t limit,
                            struct mica_error *error, size_t *removed_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_NUMBER(now / DAY_MS - MICA_STORE_APP_USAGE_DAYS),
        MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &app_usage_expire, values, given, NULL, error,
                           &refusal));
    *removed_out = given[0].changed;
    return MICA_OK;
}
