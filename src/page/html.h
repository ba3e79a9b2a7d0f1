// SPDX-License-Identifier: Apache-2.0
//
// The smallest pieces of a page. Whatever comes from outside goes through
// mica_html_text.
#ifndef MICA_PAGE_HTML_H
#define MICA_PAGE_HTML_H

#include <mica/base.h>

// HTML as it is.
void mica_html(struct mica_buffer *out, const char *htmlz);

// Text without markup, in an element or between double quotes.
void mica_html_text(struct mica_buffer *out, struct mica_text text);

// ` name="value"`.
void mica_html_attribute(struct mica_buffer *out, const char *namez,
                         struct mica_text value);

// The same for a number.
void mica_html_number(struct mica_buffer *out, const char *namez, size_t value);

#endif
