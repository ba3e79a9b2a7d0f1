// SPDX-License-Identifier: Apache-2.0
//
// Acts of an app's owner on the draft: edit, hand over, delete.
#include "store/store_app_content.h"

// ---- Content -------------------------------------------------------------------

enum mica_status
mica_app_content_check(const struct mica_store_app_content *content,
                       struct mica_error *error)
{
    if (content->people_count > MICA_STORE_APP_PEOPLE)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "An app has at most %d editors and viewers, not "
                              "%zu.",
                              MICA_STORE_APP_PEOPLE, content->people_count);
    for (size_t i = 0; i < content->people_count; i++)
        MICA_TRY(mica_app_text(content->people[i].name,
                               MICA_STORE_APP_OWNER_BYTES,
                               "The name of an editor or viewer", error));
    MICA_TRY(mica_app_text(content->summary, MICA_STORE_APP_SUMMARY_BYTES,
                           "The summary of an app", error));
    return mica_app_text(content->draft, MICA_STORE_APP_DRAFT_BYTES,
                         "The draft of an app", error);
}

// ?1 id, ?2 name, ?3 role
static const struct mica_store_operation app_person = {
    .name = "app_person",
    .writes = true,
    .takes = "ttn",
    .steps = {{.sql = "INSERT INTO app_people (name, app, role)"
                      " SELECT ?2, a.number, ?3 FROM apps AS a WHERE a.id = ?1"
                      " ON CONFLICT DO NOTHING"}}};

void
mica_app_content_parts(const struct mica_store_operation *act,
                       const struct mica_store_app_content *content,
                       struct mica_app_content_parts *parts)
{
    parts->count = 0;
    parts->parts[parts->count++] =
        (struct mica_store_part){act, parts->values, NULL};
    for (size_t i = 0; i < content->people_count; i++) {
        union mica_store_value *person = parts->people[i];
        person[0] = parts->values[0];
        person[1].text = content->people[i].name;
        person[2].number = (int64_t)content->people[i].role;
        parts->parts[parts->count++] =
            (struct mica_store_part){&app_person, person, NULL};
    }
}

// ---- Edit ----------------------------------------------------------------------

enum {
    EDIT_LAST = MICA_APP_FIRST_STEP + 2
};

// ?6 summary, ?7 draft
static const struct mica_store_operation app_edit = {
    .name = "app_edit",
    .writes = true,
    .takes = MICA_APP_TAKES "tt",
    .steps = {MICA_APP_BEGIN,
              {.sql = "UPDATE apps SET summary = ?6, draft = ?7,"
                      " revision = revision + 1, changed = " MICA_APP_NOW
                      " WHERE id = ?1"},
              {.sql = "DELETE FROM app_people WHERE app = " MICA_APP_NUMBER},
              MICA_APP_FACTS},
    .done = MICA_APP_DONE,
    .count = mica_app_count_change};

enum mica_status
mica_store_app_edit(struct mica_store *store,
                    const struct mica_store_app_target *target,
                    const struct mica_store_app_content *content,
                    struct mica_error *error,
                    struct mica_store_app_outcome *outcome_out)
{
    struct mica_app_content_parts write;
    unsigned refusal;

    MICA_TRY(mica_app_content_check(content, error));
    mica_app_values(store, target, write.values);
    write.values[MICA_APP_VALUES].text = content->summary;
    write.values[MICA_APP_VALUES + 1].text = content->draft;
    mica_app_content_parts(&app_edit, content, &write);
    return mica_app_act(store, target, write.parts, write.count, EDIT_LAST,
                        error, &refusal, outcome_out);
}

// ---- Hand over -----------------------------------------------------------------

enum {
    OWNER_LAST = MICA_APP_FIRST_STEP + 2
};

// ?6 owner. The slug goes with the app: it never becomes another app's of the owner before.
static const struct mica_store_operation app_hand_over = {
    .name = "app_hand_over",
    .writes = true,
    .takes = MICA_APP_TAKES "t",
    .steps = {MICA_APP_BEGIN,
              {.sql = "UPDATE apps SET owner = ?6, revision = revision + 1,"
                      " changed = " MICA_APP_NOW " WHERE id = ?1"},
              {.sql = "UPDATE app_slugs SET owner = ?6 WHERE slug ="
                      " (SELECT a.slug FROM apps AS a WHERE a.id = ?1)"},
              MICA_APP_FACTS},
    .done = MICA_APP_DONE,
    .count = mica_app_count_change};

enum mica_status
mica_store_app_hand_over(struct mica_store *store,
                         const struct mica_store_app_target *target,
                         struct mica_text owner, struct mica_error *error,
                         struct mica_store_app_outcome *outcome_out)
{
    return mica_app_act_hand_over(store, &app_hand_over, target, owner,
                                  OWNER_LAST, error, outcome_out);
}

// ---- Delete --------------------------------------------------------------------

enum {
    DELETED_VERSIONS = MICA_APP_FIRST_STEP,
    DELETED_WIDGETS
};

static void
count_deleted(struct mica_store *store, const struct mica_store_part *part)
{
    mica_app_count_change(store, part);
    mica_store_count(store, MICA_COUNT_APPS, -1);
    mica_store_count(store, MICA_COUNT_PUBLISHED_APPS,
                     -(int64_t)mica_app_was_published(part));
    mica_store_count(store, MICA_COUNT_APP_VERSIONS,
                     -(int64_t)part->given[DELETED_VERSIONS].changed);
    mica_store_count(store, MICA_COUNT_APP_WIDGETS,
                     -(int64_t)part->given[DELETED_WIDGETS].changed);
}

static const struct mica_store_operation app_delete = {
    .name = "app_delete",
    .writes = true,
    .takes = MICA_APP_TAKES,
    .steps = {MICA_APP_BEGIN,
              {.sql = "DELETE FROM app_versions WHERE app = " MICA_APP_NUMBER},
              {.sql = "DELETE FROM app_widgets WHERE app = " MICA_APP_NUMBER},
              {.sql = "DELETE FROM app_people WHERE app = " MICA_APP_NUMBER},
              {.sql = "DELETE FROM app_usage WHERE app = " MICA_APP_NUMBER},
              {.sql = "DELETE FROM app_collection_members"
                      " WHERE app = " MICA_APP_NUMBER},
              {.sql = "UPDATE app_slugs SET app = 0 WHERE slug ="
                      " (SELECT a.slug FROM apps AS a WHERE a.id = ?1)"},
              {.sql = "DELETE FROM apps WHERE id = ?1"}},
    .done = {.sql = "SELECT '', 1, 0, 0, 0 WHERE " MICA_APP_COMMITTED,
             .gives = MICA_APP_KINDS},
    .count = count_deleted};

enum mica_status
mica_store_app_delete(struct mica_store *store,
                      const struct mica_store_app_target *target,
                      struct mica_error *error,
                      struct mica_store_app_outcome *outcome_out)
{
    return mica_app_act_delete(store, &app_delete, target, error, outcome_out);
}
