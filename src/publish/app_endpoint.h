// SPDX-License-Identifier: Apache-2.0
//
// A published version of an app as an endpoint: one tool, and the resources of its widget,
// which are made for each message that is about them; and as a member of the endpoint of a
// collection (collection_endpoint.h). Internal to this folder.
#ifndef MICA_PUBLISH_APP_ENDPOINT_H
#define MICA_PUBLISH_APP_ENDPOINT_H

#include "apps/app_access.h"
#include "apps/app_execute.h"
#include "apps/layout.h"
#include "call/turn.h"
#include "publish/app_usage.h"
#include "publish/layout_schemas.h"
#include "registry/registry.h"
#include "serve/stored_sessions.h"
#include "store/store_apps.h"

// "app/" in front of the id of an app is the key of its endpoint.
#define MICA_APP_KEY_PREFIX "app/"

enum {
    MICA_APP_KEY_SIZE =
        sizeof MICA_APP_KEY_PREFIX + MICA_STORE_APP_ID_BYTES, // with the NUL
    MICA_APP_PATH_SIZE = 80 // of /servers/{slug}, with the NUL
};

// What all endpoints of apps share.
struct mica_app_common {
    const struct mica_endpoint_source *source;
    struct mica_session_store *session_store; // has the widgets
    struct mica_registry *registry;           // has the tools that apps map
    const struct mica_server *server; // knows the providers of language models
    const struct mica_schema *input;  // of every tool
    struct mica_layout_schemas *schemas; // of the data of layouts
    struct mica_app_usages *usages;      // count the calls
    size_t page_items;
};

// Of one version; it lies in the definition of the tool.
struct mica_loaded_version {
    struct mica_app_plan plan;
    const struct mica_app_common *common;
    const struct mica_app_layout_row *layout;
    enum mica_app_visibility visibility;
    struct mica_text id, slug, name, description;
    struct mica_text scope; // of visibility SCOPE
    struct mica_text tag;   // of its widget: digits of the hash
};

static inline const struct mica_loaded_version *
mica_loaded_version_of_tool(const struct mica_definition *tool)
{
    const void *plan = tool->runnable.data; // its first member

    return plan;
}

static inline const struct mica_loaded_version *
mica_loaded_version_of(const struct mica_endpoint *endpoint)
{
    return endpoint->source_data;
}

// Makes the endpoint of what a slug serves. The caller holds it. Errors: MICA_E_CONFIG (the
// text of the version cannot be read), MICA_E_LIMIT.
enum mica_status mica_app_endpoint_make(
    const struct mica_app_common *common, struct mica_text slug,
    const struct mica_store_published_app *published, struct mica_error *error,
    struct mica_endpoint **endpoint_out) MICA_MUST_USE;

// Makes the tool alone, of any version. The caller holds it. As that of a member its version
// is "ID.VERSION": two apps of one collection may have had the same tool name one after the
// other, and a call ends on the one with which it began.
enum mica_status
mica_app_tool_make(const struct mica_app_common *common, struct mica_text slug,
                   const struct mica_store_published_app *published,
                   bool as_member, struct mica_error *error,
                   struct mica_definition **tool_out) MICA_MUST_USE;

// A draft that its author tests.
struct mica_app_tested {
    struct mica_text id, slug;
    const struct mica_app_draft *draft;
    struct mica_text pin; // of the mapped tool; or empty
    // That of what is published, so that tests count against it; that of the draft if
    // nothing is published.
    struct mica_app_budget budget;
    struct mica_store *store; // where the usage of the app is
};

// Makes the tool that a draft would be, for calls by its author. `common` may lack the
// session store. The caller holds it. Errors: MICA_E_LIMIT.
enum mica_status mica_app_test_tool_make(const struct mica_app_common *common,
                                         const struct mica_app_tested *tested,
                                         struct mica_error *error,
                                         struct mica_definition **tool_out)
    MICA_MUST_USE;

// May the caller call that version?
bool mica_loaded_version_admits(const struct mica_loaded_version *loaded,
                                const struct mica_app_caller *caller);

// Adds the resources of the widget of a version to a catalog: the newest, the one with the
// hash of the version, and an earlier one that `uri` names. `scratch` is for the making.
// Returns false for want of memory.
bool mica_app_resources_add(struct mica_catalog *catalog,
                            const struct mica_loaded_version *loaded,
                            struct mica_text uri, struct mica_arena *scratch);

enum {
    MICA_APP_RESOURCE_BYTES = 16 << 20 // of the arena for that
};

// Bytes in memory of an endpoint, with its tools.
size_t mica_app_endpoint_bytes(const struct mica_endpoint *endpoint);

// For struct mica_endpoint_source.
struct mica_catalog *mica_app_resources(const struct mica_endpoint *endpoint,
                                        const struct mica_principal *principal,
                                        struct mica_text uri);

#endif
