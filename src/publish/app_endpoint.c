// SPDX-License-Identifier: Apache-2.0
//
// Ten thousand apps may be loaded, so the memory of each is counted: the texts of a tool are
// written into one block, its schemas are those that all apps of its layout share, and the
// document of the widget stays in the store.
#include "publish/app_endpoint.h"

#include <string.h>

#include "apps/widget.h"
#include "publish/published_apps.h"
#include "registry/catalog.h"
#include "server/server.h"
#include "view/view_meta.h"

enum {
    READ_BYTES = 16 << 20, // for reading a version
    PACK_BYTES = 2 << 20,  // of all texts of one tool
    KEEP_S = 24 * 60 * 60  // of a call
};

// ---- Texts in one block ----------------------------------------------------------------

enum {
    TOOL_NAME,
    TOOL_DESCRIPTION,
    NAME,
    DESCRIPTION,
    ID,
    SLUG,
    SCOPE,
    TAG,
    VERSION,
    META,
    MESSAGE,
    DATA,
    PLAIN,
    MAPPED,
    PIN,
    ARGUMENTS,
    RESULT,
    SYSTEM,
    PROVIDER,
    MODEL,
    TEXTS
};

// The texts of a tool, one behind the other. `ends` says where each ends.
struct pack {
    struct mica_buffer bytes;
    size_t ends[TEXTS];
    size_t count;
};

static void
pack_end(struct pack *pack, size_t text)
{
    // Each begins where the one before it ends.
    for (; pack->count <= text; pack->count++)
        pack->ends[pack->count] = pack->bytes.len;
}

static void
pack_text(struct pack *pack, size_t which, struct mica_text text)
{
    mica_buffer_text(&pack->bytes, text);
    pack_end(pack, which);
}

static struct mica_text
pack_get(const struct pack *pack, const char *copy, size_t which)
{
    size_t begin = which > 0 ? pack->ends[which - 1] : 0;

    return (struct mica_text){copy + begin, pack->ends[which] - begin};
}

static struct mica_text
tag_of(const struct mica_store_published_app *published)
{
    struct mica_text hash = published->version.widget;

    return mica_text_slice(
        hash, 0, hash.len < MICA_WIDGET_TAG ? hash.len : MICA_WIDGET_TAG);
}

static void
pack_meta(struct pack *pack, struct mica_arena *scratch, struct mica_text slug,
          struct mica_text tag)
{
    struct mica_json_writer writer;
    struct mica_buffer uri;

    mica_buffer_init(&uri, scratch, PACK_BYTES);
    mica_widget_uri(&uri, slug, tag);
    mica_json_writer_init(&writer, &pack->bytes);
    mica_view_write_tool(&writer, mica_buffer_as_text(&uri),
                         MICA_MODEL | MICA_APP);
    pack_end(pack, META);
}

static void
pack_data(struct pack *pack, const struct mica_app_draft *draft,
          const struct mica_app_layout_row *layout)
{
    struct mica_json_writer writer;

    if (draft->behavior.type != MICA_APP_DATA || draft->mock_data == NULL)
        return;
    mica_json_writer_init(&writer, &pack->bytes);
    mica_json_value(&writer, draft->mock_data);
    pack_end(pack, DATA);
    mica_layout_text(layout, draft->mock_data, &pack->bytes);
}

static void
pack_json(struct pack *pack, size_t which, const struct mica_json *value)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, &pack->bytes);
    if (value != NULL)
        mica_json_value(&writer, value);
    pack_end(pack, which);
}

static void
pack_behavior(struct pack *pack, const struct mica_app_version *version)
{
    const struct mica_app_behavior *behavior = &version->draft.behavior;

    pack_text(pack, MAPPED, behavior->tool);
    pack_text(pack, PIN, version->pin);
    pack_json(pack, ARGUMENTS, behavior->arguments);
    pack_json(pack, RESULT, behavior->data);
    pack_text(pack, SYSTEM, behavior->system_prompt);
    pack_text(pack, PROVIDER, behavior->provider);
    pack_text(pack, MODEL, behavior->model);
}

