// SPDX-License-Identifier: Apache-2.0
//
// Matches a URI with a compiled template, in one pass that reads every byte a bounded
// number of times. Refuses unsafe values, so that no handler gets a path with "..".
#include "base/ascii.h"
#include "registry/uri_template.h"

#include <string.h>

struct matcher {
    const struct mica_template *template;
    struct mica_text uri;
    struct mica_arena *arena;
    struct mica_text *values;
};

// ---- Values ------------------------------------------------------------------------

// May a value in the path have this byte? More bytes than RFC 6570 writes: people type some
// unencoded, as ':' and '@'.
static bool
in_path(char mark, char c)
{
    if (memchr("?#\"<>\\^`{|}", c, 11) != NULL)
        return false;
    return c != '/' || mark == '+';
}

static bool
percent_decode(struct mica_arena *arena, struct mica_text raw,
               struct mica_text *value_out)
{
    char *bytes;
    size_t count = 0;

    *value_out = raw;
    if (raw.len == 0 || memchr(raw.ptr, '%', raw.len) == NULL)
        return true;
    bytes = mica_arena_alloc(arena, raw.len);
    if (bytes == NULL)
        return false;
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.ptr[i] != '%') {
            bytes[count++] = raw.ptr[i];
            continue;
        }
        if (i + 2 >= raw.len || mica_ascii_hex(raw.ptr[i + 1]) < 0 ||
            mica_ascii_hex(raw.ptr[i + 2]) < 0)
            return false;
        bytes[count++] = (char)(mica_ascii_hex(raw.ptr[i + 1]) * 16 +
                                mica_ascii_hex(raw.ptr[i + 2]));
        i += 2;
    }
    *value_out = (struct mica_text){bytes, count};
    return true;
}

static bool
is_slash(char c)
{
    return c == '/' || c == '\\';
}

// MCP: resources, security: does the value have a "." or ".." segment?
static bool
path_climbs(struct mica_text value)
{
    size_t from = 0;

    for (size_t at = 0; at <= value.len; at++) {
        if (at < value.len && !is_slash(value.ptr[at]))
            continue;
        struct mica_text segment = mica_text_slice(value, from, at);
        if (mica_text_is(segment, ".") || mica_text_is(segment, ".."))
            return true;
        from = at + 1;
    }
    return false;
}

static bool
is_sound(char mark, struct mica_text value)
{
    bool several = mark == '+' || mark == '#' || mark == '?' || mark == '&';

    if (value.len > 0 && memchr(value.ptr, '\0', value.len) != NULL)
        return false;
    if (mica_utf8_valid(value) != value.len || path_climbs(value))
        return false;
    if (mark == '+' && value.len > 0 && is_slash(value.ptr[0]))
        return false; // it would be an absolute path
    for (size_t i = 0; !several && i < value.len; i++) {
        if (is_slash(value.ptr[i]))
            return false;
    }
    return true;
}

// Makes bytes [from, to) of the URI the value of a variable.
static bool
matcher_set(const struct matcher *matcher, size_t variable, size_t from,
            size_t to)
{
    struct mica_text value;

    if (!percent_decode(matcher->arena, mica_text_slice(matcher->uri, from, to),
                        &value) ||
        !is_sound(matcher->template->variables[variable].mark, value))
        return false;
    matcher->values[variable] = value;
    return true;
}

// ---- The path ------------------------------------------------------------------------

static bool
literal_at(const struct matcher *matcher, struct mica_text literal, size_t at,
           size_t limit)
{
    return limit - at >= literal.len &&
           memcmp(matcher->uri.ptr + at, literal.ptr, literal.len) == 0;
}

// Does the value of part `number` end at `at`? It ends at the next literal, or at the mark
// of a variable that may follow.
static bool
matcher_ends(const struct matcher *matcher, size_t number, size_t at,
             size_t limit)
{
    const struct mica_template *template = matcher->template;

    for (size_t i = number + 1; i < template->part_count; i++) {
        const struct mica_part *part = &template->parts[i];
        if (part->literal.len > 0)
            return literal_at(matcher, part->literal, at, limit);
        if (matcher->uri.ptr[at] == part->before)
            return true;
    }
    return false;
}

// Finds the end of the value: at least one byte, and as few as possible.
static size_t
value_end(const struct matcher *matcher, size_t number, size_t from,
          size_t limit)
{
    const struct mica_part *part = &matcher->template->parts[number];
    char mark = matcher->template->variables[part->variable].mark;
    size_t at = from;

    while (at < limit && in_path(mark, matcher->uri.ptr[at]) &&
           (at == from || !matcher_ends(matcher, number, at, limit)))
        at++;
    return at;
}

