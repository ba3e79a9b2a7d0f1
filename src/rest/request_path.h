// SPDX-License-Identifier: Apache-2.0
//
// The address of a request that a view sends by http_request: a path of this server, which is
// resolved before anything is compared with it. Two readers of one address that resolve it
// differently are how such checks are evaded, so what could be read in two ways is refused.
#ifndef MICA_REST_REQUEST_PATH_H
#define MICA_REST_REQUEST_PATH_H

#include <mica/base.h>

enum {
    MICA_REQUEST_PATH_BYTES = 2048, // of a path, as it came
    MICA_REQUEST_QUERY_BYTES = 8192 // of a query
};

struct mica_request_path {
    struct mica_text path;  // from the root, without "." and ".."
    struct mica_text query; // after the "?", as it came
};

// Reads "/api/dice?count=2". Refuses an absolute address (https://…, //host), a fragment, a
// backslash, an empty segment, a path that leaves the root, bytes outside of printable ASCII,
// and percent-encodings of "/", "\", ".", "%" and of control characters. Owner: the path is
// in `arena`, the query in `url`.
// Errors: MICA_E_FORMAT, MICA_E_LIMIT.
enum mica_status mica_request_path_read(struct mica_arena *arena,
                                        struct mica_text url,
                                        struct mica_error *error,
                                        struct mica_request_path *path_out)
    MICA_MUST_USE;

// Is it `root`, or below it? "/api/x" is below "/api", "/apis" is not.
bool mica_request_path_is_below(struct mica_text path, struct mica_text root);

#endif
