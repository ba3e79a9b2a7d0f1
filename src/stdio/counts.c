// SPDX-License-Identifier: Apache-2.0
//
// Gauges with the names that they have over HTTP where they mean the same.
#include "stdio/counts.h"

#include "platform/clock.h"
#include "serve/operation.h"

// Defines read_<name>, which gives `expression` of `counts`.
#define READER(name, expression)                \
    static int64_t read_##name(void *data)      \
    {                                           \
        struct mica_pipe_counts *counts = data; \
        return (int64_t)(expression);           \
    }

READER(tasks, mica_workers_busy(counts->workers))
READER(lines, atomic_load(&counts->lines))
READER(skipped, atomic_load(&counts->skipped))
READER(missed, atomic_load(&counts->missed))
READER(asked, atomic_load(&counts->asked))
READER(subscriptions, atomic_load(&counts->subscriptions))
READER(unsubscribed, atomic_load(&counts->unsubscribed))

static const struct {
    const char *name, *help;
    int64_t (*read)(void *data);
} gauges[] = {
    {"mica_stdio_lines_total", "Lines that were read.", read_lines},
    {"mica_stdio_lines_skipped_total",
     "Lines that were longer than this server reads.", read_skipped},
    {"mica_tasks", "Calls that wait for a worker or run on one.", read_tasks},
    {"mica_notifications_missed_total",
     "Notifications left out, as they were read too slowly.", read_missed},
    {"mica_session_questions_total", "Questions that the client was asked.",
     read_asked},
    {"mica_subscriptions", "Open subscriptions/listen.", read_subscriptions},
    {"mica_subscriptions_refused_total",
     "Subscriptions that were refused: there were too many.",
     read_unsubscribed},
};

enum mica_status
mica_pipe_counts_open(struct mica_pipe_counts *counts, const char *listen,
                      struct mica_workers *workers, struct mica_error *error)
{
    unsigned port;

    if (listen == NULL)
        return MICA_OK;
    counts->workers = workers;
    MICA_TRY(mica_metrics_open(error, &counts->metrics));
    for (size_t i = 0; i < MICA_COUNT(gauges); i++)
        mica_metrics_gauge(counts->metrics, gauges[i].name, gauges[i].help,
                           gauges[i].read, counts);
    return mica_scrape_open(counts->metrics, listen, error, &counts->scrape,
                            &port);
}

void
mica_pipe_counts_close(struct mica_pipe_counts *counts)
{
    mica_scrape_close(&counts->scrape); // it asks the workers
    mica_metrics_close(&counts->metrics);
}

uint64_t
mica_pipe_counts_now(const struct mica_pipe_counts *counts)
{
    return counts->metrics != NULL ? mica_clock_ns() : 0;
}

void
mica_pipe_counts_message(struct mica_pipe_counts *counts,
                         const struct mica_message *message, const char *code,
                         uint64_t started_ns)
{
    if (counts->metrics != NULL)
        mica_operation_message(counts->metrics, message, code, "pipe",
                               mica_clock_ns() - started_ns);
}

void
mica_pipe_counts_subscribed(struct mica_pipe_counts *counts)
{
    mica_pipe_count(&counts->subscriptions);
}

void
mica_pipe_counts_unsubscribed(struct mica_pipe_counts *counts,
                              enum mica_revision revision, uint64_t started_ns)
{
    atomic_fetch_sub(&counts->subscriptions, 1);
    if (counts->metrics != NULL)
        mica_operation_subscription(counts->metrics, revision, "pipe",
                                    mica_clock_ns() - started_ns);
}

void
mica_pipe_counts_refused(struct mica_pipe_counts *counts, const char *code)
{
    if (counts->metrics != NULL && code != NULL)
        mica_metrics_refused(counts->metrics, code);
}
