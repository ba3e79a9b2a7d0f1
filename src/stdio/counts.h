// SPDX-License-Identifier: Apache-2.0
//
// What a server on a pipe counts of itself, and shows at /metrics when it was
// asked to. Where it was not, no clock is read and no label is made.
//
// Threads: the serving thread counts; others only add to `missed`, and the
// listener of the metrics reads.
#ifndef MICA_STDIO_COUNTS_H
#define MICA_STDIO_COUNTS_H

#include <stdatomic.h>

#include "http/scrape.h"
#include "serve/workers.h"
#include "server/server.h"

struct mica_pipe_counts {
    struct mica_metrics *metrics; // NULL: not asked for
    struct mica_scrape *scrape;
    struct mica_workers *workers;
    atomic_size_t lines;         // that were read
    atomic_size_t skipped;       // too long
    atomic_size_t missed;        // notifications left out: read too slowly
    atomic_size_t subscriptions; // open now, of subscriptions/listen
    atomic_size_t unsubscribed;  // refused: too many
    atomic_size_t asked;         // questions that were sent
};

// Serves the counts at `listen`, unless it is NULL. Owner: `workers` are to be
// closed after this. Errors: MICA_E_USAGE, MICA_E_IO, MICA_E_LIMIT.
enum mica_status mica_pipe_counts_open(struct mica_pipe_counts *counts,
                                       const char *listen,
                                       struct mica_workers *workers,
                                       struct mica_error *error) MICA_MUST_USE;

// Ends that; nothing is counted from here on. Idempotent.
void mica_pipe_counts_close(struct mica_pipe_counts *counts);

// Now, for a duration; 0 without metrics.
uint64_t mica_pipe_counts_now(const struct mica_pipe_counts *counts);

// A message that has ended with `code`, or NULL.
void mica_pipe_counts_message(struct mica_pipe_counts *counts,
                              const struct mica_message *message,
                              const char *code, uint64_t started_ns);

// A subscription that has begun, and one that has ended.
void mica_pipe_counts_subscribed(struct mica_pipe_counts *counts);
void mica_pipe_counts_unsubscribed(struct mica_pipe_counts *counts,
                                   enum mica_revision revision,
                                   uint64_t started_ns);

// Something that was refused with that stable code; NULL: nothing was.
void mica_pipe_counts_refused(struct mica_pipe_counts *counts,
                              const char *code);

// One more of a kind that has no more to it.
static inline void
mica_pipe_count(atomic_size_t *count)
{
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

#endif
