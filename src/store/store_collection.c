// SPDX-License-Identifier: Apache-2.0
//
// Acts of a collection's owner: create, edit, hand over, delete. Each is one transaction; its
// last part refuses two members with one tool name, so none of them can race a publish.
#include "store/store_collections.h"

#include "store/store_app_content.h"

enum {
    COLLECTION_FIRST_STEP =
        5, // of an act that differs; those before are as of an app
    CREATED_LAST = 6,
    EDITED_LAST = COLLECTION_FIRST_STEP + 3,
    OWNER_LAST = COLLECTION_FIRST_STEP + 2,
    ACT_PARTS = 1 + MICA_STORE_APP_PEOPLE + MICA_STORE_COLLECTION_MEMBERS + 1
};

#define NUMBER "(SELECT c.number FROM app_collections AS c WHERE c.id = ?1)"

// As MICA_APP_FACTS: a collection has neither status nor version.
#define FACTS_SQL "SELECT slug, 1, revision, 0, 0 FROM app_collections"
#define FACTS                                                      \
    {                                                              \
        .sql = FACTS_SQL " WHERE id = ?1", .gives = MICA_APP_KINDS \
    }
#define DONE                                         \
    {                                                \
        .sql = FACTS_SQL " WHERE id = ?1"            \
                         " AND " MICA_APP_COMMITTED, \
        .gives = MICA_APP_KINDS                      \
    }

// The first steps of an act on a collection.
#define BEGIN                                                           \
    {.sql = FACTS_SQL " WHERE id = ?1",                                 \
     .gives = MICA_APP_KINDS,                                           \
     .refusal = MICA_APP_MISSING},                                      \
        {.sql = "SELECT 1 FROM app_collections"                         \
                " WHERE id = ?1 AND (?2 = 0 OR revision = ?2)",         \
         .gives = "n",                                                  \
         .refusal = MICA_APP_REVISION_DIFFERS},                         \
        MICA_APP_CHANGE,                                                \
    {                                                                   \
        .sql = "UPDATE app_slugs SET serial ="                          \
               " (SELECT max(m.serial) + 1 FROM app_slugs AS m)"        \
               " WHERE slug = (SELECT c.slug FROM app_collections AS c" \
               " WHERE c.id = ?1)"                                      \
    }

// What every act that changes a row sets.
#define RAISE \
    "revision = revision + 1, changed = " MICA_APP_NOW " WHERE id = ?1"

// ---- People and members ----------------------------------------------------------

// ?1 id, ?2 name, ?3 role
static const struct mica_store_operation collection_person = {
    .name = "collection_person",
    .writes = true,
    .takes = "ttn",
    .steps = {{.sql = "INSERT INTO app_collection_people (name, collection,"
                      " role) SELECT ?2, c.number, ?3 FROM app_collections AS c"
                      " WHERE c.id = ?1 ON CONFLICT DO NOTHING"}}};

// ?1 id, ?2 id of the app, ?3 position, ?4 the most collections of an app
static const struct mica_store_operation collection_member = {
    .name = "collection_member",
    .writes = true,
    .takes = "ttnn",
    .steps = {{.sql = "SELECT 1 FROM apps WHERE id = ?2",
               .gives = "n",
               .refusal = MICA_APP_MEMBER_IS_MISSING},
              {.sql = "SELECT 1 FROM apps AS a WHERE a.id = ?2 AND"
                      " (SELECT count(*) FROM app_collection_members AS w"
                      " WHERE w.app = a.number) < ?4",
               .gives = "n",
               .refusal = MICA_APP_IS_IN_TOO_MANY},
              {.sql = "INSERT INTO app_collection_members (collection,"
                      " position, app) SELECT c.number, ?3, a.number"
                      " FROM app_collections AS c JOIN apps AS a ON a.id = ?2"
                      " WHERE c.id = ?1"}}};

// ?1 id
static const struct mica_store_operation collection_names = {
    .name = "collection_names",
    .takes = "t",
    .steps = {{.sql = "SELECT 1 WHERE NOT EXISTS (SELECT v.tool"
                      " FROM app_collections AS c"
                      " JOIN app_collection_members AS n"
                      " ON n.collection = c.number"
                      " JOIN apps AS r ON r.number = n.app AND r.status = 2"
                      " JOIN app_versions AS v ON v.app = r.number"
                      " AND v.version = r.publish_version"
                      " WHERE c.id = ?1 AND v.tool <> ''"
                      " AND " MICA_APP_COUNTS(
                          "r", "c") " GROUP BY v.tool HAVING count(*) > 1)",
               .gives = "n",
               .refusal = MICA_APP_TOOL_CLASHES}}};

