// SPDX-License-Identifier: Apache-2.0
//
// Finds where one HTTP/1 request ends and the next begins: a strict parser of heads,
// lengths, chunks and trailers (RFC 9110, RFC 9112) that reads the bytes before
// libmicrohttpd does. It stores no request and does no I/O.
//
// If a proxy and a server split the bytes of a connection into requests in two ways, a
// client can have one of them answer another client's request (request smuggling). So
// this parser is not lenient: whatever two programs could read in two ways is a fault.
#ifndef MICA_HTTP_FRAMING_H
#define MICA_HTTP_FRAMING_H

#include <mica/base.h>

enum {
    MICA_FRAMING_TEXT = 48,              // of a framing field's value, at most
    MICA_FRAMING_FIELD_BYTES = 64,       // what libmicrohttpd keeps of a field
    MICA_FRAMING_CHUNK_LINE_BYTES = 256, // a size with its extensions
    MICA_FRAMING_TRAILER_BYTES = 1024, // of all trailers; of less, if the head
                                       // has left less
};

enum mica_fault {
    MICA_FAULT_NONE,
    MICA_FAULT_LINE,         // of the request
    MICA_FAULT_VERSION,      // another major version
    MICA_FAULT_CONNECT,      // the method; mica is not a proxy
    MICA_FAULT_NAME,         // of a field
    MICA_FAULT_VALUE,        // of a field
    MICA_FAULT_LINE_END,     // CR or LF alone
    MICA_FAULT_HOST,         // none, two, or not a host
    MICA_FAULT_LENGTH,       // not a number
    MICA_FAULT_LENGTHS,      // two of them
    MICA_FAULT_CODING,       // other than "chunked"
    MICA_FAULT_BOTH,         // a length and a coding
    MICA_FAULT_OLD_CODING,   // chunks in HTTP/1.0
    MICA_FAULT_CHUNK,        // a chunk's size, extension or end
    MICA_FAULT_TRAILER,      // a framing field, or too many
    MICA_FAULT_HEAD_TOO_LONG // counted as in mica_framing_init
};

// The parser of one connection. Callers read only `fault`, `speaks_mcp`, `last`, `ended`,
// `heads`, `spare`, `minor_zero` and `unsure`.
struct mica_framing {
    uint64_t left;     // bytes to come of the body, or of the chunk
    size_t cost, most; // memory that this head needs, and may need
    size_t spare;      // memory that the last whole head left, without trailers
    uint64_t ended;    // requests whose last byte was read
    uint64_t heads;    // valid heads that were read whole
    uint16_t length;   // of `text`, or of the number or extension being read
    uint8_t state;     // enum framing_state
    uint8_t field;     // enum framing_field
    uint8_t fault;     // enum mica_fault
    uint8_t empty_lines; // before the request
    uint8_t at;          // in the version; enum target_end in the target
    uint8_t hosts, lengths, codings;
    bool minor_zero;            // HTTP/1.0
    bool closes, stays, unsure; // close, keep-alive; the value is too long
    bool in_trailers;
    bool speaks_mcp; // the path of the target ends with "/mcp"
    bool last;       // the connection ends after this request
    // The method, the name of a field, or the value of a framing field.
    char text[MICA_FRAMING_TEXT];
};

// A head may need `most` bytes of memory: its length, and MICA_FRAMING_FIELD_BYTES for
// each field.
void mica_framing_init(struct mica_framing *framing, size_t most);

// Reads more bytes. Returns how many of them are valid. Fewer than `size`:
// framing->fault is the fault of the next byte, or framing->last is true and the rest
// belongs to no request. The last byte of a request with a fault is never counted. Do
// not call this again after either.
size_t mica_framing_read(struct mica_framing *framing, const char *bytes,
                         size_t size);

// Returns true between two requests: no request has been read in part.
bool mica_framing_is_between(const struct mica_framing *framing);

// The HTTP status of a fault; and its text: what was wrong and what to do.
unsigned mica_fault_status(enum mica_fault fault);
const char *mica_fault_text(enum mica_fault fault);

#endif