static void
pack_version(struct pack *pack, struct mica_arena *scratch,
             const struct mica_store_published_app *published,
             struct mica_text slug, const struct mica_app_version *version,
             const struct mica_app_layout_row *layout, bool as_member)
{
    const struct mica_app_draft *draft = &version->draft;

    mica_buffer_init(&pack->bytes, scratch, PACK_BYTES);
    pack_text(pack, TOOL_NAME, draft->tool_name);
    pack_text(pack, TOOL_DESCRIPTION, draft->tool_description);
    pack_text(pack, NAME, draft->name);
    pack_text(pack, DESCRIPTION, draft->description);
    pack_text(pack, ID, published->id);
    pack_text(pack, SLUG, slug);
    pack_text(pack, SCOPE, draft->scope);
    pack_text(pack, TAG, tag_of(published));
    if (as_member)
        mica_buffer_format(&pack->bytes, "%.*s.", MICA_ARG(published->id));
    mica_buffer_format(&pack->bytes, "%lld",
                       (long long)published->version.version);
    pack_end(pack, VERSION);
    pack_meta(pack, scratch, slug, tag_of(published));
    pack_text(pack, MESSAGE, draft->behavior.message);
    pack_data(pack, draft, layout);
    pack_end(pack, PLAIN);
    pack_behavior(pack, version);
}

// ---- The tool --------------------------------------------------------------------------

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory for an app");
}

// The tool that the app runs, in the build that its version is bound to, held; or NULL.
static struct mica_definition *
mapped_find(const struct mica_loaded_version *loaded)
{
    struct mica_registry *registry = loaded->common->registry;
    const struct mica_app_plan *plan = &loaded->plan;
    struct mica_definition *found;
    struct mica_catalog *catalog;

    if (plan->pin.len > 0)
        return mica_registry_version(registry, (struct mica_text){NULL, 0},
                                     plan->tool, plan->pin);
    catalog = mica_registry_catalog(registry);
    found = mica_catalog_find(catalog, MICA_DEFINITION_TOOL, plan->tool);
    if (found != NULL)
        mica_definition_hold(found);
    mica_catalog_drop(catalog);
    return found;
}

// Whether the client's model alone can answer the prompt: then other clients do not see the
// tool, whose every call would fail.
static bool
asks_client(const struct mica_loaded_version *loaded)
{
    const struct mica_app_plan *plan = &loaded->plan;

    return plan->by == MICA_APP_BY_CLIENT ||
           (plan->by == MICA_APP_BY_ANY &&
            !mica_server_has_provider(loaded->common->server, plan->provider));
}

// The tool of an app needs of its callers what the mapped tool needs. A build that is gone
// needs nothing: each call fails, and says so.
static void
tool_follow(struct mica_definition *tool, struct mica_loaded_version *loaded)
{
    struct mica_definition *mapped =
        loaded->plan.type == MICA_APP_TOOL ? mapped_find(loaded) : NULL;

    if (mapped != NULL) {
        loaded->plan.hints = mapped->hints;
        tool->requires = mapped->requires;
        tool->scope = mica_arena_text(&tool->arena, mapped->scope);
        mica_definition_drop(mapped);
    } else if (loaded->plan.type == MICA_APP_PROMPT && asks_client(loaded)) {
        tool->requires = MICA_SAMPLING;
    }
    tool->hints = mica_app_hints(&loaded->plan);
}