static enum mica_status
content_check(const struct mica_store_collection_content *content,
              struct mica_error *error)
{
    if (content->member_count > MICA_STORE_COLLECTION_MEMBERS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "A collection has at most %d apps, not %zu.",
                              MICA_STORE_COLLECTION_MEMBERS,
                              content->member_count);
    if (content->people_count > MICA_STORE_APP_PEOPLE)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "A collection has at most %d editors and "
                              "viewers, not %zu.",
                              MICA_STORE_APP_PEOPLE, content->people_count);
    for (size_t i = 0; i < content->people_count; i++)
        MICA_TRY(mica_app_text(content->people[i].name,
                               MICA_STORE_APP_OWNER_BYTES,
                               "The name of an editor or viewer", error));
    for (size_t i = 0; i < content->member_count; i++)
        if (!mica_app_is_name(content->members[i]))
            return mica_app_missing(error);
    return mica_app_text(content->text, MICA_STORE_COLLECTION_BYTES,
                         "The text of a collection", error);
}

// ---- One transaction -------------------------------------------------------------

struct collection_write {
    union mica_store_value values[MICA_APP_MOST_VALUES]; // of the act
    union mica_store_value people[MICA_STORE_APP_PEOPLE][3];
    union mica_store_value members[MICA_STORE_COLLECTION_MEMBERS][4];
    struct mica_store_part parts[ACT_PARTS];
    size_t count;
};

// Makes the parts; the caller has filled in `values`.
static void
write_fill(struct collection_write *write,
           const struct mica_store_operation *act,
           const struct mica_store_collection_content *content)
{
    write->count = 0;
    write->parts[write->count++] =
        (struct mica_store_part){act, write->values, NULL};
    for (size_t i = 0; i < content->people_count; i++) {
        union mica_store_value *person = write->people[i];
        person[0] = write->values[0];
        person[1].text = content->people[i].name;
        person[2].number = (int64_t)content->people[i].role;
        write->parts[write->count++] =
            (struct mica_store_part){&collection_person, person, NULL};
    }
    for (size_t i = 0; i < content->member_count; i++) {
        union mica_store_value *member = write->members[i];
        member[0] = write->values[0];
        member[1].text = content->members[i];
        member[2].number = (int64_t)i;
        member[3].number = MICA_STORE_APP_COLLECTIONS;
        write->parts[write->count++] =
            (struct mica_store_part){&collection_member, member, NULL};
    }
    write->parts[write->count++] =
        (struct mica_store_part){&collection_names, write->values, NULL};
}

static enum mica_status
write_run(struct mica_store *store, const struct mica_store_app_target *target,
          struct collection_write *write, unsigned last,
          struct mica_error *error, unsigned *refusal_out,
          struct mica_store_app_outcome *outcome_out)
{
    MICA_TRY(mica_app_act(store, target, write->parts, write->count, last,
                          error, refusal_out, outcome_out));
    if (*refusal_out == MICA_APP_TOOL_CLASHES)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "Two apps of the collection have the same tool "
                              "name.");
    if (*refusal_out == MICA_APP_MEMBER_IS_MISSING)
        return mica_app_missing(error);
    if (*refusal_out == MICA_APP_IS_IN_TOO_MANY)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "An app may be in %d collections, and one of "
                              "the members is in as many.",
                              MICA_STORE_APP_COLLECTIONS);
    return MICA_OK;
}

// ---- Create ----------------------------------------------------------------------

// When a row of app_slugs is free for a new collection: that of the same owner is deleted.
#define FREE                                               \
    "s.kind = 2 AND s.owner = ?6 AND NOT EXISTS (SELECT 1" \
    " FROM app_collections AS e WHERE e.slug = s.slug)"

static void
count_created(struct mica_store *store, const struct mica_store_part *part)
{
    mica_app_count_change(store, part);
    mica_store_count(store, MICA_COUNT_APPS, 1);
}

// ?6 owner, ?7 slug, ?8 text
static const struct mica_store_operation collection_create = {
    .name = "collection_create",
    .writes = true,
    .takes = MICA_APP_TAKES "ttt",
    .steps =
        {{.sql = "SELECT '', 1, 0, 0, 0 WHERE NOT EXISTS"
                 " (SELECT 1 FROM app_collections WHERE id = ?1)",
          .gives = MICA_APP_KINDS,
          .refusal = MICA_APP_ID_IS_USED},
         MICA_APP_SUFFIX(FREE),
         MICA_APP_CHANGE,
         {.sql =
              "INSERT INTO app_slugs (slug, kind, app, owner, suffix,"
              " serial) SELECT p.slug, 2, 0, ?6, 1, p.number FROM"
              " (SELECT " MICA_APP_NEW_SLUG(
                  FREE) " AS slug, coalesce(" MICA_APP_NEWEST
                        ", 0) + 1 AS number) AS p"
                        " WHERE true ON CONFLICT (slug) DO UPDATE"
                        " SET serial = excluded.serial WHERE app_slugs.kind = 2"
                        " AND app_slugs.owner = excluded.owner",
          .refusal = MICA_APP_SLUG_IS_LOST},
         {.sql = "INSERT INTO app_collections (number, id, slug, owner,"
                 " revision, created, changed, text)"
                 " SELECT s.serial, ?1, s.slug, ?6, 1, ?3, ?3, ?8"
                 " FROM app_slugs AS s WHERE s.serial = " MICA_APP_NEWEST},
         FACTS},
    .done = DONE,
    .count = count_created};

