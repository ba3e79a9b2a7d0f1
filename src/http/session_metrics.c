// SPDX-License-Identifier: Apache-2.0
//
// What the metrics say of sessions: counters of this process, and what is open
// in it now.
#include "http/http.h"
#include "http/legacy.h"

static int64_t
begun(void *data)
{
    return (int64_t)mica_keeper_counts(data).begun;
}

static int64_t
ended(void *data)
{
    return (int64_t)mica_keeper_counts(data).ended;
}

static int64_t
refused(void *data)
{
    return (int64_t)mica_keeper_counts(data).refused;
}

static int64_t
streams(void *data)
{
    return (int64_t)mica_legacy_counts(data).streams;
}

static int64_t
resumed(void *data)
{
    return (int64_t)mica_legacy_counts(data).resumed;
}

static int64_t
runs(void *data)
{
    return (int64_t)mica_legacy_counts(data).runs;
}

static int64_t
lost(void *data)
{
    return (int64_t)mica_legacy_counts(data).lost;
}

void
mica_session_metrics(struct mica_http *http)
{
    struct mica_metrics *metrics = http->metrics;

    if (http->legacy == NULL)
        return;
    mica_metrics_gauge(metrics, "mica_sessions_begun_total",
                       "Sessions that were begun here.", begun, http->keeper);
    mica_metrics_gauge(metrics, "mica_sessions_ended_total",
                       "Sessions that were ended here by DELETE.", ended,
                       http->keeper);
    mica_metrics_gauge(metrics, "mica_sessions_refused_total",
                       "Sessions that were refused: there were too many.",
                       refused, http->keeper);
    mica_metrics_gauge(metrics, "mica_session_streams",
                       "Streams of their own that sessions have open.", streams,
                       http->legacy);
    mica_metrics_gauge(metrics, "mica_session_streams_resumed",
                       "Streams that clients have come back for and that are "
                       "open.",
                       resumed, http->legacy);
    mica_metrics_gauge(metrics, "mica_session_calls",
                       "Calls of sessions that wait for a worker or run on "
                       "one.",
                       runs, http->legacy);
    mica_metrics_gauge(metrics, "mica_session_changes_lost_total",
                       "Changes that a session could not be told of.", lost,
                       http->legacy);
}
