// SPDX-License-Identifier: Apache-2.0
//
// Reads collections with their members, and finds tool names that two members have.
#include "store/store_collections.h"

#include "store/store_app_steps.h"

enum {
    MOST_ROWS = 1000 // of one page
};

// ---- One collection --------------------------------------------------------------

#define COLLECTION_COLUMNS \
    "c.number, c.id, c.slug, c.owner, c.text, c.revision, c.created, c.changed"
#define COLLECTION_KINDS "nttttnnn"

// The members of the collection that the condition finds.
#define MEMBERS(condition)                                                    \
    {                                                                         \
        .sql = "SELECT a.id, a.slug, a.owner, a.summary, a.status,"           \
               " a.publish_version, coalesce(v.tool, ''),"                    \
               " CASE WHEN " MICA_APP_COUNTS(                                 \
                   "a",                                                       \
                   "c") " THEN 1 ELSE 0 END"                                  \
                        " FROM app_collections AS c"                          \
                        " JOIN app_collection_members AS n"                   \
                        " ON n.collection = c.number"                         \
                        " JOIN apps AS a ON a.number = n.app"                 \
                        " LEFT JOIN app_versions AS v ON v.app = a.number"    \
                        " AND v.version = a.publish_version AND a.status = 2" \
                        " WHERE " condition " ORDER BY n.position",           \
        .gives = "ttttnntn"                                                   \
    }

// ?1 id
static const struct mica_store_operation collection_read = {
    .name = "collection_read",
    .takes = "t",
    .steps = {{.sql = "SELECT " COLLECTION_COLUMNS " FROM app_collections AS c"
                      " WHERE c.id = ?1",
               .gives = COLLECTION_KINDS,
               .refusal = MICA_APP_MISSING},
              MEMBERS("c.id = ?1")}};

// ?1 slug
static const struct mica_store_operation collection_find = {
    .name = "collection_find",
    .takes = "t",
    .steps = {{.sql = "SELECT " COLLECTION_COLUMNS " FROM app_collections AS c"
                      " WHERE c.slug = ?1",
               .gives = COLLECTION_KINDS,
               .refusal = MICA_APP_MISSING},
              MEMBERS("c.slug = ?1")}};

static struct mica_store_collection
collection_of(const union mica_store_value *values)
{
    return (struct mica_store_collection){.number = values[0].number,
                                          .id = values[1].text,
                                          .slug = values[2].text,
                                          .owner = values[3].text,
                                          .text = values[4].text,
                                          .revision = values[5].number,
                                          .created = values[6].number,
                                          .changed = values[7].number};
}

static enum mica_status
collection_missing(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no such collection in the store.");
}

static enum mica_status
no_memory(size_t rows, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory for %zu rows; ask for fewer.",
                          rows);
}

static enum mica_status
members_take(const struct mica_store_given *given, struct mica_arena *arena,
             struct mica_error *error,
             struct mica_store_collection *collection_out)
{
    struct mica_store_member *members =
        mica_arena_zero(arena, given->count, sizeof *members);

    if (members == NULL)
        return no_memory(given->count, error);
    for (size_t i = 0; i < given->count; i++) {
        const union mica_store_value *row = mica_store_given_row(given, i);
        members[i] = (struct mica_store_member){
            .id = row[0].text,
            .slug = row[1].text,
            .owner = row[2].text,
            .summary = row[3].text,
            .status = (enum mica_store_app_status)row[4].number,
            .publish_version = row[5].number,
            .tool = row[6].text,
            .counts = row[7].number != 0};
    }
    collection_out->members = members;
    collection_out->member_count = given->count;
    return MICA_OK;
}

static enum mica_status
read_one(struct mica_store *store, const struct mica_store_operation *operation,
         struct mica_text name, struct mica_arena *arena,
         struct mica_error *error, struct mica_store_collection *collection_out)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(name)};
    struct mica_store_given given[2] = {{.count = 0}};
    unsigned refusal = 0;

    if (!mica_app_is_name(name))
        return collection_missing(error);
    MICA_TRY(
        mica_store_do(store, operation, values, given, arena, error, &refusal));
    if (refusal != 0)
        return collection_missing(error);
    *collection_out = collection_of(mica_store_given_row(&given[0], 0));
    return members_take(&given[1], arena, error, collection_out);
}

