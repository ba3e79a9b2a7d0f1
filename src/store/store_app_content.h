// SPDX-License-Identifier: Apache-2.0
//
// What an edit writes, as the parts of one transaction: the act, and a part for each person.
#ifndef MICA_STORE_STORE_APP_CONTENT_H
#define MICA_STORE_STORE_APP_CONTENT_H

#include "store/store_app_steps.h"

struct mica_app_content_parts {
    union mica_store_value values[MICA_APP_MOST_VALUES]; // of the act
    union mica_store_value people[MICA_STORE_APP_PEOPLE][3];
    struct mica_store_part parts[1 + MICA_STORE_APP_PEOPLE];
    size_t count;
};

enum mica_status
mica_app_content_check(const struct mica_store_app_content *content,
                       struct mica_error *error) MICA_MUST_USE;

// Checks the name of an owner.
enum mica_status mica_app_owner(struct mica_text owner,
                                struct mica_error *error) MICA_MUST_USE;

// Makes the parts; the caller has filled in `values`. The content must have been checked, and
// lives as long as the parts.
void mica_app_content_parts(const struct mica_store_operation *act,
                            const struct mica_store_app_content *content,
                            struct mica_app_content_parts *parts);

#endif
