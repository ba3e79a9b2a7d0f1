// SPDX-License-Identifier: Apache-2.0
//
// The functions of libmicrohttpd that mica calls, and no others. They stand in the
// program itself, so the linker takes them and not those of the library.
#include <stdarg.h>
#include <unistd.h>

#include "wire.h"

enum {
    HEADERS = 8
};

// ---- The daemon ----------------------------------------------------------------------

// Only what it sets.
static void
take_options(struct MHD_Daemon *daemon, va_list options)
{
    for (;;) {
        enum MHD_OPTION option = (enum MHD_OPTION)va_arg(options, int);
        switch ((int)option) {
        case MHD_OPTION_END:
            return;
        case MHD_OPTION_URI_LOG_CALLBACK:
            daemon->arrived =
                va_arg(options, void *(*)(void *, const char *,
                                          struct MHD_Connection *));
            daemon->arrived_data = va_arg(options, void *);
            break;
        case MHD_OPTION_UNESCAPE_CALLBACK: // nothing here is escaped
            (void)va_arg(options,
                         size_t(*)(void *, struct MHD_Connection *, char *));
            (void)va_arg(options, void *);
            break;
        case MHD_OPTION_NOTIFY_COMPLETED:
            daemon->completed = va_arg(options, MHD_RequestCompletedCallback);
            daemon->completed_data = va_arg(options, void *);
            break;
        case MHD_OPTION_NOTIFY_CONNECTION:
            daemon->connected = va_arg(options, MHD_NotifyConnectionCallback);
            daemon->connected_data = va_arg(options, void *);
            break;
        case MHD_OPTION_LISTEN_SOCKET:
            daemon->listener = va_arg(options, MHD_socket);
            break;
        case MHD_OPTION_CONNECTION_MEMORY_LIMIT:
        case MHD_OPTION_THREAD_STACK_SIZE:
            (void)va_arg(options, size_t);
            break;
        case MHD_OPTION_ARRAY:
            (void)va_arg(options, void *);
            break;
        case MHD_OPTION_CONNECTION_LIMIT:
        case MHD_OPTION_CONNECTION_TIMEOUT:
        case MHD_OPTION_STRICT_FOR_CLIENT:
            (void)va_arg(options, unsigned);
            break;
        default:
            sim_fail("option %d of libmicrohttpd is not known", (int)option);
        }
    }
}

struct MHD_Daemon *
MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback apc,
                 void *apc_cls, MHD_AccessHandlerCallback dh, void *dh_cls, ...)
{
    struct MHD_Daemon *daemon = calloc(1, sizeof *daemon);
    va_list options;

    (void)flags;
    (void)port;
    (void)apc;
    (void)apc_cls;
    daemon->answer = dh;
    daemon->answer_data = dh_cls;
    va_start(options, dh_cls);
    take_options(daemon, options);
    va_end(options);
    daemon->host = (struct sim_host *)sim_process_now(); // its first member
    daemon->host->daemon = daemon;
    sim_thread_start(sim_process_now(), sim_wire_serve, daemon);
    return daemon;
}

const char *
MHD_get_version(void)
{
    return "of the test";
}

MHD_socket
MHD_quiesce_daemon(struct MHD_Daemon *daemon)
{
    daemon->quiet = true;
    return daemon->listener;
}

// The daemon of the simulation has one thread, which does nothing meanwhile.
enum MHD_Result
MHD_add_connection(struct MHD_Daemon *daemon, MHD_socket client_socket,
                   const struct sockaddr *addr, socklen_t addrlen)
{
    (void)daemon;
    (void)addr;
    (void)addrlen;
    close(client_socket);
    return MHD_NO;
}

void
MHD_stop_daemon(struct MHD_Daemon *daemon)
{
    daemon->stops = true;
    sim_rouse(daemon);
    while (!daemon->has_stopped)
        (void)sim_wait(&daemon->has_stopped, SIM_NEVER);
    daemon->host->daemon = NULL;
    free(daemon);
}

// ---- Responses -----------------------------------------------------------------------

size_t sim_responses;

static struct MHD_Response *
make_response(void)
{
    struct MHD_Response *response = calloc(1, sizeof *response);

    response->references = 1;
    sim_responses++;
    return response;
}

