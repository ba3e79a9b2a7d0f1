// SPDX-License-Identifier: Apache-2.0
//
// Bytes of a pipe in, lines out, each bounded. No descriptor is touched here:
// the caller reads into the room it is given.
#ifndef MICA_STDIO_LINES_H
#define MICA_STDIO_LINES_H

#include <mica/base.h>

#include "protocol/id_scan.h"

struct mica_lines {
    char *bytes;
    size_t capacity, start, scanned, end; // a line begins at start
    size_t max;                           // of a line, its end not counted
    bool skipping;                        // within a line that is too long
    struct mica_id_scan scan;             // of that line
};

enum mica_line {
    MICA_LINE_NONE, // read more
    MICA_LINE_TEXT, // without its end; valid until more is read
    MICA_LINE_LONG  // longer than max: skipped, said at its end
};

enum mica_status mica_lines_open(size_t max, struct mica_error *error,
                                 struct mica_lines *lines_out) MICA_MUST_USE;
void mica_lines_close(struct mica_lines *lines);

// Room for more bytes; NULL when there is no memory. Call when there is no line.
char *mica_lines_room(struct mica_lines *lines, size_t *size_out);
void mica_lines_filled(struct mica_lines *lines, size_t size);

// The next line that is not blank. With `at_end` what is left counts as one. Of a
// line that is too long `line_out` is the id of its request, or empty.
enum mica_line mica_lines_next(struct mica_lines *lines, bool at_end,
                               struct mica_text *line_out);

#endif
