// SPDX-License-Identifier: Apache-2.0
//
// One thread reads and writes, so that a line is whole by construction and many
// replies leave in one system call.
#include "stdio/stdio_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LATE_BYTES = 32 * 1024, // of a string that is read while it is written
    FLUSH_BYTES = 64 * 1024,
    KEPT_BYTES = 1024 * 1024,
    NAME_BYTES = 64
};

// Moves descriptor `fd` to a private one and puts a copy of `other` there.
static int
move_aside(int fd, int other)
{
    int aside = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (aside >= 0 && dup2(other, fd) < 0) {
        close(aside);
        return -1;
    }
    return aside;
}

// A client that stops reading must not keep the program from ending, so a write
// must never block. The flag for that belongs to the pipe's end, which other
// processes may share: so the pipe is opened once more, for us alone. Where that
// is not possible, what poll says there is room for is written, and no more.
static void
choose_writing(struct mica_stream *stream)
{
    char name[NAME_BYTES];
    struct stat kind;

    stream->writing = stream->out;
    stream->piece = SIZE_MAX;
    if (fstat(stream->out, &kind) != 0)
        return;
    stream->socket = S_ISSOCK(kind.st_mode);
    if (!S_ISFIFO(kind.st_mode))
        return;
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", stream->out);
    int again = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (again >= 0)
        stream->writing = again;
    else
        stream->piece = PIPE_BUF;
}

// [STDIO-STDOUT]
enum mica_status
mica_stream_open(int stop, struct mica_error *error,
                 struct mica_stream *stream_out)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int in = -1, out = -1;

    // What the program has printed so far belongs before the protocol.
    (void)fflush(stdout);
    if (nothing >= 0)
        in = move_aside(STDIN_FILENO, nothing);
    if (in >= 0)
        out = move_aside(STDOUT_FILENO, fcntl(STDERR_FILENO, F_GETFD) >= 0
                                            ? STDERR_FILENO
                                            : nothing);
    int code = errno;
    if (in >= 0 && out < 0) {
        (void)dup2(in, STDIN_FILENO);
        close(in);
    }
    if (nothing >= 0)
        close(nothing);
    if (out < 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot take stdin and stdout: %s; a client "
                              "must give both",
                              strerror(code));
    *stream_out = (struct mica_stream){.in = in, .out = out, .stop = stop};
    choose_writing(stream_out);
    mica_buffer_init(&stream_out->output, NULL, SIZE_MAX / 2);
    return MICA_OK;
}

void
mica_stream_close(struct mica_stream *stream)
{
    (void)fflush(stdout); // to stderr, where it went all the time
    if (stream->writing != stream->out)
        close(stream->writing);
    (void)dup2(stream->in, STDIN_FILENO);
    (void)dup2(stream->out, STDOUT_FILENO);
    close(stream->in);
    close(stream->out);
    mica_buffer_fini(&stream->output);
}

void
mica_stream_write(struct mica_stream *stream, struct mica_text line)
{
    mica_buffer_text(&stream->output, line);
    mica_buffer_char(&stream->output, '\n');
    if (stream->output.len >= FLUSH_BYTES)
        mica_stream_flush(stream);
}

void
mica_stream_write_late(struct mica_stream *stream, struct mica_text line,
                       size_t at, struct mica_streamed_text *streamed)
{
    char piece[LATE_BYTES];

    mica_buffer_text(&stream->output, mica_text_slice(line, 0, at));
    for (uint64_t done = 0; done < streamed->length && !stream->broken;) {
        size_t got = streamed->read(streamed, done, piece, sizeof piece);
        if (got == 0) // better an end than a hole
            stream->broken = true;
        mica_buffer_add(&stream->output, piece, got);
        done += got;
        if (stream->output.len >= FLUSH_BYTES)
            mica_stream_flush(stream);
    }
    mica_stream_write(stream, mica_text_slice(line, at, line.len));
}

// False when it cannot be written, or need not be any more.
static bool
wait_for_room(const struct mica_stream *stream)
{
    struct pollfd wait[2] = {{.fd = stream->writing, .events = POLLOUT},
                             {.fd = stream->stop, .events = POLLIN}};

    while (poll(wait, 2, -1) < 0) {
        if (errno != EINTR)
            return false;
    }
    return (wait[0].revents & POLLOUT) != 0 || wait[1].revents == 0;
}

static ssize_t
put_some(const struct mica_stream *stream, const char *bytes, size_t size)
{
    if (size > stream->piece)
        size = stream->piece;
    return stream->socket
               ? send(stream->writing, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)
               : write(stream->writing, bytes, size);
}

void
mica_stream_flush(struct mica_stream *stream)
{
    struct mica_buffer *output = &stream->output;
    size_t done = 0;

    if (output->overflow) // a reply was lost: better an end than a hole
        stream->broken = true;
    while (done < output->len && !stream->broken && wait_for_room(stream)) {
        ssize_t put = put_some(stream, output->ptr + done, output->len - done);
        if (put > 0)
            done += (size_t)put;
        else if (put < 0 && errno != EINTR && errno != EAGAIN)
            stream->broken = true;
    }
    output->len = 0;
    if (output->capacity > KEPT_BYTES)
        mica_buffer_fini(output);
}
