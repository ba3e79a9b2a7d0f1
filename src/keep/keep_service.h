// SPDX-License-Identifier: Apache-2.0
//
// The databases of the tools of a server or of a test: a file each in one folder, opened
// at its first use.
#ifndef MICA_KEEP_KEEP_SERVICE_H
#define MICA_KEEP_KEEP_SERVICE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "call/keep_provider.h"

struct mica_keep_database;

struct mica_keep_service {
    struct mica_keep_provider provider; // first: it is what the core finds
    char folder[PATH_MAX];
    uint32_t megabytes;
    pthread_mutex_t lock; // of the list
    struct mica_keep_database *databases;
    atomic_llong steps;    // that were run
    atomic_llong replayed; // of these, answered by a mark
    atomic_llong failed;
    atomic_llong expired; // entries that were removed, as their time has passed
};

// Makes the folder at the first use. Errors: MICA_E_USAGE (no folder, or too long a
// path), MICA_E_LIMIT.
enum mica_status mica_keep_service_open(const struct mica_keep_options *options,
                                        struct mica_error *error,
                                        struct mica_keep_service **service_out)
    MICA_MUST_USE;

// Closes all databases, and frees it. `data` is a struct mica_keep_service.
void mica_keep_service_close(void *data);

struct mica_keep_counts {
    long long steps, replayed, failed, expired;
};

// Of a server; all zero if its tools keep nothing. From any thread.
struct mica_server;
struct mica_keep_counts mica_keep_counts(struct mica_server *server);

#endif
