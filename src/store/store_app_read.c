// SPDX-License-Identifier: Apache-2.0
//
// Reads apps and their versions for those who edit them.
#include "store/store_app_steps.h"

enum {
    MOST_ROWS = 1000 // of one page
};

// ---- Apps ----------------------------------------------------------------------

#define APP_COLUMNS                                         \
    "a.number, a.id, a.slug, a.owner, a.summary, a.status," \
    " a.revision, a.publish_version, a.published_at, a.created, a.changed"
#define APP_KINDS "nttttnnnnnn"
enum { // indexes of those
    NUMBER,
    ID,
    SLUG,
    OWNER,
    SUMMARY,
    STATUS,
    REVISION,
    PUBLISH_VERSION,
    PUBLISHED_AT,
    CREATED,
    CHANGED,
    DRAFT // only where one app is read
};

static struct mica_store_app
app_of(const union mica_store_value *values)
{
    return (struct mica_store_app){
        .number = values[NUMBER].number,
        .id = values[ID].text,
        .slug = values[SLUG].text,
        .owner = values[OWNER].text,
        .summary = values[SUMMARY].text,
        .status = (enum mica_store_app_status)values[STATUS].number,
        .revision = values[REVISION].number,
        .publish_version = values[PUBLISH_VERSION].number,
        .published_at = values[PUBLISHED_AT].number,
        .created = values[CREATED].number,
        .changed = values[CHANGED].number};
}

static const struct mica_store_operation app_read = {
    .name = "app_read",
    .takes = "t",
    .steps = {{.sql = "SELECT " APP_COLUMNS ", a.draft FROM apps AS a"
                      " WHERE a.id = ?1",
               .gives = APP_KINDS "t",
               .refusal = MICA_APP_MISSING}}};

static const struct mica_store_operation app_find = {
    .name = "app_find",
    .takes = "t",
    .steps = {{.sql = "SELECT " APP_COLUMNS ", a.draft FROM app_slugs AS s"
                      " JOIN apps AS a ON a.number = s.app WHERE s.slug = ?1"
                      " AND s.kind = 1",
               .gives = APP_KINDS "t",
               .refusal = MICA_APP_MISSING}}};

// The same for a person, ?2: the draft of an app that is not theirs is not even read.
#define OF_PERSON                                               \
    " AND (a.owner = ?2 OR EXISTS (SELECT 1 FROM app_people AS" \
    " p WHERE p.name = ?2 AND p.app = a.number))"

static const struct mica_store_operation app_read_by = {
    .name = "app_read_by",
    .takes = "tt",
    .steps = {{.sql = "SELECT " APP_COLUMNS ", a.draft FROM apps AS a"
                      " WHERE a.id = ?1" OF_PERSON,
               .gives = APP_KINDS "t",
               .refusal = MICA_APP_MISSING}}};

static const struct mica_store_operation app_find_by = {
    .name = "app_find_by",
    .takes = "tt",
    .steps = {{.sql = "SELECT " APP_COLUMNS ", a.draft FROM app_slugs AS s"
                      " JOIN apps AS a ON a.number = s.app WHERE s.slug = ?1"
                      " AND s.kind = 1" OF_PERSON,
               .gives = APP_KINDS "t",
               .refusal = MICA_APP_MISSING}}};

static enum mica_status
read_one(struct mica_store *store, const struct mica_store_operation *operation,
         struct mica_text name, struct mica_text person,
         struct mica_arena *arena, struct mica_error *error,
         struct mica_store_app *app_out)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(name),
                                             MICA_STORE_TEXT(person)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal = 0;

    if (!mica_app_is_name(name))
        return mica_app_missing(error);
    MICA_TRY(mica_store_text(person, "The name of a person", error));
    MICA_TRY(
        mica_store_do(store, operation, values, given, arena, error, &refusal));
    if (refusal != 0)
        return mica_app_missing(error);
    *app_out = app_of(mica_store_given_row(&given[0], 0));
    app_out->draft = mica_store_given_row(&given[0], 0)[DRAFT].text;
    return MICA_OK;
}

