// SPDX-License-Identifier: Apache-2.0
//
// The life of an app: its states, the acts of its owner, and one table of which act is
// allowed in which state (app_lifecycle.c draws it). The store keeps the facts, the
// adapters ask here before they change them.
#ifndef MICA_APPS_APP_LIFECYCLE_H
#define MICA_APPS_APP_LIFECYCLE_H

#include <mica/base.h>

#include "apps/app_record.h"
#include "base/states.h"

// The status "draft" of the record is two states: an app that was never published, and
// one that was withdrawn.
enum mica_app_state {
    MICA_APP_NONE, // there is no app: before it is created
    MICA_APP_DRAFT,
    MICA_APP_PUBLISHED,
    MICA_APP_UNPUBLISHED,
    MICA_APP_DELETED, // its slug stays taken
    MICA_APP_STATES
};

enum mica_app_act {
    MICA_APP_CREATE,
    MICA_APP_EDIT,      // the draft
    MICA_APP_PUBLISH,   // the draft becomes a version; the address answers
    MICA_APP_REPUBLISH, // the same, where a version is published
    MICA_APP_UNPUBLISH, // the address answers 404; versions stay
    MICA_APP_ROLLBACK,  // an old version becomes a new one; the draft stays
    MICA_APP_HAND_OVER, // to another owner
    MICA_APP_DELETE,
    MICA_APP_ACTS
};

// The moves between states, for mica_states_check.
extern const struct mica_states mica_app_states;

// "create", "hand over" …; static.
const char *mica_app_act_name(enum mica_app_act act);

// The state that the act leads to; MICA_APP_STATES: the table does not allow it.
enum mica_app_state mica_app_next(enum mica_app_state state,
                                  enum mica_app_act act);

// The state that the facts of a stored app tell.
enum mica_app_state mica_app_state_of(const struct mica_app_facts *facts);

// PUBLISH or REPUBLISH: what publishing means for an app in that state.
enum mica_app_act mica_app_publish_act(enum mica_app_state state);

// MICA_OK, or why the act is not allowed in that state: MICA_E_APP for an app that does
// not exist, MICA_E_EXISTS for one that is created twice, MICA_E_APP_STATE for the rest
// ("the app is not published, so it cannot be unpublished").
enum mica_status mica_app_act_allowed(enum mica_app_state state,
                                      enum mica_app_act act,
                                      struct mica_error *error) MICA_MUST_USE;

// What an act brings along. Members that the act does not use are ignored.
struct mica_app_change {
    int64_t now;            // milliseconds since 1970
    struct mica_text id;    // CREATE
    struct mica_text slug;  // CREATE
    struct mica_text owner; // CREATE, HAND_OVER
    int64_t version;        // ROLLBACK: to this one
};

// Applies an act to the facts of an app in `*state`: moves the state, raises the revision by 1,
// publish_version with each version, and sets the times. Nothing changes unless it returns MICA_OK. CREATE
// starts from zeroed facts.
// Errors: as mica_app_act_allowed; MICA_E_NOT_FOUND, ROLLBACK to a version that never was.
enum mica_status mica_app_apply(enum mica_app_state *state,
                                struct mica_app_facts *facts,
                                enum mica_app_act act,
                                const struct mica_app_change *change,
                                struct mica_error *error) MICA_MUST_USE;

// NULL, or what the facts say that cannot be in that state (APP-1 to APP-6 in
// app_lifecycle.c): the invariant of a stored app.
const char *mica_app_broken(enum mica_app_state state,
                            const struct mica_app_facts *facts);

#endif