static void
tool_fill(struct mica_definition *tool, struct mica_loaded_version *loaded,
          const struct pack *pack, const char *copy)
{
    struct mica_text schema = loaded->layout->schema;

    loaded->id = pack_get(pack, copy, ID);
    loaded->slug = pack_get(pack, copy, SLUG);
    loaded->name = pack_get(pack, copy, NAME);
    loaded->description = pack_get(pack, copy, DESCRIPTION);
    loaded->scope = pack_get(pack, copy, SCOPE);
    loaded->tag = pack_get(pack, copy, TAG);
    loaded->plan.input = loaded->common->input;
    loaded->plan.message = pack_get(pack, copy, MESSAGE);
    loaded->plan.data = pack_get(pack, copy, DATA);
    loaded->plan.plain = pack_get(pack, copy, PLAIN);
    loaded->plan.meta = pack_get(pack, copy, META);
    loaded->plan.tool = pack_get(pack, copy, MAPPED);
    loaded->plan.pin = pack_get(pack, copy, PIN);
    loaded->plan.arguments = pack_get(pack, copy, ARGUMENTS);
    loaded->plan.result = pack_get(pack, copy, RESULT);
    loaded->plan.system = pack_get(pack, copy, SYSTEM);
    loaded->plan.provider = pack_get(pack, copy, PROVIDER);
    loaded->plan.model = pack_get(pack, copy, MODEL);
    tool->name = tool->key = pack_get(pack, copy, TOOL_NAME);
    tool->title = loaded->name;
    tool->description = pack_get(pack, copy, TOOL_DESCRIPTION);
    tool->version = pack_get(pack, copy, VERSION);
    tool->meta = loaded->plan.meta;
    tool->input_schema = mica_text(mica_app_input_schema);
    tool->output_schema = schema;
    tool->output_is_object = true;
    tool_follow(tool, loaded);
    tool->limit_ms = MICA_ASK_LIMIT_MS;
    if (loaded->plan.limit_ms > 0 && loaded->plan.limit_ms < tool->limit_ms)
        tool->limit_ms = loaded->plan.limit_ms;
    tool->keep_ms = KEEP_S * 1000;
    tool->runnable = (struct mica_runnable){
        .run = mica_app_run,
        .data = &loaded->plan,
        .inline_first = mica_app_runs_inline(loaded->plan.type)};
}

static void
loaded_release(struct mica_definition *tool)
{
    const struct mica_app_plan *plan = tool->runnable.data;

    mica_app_usages_drop(plan->meter);
}

static uint32_t
limit_of(const struct mica_app_draft *draft)
{
    return (uint32_t)mica_app_budget(draft).seconds * 1000;
}

// What a tool is made of.
struct tool_parts {
    const struct mica_app_common *common;
    struct mica_text slug;
    const struct mica_store_published_app *published;
    const struct mica_app_version *version;
    bool as_member; // of a collection
    struct mica_app_budget budget;
    struct mica_store *store; // where the usage of the app is
};

static bool
loaded_fill(struct mica_loaded_version *loaded, const struct tool_parts *parts)
{
    const struct mica_app_draft *draft = &parts->version->draft;
    const struct mica_app_common *common = parts->common;
    const struct mica_app_layout_row *layout = &mica_app_layouts[draft->layout];
    bool checks = draft->behavior.type != MICA_APP_DATA;

    *loaded =
        (struct mica_loaded_version){.plan = {.type = draft->behavior.type,
                                              .by = draft->behavior.by,
                                              .layout = layout,
                                              .limit_ms = limit_of(draft)},
                                     .visibility = draft->visibility,
                                     .common = common,
                                     .layout = layout};
    if (checks)
        loaded->plan.output = mica_layout_schemas_get(common->schemas, layout);
    loaded->plan.meter = mica_app_usages_hold(
        common->usages, parts->published->id, parts->published->version.version,
        &parts->budget, parts->store);
    return loaded->plan.meter != NULL &&
           (!checks || loaded->plan.output != NULL);
}

static enum mica_status
tool_make(const struct tool_parts *parts, struct mica_arena *scratch,
          struct mica_error *error, struct mica_definition **tool_out)
{
    const struct mica_app_layout_row *layout =
        &mica_app_layouts[parts->version->draft.layout];
    struct mica_definition *tool = mica_definition_new(MICA_DEFINITION_TOOL);
    struct mica_loaded_version *loaded;
    struct pack pack = {.count = 0};
    enum mica_status status;
    char *copy;

