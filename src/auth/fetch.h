// SPDX-License-Identifier: Apache-2.0
//
// Reads from where key sets and other documents of an issuer are, and posts forms there,
// within bounds: of size, of time, and of where a URL may lead.
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

// A request to an issuer. NULL: it is not there.
struct mica_fetch {
    const char *urlz;
    const char *acceptz; // media types
    const char *formz; // posted as application/x-www-form-urlencoded; NULL: GET
    const char *userz; // of HTTP Basic, as "name:password"
    unsigned timeout_ms; // of all of it
    const atomic_bool *stopping;
};

// As mica_fetch_url; a response of any status is one, whose status is `status_out`.
enum mica_status mica_fetch_send(const struct mica_fetch *fetch,
                                 struct mica_buffer *buffer, long *status_out,
                                 struct mica_error *error) MICA_MUST_USE;

#endif
