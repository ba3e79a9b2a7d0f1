// SPDX-License-Identifier: Apache-2.0
//
// Counts events and writes metrics. A request holds the one lock for some nanoseconds, and only
// if the server has metrics. A hash table of fixed size finds the series of labels; when it is
// full, new labels count as "_other".
#include "serve/metrics.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/hash.h"
#include "platform/wall_clock.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

enum {
    SERIES = 1024,
    SLOTS = 2 * SERIES, // a power of two
    GAUGES = 96,
    CODES = 64,
    STATUSES = 64,
    ENDPOINTS = 32,     // with series of their own; others are "_other"
    LABELS_BYTES = 1024 // of one series, written out
};

// In seconds: the bounds of the conventions, and three lower ones, as engines are fast.
static const double bounds[] = {0.0001, 0.001, 0.005, 0.01, 0.02, 0.05,
                                0.1,    0.2,   0.5,   1,    2,    5,
                                10,     30,    60,    120,  300};

enum {
    BOUNDS = sizeof bounds / sizeof bounds[0]
};

struct series {
    char *labels; // as they are written
    uint64_t buckets[BOUNDS + 1], count;
    double sum; // in seconds
};

struct gauge {
    const char *name, *help;
    int64_t (*read)(void *data);
    void *data;
};

// The count of a code; `code` is static text.
struct tally {
    const char *code;
    unsigned status;
    uint64_t count;
};

struct mica_metrics {
    pthread_mutex_t lock;
    struct series series[SERIES];
    size_t count;
    uint16_t slots[SLOTS]; // number of a series + 1
    struct tally codes[CODES], statuses[STATUSES];
    struct gauge gauges[GAUGES];
    size_t gauge_count;
    char *endpoints[ENDPOINTS]; // keys, in the order in which they were seen
    int64_t started_ms;         // wall clock
};

enum mica_status
mica_metrics_open(struct mica_error *error, struct mica_metrics **metrics_out)
{
    struct mica_metrics *metrics = calloc(1, sizeof *metrics);

    if (metrics == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for metrics");
    pthread_mutex_init(&metrics->lock, NULL);
    metrics->started_ms = mica_wall_clock_ms();
    *metrics_out = metrics;
    return MICA_OK;
}

void
mica_metrics_close(struct mica_metrics **metrics)
{
    struct mica_metrics *self = *metrics;

    if (self == NULL)
        return;
    for (size_t i = 0; i < self->count; i++)
        free(self->series[i].labels);
    for (size_t i = 0; i < ENDPOINTS; i++)
        free(self->endpoints[i]);
    pthread_mutex_destroy(&self->lock);
    free(self);
    *metrics = NULL;
}

// ---- Count ---------------------------------------------------------------------

// Appends a label, unless it has no value.
static void
metrics_label(struct mica_buffer *labels, const char *name,
              struct mica_text value)
{
    if (value.len == 0)
        return;
    mica_buffer_format(labels, "%s%s=\"", labels->len > 0 ? "," : "", name);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '\n')
            mica_buffer_text(labels, MICA_LITERAL("\\n"));
        else if (c == '"' || c == '\\')
            mica_buffer_format(labels, "\\%c", c);
        else
            mica_buffer_char(labels, c);
    }
    mica_buffer_char(labels, '"');
}

// With the lock held: the series of those labels, or NULL if there are SERIES others.
static struct series *
metrics_find(struct mica_metrics *metrics, struct mica_text labels)
{
    size_t slot = mica_hash_text(labels) % SLOTS;
    struct series *series;

    for (; metrics->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        series = &metrics->series[metrics->slots[slot] - 1];
        if (mica_text_is(labels, series->labels))
            return series;
    }
    if (metrics->count == SERIES)
        return NULL;
    series = &metrics->series[metrics->count];
    series->labels = strndup(labels.ptr, labels.len);
    if (series->labels == NULL)
        return NULL;
    metrics->count++;
    metrics->slots[slot] = (uint16_t)metrics->count;
    return series;
}

