// SPDX-License-Identifier: Apache-2.0
//
// Makes endpoints of collections, and the part of one that a caller may use.
#include "publish/collection_endpoint.h"

#include <stdio.h>
#include <string.h>

#include "apps/collection.h"
#include "apps/widget.h"
#include "base/hash.h"
#include "publish/published_apps.h"
#include "registry/catalog.h"
#include "server/caller.h"

enum {
    READ_BYTES = 8 << 20,   // of one version
    SCRATCH_BYTES = 1 << 20 // for an endpoint
};

// ---- The version -----------------------------------------------------------------------

static bool
is_served(const struct mica_store_member *member)
{
    return member->counts && member->status == MICA_STORE_APP_PUBLISHED;
}

int64_t
mica_collection_version(const struct mica_store_collection *collection)
{
    uint64_t hash = mica_hash_bytes(MICA_HASH_START, &collection->revision,
                                    sizeof collection->revision);
    bool any = false;

    for (size_t i = 0; i < collection->member_count; i++) {
        const struct mica_store_member *member = &collection->members[i];
        if (!is_served(member))
            continue;
        any = true;
        hash = mica_hash_bytes(hash, member->id.ptr, member->id.len);
        hash = mica_hash_bytes(hash, &member->publish_version,
                               sizeof member->publish_version);
    }
    return any ? (int64_t)(hash >> 1 | 1) : 0;
}

// ---- The endpoint ----------------------------------------------------------------------

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "no memory for a collection of apps");
}

// What an endpoint is made of.
struct making {
    const struct mica_app_common *common;
    struct mica_store *store;
    const struct mica_store_collection *collection;
    const struct mica_endpoint *old; // before the change; or NULL
    struct mica_catalog *catalog;
    struct mica_error *error;
};

// The tool of the member as the endpoint before had it, if its version is the same; held. So
// a change of one app reads that app alone.
static struct mica_definition *
member_keep(const struct making *making, const struct mica_store_member *member)
{
    char room[MICA_STORE_APP_ID_BYTES + 24];
    struct mica_buffer version = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    const struct mica_definition_list *tools;

    if (making->old == NULL)
        return NULL;
    mica_buffer_format(&version, "%.*s.%lld", MICA_ARG(member->id),
                       (long long)member->publish_version);
    tools = &making->old->catalog->lists[MICA_DEFINITION_TOOL];
    for (size_t i = 0; i < tools->count; i++) {
        struct mica_definition *tool = tools->items[i];
        if (!mica_text_equal(tool->version, mica_buffer_as_text(&version)))
            continue;
        mica_definition_hold(tool);
        return tool;
    }
    return NULL;
}

static enum mica_status
member_read(const struct making *making, const struct mica_store_member *member,
            struct mica_definition **tool_out)
{
    struct mica_store_published_app published;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, READ_BYTES);
    status = mica_store_app_published(making->store, member->slug, &arena,
                                      making->error, &published);
    if (status == MICA_OK)
        status = mica_app_tool_make(making->common, member->slug, &published,
                                    true, making->error, tool_out);
    mica_arena_fini(&arena);
    return status;
}

// One app; left out if it is not published any more, or another member has its name.
static enum mica_status
member_add(const struct making *making, const struct mica_store_member *member)
{
    struct mica_definition *tool = member_keep(making, member);
    enum mica_status status =
        tool != NULL ? MICA_OK : member_read(making, member, &tool);

    if (status == MICA_E_NOT_FOUND)
        return MICA_OK; // it has just been withdrawn, which the follower finds
    if (status == MICA_E_CONFIG) {
        mica_session_store_note(making->common->session_store,
                                making->error->message);
        return MICA_OK;
    }
    if (status == MICA_OK &&
        mica_catalog_find(making->catalog, MICA_DEFINITION_TOOL, tool->key) ==
            NULL &&
        !mica_catalog_add(making->catalog, tool))
        status = no_memory(making->error);
    mica_definition_drop(tool);
    return status;
}

static enum mica_status
members_add(const struct making *making)
{
    const struct mica_store_collection *collection = making->collection;

    for (size_t i = 0; i < collection->member_count; i++)
        if (is_served(&collection->members[i]))
            MICA_TRY(member_add(making, &collection->members[i]));
    if (making->catalog->lists[MICA_DEFINITION_TOOL].count == 0)
        return mica_error_set(making->error, MICA_E_NOT_FOUND, "",
                              "no app of the collection is published");
    return MICA_OK;
}

// Its texts lie in the arena of the catalog, which lives as long as the endpoint.
static struct mica_loaded_collection *
loaded_make(const struct mica_store_collection *collection,
            const struct mica_collection_record *record,
            struct mica_arena *arena)
{
    struct mica_loaded_collection *loaded =
        mica_arena_zero(arena, 1, sizeof *loaded);

