// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of published apps: the steps with which each act begins and ends, and the
// function that runs an act.
//
// The first values of each act: ?1 id, ?2 the revision that is expected, ?3 now, ?4 token, ?5 the
// most changes in the feed. The feed has the token of an act, by which a process finds out that
// it was committed, also after other acts on the same app.
#ifndef MICA_STORE_STORE_APP_STEPS_H
#define MICA_STORE_STORE_APP_STEPS_H

#include "store/store.h"
#include "store/store_apps.h"

#define MICA_APP_TAKES "tnnnn"
enum {
    MICA_APP_VALUES = 5, // of MICA_APP_TAKES
    MICA_APP_MOST_VALUES = 12,
    MICA_APP_FACTS_STEP = 0, // of an act: the app before it
    MICA_APP_TRIM_STEP = 3,
    MICA_APP_FIRST_STEP = 6 // that differs
};

// Why an act was refused.
enum {
    MICA_APP_MISSING = 1,
    MICA_APP_REVISION_DIFFERS,
    MICA_APP_ID_IS_USED,
    MICA_APP_SLUG_IS_LOST,
    MICA_APP_IS_NOT_PUBLISHED,
    MICA_APP_HAS_NO_VERSION,
    MICA_APP_WIDGETS_ARE_FULL,
    MICA_APP_WIDGET_DIFFERS,
    MICA_APP_TOOL_CLASHES,
    MICA_APP_IS_IN_TOO_MANY,
    MICA_APP_MEMBER_IS_MISSING
};

#define MICA_APP_NUMBER  "(SELECT a.number FROM apps AS a WHERE a.id = ?1)"
#define MICA_APP_COLUMNS "slug, status, revision, publish_version, published_at"
#define MICA_APP_KINDS   "tnnnn"

// When the act changes the app; not before the app was created, also if a clock was set back.
#define MICA_APP_NOW "CASE WHEN ?3 < created THEN created ELSE ?3 END"

// The app as it is: the last step of an act.
#define MICA_APP_FACTS                                                \
    {                                                                 \
        .sql = "SELECT " MICA_APP_COLUMNS " FROM apps WHERE id = ?1", \
        .gives = MICA_APP_KINDS                                       \
    }

// Appends to the feed of changes.
#define MICA_APP_CHANGE                                                  \
    {.sql = "INSERT INTO changes (sequence, created, kind, name, token," \
            " endpoint) SELECT coalesce(max(c.sequence), 0) + 1, ?3, 6," \
            " ?1, ?4, '' FROM changes AS c"},                            \
    {                                                                    \
        .sql = "DELETE FROM changes WHERE sequence <="                   \
               " (SELECT max(c.sequence) FROM changes AS c) - ?5"        \
    }

// Raises the serials of the collections that have the app [COLLECTION-3], each to a new one.
#define MICA_APP_TOUCH_COLLECTIONS                                      \
    {                                                                   \
        .sql = "UPDATE app_slugs SET serial ="                          \
               " (SELECT max(m.serial) FROM app_slugs AS m) +"          \
               " (SELECT count(*) FROM app_collection_members AS w"     \
               " WHERE w.app = " MICA_APP_NUMBER " AND w.collection <=" \
               " (SELECT c.number FROM app_collections AS c"            \
               " WHERE c.slug = app_slugs.slug)) WHERE slug IN"         \
               " (SELECT c.slug FROM app_collection_members AS w"       \
               " JOIN app_collections AS c ON c.number = w.collection"  \
               " WHERE w.app = " MICA_APP_NUMBER ")"                    \
    }

// The first MICA_APP_FIRST_STEP steps of an act on an app.
#define MICA_APP_BEGIN                                             \
    {.sql = "SELECT " MICA_APP_COLUMNS " FROM apps WHERE id = ?1", \
     .gives = MICA_APP_KINDS,                                      \
     .refusal = MICA_APP_MISSING},                                 \
        {.sql = "SELECT 1 FROM apps"                               \
                " WHERE id = ?1 AND (?2 = 0 OR revision = ?2)",    \
         .gives = "n",                                             \
         .refusal = MICA_APP_REVISION_DIFFERS},                    \
        MICA_APP_CHANGE,                                           \
        {.sql = "UPDATE app_slugs SET serial ="                    \
                " (SELECT max(m.serial) + 1 FROM app_slugs AS m)"  \
                " WHERE slug = (SELECT a.slug FROM apps AS a"      \
                " WHERE a.id = ?1)"},                              \
        MICA_APP_TOUCH_COLLECTIONS

// Does the app of the alias a_ count in the collection of the alias c_ [COLLECTION-1]?
#define MICA_APP_COUNTS(a_, c_)                         \
    "(" a_ ".owner = " c_ ".owner OR EXISTS (SELECT 1"  \
    " FROM app_people AS q WHERE q.name = " c_ ".owner" \
    " AND q.app = " a_ ".number AND q.role = 1))"

