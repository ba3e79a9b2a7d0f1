// SPDX-License-Identifier: Apache-2.0
//
// mica serve: the tools over HTTP.
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/app_folder.h"
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/fetch_notice.h"
#include "cli/identity.h"
#include "cli/reloader.h"
#include "cli/server_identity.h"
#include "cli/settings.h"
#include "cli/settings_endpoints.h"
#include "cli/settings_providers.h"
#include "cli/settings_rules.h"
#include "protocol/base_path.h"
#include "serve/sampling_command.h"
#include "server/server.h"

enum {
    DESCRIPTORS = 4096,
    URL_BYTES = 64 << 10, // of the line that is printed with --json
    DRAIN_S = 5
};

struct announcement {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_reloader *reloader; // once it serves
    struct mica_server *server;
    const char *listen;
    struct mica_base_path base; // where clients find it
    bool host_page;
    bool console; // apps are edited at /console
};

// From any thread of the server, so not by way of the command's buffers.
static void
serve_warn(void *user, const char *text)
{
    (void)user;
    mica_cli_tell("mica: %s\n", text);
}

// How many tools there are, and how many of them a client that can be asked nothing
// does not get to see.
static void
count_tools(struct mica_server *server, size_t *all_out, size_t *asking_out)
{
    struct mica_catalog *catalog = mica_registry_catalog(&server->registry);
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];

    *all_out = *asking_out = 0;
    for (size_t i = 0; i < tools->count; i++) {
        *all_out += !mica_definition_for_requests(tools->items[i]);
        if ((tools->items[i]->requires & ~(unsigned)MICA_VIEWS) != 0)
            *asking_out += 1;
    }
    mica_catalog_drop(catalog);
}

// The address of the socket, by a name that this machine has.
static struct mica_text
listening_at(struct mica_cli *cli, const char *listen, unsigned port)
{
    const char *colon = strrchr(listen, ':');
    bool everywhere =
        strncmp(listen, "0.0.0.0:", 8) == 0 || strncmp(listen, "[::]:", 5) == 0;
    const char *name = everywhere ? "localhost" : listen;
    int host = everywhere ? (int)strlen(name) : (int)(colon - listen);

    return mica_text(mica_cli_format(cli, "http://%.*s:%u", host, name, port));
}

// Prints who the server is, unless it has mica's own name and title.
static void
announce_name(const struct announcement *a)
{
    const struct mica_server_options *server = &a->server->options;

    if (mica_options_last(a->options, "name") == NULL &&
        mica_options_last(a->options, "title") == NULL)
        return;
    mica_cli_note(a->cli, "mica: this is %s (%s %s)\n", server->title,
                  server->name, server->version);
}

// What comes next: for a person at a terminal in few words, elsewhere as the configuration
// of a client.
static void
announce_client(const struct announcement *a, const char *endpoint)
{
    bool pages = !mica_options_has(a->options, "no-pages");

    if (a->cli->note_terminal)
        mica_cli_note(
            a->cli,
            "Connect a client: \"mica install CLIENT --url ADDRESS\"%s\n",
            pages ? ", or copy its configuration from the page." : ".");
    else
        mica_cli_note(a->cli,
                      "Put this into a client's configuration:\n"
                      "{\n  \"mcpServers\": {\n    \"%s\": {\n"
                      "      \"type\": \"http\",\n"
                      "      \"url\": \"%s\"\n"
                      "    }\n  }\n}\n",
                      mica_server_slug(a->cli, a->server->options.name),
                      endpoint);
}

// {"url": where clients connect, "host": the page of mica host}, on one line.
static void
print_json(const struct announcement *a, struct mica_text here,
           const char *endpoint)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &a->cli->arena, URL_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "url", mica_text(endpoint));
    if (a->host_page)
        mica_json_field(&writer, "host",
                        mica_base_path_text(&a->cli->arena, here, "/host"));
    mica_json_close_object(&writer);
    mica_cli_json_buffer(a->cli, &text);
}

static void
serve_has_console(void *user)
{
    ((struct announcement *)user)->console = true;
}

