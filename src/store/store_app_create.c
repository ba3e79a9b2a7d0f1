// SPDX-License-Identifier: Apache-2.0
//
// Creates an app: finds it a slug, and writes its rows, in one transaction.
#include "store/store_app_content.h"

enum {
    LAST = 6
};

// When a row of app_slugs is free for a new app: the app is deleted, and was the owner's.
#define FREE "s.kind = 1 AND s.app = 0 AND s.owner = ?6"

static void
count_created(struct mica_store *store, const struct mica_store_part *part)
{
    mica_app_count_change(store, part);
    mica_store_count(store, MICA_COUNT_APPS, 1);
}

// ?6 owner, ?7 slug, ?8 summary, ?9 draft
static const struct mica_store_operation app_create = {
    .name = "app_create",
    .writes = true,
    .takes = MICA_APP_TAKES "tttt",
    .steps =
        {{.sql = "SELECT '', 1, 0, 0, 0"
                 " WHERE NOT EXISTS (SELECT 1 FROM apps WHERE id = ?1)",
          .gives = MICA_APP_KINDS,
          .refusal = MICA_APP_ID_IS_USED},
         MICA_APP_SUFFIX(FREE),
         MICA_APP_CHANGE,
         {.sql = "INSERT INTO app_slugs (slug, kind, app, owner, suffix,"
                 " serial) SELECT p.slug, 1, p.number, ?6, 1, p.number FROM"
                 " (SELECT " MICA_APP_NEW_SLUG(
                     FREE) " AS slug, coalesce(" MICA_APP_NEWEST
                           ", 0) + 1 AS number) AS p"
                           " WHERE true ON CONFLICT (slug) DO UPDATE"
                           " SET app = excluded.app, serial = excluded.serial"
                           " WHERE app_slugs.kind = 1 AND app_slugs.app = 0"
                           " AND app_slugs.owner = excluded.owner",
          .refusal = MICA_APP_SLUG_IS_LOST},
         {.sql = "INSERT INTO apps (number, id, slug, owner, status, revision,"
                 " publish_version, published_at, created, changed, summary,"
                 " draft) SELECT s.app, ?1, s.slug, ?6, 1, 1, 0, 0, ?3, ?3, ?8,"
                 " ?9 FROM app_slugs AS s WHERE s.serial = " MICA_APP_NEWEST},
         MICA_APP_FACTS},
    .done = MICA_APP_DONE,
    .count = count_created};

enum mica_status
mica_app_need_room(struct mica_store *store, int64_t now,
                   struct mica_error *error)
{
    int64_t totals[MICA_STORE_COUNTERS];

    MICA_TRY(mica_store_totals(store, now, error, totals));
    if (totals[MICA_COUNT_APPS] < (int64_t)store->limits.apps)
        return MICA_OK;
    MICA_TRY(mica_store_totals(store, MICA_STORE_TOTALS_WRITE, error, totals));
    if (totals[MICA_COUNT_APPS] < (int64_t)store->limits.apps)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "The store has %zu apps and collections, as many as "
                          "it may have. Delete one that is no longer used.",
                          store->limits.apps);
}

enum mica_status
mica_app_check_slug(struct mica_text slug, struct mica_error *error)
{
    size_t good = 0;

    while (good < slug.len && slug.ptr[good] != '\0' &&
           strchr("abcdefghijklmnopqrstuvwxyz0123456789-", slug.ptr[good]) !=
               NULL)
        good++;
    if (slug.len > 0 && slug.len <= MICA_STORE_APP_SLUG_BYTES &&
        good == slug.len)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "A slug has 1 to %d lower-case letters, digits and "
                          "hyphens.",
                          MICA_STORE_APP_SLUG_BYTES);
}

static enum mica_status
check_names(struct mica_text id, struct mica_text slug, struct mica_text owner,
            struct mica_error *error)
{
    if (!mica_app_is_name(id))
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "The id of an app has 1 to %d bytes of UTF-8.",
                              MICA_STORE_APP_ID_BYTES);
    MICA_TRY(mica_app_check_slug(slug, error));
    return mica_app_owner(owner, error);
}

enum mica_status
mica_store_app_create(struct mica_store *store, struct mica_text id,
                      struct mica_text slug, struct mica_text owner,
                      const struct mica_store_app_content *content, int64_t now,
                      struct mica_error *error,
                      struct mica_store_app_outcome *outcome_out)
{
    const struct mica_store_app_target target = {.id = id, .now = now};
    struct mica_app_content_parts write;
    unsigned refusal;

    MICA_TRY(check_names(id, slug, owner, error));
    MICA_TRY(mica_app_content_check(content, error));
    MICA_TRY(mica_app_need_room(store, now, error));
    mica_app_values(store, &target, write.values);
    write.values[MICA_APP_VALUES].text = owner;
    write.values[MICA_APP_VALUES + 1].text = slug;
    write.values[MICA_APP_VALUES + 2].text = content->summary;
    write.values[MICA_APP_VALUES + 3].text = content->draft;
    mica_app_content_parts(&app_create, content, &write);
    MICA_TRY(mica_app_act(store, &target, write.parts, write.count, LAST, error,
                          &refusal, outcome_out));
    if (refusal == MICA_APP_ID_IS_USED)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "The store has an app with that id already.");
    // On a back end whose transactions do not wait for each other.
    if (refusal == MICA_APP_SLUG_IS_LOST)
        return mica_error_set(error, MICA_E_BUSY, "",
                              "Another app got the slug at this moment; try "
                              "again.");
    return MICA_OK;
}
