// SPDX-License-Identifier: Apache-2.0
//
// A domain of a view becomes a word of a content security policy, and a policy that a
// stranger could continue with ';' or a keyword would be no policy. So this reads origins
// and nothing else.
#include "view/view_check.h"

#include <string.h>

enum {
    PORT_DIGITS = 5,
    LABEL_LENGTH = 63
};

// ---- Domains ---------------------------------------------------------------------

static bool
is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

static bool
host_is_local(struct mica_text host)
{
    return mica_text_is(host, "localhost") || mica_text_is(host, "127.0.0.1") ||
           mica_text_is(host, "[::1]");
}

// Takes the scheme off. *local_out: only for this machine.
static bool
domain_scheme(struct mica_text *domain, bool *local_out)
{
    static const struct {
        const char *text;
        bool local;
    } schemes[] = {{"https://", false},
                   {"wss://", false},
                   {"http://", true},
                   {"ws://", true}};

    for (size_t i = 0; i < MICA_COUNT(schemes); i++) {
        if (!mica_text_starts(*domain, schemes[i].text))
            continue;
        *local_out = schemes[i].local;
        *domain =
            mica_text_slice(*domain, strlen(schemes[i].text), domain->len);
        return true;
    }
    return false;
}

// Takes the port off, if the host has one. Returns false for one out of range.
static bool
domain_port(struct mica_text *host)
{
    size_t digits = 0, at = host->len;
    unsigned port = 0;

    while (at > 0 && host->ptr[at - 1] >= '0' && host->ptr[at - 1] <= '9') {
        at--;
        digits++;
    }
    if (at == 0 || host->ptr[at - 1] != ':' ||
        (host->ptr[0] == '[' && host->ptr[host->len - 1] == ']'))
        return true;
    for (size_t i = at; i < host->len && digits <= PORT_DIGITS; i++)
        port = port * 10 + (unsigned)(host->ptr[i] - '0');
    *host = mica_text_slice(*host, 0, at - 1);
    return digits > 0 && digits <= PORT_DIGITS && port > 0 && port <= 65535;
}

// Labels of letters, digits and inner '-', at least two of them unless it is local.
static bool
host_is_valid(struct mica_text host)
{
    size_t labels = 0, from = 0;

    for (size_t i = 0; i <= host.len; i++) {
        if (i < host.len && host.ptr[i] != '.') {
            if (!is_alphanumeric(host.ptr[i]) && host.ptr[i] != '-')
                return false;
            continue;
        }
        if (i == from || i - from > LABEL_LENGTH || host.ptr[from] == '-' ||
            host.ptr[i - 1] == '-')
            return false;
        labels++;
        from = i + 1;
    }
    return labels > 1;
}

const char *
mica_view_domain_wrong(struct mica_text domain)
{
    struct mica_text host = domain;
    bool local = false;

    if (domain.len == 0)
        return "is empty";
    if (domain.len > MICA_VIEW_DOMAIN_LENGTH)
        return "is longer than 285 bytes";
    for (size_t i = 0; i < domain.len; i++) {
        if (domain.ptr[i] <= ' ' || domain.ptr[i] >= 0x7f ||
            strchr(";,'\"\\<>", domain.ptr[i]) != NULL)
            return "has a space, a quote, a ';', a ',' or another character "
                   "that no origin has";
    }
    if (!domain_scheme(&host, &local))
        return "does not begin with https:// or wss:// (http:// and ws:// are "
               "for this machine)";
    if (memchr(host.ptr, '/', host.len) != NULL ||
        memchr(host.ptr, '?', host.len) != NULL ||
        memchr(host.ptr, '#', host.len) != NULL)
        return "has a path; write the origin alone";
    if (!domain_port(&host))
        return "has a port that is not 1 to 65535";
    if (host_is_local(host))
        return NULL;
    if (local)
        return "needs https:// or wss://, as its host is not this machine";
    if (mica_text_starts(host, "*."))
        host = mica_text_slice(host, 2, host.len);
    return host_is_valid(host) ? NULL
                               : "has no host name of two or more labels; a "
                                 "\"*\" may stand for the first of three";
}

static enum mica_status
check_domains(const struct mica_view *view, const char *member,
              const char *const *domains, struct mica_error *error)
{
    for (size_t i = 0; domains != NULL && domains[i] != NULL; i++) {
        const char *wrong = mica_view_domain_wrong(mica_text(domains[i]));
        if (i >= MICA_VIEW_DOMAINS)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "view '%s': .%s names more than %d domains",
                                  view->name, member, MICA_VIEW_DOMAINS);
        if (wrong != NULL)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "view '%s': \"%.100s\" in .%s %s; for "
                                  "example \"https://api.example.com\"",
                                  view->name, domains[i], member, wrong);
    }
    return MICA_OK;
}

// ---- Views -----------------------------------------------------------------------

static bool
name_is_valid(const char *namez)
{
    size_t length = strlen(namez);

    return length > 0 && length <= MICA_VIEW_NAME_LENGTH &&
           strspn(namez, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

// A name in the folder of the source, never a path.
static bool
file_is_valid(const char *filez)
{
    size_t length = strlen(filez);

    return length > 5 && length <= 255 && filez[0] != '.' &&
           strcmp(filez + length - 5, ".html") == 0 &&
           strcspn(filez, "/\\\n") == length;
}

// What a host compares as text: a word of an origin or of a host.
static bool
own_domain_is_valid(const char *domainz)
{
    size_t length = strlen(domainz);

    return length > 0 && length <= MICA_VIEW_DOMAIN_LENGTH &&
           strcspn(domainz, " \t\r\n;,'\"\\<>") == length;
}

enum mica_status
mica_view_check(const struct mica_view *view, struct mica_error *error)
{
    if (view->name == NULL || !name_is_valid(view->name))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "'%.64s' cannot be the name of a view: use 1 to "
                              "%d of a-z 0-9 _",
                              view->name != NULL ? view->name : "",
                              MICA_VIEW_NAME_LENGTH);
    if ((view->file == NULL) == (view->html == NULL))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "view '%s' needs either a .file beside the "
                              "source of its tool, or its .html",
                              view->name);
    if (view->file != NULL && !file_is_valid(view->file))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "view '%s': .file is '%.100s'; write the name of "
                              "a .html file in the folder of the source, for "
                              "example \"%s.html\"",
                              view->name, view->file, view->name);
    if (view->domain != NULL && !own_domain_is_valid(view->domain))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "view '%s': the .domain '%.100s' has a space, a "
                              "quote or another character that no domain has; "
                              "leave it out unless your host needs it",
                              view->name, view->domain);
    MICA_TRY(
        check_domains(view, "connect_domains", view->connect_domains, error));
    MICA_TRY(
        check_domains(view, "resource_domains", view->resource_domains, error));
    MICA_TRY(check_domains(view, "frame_domains", view->frame_domains, error));
    return check_domains(view, "base_uri_domains", view->base_uri_domains,
                         error);
}

enum mica_status
mica_view_check_document(const struct mica_view *view,
                         struct mica_text document, struct mica_error *error)
{
    if (document.len > MICA_VIEW_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "view '%s': its document has %zu bytes, and "
                              "%d are the limit; let the view fetch large data "
                              "with a tool",
                              view->name, document.len, MICA_VIEW_BYTES);
    if (document.len == 0 || mica_utf8_valid(document) != document.len ||
        memchr(document.ptr, '\0', document.len) != NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "view '%s': its document is empty, or is not "
                              "UTF-8 text",
                              view->name);
    return MICA_OK;
}