    if (loaded == NULL)
        return NULL;
    loaded->id = mica_arena_text(arena, collection->id);
    loaded->slug = mica_arena_text(arena, collection->slug);
    loaded->name = mica_arena_text(arena, record->name);
    loaded->description = mica_arena_text(arena, record->description);
    return arena->overflow ? NULL : loaded;
}

static struct mica_endpoint *
endpoint_around(const struct mica_app_common *common,
                const struct mica_endpoint_source *source,
                const struct mica_store_collection *collection,
                const struct mica_loaded_collection *loaded,
                struct mica_catalog *catalog)
{
    char key[MICA_COLLECTION_KEY_SIZE], path[MICA_APP_PATH_SIZE], version[24];
    struct mica_buffer key_text = {
        .ptr = key, .capacity = sizeof key, .max = sizeof key};
    struct mica_buffer path_text = {
        .ptr = path, .capacity = sizeof path, .max = sizeof path};
    struct mica_endpoint *endpoint;

    mica_buffer_format(&key_text, MICA_COLLECTION_KEY_PREFIX "%.*s",
                       MICA_ARG(collection->id));
    mica_buffer_format(&path_text, MICA_APPS_PATH "/%.*s",
                       MICA_ARG(collection->slug));
    (void)snprintf(version, sizeof version, "%lld",
                   (long long)collection->revision);
    const struct mica_endpoint_parts parts = {
        .key = mica_buffer_as_text(&key_text),
        .path = mica_buffer_as_text(&path_text),
        .implementation = {.name = loaded->name.ptr,
                           .version = version,
                           .description = loaded->description.len > 0
                                              ? loaded->description.ptr
                                              : NULL},
        .page_items = common->page_items,
        .invokes = MICA_INVOKES_SERVER};
    endpoint = mica_endpoint_make(&parts, catalog);
    if (endpoint == NULL)
        return NULL;
    endpoint->declared = MICA_DECLARED_TOOLS | MICA_DECLARED_RESOURCES;
    endpoint->source = source;
    endpoint->source_data = (void *)(uintptr_t)loaded;
    endpoint->version = mica_collection_version(collection);
    atomic_init(&endpoint->used, false); // as that of an app
    return endpoint;
}

// Owner: it takes over the reference to the catalog.
static enum mica_status
catalog_publish(const struct making *making,
                const struct mica_endpoint_source *source,
                const struct mica_collection_record *record,
                struct mica_endpoint **endpoint_out)
{
    enum mica_status status = members_add(making);
    const struct mica_loaded_collection *loaded;

    if (status != MICA_OK) {
        mica_catalog_drop(making->catalog);
        return status;
    }
    loaded = loaded_make(making->collection, record, &making->catalog->arena);
    if (loaded == NULL) {
        mica_catalog_drop(making->catalog);
        return no_memory(making->error);
    }
    *endpoint_out = endpoint_around(making->common, source, making->collection,
                                    loaded, making->catalog);
    return *endpoint_out != NULL ? MICA_OK : no_memory(making->error);
}

enum mica_status
mica_collection_endpoint_make(const struct mica_app_common *common,
                              const struct mica_endpoint_source *source,
                              struct mica_store *store,
                              const struct mica_store_collection *collection,
                              const struct mica_endpoint *old,
                              struct mica_error *error,
                              struct mica_endpoint **endpoint_out)
{
    struct making making = {.common = common,
                            .store = store,
                            .collection = collection,
                            .old = old,
                            .error = error};
    struct mica_collection_record record;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, SCRATCH_BYTES);
    status =
        mica_collection_record_read(collection->text, &arena, error, &record);
    if (status == MICA_OK) {
        making.catalog = mica_catalog_new();
        status = making.catalog == NULL
                     ? no_memory(error)
                     : catalog_publish(&making, source, &record, endpoint_out);
    }
    mica_arena_fini(&arena);
    return status;
}

// ---- What it demands -------------------------------------------------------------------

static enum mica_status
member_exposure(struct mica_store *store,
                const struct mica_store_member *member,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_app_exposure *exposure_out)
{
    struct mica_store_published_app published;
    struct mica_app_version version;
    struct mica_arena scratch;
    enum mica_status status;

    mica_arena_init(&scratch, READ_BYTES);
    status = mica_store_app_published(store, member->slug, &scratch, error,
                                      &published);
    if (status == MICA_OK)
        status = mica_app_version_read(published.version.text, &scratch, error,
                                       &version);
    if (status == MICA_OK)
        *exposure_out = (struct mica_app_exposure){
            version.draft.visibility,
            mica_arena_text(arena, version.draft.scope)};
    mica_arena_fini(&scratch);
    return status;
}

