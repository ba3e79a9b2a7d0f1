// SPDX-License-Identifier: Apache-2.0
//
// mica_server_serve_http: opens a listening server from its options, and ends it after a
// signal.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"
#include "http/address.h"
#include "http/app_api.h"
#include "http/event_wait.h"
#include "http/http.h"
#include "http/http_login.h"
#include "http/http_sse/http_sse.h"
#include "http/inspection.h"
#include "platform/clock.h"
#include "publish/published_apps.h"
#include "serve/cursors.h"
#include "serve/stop.h"
#include "serve/system_platform.h"

enum {
    DEFAULT_WORKERS = 4,
    DEFAULT_CONNECTIONS = 1024,
    DEFAULT_IDLE_S = 75,
    QUEUE_PER_WORKER = 256, // with 4 workers, as many as there are connections
    STORE_THREAD_QUEUE = 1024,
    OTHER_DESCRIPTORS = 64,
    DEFAULT_DRAIN_S = 5,
    MOST_DRAIN_S = 3600
};

static enum mica_status
check_options(const struct mica_http_options *options,
              const struct mica_address *address, const char *listen,
              struct mica_error *error)
{
    size_t names = 0;

    while (options->allowed_hosts != NULL &&
           options->allowed_hosts[names] != NULL)
        names++;
    if (names > MICA_HTTP_HOSTS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "at most %d allowed hosts", MICA_HTTP_HOSTS);
    if (options->workers > 1024 || options->io_threads > MICA_IO_THREADS ||
        options->connections > 1000000 || options->idle_timeout_s > 86400 ||
        options->drain_s > MOST_DRAIN_S)
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "at most 1024 workers, 256 I/O threads, a million "
            "connections, a day of idling and an hour of draining");
    if (address->loopback ||
        ((options->public_address || options->auth != NULL) &&
         (names > 0 ||
          (options->app_hosts != NULL && options->app_hosts[0] != NULL))))
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_USAGE, "",
        "%s can be reached from other machines: say whom to let in with --auth "
        "FILE, or with --public that anyone may, and name the hosts it "
        "is reached by with --allow-host NAME (in a program: .auth or "
        ".public_address, and .allowed_hosts), or listen on 127.0.0.1",
        listen);
}

// A connection needs a descriptor, so the limit of descriptors bounds the connections. If
// there were none for the first connection, libmicrohttpd would retry without a pause.
static enum mica_status
limit_connections(const struct mica_http_options *options,
                  struct mica_error *error, unsigned *connections_out)
{
    struct rlimit limit;

    *connections_out =
        options->connections != 0 ? options->connections : DEFAULT_CONNECTIONS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur >= (rlim_t)*connections_out + OTHER_DESCRIPTORS)
        return MICA_OK;
    if (limit.rlim_cur <= OTHER_DESCRIPTORS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "only %u files can be open at once, and a server "
                              "needs %d beside one for each connection; raise "
                              "the limit: ulimit -n 1024",
                              (unsigned)limit.rlim_cur, OTHER_DESCRIPTORS);
    *connections_out = (unsigned)limit.rlim_cur - OTHER_DESCRIPTORS;
    return MICA_OK;
}

static enum mica_status
start_daemon(struct mica_http *http, const struct mica_http_options *options,
             unsigned connections, int listener, struct mica_error *error)
{
    unsigned io_threads = options->io_threads;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO |
                     MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem more[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)io_threads, NULL},
        {MHD_OPTION_END, 0, NULL}};
    sigset_t before;

    mica_guard_install();
    mica_event_wait_install();
    http->pool_bytes = (size_t)MICA_HTTP_POOL_BYTES +
                       (http->auth != NULL ? MICA_AUTH_TOKEN_BYTES : 0);
    if (io_threads < 2) // one thread needs no pool
        more[0].option = MHD_OPTION_END;
    mica_stop_block(&before);
    http->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, mica_http_answer, http, // no accept policy
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
        connections, MHD_OPTION_CONNECTION_TIMEOUT, http->idle_ms / 1000,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, http->pool_bytes,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_THREAD_STACK_SIZE,
        (size_t)MICA_THREAD_STACK_BYTES, MHD_OPTION_URI_LOG_CALLBACK,
        mica_http_arrived, http, MHD_OPTION_UNESCAPE_CALLBACK,
        mica_http_unescape, http, MHD_OPTION_NOTIFY_COMPLETED,
        mica_http_completed, http, MHD_OPTION_NOTIFY_CONNECTION,
        mica_http_connected, http, MHD_OPTION_ARRAY, more, MHD_OPTION_END);
    mica_stop_unblock(&before);
    if (http->daemon == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot start the HTTP threads: %s",
                              strerror(errno));
    return MICA_OK;
}

