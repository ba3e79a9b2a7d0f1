// SPDX-License-Identifier: Apache-2.0
//
// A refusal that is made for every route (a token, a host, a size), at a route whose
// refusals have the form {"error":{"code","message","details"}} [API-3].
#ifndef MICA_HTTP_APP_REFUSAL_H
#define MICA_HTTP_APP_REFUSAL_H

#include <stdbool.h>

struct mica_http_exchange;
struct mica_http_response;

// Are the refusals of the request in that form? So they are below /api/apps, and below the
// REST of an app, whether there is an app with the slug or not.
bool mica_exchange_speaks_apps(const struct mica_http_exchange *exchange);

// Rewrites `response`, a problem document; its headers stay. Without memory it stays as it
// is.
void mica_app_refusal_reword(struct mica_http_exchange *exchange,
                             struct mica_http_response *response);

#endif
