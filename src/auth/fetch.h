// SPDX-License-Identifier: Apache-2.0
//
// Reads a key set from where it is, within bounds: of size, of time, and of
// where a URL may lead.
#ifndef MICA_AUTH_FETCH_H
#define MICA_AUTH_FETCH_H

#include <stdatomic.h>

#include <mica/base.h>

enum {
    MICA_AUTH_JWKS_BYTES = 256 * 1024
};

// A file, by its path.
enum mica_status mica_fetch_file(const char *pathz, struct mica_buffer *buffer,
                                 struct mica_error *error) MICA_MUST_USE;

// An https URL, or an http one of this machine. Ends early once `stopping`.
// Errors: MICA_E_IO, MICA_E_TIMEOUT, MICA_E_LIMIT.
enum mica_status mica_fetch_url(const char *urlz, unsigned timeout_ms,
                                const atomic_bool *stopping,
                                struct mica_buffer *buffer,
                                struct mica_error *error) MICA_MUST_USE;

#endif
