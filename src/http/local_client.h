// SPDX-License-Identifier: Apache-2.0
//
// Is a client on this machine? For what only its users may do where callers have no tokens.
// A proxy that neither names the client nor passes the Host on cannot be told from one; so a
// server that knows of its proxy (--public-url) does not ask this.
#ifndef MICA_HTTP_LOCAL_CLIENT_H
#define MICA_HTTP_LOCAL_CLIENT_H

#include <stdbool.h>

struct mica_http_exchange;

// Has the request come from this machine, by a name of its loopback, and through no proxy?
// Once the head is read, on the I/O thread.
bool mica_exchange_is_local(const struct mica_http_exchange *exchange);

// May the client of the request know of the places where apps are edited (/api/apps,
// /builder, /console)? Once the head is read.
bool mica_exchange_may_edit_apps(const struct mica_http_exchange *exchange);

#endif
