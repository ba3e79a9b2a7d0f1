// SPDX-License-Identifier: Apache-2.0
//
// The states of an app.
//
//     (none) --create--> DRAFT --publish--> PUBLISHED <--publish-- UNPUBLISHED
//                          |                 |  ^  |   <--rollback--   ^  |
//                          |                 +--+  +----unpublish------+  |
//                          |       republish, rollback                    |
//                          +--------------- delete -----------------------+--> DELETED
//
// Edit and hand over leave each of the three states in the middle as it is; delete leaves
// each of them. The record has two words for four of the states: "published", and "draft"
// for DRAFT and UNPUBLISHED; publishVersion tells these two apart.
//
// Invariants of a stored app:
//
//   APP-1  it has an id, an owner, and a slug of the form of slugs
//   APP-2  the revision is 1 or more; each act after the first raises it by 1
//   APP-3  publishVersion is 0 exactly in DRAFT; it never falls
//   APP-4  publishedAt is 0 exactly in DRAFT, and not before createdAt
//   APP-5  it is published exactly in PUBLISHED
//   APP-6  updatedAt is not before createdAt
#include "apps/app_lifecycle.h"

#include "apps/app_slug.h"

#define BIT(state) MICA_STATE_BIT(MICA_APP_##state)

static const uint32_t app_moves[] = {
    [MICA_APP_NONE] = BIT(DRAFT),
    [MICA_APP_DRAFT] = BIT(DRAFT) | BIT(PUBLISHED) | BIT(DELETED),
    [MICA_APP_PUBLISHED] = BIT(PUBLISHED) | BIT(UNPUBLISHED) | BIT(DELETED),
    [MICA_APP_UNPUBLISHED] = BIT(UNPUBLISHED) | BIT(PUBLISHED) | BIT(DELETED),
    [MICA_APP_DELETED] = 0};

static const char *const state_names[] = {"NONE", "DRAFT", "PUBLISHED",
                                          "UNPUBLISHED", "DELETED"};

const struct mica_states mica_app_states = {.namez = "app",
                                            .names = state_names,
                                            .moves = app_moves,
                                            .count = MICA_COUNT(app_moves)};

// An act in each state: the state that it leads to. What is not named is not allowed;
// NONE stands for that, as no act leads there.
static const unsigned char act_table[MICA_APP_ACTS][MICA_APP_STATES] = {
    [MICA_APP_CREATE] = {[MICA_APP_NONE] = MICA_APP_DRAFT},
    [MICA_APP_EDIT] = {[MICA_APP_DRAFT] = MICA_APP_DRAFT,
                       [MICA_APP_PUBLISHED] = MICA_APP_PUBLISHED,
                       [MICA_APP_UNPUBLISHED] = MICA_APP_UNPUBLISHED},
    [MICA_APP_PUBLISH] = {[MICA_APP_DRAFT] = MICA_APP_PUBLISHED,
                          [MICA_APP_UNPUBLISHED] = MICA_APP_PUBLISHED},
    [MICA_APP_REPUBLISH] = {[MICA_APP_PUBLISHED] = MICA_APP_PUBLISHED},
    [MICA_APP_UNPUBLISH] = {[MICA_APP_PUBLISHED] = MICA_APP_UNPUBLISHED},
    [MICA_APP_ROLLBACK] = {[MICA_APP_PUBLISHED] = MICA_APP_PUBLISHED,
                           [MICA_APP_UNPUBLISHED] = MICA_APP_PUBLISHED},
    [MICA_APP_HAND_OVER] = {[MICA_APP_DRAFT] = MICA_APP_DRAFT,
                            [MICA_APP_PUBLISHED] = MICA_APP_PUBLISHED,
                            [MICA_APP_UNPUBLISHED] = MICA_APP_UNPUBLISHED},
    [MICA_APP_DELETE] = {[MICA_APP_DRAFT] = MICA_APP_DELETED,
                         [MICA_APP_PUBLISHED] = MICA_APP_DELETED,
                         [MICA_APP_UNPUBLISHED] = MICA_APP_DELETED}};

static const char *const act_names[MICA_APP_ACTS] = {
    [MICA_APP_CREATE] = "create",       [MICA_APP_EDIT] = "edit",
    [MICA_APP_PUBLISH] = "publish",     [MICA_APP_REPUBLISH] = "republish",
    [MICA_APP_UNPUBLISH] = "unpublish", [MICA_APP_ROLLBACK] = "roll back",
    [MICA_APP_HAND_OVER] = "hand over", [MICA_APP_DELETE] = "delete"};

const char *
mica_app_act_name(enum mica_app_act act)
{
    return (unsigned)act < MICA_APP_ACTS ? act_names[act] : "?";
}

enum mica_app_state
mica_app_next(enum mica_app_state state, enum mica_app_act act)
{
    unsigned next;

    if ((unsigned)state >= MICA_APP_STATES || (unsigned)act >= MICA_APP_ACTS)
        return MICA_APP_STATES;
    next = act_table[act][state];
    return next == MICA_APP_NONE ? MICA_APP_STATES : (enum mica_app_state)next;
}

