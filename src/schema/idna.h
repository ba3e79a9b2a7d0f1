// SPDX-License-Identifier: Apache-2.0
//
// Internationalized host names (IDNA 2008): RFC 5890 to 5893, with the properties
// of characters from Unicode that scripts/idna-table has put into idna_ranges.h.
#ifndef MICA_SCHEMA_IDNA_H
#define MICA_SCHEMA_IDNA_H

#include <mica/base.h>

// Whether `text` is a host name in ASCII (RFC 1123): labels of letters, digits and
// hyphens with dots between them, 63 bytes a label and 253 in all. A label with
// hyphens in third and fourth place must be an A-label (RFC 5890 section 2.3.2.1):
// "xn--" and the Punycode of a valid U-label, in the one form that an encoder
// writes.
bool mica_idna_is_ascii_hostname(struct mica_text text);

// Whether `text`, which is UTF-8, is a host name of such labels and of U-labels,
// with any of the four full stops of RFC 3490 section 3.1 between them. The limits
// hold for the name with A-labels in place of its U-labels.
bool mica_idna_is_hostname(struct mica_text text);

#endif
