// SPDX-License-Identifier: Apache-2.0
//
// A language model that takes its time: answers each request with the same bytes, so many
// milliseconds after it has come whole, to thousands of connections at once. What it costs
// itself must not be what is measured, so it is one thread and reads no more than lengths.
//
//     bench-stand-in-model MILLISECONDS BODY    prints its port; serves until stdin ends
//
// BODY is a file with the body of the answer, a stream of events.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST = 8192,  // connections, by descriptor
    ROOM = 65536, // of a request
    REPLY = 65536,
    EVENTS = 256
};

struct caller {
    size_t size; // of what has come of its request
    char text[ROOM];
};

static struct caller *callers[MOST]; // by descriptor; NULL: closed
static struct waiting {
    int socket;
    double due;
} queue[MOST]; // all wait for the same time, so it is in order
static size_t first, count;
static char reply[REPLY];
static size_t reply_size;
static double delay_ms;

static void
fail(const char *what)
{
    perror(what);
    exit(1);
}

static double
now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void
reply_read(const char *path)
{
    static char body[REPLY - 256];
    FILE *file = fopen(path, "r");
    size_t size;

    if (file == NULL)
        fail(path);
    size = fread(body, 1, sizeof body, file);
    (void)fclose(file);
    reply_size = (size_t)snprintf(reply, sizeof reply,
                                  "HTTP/1.1 200 OK\r\n"
                                  "Content-Type: text/event-stream\r\n"
                                  "Content-Length: %zu\r\n\r\n",
                                  size);
    memcpy(reply + reply_size, body, size);
    reply_size += size;
}

static void
caller_close(int socket)
{
    free(callers[socket]);
    callers[socket] = NULL;
    close(socket);
}

// Is the request whole?
static bool
is_whole(struct caller *caller)
{
    char *end, *length;

    caller->text[caller->size] = '\0';
    end = strstr(caller->text, "\r\n\r\n");
    if (end == NULL)
        return false;
    length = strcasestr(caller->text, "\r\nContent-Length:");
    if (length == NULL || length > end)
        return true;
    return caller->size >=
           (size_t)(end + 4 - caller->text) + strtoul(length + 17, NULL, 10);
}

static void
caller_read(int socket)
{
    struct caller *caller = callers[socket];
    ssize_t got =
        recv(socket, caller->text + caller->size, ROOM - 1 - caller->size, 0);

    if (got <= 0) {
        caller_close(socket);
        return;
    }
    caller->size += (size_t)got;
    if (!is_whole(caller) || count == MOST)
        return;
    caller->size = 0;
    queue[(first + count++) % MOST] =
        (struct waiting){socket, now_ms() + delay_ms};
}

// Answers what is due. Returns the milliseconds until the next is, or -1.
static int
answer_due(void)
{
    while (count > 0) {
        struct waiting *next = &queue[first];
        double left = next->due - now_ms();
        if (left > 0)
            return (int)left + 1;
        // The reply fits into the buffer of the socket.
        if (callers[next->socket] != NULL &&
            send(next->socket, reply, reply_size, MSG_NOSIGNAL) !=
                (ssize_t)reply_size)
            caller_close(next->socket);
        first = (first + 1) % MOST;
        count--;
    }
    return -1;
}

static void
accept_all(int listener, int poll)
{
    int one = 1, socket;

    while ((socket = accept4(listener, NULL, NULL,
                             SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
        if (socket >= MOST)
            fail("too many connections");
        callers[socket] = malloc(sizeof *callers[socket]);
        if (callers[socket] == NULL)
            fail("memory");
        callers[socket]->size = 0;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
    }
}

static int
listen_anywhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener =
        socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (listener < 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 4096) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        fail("listen");
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

int
main(int argc, char **argv)
{
    struct epoll_event events[EVENTS], event = {.events = EPOLLIN};
    int listener, poll = epoll_create1(EPOLL_CLOEXEC);

    if (argc != 3 || poll < 0) {
        fprintf(stderr, "usage: bench-stand-in-model MILLISECONDS BODY\n");
        return 2;
    }
    delay_ms = strtod(argv[1], NULL);
    reply_read(argv[2]);
    listener = listen_anywhere();
    event.data.fd = listener;
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    event.data.fd = STDIN_FILENO;
    epoll_ctl(poll, EPOLL_CTL_ADD, STDIN_FILENO, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, answer_due());
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == STDIN_FILENO)
                return 0;
            if (events[i].data.fd == listener)
                accept_all(listener, poll);
            else if (callers[events[i].data.fd] != NULL)
                caller_read(events[i].data.fd);
        }
    }
}
