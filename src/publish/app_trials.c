// SPDX-License-Identifier: Apache-2.0
//
// See app_trials.h.
#include "publish/app_trials.h"

#include <stdlib.h>

#include "server/server.h"

enum {
    SCHEMA_BYTES = 256 << 10 // of the compiled input schema
};

struct mica_app_trials {
    struct mica_app_common common;
    struct mica_layout_schemas schemas;
    struct mica_arena arena; // of the compiled schema
};

enum mica_status
mica_app_trials_open(struct mica_server *server, struct mica_error *error,
                     struct mica_app_trials **trials_out)
{
    struct mica_app_trials *trials = calloc(1, sizeof *trials);
    struct mica_app_usages *usages = NULL;
    struct mica_schema *input = NULL;
    enum mica_status status;

    if (trials == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_arena_init(&trials->arena, SCHEMA_BYTES);
    mica_layout_schemas_open(&trials->schemas);
    status = mica_app_usages_open(error, &usages);
    if (status == MICA_OK)
        status = mica_schema_compile(&trials->arena,
                                     mica_text(mica_app_input_schema), NULL,
                                     error, &input);
    trials->common = (struct mica_app_common){.registry = &server->registry,
                                              .server = server,
                                              .input = input,
                                              .schemas = &trials->schemas,
                                              .usages = usages};
    *trials_out = trials;
    if (status != MICA_OK)
        mica_app_trials_close(trials_out, NULL);
    return status;
}

void
mica_app_trials_close(struct mica_app_trials **trials, struct mica_store *store)
{
    struct mica_app_trials *closed = *trials;

    if (closed == NULL)
        return;
    while (store != NULL && mica_app_usages_flush(closed->common.usages, store))
        ;
    mica_app_usages_close(closed->common.usages);
    mica_layout_schemas_close(&closed->schemas);
    mica_arena_fini(&closed->arena);
    free(closed);
    *trials = NULL;
}

enum mica_status
mica_app_trials_tests(void *data, struct mica_error *error,
                      const struct mica_app_common **common_out)
{
    struct mica_app_trials *trials = data;

    (void)error;
    *common_out = &trials->common;
    return MICA_OK;
}