static enum mica_status
open_metrics(struct mica_http *http, const struct mica_http_options *options,
             struct mica_error *error)
{
    unsigned port;

    MICA_TRY(mica_metrics_open(error, &http->metrics));
    mica_http_gauges(http);
    return mica_scrape_open(http->metrics, options->metrics, error,
                            &http->scrape, &port);
}

// Opens the store of sessions; without sessions the calls still need it.
static enum mica_status
open_session_store(struct mica_http *http,
                   const struct mica_http_options *options,
                   struct mica_error *error)
{
    struct mica_session_store_options kept = {.store = options->store,
                                              .lazy = options->store_lazy,
                                              .idle_s = options->session_s,
                                              .party_sessions =
                                                  options->client_sessions,
                                              .note = options->warn,
                                              .user = options->user};

    http->session_store = mica_session_store_of(http->server);
    if (http->session_store == NULL) {
        MICA_TRY(
            mica_session_store_open(&kept, error, &http->own_session_store));
        http->session_store = http->own_session_store;
        if (!options->sessions_off)
            http->server->sessions =
                mica_session_store_sessions(http->session_store);
    }
    return MICA_OK;
}

// Opens the call store and the turn queue. If the server declares logging or has
// endpoints, starts the turn queue at once, which opens the store: it may have calls to
// continue. Otherwise the first call that may ask starts it.
static enum mica_status
open_calls(struct mica_http *http, struct mica_error *error)
{
    struct mica_server *server = http->server;
    const struct mica_call_store_options kept = {.session_store =
                                                     http->session_store,
                                                 .server = server,
                                                 .platform = server->platform};
    const struct mica_turn_queue_options turns = {
        .server = server,
        .workers = http->workers,
        .on_claimed = mica_http_turn_claimed,
        .on_retry = mica_http_turn_retried,
        .on_ended = mica_http_turn_ended,
        .data = http};

    if (server->platform == NULL)
        server->platform = &mica_platform_real;
    if (server->calls == NULL) {
        MICA_TRY(mica_call_store_open(&kept, error, &http->own_calls));
        server->calls = mica_call_store_calls(http->own_calls);
    }
    MICA_TRY(mica_turn_queue_open(&turns, error, &http->turn_queue));
    if ((server->registry.main->declared & MICA_DECLARED_LOGGING) == 0 &&
        mica_registry_endpoints(&server->registry) == 0)
        return MICA_OK;
    return mica_turn_queue_start(http->turn_queue, error);
}

static enum mica_status
open_sessions(struct mica_http *http, struct mica_error *error)
{
    const struct mica_session_table_options options = {
        .server = http->server,
        .session_store = http->session_store,
        .bus = http->bus,
        .idle_ms = http->idle_ms,
        .following = &http->counts.following};

    return mica_session_table_open(&options, error, &http->sessions);
}

// On the thread that follows published apps.
static void
app_ended(void *data, struct mica_text key)
{
    mica_http_end_streams(data, key);
}

static void
app_narrowed(void *data, struct mica_text key,
             const struct mica_app_exposure *now)
{
    mica_http_end_refused_streams(data, key, now);
}

static enum mica_status
open_apps(struct mica_http *http, struct mica_error *error)
{
    const struct mica_published_apps_options options = {
        .server = http->server,
        .session_store = http->session_store,
        .bus = http->bus,
        .ended = app_ended,
        .narrowed = app_narrowed,
        .data = http};

    return mica_published_apps_open(&options, error, &http->apps);
}

// Opens authorization. The address of the resource that tokens are for is that of /mcp.
static enum mica_status
open_auth(struct mica_http *http, const struct mica_http_options *options,
          struct mica_error *error)
{
    const struct mica_base_path *base = &http->base;
    char storage[MICA_PUBLIC_URL_BYTES + sizeof "/mcp"];
    struct mica_buffer endpoint = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    if (base->origin.len > 0)
        mica_base_path_add(&endpoint, base->origin, "%.*s/mcp",
                           MICA_ARG(base->added));
    MICA_TRY(mica_auth_open_file(options->auth, mica_buffer_as_text(&endpoint),
                                 &http->app_hosts, options->warn, options->user,
                                 error, &http->auth));
    if (!http->pages || mica_login_site(http->auth) == NULL)
        return MICA_OK;
    return mica_workers_open(1, MICA_LOGIN_QUEUE, error, &http->login_thread);
}

