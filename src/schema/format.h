// SPDX-License-Identifier: Apache-2.0
//
// Forms of text that fields and schemas both check.
#ifndef MICA_SCHEMA_FORMAT_H
#define MICA_SCHEMA_FORMAT_H

#include <mica/base.h>

bool mica_format_is_ipv4(struct mica_text text);
bool mica_format_is_ipv6(struct mica_text text);

// Labels of letters, digits and hyphens, at most 253 bytes (RFC 1123).
bool mica_format_is_hostname(struct mica_text text);

// A URI of RFC 3986, or with `relative` a reference; with `wide` characters
// beyond ASCII are allowed, which makes it an IRI.
bool mica_format_is_uri(struct mica_text text, bool relative, bool wide);

#endif
