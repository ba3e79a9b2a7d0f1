// SPDX-License-Identifier: Apache-2.0
//
// Files that are too large for the memory of a call: encoded once, a piece at a
// time, into a file without a name, and sent from there.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/folder.h"

enum {
    PIECE_BYTES = 48 * 1024, // a multiple of 3, for base64
    AT_ONCE = 16,            // files that are encoded or sent, of the process
    WIDEST = 6               // bytes of JSON for one of text
};

struct streamed_file {
    struct mica_streamed_text streamed; // the first member
    int copy;
};

static atomic_uint open_count;

// ---- Sending -----------------------------------------------------------------------

static size_t
streamed_read(struct mica_streamed_text *self, uint64_t at, char *bytes,
              size_t size)
{
    struct streamed_file *streamed = (struct streamed_file *)(void *)self;
    ssize_t got;

    do {
        got = pread(streamed->copy, bytes, size, (off_t)at);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

static void
streamed_free(struct streamed_file *streamed)
{
    close(streamed->copy);
    free(streamed);
    atomic_fetch_sub(&open_count, 1);
}

static void
streamed_close(struct mica_streamed_text *self)
{
    streamed_free((struct streamed_file *)(void *)self);
}

// ---- Encoding ----------------------------------------------------------------------

static bool
write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

static bool
write_piece(struct streamed_file *streamed, struct mica_buffer *buffer,
            size_t skip)
{
    size_t size = buffer->len - 2 * skip;

    if (buffer->overflow) {
        errno = ENOMEM;
        return false;
    }
    streamed->streamed.length += size;
    return size == 0 || write_all(streamed->copy, buffer->ptr + skip, size);
}

// Without the quotes; EILSEQ when it is no text.
static bool
write_text(struct streamed_file *streamed, struct mica_text text,
           struct mica_buffer *buffer)
{
    struct mica_json_writer writer;

    if (memchr(text.ptr, '\0', text.len) != NULL) {
        errno = EILSEQ;
        return false;
    }
    mica_json_writer_init(&writer, buffer);
    mica_json_string(&writer, text);
    return write_piece(streamed, buffer, 1);
}

static bool
write_base64(struct streamed_file *streamed, struct mica_text bytes,
             struct mica_buffer *buffer)
{
    mica_base64_write(buffer, bytes.ptr, bytes.len);
    return write_piece(streamed, buffer, 0);
}

// As much of the file as there is room for behind what is left of a character.
static ssize_t
late_fill(int fd, char *room, size_t left)
{
    size_t size = left;

    while (size < PIECE_BYTES) {
        ssize_t got = read(fd, room + size, PIECE_BYTES - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        size += (size_t)got;
    }
    return (ssize_t)size;
}

// Appends one piece. What is left of a character at its end stays in `room`.
static bool
encode_piece(struct streamed_file *streamed, char *room, size_t size, bool text,
             size_t *left_out)
{
    struct mica_text piece = {room, size};
    struct mica_buffer buffer;
    bool right;

    mica_buffer_init(&buffer, NULL, (size_t)WIDEST * PIECE_BYTES + 16);
    if (text)
        piece.len = mica_utf8_valid(piece);
    if (size - piece.len > 3 || (size < PIECE_BYTES && piece.len < size)) {
        errno = EILSEQ;
        right = false;
    } else {
        right = text ? write_text(streamed, piece, &buffer)
                     : write_base64(streamed, piece, &buffer);
    }
    *left_out = size - piece.len;
    memmove(room, room + piece.len, size - piece.len);
    mica_buffer_fini(&buffer);
    return right;
}

// `most` is the size that the file had: more is not read, as it may grow without end.
static bool
streamed_encode(struct mica_call *call, struct streamed_file *streamed, int fd,
                char *room, bool text, uint64_t most, uint64_t *read_out)
{
    size_t left = 0;

    *read_out = streamed->streamed.length = 0;
    if (lseek(fd, 0, SEEK_SET) < 0 || ftruncate(streamed->copy, 0) != 0 ||
        lseek(streamed->copy, 0, SEEK_SET) < 0)
        return false;
    for (;;) {
        ssize_t size = late_fill(fd, room, left);
        if (size < 0)
            return false;
        *read_out += (size_t)size - left;
        if (mica_cancelled(call) || *read_out > most) {
            errno = *read_out > most ? EAGAIN : ECANCELED;
            return false;
        }
        if (!encode_piece(streamed, room, (size_t)size, text, &left))
            return false;
        if (size < PIECE_BYTES)
            return true;
    }
}

static bool
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool
encode_file(struct mica_call *call, struct streamed_file *streamed, int fd,
            bool *text_out)
{
    char *room = malloc(PIECE_BYTES);
    struct stat before, after;
    uint64_t size = 0;
    bool right = room != NULL && fstat(fd, &before) == 0;
    uint64_t most = right ? (uint64_t)before.st_size : 0;

    *text_out = true;
    if (right)
        right = streamed_encode(call, streamed, fd, room, true, most, &size);
    if (!right && room != NULL && errno == EILSEQ) {
        *text_out = false;
        right = streamed_encode(call, streamed, fd, room, false, most, &size);
    }
    free(room);
    if (!right || fstat(fd, &after) != 0)
        return false;
    if (is_same(&before, &after) && size == (uint64_t)after.st_size)
        return true;
    errno = EAGAIN;
    return false;
}

// ---- Copies ------------------------------------------------------------------------

// On a disk, as it may be much.
static int
open_copy(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};

    for (size_t i = 0; i < MICA_COUNT(folders); i++) {
        int fd = folders[i] == NULL
                     ? -1
                     : open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

bool
mica_file_stream(struct mica_call *call, int fd, bool *text_out,
                 struct mica_streamed_text **streamed_out)
{
    struct streamed_file *streamed;
    int why;

    if (atomic_fetch_add(&open_count, 1) >= AT_ONCE) {
        atomic_fetch_sub(&open_count, 1);
        errno = ENFILE;
        return false;
    }
    streamed = malloc(sizeof *streamed);
    if (streamed == NULL || (streamed->copy = open_copy()) < 0) {
        why = errno;
        free(streamed);
        atomic_fetch_sub(&open_count, 1);
        errno = why;
        return false;
    }
    streamed->streamed = (struct mica_streamed_text){.read = streamed_read,
                                                     .close = streamed_close};
    if (encode_file(call, streamed, fd, text_out)) {
        *streamed_out = &streamed->streamed;
        return true;
    }
    why = errno;
    streamed_free(streamed);
    errno = why;
    return false;
}
