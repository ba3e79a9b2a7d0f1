// SPDX-License-Identifier: Apache-2.0
//
// The table of names, sorted, so that a request costs ten comparisons beside a thousand names.
#include "apps/app_hosts.h"

#include <string.h>

#include "apps/app_slug.h"

enum {
    LABEL_BYTES = 63,
    PORT_DIGITS = 5,
    SHOWN_BYTES = 80, // of a text in a message
    ORIGIN_BYTES = sizeof "https://" + MICA_APP_HOST_BYTES + 1 + PORT_DIGITS
};

// ---- A name ----------------------------------------------------------------------

static char
lower_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

// Takes the port off a host. Returns false if what follows the ":" is not 1 to 5 digits.
static bool
split_port(struct mica_text *host, struct mica_text *port_out)
{
    const char *colon =
        host->len > 0 ? memchr(host->ptr, ':', host->len) : NULL;
    size_t at = colon != NULL ? (size_t)(colon - host->ptr) : host->len;

    *port_out = mica_text_slice(*host, at, host->len);
    *host = mica_text_slice(*host, 0, at);
    if (port_out->len == 0)
        return true;
    if (port_out->len < 2 || port_out->len > 1 + PORT_DIGITS)
        return false;
    for (size_t i = 1; i < port_out->len; i++)
        if (port_out->ptr[i] < '0' || port_out->ptr[i] > '9')
            return false;
    return true;
}

static struct mica_text
without_last_dot(struct mica_text name)
{
    return name.len > 0 && name.ptr[name.len - 1] == '.'
               ? mica_text_slice(name, 0, name.len - 1)
               : name;
}

static bool
is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static const char *
label_fault(struct mica_text label)
{
    if (label.len == 0)
        return "has an empty part between dots";
    if (label.len > LABEL_BYTES)
        return "has a part of more than 63 characters";
    if (!is_letter_or_digit(label.ptr[0]) ||
        !is_letter_or_digit(label.ptr[label.len - 1]))
        return "has a part that does not begin and end with a letter or a "
               "digit";
    for (size_t i = 0; i < label.len; i++)
        if (!is_letter_or_digit(label.ptr[i]) && label.ptr[i] != '-')
            return "has a character other than letters, digits and -; write a "
                   "name in another script in its ASCII form (xn--…)";
    return NULL;
}

static bool
is_number(struct mica_text label)
{
    for (size_t i = 0; i < label.len; i++)
        if (label.ptr[i] < '0' || label.ptr[i] > '9')
            return false;
    return true;
}

// What is wrong with a name in lower case, or NULL. An address is no name: it would be
// that of the server itself, and clients write addresses in many ways.
static const char *
name_fault(struct mica_text name)
{
    struct mica_text label = {NULL, 0};
    const char *fault = NULL;

    if (name.len == 0)
        return "has no name before the =";
    if (name.len > MICA_APP_HOST_BYTES)
        return "is longer than 253 characters";
    for (size_t begin = 0; begin <= name.len && fault == NULL;) {
        size_t end = begin;
        while (end < name.len && name.ptr[end] != '.')
            end++;
        label = mica_text_slice(name, begin, end);
        fault = label_fault(label);
        begin = end + 1;
    }
    if (fault != NULL)
        return fault;
    if (is_number(label))
        return "is an address; an app has a name";
    return mica_text_is(name, "localhost")
               ? "is the name of the server itself on this machine; take one "
                 "like support.localhost"
               : NULL;
}

// ---- Reading ---------------------------------------------------------------------

static enum mica_status
host_refuse(struct mica_error *error, const char *textz, const char *faultz)
{
    struct mica_text shown = mica_utf8_cut(mica_text(textz), SHOWN_BYTES);

    return mica_error_set(error, MICA_E_USAGE, "",
                          "the host name of an app, \"%.*s\", %s; write "
                          "support.example.com=my-slug",
                          MICA_ARG(shown), faultz);
}

// The text in lower case, with a NUL behind it; empty for want of memory.
static struct mica_text
lower_copy(struct mica_arena *arena, struct mica_text text)
{
    char *copy = mica_arena_alloc(arena, text.len + 1);

    if (copy == NULL)
        return (struct mica_text){NULL, 0};
    for (size_t i = 0; i < text.len; i++)
        copy[i] = lower_letter(text.ptr[i]);
    copy[text.len] = '\0';
    return (struct mica_text){copy, text.len};
}

static struct mica_text
origin_of(struct mica_arena *arena, const char *schemez, struct mica_text name,
          struct mica_text port)
{
    struct mica_buffer out;

    mica_buffer_init(&out, arena, ORIGIN_BYTES);
    mica_buffer_format(&out, "%s%.*s%.*s", schemez, MICA_ARG(name),
                       MICA_ARG(port));
    return mica_buffer_as_text(&out);
}