// An app that has just been withdrawn, or that cannot be read, is left out, as members_add
// leaves it out.
enum mica_status
mica_collection_exposure(struct mica_store *store,
                         const struct mica_store_collection *collection,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_app_exposure *exposure_out)
{
    struct mica_app_exposure one;
    bool any = false;

    for (size_t i = 0; i < collection->member_count; i++) {
        enum mica_status status;
        if (!is_served(&collection->members[i]))
            continue;
        status =
            member_exposure(store, &collection->members[i], arena, error, &one);
        if (status == MICA_E_NOT_FOUND || status == MICA_E_CONFIG)
            continue;
        MICA_TRY(status);
        mica_app_exposure_widen(exposure_out, !any, &one);
        any = true;
        if (one.visibility == MICA_APP_PUBLIC)
            return MICA_OK;
    }
    return any ? MICA_OK
               : mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "no app of the collection is published");
}

// ---- An earlier version ----------------------------------------------------------------

static bool
split_version(struct mica_text version, struct mica_text *id_out,
              int64_t *number_out)
{
    size_t dot = version.len;

    while (dot > 0 && version.ptr[dot - 1] != '.')
        dot--;
    if (dot < 2)
        return false;
    *id_out = mica_text_slice(version, 0, dot - 1);
    return mica_integer_read(mica_text_slice(version, dot, version.len),
                             number_out);
}

struct mica_definition *
mica_collection_tool_make(const struct mica_app_common *common,
                          struct mica_store *store, struct mica_text version)
{
    struct mica_store_published_app published;
    struct mica_definition *tool = NULL;
    struct mica_store_app app;
    struct mica_error ignored;
    struct mica_arena arena;
    int64_t number;

    memset(&published, 0, sizeof published);
    if (!split_version(version, &published.id, &number))
        return NULL;
    mica_arena_init(&arena, READ_BYTES);
    if (mica_store_app_read(store, published.id, &arena, &ignored, &app) !=
            MICA_OK ||
        mica_store_app_version(store, published.id, number, &arena, &ignored,
                               &published.version) != MICA_OK ||
        mica_app_tool_make(common, app.slug, &published, true, &ignored,
                           &tool) != MICA_OK)
        tool = NULL;
    mica_arena_fini(&arena);
    return tool;
}

// ---- For one caller --------------------------------------------------------------------

static struct mica_app_caller
caller_of(const struct mica_principal *principal)
{
    struct mica_app_caller caller = {.has_token =
                                         mica_principal_is_known(principal)};

    if (principal != NULL)
        caller.scopes = principal->scopes;
    return caller;
}

struct mica_catalog *
mica_collection_view(const struct mica_endpoint *endpoint,
                     const struct mica_principal *principal)
{
    const struct mica_definition_list *tools =
        &endpoint->catalog->lists[MICA_DEFINITION_TOOL];
    const struct mica_app_caller caller = caller_of(principal);
    struct mica_catalog *view = mica_catalog_new();

    for (size_t i = 0; view != NULL && i < tools->count; i++) {
        if (mica_loaded_version_admits(
                mica_loaded_version_of_tool(tools->items[i]), &caller) &&
            !mica_catalog_add(view, tools->items[i])) {
            mica_catalog_drop(view);
            view = NULL;
        }
    }
    return view;
}

// By the app, as its tool may have another name by now.
bool
mica_collection_admits(const struct mica_endpoint *endpoint,
                       const struct mica_principal *principal,
                       struct mica_text version)
{
    const struct mica_definition_list *tools =
        &endpoint->catalog->lists[MICA_DEFINITION_TOOL];
    const struct mica_app_caller caller = caller_of(principal);
    struct mica_text id;
    int64_t number;

    if (!split_version(version, &id, &number))
        return false;
    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_loaded_version *loaded =
            mica_loaded_version_of_tool(tools->items[i]);
        if (mica_text_equal(loaded->id, id))
            return mica_loaded_version_admits(loaded, &caller);
    }
    return false;
}

// A resource that is read needs those of its app alone.
static bool
resources_add(struct mica_catalog *view, struct mica_text uri)
{
    struct mica_text slug = {NULL, 0}, tag;
    bool one = mica_widget_uri_read(uri, &slug, &tag), whole = true;
    // Resources do not change the list of tools.
    const struct mica_definition_list *tools =
        &view->lists[MICA_DEFINITION_TOOL];

    for (size_t i = 0; whole && i < tools->count; i++) {
        const struct mica_loaded_version *loaded =
            mica_loaded_version_of_tool(tools->items[i]);
        struct mica_arena scratch;
        if (one && !mica_text_equal(slug, loaded->slug))
            continue;
        mica_arena_init(&scratch, MICA_APP_RESOURCE_BYTES);
        whole = mica_app_resources_add(view, loaded, uri, &scratch);
        mica_arena_fini(&scratch);
    }
    return whole;
}

struct mica_catalog *
mica_collection_resources(const struct mica_endpoint *endpoint,
                          const struct mica_principal *principal,
                          struct mica_text uri)
{
    struct mica_catalog *view = mica_collection_view(endpoint, principal);

    if (view == NULL || resources_add(view, uri))
        return view;
    mica_catalog_drop(view);
    return NULL;
}
