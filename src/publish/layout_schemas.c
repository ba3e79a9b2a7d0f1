// SPDX-License-Identifier: Apache-2.0
//
// Compiles each schema once, at its first use.
#include "publish/layout_schemas.h"

enum {
    SCHEMA_BYTES = 4 << 20 // of all of them, compiled
};

void
mica_layout_schemas_open(struct mica_layout_schemas *schemas)
{
    pthread_mutex_init(&schemas->lock, NULL);
    mica_arena_init(&schemas->arena, SCHEMA_BYTES);
}

void
mica_layout_schemas_close(struct mica_layout_schemas *schemas)
{
    mica_arena_fini(&schemas->arena);
    pthread_mutex_destroy(&schemas->lock);
}

const struct mica_schema *
mica_layout_schemas_get(struct mica_layout_schemas *schemas,
                        const struct mica_app_layout_row *layout)
{
    const struct mica_schema **compiled = &schemas->compiled[layout->layout];
    struct mica_schema *now;
    struct mica_error error;

    pthread_mutex_lock(&schemas->lock);
    if (*compiled == NULL &&
        mica_schema_compile(&schemas->arena, layout->schema, NULL, &error,
                            &now) == MICA_OK)
        *compiled = now;
    pthread_mutex_unlock(&schemas->lock);
    return *compiled;
}