enum mica_status
mica_app_host_read(const char *textz, struct mica_arena *arena,
                   struct mica_error *error, struct mica_app_host *host_out)
{
    const char *schemez = "https://", *equals = strchr(textz, '=');
    struct mica_text host, port, slug;
    const char *fault;

    if (equals == NULL)
        return host_refuse(error, textz, "names no app");
    host =
        lower_copy(arena, (struct mica_text){textz, (size_t)(equals - textz)});
    slug = mica_arena_text(arena, mica_text(equals + 1));
    if (mica_text_starts(host, "http://"))
        schemez = "http://";
    if (mica_text_starts(host, schemez))
        host = mica_text_slice(host, strlen(schemez), host.len);
    if (!split_port(&host, &port))
        return host_refuse(error, textz, "has a port that is no number");
    host = lower_copy(arena, without_last_dot(host));
    fault = name_fault(host);
    if (fault == NULL && !mica_app_slug_valid(slug))
        fault = "does not end with the slug of an app";
    if (fault != NULL)
        return host_refuse(error, textz, fault);
    *host_out =
        (struct mica_app_host){.name = host,
                               .origin = origin_of(arena, schemez, host, port),
                               .slug = slug};
    return arena->overflow ? mica_error_set(error, MICA_E_LIMIT, "",
                                            "no memory for host names")
                           : MICA_OK;
}

// ---- All of them -----------------------------------------------------------------

static int
name_compare(struct mica_text a, struct mica_text b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.ptr, b.ptr, len) : 0;

    return order != 0 ? order : a.len < b.len ? -1 : a.len > b.len;
}

// Where `name` is, or would be.
static size_t
find_place(const struct mica_app_host *items, size_t count,
           struct mica_text name)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (name_compare(items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum mica_status
hosts_add(struct mica_app_host *items, size_t count, struct mica_app_host host,
          struct mica_error *error)
{
    size_t at = find_place(items, count, host.name);

    if (at < count && mica_text_equal(items[at].name, host.name))
        return mica_error_set(
            error, MICA_E_DUPLICATE, "",
            "the host name %.*s is given twice, for the apps %.*s and %.*s; a "
            "name is of one app",
            MICA_ARG(host.name), MICA_ARG(items[at].slug), MICA_ARG(host.slug));
    memmove(&items[at + 1], &items[at], (count - at) * sizeof *items);
    items[at] = host;
    return MICA_OK;
}

enum mica_status
mica_app_hosts_read(const char *const *textsz, struct mica_arena *arena,
                    struct mica_error *error, struct mica_app_hosts *hosts_out,
                    size_t *wrong_out)
{
    struct mica_app_host *items, host;
    size_t count = 0, ignored = 0;
    size_t *at = wrong_out != NULL ? wrong_out : &ignored;

    *hosts_out = (struct mica_app_hosts){NULL, 0};
    while (textsz != NULL && textsz[count] != NULL)
        count++;
    *at = MICA_APP_HOSTS;
    if (count > MICA_APP_HOSTS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "a server has at most %d host names of apps, not "
                              "%zu",
                              MICA_APP_HOSTS, count);
    *at = 0;
    items = mica_arena_zero(arena, count + 1, sizeof *items);
    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for host names");
    for (; *at < count; ++*at) {
        MICA_TRY(mica_app_host_read(textsz[*at], arena, error, &host));
        host.given = *at;
        MICA_TRY(hosts_add(items, *at, host, error));
    }
    *hosts_out = (struct mica_app_hosts){items, count};
    return MICA_OK;
}

// ---- Finding ---------------------------------------------------------------------

const struct mica_app_host *
mica_app_hosts_find(const struct mica_app_hosts *hosts, struct mica_text host)
{
    char name[MICA_APP_HOST_BYTES];
    struct mica_text port, own;
    size_t at;

    if (hosts->count == 0 || !split_port(&host, &port))
        return NULL;
    host = without_last_dot(host);
    if (host.len == 0 || host.len > sizeof name)
        return NULL;
    for (size_t i = 0; i < host.len; i++)
        name[i] = lower_letter(host.ptr[i]);
    own = (struct mica_text){name, host.len};
    at = find_place(hosts->items, hosts->count, own);
    return at < hosts->count && mica_text_equal(hosts->items[at].name, own)
               ? &hosts->items[at]
               : NULL;
}

const struct mica_app_host *
mica_app_hosts_of(const struct mica_app_hosts *hosts, struct mica_text slug)
{
    const struct mica_app_host *first = NULL;

    for (size_t i = 0; i < hosts->count; i++) {
        const struct mica_app_host *host = &hosts->items[i];
        if (mica_text_equal(host->slug, slug) &&
            (first == NULL || host->given < first->given))
            first = host;
    }
    return first;
}
