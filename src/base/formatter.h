// SPDX-License-Identifier: Apache-2.0
//
// The formatter behind mica_buffer_format, with a choice of what happens when
// the text does not fit: an error message is cut, a buffer drops it whole.
#ifndef MICA_BASE_FORMATTER_H
#define MICA_BASE_FORMATTER_H

#include <mica/base.h>

enum {
    MICA_QUOTE_BYTES = 200 // of one text between quotes, in a message
};

// The message of an error: fits into `size` bytes at `out` with its NUL. A text
// that the format puts between quotes (\"%.*s\", '%s') is cut at
// MICA_QUOTE_BYTES, so that a long name or value of a client cannot displace
// what the message says about it. What is cut ends with "…", between two
// characters.
void mica_format_message(char *out, size_t size, const char *formatz,
                         va_list arguments) MICA_PRINTF(3, 0);

// Ends the text of which the first `size` bytes at most are at `out` and which
// is `len` bytes long: with a NUL, and when it did not fit with "…" before it.
// Returns its length then.
size_t mica_format_finish(char *out, size_t size, size_t len);

#endif
