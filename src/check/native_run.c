// SPDX-License-Identifier: Apache-2.0
//
// The child and its two ends. Both are served at once, so that neither side waits
// for room while the other does. The engine's code runs there without a sandbox, so
// the child is confined before it is that program: it has its ends and nothing else.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "build/files.h"
#include "check/native.h"
#include "platform/clock.h"

enum {
    CPU_S = 600,
    BLOCK = 64 * 1024,
    PENDING_MAX = 256 * 1024 * 1024,
    ANSWER_MS = 30000, // for one answer, beyond the child's own limit
    BATCH_MS = 600000, // for all of a batch
    LEAVE_MS = 30000   // for writing its profile
};

// ---- Start and end ---------------------------------------------------------------

// A new file for the profile of the next child; -1 when none is wanted or it
// cannot be made.
static int
open_profile(struct mica_native *native)
{
    char path[PATH_MAX];

    if (native->profile[0] == '\0' ||
        mica_path(path, NULL, "%s%u", native->profile, native->profile_count) !=
            MICA_OK) {
        return -1;
    }
    native->profile_count++;
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static enum mica_status
start_child(struct mica_native *native, int in, int out, int profile,
            struct mica_error *error)
{
    static const struct mica_confinement alone = {.profile = MICA_CONFINE_RUN};
    char ms[24], bytes[24], *environment[] = {NULL};
    const char *words[] = {native->program, ms, bytes, NULL};
    // It sets its own, which are less, before the engine runs.
    const struct mica_child_limits limits = {
        .memory_bytes = native->memory_bytes, .cpu_s = CPU_S};
    const struct mica_child_plan plan = {
        .words = words,
        .environment = environment,
        .confinement = &alone,
        .limits = limits,
        .in = in,
        .out = out,
        // A terminal obeys what is written to it.
        .errors = -1,
        .extra = profile};

    (void)snprintf(ms, sizeof ms, "%u", native->time_ms);
    (void)snprintf(bytes, sizeof bytes, "%zu", native->memory_bytes);
    return mica_child_start(&plan, error, &native->child);
}

// Sockets, as writing to a pipe whose reader has died would end this process.
static bool
open_pair(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
}

static void
close_if(int file)
{
    if (file >= 0) {
        (void)close(file);
    }
}

static enum mica_status
native_start(struct mica_native *native, struct mica_error *error)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, profile = open_profile(native);
    enum mica_status status;

    if (open_pair(in) && open_pair(out)) {
        status = start_child(native, in[0], out[1], profile, error);
    } else {
        status = mica_error_set(error, MICA_E_IO, "",
                                "Cannot start the child process of the check: "
                                "%s",
                                strerror(errno));
    }
    close_if(in[0]);
    close_if(out[1]);
    close_if(profile);
    if (status != MICA_OK) {
        close_if(in[1]);
        close_if(out[0]);
        return status;
    }
    native->running = true;
    native->to = in[1];
    native->from = out[0];
    (void)fcntl(native->to, F_SETFL, O_NONBLOCK);
    mica_buffer_init(&native->pending, NULL, PENDING_MAX);
    return MICA_OK;
}

// What a poll may wait until the deadline; 0 past it.
static int
left_ms(int64_t deadline)
{
    int64_t left = deadline - mica_clock_ms();

    return left <= 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
}

// Reads on until the child has closed its end, so that it can leave.
static void
native_drain(const struct mica_native *native)
{
    int64_t deadline = mica_clock_ms() + LEAVE_MS;
    char block[4096];
    struct pollfd ready = {.fd = native->from, .events = POLLIN};
    int left;

    while ((left = left_ms(deadline)) > 0 && poll(&ready, 1, left) > 0) {
        if (read(native->from, block, sizeof block) <= 0) {
            return;
        }
    }
}

void
mica_native_stop(struct mica_native *native)
{
    if (!native->running) {
        return;
    }
    (void)close(native->to);
    if (!native->lost) {
        native_drain(native);
    }
    (void)close(native->from);
    (void)mica_child_end(&native->child);
    mica_buffer_fini(&native->pending);
    native->running = native->lost = false;
}

// ---- One batch -------------------------------------------------------------------

// Where a batch stands: bytes sent of which input, answers taken.
struct batch {
    struct mica_native *native;
    struct mica_arena *arena;
    const struct mica_text *inputs;
    struct mica_native_result *results;
    size_t count, sent, sent_bytes, taken;
    bool ended; // the child is gone, or is to go
    bool late;  // as it took too long
};

// Sends as much as the pipe takes.
static void
send_some(struct batch *batch)
{
    char block[BLOCK];
    size_t size = 0, input = batch->sent, from = batch->sent_bytes;
    ssize_t put;

    while (input < batch->count && size < sizeof block) {
        struct mica_text text = batch->inputs[input];
        size_t room = sizeof block - size;
        size_t part = text.len - from < room ? text.len - from : room;

        memcpy(block + size, text.ptr + from, part);
        size += part;
        from += part;
        if (from == text.len && size < sizeof block) {
            block[size++] = '\n';
            input++;
            from = 0;
        }
    }
    put = send(batch->native->to, block, size, MSG_NOSIGNAL);
    for (size_t left = put > 0 ? (size_t)put : 0; left > 0;) {
        size_t rest = batch->inputs[batch->sent].len + 1 - batch->sent_bytes;
        size_t part = left < rest ? left : rest;

        batch->sent_bytes += part;
        left -= part;
        if (part == rest) {
            batch->sent++;
            batch->sent_bytes = 0;
        }
    }
}

