// SPDX-License-Identifier: Apache-2.0
//
// What browsers send to a login: cookies, queries, where to return to, and from which
// site a request comes. Nothing here needs a library; all of it reads bytes of
// strangers (tests/fuzz/login.c).
#include "auth/login.h"

#include <string.h>

#include "base/ascii.h"
#include "base/url.h"

enum {
    PATHS = 2 // that sign in or out
};

// ---- Characters --------------------------------------------------------------------

// Of an id: base64url.
static bool
id_valid(struct mica_text id)
{
    for (size_t i = 0; i < id.len; i++)
        if (!mica_url_is_unreserved(id.ptr[i]) || id.ptr[i] == '.' ||
            id.ptr[i] == '~')
            return false;
    return id.len == MICA_LOGIN_ID_BYTES;
}

// ---- Cookies -----------------------------------------------------------------------

// Takes what stands in front of the next `mark`, which is taken too.
static struct mica_text
take_until(struct mica_text *rest, char mark)
{
    const char *at = rest->len > 0 ? memchr(rest->ptr, mark, rest->len) : NULL;
    size_t end = at != NULL ? (size_t)(at - rest->ptr) : rest->len;
    struct mica_text part = mica_text_slice(*rest, 0, end);

    *rest = mica_text_slice(*rest, at != NULL ? end + 1 : end, rest->len);
    return part;
}

static struct mica_text
without_space(struct mica_text text)
{
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = mica_text_slice(text, 1, text.len);
    while (text.len > 0 &&
           (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

// How often a header Cookie (RFC 6265, 5.4) has that name.
static unsigned
cookie_count(struct mica_text header, struct mica_text name,
             struct mica_text *value_out)
{
    unsigned count = 0;

    while (header.len > 0) {
        struct mica_text value = take_until(&header, ';');
        struct mica_text key = without_space(take_until(&value, '='));
        if (mica_text_equal(key, name)) {
            *value_out = without_space(value);
            count++;
        }
    }
    return count;
}

bool
mica_login_cookie_find(const struct mica_http_request *request,
                       struct mica_text name, struct mica_text *id_out)
{
    unsigned count = 0;

    for (size_t i = 0; i < request->header_count; i++)
        if (mica_ascii_is(request->headers[i].name, "cookie"))
            count += cookie_count(request->headers[i].value, name, id_out);
    // Twice: another path or host has set one beside ours; which is ours is unknown.
    return count == 1 && id_valid(*id_out);
}

// ---- Queries -----------------------------------------------------------------------

// "+" is a space, as in forms.
static bool
query_decode(struct mica_text raw, size_t most, struct mica_arena *arena,
             struct mica_text *value_out)
{
    struct mica_buffer out;

    mica_buffer_init(&out, arena, raw.len + 1);
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i] == '+' ? ' ' : raw.ptr[i];
        if (raw.ptr[i] == '%') {
            int high = i + 2 < raw.len ? mica_ascii_hex(raw.ptr[i + 1]) : -1;
            int low = i + 2 < raw.len ? mica_ascii_hex(raw.ptr[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        mica_buffer_char(&out, c);
    }
    *value_out = mica_buffer_as_text(&out);
    return !out.overflow && out.len <= most;
}

bool
mica_login_query_find(struct mica_text query, const char *namez, size_t most,
                      struct mica_arena *arena, struct mica_text *value_out)
{
    struct mica_text found = {NULL, 0};
    unsigned count = 0;

    while (query.len > 0) {
        struct mica_text value = take_until(&query, '&');
        struct mica_text key = take_until(&value, '=');
        if (mica_text_is(key, namez)) {
            found = value;
            count++;
        }
    }
    *value_out = (struct mica_text){NULL, 0};
    return count == 0 ||
           (count == 1 && query_decode(found, most, arena, value_out));
}

// ---- Where to return to --------------------------------------------------------------

// The characters of a path and a query (RFC 3986, 3.3 and 3.4), escapes among them.
static bool
is_target_char(char c)
{
    return mica_url_is_unreserved(c) ||
           (c != '\0' && strchr("/?%!$&'()*+,;=:@", c));
}

// Does a part of the path begin with a dot, or is it empty? Such a path could leave the
// base path.
static bool
has_odd_part(struct mica_text target)
{
    struct mica_text path = take_until(&target, '?');

    for (size_t i = 0; i + 1 < path.len; i++) {
        struct mica_text rest = mica_text_slice(path, i + 1, path.len);
        if (path.ptr[i] == '/' &&
            (rest.ptr[0] == '/' || rest.ptr[0] == '.' ||
             mica_text_starts(rest, "%2e") || mica_text_starts(rest, "%2E")))
            return true;
    }
    return false;
}

static bool
signs_in_or_out(struct mica_text target)
{
    static const char *const paths[PATHS] = {"/login", "/logout"};
    struct mica_text path = take_until(&target, '?');

    for (size_t i = 0; i < MICA_COUNT(paths); i++) {
        size_t length = strlen(paths[i]);
        if (mica_text_starts(path, paths[i]) &&
            (path.len == length || path.ptr[length] == '/'))
            return true;
    }
    return false;
}

bool
mica_login_target_valid(struct mica_text target)
{
    if (target.len == 0 || target.len > MICA_LOGIN_TARGET_BYTES ||
        target.ptr[0] != '/')
        return false;
    for (size_t i = 0; i < target.len; i++) {
        if (!is_target_char(target.ptr[i]))
            return false;
        if (target.ptr[i] == '%' &&
            (i + 2 >= target.len || mica_ascii_hex(target.ptr[i + 1]) < 0 ||
             mica_ascii_hex(target.ptr[i + 2]) < 0))
            return false;
    }
    return !has_odd_part(target) && !signs_in_or_out(target);
}

// ---- Forged requests -----------------------------------------------------------------

static unsigned
header_find(const struct mica_http_request *request, const char *lowercasez,
            struct mica_text *value_out)
{
    unsigned count = 0;

    for (size_t i = 0; i < request->header_count; i++)
        if (mica_ascii_is(request->headers[i].name, lowercasez)) {
            *value_out = without_space(request->headers[i].value);
            count++;
        }
    return count;
}

bool
mica_login_same_site(const struct mica_http_request *request,
                     struct mica_text origin)
{
    struct mica_text site = {NULL, 0}, from = {NULL, 0};
    unsigned sites = header_find(request, "sec-fetch-site", &site);
    unsigned origins = header_find(request, "origin", &from);

    if (sites > 1 || origins > 1 || sites + origins == 0)
        return false;
    return (sites == 0 || mica_text_is(site, "same-origin")) &&
           (origins == 0 || mica_text_equal(from, origin));
}
