// SPDX-License-Identifier: Apache-2.0
//
// Refusals as pages for people. On the I/O thread.
#ifndef MICA_HTTP_REFUSAL_H
#define MICA_HTTP_REFUSAL_H

#include "page/site.h"

struct mica_http_exchange;
struct mica_http_response;

// What the pages of the server have in common, for the page that is asked for. The
// texts are in the exchange's arena, or the server's.
struct mica_site mica_web_site(struct mica_http_exchange *exchange);

// Makes a page of a refusal where the client is a browser that follows an address;
// leaves every other response as it is.
void mica_web_refuse(struct mica_http_exchange *exchange,
                     struct mica_http_response *response);

#endif
