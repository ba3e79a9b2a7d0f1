// SPDX-License-Identifier: Apache-2.0
//
// The form of a domain is view_check.h's to judge. This adds what only a host knows: that
// a view must not reach the host itself, under whatever name, for mica answers every
// origin of the machine that it runs on.
#include "view/csp.h"

#include <string.h>

#include <mica/json.h>

#include "base/ascii.h"
#include "view/view_check.h"

enum {
    HTTP_PORT = 80,
    HTTPS_PORT = 443
};

// The lists, in the order of their members in struct mica_csp.
static const char *const list_names[] = {"connectDomains", "resourceDomains",
                                         "frameDomains", "baseUriDomains"};

// ---- Reading ---------------------------------------------------------------------

static enum mica_status
read_list(struct mica_arena *arena, const struct mica_json *json,
          const char *name, struct mica_error *error,
          struct mica_csp_domains *list_out)
{
    const struct mica_json *list = mica_json_get(json, name);
    struct mica_text *items;

    if (list == NULL)
        return MICA_OK;
    if (list->kind != MICA_JSON_ARRAY)
        return mica_error_set(error, MICA_E_TYPE, name,
                              "%s is no list of texts but %s", name,
                              mica_json_kind_name(list->kind));
    items = mica_arena_alloc(arena, list->count * sizeof *items);
    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, name,
                              "%s takes more memory than there is", name);
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != MICA_JSON_STRING)
            return mica_error_set(error, MICA_E_TYPE, name,
                                  "%s has a value that is no text but %s", name,
                                  mica_json_kind_name(list->items[i].kind));
        items[i] = list->items[i].text;
    }
    *list_out = (struct mica_csp_domains){items, list->count};
    return MICA_OK;
}

enum mica_status
mica_csp_read(struct mica_arena *arena, struct mica_text json,
              struct mica_error *error, struct mica_csp *csp_out)
{
    struct mica_csp csp = {.declared = true};
    struct mica_csp_domains *const lists[] = {&csp.connect, &csp.resource,
                                              &csp.frame, &csp.base_uri};
    struct mica_json value;

    MICA_TRY(mica_json_read(arena, json, NULL, error, &value));
    if (value.kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_TYPE, NULL,
                              "csp is no object but %s",
                              mica_json_kind_name(value.kind));
    for (size_t i = 0; i < MICA_COUNT(lists); i++)
        MICA_TRY(read_list(arena, &value, list_names[i], error, lists[i]));
    *csp_out = csp;
    return MICA_OK;
}

// ---- The host's own origins ------------------------------------------------------

// The server that an origin names.
struct endpoint {
    struct mica_text host; // without "*."
    unsigned port;
    bool wildcard, plain;
};

static bool
ends_with(struct mica_text text, struct mica_text end)
{
    return text.len >= end.len &&
           mica_text_equal(mica_text_slice(text, text.len - end.len, text.len),
                           end);
}

static bool
host_is_loopback(struct mica_text host)
{
    return mica_text_is(host, "localhost") ||
           ends_with(host, MICA_LITERAL(".localhost")) ||
           mica_text_starts(host, "127.") || mica_text_is(host, "0.0.0.0") ||
           mica_text_is(host, "[::1]");
}

// Reads an origin that is well-formed, in lower case.
static struct endpoint
read_endpoint(struct mica_text origin)
{
    struct endpoint endpoint = {.plain = mica_text_starts(origin, "http:") ||
                                         mica_text_starts(origin, "ws:")};
    const char *start = memchr(origin.ptr, '/', origin.len);
    size_t from = start != NULL ? (size_t)(start - origin.ptr) + 2 : 0;
    struct mica_text host = mica_text_slice(origin, from, origin.len);
    size_t end = host.len;

    while (end > 0 && host.ptr[end - 1] >= '0' && host.ptr[end - 1] <= '9')
        end--;
    endpoint.port = endpoint.plain ? HTTP_PORT : HTTPS_PORT;
    if (end > 0 && end < host.len && host.ptr[end - 1] == ':') {
        endpoint.port = 0;
        for (size_t i = end; i < host.len; i++)
            endpoint.port = endpoint.port * 10 + (unsigned)(host.ptr[i] - '0');
        host.len = end - 1;
    }
    endpoint.wildcard = mica_text_starts(host, "*.");
    endpoint.host = mica_text_slice(host, endpoint.wildcard ? 2 : 0, host.len);
    return endpoint;
}

// Does a policy with `domain` let requests to `own` pass? A browser takes a source of
// http to cover https, too.
static bool
endpoint_covers(const struct endpoint *domain, const struct endpoint *own)
{
    if (domain->port != own->port &&
        !(domain->port == HTTP_PORT && own->port == HTTPS_PORT))
        return false;
    if (host_is_loopback(domain->host) && host_is_loopback(own->host))
        return true;
    if (!domain->wildcard)
        return mica_text_equal(domain->host, own->host);
    return ends_with(own->host, domain->host) &&
           own->host.len > domain->host.len &&
           own->host.ptr[own->host.len - domain->host.len - 1] == '.';
}

static struct mica_text
lower_case(struct mica_text text, char *room, size_t size)
{
    size_t len = text.len < size ? text.len : size;

    for (size_t i = 0; i < len; i++)
        room[i] = mica_ascii_lower(text.ptr[i]);
    return (struct mica_text){room, len};
}

// ---- Checking --------------------------------------------------------------------

