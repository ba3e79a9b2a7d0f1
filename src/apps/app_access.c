// SPDX-License-Identifier: Apache-2.0
//
// Who may do what, as one table. An editor publishes, too, but decides neither who else
// works on the app nor who may call it, as both outlast the editor's own role.
#include "apps/app_access.h"

#include "apps/app_fields.h"
#include "base/words.h"

// The least role that an act takes.
static const unsigned char least_role[MICA_APP_USES] = {
    [MICA_APP_CREATE] = MICA_APP_STRANGER,
    [MICA_APP_EDIT] = MICA_APP_EDITOR,
    [MICA_APP_PUBLISH] = MICA_APP_EDITOR,
    [MICA_APP_REPUBLISH] = MICA_APP_EDITOR,
    [MICA_APP_UNPUBLISH] = MICA_APP_EDITOR,
    [MICA_APP_ROLLBACK] = MICA_APP_EDITOR,
    [MICA_APP_HAND_OVER] = MICA_APP_OWNER,
    [MICA_APP_DELETE] = MICA_APP_OWNER,
    [MICA_APP_READ] = MICA_APP_VIEWER,
    [MICA_APP_TEST] = MICA_APP_EDITOR,
    [MICA_APP_SHARE] = MICA_APP_OWNER,
    [MICA_APP_EXPOSE] = MICA_APP_OWNER};

static const char *const role_names[] = {[MICA_APP_STRANGER] = "stranger",
                                         [MICA_APP_VIEWER] = "viewer",
                                         [MICA_APP_EDITOR] = "editor",
                                         [MICA_APP_OWNER] = "owner"};

static bool
people_have(const struct mica_app_people *people, struct mica_text subject)
{
    for (size_t i = 0; i < people->count; i++)
        if (mica_text_equal(people->names[i], subject))
            return true;
    return false;
}

enum mica_app_role
mica_app_role_of(const struct mica_app_draft *draft, struct mica_text owner,
                 struct mica_text subject)
{
    if (subject.len == 0)
        return MICA_APP_STRANGER;
    if (mica_text_equal(owner, subject))
        return MICA_APP_OWNER;
    if (people_have(&draft->editors, subject))
        return MICA_APP_EDITOR;
    return people_have(&draft->viewers, subject) ? MICA_APP_VIEWER
                                                 : MICA_APP_STRANGER;
}

const char *
mica_app_role_name(enum mica_app_role role)
{
    return (unsigned)role < MICA_APP_ROLES ? role_names[role] : "?";
}

bool
mica_app_may(enum mica_app_role role, unsigned act)
{
    return act < MICA_APP_USES && (unsigned)role < MICA_APP_ROLES &&
           (unsigned)role >= least_role[act];
}

enum mica_status
mica_app_may_act(enum mica_app_role role, unsigned act,
                 struct mica_error *error)
{
    if (mica_app_may(role, act))
        return MICA_OK;
    if (act >= MICA_APP_USES || !mica_app_may(role, MICA_APP_READ))
        return mica_error_set(error, MICA_E_APP, "", "there is no such app");
    return mica_error_set(
        error, MICA_E_ROLE, "", "this takes the role %s; you are %s",
        least_role[act] == MICA_APP_OWNER ? "owner" : "editor or owner",
        mica_app_role_name(role));
}

// ---- Edits -----------------------------------------------------------------------

static bool
people_equal(const struct mica_app_people *a, const struct mica_app_people *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!mica_text_equal(a->names[i], b->names[i]))
            return false;
    return true;
}

static bool
exposure_equal(const struct mica_app_draft *a, const struct mica_app_draft *b)
{
    return a->visibility == b->visibility &&
           mica_text_equal(a->scope, b->scope) &&
           a->has_budget == b->has_budget &&
           a->budget.calls_per_day == b->budget.calls_per_day &&
           a->budget.tokens_per_day == b->budget.tokens_per_day &&
           a->budget.seconds == b->budget.seconds &&
           a->budget.concurrent == b->budget.concurrent;
}

enum mica_status
mica_app_may_edit(enum mica_app_role role, const struct mica_app_draft *before,
                  const struct mica_app_draft *after, struct mica_error *error)
{
    MICA_TRY(mica_app_may_act(role, MICA_APP_EDIT, error));
    if (!people_equal(&before->editors, &after->editors) ||
        !people_equal(&before->viewers, &after->viewers))
        MICA_TRY(mica_app_may_act(role, MICA_APP_SHARE, error));
    if (!exposure_equal(before, after))
        MICA_TRY(mica_app_may_act(role, MICA_APP_EXPOSE, error));
    return MICA_OK;
}

// ---- Calls -----------------------------------------------------------------------

static bool
words_have(struct mica_text words, struct mica_text wanted)
{
    struct mica_text word;

    while (mica_words_next(&words, &word))
        if (mica_text_equal(word, wanted))
            return true;
    return false;
}

// A scope that is missing from the record is no scope that a token could have.
enum mica_status
mica_app_may_call(enum mica_app_visibility visibility, struct mica_text scope,
                  const struct mica_app_caller *caller,
                  struct mica_error *error)
{
    if (visibility == MICA_APP_PUBLIC)
        return MICA_OK;
    if (!caller->has_token)
        return mica_error_set(error, MICA_E_UNAUTHORIZED, "",
                              "the app needs an access token");
    if (visibility == MICA_APP_TOKEN)
        return MICA_OK;
    if (visibility == MICA_APP_SCOPE && scope.len > 0 &&
        words_have(caller->scopes, scope))
        return MICA_OK;
    return mica_error_set(error, MICA_E_SCOPE, "",
                          "the app needs the scope \"%.*s\"", MICA_ARG(scope));
}

bool
mica_app_admits(const struct mica_app_exposure *exposure,
                const struct mica_app_caller *caller)
{
    struct mica_error ignored;

    return mica_app_may_call(exposure->visibility, exposure->scope, caller,
                             &ignored) == MICA_OK;
}

void
mica_app_exposure_widen(struct mica_app_exposure *widest, bool first,
                        const struct mica_app_exposure *one)
{
    if (first || one->visibility < widest->visibility)
        *widest = *one;
    else if (one->visibility == widest->visibility &&
             !mica_text_equal(one->scope, widest->scope))
        widest->scope = (struct mica_text){NULL, 0};
}

bool
mica_app_narrows(const struct mica_app_exposure *before,
                 const struct mica_app_exposure *now)
{
    if (now->visibility == MICA_APP_PUBLIC)
        return false;
    if (now->visibility == MICA_APP_TOKEN)
        return before->visibility == MICA_APP_PUBLIC;
    return before->visibility != MICA_APP_SCOPE ||
           !mica_text_equal(before->scope, now->scope);
}