static enum mica_status
open_inspection(struct mica_http *http, struct mica_error *error)
{
    http->inspection = mica_inspection_open();
    return http->inspection != NULL
               ? MICA_OK
               : mica_error_set(error, MICA_E_LIMIT, "", "no memory");
}

static enum mica_status
open_parts(struct mica_http *http, const struct mica_http_options *options,
           unsigned connections, struct mica_error *error)
{
    unsigned count = options->workers != 0 ? options->workers : DEFAULT_WORKERS;
    unsigned idle_s =
        options->idle_timeout_s != 0 ? options->idle_timeout_s : DEFAULT_IDLE_S;

    http->idle_ms = idle_s * 1000;
    if (options->drain_s >= 0)
        http->drain_ms =
            1000 * (uint32_t)(options->drain_s != 0 ? options->drain_s
                                                    : DEFAULT_DRAIN_S);
    if (options->auth != NULL)
        MICA_TRY(open_auth(http, options, error));
    MICA_TRY(mica_workers_open(count, (size_t)count * QUEUE_PER_WORKER, error,
                               &http->workers));
    MICA_TRY(
        mica_workers_open(1, STORE_THREAD_QUEUE, error, &http->store_thread));
    MICA_TRY(mica_watch_open(connections, idle_s >= 4 ? 1000 : idle_s * 250,
                             error, &http->watch));
    MICA_TRY(mica_bus_of(http->server, error, &http->bus));
    MICA_TRY(open_session_store(http, options, error));
    MICA_TRY(open_sessions(http, error));
    MICA_TRY(open_apps(http, error));
    MICA_TRY(mica_cursors_open(http->server, http->session_store, error,
                               &http->cursors));
    if (options->http_sse)
        MICA_TRY(mica_http_sse_open(http, error, &http->http_sse));
    MICA_TRY(open_calls(http, error)); // last: turns use all other parts
    if (http->server->development != NULL && http->pages)
        MICA_TRY(open_inspection(http, error));
    if (!options->quiet)
        MICA_TRY(mica_log_open(STDERR_FILENO, options->log_form,
                               http->server->options.name, error, &http->log));
    return options->metrics != NULL ? open_metrics(http, options, error)
                                    : MICA_OK;
}

static void
close_parts(struct mica_http *http)
{
    bool idle;

    mica_scrape_close(&http->scrape); // first: it reads the counters of all
    mica_metrics_close(&http->metrics);
    idle = mica_workers_close(&http->login_thread, 0) &&
           mica_workers_close(&http->store_thread, 0) &&
           mica_workers_close(&http->workers, 0);
    MICA_ASSERT(idle);
    mica_app_api_close(http);
    mica_published_apps_stop(http->apps);      // its thread ends streams
    mica_session_table_close(&http->sessions); // its thread polls http_sse
    mica_http_sse_close(&http->http_sse);
    mica_cursors_close(&http->cursors);
    mica_turn_queue_close(&http->turn_queue);
    if (http->own_calls != NULL)
        http->server->calls = NULL;
    mica_call_store_close(&http->own_calls);
    mica_published_apps_close(&http->apps); // after all that has messages
    if (http->own_session_store != NULL)
        http->server->sessions = NULL;
    mica_session_store_close(&http->own_session_store);
    mica_watch_close(&http->watch);
    mica_log_close(&http->log);
    mica_exchange_free_all(http);
    mica_inspection_close(&http->inspection);
    mica_auth_close(&http->auth);
    free(http->proxies.networks);
    mica_own_hosts_close(http);
    mica_standstill_close(&http->standstill);
    pthread_mutex_destroy(&http->lock);
    free(http);
}

static struct mica_http *
server_create(struct mica_server *server,
              const struct mica_http_options *options, const char *listen)
{
    struct mica_http *http = calloc(1, sizeof *http);
    size_t count = 0;

    if (http == NULL)
        return NULL;
    http->server = server;
    // From here on other threads read the registry.
    atomic_store(&server->registry.seen, true);
    pthread_mutex_init(&http->lock, NULL);
    mica_standstill_open(&http->standstill);
    for (const char *const *host = options->allowed_hosts;
         host != NULL && *host != NULL; host++)
        http->hosts[count++] = *host;
    http->hosts[count] = listen;
    http->allowed.hosts = http->hosts;
    http->allowed.origins = options->allowed_origins;
    http->rest = !options->rest_off;
    http->pages = !options->pages_off;
    http->io_threads = options->io_threads;
    http->host_page = options->host_page;
    server->pages = http->pages;
    return http;
}

