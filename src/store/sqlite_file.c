// SPDX-License-Identifier: Apache-2.0
//
// Functions on the whole file: its size, a copy of it, and a check of its contents.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/schema.h"
#include "store/sqlite.h"

enum {
    PAGES = 256, // copied between two calls of `progress`
    FINDINGS_BYTES = 64 * 1024
};

// ---- Place ---------------------------------------------------------------------

static int64_t
size_of(const char *path, const char *suffix)
{
    char name[MICA_STORE_PATH_SIZE + 8];
    struct stat st;

    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

enum mica_status
mica_sqlite_place(void *self, struct mica_error *error,
                  struct mica_store_place *place_out)
{
    struct mica_sqlite *sqlite = self;
    uint64_t ended, vain;

    mica_timed_lock_waits(&sqlite->timed_lock, &ended, &vain);
    MICA_TRY(mica_timed_lock_enter(&sqlite->timed_lock, error));
    place_out->waits_ended = ended + sqlite->waits_ended;
    place_out->waits_vain = vain + sqlite->waits_vain;
    mica_timed_lock_leave(&sqlite->timed_lock);
    if (sqlite->path == NULL)
        return MICA_OK;
    place_out->sees_deaths = mica_sqlite_node(sqlite) != 0;
    place_out->path = sqlite->path;
    place_out->schema = MICA_STORE_VERSION;
    place_out->bytes =
        size_of(sqlite->path, "") + size_of(sqlite->path, "-wal");
    return MICA_OK;
}

// ---- Backup --------------------------------------------------------------------

struct copy {
    struct mica_sqlite from, to;
    const char *target;              // the final name of the file
    char part[MICA_STORE_PATH_SIZE]; // its name until the copy is complete
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *user;
};

static enum mica_status
file_error(const char *verb, const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "Cannot %s %s (%s).", verb,
                          path, strerror(errno));
}

// Makes an empty file beside the target, for this user alone.
static enum mica_status
make_part(struct copy *copy, struct mica_error *error)
{
    int length =
        snprintf(copy->part, sizeof copy->part, "%s.XXXXXX", copy->target);
    int file;

    if (length < 0 || (size_t)length >= sizeof copy->part) {
        copy->part[0] = '\0';
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The name of the copy is too long.");
    }
    if (access(copy->target, F_OK) == 0) {
        copy->part[0] = '\0';
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "There is a file %s already, and it is not "
                              "overwritten; name another.",
                              copy->target);
    }
    file = mkostemp(copy->part, O_CLOEXEC);
    if (file < 0) {
        copy->part[0] = '\0';
        return file_error("make", copy->target, error);
    }
    (void)close(file);
    return MICA_OK;
}

// Copies the pages as they were when the transaction of `from` began.
static enum mica_status
copy_pages(struct copy *copy, struct mica_error *error)
{
    sqlite3_backup *backup =
        sqlite3_backup_init(copy->to.db, "main", copy->from.db, "main");
    bool given_up = false;
    int code = SQLITE_OK, end;

    if (backup == NULL)
        return mica_sqlite_failed(&copy->to, sqlite3_errcode(copy->to.db),
                                  "write to", error);
    while (code == SQLITE_OK && !given_up) {
        code = sqlite3_backup_step(backup, PAGES);
        if (copy->progress != NULL &&
            (code == SQLITE_OK || code == SQLITE_DONE)) {
            int64_t total = sqlite3_backup_pagecount(backup);
            given_up = !copy->progress(
                copy->user, total - sqlite3_backup_remaining(backup), total);
        }
    }
    end = sqlite3_backup_finish(backup);
    if (given_up)
        return mica_error_set(error, MICA_E_CANCELLED, "",
                              "The copy was given up; nothing is left of it.");
    if (code != SQLITE_DONE || end != SQLITE_OK)
        return mica_sqlite_failed(&copy->to, end != SQLITE_OK ? end : code,
                                  "write to", error);
    return MICA_OK;
}

static enum mica_status
write_part(struct copy *copy, const struct mica_sqlite *sqlite,
           struct mica_error *error)
{
    int64_t tables;

