// SPDX-License-Identifier: Apache-2.0
//
// Entries: a name, a version and a value. Versions count on in the whole database, so
// that an entry which was removed and made again has another one. An entry may expire; from
// then on it counts as absent, whether it has been removed (keep_sweep.c) or not.
#include "keep/keep_database.h"

// Of statements whose ?2 is the time.
#define LIVES " AND (expires IS NULL OR expires > ?2)"

static enum mica_status
find_version(struct mica_keep_database *database,
             const struct mica_keep_order *order, struct mica_error *error,
             int64_t *version_out)
{
    sqlite3_stmt *statement = NULL;
    int code;

    *version_out = 0;
    MICA_TRY(mica_keep_prepare(
        database, "SELECT version FROM mica_entries WHERE name = ?1" LIVES,
        error, &statement));
    (void)mica_keep_bind_text(statement, 1, order->name);
    (void)sqlite3_bind_int64(statement, 2, order->now);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *version_out = sqlite3_column_int64(statement, 0);
    return mica_keep_finish(database, statement, code, error);
}

static enum mica_status
check_version(const struct mica_keep_order *order, int64_t version,
              struct mica_error *error)
{
    int64_t expected = order->expect == MICA_KEEP_ABSENT ? 0 : order->expect;

    if (order->expect == 0 || version == expected)
        return MICA_OK;
    if (version == 0)
        return mica_error_set(error, MICA_E_KEEP_VERSION, "",
                              "\"%.*s\" does not exist any more, where version "
                              "%lld was expected",
                              MICA_ARG(order->name), (long long)expected);
    return mica_error_set(error, MICA_E_KEEP_VERSION, "",
                          "\"%.*s\" has the version %lld, where %lld was "
                          "expected; read it again",
                          MICA_ARG(order->name), (long long)version,
                          (long long)expected);
}

static void
write_version(struct mica_buffer *answer, int64_t version)
{
    mica_buffer_format(answer, "{\"version\":%lld}", (long long)version);
}

// ---- Acts --------------------------------------------------------------------------

static enum mica_status
next_version(struct mica_keep_database *database, struct mica_error *error,
             int64_t *version_out)
{
    sqlite3_stmt *statement = NULL;
    int code;

    MICA_TRY(mica_keep_prepare(
        database,
        "UPDATE mica_state SET version = version + 1 RETURNING version", error,
        &statement));
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *version_out = sqlite3_column_int64(statement, 0);
        code = sqlite3_step(statement);
    }
    return mica_keep_finish(database, statement, code, error);
}

static enum mica_status
entry_put(struct mica_keep_database *database,
          const struct mica_keep_order *order, struct mica_error *error,
          struct mica_buffer *answer)
{
    sqlite3_stmt *statement = NULL;
    int64_t version = 0;

    MICA_TRY(find_version(database, order, error, &version));
    MICA_TRY(check_version(order, version, error));
    MICA_TRY(next_version(database, error, &version));
    MICA_TRY(mica_keep_prepare(
        database,
        "INSERT INTO mica_entries (name, version, value, expires)"
        " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name)"
        " DO UPDATE SET version = ?2, value = ?3, expires = ?4",
        error, &statement));
    (void)mica_keep_bind_text(statement, 1, order->name);
    (void)sqlite3_bind_int64(statement, 2, version);
    (void)mica_keep_bind_text(statement, 3, order->value);
    if (order->until > 0) // else NULL: it stays
        (void)sqlite3_bind_int64(statement, 4, order->until);
    write_version(answer, version);
    return mica_keep_finish(database, statement, sqlite3_step(statement),
                            error);
}

static enum mica_status
entry_get(struct mica_keep_database *database,
          const struct mica_keep_order *order, struct mica_error *error,
          struct mica_buffer *answer)
{
    sqlite3_stmt *statement = NULL;
    struct mica_text value;
    int code;

    MICA_TRY(mica_keep_prepare(
        database,
        "SELECT version, value FROM mica_entries WHERE name = ?1" LIVES, error,
        &statement));
    (void)mica_keep_bind_text(statement, 1, order->name);
    (void)sqlite3_bind_int64(statement, 2, order->now);
    code = sqlite3_step(statement);
    value = mica_keep_column_text(statement, 1);
    if (code == SQLITE_ROW)
        mica_buffer_format(answer, "{\"version\":%lld,\"value\":%.*s}",
                           (long long)sqlite3_column_int64(statement, 0),
                           MICA_ARG(value));
    else
        write_version(answer, 0);
    return mica_keep_finish(database, statement, code, error);
}

