// SPDX-License-Identifier: Apache-2.0
//
// The sandbox of views: the document between the host page and a view (web/host/proxy.js),
// on an origin of its own. Each view has a random name below "localhost", which browsers
// resolve to this machine; under such a name the server serves /sandbox and nothing else,
// so that a view reaches neither tools nor pages by it.
//
// Off unless mica_http_options.host_page is on; else all names below "localhost" are
// refused, as those of other servers are.
#ifndef MICA_HTTP_SANDBOX_PAGE_H
#define MICA_HTTP_SANDBOX_PAGE_H

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

#endif