    if (tool == NULL)
        return no_memory(error);
    pack_version(&pack, scratch, parts->published, parts->slug, parts->version,
                 layout, parts->as_member);
    loaded = mica_arena_alloc(&tool->arena, sizeof *loaded + pack.bytes.len);
    if (loaded == NULL || pack.bytes.overflow || scratch->overflow) {
        mica_definition_drop(tool);
        return no_memory(error);
    }
    if (parts->budget.calls_per_day > 0 || parts->budget.tokens_per_day > 0 ||
        parts->budget.concurrent > 0)
        tool->asking = MICA_ASKING_STORED;
    tool->release = loaded_release;
    tool->runnable.data = &loaded->plan;
    if (!loaded_fill(loaded, parts)) {
        mica_definition_drop(tool);
        return no_memory(error);
    }
    copy = (char *)(loaded + 1);
    memcpy(copy, pack.bytes.ptr, pack.bytes.len);
    tool_fill(tool, loaded, &pack, copy);
    status = mica_definition_check(tool, error);
    if (status == MICA_OK)
        *tool_out = tool;
    else
        mica_definition_drop(tool);
    return status;
}

// The tool of a version, which has the budget of its own draft.
static enum mica_status
version_tool_make(const struct mica_app_common *common, struct mica_text slug,
                  const struct mica_store_published_app *published,
                  const struct mica_app_version *version, bool as_member,
                  struct mica_arena *scratch, struct mica_error *error,
                  struct mica_definition **tool_out)
{
    const struct tool_parts parts = {
        .common = common,
        .slug = slug,
        .published = published,
        .version = version,
        .as_member = as_member,
        .budget = mica_app_budget(&version->draft),
        .store = mica_session_store_backing(common->session_store)};

    return tool_make(&parts, scratch, error, tool_out);
}

// The draft need not have the names that a published tool needs; no client sees those of
// this one.
enum mica_status
mica_app_test_tool_make(const struct mica_app_common *common,
                        const struct mica_app_tested *tested,
                        struct mica_error *error,
                        struct mica_definition **tool_out)
{
    const struct mica_store_published_app published = {.id = tested->id};
    struct mica_app_version version = {.draft = *tested->draft,
                                       .pin = tested->pin};
    const struct tool_parts parts = {.common = common,
                                     .slug = tested->slug,
                                     .published = &published,
                                     .version = &version,
                                     .budget = tested->budget,
                                     .store = tested->store};
    struct mica_arena scratch;
    enum mica_status status;

    version.draft.name = version.draft.tool_name = MICA_LITERAL("draft");
    version.draft.tool_description = MICA_LITERAL("A draft of an app");
    mica_arena_init(&scratch, READ_BYTES);
    status = tool_make(&parts, &scratch, error, tool_out);
    mica_arena_fini(&scratch);
    return status;
}

static enum mica_status
version_read(const struct mica_store_published_app *published,
             struct mica_arena *arena, struct mica_error *error,
             struct mica_app_version *version_out)
{
    enum mica_status status = mica_app_version_read(published->version.text,
                                                    arena, error, version_out);

    if (status != MICA_OK)
        mica_error_prefix(error, "version %lld of the app",
                          (long long)published->version.version);
    return status;
}

enum mica_status
mica_app_tool_make(const struct mica_app_common *common, struct mica_text slug,
                   const struct mica_store_published_app *published,
                   bool as_member, struct mica_error *error,
                   struct mica_definition **tool_out)
{
    struct mica_app_version version;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, READ_BYTES);
    status = version_read(published, &arena, error, &version);
    if (status == MICA_OK)
        status = version_tool_make(common, slug, published, &version, as_member,
                                   &arena, error, tool_out);
    mica_arena_fini(&arena);
    return status;
}

