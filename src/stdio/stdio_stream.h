// SPDX-License-Identifier: Apache-2.0
//
// The descriptors of stdin and stdout while they carry the protocol. Both are
// moved aside, so that nothing a handler does, in this process or in one that it
// starts, can write into the protocol or read from it: descriptor 1 is stderr
// then, and descriptor 0 is empty.
#ifndef MICA_STDIO_STREAM_H
#define MICA_STDIO_STREAM_H

#include "call/call.h"

struct mica_stream {
    int in, out;
    int writing;  // where output goes: `out`, or the same pipe opened again
    bool socket;  // it is a socket
    size_t piece; // bytes that one write may take
    int stop;     // readable once the program is told to end
    bool broken;  // its reader has gone
    struct mica_buffer output;
};

enum mica_status mica_stream_open(int stop, struct mica_error *error,
                                  struct mica_stream *stream_out) MICA_MUST_USE;

// Puts the descriptors back.
void mica_stream_close(struct mica_stream *stream);

// Adds a line to the output. It is written with others, at the latest by
// mica_stream_flush.
void mica_stream_write(struct mica_stream *stream, struct mica_text line);

// Adds a line with a string in it that is read now, from `at` on; a line that cannot
// be written whole ends the stream.
void mica_stream_write_late(struct mica_stream *stream, struct mica_text line,
                            size_t at, struct mica_streamed_text *streamed);

// Writes what was added; sets `broken` when its reader has gone, and stops early
// when the program is told to end meanwhile.
void mica_stream_flush(struct mica_stream *stream);

#endif
