// SPDX-License-Identifier: Apache-2.0
//
// A refusal that is made for every route (a token, a host, a size), at a route whose
// refusals have the form {"error":{"code","message","details"}} [API-3].
#ifndef MICA_HTTP_APP_REFUSAL_H
#define MICA_HTTP_APP_REFUSAL_H

struct mica_http_exchange;
struct mica_http_response;

// Rewrites `response`, a problem document; its headers stay. Without memory it stays as it
// is.
void mica_app_refusal_reword(struct mica_http_exchange *exchange,
                             struct mica_http_response *response);

#endif
