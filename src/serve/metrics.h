// SPDX-License-Identifier: Apache-2.0
//
// What a server counts of itself, and the text that Prometheus reads (text
// format 0.0.4). Names and labels of MCP operations are those of OpenTelemetry's
// semantic conventions. Everything is bounded: a stranger cannot make new labels
// without end.
//
// Threads: a struct mica_metrics may be used by any number of threads; gauges
// are added before that.
#ifndef MICA_SERVE_METRICS_H
#define MICA_SERVE_METRICS_H

#include <mica/base.h>

struct mica_metrics;

enum mica_status mica_metrics_open(struct mica_error *error,
                                   struct mica_metrics **metrics_out)
    MICA_MUST_USE;
void mica_metrics_close(struct mica_metrics **metrics);

// One MCP request that has ended. Texts are copied. `method` and `tool` must be
// of this server, never as a stranger wrote them; empty otherwise.
struct mica_operation {
    struct mica_text endpoint; // its key; empty: of /mcp
    struct mica_text method, tool, version;
    const char *code;      // stable code of its failure, or NULL
    const char *transport; // network.transport: "tcp" or "pipe"
    uint64_t duration_ns;
};
void mica_metrics_operation(struct mica_metrics *metrics,
                            const struct mica_operation *operation);

// One HTTP request that has ended.
void mica_metrics_request(struct mica_metrics *metrics, unsigned status);

// A request, or a line, that was refused with that code. Codes that are not this
// server's do not count.
void mica_metrics_refused(struct mica_metrics *metrics, const char *code);

// Adds a value that is read at each scrape. A name that ends in _total is a
// counter, any other a gauge. `name` and `help` are borrowed. At most 64;
// asserted.
void mica_metrics_gauge(struct mica_metrics *metrics, const char *name,
                        const char *help, int64_t (*read)(void *data),
                        void *data);

// All of it as text.
void mica_metrics_write(struct mica_metrics *metrics, struct mica_buffer *text);

#endif
