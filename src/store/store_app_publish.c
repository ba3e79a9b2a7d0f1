// SPDX-License-Identifier: Apache-2.0
//
// Acts of an app's owner on what is published: publish, roll back, unpublish. A publish is one
// transaction: a reader sees the version before it, or the whole new one.
#include "store/store_app_steps.h"

// ---- Publish -------------------------------------------------------------------

enum {
    PUBLISHED_WIDGET = MICA_APP_FIRST_STEP + 2,
    PUBLISHED_TRIM = MICA_APP_FIRST_STEP + 6,
    PUBLISHED_LAST
};

// The next version: its number and its time.
#define RAISE                                                                      \
    {                                                                              \
        .sql =                                                                     \
            "UPDATE apps SET status = 2,"                                          \
            " publish_version = publish_version + 1, published_at = " MICA_APP_NOW \
            ","                                                                    \
            " revision = revision + 1, changed = " MICA_APP_NOW                    \
            " WHERE id = ?1"                                                       \
    }
// Removes versions beyond the most, ?6. The published version is the newest.
#define TRIM                                                                  \
    {                                                                         \
        .sql =                                                                \
            "DELETE FROM app_versions WHERE app = " MICA_APP_NUMBER           \
            " AND version <="                                                 \
            " (SELECT a.publish_version FROM apps AS a WHERE a.id = ?1) - ?6" \
    }

static void
count_version(struct mica_store *store, const struct mica_store_part *part,
              size_t removed)
{
    mica_app_count_change(store, part);
    mica_store_count(store, MICA_COUNT_PUBLISHED_APPS,
                     !mica_app_was_published(part));
    mica_store_count(store, MICA_COUNT_APP_VERSIONS, 1 - (int64_t)removed);
}

static void
count_published(struct mica_store *store, const struct mica_store_part *part)
{
    count_version(store, part, part->given[PUBLISHED_TRIM].changed);
    mica_store_count(store, MICA_COUNT_APP_WIDGETS,
                     (int64_t)part->given[PUBLISHED_WIDGET].changed);
}

// ?6 the most versions, ?7 the most widgets, ?8 hash, ?9 html, ?10 text, ?11 tool
static const struct mica_store_operation app_publish = {
    .name = "app_publish",
    .writes = true,
    .takes = MICA_APP_TAKES "nntttt",
    .steps =
        {MICA_APP_BEGIN,
         {.sql =
              "SELECT 1 WHERE NOT EXISTS (SELECT 1" MICA_APP_CLASH("?11") ")",
          .gives = "n",
          .refusal = MICA_APP_TOOL_CLASHES},
         {.sql = "SELECT 1 WHERE EXISTS (SELECT 1 FROM app_widgets AS w"
                 " WHERE w.app = " MICA_APP_NUMBER " AND w.hash = ?8)"
                 " OR (SELECT count(*) FROM app_widgets AS w"
                 " WHERE w.app = " MICA_APP_NUMBER ") < ?7",
          .gives = "n",
          .refusal = MICA_APP_WIDGETS_ARE_FULL},
         {.sql = "INSERT INTO app_widgets (app, hash, html)"
                 " SELECT a.number, ?8, ?9 FROM apps AS a WHERE a.id = ?1"
                 " ON CONFLICT DO NOTHING"},
         {.sql = "SELECT 1 FROM app_widgets WHERE app = " MICA_APP_NUMBER
                 " AND hash = ?8 AND html = ?9",
          .gives = "n",
          .refusal = MICA_APP_WIDGET_DIFFERS},
         RAISE,
         {.sql = "INSERT INTO app_versions (app, version, published_at, widget,"
                 " text, tool) SELECT a.number, a.publish_version,"
                 " a.published_at, ?8, ?10, ?11"
                 " FROM apps AS a WHERE a.id = ?1"},
         TRIM,
         MICA_APP_FACTS},
    .done = MICA_APP_DONE,
    .count = count_published};

static enum mica_status
tool_clashes(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_EXISTS, "",
                          "Another app of a collection with this app has the "
                          "same tool name.");
}

static enum mica_status
check_release(const struct mica_store_app_release *release,
              struct mica_error *error)
{
    if (release->text.len == 0 || release->widget.len == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A version has a text, and a widget with a "
                              "hash.");
    MICA_TRY(mica_app_text(release->text, MICA_STORE_APP_VERSION_BYTES,
                           "The text of a version", error));
    MICA_TRY(mica_app_text(release->tool, MICA_STORE_APP_TOOL_BYTES,
                           "The name of a tool", error));
    MICA_TRY(mica_app_text(release->widget, MICA_STORE_APP_HASH_BYTES,
                           "The hash of a widget", error));
    return mica_app_text(release->html, MICA_STORE_APP_WIDGET_BYTES,
                         "The widget of an app", error);
}

enum mica_status
mica_store_app_publish(struct mica_store *store,
                       const struct mica_store_app_target *target,
                       const struct mica_store_app_release *release,
                       struct mica_error *error,
                       struct mica_store_app_outcome *outcome_out)
{
    union mica_store_value values[MICA_APP_MOST_VALUES];
    struct mica_store_part part = {&app_publish, values, NULL};
    union mica_store_value *own = values + MICA_APP_VALUES;
    unsigned refusal;