static enum mica_status
read_proxies(struct mica_http *http, const char *const *texts,
             struct mica_error *error)
{
    struct mica_proxies *proxies = &http->proxies;
    size_t count = 0;

    while (texts != NULL && texts[count] != NULL)
        count++;
    if (count == 0)
        return MICA_OK;
    proxies->networks = calloc(count, sizeof *proxies->networks);
    if (proxies->networks == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (; proxies->count < count; proxies->count++)
        MICA_TRY(mica_network_read(texts[proxies->count], error,
                                   &proxies->networks[proxies->count]));
    return MICA_OK;
}

// Says once that apps cannot be edited here: their owner looks for the reason.
static enum mica_status
open_app_api(struct mica_http *http, const struct mica_http_options *options,
             const char *listen, unsigned port, struct mica_error *error)
{
    struct mica_address address;

    MICA_TRY(mica_address_read(listen, error, &address));
    MICA_TRY(mica_app_api_open(http, listen, address.loopback, port, error,
                               &http->app_api));
    if (http->app_api == NULL && options->warn != NULL)
        options->warn(options->user,
                      "apps are not edited here: their API, the builder and "
                      "the console answer 404, as other machines reach this "
                      "server and callers have no tokens (--auth)");
    return MICA_OK;
}

// Serves until a signal. Owner: closes the listener.
static enum mica_status
http_serve(struct mica_http *http, const struct mica_http_options *options,
           const char *listen, int listener, unsigned port, int stop,
           struct mica_error *error)
{
    unsigned connections;
    struct pollfd wait = {.fd = stop, .events = POLLIN};
    enum mica_status status = limit_connections(options, error, &connections);

    if (status == MICA_OK)
        status = mica_own_hosts_open(http, options, error);
    if (status == MICA_OK)
        status = read_proxies(http, options->trusted_proxies, error);
    if (status == MICA_OK)
        status = open_parts(http, options, connections, error);
    if (status == MICA_OK)
        status = open_app_api(http, options, listen, port, error);
    if (status == MICA_OK)
        status = start_daemon(http, options, connections, listener, error);
    if (status != MICA_OK) {
        close(listener);
        close_parts(http);
        return status;
    }
    if (options->console != NULL && http->pages && http->app_api != NULL)
        options->console(options->user);
    if (options->ready != NULL)
        options->ready(options->user, port);
    while (mica_stop_count() == 0)
        (void)poll(&wait, 1, -1);
    status = mica_http_drain(http, listener, error);
    if (status == MICA_OK) // otherwise a handler still runs and uses the parts
        close_parts(http);
    return status;
}

// Listens and serves at the base path.
static enum mica_status
serve_at(struct mica_server *server, const struct mica_http_options *options,
         const char *listen, const struct mica_base_path *base,
         struct mica_error *error)
{
    struct mica_address address;
    struct mica_http *http;
    enum mica_status status;
    unsigned port;
    int listener, stop;

    MICA_TRY(mica_address_read(listen, error, &address));
    MICA_TRY(check_options(options, &address, listen, error));
    MICA_TRY(mica_address_listen(&address, listen, error, &listener, &port));
    status = mica_stop_open(error, &stop);
    if (status != MICA_OK) {
        close(listener);
        return status;
    }
    http = server_create(server, options, listen);
    if (http == NULL) {
        close(listener);
        status = mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    } else {
        http->base = *base;
        status = http_serve(http, options, listen, listener, port, stop, error);
    }
    mica_stop_close();
    return status;
}

enum mica_status
mica_server_serve_http(struct mica_server *server,
                       const struct mica_http_options *options,
                       struct mica_error *error)
{
    const char *listen =
        options->listen != NULL ? options->listen : "127.0.0.1:8080";
    struct mica_base_path base;
    enum mica_status status;

    MICA_TRY(mica_base_path_read(options->base_path, options->public_url, error,
                                 &base));
    MICA_TRY(mica_route_check_base(server, base.stripped, error));
    status = serve_at(server, options, listen, &base, error);
    mica_registry_release(&server->registry);
    return status;
}
