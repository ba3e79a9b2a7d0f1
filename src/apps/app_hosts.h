// SPDX-License-Identifier: Apache-2.0
//
// Host names of apps' own. At such a name a server is that one app: its endpoint is at
// https://support.example.com/mcp, and nothing else of the server is there. Only the operator
// says which name is of which app (apps.hosts of mica.toml); a name with an unpublished slug
// answers as the slug does. Pure, without I/O.
//
// A name is lower case here, without port and without a dot at its end, and one in another
// script is in its ASCII form (xn--…, RFC 5891): two spellings of a name are one name.
#ifndef MICA_APPS_APP_HOSTS_H
#define MICA_APPS_APP_HOSTS_H

#include <mica/base.h>

enum {
    MICA_APP_HOSTS = 1000,         // names of one server, at most
    MICA_APP_HOST_BYTES = 253,     // of a name (RFC 1035)
    MICA_APP_HOSTS_BYTES = 1 << 20 // of all that mica_app_hosts_read keeps
};

struct mica_app_host {
    struct mica_text name;   // "support.example.com"; a NUL is behind it
    struct mica_text origin; // "https://support.example.com:8443", of addresses
    struct mica_text slug;
    size_t given; // index among the texts that were read
};

struct mica_app_hosts {
    const struct mica_app_host *items; // by name
    size_t count;
};

// Reads "NAME=SLUG". NAME may begin with https:// (which holds without it) or http://, and
// end with a port: both are of the addresses that the server writes, and a request may come
// with any. Owner: texts are in `arena`. Errors: MICA_E_USAGE, with what is wrong and what to
// write.
enum mica_status mica_app_host_read(const char *textz, struct mica_arena *arena,
                                    struct mica_error *error,
                                    struct mica_app_host *host_out)
    MICA_MUST_USE;

// Reads all of a NULL-ended list (or NULL). Errors: those of each, MICA_E_DUPLICATE (one name
// twice, for whatever app), MICA_E_LIMIT; then `wrong_out` (unless NULL) is the index of the
// text that is refused.
enum mica_status mica_app_hosts_read(const char *const *textsz,
                                     struct mica_arena *arena,
                                     struct mica_error *error,
                                     struct mica_app_hosts *hosts_out,
                                     size_t *wrong_out) MICA_MUST_USE;

// The entry for a Host header, or for the host of a request target: in any case, with a port
// or not, with one dot at its end or not. NULL: the name is of no app.
const struct mica_app_host *
mica_app_hosts_find(const struct mica_app_hosts *hosts, struct mica_text host);

// The first name that was given for the app; NULL: it has none.
const struct mica_app_host *
mica_app_hosts_of(const struct mica_app_hosts *hosts, struct mica_text slug);

#endif