// With the lock held: the label of the endpoint with that key, or empty.
static struct mica_text
endpoint_label(struct mica_metrics *metrics, struct mica_text key)
{
    size_t i = 0;

    while (i < ENDPOINTS && metrics->endpoints[i] != NULL &&
           !mica_text_is(key, metrics->endpoints[i]))
        i++;
    if (key.len == 0)
        return key;
    if (i < ENDPOINTS && metrics->endpoints[i] == NULL)
        metrics->endpoints[i] = strndup(key.ptr, key.len);
    return i < ENDPOINTS && metrics->endpoints[i] != NULL
               ? key
               : MICA_LITERAL("_other");
}

static void
series_observe(struct series *series, double seconds)
{
    size_t i = 0;

    while (i < BOUNDS && seconds > bounds[i])
        i++;
    series->buckets[i]++;
    series->count++;
    series->sum += seconds;
}

void
mica_metrics_operation(struct mica_metrics *metrics,
                       const struct mica_operation *operation)
{
    char room[LABELS_BYTES];
    struct mica_buffer labels = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_text method =
        operation->method.len > 0 ? operation->method : MICA_LITERAL("_other");
    struct series *series;

    pthread_mutex_lock(&metrics->lock);
    metrics_label(&labels, "mcp_method_name", method);
    metrics_label(&labels, "mica_endpoint",
                  endpoint_label(metrics, operation->endpoint));
    metrics_label(&labels, "gen_ai_tool_name", operation->tool);
    metrics_label(&labels, "mcp_protocol_version", operation->version);
    metrics_label(&labels, "network_transport",
                  mica_text(operation->transport));
    metrics_label(&labels, "error_type", mica_text(operation->code));
    // The last entry is for codes that find no other entry.
    series = labels.overflow || metrics->count == SERIES - 1
                 ? NULL
                 : metrics_find(metrics, mica_buffer_as_text(&labels));
    if (series == NULL)
        series =
            metrics_find(metrics, MICA_LITERAL("mcp_method_name=\"_other\""));
    if (series != NULL)
        series_observe(series, (double)operation->duration_ns / 1e9);
    pthread_mutex_unlock(&metrics->lock);
}

static void
tally_count(struct tally *tallies, size_t most, const char *code,
            unsigned status)
{
    for (size_t i = 0; i < most; i++) {
        bool is_free = tallies[i].count == 0;
        if (!is_free && (tallies[i].status != status ||
                         (code != NULL && strcmp(tallies[i].code, code) != 0)))
            continue;
        if (is_free)
            tallies[i] = (struct tally){.code = code, .status = status};
        tallies[i].count++;
        return;
    }
}

void
mica_metrics_request(struct mica_metrics *metrics, unsigned status)
{
    pthread_mutex_lock(&metrics->lock);
    tally_count(metrics->statuses, STATUSES, NULL, status);
    pthread_mutex_unlock(&metrics->lock);
}

void
mica_metrics_refused(struct mica_metrics *metrics, const char *code)
{
    const char *known = NULL;

    // Codes of authors are results of tools; only mica's own codes are refusals.
    for (int i = MICA_OK + 1; i < MICA_STATUS_COUNT; i++) {
        if (strcmp(code, mica_status_code((enum mica_status)i)) == 0)
            known = mica_status_code((enum mica_status)i);
    }
    if (known == NULL)
        return;
    pthread_mutex_lock(&metrics->lock);
    tally_count(metrics->codes, CODES, known, 0);
    pthread_mutex_unlock(&metrics->lock);
}

void
mica_metrics_gauge(struct mica_metrics *metrics, const char *name,
                   const char *help, int64_t (*read)(void *data), void *data)
{
    MICA_ASSERT(metrics->gauge_count < GAUGES);
    metrics->gauges[metrics->gauge_count++] =
        (struct gauge){name, help, read, data};
}

// ---- Write ---------------------------------------------------------------------

static void
metrics_head(struct mica_buffer *text, const char *name, const char *help,
             const char *type)
{
    mica_buffer_format(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                       type);
}

static void
metrics_number(struct mica_buffer *text, double value)
{
    char digits[MICA_NUMBER_SIZE];

    mica_number_write(value, digits);
    mica_buffer_format(text, "%s\n", digits);
}

