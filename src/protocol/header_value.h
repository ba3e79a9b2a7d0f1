// SPDX-License-Identifier: Apache-2.0
//
// Names and values of HTTP headers.
#ifndef MICA_PROTOCOL_HEADER_VALUE_H
#define MICA_PROTOCOL_HEADER_VALUE_H

#include <mica/http.h>

#include "base/ascii.h"

// The value of a header by its name in lower case, without the white space around
// it; false when it is not there. Of several the first.
bool mica_header_find(const struct mica_http_request *request,
                      const char *lowercasez, struct mica_text *value_out);

// Decodes the value of Mcp-Name or Mcp-Param-* (guide 1.3): white space around
// it dropped, =?base64?…?= decoded strictly, raw bytes outside printable ASCII
// refused. False when it is malformed.
bool mica_header_decode(struct mica_arena *arena, struct mica_text value,
                        struct mica_text *decoded_out);
struct mica_text mica_header_trim(struct mica_text value);

// Can it be a header's name, or the end of one?
bool mica_header_is_token(struct mica_text text);

// Takes the next element off a list that is separated by commas, without the
// white space around it. False at the end.
bool mica_header_next(struct mica_text *list, struct mica_text *element_out);

// What stands before the parameters of a value, or of an element of a list:
// "application/json" of "application/json; charset=utf-8".
struct mica_text mica_header_bare(struct mica_text value);

// Is an element of Accept or Accept-Encoding wanted? Not when its weight is 0
// (RFC 9110, 12.4.2).
bool mica_header_wants(struct mica_text element);

// Is that content coding, in lower case, one that Accept-Encoding lists?
bool mica_header_accepts_coding(const struct mica_http_request *request,
                                const char *lowercasez);

// RFC 9110, 13.1.2: does If-None-Match name the entity tag, compared weakly? `*`
// counts when `any`. No tag is named by nothing.
bool mica_header_names_tag(const struct mica_http_request *request,
                           struct mica_text tag, bool any);

// Whether a request may come with that Host or that Origin: names of the loopback,
// and those that are allowed (NULL: no others).
bool mica_http_host_allowed(const struct mica_http_allowed *allowed,
                            struct mica_text host);
bool mica_http_origin_allowed(const struct mica_http_allowed *allowed,
                              struct mica_text origin);

#endif
