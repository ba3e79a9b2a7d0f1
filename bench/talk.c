// SPDX-License-Identifier: Apache-2.0
//
// Conversations in sessions: each client has a session, calls a tool that asks once,
// answers on a second connection, and reads the result from the stream of its call.
//
//     bench-talk PORT TOOL CLIENTS SECONDS
//
// Prints conversations, microseconds, and the percentiles 50 and 99 of how long one
// took, in microseconds. Anything that is not as expected ends it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    ROOM = 65536,
    MOST_CLIENTS = 256,
    MOST_TIMES = 1 << 20 // of one client that are kept
};

static unsigned short port;
static const char *tool;
static double until;

struct connection {
    int socket;
    size_t size;
    char text[ROOM];
};

struct client {
    pthread_t thread;
    struct connection call, answer;
    char session[256];
    size_t count;
    unsigned *times;
};

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void
fail(const char *what, const struct connection *connection)
{
    fprintf(stderr, "%s: %s\n", what,
            connection != NULL ? connection->text : "");
    exit(1);
}

static void
open_connection(struct connection *connection)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;

    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connection->socket < 0 ||
        connect(connection->socket, (struct sockaddr *)&address,
                sizeof address) != 0)
        fail("cannot connect", NULL);
    (void)setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on,
                     sizeof on);
}

// With the session's headers, once there is one.
static void
post(struct connection *connection, const char *session, const char *body)
{
    char text[4096];
    int size = snprintf(
        text, sizeof text,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
        "Content-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n"
        "%s%s%sContent-Length: %zu\r\n\r\n%s",
        port, session[0] != '\0' ? "Mcp-Session-Id: " : "", session,
        session[0] != '\0' ? "\r\nMCP-Protocol-Version: 2025-11-25\r\n" : "",
        strlen(body), body);

    connection->size = 0;
    connection->text[0] = '\0';
    if (send(connection->socket, text, (size_t)size, 0) != size)
        fail("cannot send", connection);
}

static void
read_more(struct connection *connection)
{
    ssize_t got = recv(connection->socket, connection->text + connection->size,
                       ROOM - 1 - connection->size, 0);

    if (got <= 0)
        fail("the connection ends", connection);
    connection->size += (size_t)got;
    connection->text[connection->size] = '\0';
}

static const char *
read_until(struct connection *connection, const char *what)
{
    const char *found;

    while ((found = strstr(connection->text, what)) == NULL)
        read_more(connection);
    return found;
}

// The whole response, however its end is told.
static void
read_response(struct connection *connection)
{
    const char *body = read_until(connection, "\r\n\r\n") + 4;
    const char *length = strcasestr(connection->text, "\r\ncontent-length:");
    size_t size;

    if (length == NULL || length > body) {
        if (strcasestr(connection->text, "chunked") != NULL)
            (void)read_until(connection, "0\r\n\r\n");
        return;
    }
    size = (size_t)(body - connection->text) +
           strtoul(length + sizeof "\r\ncontent-length:" - 1, NULL, 10);
    while (connection->size < size)
        read_more(connection);
}

static void
begin(struct client *client)
{
    const char *id;
    size_t length;

    open_connection(&client->call);
    open_connection(&client->answer);
    post(&client->call, "",
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
         "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":"
         "{}},\"clientInfo\":{\"name\":\"talk\",\"version\":\"1\"}}}");
    (void)read_until(&client->call, "protocolVersion");
    read_response(&client->call);
    id = strcasestr(client->call.text, "\r\nmcp-session-id: ");
    if (id == NULL)
        fail("no session", &client->call);
    id += sizeof "\r\nmcp-session-id: " - 1;
    length = strcspn(id, "\r");
    if (length >= sizeof client->session)
        fail("a long id", &client->call);
    memcpy(client->session, id, length);
    post(&client->answer, client->session,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    read_response(&client->answer);
}

// The id of the question, as it stands in its JSON.
static void
take_id(const struct connection *connection, char id[128])
{
    const char *line = strstr(connection->text, "elicitation/create"), *at;
    size_t length;

    while (line > connection->text && strncmp(line, "data:", 5) != 0)
        line--;
    at = strstr(line, "\"id\":");
    if (at == NULL)
        fail("no id", connection);
    at += 5;
    length = strcspn(at, ",}");
    if (length >= 128)
        fail("a long id", connection);
    memcpy(id, at, length);
    id[length] = '\0';
}

static void
converse(struct client *client, size_t number)
{
    char body[512], id[128];

    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"%s\",\"arguments\":{}}}",
             number, tool);
    post(&client->call, client->session, body);
    (void)read_until(&client->call, "elicitation/create");
    while (client->call.text[client->call.size - 1] != '\n')
        read_more(&client->call);
    take_id(&client->call, id);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"action\":\"accept\","
             "\"content\":{\"yes\":true}}}",
             id);
    post(&client->answer, client->session, body);
    read_response(&client->answer);
    if (strstr(client->answer.text, " 202 ") == NULL)
        fail("the answer was not taken", &client->answer);
    (void)read_until(&client->call, "\"structuredContent\":{\"yes\":true}");
    (void)read_until(&client->call, "\r\n0\r\n\r\n");
}

static void *
talk(void *data)
{
    struct client *client = data;

    begin(client);
    for (double began; (began = now()) < until; client->count++) {
        converse(client, client->count + 1);
        if (client->count < MOST_TIMES)
            client->times[client->count] = (unsigned)(now() - began);
    }
    return NULL;
}

static int
compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

static void
report(const struct client *clients, size_t count, double took)
{
    size_t all = 0, kept = 0;
    unsigned *times;

    for (size_t i = 0; i < count; i++)
        all += clients[i].count;
    times = calloc(all + 1, sizeof *times);
    for (size_t i = 0; i < count && times != NULL; i++) {
        size_t some =
            clients[i].count < MOST_TIMES ? clients[i].count : MOST_TIMES;
        memcpy(times + kept, clients[i].times, some * sizeof *times);
        kept += some;
    }
    if (kept == 0)
        fail("no conversation", NULL);
    qsort(times, kept, sizeof *times, compare);
    printf("%zu %.0f %u %u\n", all, took, times[kept / 2],
           times[kept * 99 / 100]);
    free(times);
}

int
main(int argc, char **argv)
{
    static struct client clients[MOST_CLIENTS];
    double began = now();
    size_t count;

    if (argc != 5 || (count = strtoul(argv[3], NULL, 10)) == 0 ||
        count > MOST_CLIENTS) {
        fprintf(stderr, "usage: %s PORT TOOL CLIENTS SECONDS\n", argv[0]);
        return 2;
    }
    port = (unsigned short)strtoul(argv[1], NULL, 10);
    tool = argv[2];
    until = began + strtod(argv[4], NULL) * 1e6;
    for (size_t i = 0; i < count; i++) {
        clients[i].times = calloc(MOST_TIMES, sizeof(unsigned));
        if (clients[i].times == NULL ||
            pthread_create(&clients[i].thread, NULL, talk, &clients[i]) != 0)
            fail("no memory", NULL);
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(clients[i].thread, NULL);
    report(clients, count, now() - began);
    return 0;
}
