// SPDX-License-Identifier: Apache-2.0
//
// Tells clients of this machine from those whom a proxy, a tunnel or a name brings here.
#include "http/local_client.h"

#include <string.h>

#include "base/ascii.h"
#include "http/http.h"
#include "protocol/header_value.h"

static bool
ip_is_loopback(const struct mica_ip *ip)
{
    static const unsigned char v4[13] = {[10] = 0xff, [11] = 0xff, [12] = 127},
                               v6[16] = {[15] = 1};

    return memcmp(ip->bytes, v4, sizeof v4) == 0 ||
           memcmp(ip->bytes, v6, sizeof v6) == 0;
}

// Has a proxy or a tunnel sent the request, which may be of any machine?
static bool
is_forwarded(const struct mica_http_request *request)
{
    static const char *const names[] = {"forwarded", "via", "x-real-ip"};
    static const char prefix[] = "x-forwarded-";
    size_t length = sizeof prefix - 1;

    for (size_t i = 0; i < request->header_count; i++) {
        struct mica_text name = request->headers[i].name;
        for (size_t k = 0; k < MICA_COUNT(names); k++)
            if (mica_ascii_is(name, names[k]))
                return true;
        if (name.len > length &&
            mica_ascii_is(mica_text_slice(name, 0, length), prefix))
            return true;
    }
    return false;
}

// By the address of the client, which a trusted proxy may have told; where it has not, its
// own address stands for no client. And by the name of this machine: another name may be
// that of a page which has made it lead here (DNS rebinding), also if all are allowed.
bool
mica_exchange_is_local(const struct mica_http_exchange *exchange)
{
    const struct mica_http_request *request = &exchange->request;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct mica_ip peer, client;

    if (info == NULL || info->client_addr == NULL ||
        !mica_ip_of_socket(info->client_addr, &peer) ||
        !mica_http_host_allowed(NULL, exchange->host))
        return false;
    client = mica_party_client(&exchange->http->proxies, peer, request->headers,
                               request->header_count);
    return ip_is_loopback(&client) &&
           (!is_forwarded(request) ||
            memcmp(&client, &peer, sizeof client) != 0);
}

bool
mica_exchange_may_edit_apps(const struct mica_http_exchange *exchange)
{
    const struct mica_http *http = exchange->http;

    return http->app_api != NULL &&
           (http->auth != NULL || mica_exchange_is_local(exchange));
}