// Printed once the server listens, so that a script may wait for the address on stdout. A
// person who sees both reads it once.
static void
serve_announce(void *user, unsigned port)
{
    struct announcement *a = user;
    struct mica_cli *cli = a->cli;
    struct mica_error error;
    size_t tools, asking;
    struct mica_text here = listening_at(cli, a->listen, port);
    bool known = a->base.origin.len > 0;
    const char *endpoint =
        mica_base_path_text(&cli->arena, known ? a->base.origin : here,
                            "%.*s/mcp", MICA_ARG(a->base.added))
            .ptr;
    int site = (int)(strlen(endpoint) - strlen("/mcp")); // of its address

    if (mica_cli_wants_json(a->options))
        print_json(a, here, endpoint);
    else if (!cli->terminal || !cli->note_terminal) {
        if (cli->command == &mica_command_host)
            mica_cli_print(cli, "%.*s/host\n", MICA_ARG(here));
        else
            mica_cli_print(cli, "%s\n", endpoint);
    }
    mica_cli_flush(cli);
    count_tools(a->server, &tools, &asking);
    announce_name(a);
    mica_cli_note(cli, "mica: %zu tool%s at %s\n", tools, mica_cli_s(tools),
                  endpoint);
    for (size_t i = 0;
         a->options->endpoints != NULL && i < a->options->endpoints->count; i++)
        mica_cli_note(cli, "mica: %s at %.*s%s/mcp\n",
                      a->options->endpoints->items[i].name, site, endpoint,
                      a->options->endpoints->items[i].path);
    if (!mica_options_has(a->options, "no-pages"))
        mica_cli_note(cli, "mica: page for people at %.*s/\n", site, endpoint);
    if (a->console)
        mica_cli_note(cli, "mica: console for apps at %.*s/console\n", site,
                      endpoint);
    if (a->host_page)
        mica_cli_note(cli, "mica: a host for views at %.*s/host\n",
                      MICA_ARG(here));
    if (cli->developer != NULL)
        mica_cli_note(cli, "mica: what clients ask at %.*s/inspect\n",
                      MICA_ARG(here));
    if (known)
        mica_cli_note(cli, "mica: listens at %.*s, for a proxy\n",
                      MICA_ARG(here));
    if (asking > 0)
        mica_cli_note(cli,
                      "%zu tool%s need%s a client that supports elicitation or "
                      "sampling; other clients do not see %s.\n",
                      asking, mica_cli_s(asking), asking == 1 ? "s" : "",
                      asking == 1 ? "it" : "them");
    mica_fetch_notice(cli, a->server);
    announce_client(a, endpoint);
    if (mica_reloader_start(cli, a->options, a->server, &error, &a->reloader) !=
        MICA_OK)
        serve_warn(NULL, error.message); // it serves what it has
}

// Each connection is a descriptor, and the usual limit is low.
static void
raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur =
        limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// Without --store the default file is opened when the first session begins, so
// that a server without sessions never touches it.
static enum mica_status
read_sessions(const struct mica_options *options, struct mica_error *error,
              struct mica_http_options *http)
{
    const char *sessions = mica_options_value(options, "sessions");
    const char *store = mica_options_value(options, "store");

    if (sessions != NULL && strcmp(sessions, "off") != 0 &&
        strcmp(sessions, "on") != 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--sessions takes \"on\" or \"off\", not \"%s\"",
                              sessions);
    http->sessions_off = sessions != NULL && strcmp(sessions, "off") == 0;
    if (http->sessions_off && store != NULL)
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "--store says where sessions are kept, and "
            "--sessions off that the server has no sessions; leave one "
            "of them out");
    http->store = store != NULL ? store : "sqlite";
    http->store_lazy = store == NULL;
    http->warn = serve_warn;
    http->http_sse = mica_options_has(options, "http-sse");
    return mica_options_number(options, "session-idle", 0, 30 * 86400, error,
                               &http->session_s);
}

// mica dev and mica host are started by a person who looks at their pages.
static bool
is_for_author(const struct mica_cli *cli)
{
    return cli->developer != NULL || cli->command == &mica_command_host;
}

// These two have no balancer in front of them, and 0 means that nothing waits.
static enum mica_status
read_drain(const struct mica_cli *cli, const struct mica_options *options,
           struct mica_error *error, struct mica_http_options *http)
{
    unsigned drain_s;

    MICA_TRY(mica_options_number(options, "drain",
                                 is_for_author(cli) ? 0 : DRAIN_S, 3600, error,
                                 &drain_s));
    http->drain_s = drain_s > 0 ? (int)drain_s : -1;
    return MICA_OK;
}

// The log of requests. --quiet wins over a --log of the environment and of mica.toml, and
// two flags that contradict each other are refused.
static enum mica_status
read_log(const struct mica_options *options, struct mica_error *error,
         struct mica_http_options *http)
{
    const struct mica_given *log = mica_options_last(options, "log");

    http->quiet = mica_options_has(options, "quiet");
    if (log == NULL || (http->quiet && log->by != MICA_BY_FLAG))
        return MICA_OK;
    if (http->quiet)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--quiet is --log off; leave one of them out");
    if (mica_check_log(log->value, error) != MICA_OK)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--log takes \"text\", \"json\" or \"off\", not "
                              "\"%s\"",
                              log->value);
    http->quiet = strcmp(log->value, "off") == 0;
    if (strcmp(log->value, "text") == 0)
        http->log_form = MICA_LOG_FORM_TEXT;
    else if (strcmp(log->value, "json") == 0)
        http->log_form = MICA_LOG_FORM_JSON;
    return MICA_OK;
}

