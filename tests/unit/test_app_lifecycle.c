// SPDX-License-Identifier: Apache-2.0
//
// The life of an app: each act in each state, against a list that is written by hand; then
// random sequences of acts against a model that counts on its own.
#include "apps/app_lifecycle.h"

#include <string.h>

#include "unit.h"

enum {
    SEQUENCES = 1000,
    STEPS = 60
};

static struct mica_error error;

static struct mica_app_facts
facts_in(enum mica_app_state state)
{
    struct mica_app_facts facts = {.id = MICA_LITERAL("7f3a9c"),
                                   .slug = MICA_LITERAL("my-bot"),
                                   .owner = MICA_LITERAL("alice"),
                                   .revision = 4,
                                   .created_at = 1000,
                                   .updated_at = 2000};
    if (state == MICA_APP_NONE)
        return (struct mica_app_facts){0};
    if (state == MICA_APP_PUBLISHED || state == MICA_APP_UNPUBLISHED) {
        facts.publish_version = 3;
        facts.published_at = 1500;
    }
    facts.published = state == MICA_APP_PUBLISHED;
    return facts;
}

// The whole table again, as a reader of the issue would write it: what is not here is
// refused with the status of the last columns.
static const struct {
    enum mica_app_act act;
    const char
        *next; // of NONE, DRAFT, PUBLISHED, UNPUBLISHED, DELETED; '.': refused
} expected[] = {{MICA_APP_CREATE, "D...."},    {MICA_APP_EDIT, ".DPU."},
                {MICA_APP_PUBLISH, ".P.P."},   {MICA_APP_REPUBLISH, "..P.."},
                {MICA_APP_UNPUBLISH, "..U.."}, {MICA_APP_ROLLBACK, "..PP."},
                {MICA_APP_HAND_OVER, ".DPU."}, {MICA_APP_DELETE, ".ddd."}};
static const char letters[] = "NDPUd.";

static enum mica_status
expected_status(enum mica_app_state state, enum mica_app_act act)
{
    if (act == MICA_APP_CREATE)
        return MICA_E_EXISTS;
    return state == MICA_APP_NONE || state == MICA_APP_DELETED
               ? MICA_E_APP
               : MICA_E_APP_STATE;
}

static void
check_act(enum mica_app_state from, enum mica_app_act act, char letter)
{
    const struct mica_app_change change = {.now = 5000,
                                           .id = MICA_LITERAL("7f3a9c"),
                                           .slug = MICA_LITERAL("my-bot"),
                                           .owner = MICA_LITERAL("bob"),
                                           .version = 2};
    enum mica_app_state state = from, next = (enum mica_app_state)(
                                          strchr(letters, letter) - letters);
    struct mica_app_facts facts = facts_in(from), before = facts;
    enum mica_status status =
        mica_app_apply(&state, &facts, act, &change, &error);

    ck_assert_int_eq(mica_app_next(from, act), next);
    if (letter == '.') {
        ck_assert_int_eq(status, expected_status(from, act));
        ck_assert_int_eq(error.status, status);
        ck_assert_int_eq(state, from);
        ck_assert_mem_eq(&facts, &before, sizeof facts);
        return;
    }
    ck_assert_msg(status == MICA_OK, "%s: %s", mica_app_act_name(act),
                  error.message);
    ck_assert_int_eq(state, next);
    ck_assert(mica_states_allow(&mica_app_states, from, next));
    ck_assert_ptr_null(mica_app_broken(state, &facts));
    ck_assert_int_eq(facts.updated_at, 5000);
    if (next != MICA_APP_DELETED)
        ck_assert_int_eq(mica_app_state_of(&facts), next);
}

START_TEST(each_act_in_each_state_is_allowed_or_refused)
{
    ck_assert_uint_eq(MICA_COUNT(expected), MICA_APP_ACTS);
    for (size_t i = 0; i < MICA_COUNT(expected); i++) {
        ck_assert_uint_eq(strlen(expected[i].next), MICA_APP_STATES);
        for (unsigned from = 0; from < MICA_APP_STATES; from++)
            check_act((enum mica_app_state)from, expected[i].act,
                      expected[i].next[from]);
    }
    ck_assert_int_eq(mica_app_next(MICA_APP_STATES, MICA_APP_EDIT),
                     MICA_APP_STATES);
    ck_assert_int_eq(mica_app_next(MICA_APP_DRAFT, MICA_APP_ACTS),
                     MICA_APP_STATES);
}
END_TEST