// ---- The endpoint ----------------------------------------------------------------------

// Copies a text with a NUL behind it.
static const char *
textz_of(struct mica_arena *arena, struct mica_text text)
{
    return text.len > 0 ? mica_arena_text(arena, text).ptr : NULL;
}

static struct mica_endpoint *
endpoint_around(const struct mica_app_common *common,
                const struct mica_app_draft *draft,
                struct mica_definition *tool, struct mica_arena *scratch)
{
    const struct mica_loaded_version *loaded =
        mica_loaded_version_of_tool(tool);
    char key[MICA_APP_KEY_SIZE], path[MICA_APP_PATH_SIZE];
    struct mica_buffer key_text = {
        .ptr = key, .capacity = sizeof key, .max = sizeof key};
    struct mica_buffer path_text = {
        .ptr = path, .capacity = sizeof path, .max = sizeof path};
    struct mica_catalog *catalog = mica_catalog_new();
    struct mica_endpoint *endpoint;

    if (catalog != NULL && !mica_catalog_add(catalog, tool)) {
        mica_catalog_drop(catalog);
        catalog = NULL;
    }
    mica_buffer_format(&key_text, MICA_APP_KEY_PREFIX "%.*s",
                       MICA_ARG(loaded->id));
    mica_buffer_format(&path_text, MICA_APPS_PATH "/%.*s",
                       MICA_ARG(loaded->slug));
    const struct mica_endpoint_parts parts = {
        .key = mica_buffer_as_text(&key_text),
        .path = mica_buffer_as_text(&path_text),
        .implementation = {.name = textz_of(scratch, loaded->name),
                           .version = textz_of(scratch, tool->version),
                           .description =
                               textz_of(scratch, loaded->description)},
        .scope = draft->visibility == MICA_APP_SCOPE
                     ? textz_of(scratch, draft->scope)
                     : NULL,
        .page_items = common->page_items,
        .invokes = MICA_INVOKES_SERVER};
    endpoint = mica_endpoint_make(&parts, catalog);
    if (endpoint == NULL)
        return NULL;
    endpoint->declared = MICA_DECLARED_TOOLS | MICA_DECLARED_RESOURCES;
    endpoint->source = common->source;
    endpoint->source_data = (void *)(uintptr_t)loaded;
    // A client that asks for many apps once must not displace those in use.
    atomic_init(&endpoint->used, false);
    return endpoint;
}

enum mica_status
mica_app_endpoint_make(const struct mica_app_common *common,
                       struct mica_text slug,
                       const struct mica_store_published_app *published,
                       struct mica_error *error,
                       struct mica_endpoint **endpoint_out)
{
    struct mica_app_version version;
    struct mica_definition *tool = NULL;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, READ_BYTES);
    status = version_read(published, &arena, error, &version);
    if (status == MICA_OK)
        status = version_tool_make(common, slug, published, &version, false,
                                   &arena, error, &tool);
    if (status == MICA_OK) {
        *endpoint_out = endpoint_around(common, &version.draft, tool, &arena);
        if (*endpoint_out == NULL)
            status = no_memory(error);
        else
            (*endpoint_out)->version = published->version.version;
    }
    mica_definition_drop(tool);
    mica_arena_fini(&arena);
    return status;
}

bool
mica_loaded_version_admits(const struct mica_loaded_version *loaded,
                           const struct mica_app_caller *caller)
{
    struct mica_error ignored;

    return mica_app_may_call(loaded->visibility, loaded->scope, caller,
                             &ignored) == MICA_OK;
}

size_t
mica_app_endpoint_bytes(const struct mica_endpoint *endpoint)
{
    const struct mica_catalog *catalog = endpoint->catalog;
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];
    size_t bytes = endpoint->bytes + catalog->arena.used;

    for (size_t i = 0; i < tools->count; i++)
        bytes += tools->items[i]->arena.used;
    return bytes;
}
