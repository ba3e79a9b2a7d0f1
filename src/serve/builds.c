// SPDX-License-Identifier: Apache-2.0
//
// Checks each time whether the server offers a build now, as the registry is in memory; caches
// the other results.
#include "serve/builds.h"

#include <stdlib.h>

enum {
    REMEMBERED = 1024,
    HERE_MS = 60000,
    MISSING_MS =
        4000 // a missing build may be built, or put back, at any moment
};

// A cached result. The number of a build is its index; another build may overwrite it.
struct outcome {
    int64_t number, until;
    bool here;
};

struct mica_builds {
    struct mica_server *server; // or NULL
    // The last build of the previous read; 0: the next begins with the first.
    int64_t last;
    bool whole; // the previous read had all builds
    struct outcome outcomes[REMEMBERED];
};

enum mica_status
mica_builds_open(struct mica_server *server, struct mica_error *error,
                 struct mica_builds **builds_out)
{
    struct mica_builds *builds = calloc(1, sizeof *builds);

    if (builds == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for calls");
    builds->server = server;
    *builds_out = builds;
    return MICA_OK;
}

void
mica_builds_close(struct mica_builds **builds)
{
    free(*builds);
    *builds = NULL;
}

bool
mica_builds_has(const struct mica_builds *builds,
                const struct mica_kept_call *call, bool offered_only)
{
    const struct mica_call_build build = {
        .endpoint = call->owner.endpoint,
        .kind = (enum mica_definition_kind)call->kind,
        .target = call->target,
        .version = call->version};

    return builds->server == NULL ||
           mica_registry_runs(&builds->server->registry, &build, offered_only);
}

bool
mica_builds_were_whole(const struct mica_builds *builds)
{
    return builds->whole;
}

static bool
is_here(struct mica_builds *builds, const struct mica_store_build *build,
        int64_t now)
{
    struct outcome *outcome =
        &builds->outcomes[(uint64_t)build->number % REMEMBERED];
    const struct mica_kept_call call = {
        .owner = {.endpoint = build->endpoint},
        .kind = (enum mica_definition_kind)build->kind,
        .target = build->target,
        .version = build->version};

    if (mica_builds_has(builds, &call, true))
        return true;
    if (outcome->number == build->number && now < outcome->until)
        return outcome->here;
    outcome->number = build->number;
    outcome->here = mica_builds_has(builds, &call, false);
    outcome->until = now + (outcome->here ? HERE_MS : MISSING_MS);
    return outcome->here;
}

enum mica_status
mica_builds_sort(struct mica_builds *builds, struct mica_store *store,
                 int64_t now, struct mica_arena *arena,
                 struct mica_error *error,
                 struct mica_store_build_set *here_out,
                 struct mica_store_build_set *others_out)
{
    struct mica_store_builds found;
    int64_t *here, *others;
    size_t here_count = 0, other_count = 0;

    MICA_TRY(mica_store_call_builds_after(store, builds->last, arena, error,
                                          &found));
    builds->whole = builds->last == 0 && !found.more;
    builds->last = found.more ? found.items[found.count - 1].number : 0;
    here = mica_arena_zero(arena, found.count, sizeof *here);
    others = mica_arena_zero(arena, found.count, sizeof *others);
    if (here == NULL || others == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for calls");
    for (size_t i = 0; i < found.count; i++) {
        if (is_here(builds, &found.items[i], now))
            here[here_count++] = found.items[i].number;
        else
            others[other_count++] = found.items[i].number;
    }
    *here_out = (struct mica_store_build_set){here, here_count};
    *others_out = (struct mica_store_build_set){others, other_count};
    return MICA_OK;
}
