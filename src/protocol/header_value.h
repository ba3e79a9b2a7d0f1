// SPDX-License-Identifier: Apache-2.0
//
// Reads names and values of HTTP headers.
#ifndef MICA_PROTOCOL_HEADER_VALUE_H
#define MICA_PROTOCOL_HEADER_VALUE_H

#include <mica/http.h>

#include "base/ascii.h"

// Finds the value of a header by its name in lower case, without the white space around
// it; the first of several. Returns false if it is missing.
bool mica_header_find(const struct mica_http_request *request,
                      const char *lowercasez, struct mica_text *value_out);

// Decodes the value of Mcp-Name or Mcp-Param-* (MCP: Streamable HTTP, value encoding):
// trims white space, decodes =?base64?…?= strictly, and refuses raw bytes outside
// printable ASCII. Returns false if the value is malformed.
bool mica_header_decode(struct mica_arena *arena, struct mica_text value,
                        struct mica_text *decoded_out);
struct mica_text mica_header_trim(struct mica_text value);

// Can it be the name of a header, or a part of one?
bool mica_header_is_token(struct mica_text text);

// Removes the next element from a list that is separated by commas, without the white
// space around it. Returns false at the end.
bool mica_header_next(struct mica_text *list, struct mica_text *element_out);

// A value, or an element of a list, without its parameters: "application/json" of
// "application/json; charset=utf-8".
struct mica_text mica_header_bare(struct mica_text value);

// Returns false if the weight of an element of Accept or Accept-Encoding is 0 (RFC 9110,
// 12.4.2).
bool mica_header_wants(struct mica_text element);

// Does Accept-Encoding list that content coding (in lower case)?
bool mica_header_accepts_coding(const struct mica_http_request *request,
                                const char *lowercasez);

// RFC 9110, 13.1.2: does If-None-Match name the entity tag, compared weakly? With `any`,
// `*` names every tag.
bool mica_header_names_tag(const struct mica_http_request *request,
                           struct mica_text tag, bool any);

enum {
    MICA_ORIGIN_BYTES = 272 // a scheme, 253 bytes of a name, a port
};

// May a request have that Host, or that Origin? Names of the loopback may, and those of
// `allowed` (NULL: no others). No port has more than five digits, and no Origin more than
// MICA_ORIGIN_BYTES bytes: replies repeat it.
bool mica_http_host_allowed(const struct mica_http_allowed *allowed,
                            struct mica_text host);
bool mica_http_origin_allowed(const struct mica_http_allowed *allowed,
                              struct mica_text origin);

#endif
