// SPDX-License-Identifier: Apache-2.0
//
// The base path of an HTTP server ("/tools/x"), and the scheme and host that its clients
// use, which may be those of a proxy. These functions alone read a base path, strip it
// from the path of a request, and write it before a path in a reply. No I/O.
#ifndef MICA_PROTOCOL_BASE_PATH_H
#define MICA_PROTOCOL_BASE_PATH_H

#include <mica/base.h>

enum {
    MICA_BASE_PATH_BYTES = 128,  // of a base path
    MICA_ADDED_PATH_BYTES = 256, // of a base path and the path of an endpoint
    MICA_PUBLIC_URL_BYTES = 512, // of a public URL
};

// Of one HTTP server. The texts are those of its options.
struct mica_base_path {
    struct mica_text
        stripped;            // prefix of requested paths, "/tools/x"; or empty
    struct mica_text added;  // prefix of paths in replies; or empty
    struct mica_text origin; // of addresses in replies, "https://example.org";
                             // empty: as the client wrote it
};

// Reads both options; NULL: not given. Replies have the path of the public URL. It is
// also stripped from requests, unless there is a base path.
// Errors: MICA_E_USAGE, which names the option, what is wrong and what to write.
enum mica_status
mica_base_path_read(const char *base_pathz, const char *public_urlz,
                    struct mica_error *error, struct mica_base_path *base_out)
    MICA_MUST_USE;

// Is it a valid base path, or empty?
bool mica_base_path_fits(struct mica_text added);

// Is it a valid base path followed by the path of an endpoint, or empty?
bool mica_added_path_fits(struct mica_text added);

// Is one of the two equal to the other, or below it? Then a request could be read with
// or without the base path. Returns false if one of them is empty.
bool mica_base_path_overlaps(struct mica_text base, struct mica_text path);

// Strips `prefix` from the path of a request, once. A path that does not begin with it
// stays as it is, as a proxy may have stripped it. The prefix itself becomes an empty
// path.
struct mica_text mica_base_path_strip(struct mica_text prefix,
                                      struct mica_text path);

// Writes the address of a path of this server; the format begins with a "/".
void mica_base_path_add(struct mica_buffer *out, struct mica_text added,
                        const char *formatz, ...) MICA_PRINTF(3, 4);

// The same as a text in `arena`, ended by a NUL; empty for want of memory.
struct mica_text mica_base_path_text(struct mica_arena *arena,
                                     struct mica_text added,
                                     const char *formatz, ...)
    MICA_PRINTF(3, 4);

// The base path of an endpoint: that of the server and the path of the endpoint, in
// `arena` and ended by a NUL; empty for want of memory.
struct mica_text mica_base_path_below(struct mica_arena *arena,
                                      struct mica_text added,
                                      struct mica_text path);

#endif
