// SPDX-License-Identifier: Apache-2.0
//
// Connections between clients and servers. One thread of each process calls mica
// as libmicrohttpd's would: when a request is there, when a connection was resumed,
// and for more of a stream. What mica says is carried from here to the client.
#include "wire.h"

#include <sys/socket.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 16384,
    SILENT_MS = 60000 // until the server notices a client that went silently
};

static struct MHD_Connection *all;
static sim_listener *listener;
static int numbers;

static int64_t
delay(void)
{
    if (sim_is_rough() && sim_one_in(20))
        return (int64_t)(sim_random() % 40000);
    return 1 + (int64_t)(sim_random() % (sim_is_rough() ? 1500 : 50));
}

static struct MHD_Connection *
find(int64_t number)
{
    struct MHD_Connection *connection = all;

    while (connection != NULL && connection->number != number)
        connection = connection->next;
    return connection;
}

static void
close_socket(int *socket)
{
    if (*socket >= 0)
        close(*socket);
    *socket = -1;
}

static void
forget(struct MHD_Connection *connection)
{
    struct MHD_Connection **at = &all;

    while (*at != connection)
        at = &(*at)->next;
    *at = connection->next;
    close_socket(&connection->sockets[0]);
    close_socket(&connection->sockets[1]);
    for (size_t i = 0; i < SIM_TEXTS; i++)
        free(connection->texts[i]);
    free(connection);
}

// ---- To the client -------------------------------------------------------------------

struct heard {
    enum sim_heard heard;
    int client;
    struct sim_head head;
    size_t size;
    char bytes[];
};

static void
hear(const struct sim_event *event)
{
    const struct heard *heard = event->data;

    listener(heard->client, (int)event->number, heard->heard, &heard->head,
             heard->bytes, heard->size);
}

// In the order in which it was said.
static void
tell(struct MHD_Connection *connection, enum sim_heard what,
     const struct sim_head *head, const char *bytes, size_t size)
{
    int64_t now = atomic_load(&world.now), at = now + delay();
    struct heard *heard;

    if (connection->left)
        return;
    heard = calloc(1, sizeof *heard + size + 1);
    heard->heard = what;
    heard->client = connection->client;
    heard->size = size;
    if (head != NULL)
        heard->head = *head;
    if (size > 0)
        memcpy(heard->bytes, bytes, size);
    connection->notified =
        connection->notified > at ? connection->notified : at;
    sim_post(connection->notified - now,
             (struct sim_event){
                 .happens = hear, .data = heard, .number = connection->number});
    connection->left = what == SIM_END || what == SIM_BROKEN;
}

// The client's side is gone, and the server's may notice.
static void
notice(struct MHD_Connection *connection)
{
    connection->gone = true;
    close_socket(&connection->sockets[1]);
    if (connection->daemon != NULL)
        sim_rouse(connection->daemon);
}

static void
notice_later(const struct sim_event *event)
{
    struct MHD_Connection *connection = find(event->number);

    if (connection != NULL)
        notice(connection);
}

static void
leave(struct MHD_Connection *connection, bool silently)
{
    connection->left = true;
    sim_post(silently ? (int64_t)(sim_random() % SILENT_MS) : delay(),
             (struct sim_event){.happens = notice_later,
                                .number = connection->number});
}

// The network breaks it, for both.
static void
break_off(struct MHD_Connection *connection)
{
    sim_note("connection %d of client %d breaks", connection->number,
             connection->client);
    cluster.broken++;
    tell(connection, SIM_BROKEN, NULL, NULL, 0);
    leave(connection, sim_one_in(3));
}

// A piece of the response is on its way; behind it the connection may break.
static void
carry(struct MHD_Connection *connection, enum sim_heard what,
      const struct sim_head *head, const char *bytes, size_t size)
{
    tell(connection, what, head, bytes, size);
    if (connection->left)
        return;
    cluster.chunks++;
    if (cluster.rough ? sim_is_rough() && sim_one_in(15)
                      : cluster.chunks == cluster.break_at)
        break_off(connection);
}

// ---- The thread of the connections ---------------------------------------------------

static void
let_go_of_response(struct MHD_Connection *connection)
{
    struct MHD_Response *response = connection->response;

    connection->response = NULL;
    if (response != NULL)
        MHD_destroy_response(response);
}

// Versions of libmicrohttpd let go of the response before or behind the word that
// the request is over.
static void
complete(struct MHD_Connection *connection,
         enum MHD_RequestTerminationCode code)
{
    struct MHD_Daemon *daemon = connection->daemon;
    bool first = sim_one_in(2);

