// SPDX-License-Identifier: Apache-2.0
//
// A published version of an app as an endpoint: one tool, and the resources of its widget,
// which are made for each message that is about them. Internal to this folder.
#ifndef MICA_PUBLISH_APP_ENDPOINT_H
#define MICA_PUBLISH_APP_ENDPOINT_H

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
    const struct mica_schema *input;          // of every tool
    struct mica_layout_schemas *schemas;      // of the data of layouts
    struct mica_app_usages *usages;           // count the calls
    size_t page_items;
};

// Of one endpoint; it lies in the definition of the tool.
struct mica_loaded_version {
    struct mica_app_plan plan;
    const struct mica_app_common *common;
    const struct mica_app_layout_row *layout;
    enum mica_app_visibility visibility;
    struct mica_text id, slug, name, description;
    struct mica_text tag; // of its widget: digits of the hash
};

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

// Makes the tool alone, of any version. The caller holds it.
enum mica_status
mica_app_tool_make(const struct mica_app_common *common, struct mica_text slug,
                   const struct mica_store_published_app *published,
                   struct mica_error *error, struct mica_definition **tool_out)
    MICA_MUST_USE;

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

// Bytes in memory of an endpoint, with its tool.
size_t mica_app_endpoint_bytes(const struct mica_endpoint *endpoint);

// For struct mica_endpoint_source.
struct mica_catalog *mica_app_resources(const struct mica_endpoint *endpoint,
                                        struct mica_text uri);

#endif
