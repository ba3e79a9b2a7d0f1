// SPDX-License-Identifier: Apache-2.0
//
// Where one HTTP/1 request ends and the next begins: a strict reader of heads,
// lengths, chunks and trailers (RFC 9110, RFC 9112) that sees the bytes before
// libmicrohttpd does. It keeps no text and does no I/O.
//
// Two readers of one connection that disagree about its requests can be made to
// answer each other's (request smuggling). So nothing is read leniently here, and
// what the two sides could read in two ways is a fault.
#ifndef MICA_HTTP_FRAMING_H
#define MICA_HTTP_FRAMING_H

#include <mica/base.h>

enum {
    MICA_FRAMING_TEXT = 48,              // of a value that frames, at most
    MICA_FRAMING_FIELD_BYTES = 64,       // what libmicrohttpd keeps of a field
    MICA_FRAMING_CHUNK_LINE_BYTES = 256, // a size with its extensions
    MICA_FRAMING_TRAILER_BYTES = 1024,   // all trailers, and that for each
    MICA_FRAMING_NO_BASE = UINT8_MAX     // the target is not in the base path
};

enum mica_fault {
    MICA_FAULT_NONE,
    MICA_FAULT_LINE,         // of the request
    MICA_FAULT_VERSION,      // another major version
    MICA_FAULT_CONNECT,      // this is no proxy
    MICA_FAULT_NAME,         // of a field
    MICA_FAULT_VALUE,        // of a field
    MICA_FAULT_LINE_END,     // CR or LF alone
    MICA_FAULT_HOST,         // none, two, or what no host is
    MICA_FAULT_LENGTH,       // that is no number
    MICA_FAULT_LENGTHS,      // two of them
    MICA_FAULT_CODING,       // other than "chunked"
    MICA_FAULT_BOTH,         // a length and a coding
    MICA_FAULT_OLD_CODING,   // chunks in HTTP/1.0
    MICA_FAULT_CHUNK,        // a chunk's size, extension or end
    MICA_FAULT_TRAILER,      // that frames, or too many
    MICA_FAULT_HEAD_TOO_LONG // with what is kept of it
};

// One connection. Its members are the reader's own but for `fault`, `speaks_mcp`,
// `last`, `ended` and `heads`.
struct mica_framing {
    uint64_t left;       // bytes of the body, or of the chunk
    size_t cost, most;   // of this head, in the memory of a connection
    uint64_t ended;      // requests whose last byte was seen
    uint64_t heads;      // heads that were seen whole, and are right
    uint16_t length;     // of what `text` would hold, or of a line
    uint8_t state;       // enum framing_state
    uint8_t field;       // enum framing_field
    uint8_t fault;       // enum mica_fault
    uint8_t empty_lines; // before the request
    uint8_t at;          // in the version
    uint8_t hosts, lengths, codings;
    bool minor_zero;            // HTTP/1.0
    bool closes, stays, unsure; // what Connection says
    bool in_trailers;
    bool speaks_mcp;       // the target is MCP's endpoint
    uint8_t matched;       // bytes of the base path, or MICA_FRAMING_NO_BASE
    struct mica_text base; // of the server, taken off targets (base_path.h)
    bool last;             // the connection ends after this request
    char text
        [MICA_FRAMING_TEXT]; // the name of a field, then a value that frames
};

// `most` bytes of memory may a head need, counted as itself and
// MICA_FRAMING_FIELD_BYTES for each field. `base` may stand in front of the paths.
void mica_framing_init(struct mica_framing *framing, size_t most,
                       struct mica_text base);

// Reads on; how many of the bytes are right. Fewer than `size`: framing->fault
// says what the next one is, or framing->last holds and the rest belongs to no
// request. The last byte of a request with a fault is never among the right ones.
// Do not call it again after either.
size_t mica_framing_read(struct mica_framing *framing, const char *bytes,
                         size_t size);

// Nothing of a request has come that is not whole.
bool mica_framing_is_between(const struct mica_framing *framing);

// The HTTP status of a fault, and what was wrong and what to do.
unsigned mica_fault_status(enum mica_fault fault);
const char *mica_fault_text(enum mica_fault fault);

#endif
