// SPDX-License-Identifier: Apache-2.0
//
// Requests at a host name that is one app's own (apps/app_hosts.h). Which host a request is
// for decides its route, before its headers are checked:
//
//   Host                  path                      is
//   of an app             /mcp, /api/…, /ui/…, …    the same below /servers/{slug}
//   of an app             /                         the page of the app
//   of an app             /web/…, /favicon.ico      files of that page
//   of an app             the metadata              those of the app at this name
//   of an app             any other                 404, whatever the server has there
//   another               any                       as without such names
//
// Invariants:
//  HOSTNAME-1. Such a request reaches no other endpoint, and no route of the server
//              itself but files of pages: it is resolved below /servers/{slug} and
//              nowhere else.
//  HOSTNAME-2. Its Host is compared exactly, in http/routes.c by the table alone. A name
//              that is in no table is refused as ever; "*" of the allowed hosts does not
//              count here.
//  HOSTNAME-3. No cookie counts here: a login is of the server's own name.
#ifndef MICA_HTTP_OWN_HOST_H
#define MICA_HTTP_OWN_HOST_H

#include <mica/http.h>
#include <mica/server.h>

struct mica_http;
struct mica_http_exchange;

// Reads the names that the options give. Errors: those of mica_app_hosts_read, MICA_E_USAGE
// (a name of an app is one of the server's, too).
enum mica_status mica_own_hosts_open(struct mica_http *http,
                                     const struct mica_http_options *options,
                                     struct mica_error *error) MICA_MUST_USE;
void mica_own_hosts_close(struct mica_http *http);

// Has it a name that other machines know? Then a proxy is in front of it, which may
// pass on requests under whatever name. Names below "localhost" are of this
// machine (RFC 6761).
bool mica_own_hosts_are_public(const struct mica_http *http);

// Sets exchange->own_host by the host that the request names; NULL: it is no app's. Before the
// route is found.
void mica_own_host_find(struct mica_http_exchange *exchange);

// Makes the name the request's Host: its header may have another case, a port or a dot
// behind it, or may be overruled by the target (RFC 9112, 3.2.2). For a request with one Host
// header.
void mica_own_host_set(struct mica_http_exchange *exchange);

// The hosts and origins that this request may name.
const struct mica_http_allowed *
mica_exchange_allowed(const struct mica_http_exchange *exchange);

// The host that the request names, by its target or else by its first Host header; without
// blanks around it. Empty: it names none.
struct mica_text
mica_exchange_requested_host(const struct mica_http_exchange *exchange);

#endif