// While tools are written their views are looked at, so mica dev always has the page.
static enum mica_status
read_host_page(const struct mica_cli *cli, const struct mica_options *options,
               struct mica_error *error, struct mica_http_options *http)
{
    bool wanted = mica_options_has(options, "host-page");

    if (wanted && http->pages_off)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--host-page is one of the pages that --no-pages "
                              "leaves out; leave one of the two out");
    if (wanted || (cli->developer != NULL && !http->pages_off))
        http->host_page = MICA_HOST_PAGE_LOCAL;
    return MICA_OK;
}

static enum mica_status
read_options(struct mica_cli *cli, const struct mica_options *options,
             struct mica_error *error, struct mica_http_options *http)
{
    const char *listen = mica_options_value(options, "listen");

    *http = (struct mica_http_options){
        .listen = listen != NULL ? listen : "127.0.0.1:8080",
        .allowed_hosts = mica_options_all(options, &cli->arena, "allow-host"),
        .app_hosts = mica_options_all(options, &cli->arena, "app-host"),
        .allowed_origins =
            mica_options_all(options, &cli->arena, "allow-origin"),
        .public_address = mica_options_has(options, "public"),
        .trusted_proxies =
            mica_options_all(options, &cli->arena, "trusted-proxy"),
        .auth = mica_options_value(options, "auth"),
        .rest_off = mica_options_has(options, "no-rest"),
        .pages_off = mica_options_has(options, "no-pages"),
        .base_path = mica_options_value(options, "base-path"),
        .public_url = mica_options_value(options, "public-url"),
        .metrics = mica_options_value(options, "metrics")};
    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s takes no \"%s\"; an address goes behind "
                              "--listen",
                              cli->command->name, options->words[0]);
    MICA_TRY(read_host_page(cli, options, error, http));
    MICA_TRY(read_log(options, error, http));
    MICA_TRY(read_sessions(options, error, http));
    MICA_TRY(read_drain(cli, options, error, http));
    MICA_TRY(mica_options_number(options, "sessions-per-client", 0, 1000000,
                                 error, &http->client_sessions));
    MICA_TRY(mica_options_number(options, "workers", 0, 1024, error,
                                 &http->workers));
    MICA_TRY(mica_options_number(options, "io-threads", 0, 256, error,
                                 &http->io_threads));
    return mica_options_number(options, "connections", 0, 1000000, error,
                               &http->connections);
}

// The store of the project. Where mica's own files have no place it is missing, which
// is said when it is needed.
static const char *
find_store(struct mica_cli *cli, const struct mica_options *options,
           struct mica_server *server)
{
    struct mica_identity identity;
    struct mica_error ignored;

    if (mica_identity_find(options, true, &ignored, &identity) != MICA_OK ||
        identity.home[0] == '\0')
        return "sqlite";
    mica_identity_tell(cli, &identity); // unless it was told before
    mica_identity_take_over(cli, &identity, server);
    return mica_cli_format(cli, "sqlite:%s/mica.db", identity.home);
}

static enum mica_status
serve_run(struct mica_cli *cli, const struct mica_options *options,
          struct mica_error *error)
{
    const char *sampling_command = mica_options_value(options, "sampler");
    struct mica_model_provider model_provider;
    struct mica_http_options http;
    struct mica_app_folder *apps = NULL;
    struct mica_server *server;
    enum mica_status status;

    struct mica_base_path base;

    MICA_TRY(read_options(cli, options, error, &http));
    MICA_TRY(
        mica_base_path_read(http.base_path, http.public_url, error, &base));
    MICA_TRY(mica_cli_catalog_open_served(cli, options, error, &server));
    status = mica_cli_use_rules(cli, options, server, error);
    if (status != MICA_OK) {
        mica_server_close(&server);
        return status;
    }
    if (mica_options_value(options, "store") == NULL)
        http.store = find_store(cli, options, server);
    struct announcement announcement = {.cli = cli,
                                        .options = options,
                                        .server = server,
                                        .listen = http.listen,
                                        .base = base,
                                        .host_page = http.host_page !=
                                                     MICA_HOST_PAGE_OFF};
    // What is still being written may lack; a later look adds it.
    status = mica_endpoint_settings_publish(options->endpoints, server,
                                            cli->developer == NULL, error);
    if (status == MICA_OK)
        status = mica_app_folder_serve(cli, options, server, http.store, error,
                                       &apps);
    if (status != MICA_OK) {
        mica_server_close(&server);
        return status;
    }
    if (cli->developer != NULL) {
        server->development = &cli->developer->development;
        cli->developer->serves(cli->developer->data, server);
    }
    if (sampling_command != NULL) {
        model_provider = mica_sampling_command_provider(sampling_command);
        mica_model_provider_join(&model_provider, server->model_provider);
        server->model_provider = &model_provider;
    }
    http.ready = serve_announce;
    http.user = &announcement;
    http.console = serve_has_console;
    mica_settings_tell(cli, options);
    raise_limit();
    status = mica_server_serve_http(server, &http, error);
    mica_reloader_stop(&announcement.reloader);
    mica_app_folder_close(&apps);
    if (cli->developer != NULL)
        cli->developer->serves(cli->developer->data, NULL);
    // A handler that did not end still uses the server: the process goes first.
    if (status != MICA_E_TIMEOUT)
        mica_server_close(&server);
    return status;
}

