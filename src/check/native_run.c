// SPDX-License-Identifier: Apache-2.0
//
// The child and its two ends. Both are served at once, so that neither side waits
// for room while the other does. The engine's code runs there without a sandbox, so
// the child is confined before it is that program: it has its ends and nothing else.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build/confine.h"
#include "build/files.h"
#include "check/native.h"

enum {
    PROFILE = 3,
    BLOCK = 64 * 1024,
    PENDING_MAX = 256 * 1024 * 1024,
    SILENCE_MS = 30000 // beyond the child's own limit
};

// ---- Start and end ---------------------------------------------------------------

static enum mica_status
failed(struct mica_error *error, const char *whatz, int reason)
{
    return mica_error_set(error, MICA_E_IO, "",
                          "Cannot %s the child process of the check: %s", whatz,
                          strerror(reason));
}

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

// A child and its ends.
struct start {
    struct mica_native *native;
    int in, out, profile;
};

static int
spawn(void *data)
{
    const struct start *start = data;
    struct mica_native *native = start->native;
    posix_spawn_file_actions_t actions;
    char ms[24], bytes[24], name[] = "probe";
    char *words[] = {name, ms, bytes, NULL}, *environment[] = {NULL};
    int failure = posix_spawn_file_actions_init(&actions);

    if (failure != 0) {
        return failure;
    }
    (void)snprintf(ms, sizeof ms, "%u", native->time_ms);
    (void)snprintf(bytes, sizeof bytes, "%zu", native->memory_bytes);
    (void)posix_spawn_file_actions_adddup2(&actions, start->in, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, start->out, STDOUT_FILENO);
    // A terminal obeys what is written to it.
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                           O_WRONLY, 0);
    if (start->profile >= 0) {
        (void)posix_spawn_file_actions_adddup2(&actions, start->profile,
                                               PROFILE);
    }
    (void)posix_spawn_file_actions_addclosefrom_np(
        &actions, start->profile >= 0 ? PROFILE + 1 : PROFILE);
    failure = posix_spawn(&native->process, native->program, &actions, NULL,
                          words, environment);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

// Descriptors above those that the child's are put on, so that one does not
// overwrite another on its way. Sockets, as writing to a pipe whose reader has
// died would end this process.
static bool
open_pair(int ends[2])
{
    int low[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0) {
        return false;
    }
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, PROFILE + 1);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, PROFILE + 1);
    (void)close(low[0]);
    (void)close(low[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

static void
close_if(int file)
{
    if (file >= 0) {
        (void)close(file);
    }
}

static enum mica_status
start(struct mica_native *native, struct mica_error *error)
{
    static const struct mica_confinement alone = {.profile = MICA_CONFINE_RUN};
    int in[2] = {-1, -1}, out[2] = {-1, -1}, failure = 0;
    enum mica_status status = MICA_OK;
    int low = open_profile(native), profile = -1;

    if (low >= 0) {
        profile = fcntl(low, F_DUPFD_CLOEXEC, PROFILE + 1);
        (void)close(low);
    }
    if (open_pair(in) && open_pair(out)) {
        struct start data = {native, in[0], out[1], profile};

        status = mica_confine_call(&alone, native->program, spawn, &data, error,
                                   &failure);
    } else {
        failure = errno;
    }
    close_if(in[0]);
    close_if(out[1]);
    close_if(profile);
    if (status != MICA_OK || failure != 0) {
        close_if(in[1]);
        close_if(out[0]);
        return status != MICA_OK ? status : failed(error, "start", failure);
    }
    native->to = in[1];
    native->from = out[0];
    (void)fcntl(native->to, F_SETFL, O_NONBLOCK);
    mica_buffer_init(&native->pending, NULL, PENDING_MAX);
    return MICA_OK;
}

// Reads on until the child has closed its end, so that it can leave.
static void
drain(const struct mica_native *native)
{
    char block[4096];
    struct pollfd ready = {.fd = native->from, .events = POLLIN};

    while (poll(&ready, 1, SILENCE_MS) > 0) {
        if (read(native->from, block, sizeof block) <= 0) {
            return;
        }
    }
}

void
mica_native_stop(struct mica_native *native)
{
    if (native->process <= 0) {
        return;
    }
    (void)close(native->to);
    drain(native);
    (void)close(native->from);
    (void)kill(native->process, SIGKILL); // no effect once it has left
    while (waitpid(native->process, NULL, 0) < 0 && errno == EINTR) {
    }
    mica_buffer_fini(&native->pending);
    native->process = 0;
}

// ---- One batch -------------------------------------------------------------------

// Where a batch stands: bytes sent of which input, answers taken.
struct batch {
    struct mica_native *native;
    struct mica_arena *arena;
    const struct mica_text *inputs;
    struct mica_native_result *results;
    size_t count, sent, sent_bytes, taken;
    bool ended; // the child is gone
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

// Until all is answered or the child is gone.
static void
exchange(struct batch *batch)
{
    // Its limit is in its own time; a busy machine takes several times that.
    int wait_ms = (int)batch->native->time_ms * 8 + SILENCE_MS;

    while (batch->taken < batch->count && !batch->ended) {
        struct pollfd ends[] = {
            {.fd = batch->native->from, .events = POLLIN},
            {.fd = batch->sent < batch->count ? batch->native->to : -1,
             .events = POLLOUT}};
        int ready = poll(ends, MICA_COUNT(ends), wait_ms);

        if (ready == 0) {
            (void)kill(batch->native->process, SIGKILL);
            batch->ended = true;
        }
        if (ready > 0 && (ends[1].revents & (POLLERR | POLLHUP)) != 0) {
            batch->sent = batch->count; // it reads no more
        } else if (ready > 0 && ends[1].revents != 0) {
            send_some(batch);
        }
        if (ready > 0 && ends[0].revents != 0) {
            receive_some(batch);
        }
    }
}

enum mica_status
mica_native_run(struct mica_native *native, struct mica_arena *arena,
                const struct mica_text *inputs, size_t count,
                struct mica_error *error,
                struct mica_native_result *results_out)
{
    size_t done = 0;

    while (done < count) {
        struct batch batch = {.native = native,
                              .arena = arena,
                              .inputs = inputs + done,
                              .results = results_out + done,
                              .count = count - done};

        if (native->process <= 0) {
            MICA_TRY(start(native, error));
        }
        exchange(&batch);
        done += batch.taken;
        if (batch.ended && batch.taken == 0) {
            results_out[done++] =
                (struct mica_native_result){.ending = MICA_NATIVE_LOST};
        }
        if (batch.ended) {
            mica_native_stop(native);
        }
    }
    return MICA_OK;
}