    MICA_TRY(make_part(copy, error));
    MICA_TRY(
        mica_sqlite_connect(&copy->from, sqlite->path, sqlite->busy_ms, error));
    MICA_TRY(
        mica_sqlite_connect(&copy->to, copy->part, sqlite->busy_ms, error));
    MICA_TRY(mica_sqlite_step(&copy->from, MICA_SQLITE_BEGIN_READ, error));
    MICA_TRY(mica_sqlite_number(
        &copy->from, "SELECT count(*) FROM sqlite_schema", error, &tables));
    MICA_TRY(copy_pages(copy, error));
    // The copy is one file, without a log beside it.
    return mica_sqlite_run(&copy->to, "PRAGMA journal_mode = DELETE",
                           "write to", error);
}

// Syncs the folder of a file, so that its name survives a loss of power.
static enum mica_status
sync_folder(const char *path, struct mica_error *error)
{
    char folder[MICA_STORE_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    enum mica_status status = MICA_OK;
    size_t len = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    int file;

    memcpy(folder, len > 0 ? path : ".", len > 0 ? len : 1);
    folder[len > 0 ? len : 1] = '\0';
    file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0 || fsync(file) != 0)
        status = file_error("write to", folder, error);
    if (file >= 0)
        (void)close(file);
    return status;
}

// Gives the copy its final name. Fails if another file has it.
static enum mica_status
name_part(struct copy *copy, struct mica_error *error)
{
    if (link(copy->part, copy->target) != 0)
        return errno == EEXIST
                   ? mica_error_set(error, MICA_E_EXISTS, "",
                                    "A file %s has come meanwhile, and it is "
                                    "not overwritten; name another.",
                                    copy->target)
                   : file_error("make", copy->target, error);
    return sync_folder(copy->target, error);
}

enum mica_status
mica_sqlite_backup(void *self, const char *path,
                   bool (*progress)(void *user, int64_t done, int64_t total),
                   void *user, struct mica_error *error)
{
    struct copy copy = {.target = path, .progress = progress, .user = user};
    enum mica_status status = write_part(&copy, self, error);

    mica_sqlite_disconnect(&copy.from);
    mica_sqlite_disconnect(&copy.to);
    if (status == MICA_OK)
        status = name_part(&copy, error);
    if (copy.part[0] != '\0')
        (void)unlink(copy.part);
    return status;
}

// ---- Check ---------------------------------------------------------------------

static void
add_finding(struct mica_buffer *findings, const char *text)
{
    mica_buffer_text(findings, mica_text(text));
    mica_buffer_char(findings, '\n');
}

// Each row of `sql` is a finding, unless it is "ok".
static enum mica_status
sqlite_collect(struct mica_sqlite *sqlite, const char *sql,
               struct mica_buffer *findings, struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(sqlite->db, sql, -1, &statement, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        const char *text;
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            break;
        text = (const char *)sqlite3_column_text(statement, 0);
        if (text != NULL && strcmp(text, "ok") != 0)
            add_finding(findings, text);
    }
    (void)sqlite3_finalize(statement);
    // Rows that cannot be read are a finding, too.
    if ((code & 0xFF) == SQLITE_CORRUPT)
        add_finding(findings, sqlite3_errmsg(sqlite->db));
    else if (code != SQLITE_DONE)
        return mica_sqlite_failed(sqlite, code, "read", error);
    return MICA_OK;
}

// The counters equal the rows of the tables. Skipped if other processes have the store open,
// or have died with it open: they may have changes that are not counted yet.
static const char count_check[] =
    "WITH counted (name, value) AS ("
    "  SELECT 'keys', count(*) FROM keys"
    "  UNION ALL SELECT 'sessions', count(*) FROM sessions"
    "  UNION ALL SELECT 'streams', count(*) FROM streams"
    "  UNION ALL SELECT 'events', count(*) FROM events"
    "  UNION ALL SELECT 'event_bytes', ifnull(sum(length(data)), 0) FROM events"
    "  UNION ALL SELECT 'changes', count(*) FROM changes"
    "  UNION ALL SELECT 'subscriptions', count(*) FROM subscriptions"
    "  UNION ALL SELECT 'calls', count(*) FROM calls"
    "  UNION ALL SELECT 'open_calls', count(*) FROM calls WHERE ended = 0"
    "  UNION ALL SELECT 'call_bytes', ifnull(sum(bytes), 0) FROM calls"
    "  UNION ALL SELECT 'rounds', (SELECT count(*) FROM rounds) +"
    "    (SELECT count(*) FROM calls WHERE length(answers) > 0)"
    "  UNION ALL SELECT 'apps', (SELECT count(*) FROM apps) +"
    "    (SELECT count(*) FROM app_collections)"
    "  UNION ALL SELECT 'published_apps', count(*) FROM apps WHERE status = 2"
    "  UNION ALL SELECT 'app_versions', count(*) FROM app_versions"
    "  UNION ALL SELECT 'app_widgets', count(*) FROM app_widgets)"
    "SELECT format('the counter of %s says %d instead of %d', name,"
    "              counters.value, counted.value)"
    "  FROM counters JOIN counted USING (name)"
    "  WHERE counters.value <> counted.value"
    "  AND NOT EXISTS (SELECT 1 FROM nodes WHERE id <> mica_node())";

