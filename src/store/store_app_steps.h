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
    MICA_APP_FIRST_STEP = 5 // that differs
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
    MICA_APP_WIDGET_DIFFERS
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

// The first MICA_APP_FIRST_STEP steps of an act on an app.
#define MICA_APP_BEGIN                                                        \
    {.sql = "SELECT " MICA_APP_COLUMNS " FROM apps WHERE id = ?1",            \
     .gives = MICA_APP_KINDS,                                                 \
     .refusal = MICA_APP_MISSING},                                            \
        {.sql = "SELECT 1 FROM apps"                                          \
                " WHERE id = ?1 AND (?2 = 0 OR revision = ?2)",               \
         .gives = "n",                                                        \
         .refusal = MICA_APP_REVISION_DIFFERS},                               \
        MICA_APP_CHANGE,                                                      \
    {                                                                         \
        .sql = "UPDATE app_slugs SET serial ="                                \
               " (SELECT max(m.serial) + 1 FROM app_slugs AS m)"              \
               " WHERE slug = (SELECT a.slug FROM apps AS a WHERE a.id = ?1)" \
    }

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

// Can it be the id of an app, or its slug? No app has a text that is too long.
bool mica_app_is_name(struct mica_text text);

#endif
