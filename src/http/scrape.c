// SPDX-License-Identifier: Apache-2.0
//
// The metrics listener: one thread, a few connections, one page.
#include "http/scrape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "http/address.h"
#include "http/http_guard.h"
#include "protocol/header_value.h"
#include "serve/stop.h"
#include "serve/workers.h"
#include "server/server.h"

enum {
    CONNECTIONS = 16,
    TIMEOUT_S = 10,
    POOL_BYTES = 8 * 1024,
    PAGE_BYTES = 16 << 20
};

struct mica_scrape {
    struct mica_metrics *metrics;
    struct MHD_Daemon *daemon;
};

static enum MHD_Result
send_text(struct MHD_Connection *connection, unsigned status, const char *type,
          struct mica_text text, bool closes)
{
    struct MHD_Response *reply = MHD_create_response_from_buffer(
        text.len, (void *)(uintptr_t)text.ptr, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result = MHD_NO;

    if (reply == NULL)
        return MHD_NO;
    if (MHD_add_response_header(reply, "Content-Type", type) == MHD_YES &&
        (!closes ||
         MHD_add_response_header(reply, "Connection", "close") == MHD_YES))
        result = MHD_queue_response(connection, status, reply);
    MHD_destroy_response(reply);
    return result;
}

static enum MHD_Result
send_page(struct mica_scrape *scrape, struct MHD_Connection *connection,
          bool closes)
{
    struct mica_buffer text;
    enum MHD_Result result;

    mica_buffer_init(&text, NULL, PAGE_BYTES);
    mica_metrics_write(scrape->metrics, &text);
    if (text.overflow)
        result = send_text(connection, 500, "text/plain",
                           MICA_LITERAL("the page is too large\n"), closes);
    else
        result = send_text(connection, 200,
                           "text/plain; version=0.0.4; charset=utf-8",
                           mica_buffer_as_text(&text), closes);
    mica_buffer_fini(&text);
    return result;
}

static void
note_refusal(const struct mica_guard *guard, void *data)
{
    struct mica_scrape *scrape = data;

    mica_metrics_refused(scrape->metrics,
                         mica_status_code(mica_guard_code(guard)));
}

static void
scrape_connected(void *data, struct MHD_Connection *connection, void **state,
                 enum MHD_ConnectionNotificationCode code)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct mica_guard *guard = *state;

    if (code == MHD_CONNECTION_NOTIFY_STARTED && info != NULL) {
        guard = calloc(1, sizeof *guard);
        *state = guard;
        if (guard == NULL)
            return;
        mica_guard_open(guard, info->connect_fd, POOL_BYTES, NULL);
        guard->refused = note_refusal;
        guard->data = data;
    } else if (code == MHD_CONNECTION_NOTIFY_CLOSED && guard != NULL) {
        mica_guard_close(guard);
        free(guard);
        *state = NULL;
    }
}

static struct mica_guard *
guard_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info != NULL ? info->socket_context : NULL;
}

static void
scrape_completed(void *data, struct MHD_Connection *connection, void **state,
                 enum MHD_RequestTerminationCode code)
{
    struct mica_guard *guard = guard_of(connection);

    (void)data;
    *state = NULL;
    if (guard != NULL)
        mica_guard_completed(guard, code);
}

// Removes the query, which has no meaning here: with many parts it would exhaust
// libmicrohttpd's memory. The text is in libmicrohttpd's own buffer in spite of the
// const.
static void *
remove_query(void *data, const char *uri, struct MHD_Connection *connection)
{
    char *mark = (char *)(uintptr_t)strchr(uri, '?');

    (void)data;
    (void)connection;
    if (mark != NULL)
        mark[1] = '\0';
    return NULL;
}

static enum MHD_Result
scrape_answer(void *data, struct MHD_Connection *connection, const char *url,
              const char *method, const char *version, const char *upload,
              size_t *upload_size, void **state)
{
    static int seen, unseen; // the guard has read the head, or has not
    struct mica_guard *guard = guard_of(connection);
    const char *host =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");

    (void)version;
    (void)upload;
    if (*state == NULL) { // the headers are read; the rest follows
        if (guard == NULL)
            return MHD_NO;
        *state = mica_guard_has_seen_head(guard) ? &seen : &unseen;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    bool closes = *state == &unseen; // [GUARD-3]
    // DNS rebinding: a web page must not reach it under a host name of its own.
    if (!mica_http_host_allowed(NULL, mica_text(host)) ||
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin") !=
            NULL)
        return send_text(
            connection, 403, "text/plain",
            MICA_LITERAL("ask by a name of the loopback, and from no page\n"),
            closes);
    if (strcmp(url, "/metrics") != 0)
        return send_text(connection, 404, "text/plain",
                         MICA_LITERAL("there is /metrics, and nothing else\n"),
                         closes);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return send_text(connection, 405, "text/plain",
                         MICA_LITERAL("GET or HEAD\n"), closes);
    return send_page(data, connection, closes);
}

enum mica_status
mica_scrape_open(struct mica_metrics *metrics, const char *listen,
                 struct mica_error *error, struct mica_scrape **scrape_out,
                 unsigned *port_out)
{
    struct mica_scrape *scrape;
    struct mica_address address;
    sigset_t before;
    int listener;

    MICA_TRY(mica_address_read(listen, error, &address));
    if (!address.loopback)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "metrics are served on a loopback address only, "
                              "and %s is not one; use 127.0.0.1:9464",
                              listen);
    MICA_TRY(mica_address_listen(&address, listen, error, &listener, port_out));
    scrape = calloc(1, sizeof *scrape);
    if (scrape != NULL) {
        scrape->metrics = metrics;
        mica_guard_install();
        mica_stop_block(&before);
        scrape->daemon = MHD_start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL,
            scrape_answer, scrape, MHD_OPTION_LISTEN_SOCKET, listener,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_THREAD_STACK_SIZE,
            (size_t)MICA_THREAD_STACK_BYTES, MHD_OPTION_URI_LOG_CALLBACK,
            remove_query, scrape, MHD_OPTION_NOTIFY_COMPLETED, scrape_completed,
            scrape, MHD_OPTION_NOTIFY_CONNECTION, scrape_connected, scrape,
            MHD_OPTION_END);
        mica_stop_unblock(&before);
    }
    if (scrape == NULL || scrape->daemon == NULL) {
        close(listener);
        free(scrape);
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot start the thread of the metrics: %s",
                              strerror(errno));
    }
    *scrape_out = scrape;
    return MICA_OK;
}

void
mica_scrape_close(struct mica_scrape **scrape)
{
    if (*scrape == NULL)
        return;
    MHD_stop_daemon((*scrape)->daemon);
    free(*scrape);
    *scrape = NULL;
}
