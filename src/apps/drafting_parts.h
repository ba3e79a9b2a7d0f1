// SPDX-License-Identifier: Apache-2.0
//
// What the files about drafting (app_drafting.h) share.
#ifndef MICA_APPS_DRAFTING_PARTS_H
#define MICA_APPS_DRAFTING_PARTS_H

#include "apps/app_drafting.h"

// Sets the layout, and its own mock data. Errors: MICA_E_LIMIT.
enum mica_status mica_drafting_set_layout(
    struct mica_app_draft *draft, const struct mica_app_layout_row *layout,
    struct mica_arena *arena, struct mica_error *error) MICA_MUST_USE;

// Makes tool name and tool description by rule, those that are by rule. Errors:
// MICA_E_LIMIT.
enum mica_status mica_drafting_propose(struct mica_app_drafting *drafting,
                                       struct mica_arena *arena,
                                       struct mica_error *error) MICA_MUST_USE;

// Has the text no control character?
bool mica_drafting_is_clean(struct mica_text text);

#endif
