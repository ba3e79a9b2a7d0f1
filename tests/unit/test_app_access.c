// SPDX-License-Identifier: Apache-2.0
//
// Who may do what with an app: every role with every act, edits by what they change, and
// every kind of caller with every visibility.
#include "apps/app_access.h"

#include <string.h>

#include "unit.h"

static struct mica_error error;

static const struct mica_text editors[] = {{"erin", 4}, {"ed", 2}},
                              viewers[] = {{"vic", 3}, {"ed", 2}};

static struct mica_app_draft
draft_with_people(void)
{
    return (struct mica_app_draft){.editors = {editors, 2},
                                   .viewers = {viewers, 2}};
}

static enum mica_app_role
role_of(const char *subject)
{
    struct mica_app_draft draft = draft_with_people();

    return mica_app_role_of(&draft, MICA_LITERAL("olga"), mica_text(subject));
}

START_TEST(the_record_gives_each_person_the_highest_role)
{
    ck_assert_int_eq(role_of("olga"), MICA_APP_OWNER);
    ck_assert_int_eq(role_of("erin"), MICA_APP_EDITOR);
    ck_assert_int_eq(role_of("ed"), MICA_APP_EDITOR);
    ck_assert_int_eq(role_of("vic"), MICA_APP_VIEWER);
    ck_assert_int_eq(role_of("mallory"), MICA_APP_STRANGER);
    ck_assert_int_eq(role_of("Olga"), MICA_APP_STRANGER);
    ck_assert_int_eq(role_of("olga "), MICA_APP_STRANGER);
    ck_assert_int_eq(role_of(""), MICA_APP_STRANGER);
    // A record without an owner belongs to no unknown person.
    struct mica_app_draft draft = draft_with_people();
    ck_assert_int_eq(
        mica_app_role_of(&draft, (struct mica_text){0}, (struct mica_text){0}),
        MICA_APP_STRANGER);
}
END_TEST

START_TEST(each_role_may_do_its_acts_and_no_other)
{
    // Stranger, viewer, editor, owner.
    static const struct {
        unsigned act;
        const char *may;
    } rows[] = {{MICA_APP_CREATE, "yyyy"},    {MICA_APP_EDIT, "..yy"},
                {MICA_APP_PUBLISH, "..yy"},   {MICA_APP_REPUBLISH, "..yy"},
                {MICA_APP_UNPUBLISH, "..yy"}, {MICA_APP_ROLLBACK, "..yy"},
                {MICA_APP_HAND_OVER, "...y"}, {MICA_APP_DELETE, "...y"},
                {MICA_APP_READ, ".yyy"},      {MICA_APP_TEST, "..yy"},
                {MICA_APP_SHARE, "...y"},     {MICA_APP_EXPOSE, "...y"}};

    ck_assert_uint_eq(MICA_COUNT(rows), MICA_APP_USES);
    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        for (unsigned r = 0; r < MICA_APP_ROLES; r++) {
            enum mica_app_role role = (enum mica_app_role)r;
            bool may = rows[i].may[r] == 'y';
            ck_assert_msg(mica_app_may(role, rows[i].act) == may, "%u by %s",
                          rows[i].act, mica_app_role_name(role));
            // A stranger learns nothing; the others learn which role it takes.
            ck_assert_int_eq(mica_app_may_act(role, rows[i].act, &error),
                             may                         ? MICA_OK
                             : role == MICA_APP_STRANGER ? MICA_E_APP
                                                         : MICA_E_ROLE);
        }
    }
    ck_assert(!mica_app_may(MICA_APP_OWNER, MICA_APP_USES));
    ck_assert(!mica_app_may(MICA_APP_ROLES, MICA_APP_READ));
    ck_assert_int_eq(mica_app_may_act(MICA_APP_OWNER, MICA_APP_USES, &error),
                     MICA_E_APP);
}
END_TEST

START_TEST(a_stranger_reads_the_answer_for_no_app)
{
    struct mica_error absent;

    ck_assert_int_eq(
        mica_app_act_allowed(MICA_APP_NONE, MICA_APP_EDIT, &absent),
        MICA_E_APP);
    ck_assert_int_eq(mica_app_may_act(MICA_APP_STRANGER, MICA_APP_EDIT, &error),
                     MICA_E_APP);
    ck_assert_str_eq(error.message, absent.message);
    ck_assert_str_eq(error.code, absent.code);
    ck_assert_str_eq(error.path, absent.path);
}
END_TEST