enum mica_status
mica_store_collection_read(struct mica_store *store, struct mica_text id,
                           struct mica_arena *arena, struct mica_error *error,
                           struct mica_store_collection *collection_out)
{
    return read_one(store, &collection_read, id, arena, error, collection_out);
}

enum mica_status
mica_store_collection_find(struct mica_store *store, struct mica_text slug,
                           struct mica_arena *arena, struct mica_error *error,
                           struct mica_store_collection *collection_out)
{
    return read_one(store, &collection_find, slug, arena, error,
                    collection_out);
}

// ---- Lists -----------------------------------------------------------------------

// ?1 after, ?2 the most, ?3 person
static const struct mica_store_operation collection_list_all = {
    .name = "collection_list_all",
    .takes = "nn",
    .steps = {{.sql = "SELECT " COLLECTION_COLUMNS " FROM app_collections AS c"
                      " WHERE c.number > ?1 ORDER BY c.number LIMIT ?2",
               .gives = COLLECTION_KINDS}}};

// A page of each of the two lists has the page of both.
static const struct mica_store_operation collection_list_shared = {
    .name = "collection_list_shared",
    .takes = "nnt",
    .steps = {{.sql = "SELECT " COLLECTION_COLUMNS " FROM (SELECT o.number FROM"
                      " (SELECT n.number FROM app_collections AS n"
                      " WHERE n.owner = ?3 AND n.number > ?1"
                      " ORDER BY n.number LIMIT ?2) AS o"
                      " UNION SELECT p.collection FROM (SELECT q.collection"
                      " FROM app_collection_people AS q WHERE q.name = ?3"
                      " AND q.collection > ?1 ORDER BY q.collection LIMIT ?2)"
                      " AS p) AS f JOIN app_collections AS c"
                      " ON c.number = f.number ORDER BY c.number LIMIT ?2",
               .gives = COLLECTION_KINDS}}};

enum mica_status
mica_store_collection_list(struct mica_store *store, struct mica_text person,
                           int64_t after, size_t limit,
                           struct mica_arena *arena, struct mica_error *error,
                           struct mica_store_collections *collections_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(after),
                                             MICA_STORE_NUMBER((int64_t)limit),
                                             MICA_STORE_TEXT(person)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_collections found = {NULL, 0};
    unsigned refusal = 0;

    if (limit == 0 || limit > MOST_ROWS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A page has 1 to %d rows, not %zu.", MOST_ROWS,
                              limit);
    MICA_TRY(mica_store_text(person, "The name of a person", error));
    MICA_TRY(mica_store_do(
        store, person.len == 0 ? &collection_list_all : &collection_list_shared,
        values, given, arena, error, &refusal));
    found.items = mica_arena_zero(arena, given[0].count, sizeof *found.items);
    if (found.items == NULL)
        return no_memory(given[0].count, error);
    for (; found.count < given[0].count; found.count++)
        found.items[found.count] =
            collection_of(mica_store_given_row(&given[0], found.count));
    *collections_out = found;
    return MICA_OK;
}

// ---- Tool names ------------------------------------------------------------------

// ?1 id of the app, ?2 tool
static const struct mica_store_operation collection_clash = {
    .name = "collection_clash",
    .takes = "tt",
    .steps = {{.sql = "SELECT c.slug, r.slug" MICA_APP_CLASH(
                   "?2") " ORDER BY c.number LIMIT 1",
               .gives = "tt"}}};

enum mica_status
mica_store_collection_clash(struct mica_store *store, struct mica_text app,
                            struct mica_text tool, struct mica_arena *arena,
                            struct mica_error *error,
                            struct mica_store_clash *clash_out)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(app),
                                             MICA_STORE_TEXT(tool)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal = 0;

    memset(clash_out, 0, sizeof *clash_out);
    MICA_TRY(mica_store_do(store, &collection_clash, values, given, arena,
                           error, &refusal));
    if (given[0].count > 0) {
        const union mica_store_value *row = mica_store_given_row(&given[0], 0);
        *clash_out = (struct mica_store_clash){row[0].text, row[1].text};
    }
    return MICA_OK;
}
