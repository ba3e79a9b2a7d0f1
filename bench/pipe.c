// SPDX-License-Identifier: Apache-2.0
//
// Drives a server on a pipe: keeps a window of requests in flight, and says how
// many were answered in a second. The same request bytes to every server.
//
//     bench-pipe REQUESTS WINDOW REQUEST-FILE COMMAND…
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "child.h"

enum {
    BATCH = 64, // requests to a write, at most; well below what a pipe holds
    REPLY_BYTES = 1 << 16
};

struct run {
    struct child child;
    const char *request; // one line, its end included
    size_t request_size;
    long total, window, sent, answered;
    char *batch;      // `BATCH` requests in a row
    size_t pending;   // bytes of the batch that the pipe has not taken yet
    const char *rest; // where they begin
};

static char *
read_request(const char *path, size_t *size_out)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t capacity = 0;
    ssize_t size;

    if (file == NULL || (size = getline(&text, &capacity, file)) <= 0)
        fail(path);
    fclose(file);
    *size_out = (size_t)size;
    return text;
}

// Writes as much as the window and the pipe allow.
static void
send_more(struct run *run)
{
    long room = run->window - (run->sent - run->answered);
    long left = run->total - run->sent;
    ssize_t wrote;

    if (run->pending == 0) {
        long count = room < left ? room : left;
        if (count > BATCH)
            count = BATCH;
        run->rest = run->batch;
        run->pending = (size_t)count * run->request_size;
        run->sent += count;
    }
    wrote = write(run->child.in, run->rest, run->pending);
    if (wrote < 0) {
        if (errno != EAGAIN)
            fail("write");
        return;
    }
    run->rest += wrote;
    run->pending -= (size_t)wrote;
}

static void
take_replies(struct run *run)
{
    static char bytes[REPLY_BYTES];
    ssize_t got = read(run->child.out, bytes, sizeof bytes);

    if (got <= 0)
        fail("the server ended");
    for (const char *at = bytes, *end = bytes + got;
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        run->answered++;
}

static void
drive(struct run *run)
{
    while (run->answered < run->total) {
        struct pollfd wait[2] = {
            {.fd = run->child.out, .events = POLLIN},
            {.fd = run->child.in, .events = POLLOUT},
        };
        nfds_t count =
            run->pending > 0 || (run->sent < run->total &&
                                 run->sent - run->answered < run->window)
                ? 2
                : 1;
        if (poll(wait, count, -1) < 0)
            fail("poll");
        if (wait[0].revents != 0)
            take_replies(run);
        if (count == 2 && wait[1].revents != 0)
            send_more(run);
    }
}

int
main(int argc, char **argv)
{
    struct run run = {0};
    double started, took;
    long all;

    if (argc < 5) {
        fprintf(stderr, "usage: %s REQUESTS WINDOW REQUEST-FILE COMMAND…\n",
                argv[0]);
        return 2;
    }
    run.request = read_request(argv[3], &run.request_size);
    run.batch = malloc(BATCH * run.request_size);
    if (run.batch == NULL)
        fail("malloc");
    for (size_t i = 0; i < BATCH; i++)
        memcpy(run.batch + i * run.request_size, run.request, run.request_size);
    run.child = start_child(argv + 4);
    if (fcntl(run.child.in, F_SETFL, O_NONBLOCK) != 0)
        fail("fcntl");
    // The first tenth warms up.
    run.window = strtol(argv[2], NULL, 10);
    run.total = strtol(argv[1], NULL, 10) / 10 + 1;
    drive(&run);
    all = run.total;
    run.sent = run.answered = 0;
    run.total = strtol(argv[1], NULL, 10);
    started = seconds();
    drive(&run);
    took = seconds() - started;
    all += run.total;
    printf("%.0f %.3f\n", (double)run.total / took,
           end_child(&run.child) * 1e6 / (double)all);
    return 0;
}