// The table has the moves that acts make, and no other.
START_TEST(the_table_of_moves_is_what_acts_make)
{
    for (unsigned from = 0; from < MICA_APP_STATES; from++) {
        for (unsigned to = 0; to < MICA_APP_STATES; to++) {
            bool made = false;
            for (unsigned act = 0; act < MICA_APP_ACTS; act++)
                made |= mica_app_next((enum mica_app_state)from,
                                      (enum mica_app_act)act) == to;
            ck_assert_msg(made == mica_states_allow(&mica_app_states, from, to),
                          "%s -> %s", mica_states_name(&mica_app_states, from),
                          mica_states_name(&mica_app_states, to));
        }
    }
}
END_TEST

START_TEST(refusals_say_why)
{
    ck_assert_int_eq(
        mica_app_act_allowed(MICA_APP_DRAFT, MICA_APP_UNPUBLISH, &error),
        MICA_E_APP_STATE);
    ck_assert_str_eq(error.message,
                     "the app is not published; you cannot unpublish it");
    ck_assert_int_eq(
        mica_app_act_allowed(MICA_APP_PUBLISHED, MICA_APP_PUBLISH, &error),
        MICA_E_APP_STATE);
    ck_assert_str_eq(error.message,
                     "the app is already published; you cannot publish it");
    ck_assert_int_eq(
        mica_app_act_allowed(MICA_APP_DRAFT, MICA_APP_ROLLBACK, &error),
        MICA_E_APP_STATE);
    ck_assert_ptr_nonnull(strstr(error.message, "never published"));
    ck_assert_int_eq(
        mica_app_act_allowed(MICA_APP_DELETED, MICA_APP_EDIT, &error),
        MICA_E_APP);
    ck_assert_int_eq(mica_app_publish_act(MICA_APP_PUBLISHED),
                     MICA_APP_REPUBLISH);
    ck_assert_int_eq(mica_app_publish_act(MICA_APP_UNPUBLISHED),
                     MICA_APP_PUBLISH);
}
END_TEST

START_TEST(a_rollback_needs_a_version_that_was)
{
    static const int64_t none[] = {-1, 0, 4, INT64_MAX, INT64_MIN};
    struct mica_app_facts facts = facts_in(MICA_APP_PUBLISHED);
    enum mica_app_state state = MICA_APP_PUBLISHED;

    for (size_t i = 0; i < MICA_COUNT(none); i++) {
        struct mica_app_change change = {.now = 9000, .version = none[i]};
        ck_assert_int_eq(
            mica_app_apply(&state, &facts, MICA_APP_ROLLBACK, &change, &error),
            MICA_E_NOT_FOUND);
        ck_assert_int_eq(facts.publish_version, 3);
        ck_assert_int_eq(facts.updated_at, 2000);
    }
}
END_TEST