    if (first)
        let_go_of_response(connection);
    daemon->completed(daemon->completed_data, connection, &connection->request,
                      code);
    let_go_of_response(connection);
    connection->stage = SIM_OVER;
}

static void
close_connection(struct MHD_Connection *connection,
                 enum MHD_RequestTerminationCode code)
{
    struct MHD_Daemon *daemon = connection->daemon;
    enum sim_heard last = SIM_BROKEN;

    if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
        last = SIM_END;
    if (connection->began)
        complete(connection, code);
    daemon->connected(daemon->connected_data, connection, &connection->link,
                      MHD_CONNECTION_NOTIFY_CLOSED);
    tell(connection, last, NULL, NULL, 0);
    forget(connection);
}

// Calls mica with a piece of the body, or with nothing. False: it is over.
static bool
call(struct MHD_Connection *connection, const char *bytes, size_t size)
{
    struct MHD_Daemon *daemon = connection->daemon;
    enum MHD_Result result;

    connection->began = true;
    result = daemon->answer(daemon->answer_data, connection, "/mcp",
                            connection->texts[SIM_METHOD], "HTTP/1.1", bytes,
                            &size, &connection->request);
    SIM_MUST(result != MHD_YES || size == 0, "a part of a body is left");
    if (result == MHD_YES)
        return true;
    close_connection(connection, MHD_REQUEST_TERMINATED_WITH_ERROR);
    return false;
}

static void
answer(struct MHD_Connection *connection)
{
    struct MHD_Daemon *daemon = connection->daemon;
    const char *body = connection->texts[SIM_BODY];
    size_t size = body != NULL ? strlen(body) : 0;
    size_t half = size > 0 ? sim_random() % size : 0;

    if (connection->stage == SIM_COMES) {
        connection->stage = SIM_RUNS;
        daemon->connected(daemon->connected_data, connection, &connection->link,
                          MHD_CONNECTION_NOTIFY_STARTED);
        if (!call(connection, NULL, 0))
            return;
        if (connection->response == NULL && half > 0 &&
            !call(connection, body, half))
            return;
        if (connection->response == NULL && size > 0 &&
            !call(connection, body + half, size - half))
            return;
        sim_yield();
    }
    if (connection->response == NULL && !call(connection, NULL, 0))
        return;
    SIM_MUST(connection->response != NULL || connection->suspended,
             "a request is neither answered nor suspended");
    if (connection->response == NULL)
        return;
    connection->stage = SIM_ANSWERS;
    carry(connection, SIM_HEAD, &connection->response->head, NULL, 0);
    if (connection->response->read == NULL && connection->response->size > 0)
        carry(connection, SIM_BYTES, NULL, connection->response->body,
              connection->response->size);
}

static void
keep_answering(struct MHD_Connection *connection)
{
    static const size_t sizes[] = {16, 200, 1024, CHUNK_BYTES};
    struct MHD_Response *response = connection->response;
    char bytes[CHUNK_BYTES];
    ssize_t got = MHD_CONTENT_READER_END_OF_STREAM;

    if (connection->gone) { // nothing can be written any more
        close_connection(connection, MHD_REQUEST_TERMINATED_CLIENT_ABORT);
        return;
    }
    if (response->read != NULL)
        got = response->read(response->data, connection->position, bytes,
                             sizes[sim_random() % MICA_COUNT(sizes)]);
    if (got > 0) {
        connection->position += (uint64_t)got;
        carry(connection, SIM_BYTES, NULL, bytes, (size_t)got);
    } else if (got != 0) {
        close_connection(connection, got == MHD_CONTENT_READER_END_OF_STREAM
                                         ? MHD_REQUEST_TERMINATED_COMPLETED_OK
                                         : MHD_REQUEST_TERMINATED_WITH_ERROR);
    } else {
        SIM_MUST(connection->suspended, "a stream has nothing and waits not");
    }
}

static void
work_on(struct MHD_Connection *connection)
{
    connection->suspended = connection->resumed = false;
    if (connection->stage == SIM_COMES || connection->stage == SIM_RUNS)
        answer(connection);
    else
        keep_answering(connection);
}

static bool
is_ready(const struct MHD_Connection *connection,
         const struct MHD_Daemon *daemon)
{
    return connection->daemon == daemon &&
           (connection->suspended ? connection->resumed
                                  : connection->stage != SIM_OVER);
}

