// SPDX-License-Identifier: Apache-2.0
//
// Address books in SQLite. A part of an import is one transaction: all of it is
// there, or nothing.
#include "contacts.h"

static enum mica_status
open_contacts(const char *folder, struct mica_error *error, void **service_out)
{
    return database_open(
        folder, "contacts.db",
        "CREATE TABLE IF NOT EXISTS imports ("
        " number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,"
        " feed TEXT NOT NULL, state TEXT NOT NULL) STRICT;"
        "CREATE TABLE IF NOT EXISTS contacts ("
        " import INTEGER NOT NULL REFERENCES imports (number),"
        " row INTEGER NOT NULL, address TEXT NOT NULL,"
        " PRIMARY KEY (import, row)) STRICT, WITHOUT ROWID;",
        error, service_out);
}

const struct mica_service_definition contacts_service = {
    .name = "contacts", .open = open_contacts, .close = database_close};

// ---- Imports ---------------------------------------------------------------------

enum mica_status
contacts_begin(struct database *contacts, struct mica_text key,
               struct mica_text feed, struct mica_error *error,
               int64_t *number_out)
{
    const struct database_value values[] = {
        database_text(key), database_text(feed),
        database_text(mica_text(CONTACTS_RUNNING))};
    enum mica_status status;

    MICA_TRY(database_begin(contacts, error));
    status = database_run(contacts,
                          "INSERT INTO imports (key, feed, state)"
                          " VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING",
                          values, 3, NULL, error);
    if (status == MICA_OK)
        status =
            database_run(contacts, "SELECT number FROM imports WHERE key = ?1",
                         values, 1, number_out, error);
    return database_end(contacts, status, error);
}

enum mica_status
contacts_end(struct database *contacts, int64_t import, const char *state,
             struct mica_error *error)
{
    const struct database_value values[] = {database_number(import),
                                            database_text(mica_text(state))};

    MICA_TRY(database_begin(contacts, error));
    return database_end(contacts,
                        database_run(contacts,
                                     "UPDATE imports SET state = ?2"
                                     " WHERE number = ?1"
                                     " AND state = '" CONTACTS_RUNNING "'",
                                     values, 2, NULL, error),
                        error);
}

// ---- Rows ------------------------------------------------------------------------

// Every tenth row of a feed lacks its address.
static enum mica_status
take_row(struct database *contacts, int64_t import, struct mica_text feed,
         int64_t row, struct mica_error *error)
{
    const struct database_value values[] = {
        database_number(import), database_number(row), database_text(feed)};

    if (row % 10 == 9)
        return MICA_OK;
    return database_run(contacts,
                        "INSERT INTO contacts (import, row, address)"
                        " VALUES (?1, ?2, 'p' || ?2 || '@' || ?3 || '.example')"
                        " ON CONFLICT (import, row) DO NOTHING",
                        values, 3, NULL, error);
}

enum mica_status
contacts_take(struct database *contacts, int64_t import, struct mica_text feed,
              int64_t from, int64_t to, struct mica_error *error,
              int64_t *taken_out)
{
    const struct database_value values[] = {
        database_number(import), database_number(from), database_number(to)};
    enum mica_status status = MICA_OK;

    MICA_TRY(database_begin(contacts, error));
    for (int64_t row = from; row < to && status == MICA_OK; row++)
        status = take_row(contacts, import, feed, row, error);
    if (status == MICA_OK)
        status = database_run(contacts,
                              "SELECT count(*) FROM contacts WHERE import = ?1"
                              " AND row >= ?2 AND row < ?3",
                              values, 3, taken_out, error);
    return database_end(contacts, status, error);
}
