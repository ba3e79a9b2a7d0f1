// SPDX-License-Identifier: Apache-2.0
//
// The sandbox of views: the document between the host page and a view (web/host/proxy.js),
// on an origin of its own. Each view has a random name below "localhost", which browsers
// resolve to this machine; under such a name the server serves /sandbox and nothing else,
// so that a view reaches neither tools nor pages by it.
//
// Off unless mica_http_options.host_page is on; else all names below "localhost" are
// refused, as those of other servers are.
//
// The host page of a published app has the same document below the address of the app. There
// it is the policy that gives it an origin of its own (`sandbox` without allow-same-origin),
// which is equal to no other. A browser may run it in the process of the page, which does
// for the views of apps: mica wrote their documents.
#ifndef MICA_HTTP_SANDBOX_PAGE_H
#define MICA_HTTP_SANDBOX_PAGE_H

#include <microhttpd.h>

struct mica_http_exchange;

enum {
    // Of the label before ".localhost": one of 8 letters cannot be guessed by a page that
    // wants the name of another view, and a DNS label has 63 at most.
    MICA_SANDBOX_LABEL_LEAST = 8,
    MICA_SANDBOX_LABEL_MOST = 63
};

// If the server has sandboxes, and the request names one as its host, replaces the route of
// the exchange: by that of the sandbox, or by one that answers 404. Both are
// MICA_ROUTE_OF_SANDBOX.
void mica_sandbox_enter(struct mica_http_exchange *exchange);

// Answers with the document for frames of pages of this server: "/host/sandbox" of an app.
enum MHD_Result mica_sandbox_answer_below(struct mica_http_exchange *exchange);

#endif