START_TEST(an_editor_changes_neither_people_nor_exposure)
{
    struct mica_app_draft before = draft_with_people(), after = before;
#define EDIT(change, by_editor)                                            \
    do {                                                                   \
        after = before;                                                    \
        after.change;                                                      \
        ck_assert_int_eq(                                                  \
            mica_app_may_edit(MICA_APP_EDITOR, &before, &after, &error),   \
            by_editor);                                                    \
        ck_assert_int_eq(                                                  \
            mica_app_may_edit(MICA_APP_OWNER, &before, &after, &error),    \
            MICA_OK);                                                      \
        ck_assert_int_eq(                                                  \
            mica_app_may_edit(MICA_APP_VIEWER, &before, &after, &error),   \
            MICA_E_ROLE);                                                  \
        ck_assert_int_eq(                                                  \
            mica_app_may_edit(MICA_APP_STRANGER, &before, &after, &error), \
            MICA_E_APP);                                                   \
    } while (0)

    EDIT(name = MICA_LITERAL("New"), MICA_OK);
    EDIT(behavior.type = MICA_APP_PROMPT, MICA_OK);
    EDIT(editors.count = 1, MICA_E_ROLE);
    EDIT(viewers.count = 0, MICA_E_ROLE);
    EDIT(viewers.names = editors, MICA_E_ROLE);
    EDIT(visibility = MICA_APP_TOKEN, MICA_E_ROLE);
    EDIT(scope = MICA_LITERAL("x"), MICA_E_ROLE);
    EDIT(has_budget = true, MICA_E_ROLE);
    EDIT(budget.calls_per_day = 1, MICA_E_ROLE);
    EDIT(budget.tokens_per_day = 1, MICA_E_ROLE);
    EDIT(budget.seconds = 1, MICA_E_ROLE);
    EDIT(budget.concurrent = 1, MICA_E_ROLE);
#undef EDIT
}
END_TEST

static enum mica_status
call_status(enum mica_app_visibility visibility, const char *scope, bool token,
            const char *scopes)
{
    struct mica_app_caller caller = {token, mica_text(scopes)};

    return mica_app_may_call(visibility, mica_text(scope), &caller, &error);
}

START_TEST(visibility_decides_who_may_call)
{
    ck_assert_int_eq(call_status(MICA_APP_PUBLIC, "", false, ""), MICA_OK);
    ck_assert_int_eq(call_status(MICA_APP_PUBLIC, "", true, "a"), MICA_OK);
    ck_assert_int_eq(call_status(MICA_APP_TOKEN, "", false, ""),
                     MICA_E_UNAUTHORIZED);
    ck_assert_int_eq(call_status(MICA_APP_TOKEN, "", true, ""), MICA_OK);
    ck_assert_int_eq(call_status(MICA_APP_SCOPE, "orders", false, "orders"),
                     MICA_E_UNAUTHORIZED);
    ck_assert_int_eq(call_status(MICA_APP_SCOPE, "orders", true, "a orders b"),
                     MICA_OK);
    ck_assert_int_eq(call_status(MICA_APP_SCOPE, "orders", true, "orders:read"),
                     MICA_E_SCOPE);
    ck_assert_int_eq(call_status(MICA_APP_SCOPE, "orders", true, ""),
                     MICA_E_SCOPE);
    // No scope and a visibility that does not exist are closed, not open.
    ck_assert_int_eq(call_status(MICA_APP_SCOPE, "", true, ""), MICA_E_SCOPE);
    ck_assert_int_eq(call_status(MICA_APP_VISIBILITIES, "", true, "a"),
                     MICA_E_SCOPE);
}
END_TEST

// For each pair of demands: it narrows if, and only if, it refuses a caller who could call.
START_TEST(what_narrows_refuses_a_caller)
{
    const struct mica_app_exposure all[] = {
        {MICA_APP_PUBLIC, {NULL, 0}},
        {MICA_APP_TOKEN, {NULL, 0}},
        {MICA_APP_SCOPE, MICA_LITERAL("orders")},
        {MICA_APP_SCOPE, MICA_LITERAL("admin")}};
    const struct mica_app_caller callers[] = {
        {false, {NULL, 0}},
        {true, {NULL, 0}},
        {true, MICA_LITERAL("orders")},
        {true, MICA_LITERAL("other admin")},
        {true, MICA_LITERAL("orders admin")}};

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        for (size_t j = 0; j < MICA_COUNT(all); j++) {
            bool refuses = false;
            for (size_t k = 0; k < MICA_COUNT(callers); k++)
                refuses = refuses || (mica_app_admits(&all[i], &callers[k]) &&
                                      !mica_app_admits(&all[j], &callers[k]));
            ck_assert_int_eq(mica_app_narrows(&all[i], &all[j]), refuses);
        }
    }
}
END_TEST

UNIT_MAIN("app_access", the_record_gives_each_person_the_highest_role,
          each_role_may_do_its_acts_and_no_other,
          a_stranger_reads_the_answer_for_no_app,
          an_editor_changes_neither_people_nor_exposure,
          visibility_decides_who_may_call, what_narrows_refuses_a_caller)