// Another member of a collection with the app ?1 that counts, is published and has the tool
// name tool_ [COLLECTION-2]: the tables of a query whose WHERE follows.
#define MICA_APP_CLASH(tool_)                                              \
    " FROM apps AS a JOIN app_collection_members AS m ON m.app = a.number" \
    " JOIN app_collections AS c ON c.number = m.collection"                \
    " JOIN app_collection_members AS n ON n.collection = c.number"         \
    " JOIN apps AS r ON r.number = n.app AND r.status = 2"                 \
    " JOIN app_versions AS v ON v.app = r.number"                          \
    " AND v.version = r.publish_version"                                   \
    " WHERE a.id = ?1 AND n.app <> m.app AND v.tool <> ''"                 \
    " AND v.tool = " tool_                                                 \
    " AND " MICA_APP_COUNTS("a", "c") " AND " MICA_APP_COUNTS("r", "c")

// ---- Slugs ---------------------------------------------------------------------

// Is the slug `slug_` taken? free_ says when a row of app_slugs, s, is free for the act.
#define MICA_APP_TAKEN(slug_, free_) \
    "FROM app_slugs AS s WHERE s.slug = " slug_ " AND NOT (" free_ ")"

// The slug ?7 with a number behind it, cut so that it fits.
#define MICA_APP_NUMBERED(number)                                      \
    "rtrim(substr(?7, 1, 63 - length(CAST(" number " AS TEXT))), '-')" \
    " || '-' || CAST(" number " AS TEXT)"

#define MICA_APP_NEWEST "(SELECT max(m.serial) FROM app_slugs AS m)"

// Only if the slug ?7 is taken: the first number behind it whose slug is not. The search
// begins after the last number that was given.
#define MICA_APP_SUFFIX(free_)                                                  \
    {                                                                           \
        .sql =                                                                  \
            "UPDATE app_slugs SET suffix = (WITH RECURSIVE tries (n) AS"        \
            " (SELECT b.suffix + 1 FROM app_slugs AS b WHERE b.slug = ?7"       \
            " UNION ALL SELECT t.n + 1 FROM tries AS t"                         \
            " WHERE EXISTS (SELECT 1 " MICA_APP_TAKEN(                          \
                MICA_APP_NUMBERED("t.n"),                                       \
                free_) "))"                                                     \
                       " SELECT max(tries.n) FROM tries)"                       \
                       " WHERE slug = ?7 AND EXISTS (SELECT 1 " MICA_APP_TAKEN( \
                           "?7", free_) ")"                                     \
    }

// The slug of a new app or collection: ?7, or that with the number.
#define MICA_APP_NEW_SLUG(free_)                                          \
    "coalesce((SELECT " MICA_APP_NUMBERED("s.suffix") " " MICA_APP_TAKEN( \
        "?7", free_) "), ?7)"

// Was the act committed?
#define MICA_APP_COMMITTED                                  \
    "EXISTS (SELECT 1 FROM changes AS c WHERE c.token = ?4" \
    " AND c.sequence > (SELECT max(n.sequence) FROM changes AS n) - 64)"
#define MICA_APP_DONE                                              \
    {                                                              \
        .sql = "SELECT " MICA_APP_COLUMNS                          \
               " FROM apps WHERE id = ?1 AND " MICA_APP_COMMITTED, \
        .gives = MICA_APP_KINDS                                    \
    }

// Fills in the first MICA_APP_VALUES values.
void mica_app_values(const struct mica_store *store,
                     const struct mica_store_app_target *target,
                     union mica_store_value values_out[MICA_APP_VALUES]);

// Runs an act, whose last step has the number `last`; parts[0] is the act. Refusals that are not
// of MICA_APP_BEGIN are left to the caller, with an outcome as the app is.
enum mica_status mica_app_act(struct mica_store *store,
                              const struct mica_store_app_target *target,
                              struct mica_store_part *parts, size_t count,
                              unsigned last, struct mica_error *error,
                              unsigned *refusal_out,
                              struct mica_store_app_outcome *outcome_out)
    MICA_MUST_USE;

// Runs the act that gives an app or a collection to `owner`, its sixth value. Errors: those of
// mica_app_owner and mica_app_act.
enum mica_status mica_app_act_hand_over(
    struct mica_store *store, const struct mica_store_operation *operation,
    const struct mica_store_app_target *target, struct mica_text owner,
    unsigned last, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// Runs the act that deletes an app or a collection: the outcome is as it was before.
enum mica_status mica_app_act_delete(
    struct mica_store *store, const struct mica_store_operation *operation,
    const struct mica_store_app_target *target, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// For the `count` function of an act: counts the change in the feed.
void mica_app_count_change(struct mica_store *store,
                           const struct mica_store_part *part);

// Was the app published before the act?
bool mica_app_was_published(const struct mica_store_part *part);

enum mica_status mica_app_missing(struct mica_error *error);
enum mica_status mica_app_no_version(const struct mica_store *store,
                                     int64_t version, struct mica_error *error);

// Fails if the text is longer than `most` bytes or not UTF-8; `what` names it in the message.
enum mica_status mica_app_text(struct mica_text text, size_t most,
                               const char *what, struct mica_error *error)
    MICA_MUST_USE;

// Fails unless it can be a slug.
enum mica_status mica_app_check_slug(struct mica_text slug,
                                     struct mica_error *error) MICA_MUST_USE;

// Has the store room for one more app or collection? Errors: MICA_E_LIMIT.
enum mica_status mica_app_need_room(struct mica_store *store, int64_t now,
                                    struct mica_error *error) MICA_MUST_USE;

// Can it be the id of an app, or its slug? No app has a text that is too long.
bool mica_app_is_name(struct mica_text text);

#endif