enum mica_status
mica_store_app_read(struct mica_store *store, struct mica_text id,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_store_app *app_out)
{
    const struct mica_text all = {NULL, 0};

    return read_one(store, &app_read, id, all, arena, error, app_out);
}

enum mica_status
mica_store_app_find(struct mica_store *store, struct mica_text slug,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_store_app *app_out)
{
    const struct mica_text all = {NULL, 0};

    return read_one(store, &app_find, slug, all, arena, error, app_out);
}

enum mica_status
mica_store_app_read_by(struct mica_store *store, struct mica_text person,
                       struct mica_text id, struct mica_arena *arena,
                       struct mica_error *error, struct mica_store_app *app_out)
{
    return read_one(store, &app_read_by, id, person, arena, error, app_out);
}

enum mica_status
mica_store_app_find_by(struct mica_store *store, struct mica_text person,
                       struct mica_text slug, struct mica_arena *arena,
                       struct mica_error *error, struct mica_store_app *app_out)
{
    return read_one(store, &app_find_by, slug, person, arena, error, app_out);
}

// ---- Lists ---------------------------------------------------------------------

// ?1 after, ?2 the most, ?3 person
static const struct mica_store_operation app_list_all = {
    .name = "app_list_all",
    .takes = "nn",
    .steps = {{.sql = "SELECT " APP_COLUMNS " FROM apps AS a"
                      " WHERE a.number > ?1 ORDER BY a.number LIMIT ?2",
               .gives = APP_KINDS}}};

static const struct mica_store_operation app_list_own = {
    .name = "app_list_own",
    .takes = "nnt",
    .steps = {{.sql = "SELECT " APP_COLUMNS " FROM apps AS a"
                      " WHERE a.owner = ?3 AND a.number > ?1"
                      " ORDER BY a.number LIMIT ?2",
               .gives = APP_KINDS}}};

// A page of each of the two lists has the page of both.
static const struct mica_store_operation app_list_shared = {
    .name = "app_list_shared",
    .takes = "nnt",
    .steps = {{.sql = "SELECT " APP_COLUMNS " FROM (SELECT o.number FROM"
                      " (SELECT n.number FROM apps AS n WHERE n.owner = ?3"
                      " AND n.number > ?1 ORDER BY n.number LIMIT ?2) AS o"
                      " UNION SELECT p.app FROM (SELECT q.app FROM app_people"
                      " AS q WHERE q.name = ?3 AND q.app > ?1"
                      " ORDER BY q.app LIMIT ?2) AS p) AS f"
                      " JOIN apps AS a ON a.number = f.number"
                      " ORDER BY a.number LIMIT ?2",
               .gives = APP_KINDS}}};

static enum mica_status
check_limit(size_t limit, struct mica_error *error)
{
    if (limit > 0 && limit <= MOST_ROWS)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "A page has 1 to %d rows, not %zu.", MOST_ROWS,
                          limit);
}

static enum mica_status
no_memory(size_t rows, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory for %zu rows; ask for fewer.",
                          rows);
}

enum mica_status
mica_store_app_list(struct mica_store *store, struct mica_text person,
                    bool shared, int64_t after, size_t limit,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_store_apps *apps_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(after),
                                             MICA_STORE_NUMBER((int64_t)limit),
                                             MICA_STORE_TEXT(person)};
    const struct mica_store_operation *operation = person.len == 0
                                                       ? &app_list_all
                                                   : shared ? &app_list_shared
                                                            : &app_list_own;
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_apps found = {NULL, 0};
    unsigned refusal = 0;

    MICA_TRY(check_limit(limit, error));
    MICA_TRY(mica_store_text(person, "The name of a person", error));
    MICA_TRY(
        mica_store_do(store, operation, values, given, arena, error, &refusal));
    found.items = mica_arena_zero(arena, given[0].count, sizeof *found.items);
    if (found.items == NULL)
        return no_memory(given[0].count, error);
    for (; found.count < given[0].count; found.count++)
        found.items[found.count] =
            app_of(mica_store_given_row(&given[0], found.count));
    *apps_out = found;
    return MICA_OK;
}