// The running totals of events and their stream; events after a gap count as well.
static const char stream_check[] =
    "SELECT format('event %d of stream %d of a session has %d bytes before and "
    "in it instead of %d', e.sequence, e.stream, e.total, f.total + e.bytes)"
    "  FROM events AS e JOIN events AS f ON f.session = e.session"
    "  AND f.stream = e.stream AND f.sequence = e.sequence - 1"
    "  WHERE e.total <> f.total + e.bytes"
    " UNION ALL SELECT format('event %d of stream %d of a session counts %d "
    "bytes instead of %d', sequence, stream, bytes, length(data))"
    "  FROM events WHERE bytes <> length(data)"
    " UNION ALL SELECT format('stream %d of a session counts %d bytes instead "
    "of %d', s.stream, s.total, ifnull(e.total, 0))"
    "  FROM streams AS s LEFT JOIN events AS e ON e.session = s.session"
    "  AND e.stream = s.stream AND e.sequence = s.last"
    "  WHERE s.total <> ifnull(e.total, iif(s.last = 0, 0, s.total)) LIMIT 100";

// The byte count of each call is right, and each row in the other tables belongs to a call.
#define BYTES(column) "length(CAST(" column " AS BLOB))"
static const char
    call_check
        [] =
            "WITH found AS (SELECT c.id, c.bytes, " BYTES("endpoint") " + " BYTES("issuer") " + " BYTES("subject") " + " BYTES("target") " + " BYTES(
                "version") " + length(session) + " BYTES("arguments") " + " BYTES("context") " + length(journal) + " BYTES("asks") " + " BYTES("reply") " + " BYTES("note") " + " BYTES("told") " + " BYTES("round_reply") " + ifnull((SELECT sum(" BYTES("r.reply") ")"
                                                                                                                                                                                                                                                                     "  FROM rounds AS r WHERE r.call = c.number), 0) AS size FROM calls AS c)"
                                                                                                                                                                                                                                                                     "SELECT format('call %s counts %d bytes instead of %d', id, bytes, size)"
                                                                                                                                                                                                                                                                     "  FROM found WHERE bytes <> size"
                                                                                                                                                                                                                                                                     " UNION ALL SELECT format('round %d belongs to no call', round) FROM rounds"
                                                                                                                                                                                                                                                                     "  WHERE call NOT IN (SELECT number FROM calls)"
                                                                                                                                                                                                                                                                     " UNION ALL SELECT 'a key belongs to no call' FROM call_keys"
                                                                                                                                                                                                                                                                     "  WHERE call NOT IN (SELECT number FROM calls)"
                                                                                                                                                                                                                                                                     " UNION ALL SELECT format('a claim belongs to no call') FROM claims"
                                                                                                                                                                                                                                                                     "  WHERE call NOT IN (SELECT number FROM calls)"
                                                                                                                                                                                                                                                                     " UNION ALL SELECT format('an owner counts %d calls instead of %d', calls,"
                                                                                                                                                                                                                                                                     "  (SELECT count(*) FROM calls AS c WHERE c.owner = callers.owner))"
                                                                                                                                                                                                                                                                     "  FROM callers WHERE calls <>"
                                                                                                                                                                                                                                                                     "  (SELECT count(*) FROM calls AS c WHERE c.owner = callers.owner)"
                                                                                                                                                                                                                                                                     " LIMIT 100";
#undef BYTES