static enum mica_status
check_domain(struct mica_text domain, const char *list,
             const struct mica_csp_host *host, struct mica_error *error)
{
    char room[MICA_VIEW_DOMAIN_LENGTH], own_room[MICA_VIEW_DOMAIN_LENGTH];
    const char *wrong = mica_view_domain_wrong(domain);
    struct endpoint endpoint;

    if (wrong != NULL)
        return mica_error_set(error, MICA_E_FORMAT, list, "%s: '%.*s' %s", list,
                              MICA_ARG(domain), wrong);
    endpoint = read_endpoint(lower_case(domain, room, sizeof room));
    for (size_t i = 0; i < host->origin_count; i++) {
        struct endpoint own = read_endpoint(
            lower_case(host->origins[i], own_room, sizeof own_room));
        if (endpoint_covers(&endpoint, &own))
            return mica_error_set(error, MICA_E_FORBIDDEN, list,
                                  "%s: '%.*s' covers the host's own origin "
                                  "%.*s, which no view may reach",
                                  list, MICA_ARG(domain),
                                  MICA_ARG(host->origins[i]));
    }
    if (endpoint.plain && !host->development)
        return mica_error_set(error, MICA_E_FORMAT, list,
                              "%s: '%.*s' is of this machine, which views may "
                              "reach in development alone; use https:// or "
                              "wss://",
                              list, MICA_ARG(domain));
    return MICA_OK;
}

static enum mica_status
check_lists(const struct mica_csp *csp, const struct mica_csp_host *host,
            struct mica_error *error)
{
    const struct mica_csp_domains *const lists[] = {
        &csp->connect, &csp->resource, &csp->frame, &csp->base_uri};

    for (size_t i = 0; i < MICA_COUNT(lists); i++) {
        if (lists[i]->count > MICA_VIEW_DOMAINS)
            return mica_error_set(error, MICA_E_LIMIT, list_names[i],
                                  "%s has %zu domains; a view may have %d",
                                  list_names[i], lists[i]->count,
                                  MICA_VIEW_DOMAINS);
        for (size_t k = 0; k < lists[i]->count; k++)
            MICA_TRY(
                check_domain(lists[i]->items[k], list_names[i], host, error));
    }
    return MICA_OK;
}

// ---- Writing ---------------------------------------------------------------------

static void
add_directive(struct mica_buffer *out, const char *words,
              const struct mica_csp_domains *domains)
{
    mica_buffer_text(out, mica_text(words));
    for (size_t i = 0; i < domains->count; i++) {
        mica_buffer_char(out, ' ');
        mica_buffer_text(out, domains->items[i]);
    }
}

// The policy of the stable specification for a view that declares nothing.
static void
add_closed(struct mica_buffer *out, const char *script)
{
    mica_buffer_format(out,
                       "default-src 'none'; script-src 'self' "
                       "'unsafe-inline'%s; style-src 'self' 'unsafe-inline'; "
                       "img-src 'self' data:; media-src 'self' data:; "
                       "object-src 'none'; connect-src 'none'",
                       script);
}

static void
add_declared(struct mica_buffer *out, const struct mica_csp *csp,
             const char *script)
{
    mica_buffer_format(
        out, "default-src 'none'; script-src 'self' 'unsafe-inline'%s", script);
    add_directive(out, "", &csp->resource);
    add_directive(out, "; style-src 'self' 'unsafe-inline'", &csp->resource);
    add_directive(out, "; img-src 'self' data:", &csp->resource);
    add_directive(out, "; font-src 'self'", &csp->resource);
    add_directive(out, "; media-src 'self' data:", &csp->resource);
    add_directive(out, "; connect-src 'self'", &csp->connect);
    add_directive(out,
                  csp->frame.count > 0 ? "; frame-src" : "; frame-src 'none'",
                  &csp->frame);
    add_directive(out, "; object-src 'none'", &(struct mica_csp_domains){0});
    add_directive(out,
                  csp->base_uri.count > 0 ? "; base-uri" : "; base-uri 'self'",
                  &csp->base_uri);
}

enum mica_status
mica_csp_write(const struct mica_csp *csp, const struct mica_csp_host *host,
               struct mica_buffer *buffer, struct mica_error *error)
{
    const char *script = host->wasm ? " 'wasm-unsafe-eval'" : "";
    char room[MICA_CSP_BYTES];
    struct mica_buffer out = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    MICA_TRY(check_lists(csp, host, error));
    if (csp->declared)
        add_declared(&out, csp, script);
    else
        add_closed(&out, script);
    if (out.overflow)
        return mica_error_set(error, MICA_E_LIMIT, NULL,
                              "the policy of the view takes more than %d "
                              "bytes; it declares too many domains",
                              MICA_CSP_BYTES);
    mica_buffer_text(buffer, mica_buffer_as_text(&out));
    return MICA_OK;
}

void
mica_csp_write_allow(struct mica_buffer *buffer, unsigned permissions)
{
    static const struct {
        unsigned permission;
        const char *feature;
    } features[] = {{MICA_CAMERA, "camera"},
                    {MICA_MICROPHONE, "microphone"},
                    {MICA_GEOLOCATION, "geolocation"},
                    {MICA_CLIPBOARD_WRITE, "clipboard-write"}};
    const char *separator = "";

    for (size_t i = 0; i < MICA_COUNT(features); i++) {
        if ((permissions & features[i].permission) == 0)
            continue;
        mica_buffer_format(buffer, "%s%s", separator, features[i].feature);
        separator = "; ";
    }
}