static void
write_series(struct mica_buffer *text, const char *name,
             const struct series *series)
{
    uint64_t below = 0;
    char bound[MICA_NUMBER_SIZE];

    for (size_t i = 0; i < BOUNDS; i++) {
        below += series->buckets[i];
        mica_number_write(bounds[i], bound);
        mica_buffer_format(text, "%s_bucket{%s,le=\"%s\"} %llu\n", name,
                           series->labels, bound, (unsigned long long)below);
    }
    mica_buffer_format(text, "%s_bucket{%s,le=\"+Inf\"} %llu\n", name,
                       series->labels, (unsigned long long)series->count);
    mica_buffer_format(text, "%s_sum{%s} ", name, series->labels);
    metrics_number(text, series->sum);
    mica_buffer_format(text, "%s_count{%s} %llu\n", name, series->labels,
                       (unsigned long long)series->count);
}

static void
write_tallies(const struct mica_metrics *metrics, struct mica_buffer *text)
{
    if (metrics->statuses[0].count > 0) // a pipe has no HTTP statuses
        metrics_head(text, "mica_http_requests_total",
                     "HTTP requests answered.", "counter");
    for (size_t i = 0; i < STATUSES && metrics->statuses[i].count > 0; i++)
        mica_buffer_format(text,
                           "mica_http_requests_total{status=\"%u\"} %llu\n",
                           metrics->statuses[i].status,
                           (unsigned long long)metrics->statuses[i].count);
    metrics_head(text, "mica_refused_total",
                 "Requests that failed, by mica's stable code.", "counter");
    for (size_t i = 0; i < CODES && metrics->codes[i].count > 0; i++)
        mica_buffer_format(text, "mica_refused_total{code=\"%s\"} %llu\n",
                           metrics->codes[i].code,
                           (unsigned long long)metrics->codes[i].count);
}

static void
write_gauge(const struct gauge *gauge, struct mica_buffer *text)
{
    size_t length = strlen(gauge->name);
    bool counts = length > 6 && strcmp(gauge->name + length - 6, "_total") == 0;

    metrics_head(text, gauge->name, gauge->help, counts ? "counter" : "gauge");
    mica_buffer_format(text, "%s %lld\n", gauge->name,
                       (long long)gauge->read(gauge->data));
}

// Pages of memory in use, the second number of that file.
static double
resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    char line[256];
    char *second = NULL;

    if (file == NULL)
        return 0;
    if (fgets(line, sizeof line, file) != NULL)
        second = strchr(line, ' ');
    (void)fclose(file);
    if (second == NULL)
        return 0;
    return (double)strtoull(second, NULL, 10) * (double)sysconf(_SC_PAGESIZE);
}

static void
write_process(const struct mica_metrics *metrics, struct mica_buffer *text)
{
    const int64_t started_s = metrics->started_ms / 1000;
    struct rusage usage;

    metrics_head(text, "process_resident_memory_bytes", "Resident memory.",
                 "gauge");
    mica_buffer_text(text, MICA_LITERAL("process_resident_memory_bytes "));
    metrics_number(text, resident_bytes());
    metrics_head(text, "process_start_time_seconds",
                 "Start, since the Unix epoch.", "gauge");
    mica_buffer_text(text, MICA_LITERAL("process_start_time_seconds "));
    metrics_number(text, (double)started_s);
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    metrics_head(text, "process_cpu_seconds_total",
                 "Processor time, user and system.", "counter");
    mica_buffer_text(text, MICA_LITERAL("process_cpu_seconds_total "));
    metrics_number(
        text,
        (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
            (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}

void
mica_metrics_write(struct mica_metrics *metrics, struct mica_buffer *text)
{
    static const char name[] = "mcp_server_operation_duration_seconds";

    metrics_head(text, "mica_build_info", "Its version.", "gauge");
    mica_buffer_format(text, "mica_build_info{version=\"%s\"} 1\n",
                       MICA_VERSION);
    pthread_mutex_lock(&metrics->lock);
    metrics_head(text, name, "MCP requests by method, tool and outcome.",
                 "histogram");
    for (size_t i = 0; i < metrics->count; i++)
        write_series(text, name, &metrics->series[i]);
    write_tallies(metrics, text);
    pthread_mutex_unlock(&metrics->lock);
    // Without the lock held: the function of a gauge may wait for another lock.
    for (size_t i = 0; i < metrics->gauge_count; i++)
        write_gauge(&metrics->gauges[i], text);
    write_process(metrics, text);
}