static struct MHD_Connection *
choose(const struct MHD_Daemon *daemon)
{
    struct MHD_Connection *chosen = NULL;
    size_t count = 0;

    for (struct MHD_Connection *c = all; c != NULL; c = c->next) {
        if (!is_ready(c, daemon))
            continue;
        count++;
        if (chosen == NULL || sim_random() % count == 0)
            chosen = c;
    }
    return chosen;
}

// libmicrohttpd ends the process when one is suspended then.
static void
close_all(struct MHD_Daemon *daemon)
{
    struct MHD_Connection *next;

    for (struct MHD_Connection *c = all; c != NULL; c = next) {
        next = c->next;
        if (c->daemon != daemon)
            continue;
        SIM_MUST(!c->suspended || c->resumed,
                 "connection %d is suspended at the end", c->number);
        close_connection(c, MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN);
    }
}

void
sim_wire_serve(void *data)
{
    struct MHD_Daemon *daemon = data;

    while (!daemon->stops) {
        struct MHD_Connection *connection = choose(daemon);
        if (connection != NULL)
            work_on(connection);
        else
            (void)sim_wait(daemon, SIM_NEVER);
        sim_yield();
    }
    close_all(daemon);
    daemon->has_stopped = true;
    sim_rouse(&daemon->has_stopped);
}

// ---- From the client -----------------------------------------------------------------

static void
refuse(struct MHD_Connection *connection)
{
    tell(connection, SIM_BROKEN, NULL, NULL, 0);
    forget(connection);
}

// The request has arrived.
static void
arrive(const struct sim_event *event)
{
    struct MHD_Connection *connection = find(event->number);
    const struct sim_host *host;
    struct MHD_Daemon *daemon;

    if (connection == NULL)
        return;
    host = cluster.hosts[connection->host];
    daemon = host != NULL ? host->daemon : NULL;
    if (daemon == NULL || daemon->quiet || connection->gone ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
                   connection->sockets) != 0) {
        refuse(connection);
        return;
    }
    connection->daemon = daemon;
    connection->stage = SIM_COMES;
    sim_rouse(daemon);
}

static struct MHD_Connection *
make(int client, int host, const struct sim_request *request)
{
    const char *const texts[SIM_TEXTS] = {[SIM_METHOD] = request->method,
                                          [SIM_SESSION] = request->session,
                                          [SIM_VERSION] = request->version,
                                          [SIM_LAST_EVENT] =
                                              request->last_event,
                                          [SIM_BODY] = request->body};
    struct MHD_Connection *connection = calloc(1, sizeof *connection);

    connection->number = ++numbers;
    connection->client = client;
    connection->host = host;
    connection->sockets[0] = connection->sockets[1] = -1;
    for (size_t i = 0; i < SIM_TEXTS; i++) {
        if (texts[i] != NULL)
            connection->texts[i] = sim_copy(mica_text(texts[i]));
    }
    connection->next = all;
    all = connection;
    return connection;
}

static void
send_off(const struct MHD_Connection *connection)
{
    sim_post(delay(), (struct sim_event){.happens = arrive,
                                         .number = connection->number});
}

int
sim_send(int client, int host, const struct sim_request *request,
         bool *twice_out)
{
    struct MHD_Connection *connection = make(client, host, request);
    int number = connection->number;

    *twice_out = false;
    if (sim_is_rough() && sim_one_in(10)) {
        cluster.lost++;
        tell(connection, SIM_BROKEN, NULL, NULL, 0);
        forget(connection);
        return number;
    }
    send_off(connection);
    if (sim_is_rough() && sim_one_in(20)) {
        cluster.repeated++;
        *twice_out = true;
        sim_note("connection %d: the same again", number + 1);
        connection =
            make(client, (int)(sim_random() % cluster.host_count), request);
        connection->left = true;
        send_off(connection);
    }
    return number;
}

void
sim_hang_up(int number, bool silently)
{
    struct MHD_Connection *connection = find(number);

    if (connection != NULL && !connection->left)
        leave(connection, silently);
}

void
sim_wire_cut(const struct sim_host *host)
{
    for (struct MHD_Connection *c = all; c != NULL; c = c->next) {
        if (c->daemon != NULL && c->daemon->host == host)
            tell(c, SIM_BROKEN, NULL, NULL, 0);
    }
}

void
sim_wire_begin(sim_listener *heard)
{
    listener = heard;
    numbers = 0;
    sim_responses = 0;
}

void
sim_wire_end(void)
{
    while (all != NULL) {
        SIM_MUST(all->daemon == NULL,
                 "connection %d was left behind in stage %d", all->number,
                 (int)all->stage);
        forget(all);
    }
    SIM_MUST(sim_responses == 0, "%zu responses were left behind",
             sim_responses);
}