struct MHD_Response *
MHD_create_response_from_callback(uint64_t size, size_t block_size,
                                  MHD_ContentReaderCallback crc, void *crc_cls,
                                  MHD_ContentReaderFreeCallback crfc)
{
    struct MHD_Response *response = make_response();

    (void)size;
    (void)block_size;
    response->read = crc;
    response->data = crc_cls;
    response->let_go = crfc;
    return response;
}

struct MHD_Response *
MHD_create_response_from_buffer(size_t size, void *buffer,
                                enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = make_response();

    SIM_MUST(mode != MHD_RESPMEM_MUST_FREE, "a mode that is not known");
    if (mode == MHD_RESPMEM_MUST_COPY)
        response->copy = sim_copy((struct mica_text){buffer, size});
    response->body = response->copy != NULL ? response->copy : buffer;
    response->size = size;
    return response;
}

void
MHD_destroy_response(struct MHD_Response *response)
{
    if (--response->references > 0)
        return;
    if (response->let_go != NULL)
        response->let_go(response->data);
    sim_responses--;
    free(response->copy);
    free(response);
}

enum MHD_Result
MHD_add_response_header(struct MHD_Response *response, const char *header,
                        const char *content)
{
    if (strcmp(header, "Mcp-Session-Id") == 0)
        snprintf(response->head.session, sizeof response->head.session, "%s",
                 content);
    if (strcmp(header, "Content-Type") == 0)
        response->head.stream = strcmp(content, "text/event-stream") == 0;
    return MHD_YES;
}

enum MHD_Result
MHD_queue_response(struct MHD_Connection *connection, unsigned int status_code,
                   struct MHD_Response *response)
{
    SIM_MUST(connection->response == NULL, "a second response");
    response->references++;
    response->head.status = status_code;
    connection->response = response;
    return MHD_YES;
}

// ---- Connections ---------------------------------------------------------------------

void
MHD_suspend_connection(struct MHD_Connection *connection)
{
    connection->suspended = true;
}

void
MHD_resume_connection(struct MHD_Connection *connection)
{
    SIM_MUST(connection->suspended && !connection->resumed,
             "connection %d is resumed and was not suspended",
             connection->number);
    connection->resumed = true;
    sim_rouse(connection->daemon);
}

const union MHD_ConnectionInfo *
MHD_get_connection_info(struct MHD_Connection *connection,
                        enum MHD_ConnectionInfoType info_type, ...)
{
    if (info_type == MHD_CONNECTION_INFO_CONNECTION_FD)
        connection->info.connect_fd = connection->sockets[0];
    else if (info_type == MHD_CONNECTION_INFO_CLIENT_ADDRESS)
        connection->info.client_addr = &connection->peer;
    else
        connection->info.socket_context = connection->link;
    return &connection->info;
}

int
MHD_get_connection_values_n(struct MHD_Connection *connection,
                            enum MHD_ValueKind kind,
                            MHD_KeyValueIteratorN iterator, void *iterator_cls)
{
    const struct {
        const char *name, *value;
    } headers[HEADERS] = {
        {"Host", "localhost"},
        {"Accept", "application/json, text/event-stream"},
        {"Content-Type",
         connection->texts[SIM_BODY] != NULL ? "application/json" : NULL},
        {"Mcp-Session-Id", connection->texts[SIM_SESSION]},
        {"MCP-Protocol-Version", connection->texts[SIM_VERSION]},
        {"Last-Event-ID", connection->texts[SIM_LAST_EVENT]}};
    int count = 0;

    for (size_t i = 0; i < HEADERS && headers[i].name != NULL; i++) {
        if (headers[i].value == NULL)
            continue;
        count++;
        if (iterator(iterator_cls, kind, headers[i].name,
                     strlen(headers[i].name), headers[i].value,
                     strlen(headers[i].value)) == MHD_NO)
            break;
    }
    return count;
}

const char *
MHD_lookup_connection_value(struct MHD_Connection *connection,
                            enum MHD_ValueKind kind, const char *key)
{
    (void)connection;
    (void)kind;
    (void)key;
    return NULL;
}
