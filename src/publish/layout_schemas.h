// SPDX-License-Identifier: Apache-2.0
//
// The schemas of layouts, compiled for the apps that make their data in calls. Each is
// compiled when the first such app is loaded, and all apps of the layout share it.
// Internal to this folder.
#ifndef MICA_PUBLISH_LAYOUT_SCHEMAS_H
#define MICA_PUBLISH_LAYOUT_SCHEMAS_H

#include <pthread.h>

#include <mica/schema.h>

#include "apps/layout.h"

struct mica_layout_schemas {
    pthread_mutex_t lock; // guards the members below
    struct mica_arena arena;
    const struct mica_schema *compiled[MICA_LAYOUTS]; // NULL: not yet
};

void mica_layout_schemas_open(struct mica_layout_schemas *schemas);
void mica_layout_schemas_close(struct mica_layout_schemas *schemas);

// The schema of the layout, which lives until the close. NULL for want of memory. Any
// thread.
const struct mica_schema *
mica_layout_schemas_get(struct mica_layout_schemas *schemas,
                        const struct mica_app_layout_row *layout);

#endif
