// SPDX-License-Identifier: Apache-2.0
//
// Writes refusals as pages for people. On the I/O thread.
#ifndef MICA_HTTP_REFUSAL_H
#define MICA_HTTP_REFUSAL_H

#include "page/site.h"

struct mica_http_exchange;
struct mica_http_response;

// The data that all pages of the server show, for the requested page. The texts are in
// the exchange's arena, or in the server's.
struct mica_site mica_web_site(struct mica_http_exchange *exchange);

// The catalog that the caller may see. Owner: the caller drops it.
struct mica_catalog *
mica_web_catalog_of(const struct mica_http_exchange *exchange);

// Replaces the body of a refusal by a page if the client is a browser that opens an
// address; leaves every other response as it is.
void mica_web_refuse(struct mica_http_exchange *exchange,
                     struct mica_http_response *response);

#endif
