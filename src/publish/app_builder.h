// SPDX-License-Identifier: Apache-2.0
//
// The builder: an endpoint whose tools are the acts on apps (app_acts.h), at /builder/mcp.
// An agent that knows nothing of mica builds an app from a sentence with them; the
// instructions of the endpoint say how.
//
// A tool takes the members of its act, and "app" and "revision" beside them. A refusal is a
// tool result with isError: its text has the message and the first findings, and
// _meta["mica/error"] is {"code","message","details"}; it has no structuredContent.
#ifndef MICA_PUBLISH_APP_BUILDER_H
#define MICA_PUBLISH_APP_BUILDER_H

#include "publish/app_acts.h"
#include "registry/endpoint.h"

#define MICA_BUILDER_KEY  "builder"
#define MICA_BUILDER_PATH "/builder"

// Of the program that serves the builder. It outlives the endpoint.
struct mica_builder {
    void *data;
    // Fills in the acts, with their store. On a worker. Errors: those of opening a store.
    enum mica_status (*acts)(void *data, struct mica_error *error,
                             struct mica_acts *acts_out);
    // Called after an act has changed an app. NULL: no function.
    void (*changed)(void *data);
};

// Makes the endpoint, for mica_registry_publish. Callers need the scope MICA_ACT_SCOPE,
// where they have tokens. The caller holds it. Errors: MICA_E_LIMIT.
enum mica_status mica_builder_endpoint(const struct mica_builder *builder,
                                       struct mica_error *error,
                                       struct mica_endpoint **endpoint_out)
    MICA_MUST_USE;

#endif
