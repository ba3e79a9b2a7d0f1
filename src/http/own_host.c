// SPDX-License-Identifier: Apache-2.0
//
// Host names of apps' own: the table of a server, and what a request at one may name.
#include "http/own_host.h"

#include <string.h>

#include "base/ascii.h"
#include "http/http.h"
#include "protocol/header_value.h"

// ---- The table -------------------------------------------------------------------

// The host of "https://example.org:8443" or of "example.org:8443".
static struct mica_text
host_of(struct mica_text text)
{
    static const char *const schemes[] = {"https://", "http://"};

    for (size_t i = 0; i < MICA_COUNT(schemes); i++)
        if (mica_text_starts(text, schemes[i]))
            return mica_text_slice(text, strlen(schemes[i]), text.len);
    return text;
}

// A name of both would be the app's alone, and the server could not be reached by it.
static enum mica_status
check_other(const struct mica_http *http, struct mica_text text,
            const char *what, struct mica_error *error)
{
    const struct mica_app_host *host =
        mica_app_hosts_find(&http->app_hosts, host_of(text));

    if (host == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "%.*s is a host name of the app %.*s, and %s, too; "
                          "the server itself needs another name",
                          MICA_ARG(host->name), MICA_ARG(host->slug), what);
}

enum mica_status
mica_own_hosts_open(struct mica_http *http,
                    const struct mica_http_options *options,
                    struct mica_error *error)
{
    mica_arena_init(&http->app_host_arena, MICA_APP_HOSTS_BYTES);
    MICA_TRY(mica_app_hosts_read(options->app_hosts, &http->app_host_arena,
                                 error, &http->app_hosts, NULL));
    for (const char *const *host = options->allowed_hosts;
         host != NULL && *host != NULL; host++)
        MICA_TRY(
            check_other(http, mica_text(*host), "of the allowed hosts", error));
    return check_other(http, http->base.origin, "of the public URL", error);
}

void
mica_own_hosts_close(struct mica_http *http)
{
    mica_arena_fini(&http->app_host_arena);
}

bool
mica_own_hosts_are_public(const struct mica_http *http)
{
    const struct mica_text local = MICA_LITERAL(".localhost");

    for (size_t i = 0; i < http->app_hosts.count; i++) {
        struct mica_text name = http->app_hosts.items[i].name;
        if (name.len < local.len ||
            !mica_text_equal(
                mica_text_slice(name, name.len - local.len, name.len), local))
            return true;
    }
    return false;
}

// ---- A request -------------------------------------------------------------------

struct mica_text
mica_exchange_requested_host(const struct mica_http_exchange *exchange)
{
    const char *header = MHD_lookup_connection_value(exchange->connection,
                                                     MHD_HEADER_KIND, "Host");

    if (header == NULL)
        return (struct mica_text){NULL, 0};
    return mica_header_trim(exchange->named_host.ptr != NULL
                                ? exchange->named_host
                                : mica_text(header));
}

void
mica_own_host_find(struct mica_http_exchange *exchange)
{
    const struct mica_http *http = exchange->http;
    const struct mica_app_host *host = NULL;

    if (http->app_hosts.count > 0)
        host = mica_app_hosts_find(&http->app_hosts,
                                   mica_exchange_requested_host(exchange));
    exchange->own_host = host;
    if (host == NULL)
        return;
    exchange->own_names[0] = host->name.ptr;
    exchange->own_names[1] = NULL;
    exchange->own_allowed = (struct mica_http_allowed){
        .hosts = exchange->own_names, .origins = http->allowed.origins};
}

void
mica_own_host_set(struct mica_http_exchange *exchange)
{
    for (size_t i = 0; i < exchange->request.header_count; i++)
        if (mica_ascii_is(exchange->headers[i].name, "host"))
            exchange->headers[i].value = exchange->own_host->name;
    exchange->host = exchange->own_host->name;
}

const struct mica_http_allowed *
mica_exchange_allowed(const struct mica_http_exchange *exchange)
{
    return exchange->own_host != NULL ? &exchange->own_allowed
                                      : &exchange->http->allowed;
}
