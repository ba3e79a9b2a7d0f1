// SPDX-License-Identifier: Apache-2.0
//
// What statements of tools may do. SQLite asks for each thing that a statement uses while
// it prepares the statement.
#include <string.h>
#include <strings.h>

#include "keep/keep_database.h"

// mica's own tables, whatever the case of the letters.
static bool
is_own_table(const char *name)
{
    return name != NULL && strncasecmp(name, "mica_", 5) == 0;
}

static bool
is_schema(const char *name)
{
    return name != NULL && strncasecmp(name, "sqlite_", 7) == 0;
}

static bool
is_function_allowed(const char *name)
{
    return strcasecmp(name, "load_extension") != 0;
}

// In every statement: reading and changing rows.
static bool
may_touch_rows(const struct mica_keep_database *database, int action,
               const char *first, const char *second)
{
    bool in_tables = database->mode == MICA_KEEP_BY_TABLES;

    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return true;
    case SQLITE_READ:
        return !is_own_table(first);
    case SQLITE_FUNCTION:
        return is_function_allowed(second);
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        // SQLite itself writes to its schema when .tables change it.
        return !is_own_table(first) && (in_tables || !is_schema(first));
    default:
        return false;
    }
}

// In .tables: their tables, indexes, views and triggers. The names are those of what is
// made and of the table that it belongs to, or of a column.
static bool
may_change_tables(int action, const char *first, const char *second)
{
    switch (action) {
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_REINDEX:
    case SQLITE_ANALYZE:
        return !is_own_table(first);
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TRIGGER:
        return !is_own_table(first) && !is_own_table(second);
    case SQLITE_ALTER_TABLE: // the schema, then the table
        return !is_own_table(second);
    case SQLITE_PRAGMA: // SQLite checks a column that it adds
        return strcasecmp(first, "quick_check") == 0;
    default:
        return false;
    }
}

// For messages.
static const char *
action_name(int action, const char *first, const char *second)
{
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
        return "ATTACH or DETACH";
    case SQLITE_PRAGMA:
        return "PRAGMA";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
        return "BEGIN, COMMIT, ROLLBACK or SAVEPOINT";
    case SQLITE_FUNCTION:
        return "that function";
    default:
        return is_own_table(first) || is_own_table(second)
                   ? "the tables of mica"
                   : "CREATE, ALTER or DROP";
    }
}

int
mica_keep_authorize(void *data, int action, const char *first,
                    const char *second, const char *schema, const char *trigger)
{
    struct mica_keep_database *database = data;

    (void)trigger;
    if (database->mode == MICA_KEEP_BY_MICA)
        return SQLITE_OK;
    // Temporary tables would live in the connection, which calls share. SQLite looks into
    // their schema when it renames something.
    if ((schema == NULL || strcmp(schema, "temp") != 0 ||
         (database->mode == MICA_KEEP_BY_TABLES &&
          (action == SQLITE_UPDATE || action == SQLITE_READ) &&
          is_schema(first))) &&
        (may_touch_rows(database, action, first, second) ||
         (database->mode == MICA_KEEP_BY_TABLES &&
          may_change_tables(action, first, second))))
        return SQLITE_OK;
    database->refused = action_name(action, first, second);
    return SQLITE_DENY;
}
