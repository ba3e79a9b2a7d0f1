// SPDX-License-Identifier: Apache-2.0
//
// Runs an act on a published app, and says why it was refused.
#include "store/store_app_content.h"

_Static_assert(MICA_CHANGE_APP == 6, "MICA_APP_CHANGE has this number");

enum {
    ARENA_BYTES = 1 << 14,
    SLUG = 0, // the columns of MICA_APP_COLUMNS
    STATUS,
    REVISION,
    PUBLISH_VERSION,
    PUBLISHED_AT
};

// ---- Texts ---------------------------------------------------------------------

enum mica_status
mica_app_text(struct mica_text text, size_t most, const char *what,
              struct mica_error *error)
{
    if (text.len > most)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s has %zu bytes, and may have %zu.", what,
                              text.len, most);
    return mica_store_text(text, what, error);
}

bool
mica_app_is_name(struct mica_text text)
{
    return text.len > 0 && text.len <= MICA_STORE_APP_ID_BYTES &&
           mica_utf8_valid(text) == text.len &&
           memchr(text.ptr, '\0', text.len) == NULL;
}

enum mica_status
mica_app_missing(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no such app in the store.");
}

enum mica_status
mica_app_no_version(const struct mica_store *store, int64_t version,
                    struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "The app has no version %lld, or no longer: the "
                          "store keeps the newest %zu.",
                          (long long)version, store->limits.app_versions);
}

// ---- Counts --------------------------------------------------------------------

void
mica_app_count_change(struct mica_store *store,
                      const struct mica_store_part *part)
{
    int64_t dropped = (int64_t)part->given[MICA_APP_TRIM_STEP].changed;

    mica_store_count(store, MICA_COUNT_CHANGES, 1 - dropped);
    mica_store_count(store, MICA_COUNT_CHANGES_DROPPED, dropped);
}

bool
mica_app_was_published(const struct mica_store_part *part)
{
    const struct mica_store_given *facts = &part->given[MICA_APP_FACTS_STEP];

    return mica_store_given_row(facts, 0)[STATUS].number ==
           MICA_STORE_APP_PUBLISHED;
}

// ---- Run -----------------------------------------------------------------------

void
mica_app_values(const struct mica_store *store,
                const struct mica_store_app_target *target,
                union mica_store_value values_out[MICA_APP_VALUES])
{
    const union mica_store_value values[MICA_APP_VALUES] = {
        MICA_STORE_TEXT(target->id), MICA_STORE_NUMBER(target->revision),
        MICA_STORE_NUMBER(target->now), MICA_STORE_NUMBER(mica_store_token()),
        MICA_STORE_NUMBER((int64_t)store->limits.changes)};

    memcpy(values_out, values, sizeof values);
}

static void
read_outcome(const struct mica_store_given *given,
             struct mica_store_app_outcome *outcome)
{
    const union mica_store_value *values = mica_store_given_row(given, 0);
    struct mica_text slug = values[SLUG].text;

    *outcome = (struct mica_store_app_outcome){
        .status = (enum mica_store_app_status)values[STATUS].number,
        .revision = values[REVISION].number,
        .publish_version = values[PUBLISH_VERSION].number,
        .published_at = values[PUBLISHED_AT].number};
    if (slug.len > 0 && slug.len <= MICA_STORE_APP_SLUG_BYTES)
        memcpy(outcome->slug, slug.ptr, slug.len);
}

static enum mica_status
revision_differs(const struct mica_store_app_target *target, int64_t revision,
                 struct mica_error *error)
{
    return mica_error_set(error, MICA_E_REVISION, "",
                          "There is revision %lld by now, and not %lld. "
                          "Read it again, and repeat the change on that.",
                          (long long)revision, (long long)target->revision);
}

enum mica_status
mica_app_act(struct mica_store *store,
             const struct mica_store_app_target *target,
             struct mica_store_part *parts, size_t count, unsigned last,
             struct mica_error *error, unsigned *refusal_out,
             struct mica_store_app_outcome *outcome_out)
{
    struct mica_store_given given[MICA_STORE_STEPS] = {{.count = 0}};
    enum mica_status status;
    struct mica_arena arena;

    *refusal_out = 0;
    if (!mica_app_is_name(target->id))
        return mica_app_missing(error);
    mica_arena_init(&arena, ARENA_BYTES);
    parts[0].given = given;
    status =
        mica_store_perform(store, parts, count, &arena, error, refusal_out);
    parts[0].given = NULL;
    // The last step is missing after a refusal, and if an earlier try had committed.
    if (status == MICA_OK && given[last].count > 0)
        read_outcome(&given[last], outcome_out);
    else if (status == MICA_OK && given[MICA_APP_FACTS_STEP].count > 0)
        read_outcome(&given[MICA_APP_FACTS_STEP], outcome_out);
    mica_arena_fini(&arena);
    if (*refusal_out == MICA_APP_MISSING)
        return mica_app_missing(error);
    if (*refusal_out == MICA_APP_REVISION_DIFFERS)
        return revision_differs(target, outcome_out->revision, error);
    return status;
}

enum mica_status
mica_app_owner(struct mica_text owner, struct mica_error *error)
{
    if (owner.len == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "An app has an owner; name one.");
    return mica_app_text(owner, MICA_STORE_APP_OWNER_BYTES, "The owner", error);
}

enum mica_status
mica_app_act_hand_over(struct mica_store *store,
                       const struct mica_store_operation *operation,
                       const struct mica_store_app_target *target,
                       struct mica_text owner, unsigned last,
                       struct mica_error *error,
                       struct mica_store_app_outcome *outcome_out)
{
    union mica_store_value values[MICA_APP_VALUES + 1];
    struct mica_store_part part = {operation, values, NULL};
    unsigned refusal;

    MICA_TRY(mica_app_owner(owner, error));
    mica_app_values(store, target, values);
    values[MICA_APP_VALUES].text = owner;
    return mica_app_act(store, target, &part, 1, last, error, &refusal,
                        outcome_out);
}

enum mica_status
mica_app_act_delete(struct mica_store *store,
                    const struct mica_store_operation *operation,
                    const struct mica_store_app_target *target,
                    struct mica_error *error,
                    struct mica_store_app_outcome *outcome_out)
{
    union mica_store_value values[MICA_APP_VALUES];
    struct mica_store_part part = {operation, values, NULL};
    unsigned refusal;

    mica_app_values(store, target, values);
    return mica_app_act(store, target, &part, 1, MICA_APP_FACTS_STEP, error,
                        &refusal, outcome_out);
}
