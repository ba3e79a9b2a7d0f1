// SPDX-License-Identifier: Apache-2.0
//
// Deployments in SQLite. In place of a build server and a cluster there are rows:
// what counts here is that there is one row for each thing that was done.
#include "deploys.h"

static enum mica_status
open_deploys(const char *folder, struct mica_error *error, void **service_out)
{
    return database_open(
        folder, "deploys.db",
        "CREATE TABLE IF NOT EXISTS locks ("
        " environment TEXT PRIMARY KEY, owner TEXT NOT NULL,"
        " until INTEGER NOT NULL) STRICT;"
        "CREATE TABLE IF NOT EXISTS builds ("
        " number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,"
        " service TEXT NOT NULL, version TEXT NOT NULL) STRICT;"
        "CREATE TABLE IF NOT EXISTS deployments ("
        " number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,"
        " build INTEGER NOT NULL REFERENCES builds (number),"
        " environment TEXT NOT NULL, strategy TEXT NOT NULL) STRICT;"
        "CREATE TABLE IF NOT EXISTS notices ("
        " number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,"
        " deployment INTEGER NOT NULL REFERENCES deployments (number),"
        " words TEXT NOT NULL) STRICT;",
        error, service_out);
}

const struct mica_service_definition deploys_service = {
    .name = "deploys", .open = open_deploys, .close = database_close};

// ---- Locks -----------------------------------------------------------------------

static enum mica_status
lock(struct database *deploys, const struct database_value values[4],
     struct mica_error *error)
{
    int64_t ours = 0;

    MICA_TRY(database_run(deploys,
                          "INSERT INTO locks (environment, owner, until)"
                          " VALUES (?1, ?2, ?3) ON CONFLICT (environment)"
                          " DO UPDATE SET owner = ?2, until = ?3"
                          " WHERE owner = ?2 OR until <= ?4",
                          values, 4, NULL, error));
    MICA_TRY(database_run(deploys,
                          "SELECT count(*) FROM locks"
                          " WHERE environment = ?1 AND owner = ?2",
                          values, 2, &ours, error));
    return ours > 0 ? MICA_OK
                    : mica_error_set(error, MICA_E_BUSY, "",
                                     "another deployment has %.*s",
                                     MICA_ARG(values[0].text));
}

enum mica_status
deploys_lock(struct database *deploys, struct mica_text environment,
             struct mica_text owner, int64_t now_ms, int64_t until_ms,
             struct mica_error *error)
{
    const struct database_value values[] = {
        database_text(environment), database_text(owner),
        database_number(until_ms), database_number(now_ms)};

    MICA_TRY(database_begin(deploys, error));
    return database_end(deploys, lock(deploys, values, error), error);
}

enum mica_status
deploys_unlock(struct database *deploys, struct mica_text environment,
               struct mica_text owner, struct mica_error *error)
{
    const struct database_value values[] = {database_text(environment),
                                            database_text(owner)};

    MICA_TRY(database_begin(deploys, error));
    return database_end(deploys,
                        database_run(deploys,
                                     "DELETE FROM locks"
                                     " WHERE environment = ?1 AND owner = ?2",
                                     values, 2, NULL, error),
                        error);
}

// ---- Effects ---------------------------------------------------------------------

// Inserts unless the key, ?1, is there, and finds its number.
static enum mica_status
once(struct database *deploys, const char *insert, const char *find,
     const struct database_value *values, int count, struct mica_error *error,
     int64_t *number_out)
{
    enum mica_status status;

    MICA_TRY(database_begin(deploys, error));
    status = database_run(deploys, insert, values, count, NULL, error);
    if (status == MICA_OK)
        status = database_run(deploys, find, values, 1, number_out, error);
    return database_end(deploys, status, error);
}

enum mica_status
deploys_build(struct database *deploys, struct mica_text key,
              struct mica_text service, struct mica_text version,
              struct mica_error *error, int64_t *number_out)
{
    const struct database_value values[] = {
        database_text(key), database_text(service), database_text(version)};

    return once(deploys,
                "INSERT INTO builds (key, service, version)"
                " VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING",
                "SELECT number FROM builds WHERE key = ?1", values, 3, error,
                number_out);
}

enum mica_status
deploys_deploy(struct database *deploys, struct mica_text key, int64_t build,
               struct mica_text environment, struct mica_text strategy,
               struct mica_error *error, int64_t *number_out)
{
    const struct database_value values[] = {
        database_text(key), database_number(build), database_text(environment),
        database_text(strategy)};

    return once(deploys,
                "INSERT INTO deployments (key, build, environment, strategy)"
                " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO NOTHING",
                "SELECT number FROM deployments WHERE key = ?1", values, 4,
                error, number_out);
}

enum mica_status
deploys_notify(struct database *deploys, struct mica_text key,
               int64_t deployment, struct mica_text words,
               struct mica_error *error, int64_t *number_out)
{
    const struct database_value values[] = {
        database_text(key), database_number(deployment), database_text(words)};

    return once(deploys,
                "INSERT INTO notices (key, deployment, words)"
                " VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING",
                "SELECT number FROM notices WHERE key = ?1", values, 3, error,
                number_out);
}