enum mica_app_state
mica_app_state_of(const struct mica_app_facts *facts)
{
    if (facts->published)
        return MICA_APP_PUBLISHED;
    return facts->publish_version > 0 ? MICA_APP_UNPUBLISHED : MICA_APP_DRAFT;
}

enum mica_app_act
mica_app_publish_act(enum mica_app_state state)
{
    return state == MICA_APP_PUBLISHED ? MICA_APP_REPUBLISH : MICA_APP_PUBLISH;
}

enum mica_status
mica_app_act_allowed(enum mica_app_state state, enum mica_app_act act,
                     struct mica_error *error)
{
    const char *namez = mica_app_act_name(act);

    if (mica_app_next(state, act) != MICA_APP_STATES)
        return MICA_OK;
    if (act == MICA_APP_CREATE)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "the app exists already");
    if (state == MICA_APP_NONE || state == MICA_APP_DELETED)
        return mica_error_set(error, MICA_E_APP, "", "there is no such app");
    if (act == MICA_APP_ROLLBACK)
        return mica_error_set(error, MICA_E_APP_STATE, "",
                              "the app was never published, so it has no "
                              "version to roll back to");
    return mica_error_set(error, MICA_E_APP_STATE, "",
                          "the app is %s published; you cannot %s it",
                          state == MICA_APP_PUBLISHED ? "already" : "not",
                          namez);
}

static void
facts_publish(struct mica_app_facts *facts, int64_t now)
{
    facts->published = true;
    facts->publish_version++;
    facts->published_at = now;
}

static void
facts_create(struct mica_app_facts *facts, const struct mica_app_change *change)
{
    *facts = (struct mica_app_facts){.id = change->id,
                                     .slug = change->slug,
                                     .owner = change->owner,
                                     .revision = 1,
                                     .created_at = change->now};
}

// Every act says when; a clock that went back does not make an app younger than it is.
static void
facts_change(struct mica_app_facts *facts, enum mica_app_act act,
             const struct mica_app_change *change)
{
    int64_t now = change->now;

    if (act != MICA_APP_CREATE) {
        facts->revision++;
        if (now < facts->created_at)
            now = facts->created_at;
    }
    switch (act) {
    case MICA_APP_CREATE:
        facts_create(facts, change);
        break;
    case MICA_APP_PUBLISH:
    case MICA_APP_REPUBLISH:
    case MICA_APP_ROLLBACK:
        facts_publish(facts, now);
        break;
    case MICA_APP_UNPUBLISH:
    case MICA_APP_DELETE:
        facts->published = false;
        break;
    case MICA_APP_HAND_OVER:
        facts->owner = change->owner;
        break;
    case MICA_APP_EDIT:
    case MICA_APP_ACTS:
        break;
    }
    facts->updated_at = now;
}

enum mica_status
mica_app_apply(enum mica_app_state *state, struct mica_app_facts *facts,
               enum mica_app_act act, const struct mica_app_change *change,
               struct mica_error *error)
{
    enum mica_app_state next = mica_app_next(*state, act);

    MICA_TRY(mica_app_act_allowed(*state, act, error));
    if (act == MICA_APP_ROLLBACK &&
        (change->version < 1 || change->version > facts->publish_version))
        return mica_error_set(error, MICA_E_NOT_FOUND, "/version",
                              "the app has no version %lld; it has 1 to %lld",
                              (long long)change->version,
                              (long long)facts->publish_version);
    facts_change(facts, act, change);
#ifdef MICA_DEBUG
    mica_states_check(&mica_app_states, *state, next,
                      mica_app_broken(next, facts));
#endif
    *state = next;
    return MICA_OK;
}

const char *
mica_app_broken(enum mica_app_state state, const struct mica_app_facts *facts)
{
    if (state == MICA_APP_NONE || state == MICA_APP_DELETED)
        return facts->published ? "APP-5: published without an app" : NULL;
    if ((unsigned)state >= MICA_APP_STATES)
        return "it is in no state";
    if (facts->id.len == 0 || facts->owner.len == 0 ||
        !mica_app_slug_valid(facts->slug))
        return "APP-1: no id, no owner, or no slug";
    if (facts->revision < 1)
        return "APP-2: the revision is below 1";
    if ((facts->publish_version > 0) != (state != MICA_APP_DRAFT) ||
        facts->publish_version < 0)
        return "APP-3: publishVersion does not fit the state";
    if ((facts->published_at != 0) != (state != MICA_APP_DRAFT) ||
        (facts->published_at != 0 && facts->published_at < facts->created_at))
        return "APP-4: publishedAt does not fit the state";
    if (facts->published != (state == MICA_APP_PUBLISHED))
        return "APP-5: published does not fit the state";
    if (facts->updated_at < facts->created_at)
        return "APP-6: changed before it was created";
    return NULL;
}
