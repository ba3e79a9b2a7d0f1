// SPDX-License-Identifier: Apache-2.0
//
// The headers of a response (mica/http.h).
#ifndef MICA_PROTOCOL_RESPONSE_HEADER_H
#define MICA_PROTOCOL_RESPONSE_HEADER_H

#include <mica/http.h>

#include "base/assert.h"

// Adds a header; both texts stay with the caller. A response has room for all that mica
// writes, and one more would be a defect of mica: it is left out.
static inline void
mica_response_add(struct mica_http_response *response, const char *namez,
                  struct mica_text value)
{
    bool fits = response->header_count < MICA_COUNT(response->headers);

    MICA_ASSERT(fits);
    if (fits)
        response->headers[response->header_count++] =
            (struct mica_header){mica_text(namez), value};
}

#endif
