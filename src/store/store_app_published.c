// SPDX-License-Identifier: Apache-2.0
//
// Reads what is published, for processes that serve it: look-ups by slug, and what has changed.
#include "store/store_app_steps.h"

enum {
    MOST_CHANGES = 1000 // of one page
};

// ---- Look-ups ------------------------------------------------------------------

#define OF_SLUG                                               \
    " FROM app_slugs AS s JOIN apps AS a ON a.number = s.app" \
    " AND a.status = 2 "
#define OF_SLUG_1 " WHERE s.slug = ?1 AND s.kind = 1"

// ?1 slug
static const struct mica_store_operation app_published = {
    .name = "app_published",
    .takes = "t",
    .steps = {
        {.sql =
             "SELECT a.id, a.owner, v.version, v.published_at,"
             " v.widget, v.text" OF_SLUG "JOIN app_versions AS v"
             " ON v.app = a.number AND v.version = a.publish_version" OF_SLUG_1,
         .gives = "ttnntt",
         .refusal = MICA_APP_MISSING}}};

static enum mica_status
not_published(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no such app, or it is not published.");
}

enum mica_status
mica_store_app_published(struct mica_store *store, struct mica_text slug,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_published_app *published_out)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(slug)};
    struct mica_store_given given[1] = {{.count = 0}};
    const union mica_store_value *row;
    unsigned refusal = 0;

    if (!mica_app_is_name(slug))
        return not_published(error);
    MICA_TRY(mica_store_do(store, &app_published, values, given, arena, error,
                           &refusal));
    if (refusal != 0)
        return not_published(error);
    row = mica_store_given_row(&given[0], 0);
    *published_out = (struct mica_store_published_app){
        .id = row[0].text,
        .owner = row[1].text,
        .version = {.version = row[2].number,
                    .published_at = row[3].number,
                    .widget = row[4].text,
                    .text = row[5].text}};
    return MICA_OK;
}

// ?1 slug, ?2 hash
static const struct mica_store_operation app_widget = {
    .name = "app_widget",
    .takes = "tt",
    .steps = {{.sql = "SELECT w.html" OF_SLUG "JOIN app_widgets AS w"
                      " ON w.app = a.number AND w.hash = ?2" OF_SLUG_1,
               .gives = "t",
               .refusal = MICA_APP_MISSING}}};

static const struct mica_store_operation app_widget_newest = {
    .name = "app_widget_newest",
    .takes = "t",
    .steps = {{.sql = "SELECT w.html" OF_SLUG "JOIN app_versions AS v"
                      " ON v.app = a.number AND v.version = a.publish_version"
                      " JOIN app_widgets AS w ON w.app = a.number"
                      " AND w.hash = v.widget" OF_SLUG_1,
               .gives = "t",
               .refusal = MICA_APP_MISSING}}};

enum mica_status
mica_store_app_widget(struct mica_store *store, struct mica_text slug,
                      struct mica_text hash, struct mica_arena *arena,
                      struct mica_error *error, struct mica_text *html_out)
{
    const union mica_store_value values[] = {MICA_STORE_TEXT(slug),
                                             MICA_STORE_TEXT(hash)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal = 0;

    if (!mica_app_is_name(slug) || (hash.len > 0 && !mica_app_is_name(hash)))
        return not_published(error);
    MICA_TRY(mica_store_do(store,
                           hash.len > 0 ? &app_widget : &app_widget_newest,
                           values, given, arena, error, &refusal));
    if (refusal != 0)
        return not_published(error);
    *html_out = mica_store_given_row(&given[0], 0)[0].text;
    return MICA_OK;
}

// ---- Changes -------------------------------------------------------------------

static const struct mica_store_operation app_serial = {
    .name = "app_serial",
    .takes = "",
    .steps = {{.sql = "SELECT coalesce(max(serial), 0) FROM app_slugs",
               .gives = "n"}}};

enum mica_status
mica_store_app_serial(struct mica_store *store, struct mica_error *error,
                      int64_t *serial_out)
{
    const union mica_store_value none[1] = {{.number = 0}};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 12);
    status =
        mica_store_do(store, &app_serial, none, given, &arena, error, &refusal);
    if (status == MICA_OK)
        *serial_out = mica_store_given_row(&given[0], 0)[0].number;
    mica_arena_fini(&arena);
    return status;
}

// ?1 after, ?2 the most
static const struct mica_store_operation app_changed_since = {
    .name = "app_changed_since",
    .takes = "nn",
    .steps = {{.sql = "SELECT s.serial, s.slug, coalesce(a.id, c.id, ''),"
                      " coalesce(a.status, 1), coalesce(a.publish_version, 0),"
                      " s.kind FROM app_slugs AS s LEFT JOIN apps AS a"
                      " ON a.number = s.app LEFT JOIN app_collections AS c"
                      " ON c.slug = s.slug WHERE s.serial > ?1"
                      " ORDER BY s.serial LIMIT ?2",
               .gives = "nttnnn"}}};

enum mica_status
mica_store_app_changed_since(struct mica_store *store, int64_t serial,
                             size_t limit, struct mica_arena *arena,
                             struct mica_error *error,
                             struct mica_store_app_changes *changes_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(serial),
                                             MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_app_changes found = {NULL, 0};
    unsigned refusal;

    if (limit == 0 || limit > MOST_CHANGES)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A page has 1 to %d changes, not %zu.",
                              MOST_CHANGES, limit);
    MICA_TRY(mica_store_do(store, &app_changed_since, values, given, arena,
                           error, &refusal));
    found.items = mica_arena_zero(arena, given[0].count, sizeof *found.items);
    if (found.items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu changes; ask for "
                              "fewer.",
                              given[0].count);
    for (; found.count < given[0].count; found.count++) {
        const union mica_store_value *row =
            mica_store_given_row(&given[0], found.count);
        found.items[found.count] = (struct mica_store_app_change){
            .serial = row[0].number,
            .slug = row[1].text,
            .id = row[2].text,
            .status = (enum mica_store_app_status)row[3].number,
            .publish_version = row[4].number,
            .kind = (enum mica_store_slug_kind)row[5].number};
    }
    *changes_out = found;
    return MICA_OK;
}