static const struct mica_option options[] = {
    {"listen", MICA_OPTION_VALUE, "HOST:PORT",
     "where to listen (default 127.0.0.1:8080); port 0 takes a free one, which "
     "is printed"},
    MICA_BASE_OPTIONS,
    MICA_IDENTITY_OPTIONS,
    MICA_FORM_VIEWS_OPTION,
    {"auth", MICA_OPTION_VALUE, "FILE",
     "let in only callers that have an access token of an issuer that FILE "
     "names"},
    MICA_RULES_OPTIONS,
    {"public", MICA_OPTION_TOGGLE, NULL,
     "allow an address that other machines can reach without --auth; either "
     "needs --allow-host"},
    {"allow-host", MICA_OPTION_REPEAT, "NAME",
     "a name this server is reached by (the Host header), beside localhost"},
    {"app-host", MICA_OPTION_REPEAT, "NAME=SLUG",
     "a host name that is one published app's own: the app answers there at "
     "/mcp, and nothing else does"},
    {"allow-origin", MICA_OPTION_REPEAT, "ORIGIN",
     "a web origin whose pages may call the tools, like https://app.example"},
    {"sessions", MICA_OPTION_VALUE, "on|off",
     "keep sessions for clients of revisions before 2026-07-28 (default on); "
     "off takes each request for itself"},
    {"store", MICA_OPTION_VALUE, "memory|sqlite[:PATH]",
     "where sessions and calls are kept (default: a file of the project in "
     "the user's state folder, opened when it is first needed)"},
    MICA_KEEP_CLI_OPTIONS,
    {"http-sse", MICA_OPTION_TOGGLE, NULL,
     "serve clients of revision 2024-11-05 too, at /sse (deprecated)"},
    {"no-pages", MICA_OPTION_TOGGLE, NULL,
     "serve no pages for people, and no engines for browsers"},
    {"host-page", MICA_OPTION_TOGGLE, NULL,
     "serve the page that shows the views of tools at /host, for browsers on "
     "this machine"},
    {"no-rest", MICA_OPTION_TOGGLE, NULL,
     "serve no REST: neither /api nor /openapi.json"},
    {"session-idle", MICA_OPTION_VALUE, "SECONDS",
     "how long a session lives without a message (default 3600)"},
    {"sessions-per-client", MICA_OPTION_VALUE, "N",
     "sessions of one principal, or of one address without --auth (default "
     "1000)"},
    {"trusted-proxy", MICA_OPTION_REPEAT, "CIDR",
     "a proxy, or network of them, whose Forwarded or X-Forwarded-For says which "
     "address a request comes from (default none)"},
    {"workers", MICA_OPTION_VALUE, "N",
     "threads for calls that take long (default 4)"},
    {"io-threads", MICA_OPTION_VALUE, "N",
     "threads that read and answer (default 1)"},
    {"connections", MICA_OPTION_VALUE, "N",
     "connections at once, at most (default 1024)"},
    MICA_LOG_OPTIONS,
    MICA_JSON_OPTION,
    {"drain", MICA_OPTION_VALUE, "SECONDS",
     "how long further requests are answered after SIGTERM, each closing its "
     "connection, while /healthz says \"draining\" (default 5; 0 ends at once)"},
    {"metrics", MICA_OPTION_VALUE, "HOST:PORT",
     "serve /metrics for Prometheus there, on the loopback only, for example "
     "127.0.0.1:9464"},
    MICA_ENGINES_OPTION,
    MICA_PLACE_OPTIONS,
    MICA_RESOURCES_OPTION,
    MICA_SAMPLING_OPTION,
    MICA_MODELS_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_serve = {
    .name = "serve",
    .group = MICA_GROUP_SERVING,
    .summary = "Serve the tools over HTTP",
    .usage = "[--listen HOST:PORT] [options]",
    .example = "mica serve --listen 127.0.0.1:9000",
    .more = "Prints the address of the MCP endpoint on stdout once it listens. "
            "Ends on SIGTERM or Ctrl-C, after what runs has been answered; a "
            "second signal ends it at once.",
    .options = options,
    .settings = true,
    .run = serve_run};