// Of two digits, as the probe writes it.
static int
signal_number(struct mica_text digits)
{
    int number = 0;

    for (size_t i = 0; i < digits.len && i < 2; i++) {
        number = number * 10 + (digits.ptr[i] - '0');
    }
    return number;
}

// "<status> <json>" or "!<signal>".
static void
take_line(struct batch *batch, struct mica_text line)
{
    struct mica_native_result *result = &batch->results[batch->taken];
    size_t blank = 0;
    unsigned number = 0;

    if (mica_text_starts(line, "!")) {
        result->signal = signal_number(mica_text_slice(line, 1, line.len));
        result->ending = result->signal == SIGPROF || result->signal == SIGXCPU
                             ? MICA_NATIVE_LATE
                             : MICA_NATIVE_FAULT;
        batch->taken++;
        batch->ended = true;
        return;
    }
    for (; blank < line.len && line.ptr[blank] != ' '; blank++) {
        number = number * 10 + (unsigned)(line.ptr[blank] - '0');
    }
    result->ending = MICA_NATIVE_ANSWERED;
    result->status = (enum mica_status)number;
    result->json = mica_arena_text(batch->arena,
                                   mica_text_slice(line, blank + 1, line.len));
    batch->taken++;
}

static void
take_lines(struct batch *batch)
{
    struct mica_buffer *pending = &batch->native->pending;
    size_t from = 0;

    while (batch->taken < batch->count && !batch->ended &&
           from < pending->len) {
        const char *start = pending->ptr + from;
        const char *end = memchr(start, '\n', pending->len - from);

        if (end == NULL) {
            break;
        }
        take_line(batch, (struct mica_text){start, (size_t)(end - start)});
        from = (size_t)(end - pending->ptr) + 1;
    }
    if (from > 0) {
        memmove(pending->ptr, pending->ptr + from, pending->len - from);
        pending->len -= from;
    }
}

static void
receive_some(struct batch *batch)
{
    struct mica_buffer *pending = &batch->native->pending;
    char *room = mica_buffer_reserve(pending, BLOCK);
    ssize_t got = room != NULL ? read(batch->native->from, room, BLOCK) : 0;

    if (got > 0) {
        pending->len += (size_t)got;
        take_lines(batch);
    } else if (got == 0 || errno != EINTR) {
        batch->ended = true;
    }
}

// Until all is answered, the child is gone or a deadline has passed: that of the
// answer at hand, or `end`, that of all.
static void
batch_exchange(struct batch *batch, int64_t end)
{
    // Its limit is in its own time; a busy machine takes several times that.
    unsigned usual = batch->native->time_ms * 8 + ANSWER_MS;
    unsigned answer_ms =
        batch->native->answer_ms > 0 ? batch->native->answer_ms : usual;
    int64_t deadline = mica_clock_ms() + answer_ms;

    while (batch->taken < batch->count && !batch->ended) {
        struct pollfd ends[] = {
            {.fd = batch->native->from, .events = POLLIN},
            {.fd = batch->sent < batch->count ? batch->native->to : -1,
             .events = POLLOUT}};
        size_t taken = batch->taken;
        int left = left_ms(deadline < end ? deadline : end);
        int ready = left > 0 ? poll(ends, MICA_COUNT(ends), left) : 0;

        if (left == 0) {
            batch->late = batch->ended = true;
        }
        if (ready > 0 && (ends[1].revents & (POLLERR | POLLHUP)) != 0) {
            batch->sent = batch->count; // it reads no more
        } else if (ready > 0 && ends[1].revents != 0) {
            send_some(batch);
        }
        if (ready > 0 && ends[0].revents != 0) {
            receive_some(batch);
        }
        if (batch->taken > taken) {
            deadline = mica_clock_ms() + answer_ms;
        }
    }
}

enum mica_status
mica_native_run(struct mica_native *native, struct mica_arena *arena,
                const struct mica_text *inputs, size_t count,
                struct mica_error *error,
                struct mica_native_result *results_out)
{
    int64_t end =
        mica_clock_ms() + (native->batch_ms > 0 ? native->batch_ms : BATCH_MS);
    size_t done = 0;

    while (done < count && left_ms(end) > 0) {
        struct batch batch = {.native = native,
                              .arena = arena,
                              .inputs = inputs + done,
                              .results = results_out + done,
                              .count = count - done};

        if (!native->running) {
            MICA_TRY(native_start(native, error));
        }
        batch_exchange(&batch, end);
        done += batch.taken;
        if (batch.late || (batch.ended && batch.taken == 0)) {
            results_out[done++] = (struct mica_native_result){
                .ending = batch.late ? MICA_NATIVE_LATE : MICA_NATIVE_LOST};
        }
        native->lost = batch.late;
        if (batch.ended) {
            mica_native_stop(native);
        }
    }
    while (done < count) {
        results_out[done++] =
            (struct mica_native_result){.ending = MICA_NATIVE_LATE};
    }
    return MICA_OK;
}