    MICA_TRY(check_release(release, error));
    mica_app_values(store, target, values);
    own[0].number = (int64_t)store->limits.app_versions;
    own[1].number = (int64_t)store->limits.app_widgets;
    own[2].text = release->widget;
    own[3].text = release->html;
    own[4].text = release->text;
    own[5].text = release->tool;
    MICA_TRY(mica_app_act(store, target, &part, 1, PUBLISHED_LAST, error,
                          &refusal, outcome_out));
    if (refusal == MICA_APP_TOOL_CLASHES)
        return tool_clashes(error);
    if (refusal == MICA_APP_WIDGETS_ARE_FULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The app has %zu widgets that clients may still "
                              "read, as many as it may have. Unpublish it: "
                              "that removes those of old versions.",
                              store->limits.app_widgets);
    if (refusal == MICA_APP_WIDGET_DIFFERS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The app has another widget with that hash.");
    return MICA_OK;
}

// ---- Roll back -----------------------------------------------------------------

enum {
    ROLLED_TRIM = MICA_APP_FIRST_STEP + 4,
    ROLLED_LAST
};

static void
count_rolled_back(struct mica_store *store, const struct mica_store_part *part)
{
    count_version(store, part, part->given[ROLLED_TRIM].changed);
}

// ?6 the most versions, ?7 version
static const struct mica_store_operation app_rollback = {
    .name = "app_rollback",
    .writes = true,
    .takes = MICA_APP_TAKES "nn",
    .steps =
        {MICA_APP_BEGIN,
         {.sql = "SELECT 1 FROM app_versions WHERE app = " MICA_APP_NUMBER
                 " AND version = ?7",
          .gives = "n",
          .refusal = MICA_APP_HAS_NO_VERSION},
         {.sql = "SELECT 1 WHERE NOT EXISTS (SELECT 1" MICA_APP_CLASH(
              "(SELECT o.tool FROM app_versions AS o WHERE o.app = a.number"
              " AND o.version = ?7)") ")",
          .gives = "n",
          .refusal = MICA_APP_TOOL_CLASHES},
         RAISE,
         {.sql =
              "INSERT INTO app_versions (app, version, published_at,"
              " widget, text, tool) SELECT a.number, a.publish_version,"
              " a.published_at, v.widget, v.text, v.tool FROM apps AS a JOIN app_versions AS v"
              " ON v.app = a.number AND v.version = ?7"
              " WHERE a.id = ?1"},
         TRIM,
         MICA_APP_FACTS},
    .done = MICA_APP_DONE,
    .count = count_rolled_back};

enum mica_status
mica_store_app_rollback(struct mica_store *store,
                        const struct mica_store_app_target *target,
                        int64_t version, struct mica_error *error,
                        struct mica_store_app_outcome *outcome_out)
{
    union mica_store_value values[MICA_APP_MOST_VALUES];
    struct mica_store_part part = {&app_rollback, values, NULL};
    unsigned refusal;

    mica_app_values(store, target, values);
    values[MICA_APP_VALUES].number = (int64_t)store->limits.app_versions;
    values[MICA_APP_VALUES + 1].number = version;
    MICA_TRY(mica_app_act(store, target, &part, 1, ROLLED_LAST, error, &refusal,
                          outcome_out));
    if (refusal == MICA_APP_TOOL_CLASHES)
        return tool_clashes(error);
    if (refusal == MICA_APP_HAS_NO_VERSION)
        return mica_app_no_version(store, version, error);
    return MICA_OK;
}

// ---- Unpublish -----------------------------------------------------------------

enum {
    UNPUBLISHED_WIDGETS = MICA_APP_FIRST_STEP + 2,
    UNPUBLISHED_LAST
};

static void
count_unpublished(struct mica_store *store, const struct mica_store_part *part)
{
    mica_app_count_change(store, part);
    mica_store_count(store, MICA_COUNT_PUBLISHED_APPS, -1);
    mica_store_count(store, MICA_COUNT_APP_WIDGETS,
                     -(int64_t)part->given[UNPUBLISHED_WIDGETS].changed);
}

static const struct mica_store_operation app_unpublish = {
    .name = "app_unpublish",
    .writes = true,
    .takes = MICA_APP_TAKES,
    .steps = {MICA_APP_BEGIN,
              {.sql = "SELECT 1 FROM apps WHERE id = ?1 AND status = 2",
               .gives = "n",
               .refusal = MICA_APP_IS_NOT_PUBLISHED},
              {.sql = "UPDATE apps SET status = 1, revision = revision + 1,"
                      " changed = " MICA_APP_NOW " WHERE id = ?1"},
              {.sql = "DELETE FROM app_widgets WHERE app = " MICA_APP_NUMBER
                      " AND hash NOT IN (SELECT v.widget FROM app_versions AS v"
                      " WHERE v.app = " MICA_APP_NUMBER ")"},
              MICA_APP_FACTS},
    .done = MICA_APP_DONE,
    .count = count_unpublished};

enum mica_status
mica_store_app_unpublish(struct mica_store *store,
                         const struct mica_store_app_target *target,
                         struct mica_error *error,
                         struct mica_store_app_outcome *outcome_out)
{
    union mica_store_value values[MICA_APP_VALUES];
    struct mica_store_part part = {&app_unpublish, values, NULL};
    unsigned refusal;

    mica_app_values(store, target, values);
    // An app that is not published is as it shall be.
    return mica_app_act(store, target, &part, 1, UNPUBLISHED_LAST, error,
                        &refusal, outcome_out);
}
