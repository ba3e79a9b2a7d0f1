// SPDX-License-Identifier: Apache-2.0
//
// Who may do what with an app. Two questions: which role a person has in the record
// (owner, editor, viewer), and what callers of the published app must bring (its
// visibility). Pure functions over tables; a caller who may not even read an app is told
// that it does not exist.
#ifndef MICA_APPS_APP_ACCESS_H
#define MICA_APPS_APP_ACCESS_H

#include <mica/base.h>

#include "apps/app_lifecycle.h"
#include "apps/app_record.h"

enum mica_app_role {
    MICA_APP_STRANGER,
    MICA_APP_VIEWER,
    MICA_APP_EDITOR,
    MICA_APP_OWNER,
    MICA_APP_ROLES
};

// What a person does with the record of an app, beside the acts of its life.
enum mica_app_use {
    MICA_APP_READ = MICA_APP_ACTS, // record, versions, usage, preview
    MICA_APP_TEST,                 // runs the draft; may cost tokens
    MICA_APP_SHARE,                // changes "roles"
    MICA_APP_EXPOSE,               // changes "visibility", "scope", "budget"
    MICA_APP_USES
};

// The role of the person `subject` ("" of an unknown one) in an app of `owner`.
enum mica_app_role mica_app_role_of(const struct mica_app_draft *draft,
                                    struct mica_text owner,
                                    struct mica_text subject);

// "owner" …; static.
const char *mica_app_role_name(enum mica_app_role role);

// May the role do that? `act` is an enum mica_app_act or an enum mica_app_use. CREATE is
// allowed to every role: it has no app yet.
bool mica_app_may(enum mica_app_role role, unsigned act);

// MICA_OK; MICA_E_APP if the role may not even read the app, so that its answer is that of
// an app that does not exist; MICA_E_ROLE if it may read, with the role that it takes.
enum mica_status mica_app_may_act(enum mica_app_role role, unsigned act,
                                  struct mica_error *error) MICA_MUST_USE;

// As above for an edit: what differs between the two drafts decides whether it takes
// MICA_APP_EDIT, SHARE or EXPOSE.
enum mica_status mica_app_may_edit(enum mica_app_role role,
                                   const struct mica_app_draft *before,
                                   const struct mica_app_draft *after,
                                   struct mica_error *error) MICA_MUST_USE;

// Who calls a published app. `scopes` are words with spaces between them.
struct mica_app_caller {
    bool has_token; // a valid one, for this server
    struct mica_text scopes;
};

// MICA_OK if the caller may call the app; MICA_E_UNAUTHORIZED (there is no token);
// MICA_E_SCOPE (its token has not the scope of the app).
enum mica_status mica_app_may_call(enum mica_app_visibility visibility,
                                   struct mica_text scope,
                                   const struct mica_app_caller *caller,
                                   struct mica_error *error) MICA_MUST_USE;

// What callers of an app must bring. `scope` counts with MICA_APP_SCOPE alone.
struct mica_app_exposure {
    enum mica_app_visibility visibility;
    struct mica_text scope;
};

// Does mica_app_may_call say MICA_OK?
bool mica_app_admits(const struct mica_app_exposure *exposure,
                     const struct mica_app_caller *caller);

// Makes what callers of several apps must bring for one of them, app by app; `first` for the
// first one. Of apps with different scopes none is demanded of everyone: the scope is then
// empty, which no caller has.
void mica_app_exposure_widen(struct mica_app_exposure *widest, bool first,
                             const struct mica_app_exposure *one);

// May `now` refuse a caller whom `before` admits?
bool mica_app_narrows(const struct mica_app_exposure *before,
                      const struct mica_app_exposure *now);

#endif
