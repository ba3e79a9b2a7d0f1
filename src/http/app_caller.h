// SPDX-License-Identifier: Apache-2.0
//
// Who may call an app.
//
// With authorization, by the visibility of the app. "Absent" is the answer of a slug that
// no app has, byte for byte, but for the id of the request.
//
//   the request has             public     token      scope             no such app
//   no token and no login       anonymous  401        absent            absent
//   a token that does not count                 refused before the app is looked for
//   one without the scope       admitted   admitted   absent            absent
//   one with the scope          admitted   admitted   admitted          absent
//
// Without authorization a public app is admitted, and each other one is absent.
//
// The decision is made after the app was loaded (endpoint_load.h), so that it never takes an
// I/O thread to the store. Here is what can be said before: by the address alone, which may
// be one of an app or not.
#ifndef MICA_HTTP_APP_CALLER_H
#define MICA_HTTP_APP_CALLER_H

#include <mica/base.h>

struct mica_http_exchange;

// Is it for the address of an app, whether there is one or not, and without a token?
bool mica_exchange_is_anonymous(const struct mica_http_exchange *exchange);

// The app that the request is for, whether there is one or not, as mica_auth_check_at takes
// it: its slug, or the origin of its own host name. Empty for any other address, and for a slug
// that no app can have.
struct mica_text mica_exchange_app(const struct mica_http_exchange *exchange);

#endif
