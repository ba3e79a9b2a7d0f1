// SPDX-License-Identifier: Apache-2.0
//
// Authorization as an HTTP surface wants it: a request in, let in or answered.
// Step 3 of a request, after Host and Origin and before its body.
#ifndef MICA_AUTH_SURFACE_H
#define MICA_AUTH_SURFACE_H

#include <mica/server.h>

#include "auth/login.h"

// True: the request is let in, from `principal_out`. False: `response_out` is the
// answer, a problem document with the headers of the refusal; `*status_out` is its
// code for the log. Its Origin has been checked: a page may read the answer.
// OPTIONS is let in without a caller (an empty issuer): browsers ask that way without
// credentials whether they may ask with some (Fetch, CORS preflight).
// `app` is the slug of the app that the request is for, or empty. Waits for nothing. Owner: as for mica_auth_check.
bool mica_auth_admit(struct mica_auth *auth,
                     const struct mica_http_request *request,
                     struct mica_text app, struct mica_arena *arena,
                     struct mica_auth_principal *principal_out,
                     struct mica_http_response *response_out,
                     enum mica_status *status_out);

// The response of a refusal: a problem document with its headers, as above.
void mica_auth_turn_away(const struct mica_auth_refusal *refusal,
                         const struct mica_http_request *request,
                         struct mica_arena *arena,
                         struct mica_http_response *response_out);

// True: the request is let do what takes the scopes of `needed`. False, and the
// answer (403), as above. For after the body was read and before it is acted on.
bool mica_auth_permit(struct mica_auth *auth,
                      const struct mica_principal *party,
                      struct mica_text needed,
                      const struct mica_http_request *request,
                      struct mica_arena *arena,
                      struct mica_http_response *response_out);

// True: the path is one of the metadata's, and `response_out` the answer to the
// request, whatever its method. No token is needed here. With `app` (as
// mica_auth_check_at has it) the metadata of that app, whatever the path.
bool mica_auth_describe(const struct mica_auth *auth,
                        const struct mica_http_request *request,
                        struct mica_text app, struct mica_arena *arena,
                        struct mica_http_response *response_out);

#endif
