// SPDX-License-Identifier: Apache-2.0
//
// Two buffers: requests fill one while the thread writes the other.
#include "http/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mica/json.h>

#include "base/visible.h"
#include "platform/clock.h"
#include "platform/terminal.h"
#include "platform/wall_clock.h"
#include "serve/stop.h"

enum {
    BUFFER_BYTES = 256 * 1024, // untouched pages cost nothing
    LINE_BYTES = 2048,
    GATHER_MS = 5, // after the first line, so that one write has many
    PATH_BYTES = 100,
    NAME_BYTES = 128,
    SHOWN_BYTES = 64, // of a name, as text: a byte may take four
    LAST_WORDS_MS = 1000
};

enum log_look {
    LOG_JSON,
    LOG_PLAIN,  // text without color
    LOG_COLORED // text on a terminal
};

struct mica_log {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_t thread;
    int fd;
    const char *server;
    bool closing;
    enum log_look look;
    char *fill, *spare;
    size_t len;
    uint64_t dropped;
    time_t second; // of `stamp`
    char stamp[24];
};

static void
pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};

    nanosleep(&pause, NULL);
}

// Writes all bytes, unless the descriptor is broken, or blocks while the log closes.
static void
write_out(struct mica_log *log, const char *bytes, size_t size, bool closing)
{
    uint64_t until = mica_clock_ns() + (uint64_t)LAST_WORDS_MS * 1000000u;
    struct pollfd ready = {.fd = log->fd, .events = POLLOUT};

    while (size > 0) {
        if (closing &&
            (mica_clock_ns() > until || poll(&ready, 1, LAST_WORDS_MS) != 1))
            return;
        // When closing, small pieces: a pipe that is ready for writing takes 512 bytes
        // without blocking.
        ssize_t put = write(log->fd, bytes, closing && size > 512 ? 512 : size);
        if (put < 0 && errno == EAGAIN)
            (void)poll(&ready, 1, LAST_WORDS_MS);
        else if (put < 0 && errno != EINTR)
            return;
        if (put > 0) {
            bytes += put;
            size -= (size_t)put;
        }
    }
}

// Called and returns with the lock held; unlocks it while writing.
static void
log_flush(struct mica_log *log)
{
    char *bytes = log->fill;
    size_t size = log->len;
    uint64_t dropped = log->dropped;
    bool closing = log->closing;
    char text[96];
    struct mica_buffer line = {
        .ptr = text, .capacity = sizeof text, .max = sizeof text};

    log->fill = log->spare;
    log->spare = NULL;
    log->len = 0;
    log->dropped = 0;
    pthread_mutex_unlock(&log->lock);
    write_out(log, bytes, size, closing);
    if (dropped > 0) {
        mica_buffer_format(&line,
                           log->look != LOG_JSON
                               ? "mica: %llu lines of the log dropped\n"
                               : "{\"level\":\"warning\",\"dropped\":"
                                 "%llu}\n",
                           (unsigned long long)dropped);
        write_out(log, line.ptr, line.len, closing);
    }
    pthread_mutex_lock(&log->lock);
    log->spare = bytes;
}

