// SPDX-License-Identifier: Apache-2.0
//
// Writes the lines of the audit log, and opens its file.
#include "serve/audit_log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <mica/json.h>

#include "platform/wall_clock.h"
#include "sandbox/trust.h"
#include "serve/stop.h"

enum {
    LINE_BYTES = 8192,         // of a line without arguments
    ARGUMENTS_BYTES = 4 << 20, // longer arguments are not logged
    V4_AT = 12                 // where IPv4 begins in a mapped address
};

struct mica_audit {
    pthread_mutex_t lock;
    int fd;           // -1: the file could not be opened again
    unsigned hangups; // how many SIGHUP had come when it was opened
    bool arguments;
    struct mica_audit_counts counts;
    char path[];
};

static int
open_file(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                S_IRUSR | S_IWUSR);
}

enum mica_status
mica_audit_open(struct mica_text path, bool arguments, struct mica_error *error,
                struct mica_audit **audit_out)
{
    struct mica_audit *audit = calloc(1, sizeof *audit + path.len + 1);

    if (audit == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    memcpy(audit->path, path.ptr, path.len);
    audit->arguments = arguments;
    mica_stop_count_hangups();
    audit->hangups = mica_stop_hangups();
    audit->fd = open_file(audit->path);
    if (audit->fd < 0) {
        enum mica_status status = mica_error_set(
            error, MICA_E_IO, "", "the audit log %s cannot be opened: %s",
            audit->path, strerror(errno));
        free(audit);
        return status;
    }
    pthread_mutex_init(&audit->lock, NULL);
    *audit_out = audit;
    return MICA_OK;
}

void
mica_audit_close(struct mica_audit **audit)
{
    struct mica_audit *self = *audit;

    if (self == NULL)
        return;
    if (self->fd >= 0)
        close(self->fd);
    pthread_mutex_destroy(&self->lock);
    free(self);
    *audit = NULL;
}

struct mica_audit_counts
mica_audit_counts(struct mica_audit *audit)
{
    struct mica_audit_counts counts;

    pthread_mutex_lock(&audit->lock);
    counts = audit->counts;
    pthread_mutex_unlock(&audit->lock);
    return counts;
}

// ---- A line ----------------------------------------------------------------------

static void
write_time(struct mica_json_writer *writer)
{
    int64_t now_ms = mica_wall_clock_ms();
    time_t second = (time_t)(now_ms / 1000);
    struct tm utc;
    char text[40];
    size_t length;

    gmtime_r(&second, &utc);
    length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(text + length, sizeof text - length, ".%03ldZ",
                   (long)(now_ms % 1000));
    mica_json_field(writer, "time", mica_text(text));
}

// A party has only the network of an IPv6 address (http/party.h).
static void
write_party(struct mica_json_writer *writer, struct mica_text party)
{
    static const char mapped[V4_AT] = {[10] = (char)0xff, [11] = (char)0xff};
    char text[INET6_ADDRSTRLEN];

    if (party.len != sizeof(struct in6_addr))
        return;
    if (memcmp(party.ptr, mapped, V4_AT) == 0)
        inet_ntop(AF_INET, party.ptr + V4_AT, text, sizeof text);
    else
        inet_ntop(AF_INET6, party.ptr, text, sizeof text);
    mica_json_field(writer, "address", mica_text(text));
}

static void
write_caller(struct mica_json_writer *writer,
             const struct mica_ruled_call *call)
{
    const struct mica_principal *principal = call->caller.principal;

    if (mica_principal_is_known(principal)) {
        mica_json_field(writer, "issuer", principal->issuer);
        mica_json_field(writer, "principal", principal->subject);
    }
    write_party(writer, call->party);
    if (call->caller.endpoint.len > 0)
        mica_json_field(writer, "endpoint", call->caller.endpoint);
}

static void
write_arguments(struct mica_json_writer *writer, const struct mica_audit *audit,
                struct mica_text arguments)
{
    char sha256[MICA_SHA256_SIZE];

    if (arguments.len == 0)
        return;
    mica_trust_hash_bytes(arguments, sha256);
    mica_json_field(writer, "arguments_sha256", mica_text(sha256));
    if (!audit->arguments || arguments.len > ARGUMENTS_BYTES)
        return;
    mica_json_name(writer, "arguments");
    mica_json_string(writer, arguments); // as a string: it may not be JSON
}

static void
write_line(const struct mica_audit *audit, const struct mica_ruled_call *call,
           struct mica_buffer *line)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, line);
    mica_json_open_object(&writer);
    write_time(&writer);
    mica_json_field(&writer, "tool", call->tool);
    mica_json_field(&writer, "version", call->version);
    write_caller(&writer, call);
    if (call->id.len > 0)
        mica_json_field(&writer, "call", call->id);
    if (call->continues) {
        mica_json_name(&writer, "continues");
        mica_json_boolean(&writer, true);
    }
    if (call->code != NULL)
        mica_json_field(&writer, "code", mica_text(call->code));
    write_arguments(&writer, audit, call->arguments);
    mica_json_close_object(&writer);
    mica_buffer_char(line, '\n');
}

// ---- The file --------------------------------------------------------------------

// With the lock held. Opens the file again after a SIGHUP.
static void
reopen_after_hangup(struct mica_audit *audit)
{
    unsigned hangups = mica_stop_hangups();

    if (hangups == audit->hangups && audit->fd >= 0)
        return;
    audit->hangups = hangups;
    if (audit->fd >= 0)
        close(audit->fd);
    audit->fd = open_file(audit->path);
}

// Writes a line. If the system writes only a part of it, ends that part with a line feed, so
// that the next line is readable.
static void
write_file(struct mica_audit *audit, struct mica_text line)
{
    ssize_t put;

    pthread_mutex_lock(&audit->lock);
    reopen_after_hangup(audit);
    do
        put = audit->fd >= 0 ? write(audit->fd, line.ptr, line.len) : -1;
    while (put < 0 && audit->fd >= 0 && errno == EINTR);
    if (put == (ssize_t)line.len) {
        audit->counts.lines++;
    } else {
        audit->counts.lost++;
        // Without the line feed the next line cannot be read, either.
        if (put > 0 && write(audit->fd, "\n", 1) != 1)
            audit->counts.lost++;
    }
    pthread_mutex_unlock(&audit->lock);
}

void
mica_audit_write(struct mica_audit *audit, const struct mica_ruled_call *call)
{
    size_t most = LINE_BYTES + (audit->arguments ? 6 * ARGUMENTS_BYTES : 0);
    struct mica_arena arena;
    struct mica_buffer line;

    mica_arena_init(&arena, most + LINE_BYTES);
    mica_buffer_init(&line, &arena, most);
    write_line(audit, call, &line);
    if (line.overflow) {
        pthread_mutex_lock(&audit->lock);
        audit->counts.lost++;
        pthread_mutex_unlock(&audit->lock);
    } else {
        write_file(audit, mica_buffer_as_text(&line));
    }
    mica_arena_fini(&arena);
}
