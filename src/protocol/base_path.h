// SPDX-License-Identifier: Apache-2.0
//
// Where clients find the paths of an HTTP server: behind a base path ("/tools/x/mcp"),
// perhaps at a scheme and host that only a proxy knows. This is the one place that
// reads such a base path, takes it off the path of a request and writes it in front
// of a path in a reply. No I/O.
#ifndef MICA_PROTOCOL_BASE_PATH_H
#define MICA_PROTOCOL_BASE_PATH_H

#include <mica/base.h>

enum {
    MICA_BASE_PATH_BYTES = 128, // of a base path
    MICA_ADDED_PATH_BYTES =
        256, // of that and the path of an endpoint behind it
    MICA_PUBLIC_URL_BYTES = 512, // of a public URL, whole
};

// Of one HTTP server. The texts are those of its options.
struct mica_base_path {
    struct mica_text stripped; // in front of requests, "/tools/x"; or empty
    struct mica_text added;    // in front of paths in replies; or empty
    struct mica_text origin; // of addresses in replies, "https://example.org";
                             // empty: as the client wrote it
};

// Reads both options; NULL: it is not given. The path of the public URL is what
// replies have, and it is also taken off requests unless there is a base path.
// Errors: MICA_E_USAGE, which names the option, what is wrong and what to write.
enum mica_status
mica_base_path_read(const char *base_pathz, const char *public_urlz,
                    struct mica_error *error, struct mica_base_path *base_out)
    MICA_MUST_USE;

// Can it stand in front of paths? An empty text can.
bool mica_base_path_fits(struct mica_text added);

// The same of a base path with the path of an endpoint behind it.
bool mica_added_path_fits(struct mica_text added);

// Is one of them the other, or below it? Then a path below both could be meant with or
// without the base path. Neither with an empty one.
bool mica_base_path_overlaps(struct mica_text base, struct mica_text path);

// The path of a request behind `taken`, which is taken off once. A path that does not
// begin with it stays as it is, as a proxy may have taken it off. "/tools/x" itself
// becomes an empty path.
struct mica_text mica_base_path_strip(struct mica_text stripped,
                                      struct mica_text path);

// Adds the address of a path of this server, which the format begins with a "/".
void mica_base_path_add(struct mica_buffer *out, struct mica_text added,
                        const char *formatz, ...) MICA_PRINTF(3, 4);

// The same as a text in `arena`, ended by a NUL; empty for want of memory.
struct mica_text mica_base_path_text(struct mica_arena *arena,
                                     struct mica_text added,
                                     const char *formatz, ...)
    MICA_PRINTF(3, 4);

#endif