static void *
log_run(void *data)
{
    struct mica_log *log = data;

    pthread_mutex_lock(&log->lock);
    while (log->len > 0 || !log->closing) {
        if (log->len == 0) {
            pthread_cond_wait(&log->filled, &log->lock);
            continue;
        }
        if (!log->closing) {
            pthread_mutex_unlock(&log->lock);
            pause_ms(GATHER_MS);
            pthread_mutex_lock(&log->lock);
        }
        log_flush(log);
    }
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

static enum log_look
look_of(int fd, enum mica_log_form form)
{
    if (form == MICA_LOG_FORM_JSON ||
        (form == MICA_LOG_FORM_FITTING && isatty(fd) == 0))
        return LOG_JSON;
    return mica_terminal_wants_color(fd) ? LOG_COLORED : LOG_PLAIN;
}

enum mica_status
mica_log_open(int fd, enum mica_log_form form, const char *serverz,
              struct mica_error *error, struct mica_log **log_out)
{
    struct mica_log *log = calloc(1, sizeof *log);
    sigset_t before;
    int failed = ENOMEM;

    if (log != NULL) {
        log->fd = fd;
        log->server = serverz;
        log->look = look_of(fd, form);
        log->fill = malloc(BUFFER_BYTES);
        log->spare = malloc(BUFFER_BYTES);
        pthread_mutex_init(&log->lock, NULL);
        pthread_cond_init(&log->filled, NULL);
    }
    if (log != NULL && log->fill != NULL && log->spare != NULL) {
        mica_stop_block(&before);
        failed = pthread_create(&log->thread, NULL, log_run, log);
        mica_stop_unblock(&before);
    }
    if (failed != 0) {
        if (log != NULL) {
            free(log->fill);
            free(log->spare);
        }
        free(log);
        return mica_error_set(error, MICA_E_IO, "", "cannot start the log: %s",
                              strerror(failed));
    }
    *log_out = log;
    return MICA_OK;
}

void
mica_log_close(struct mica_log **log)
{
    struct mica_log *self = *log;

    if (self == NULL)
        return;
    pthread_mutex_lock(&self->lock);
    self->closing = true;
    pthread_cond_signal(&self->filled);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    pthread_cond_destroy(&self->filled);
    pthread_mutex_destroy(&self->lock);
    free(self->fill);
    free(self->spare);
    free(self);
    *log = NULL;
}

// Writes the time to the millisecond: in UTC for programs, in local time for a person.
// With the lock held.
static void
write_time(struct mica_log *log, struct mica_buffer *line)
{
    int64_t now_ms = mica_wall_clock_coarse_ms();
    time_t second = (time_t)(now_ms / 1000);
    struct tm parts;

    if (second != log->second || log->stamp[0] == '\0') {
        if (log->look != LOG_JSON)
            localtime_r(&second, &parts);
        else
            gmtime_r(&second, &parts);
        strftime(log->stamp, sizeof log->stamp,
                 log->look != LOG_JSON ? "%H:%M:%S" : "%Y-%m-%dT%H:%M:%S",
                 &parts);
        log->second = second;
    }
    mica_buffer_format(
        line, log->look != LOG_JSON ? "%s.%03ld" : "{\"time\":\"%s.%03ldZ\"",
        log->stamp, (long)(now_ms % 1000));
}

// ---- Text --------------------------------------------------------------------------

static const char *
status_style(const struct mica_log *log, unsigned status)
{
    return mica_style(log->look == LOG_COLORED, status >= 500 ? MICA_STYLE_RED
                                                : status >= 400
                                                    ? MICA_STYLE_YELLOW
                                                    : MICA_STYLE_GREEN);
}

static void
write_word(struct mica_buffer *line, const char *beforez, struct mica_text word,
           size_t limit)
{
    word = mica_utf8_cut(word, limit);
    if (word.len > 0)
        mica_visible_format(line, "%s%.*s", beforez, MICA_ARG(word));
}

static void
write_size(struct mica_buffer *line, const char *beforez, size_t bytes)
{
    const size_t kib = 1024;

    if (bytes < 10000)
        mica_buffer_format(line, "  %s %zu B", beforez, bytes);
    else if (bytes < 10000 * kib)
        mica_buffer_format(line, "  %s %zu KiB", beforez, bytes / kib);
    else
        mica_buffer_format(line, "  %s %zu MiB", beforez, bytes / kib / kib);
}

// "  200  POST /mcp  tools/call greet  1.2 ms  in 312 B  out 401 B".
static void
write_text(struct mica_log *log, struct mica_buffer *line,
           const struct mica_log_entry *entry)
{
    unsigned long long tenths = (entry->duration_ns + 50000) / 100000;

    mica_visible_format(line, "  %s%u%s", status_style(log, entry->status),
                        entry->status,
                        mica_style(log->look == LOG_COLORED, MICA_STYLE_PLAIN));
    write_word(line, "  ", entry->method, SHOWN_BYTES);
    write_word(line, " ", entry->path, PATH_BYTES);
    write_word(line, "  endpoint ", entry->endpoint, SHOWN_BYTES);
    write_word(line, "  ", entry->rpc, SHOWN_BYTES);
    write_word(line, entry->rpc.len > 0 ? " " : "  ", entry->tool, SHOWN_BYTES);
    if (entry->code != NULL)
        write_word(line, "  ", mica_text(entry->code), SHOWN_BYTES);
    if (strcmp(entry->response, "sent") != 0)
        write_word(line, "  ", mica_text(entry->response), SHOWN_BYTES);
    mica_buffer_format(line, "  %llu.%llu ms", tenths / 10, tenths % 10);
    write_size(line, "in", entry->bytes_in);
    write_size(line, "out", entry->bytes_out);
    mica_buffer_char(line, '\n');
}

// ---- JSON --------------------------------------------------------------------------

// Truncates the text, so that a line is bounded.
static void
write_field(struct mica_json_writer *writer, const char *name,
            struct mica_text text, size_t limit)
{
    if (text.len == 0)
        return;
    text = mica_utf8_cut(text, limit);
    mica_json_field(writer, name, text);
}

static void
write_json(struct mica_buffer *line, const char *serverz,
           const struct mica_log_entry *entry)
{
    struct mica_json_writer writer;
    unsigned long long us = entry->duration_ns / 1000;

    mica_json_writer_init(&writer, line);
    writer.comma = true; // after the time
    write_field(&writer, "server", mica_text(serverz), NAME_BYTES);
    write_field(&writer, "method", entry->method, NAME_BYTES);
    write_field(&writer, "path", entry->path, PATH_BYTES);
    write_field(&writer, "endpoint", entry->endpoint, NAME_BYTES);
    mica_json_name(&writer, "status");
    mica_json_integer(&writer, entry->status);
    mica_json_field(&writer, "response", mica_text(entry->response));
    write_field(&writer, "rpc", entry->rpc, NAME_BYTES);
    write_field(&writer, "tool", entry->tool, NAME_BYTES);
    write_field(&writer, "version", entry->version, NAME_BYTES);
    if (entry->code != NULL)
        mica_json_field(&writer, "code", mica_text(entry->code));
    if (entry->trace.len > 0) {
        write_field(&writer, "trace_id", mica_text_slice(entry->trace, 3, 35),
                    NAME_BYTES);
        write_field(&writer, "parent_id", mica_text_slice(entry->trace, 36, 52),
                    NAME_BYTES);
    }
    mica_buffer_format(line, ",\"ms\":%llu.%03llu,\"in\":%zu,\"out\":%zu",
                       us / 1000, us % 1000, entry->bytes_in, entry->bytes_out);
    mica_buffer_text(line, MICA_LITERAL("}\n"));
}

// ---- Both --------------------------------------------------------------------------

void
mica_log_request(struct mica_log *log, const struct mica_log_entry *entry)
{
    char text[LINE_BYTES], head[48];
    struct mica_buffer line = {
        .ptr = text, .capacity = sizeof text, .max = sizeof text};
    struct mica_buffer time = {
        .ptr = head, .capacity = sizeof head, .max = sizeof head};

    if (log->look != LOG_JSON)
        write_text(log, &line, entry);
    else
        write_json(&line, log->server, entry);
    pthread_mutex_lock(&log->lock);
    write_time(log, &time);
    if (line.overflow || time.len + line.len > BUFFER_BYTES - log->len) {
        log->dropped++;
    } else {
        memcpy(log->fill + log->len, time.ptr, time.len);
        memcpy(log->fill + log->len + time.len, line.ptr, line.len);
        if (log->len == 0)
            pthread_cond_signal(&log->filled);
        log->len += time.len + line.len;
    }
    pthread_mutex_unlock(&log->lock);
}
