// SPDX-License-Identifier: Apache-2.0
//
// policy DECLARED ORIGIN…: prints the policy that mica builds for what a view declares as
// JSON ("" where it declares nothing), in a host of these origins. Exit status 1: it was
// refused, and why is printed.
#include <stdio.h>
#include <string.h>

#include "view/csp.h"

enum {
    MEMORY_BYTES = 1 << 20,
    MOST_ORIGINS = 8
};

static enum mica_status
print_policy(struct mica_arena *arena, const char *declared,
             const struct mica_csp_host *host, struct mica_error *error)
{
    struct mica_csp csp = {0};
    struct mica_buffer policy;

    if (declared[0] != '\0')
        MICA_TRY(mica_csp_read(arena, mica_text(declared), error, &csp));
    mica_buffer_init(&policy, arena, MICA_CSP_BYTES);
    MICA_TRY(mica_csp_write(&csp, host, &policy, error));
    printf("%.*s", (int)policy.len, policy.ptr);
    return MICA_OK;
}

int
main(int argc, char **argv)
{
    struct mica_text origins[MOST_ORIGINS];
    struct mica_csp_host host = {.origins = origins, .development = true};
    struct mica_error error = {.status = MICA_OK};
    struct mica_arena arena;

    for (int i = 2; i < argc && host.origin_count < MOST_ORIGINS; i++)
        origins[host.origin_count++] = mica_text(argv[i]);
    mica_arena_init(&arena, MEMORY_BYTES);
    if (print_policy(&arena, argc > 1 ? argv[1] : "", &host, &error) != MICA_OK)
        printf("%s: %s", error.code, error.message);
    mica_arena_fini(&arena);
    return error.status == MICA_OK ? 0 : 1;
}
