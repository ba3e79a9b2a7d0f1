// SPDX-License-Identifier: Apache-2.0
//
// The text formats that a field may ask for.
#ifndef MICA_SCHEMA_FORMAT_H
#define MICA_SCHEMA_FORMAT_H

#include <mica/record.h>

// A mailbox of RFC 5321 without quoted local parts and address literals:
// dot-atom "@" domain name.
bool mica_format_is_email(struct mica_text text);

// A URI of RFC 3986 section 3: with scheme; a fragment is allowed.
bool mica_format_is_uri(struct mica_text text);

// Hex and dashes as 8-4-4-4-12, any version and variant (RFC 9562).
bool mica_format_is_uuid(struct mica_text text);

// Any text has MICA_NO_FORMAT.
bool mica_format_matches(enum mica_format format, struct mica_text text);

// "email", "uri", "uuid": the name in JSON Schema.
const char *mica_format_name(enum mica_format format);

// An example, for messages: "name@example.org".
const char *mica_format_sample(enum mica_format format);

#endif
