// SPDX-License-Identifier: Apache-2.0
//
// The names of sandboxes, and of the pages that may embed them.
#include "http/sandbox_name.h"

#include "base/ascii.h"
#include "http/http.h"
#include "http/sandbox_page.h"
#include "protocol/header_value.h"

struct mica_text
mica_sandbox_split_port(struct mica_text *host)
{
    size_t at = host->len;
    struct mica_text port;

    while (at > 0 && host->ptr[at - 1] >= '0' && host->ptr[at - 1] <= '9')
        at--;
    if (at == 0 || at == host->len || host->ptr[at - 1] != ':')
        return (struct mica_text){"", 0};
    port = mica_text_slice(*host, at - 1, host->len);
    *host = mica_text_slice(*host, 0, at - 1);
    return port;
}

bool
mica_sandbox_is_label(struct mica_text label)
{
    if (label.len < MICA_SANDBOX_LABEL_LEAST ||
        label.len > MICA_SANDBOX_LABEL_MOST)
        return false;
    for (size_t i = 0; i < label.len; i++) {
        char c = label.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
            return false;
    }
    return true;
}

bool
mica_sandbox_is_name(struct mica_text host)
{
    static const struct mica_text parent = {".localhost", 10};
    size_t label;

    (void)mica_sandbox_split_port(&host);
    if (host.len < parent.len)
        return false;
    label = host.len - parent.len;
    return mica_sandbox_is_label(mica_text_slice(host, 0, label)) &&
           mica_text_equal(mica_text_slice(host, label, host.len), parent);
}

bool
mica_sandbox_admits(const struct mica_http_exchange *exchange,
                    struct mica_text *port_out)
{
    struct mica_text name = mica_header_trim(exchange->host);

    *port_out = mica_sandbox_split_port(&name);
    return exchange->http->host_page != MICA_HOST_PAGE_OFF &&
           (mica_ascii_is(name, "localhost") ||
            mica_ascii_is(name, "127.0.0.1"));
}
