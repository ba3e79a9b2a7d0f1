// SPDX-License-Identifier: Apache-2.0
//
// The HTTP API of apps, /api/apps: a thin shell over the acts of src/publish/app_acts.h.
//
//     /api/apps                        GET list, POST create or import
//     /api/apps/-/layouts              GET
//     /api/apps/-/check                POST, a draft that is not stored
//     /api/apps/-/draft                POST, a draft from one sentence
//     /api/apps/{app}                  GET, PATCH, DELETE; {app} is an id or a slug
//     /api/apps/{app}/publish          POST; and unpublish, rollback, test
//     /api/apps/{app}/owner            POST, PUT
//     /api/apps/{app}/versions[/{n}]   GET
//     /api/apps/{app}/difference       GET ?from=&to=
//     /api/apps/{app}/check            GET, POST; and preview
//     /api/apps/{app}/export           GET; and usage ?from=&to=
//
//     /api/collections                 GET list, POST create
//     /api/collections/{c}             GET, PATCH, DELETE; {c} is an id or a slug
//     /api/collections/{c}/apps        POST adds an app
//     /api/collections/{c}/apps/{app}  DELETE
//     /api/collections/{c}/owner       POST, PUT
//
// It answers callers who are on this machine or have tokens: with `auth`, or on listeners of
// the loopback to clients of this machine (local_client.h), unless a public URL says that a
// proxy is before it. To others each of these paths is 404.
//
//   API-1  A request that may change something comes from a page of this server, or from
//          a program: its Origin is this server's or absent, Sec-Fetch-Site too.
//   API-2  A body has the type application/json, also an empty one of a POST, PUT or
//          PATCH: a page of another site cannot send that without a preflight, which is
//          refused.
//   API-3  Every refusal below the two has the form {"error":{"code","message",
//          "details"}}, those that come before the route, too.
//
// Acts wait for the store, so they run on a worker.
#ifndef MICA_HTTP_APP_API_H
#define MICA_HTTP_APP_API_H

#include <pthread.h>

#include <microhttpd.h>

#include "publish/app_builder.h"
#include "publish/draft_limit.h"

struct mica_http;
struct mica_http_exchange;

enum {
    MICA_APP_API_ADDRESS_BYTES = 1024 // of scheme, host and base path
};

// Of a server whose apps can be edited over HTTP.
struct mica_app_api {
    struct mica_acts acts; // without the store, which opens when it is needed
    char address[MICA_APP_API_ADDRESS_BYTES];
    struct mica_builder builder;
    struct mica_draft_limit draft_limit;
    pthread_mutex_t lock; // protects `builds`
    bool builds;          // the endpoint of the builder is published
};

// Opens the API of a server that listens at `listenz`, on `port`; *api_out stays NULL if
// callers are neither on this machine nor have tokens. Errors: MICA_E_LIMIT.
enum mica_status mica_app_api_open(struct mica_http *http, const char *listenz,
                                   bool loopback, unsigned port,
                                   struct mica_error *error,
                                   struct mica_app_api **api_out) MICA_MUST_USE;

#define MICA_APP_API_UNREACHED                                                 \
    "apps are not edited at this address: other machines reach it, by itself " \
    "or through a proxy, and callers have no tokens"

// Withdraws the builder, and sets http->app_api to NULL. NULL is allowed.
void mica_app_api_close(struct mica_http *http);

// Publishes the endpoint of the builder if `path` is at or below /builder: the first
// request there makes it, so that other servers do not pay for it. On an I/O thread.
void mica_app_api_enter(struct mica_http *http, struct mica_text path);

// May a request at an endpoint come from the page that sends it [API-1]? Only the builder
// asks. Otherwise the request is to be refused with MICA_E_CROSS_SITE.
bool mica_app_api_admits(const struct mica_http_exchange *exchange);

// Of the table of routes.
enum MHD_Result mica_answer_apps(struct mica_http_exchange *exchange);

#endif
