// SPDX-License-Identifier: Apache-2.0
//
// What a request for an app says before the app is known.
#include "http/app_caller.h"

#include "http/http.h"
#include "protocol/header_value.h"
#include "publish/published_apps.h"

// Before an app is loaded its place says that the address is one of an app, as a host name
// does that is one's own.
static bool
is_at_app(const struct mica_http_exchange *exchange)
{
    return exchange->place != MICA_PLACE_FOUND ||
           mica_published_app_is(exchange->held) ||
           mica_published_collection_is(exchange->held);
}

struct mica_text
mica_exchange_app(const struct mica_http_exchange *exchange)
{
    struct mica_text slug;

    if (exchange->own_host != NULL)
        return exchange->own_host->origin;
    return is_at_app(exchange) &&
                   mica_published_apps_slug(exchange->whole_path, &slug)
               ? slug
               : (struct mica_text){NULL, 0};
}

bool
mica_exchange_is_anonymous(const struct mica_http_exchange *exchange)
{
    struct mica_text token;

    return exchange->http->auth != NULL && is_at_app(exchange) &&
           !mica_header_find(&exchange->request, "authorization", &token);
}