// ---- Versions ------------------------------------------------------------------

// ?1 id, ?2 version
static const struct mica_store_operation app_version = {
    .name = "app_version",
    .takes = "tn",
    .steps = {{.sql = "SELECT 1 FROM apps WHERE id = ?1",
               .gives = "n",
               .refusal = MICA_APP_MISSING},
              {.sql = "SELECT v.version, v.published_at, v.widget, v.text"
                      " FROM apps AS a JOIN app_versions AS v"
                      " ON v.app = a.number WHERE a.id = ?1 AND v.version = ?2",
               .gives = "nntt",
               .refusal = MICA_APP_HAS_NO_VERSION}}};

enum mica_status
mica_store_app_version(struct mica_store *store, struct mica_text id,
                       int64_t version, struct mica_arena *arena,
                       struct mica_error *error,
                       struct mica_store_app_version *version_out)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(id),
                                             MICA_STORE_NUMBER(version)};
    struct mica_store_given given[2] = {{.count = 0}};
    const union mica_store_value *row;
    unsigned refusal = 0;

    if (!mica_app_is_name(id))
        return mica_app_missing(error);
    MICA_TRY(mica_store_do(store, &app_version, values, given, arena, error,
                           &refusal));
    if (refusal == MICA_APP_MISSING)
        return mica_app_missing(error);
    if (refusal != 0)
        return mica_app_no_version(store, version, error);
    row = mica_store_given_row(&given[1], 0);
    *version_out =
        (struct mica_store_app_version){.version = row[0].number,
                                        .published_at = row[1].number,
                                        .widget = row[2].text,
                                        .text = row[3].text};
    return MICA_OK;
}

// ?1 id, ?2 before, ?3 the most
static const struct mica_store_operation app_versions = {
    .name = "app_versions",
    .takes = "tnn",
    .steps = {{.sql = "SELECT 1 FROM apps WHERE id = ?1",
               .gives = "n",
               .refusal = MICA_APP_MISSING},
              {.sql = "SELECT v.version, v.published_at, v.widget"
                      " FROM apps AS a JOIN app_versions AS v"
                      " ON v.app = a.number WHERE a.id = ?1 AND v.version < ?2"
                      " ORDER BY v.version DESC LIMIT ?3",
               .gives = "nnt"}}};

enum mica_status
mica_store_app_versions(struct mica_store *store, struct mica_text id,
                        int64_t before, size_t limit, struct mica_arena *arena,
                        struct mica_error *error,
                        struct mica_store_app_versions *versions_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(id), MICA_STORE_NUMBER(before > 0 ? before : INT64_MAX),
        MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[2] = {{.count = 0}};
    struct mica_store_app_versions found = {NULL, 0};
    unsigned refusal = 0;

    MICA_TRY(check_limit(limit, error));
    if (!mica_app_is_name(id))
        return mica_app_missing(error);
    MICA_TRY(mica_store_do(store, &app_versions, values, given, arena, error,
                           &refusal));
    if (refusal != 0)
        return mica_app_missing(error);
    found.items = mica_arena_zero(arena, given[1].count, sizeof *found.items);
    if (found.items == NULL)
        return no_memory(given[1].count, error);
    for (; found.count < given[1].count; found.count++) {
        const union mica_store_value *row =
            mica_store_given_row(&given[1], found.count);
        found.items[found.count] =
            (struct mica_store_app_version){.version = row[0].number,
                                            .published_at = row[1].number,
                                            .widget = row[2].text};
    }
    *versions_out = found;
    return MICA_OK;
}