static enum mica_status
entry_delete(struct mica_keep_database *database,
             const struct mica_keep_order *order, struct mica_error *error,
             struct mica_buffer *answer)
{
    sqlite3_stmt *statement = NULL;
    int64_t version = 0;

    MICA_TRY(find_version(database, order, error, &version));
    MICA_TRY(check_version(order, version, error));
    MICA_TRY(mica_keep_prepare(database,
                               "DELETE FROM mica_entries WHERE name = ?1",
                               error, &statement));
    (void)mica_keep_bind_text(statement, 1, order->name);
    write_version(answer, version);
    return mica_keep_finish(database, statement, sqlite3_step(statement),
                            error);
}

// ---- Pages -------------------------------------------------------------------------

static bool
has_prefix(struct mica_text name, struct mica_text prefix)
{
    return name.len >= prefix.len &&
           mica_text_equal(mica_text_slice(name, 0, prefix.len), prefix);
}

// Writes one entry, unless the page has no more room for it.
static bool
write_entry(struct mica_json_writer *writer, sqlite3_stmt *statement)
{
    struct mica_text name = mica_keep_column_text(statement, 0);
    struct mica_text value = mica_keep_column_text(statement, 2);
    const size_t around = 64 + 6 * name.len; // escapes, and the end of the page

    if (writer->buffer->len + value.len + around > writer->buffer->max)
        return false;
    mica_json_open_object(writer);
    mica_json_field(writer, "name", name);
    mica_json_name(writer, "version");
    mica_json_integer(writer, sqlite3_column_int64(statement, 1));
    mica_json_name(writer, "value");
    mica_json_raw(writer, value);
    mica_json_close_object(writer);
    return true;
}

// Steps through the entries; returns SQLite's code. The first entry has room: the buffer
// takes more than the largest value.
static int
write_entries(sqlite3_stmt *statement, const struct mica_keep_order *order,
              struct mica_json_writer *writer, bool *more_out)
{
    unsigned count = 0;
    int code;

    *more_out = false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!has_prefix(mica_keep_column_text(statement, 0), order->name))
            return SQLITE_DONE;
        if (count++ == order->limit || !write_entry(writer, statement)) {
            *more_out = true;
            return SQLITE_DONE;
        }
    }
    return code;
}

static enum mica_status
entry_list(struct mica_keep_database *database,
           const struct mica_keep_order *order, struct mica_error *error,
           struct mica_buffer *answer)
{
    sqlite3_stmt *statement = NULL;
    struct mica_json_writer writer;
    bool more;
    int code;

    MICA_TRY(mica_keep_prepare(database,
                               "SELECT name, version, value FROM mica_entries"
                               " WHERE name >= ?1 AND name > ?3" LIVES
                               " ORDER BY name",
                               error, &statement));
    (void)mica_keep_bind_text(statement, 1, order->name);
    (void)sqlite3_bind_int64(statement, 2, order->now);
    (void)mica_keep_bind_text(statement, 3, order->after);
    mica_json_writer_init(&writer, answer);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "entries");
    mica_json_open_array(&writer);
    code = write_entries(statement, order, &writer, &more);
    mica_json_close_array(&writer);
    mica_json_name(&writer, "more");
    mica_json_boolean(&writer, more);
    mica_json_close_object(&writer);
    return mica_keep_finish(database, statement, code, error);
}

enum mica_status
mica_keep_entries_run(struct mica_keep_database *database,
                      const struct mica_keep_order *order,
                      struct mica_error *error, struct mica_buffer *answer)
{
    switch (order->act) {
    case MICA_KEEP_PUT:
        return entry_put(database, order, error, answer);
    case MICA_KEEP_GET:
        return entry_get(database, order, error, answer);
    case MICA_KEEP_DELETE:
        return entry_delete(database, order, error, answer);
    case MICA_KEEP_LIST:
        return entry_list(database, order, error, answer);
    case MICA_KEEP_SQL:
        break;
    }
    return mica_error_set(error, MICA_E_KEEP, "", "no such act");
}
