// SPDX-License-Identifier: Apache-2.0
//
// A query as it came (a=1&b=x+y) into names and values, as HTML forms write it
// (URL standard, application/x-www-form-urlencoded): "+" is a blank, %XX a byte.
#ifndef MICA_REST_QUERY_H
#define MICA_REST_QUERY_H

#include "rest/pairs.h"

enum {
    MICA_QUERY_BYTES = 4096, // of a query, as it came
    MICA_QUERY_PAIRS = 128
};

struct mica_query {
    struct mica_pair *pairs;
    size_t count;
};

// Owner: everything is in `arena`. Errors: MICA_E_LIMIT, MICA_E_FORMAT (a "%" that
// is no byte, bytes that are no UTF-8, a NUL, a part without a name).
enum mica_status mica_query_read(struct mica_arena *arena,
                                 struct mica_text query,
                                 struct mica_error *error,
                                 struct mica_query *query_out) MICA_MUST_USE;

#endif