static const char party_check[] =
    "SELECT format('a client counts %d sessions instead of %d',"
    "              sum(counted), sum(found))"
    "  FROM (SELECT party, sessions AS counted, 0 AS found FROM parties"
    "    UNION ALL SELECT party, 0, 1 FROM sessions WHERE party <> x'')"
    "  GROUP BY party HAVING sum(counted) <> sum(found) LIMIT 100";

// Each app has its slug, the version that is its newest, and the widgets of its versions; a slug
// names an app that has it.
static const char app_check[] =
    "SELECT format('app %s has the slug %s, which is not its own', a.id, a.slug)"
    "  FROM apps AS a WHERE NOT EXISTS (SELECT 1 FROM app_slugs AS s"
    "  WHERE s.slug = a.slug AND s.app = a.number AND s.owner = a.owner)"
    " UNION ALL SELECT format('the slug %s belongs to no app', s.slug)"
    "  FROM app_slugs AS s WHERE s.app <> 0 AND NOT EXISTS"
    "  (SELECT 1 FROM apps AS a WHERE a.number = s.app AND a.slug = s.slug)"
    " UNION ALL SELECT format('app %s does not have its version %d', a.id,"
    "  a.publish_version) FROM apps AS a WHERE a.publish_version > 0"
    "  AND NOT EXISTS (SELECT 1 FROM app_versions AS v WHERE v.app = a.number"
    "  AND v.version = a.publish_version AND v.published_at = a.published_at)"
    " UNION ALL SELECT format('app %s is published without a version', a.id)"
    "  FROM apps AS a WHERE a.publish_version = 0"
    "  AND (a.status <> 1 OR a.published_at <> 0)"
    " UNION ALL SELECT format('version %d of app %s is newer than its newest',"
    "  v.version, a.id) FROM app_versions AS v JOIN apps AS a"
    "  ON a.number = v.app WHERE v.version > a.publish_version"
    " UNION ALL SELECT format('version %d of app %s has no widget', v.version,"
    "  a.id) FROM app_versions AS v JOIN apps AS a ON a.number = v.app"
    "  WHERE NOT EXISTS (SELECT 1 FROM app_widgets AS w WHERE w.app = v.app"
    "  AND w.hash = v.widget)"
    " UNION ALL SELECT format('collection %s has the slug %s, which is not its"
    " own', c.id, c.slug) FROM app_collections AS c WHERE NOT EXISTS"
    "  (SELECT 1 FROM app_slugs AS s WHERE s.slug = c.slug AND s.kind = 2"
    "  AND s.app = 0 AND s.owner = c.owner) LIMIT 100";

static const char reference_check[] =
    "SELECT format('a row of %s belongs to no row of %s', \"table\", parent)"
    "  FROM pragma_foreign_key_check LIMIT 100";

// The SQL function mica_node(): the node number of this process.
static void
sql_node(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count, (void)values;
    sqlite3_result_int64(context, (intptr_t)sqlite3_user_data(context));
}

enum mica_status
mica_sqlite_check(void *self, struct mica_arena *arena,
                  struct mica_error *error, struct mica_text *findings_out)
{
    static const char *const checks[] = {"PRAGMA integrity_check(100)",
                                         reference_check,
                                         count_check,
                                         stream_check,
                                         call_check,
                                         party_check,
                                         app_check};
    struct mica_sqlite *sqlite = self;
    enum mica_status status;
    struct mica_buffer findings;

    int64_t node = mica_sqlite_node(sqlite);

    mica_buffer_init(&findings, arena, FINDINGS_BYTES);
    MICA_TRY(mica_timed_lock_enter(&sqlite->timed_lock, error));
    (void)sqlite3_create_function(sqlite->db, "mica_node", 0, SQLITE_UTF8,
                                  (void *)(intptr_t)node, sql_node, NULL, NULL);
    status = mica_sqlite_step(sqlite, MICA_SQLITE_BEGIN_READ, error);
    for (size_t i = 0; i < MICA_COUNT(checks) && status == MICA_OK; i++)
        status = sqlite_collect(sqlite, checks[i], &findings, error);
    mica_sqlite_undo(sqlite);
    mica_timed_lock_leave(&sqlite->timed_lock);
    if (status == MICA_OK)
        *findings_out = mica_buffer_as_text(&findings);
    return status;
}
