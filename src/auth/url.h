// SPDX-License-Identifier: Apache-2.0
//
// The URLs of a configuration, in the one form that needs no normalizing:
// scheme and host in lower case, no user, no fragment, only characters that may
// stand in a quoted header value.
#ifndef MICA_AUTH_URL_H
#define MICA_AUTH_URL_H

#include <mica/base.h>

struct mica_url {
    struct mica_text origin; // "https://mcp.example.com:8443"
    struct mica_text path;   // "" or from the slash on, without query
    struct mica_text query;  // from the question mark on
    bool https;
    bool loopback; // localhost, 127.0.0.0/8 or [::1]
};

// NULL, or what is wrong with the text, as the end of a sentence about it.
const char *mica_url_read(struct mica_text text, struct mica_url *url_out);

// As above for URLs that must not be read by others on the way: https, or http
// on this machine.
const char *mica_url_read_safe(struct mica_text text, struct mica_url *url_out);

#endif
