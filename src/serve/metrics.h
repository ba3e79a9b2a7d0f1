// SPDX-License-Identifier: Apache-2.0
//
// The metrics of a server, and the text that Prometheus reads (text format 0.0.4). Names and
// labels of MCP operations are those of OpenTelemetry's semantic conventions. Every table has a
// limit, so that a client cannot make new labels without end.
//
// Threads: any; add gauges before other threads use the metrics.
#ifndef MICA_SERVE_METRICS_H
#define MICA_SERVE_METRICS_H

#include <mica/base.h>

struct mica_metrics;

enum mica_status mica_metrics_open(struct mica_error *error,
                                   struct mica_metrics **metrics_out)
    MICA_MUST_USE;
void mica_metrics_close(struct mica_metrics **metrics);

// An MCP request that has ended. Its texts are copied. `method` and `tool` must be names of this
// server, never texts of a client; empty otherwise.
struct mica_operation {
    struct mica_text endpoint; // its key; empty: of /mcp
    struct mica_text method, tool, version;
    const char *code;      // stable code of its failure, or NULL
    const char *transport; // network.transport: "tcp" or "pipe"
    uint64_t duration_ns;
};
void mica_metrics_operation(struct mica_metrics *metrics,
                            const struct mica_operation *operation);

// Counts an HTTP request that has ended.
void mica_metrics_request(struct mica_metrics *metrics, unsigned status);

// Counts a request, or a line, that was refused with that code. Ignores unknown codes.
void mica_metrics_refused(struct mica_metrics *metrics, const char *code);

// Adds a value that each scrape reads. A name that ends with _total is a counter, any other a
// gauge. `name` and `help` are borrowed. At most 64; asserted.
void mica_metrics_gauge(struct mica_metrics *metrics, const char *name,
                        const char *help, int64_t (*read)(void *data),
                        void *data);

// Writes all metrics as text.
void mica_metrics_write(struct mica_metrics *metrics, struct mica_buffer *text);

#endif