START_TEST(each_broken_fact_is_told)
{
#define BROKEN(state_, change_, number_)                                \
    do {                                                                \
        struct mica_app_facts facts = facts_in(MICA_APP_##state_);      \
        const char *brokenz;                                            \
        ck_assert_ptr_null(mica_app_broken(MICA_APP_##state_, &facts)); \
        facts.change_;                                                  \
        brokenz = mica_app_broken(MICA_APP_##state_, &facts);           \
        ck_assert_ptr_nonnull(brokenz);                                 \
        ck_assert_mem_eq(brokenz, "APP-" number_, 5);                   \
    } while (0)

    BROKEN(DRAFT, id.len = 0, "1");
    BROKEN(DRAFT, owner.len = 0, "1");
    BROKEN(DRAFT, slug.len = 0, "1");
    BROKEN(DRAFT, slug = MICA_LITERAL("a--b"), "1");
    BROKEN(PUBLISHED, revision = 0, "2");
    BROKEN(DRAFT, publish_version = 1, "3");
    BROKEN(PUBLISHED, publish_version = 0, "3");
    BROKEN(UNPUBLISHED, publish_version = -1, "3");
    BROKEN(DRAFT, published_at = 7000, "4");
    BROKEN(UNPUBLISHED, published_at = 0, "4");
    BROKEN(UNPUBLISHED, published_at = 999, "4");
    BROKEN(PUBLISHED, published = false, "5");
    BROKEN(UNPUBLISHED, published = true, "5");
    BROKEN(NONE, published = true, "5");
    BROKEN(UNPUBLISHED, updated_at = 999, "6");
#undef BROKEN
}
END_TEST

// ---- Random sequences ------------------------------------------------------------

static uint64_t seed;

static unsigned
draw(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

// The model knows no table: it keeps what an owner could say about the app, and the texts
// of all versions.
struct model {
    bool exists, deleted, live;
    int acts, versions;
    int draft;             // which text the draft has
    int frozen[STEPS + 1]; // which text a version has
    const char *owner;
};

static bool
model_allows(const struct model *model, enum mica_app_act act, int version)
{
    if (act == MICA_APP_CREATE)
        return !model->exists && !model->deleted;
    if (!model->exists)
        return false;
    switch (act) {
    case MICA_APP_PUBLISH:
        return !model->live;
    case MICA_APP_REPUBLISH:
    case MICA_APP_UNPUBLISH:
        return model->live;
    case MICA_APP_ROLLBACK:
        return version >= 1 && version <= model->versions;
    case MICA_APP_CREATE:
    case MICA_APP_EDIT:
    case MICA_APP_HAND_OVER:
    case MICA_APP_DELETE:
    case MICA_APP_ACTS:
        break;
    }
    return true;
}

static void
model_do(struct model *model, enum mica_app_act act, int version, int text,
         const char *owner)
{
    switch (act) {
    case MICA_APP_CREATE:
        *model = (struct model){.exists = true, .draft = text, .owner = owner};
        break;
    case MICA_APP_EDIT:
        model->draft = text;
        break;
    case MICA_APP_PUBLISH:
    case MICA_APP_REPUBLISH:
        model->frozen[++model->versions] = model->draft;
        model->live = true;
        break;
    case MICA_APP_ROLLBACK:
        model->versions++;
        model->frozen[model->versions] = model->frozen[version];
        model->live = true;
        break;
    case MICA_APP_UNPUBLISH:
        model->live = false;
        break;
    case MICA_APP_HAND_OVER:
        model->owner = owner;
        break;
    case MICA_APP_DELETE:
        model->exists = false;
        model->live = false;
        model->deleted = true;
        break;
    case MICA_APP_ACTS:
        break;
    }
    model->acts++;
}

static void
compare_with_model(const struct model *model, enum mica_app_state state,
                   const struct mica_app_facts *facts)
{
    ck_assert_ptr_null(mica_app_broken(state, facts));
    ck_assert_int_eq(state == MICA_APP_DELETED, model->deleted);
    ck_assert_int_eq(state == MICA_APP_PUBLISHED, model->live);
    if (!model->exists)
        return;
    ck_assert_int_eq(facts->published, model->live);
    ck_assert_int_eq(facts->revision, model->acts);
    ck_assert_int_eq(facts->publish_version, model->versions);
    ck_assert_int_eq(state == MICA_APP_DRAFT, model->versions == 0);
    ck_assert_int_eq(state == MICA_APP_UNPUBLISHED,
                     model->versions > 0 && !model->live);
    ck_assert_str_eq(facts->owner.ptr, model->owner);
    ck_assert_str_eq(facts->slug.ptr, "my-bot"); // the address never changes
}

static void
run_sequence(unsigned *done, unsigned *refused)
{
    static const char *const owners[] = {"alice", "bob", "carol"};
    enum mica_app_state state = MICA_APP_NONE;
    struct mica_app_facts facts = {0};
    struct model model = {0};

    for (int step = 0; step < STEPS; step++) {
        // Deleting ends the story, so it is rare.
        enum mica_app_act act = (enum mica_app_act)draw(
            draw(20) == 0 ? MICA_APP_ACTS : MICA_APP_DELETE);
        const char *owner = owners[draw(MICA_COUNT(owners))];
        int version = (int)draw(8) - 1;
        struct mica_app_change change = {
            .now = 1000 + step * 10 - (int)draw(30), // clocks go back, too
            .id = MICA_LITERAL("7f3a9c"),
            .slug = MICA_LITERAL("my-bot"),
            .owner = mica_text(owner),
            .version = version};
        bool allowed = model_allows(&model, act, version);
        enum mica_status status =
            mica_app_apply(&state, &facts, act, &change, &error);
        ck_assert_int_eq(status == MICA_OK, allowed);
        (*(allowed ? done : refused))++;
        if (allowed)
            model_do(&model, act, version, step, owner);
        compare_with_model(&model, state, &facts);
    }
}

START_TEST(random_sequences_do_what_the_model_does)
{
    unsigned done = 0, refused = 0;

    for (unsigned i = 0; i < SEQUENCES; i++) {
        seed = i;
        run_sequence(&done, &refused);
    }
    ck_assert_uint_gt(done, SEQUENCES * STEPS / 5);
    ck_assert_uint_gt(refused, SEQUENCES * STEPS / 5);
}
END_TEST

UNIT_MAIN("app_lifecycle", each_act_in_each_state_is_allowed_or_refused,
          the_table_of_moves_is_what_acts_make, refusals_say_why,
          a_rollback_needs_a_version_that_was, each_broken_fact_is_told,
          random_sequences_do_what_the_model_does)