// Finds the variable `name` among [from, from + count), if it has no value yet.
static bool
find_variable(const struct matcher *matcher, size_t from, size_t count,
              struct mica_text name, size_t *found_out)
{
    for (size_t i = from; i < from + count; i++) {
        if (mica_text_equal(matcher->template->variables[i].name, name)) {
            *found_out = i;
            return matcher->values[i].ptr == NULL;
        }
    }
    return false;
}

// Reads one "name=value" at `*at`, up to `separator` or the limit.
static bool
read_pair(const struct matcher *matcher, size_t from, size_t count,
          char separator, size_t limit, size_t *at)
{
    size_t start = *at, end, equals, found;
    const char *hit =
        memchr(matcher->uri.ptr + start, separator, limit - start);

    end = hit != NULL ? (size_t)(hit - matcher->uri.ptr) : limit;
    hit = memchr(matcher->uri.ptr + start, '=', end - start);
    equals = hit != NULL ? (size_t)(hit - matcher->uri.ptr) : end;
    *at = end;
    return find_variable(matcher, from, count,
                         mica_text_slice(matcher->uri, start, equals),
                         &found) &&
           matcher_set(matcher, found, equals < end ? equals + 1 : end, end);
}

// Matches ";a=1;b" up to the limit, in any order.
static bool
match_matrix(const struct matcher *matcher, size_t number, size_t at,
             size_t limit)
{
    const struct mica_template *template = matcher->template;

    while (at < limit) {
        if (matcher->uri.ptr[at++] != ';' ||
            !read_pair(matcher, template->parts[number].variable,
                       template->matrix_count, ';', limit, &at))
            return false;
    }
    return true;
}

static bool
match_path(const struct matcher *matcher, size_t limit)
{
    const struct mica_template *template = matcher->template;
    size_t at = 0;

    for (size_t i = 0; i < template->part_count; i++) {
        const struct mica_part *part = &template->parts[i];
        size_t end;
        if (part->literal.len > 0) {
            if (!literal_at(matcher, part->literal, at, limit))
                return false;
            at += part->literal.len;
            continue;
        }
        if (part->before == ';')
            return match_matrix(matcher, i, at, limit);
        if (part->before != 0) {
            if (at == limit || matcher->uri.ptr[at] != part->before)
                continue;
            at++;
        }
        end = value_end(matcher, i, at, limit);
        if (end == at || !matcher_set(matcher, part->variable, at, end))
            return false;
        at = end;
    }
    return at == limit;
}

// ---- Query and fragment ----------------------------------------------------------------

static size_t
find_byte(struct mica_text text, size_t from, const char *bytesz)
{
    while (from < text.len && strchr(bytesz, text.ptr[from]) == NULL)
        from++;
    return from;
}

// Finds the end of the path, for this template.
static size_t
path_end(const struct mica_template *template, struct mica_text uri)
{
    size_t end = uri.len;

    if (template->continued > 0)
        end = find_byte(uri, 0, "?") + template->continued;
    else if (template->query_count > 0)
        end = find_byte(uri, 0, "?#");
    else if (template->has_fragment)
        end = find_byte(uri, 0, "#");
    return end < uri.len ? end : uri.len;
}

static bool
match_tail(const struct matcher *matcher, size_t at)
{
    const struct mica_template *template = matcher->template;
    struct mica_text uri = matcher->uri;
    char first = template->continued > 0 ? '&' : '?';
    size_t limit = find_byte(uri, at, "#");

    if (template->query_count > 0 && at < limit) {
        if (uri.ptr[at] != first)
            return false;
        do {
            at++;
            if (!read_pair(matcher, template->query_from, template->query_count,
                           '&', limit, &at))
                return false;
        } while (at < limit);
    }
    if (template->has_fragment && at < uri.len) {
        if (uri.ptr[at] != '#' || at + 1 == uri.len ||
            !matcher_set(matcher, template->variable_count - 1, at + 1,
                         uri.len))
            return false;
        at = uri.len;
    }
    return at == uri.len;
}

// Is the URI free of white space and control characters?
static bool
is_printable(struct mica_text uri)
{
    for (size_t i = 0; i < uri.len; i++) {
        unsigned char byte = (unsigned char)uri.ptr[i];
        if (byte <= 0x20 || byte == 0x7f)
            return false;
    }
    return true;
}

// [RESOURCE-URI]
bool
mica_template_match(const struct mica_template *template, struct mica_text uri,
                    struct mica_arena *arena, struct mica_text *values_out)
{
    struct matcher matcher = {template, uri, arena, values_out};
    size_t end, limit;

    memset(values_out, 0, template->variable_count * sizeof *values_out);
    if (uri.len > MICA_TEMPLATE_URI_BYTES || !is_printable(uri))
        return false;
    end = path_end(template, uri);
    limit = end;
    if (template->end.len > 0) {
        if (limit < template->end.len ||
            !literal_at(&matcher, template->end, limit - template->end.len,
                        limit))
            return false;
        limit -= template->end.len;
    }
    return match_path(&matcher, limit) && match_tail(&matcher, end);
}
