// SPDX-License-Identifier: Apache-2.0
//
// Reads the header Accept (RFC 9110, 12.5.1), for all that answer over HTTP. Which media
// types each of them demands is its own rule.
#ifndef MICA_PROTOCOL_ACCEPT_H
#define MICA_PROTOCOL_ACCEPT_H

#include <mica/http.h>

// The media types that matter somewhere, or-ed over all elements and lines.
enum mica_media {
    MICA_MEDIA_LISTED = 1, // any element, also one of weight 0
    // Not of weight 0; another weight does not count:
    MICA_MEDIA_JSON = 2,    // application/json, application/*
    MICA_MEDIA_STREAM = 4,  // text/event-stream
    MICA_MEDIA_TEXT = 8,    // text/*
    MICA_MEDIA_ANY = 16,    // */*
    MICA_MEDIA_HTML = 32,   // text/html
    MICA_MEDIA_PROBLEM = 64 // application/problem+json
};

// The types in the value of one line; 0: it lists none.
unsigned mica_accept_line(struct mica_text value);

// The types in all lines of a request. 0: there is no such header, or it is empty.
unsigned mica_accept_request(const struct mica_http_request *request);

#endif
