// SPDX-License-Identifier: Apache-2.0
//
// URLs in the one form that needs no normalizing:
// scheme and host in lower case, no user, no fragment, only characters that may
// stand in a quoted header value.
#ifndef MICA_BASE_URL_H
#define MICA_BASE_URL_H

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

// Has the path of a URL that was read a segment "." or "..", also escaped? Programs take
// these out before they send it, so that the path leads elsewhere.
bool mica_url_has_dots(struct mica_text path);

// Letters, digits and -._~ (RFC 3986, 2.3).
bool mica_url_is_unreserved(char c);

// Adds a text as one segment of a path or one value of a query: all bytes but the unreserved
// ones as %XX.
void mica_url_encode(struct mica_buffer *out, struct mica_text text);

// As mica_url_read for an origin, which has no path and no query.
const char *mica_url_read_origin(struct mica_text text,
                                 struct mica_url *url_out);

// Are both origins the same? A port that the scheme has anyway may be written or not.
bool mica_url_same_origin(struct mica_text a, struct mica_text b);

// The host of a URL that was read, an IPv6 address in brackets, without the port.
struct mica_text mica_url_host(const struct mica_url *url);

#endif
