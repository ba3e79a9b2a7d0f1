// SPDX-License-Identifier: Apache-2.0
//
// What pages and the entry of requests are told of a loaded app or collection: what it is, and
// who may use it.
#include "base/prefetch.h"
#include "publish/collection_endpoint.h"
#include "publish/published_apps.h"
#include "registry/catalog.h"

bool
mica_published_app_is(const struct mica_endpoint *endpoint)
{
    return endpoint != NULL && endpoint->source != NULL &&
           endpoint->source->resources == mica_app_resources;
}

static void
app_of_tool(const struct mica_definition *tool,
            struct mica_published_app *app_out)
{
    const struct mica_loaded_version *loaded =
        mica_loaded_version_of_tool(tool);

    *app_out = (struct mica_published_app){.id = loaded->id,
                                           .slug = loaded->slug,
                                           .name = loaded->name,
                                           .description = loaded->description,
                                           .layoutz = loaded->layout->name.ptr,
                                           .tool = tool};
}

void
mica_published_app_of(const struct mica_endpoint *endpoint,
                      struct mica_published_app *app_out)
{
    app_of_tool(endpoint->catalog->lists[MICA_DEFINITION_TOOL].items[0],
                app_out);
}

bool
mica_published_collection_is(const struct mica_endpoint *endpoint)
{
    return endpoint != NULL && endpoint->source != NULL &&
           endpoint->source->resources == mica_collection_resources;
}

void
mica_published_collection_of(const struct mica_endpoint *endpoint,
                             struct mica_published_collection *collection_out)
{
    const struct mica_loaded_collection *loaded =
        mica_loaded_collection_of(endpoint);

    *collection_out = (struct mica_published_collection){
        loaded->slug, loaded->name, loaded->description};
}

void
mica_published_collection_members(
    const struct mica_endpoint *endpoint, const struct mica_app_caller *caller,
    void (*member)(void *data, const struct mica_published_app *app),
    void *data)
{
    const struct mica_definition_list *tools =
        &endpoint->catalog->lists[MICA_DEFINITION_TOOL];
    struct mica_published_app app;

    for (size_t i = 0; i < tools->count; i++) {
        app_of_tool(tools->items[i], &app);
        if (mica_loaded_version_admits(
                mica_loaded_version_of_tool(tools->items[i]), caller))
            member(data, &app);
    }
}

// What the call of an app reads a little later. The registry has asked for what leads there.
static void
app_prefetch(const struct mica_endpoint *endpoint)
{
    const struct mica_loaded_version *loaded = mica_loaded_version_of(endpoint);
    const struct mica_app_plan *plan = &loaded->plan;
    const struct mica_definition *tool =
        endpoint->catalog->lists[MICA_DEFINITION_TOOL].items[0];

    mica_prefetch(tool, sizeof *tool);
    mica_prefetch(loaded + 1, MICA_CACHE_LINE_BYTES); // the name of the tool
    mica_prefetch(plan->meter, (size_t)2 * MICA_CACHE_LINE_BYTES);
    mica_prefetch(plan->data.ptr, plan->data.len);
    mica_prefetch(plan->plain.ptr, plan->plain.len);
}

// A collection is there for callers that may call one of its members, and a token is asked
// for where it may lead to one.
enum mica_status
mica_published_admits(const struct mica_endpoint *endpoint,
                      const struct mica_app_caller *caller)
{
    const struct mica_definition_list *tools =
        &endpoint->catalog->lists[MICA_DEFINITION_TOOL];
    enum mica_status status = MICA_E_APP;

    if (mica_published_app_is(endpoint))
        app_prefetch(endpoint);
    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_loaded_version *loaded =
            mica_loaded_version_of_tool(tools->items[i]);
        if (mica_loaded_version_admits(loaded, caller))
            return MICA_OK;
        if (loaded->visibility == MICA_APP_TOKEN)
            status = MICA_E_UNAUTHORIZED;
    }
    return status;
}

// With an empty scope the streams of all end: callers with one of the scopes open one again.
struct mica_app_exposure
mica_published_exposure(const struct mica_endpoint *endpoint)
{
    const struct mica_definition_list *tools =
        &endpoint->catalog->lists[MICA_DEFINITION_TOOL];
    struct mica_app_exposure widest = {.visibility = MICA_APP_SCOPE};

    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_loaded_version *loaded =
            mica_loaded_version_of_tool(tools->items[i]);
        mica_app_exposure_widen(
            &widest, i == 0,
            &(struct mica_app_exposure){loaded->visibility, loaded->scope});
    }
    return widest;
}