enum mica_status
mica_store_collection_create(
    struct mica_store *store, struct mica_text id, struct mica_text slug,
    struct mica_text owner, const struct mica_store_collection_content *content,
    int64_t now, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out)
{
    const struct mica_store_app_target target = {.id = id, .now = now};
    struct collection_write write;
    unsigned refusal;

    if (!mica_app_is_name(id))
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "The id of a collection has 1 to %d bytes of "
                              "UTF-8.",
                              MICA_STORE_APP_ID_BYTES);
    MICA_TRY(mica_app_check_slug(slug, error));
    MICA_TRY(mica_app_owner(owner, error));
    MICA_TRY(content_check(content, error));
    MICA_TRY(mica_app_need_room(store, now, error));
    mica_app_values(store, &target, write.values);
    write.values[MICA_APP_VALUES].text = owner;
    write.values[MICA_APP_VALUES + 1].text = slug;
    write.values[MICA_APP_VALUES + 2].text = content->text;
    write_fill(&write, &collection_create, content);
    MICA_TRY(write_run(store, &target, &write, CREATED_LAST, error, &refusal,
                       outcome_out));
    if (refusal == MICA_APP_ID_IS_USED)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "The store has a collection with that id "
                              "already.");
    // On a back end whose transactions do not wait for each other.
    if (refusal == MICA_APP_SLUG_IS_LOST)
        return mica_error_set(error, MICA_E_BUSY, "",
                              "Another app got the slug at this moment; try "
                              "again.");
    return MICA_OK;
}

// ---- Edit ------------------------------------------------------------------------

// ?6 text
static const struct mica_store_operation collection_edit = {
    .name = "collection_edit",
    .writes = true,
    .takes = MICA_APP_TAKES "t",
    .steps = {BEGIN,
              {.sql = "UPDATE app_collections SET text = ?6, " RAISE},
              {.sql = "DELETE FROM app_collection_people"
                      " WHERE collection = " NUMBER},
              {.sql = "DELETE FROM app_collection_members"
                      " WHERE collection = " NUMBER},
              FACTS},
    .done = DONE,
    .count = mica_app_count_change};

enum mica_status
mica_store_collection_edit(struct mica_store *store,
                           const struct mica_store_app_target *target,
                           const struct mica_store_collection_content *content,
                           struct mica_error *error,
                           struct mica_store_app_outcome *outcome_out)
{
    struct collection_write write;
    unsigned refusal;

    MICA_TRY(content_check(content, error));
    mica_app_values(store, target, write.values);
    write.values[MICA_APP_VALUES].text = content->text;
    write_fill(&write, &collection_edit, content);
    return write_run(store, target, &write, EDITED_LAST, error, &refusal,
                     outcome_out);
}

// ---- Hand over -------------------------------------------------------------------

// ?6 owner
static const struct mica_store_operation collection_hand_over = {
    .name = "collection_hand_over",
    .writes = true,
    .takes = MICA_APP_TAKES "t",
    .steps = {BEGIN,
              {.sql = "UPDATE app_collections SET owner = ?6, " RAISE},
              {.sql = "UPDATE app_slugs SET owner = ?6 WHERE slug = (SELECT"
                      " c.slug FROM app_collections AS c WHERE c.id = ?1)"},
              FACTS},
    .done = DONE,
    .count = mica_app_count_change};

enum mica_status
mica_store_collection_hand_over(struct mica_store *store,
                                const struct mica_store_app_target *target,
                                struct mica_text owner,
                                struct mica_error *error,
                                struct mica_store_app_outcome *outcome_out)
{
    return mica_app_act_hand_over(store, &collection_hand_over, target, owner,
                                  OWNER_LAST, error, outcome_out);
}

// ---- Delete ----------------------------------------------------------------------

static void
count_deleted(struct mica_store *store, const struct mica_store_part *part)
{
    mica_app_count_change(store, part);
    mica_store_count(store, MICA_COUNT_APPS, -1);
}

static const struct mica_store_operation collection_delete = {
    .name = "collection_delete",
    .writes = true,
    .takes = MICA_APP_TAKES,
    .steps = {BEGIN,
              {.sql = "DELETE FROM app_collection_people"
                      " WHERE collection = " NUMBER},
              {.sql = "DELETE FROM app_collection_members"
                      " WHERE collection = " NUMBER},
              {.sql = "DELETE FROM app_collections WHERE id = ?1"}},
    .done = {.sql = "SELECT '', 1, 0, 0, 0 WHERE " MICA_APP_COMMITTED,
             .gives = MICA_APP_KINDS},
    .count = count_deleted};

enum mica_status
mica_store_collection_delete(struct mica_store *store,
                             const struct mica_store_app_target *target,
                             struct mica_error *error,
                             struct mica_store_app_outcome *outcome_out)
{
    return mica_app_act_delete(store, &collection_delete, target, error,
                               outcome_out);
}
