// SPDX-License-Identifier: Apache-2.0
//
// The formatter behind mica_buffer_format, with a choice of what happens when
// the text does not fit: an error message is cut, a buffer drops it whole.
#ifndef MICA_BASE_FORMAT_H
#define MICA_BASE_FORMAT_H

#include <mica/base.h>

// Formats into `size` bytes at `out` (no NUL) and returns the length the whole
// text has, of which the first `size` bytes at most were written.
size_t mica_format_cut(char *out, size_t size, const char *formatz,
                       va_list arguments) MICA_PRINTF(3, 0);

#endif
