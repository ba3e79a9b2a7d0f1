// SPDX-License-Identifier: Apache-2.0
//
// The names under which sandboxes of views are served (sandbox_page.h), and those of the
// pages that may embed them.
#ifndef MICA_HTTP_SANDBOX_NAME_H
#define MICA_HTTP_SANDBOX_NAME_H

#include <mica/base.h>

struct mica_http_exchange;

// Removes ":PORT" from the end of a host and returns it; empty if there is no port.
struct mica_text mica_sandbox_split_port(struct mica_text *host);

// Whether that is what a name of a sandbox has before ".localhost": 8 to 63 of a-z, 0-9 and "-".
bool mica_sandbox_is_label(struct mica_text label);

// Whether the host, with or without a port, is a name of a sandbox.
bool mica_sandbox_is_name(struct mica_text host);

// Whether a page at this address may embed the sandboxes of this server: they admit pages
// of localhost and 127.0.0.1 alone. The port begins with its colon, or is empty.
bool mica_sandbox_admits(const struct mica_http_exchange *exchange,
                         struct mica_text *port_out);

#endif
