// SPDX-License-Identifier: Apache-2.0
//
// Finds the id of a request whose text is not JSON or is too long, so that the client
// learns which of its requests failed. It reads the bytes in pieces and stores only the
// id.
//
// The id counts only if it is unambiguous: the text begins as an object, whose own members
// include "method" and one "id", and neither "result" nor "error" (an error with the id
// of a response would end another request with the same id). The scan ends at a bracket
// that closes one of another kind.
#ifndef MICA_PROTOCOL_ID_SCAN_H
#define MICA_PROTOCOL_ID_SCAN_H

#include <mica/base.h>

enum {
    MICA_ID_BYTES = 256, // of a request's id, as JSON
    MICA_ID_SCAN_DEPTH = 64
};

// Zero is the start of a message.
struct mica_id_scan {
    uint8_t state;       // of the table in id_scan.c
    bool string, escape; // inside a string; after its backslash
    bool method, answer; // "method" was seen; "result" or "error" was seen
    bool wanted;         // the current value is that of "id"
    uint8_t ids;         // how many were seen, at most 2
    uint8_t depth;
    uint64_t arrays;  // one bit for each level: it is an array
    size_t name_size; // bytes of the name that is being read
    char name[8];
    size_t id_size;
    char id[MICA_ID_BYTES];
};

// Reads more bytes.
void mica_id_scan(struct mica_id_scan *scan, struct mica_text text);

// The id as JSON, a string or an integer; {NULL, 0} if none was found. It points
// into `scan`, which may read more bytes afterwards.
struct mica_text mica_id_scan_found(const struct mica_id_scan *scan);

// May the JSON value be the id of a request? A string or an integer may (MCP: RequestId;
// null and fractions are invalid).
struct mica_json;
bool mica_id_is_valid(const struct mica_json *id);

#endif
