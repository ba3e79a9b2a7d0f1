// SPDX-License-Identifier: Apache-2.0
//
// What differs between two drafts or versions of an app: a list of JSON Pointers with the
// values before and after. For people who look at a history, so an array, and an object
// with many members, is one change.
#ifndef MICA_APPS_APP_DIFFERENCE_H
#define MICA_APPS_APP_DIFFERENCE_H

#include <mica/json.h>

enum {
    MICA_APP_DIFFERENCE_MEMBERS =
        256 // of an object that is compared by its members
};

// Writes an array of {"path", "before", "after"}, in the order of `before` and then of what
// `after` has in addition. A value that was added has no "before", one that was removed no
// "after". Equal values (numbers by value, objects in any order) are left out.
void mica_app_difference_write(struct mica_json_writer *writer,
                               const struct mica_json *before,
                               const struct mica_json *after);

#endif
