// SPDX-License-Identifier: Apache-2.0
//
// The values of `format` that are checked when formats assert.
#include <string.h>

#include <mica/record.h>

#include "schema/compile.h"
#include "schema/format.h"
#include "schema/idna.h"

// ---- Reading piece by piece ------------------------------------------------

static bool
formats_take(struct mica_text *rest, const char *setz)
{
    if (rest->len == 0 || rest->ptr[0] == '\0' ||
        strchr(setz, rest->ptr[0]) == NULL)
        return false;
    *rest = mica_text_slice(*rest, 1, rest->len);
    return true;
}

// Digits as many as there are; returns how many.
static size_t
take_digits(struct mica_text *rest, unsigned *value_out)
{
    size_t count = 0;
    *value_out = 0;
    while (count < rest->len && rest->ptr[count] >= '0' &&
           rest->ptr[count] <= '9') {
        if (*value_out < 100000)
            *value_out = *value_out * 10 + (unsigned)(rest->ptr[count] - '0');
        count++;
    }
    *rest = mica_text_slice(*rest, count, rest->len);
    return count;
}

// ---- Time (RFC 3339) -------------------------------------------------------

static bool
take_two(struct mica_text *rest, unsigned most, unsigned *value_out)
{
    struct mica_text two = mica_text_slice(*rest, 0, 2);
    *rest = mica_text_slice(*rest, 2, rest->len);
    return take_digits(&two, value_out) == 2 && *value_out <= most;
}

static bool
take_offset(struct mica_text *rest, int *minutes_out)
{
    unsigned hours, minutes;
    *minutes_out = 0;
    if (formats_take(rest, "Zz"))
        return true;
    int sign = rest->len > 0 && rest->ptr[0] == '-' ? -1 : 1;
    if (!formats_take(rest, "+-") || !take_two(rest, 23, &hours) ||
        !formats_take(rest, ":") || !take_two(rest, 59, &minutes))
        return false;
    *minutes_out = sign * (int)(hours * 60 + minutes);
    return true;
}

static bool
is_time(struct mica_text text)
{
    unsigned hour, minute, second, fraction;
    int offset;
    if (!take_two(&text, 23, &hour) || !formats_take(&text, ":") ||
        !take_two(&text, 59, &minute) || !formats_take(&text, ":") ||
        !take_two(&text, 60, &second))
        return false;
    if (formats_take(&text, ".") && take_digits(&text, &fraction) == 0)
        return false;
    if (!take_offset(&text, &offset) || text.len > 0)
        return false;
    // A leap second is the last of a day of UTC.
    int utc = (int)(hour * 60 + minute) - offset;
    return second < 60 || (utc + 2 * 1440) % 1440 == 1439;
}

static bool
is_date(struct mica_text text)
{
    struct mica_date date;
    return mica_date_read(text, &date);
}

static bool
is_date_time(struct mica_text text)
{
    return text.len > 11 && (text.ptr[10] | 0x20) == 't' &&
           is_date(mica_text_slice(text, 0, 10)) &&
           is_time(mica_text_slice(text, 11, text.len));
}

// Numbers with their units, in the order of `unitsz` and none left out between the
// first and the last. False when there is a number without its unit, or nothing.
static bool
take_units(struct mica_text *rest, const char *unitsz)
{
    bool any = false;
    unsigned value;
    while (rest->len > 0 && rest->ptr[0] >= '0' && rest->ptr[0] <= '9') {
        take_digits(rest, &value);
        const char *unit = rest->len > 0 && rest->ptr[0] != '\0'
                               ? strchr(unitsz, rest->ptr[0])
                               : NULL;
        if (unit == NULL || (any && unit != unitsz))
            return false;
        *rest = mica_text_slice(*rest, 1, rest->len);
        unitsz = unit + 1;
        any = true;
    }
    return any;
}

// RFC 3339 appendix A: weeks alone, or a date and a time, of which one may be
// missing.
static bool
is_duration(struct mica_text text)
{
    if (!formats_take(&text, "P"))
        return false;
    struct mica_text weeks = text;
    if (take_units(&weeks, "W"))
        return weeks.len == 0;
    bool dated = text.len > 0 && text.ptr[0] != 'T';
    if (dated && !take_units(&text, "YMD"))
        return false;
    if (formats_take(&text, "T"))
        return take_units(&text, "HMS") && text.len == 0;
    return dated && text.len == 0;
}

// ---- Names and addresses ---------------------------------------------------

// Quoted local part of RFC 5321.
static bool
is_quoted(struct mica_text text)
{
    if (text.len < 2 || text.ptr[0] != '"' || text.ptr[text.len - 1] != '"')
        return false;
    text = mica_text_slice(text, 1, text.len - 1);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\\' && ++i == text.len)
            return false;
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == '\x7F' ||
            (text.ptr[i] == '"' && text.ptr[i - 1] != '\\'))
            return false;
    }
    return true;
}

// "[127.0.0.1]" or "[IPv6:::1]".
static bool
is_address(struct mica_text text)
{
    if (text.len < 2 || text.ptr[0] != '[' || text.ptr[text.len - 1] != ']')
        return false;
    text = mica_text_slice(text, 1, text.len - 1);
    return mica_format_is_ipv4(text) ||
           (mica_text_starts(text, "IPv6:") &&
            mica_format_is_ipv6(mica_text_slice(text, 5, text.len)));
}

// Local part and domain, split at the last "@".
static bool
split_mailbox(struct mica_text text, struct mica_text *local_out,
              struct mica_text *domain_out)
{
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != '@')
        at--;
    if (at == 0)
        return false;
    *local_out = mica_text_slice(text, 0, at - 1);
    *domain_out = mica_text_slice(text, at, text.len);
    return true;
}

static bool
is_email(struct mica_text text)
{
    struct mica_text local, domain;
    if (mica_format_email.matches(text))
        return true;
    if (!split_mailbox(text, &local, &domain) || local.len > 64)
        return false;
    // A part in the usual form is checked as a mailbox with a plain other part.
    char room[80] = "a@";
    bool usual_local = false;
    if (local.len > 0 && local.len < sizeof room - 2) {
        memcpy(room, local.ptr, local.len);
        memcpy(room + local.len, "@a", 2);
        usual_local =
            mica_format_email.matches((struct mica_text){room, local.len + 2});
    }
    return (usual_local || is_quoted(local)) &&
           (is_address(domain) || mica_format_is_hostname(domain));
}

// RFC 6531: what is not ASCII is allowed anywhere, the rest is as in an address
// without it.
static bool
is_idn_email(struct mica_text text)
{
    char plain[256];
    if (text.len >= sizeof plain)
        return false;
    for (size_t i = 0; i < text.len; i++)
        plain[i] = (unsigned char)text.ptr[i] >= 0x80 ? 'x' : text.ptr[i];
    return is_email((struct mica_text){plain, text.len});
}

// ---- URIs and pointers -----------------------------------------------------

static bool
is_uri(struct mica_text text)
{
    return mica_format_is_uri(text, false, false);
}

static bool
is_uri_reference(struct mica_text text)
{
    return mica_format_is_uri(text, true, false);
}

static bool
is_iri(struct mica_text text)
{
    return mica_format_is_uri(text, false, true);
}

static bool
is_iri_reference(struct mica_text text)
{
    return mica_format_is_uri(text, true, true);
}

// "%" and two hexadecimal digits.
static bool
take_escape(struct mica_text *rest)
{
    const char *hexz = "0123456789ABCDEFabcdef";
    struct mica_text ahead = *rest;
    if (!formats_take(&ahead, "%") || !formats_take(&ahead, hexz) ||
        !formats_take(&ahead, hexz))
        return false;
    *rest = ahead;
    return true;
}

static bool
take_variable_character(struct mica_text *rest)
{
    return formats_take(rest,
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789_") ||
           take_escape(rest);
}

// RFC 6570 section 2.3: letters, digits, "_" and escapes, with single dots between
// them.
static bool
take_variable(struct mica_text *rest)
{
    do {
        bool any = false;
        while (take_variable_character(rest))
            any = true;
        // A "%" that is left begins no escape.
        if (!any || (rest->len > 0 && rest->ptr[0] == '%'))
            return false;
    } while (formats_take(rest, "."));
    return true;
}

// Section 2.4: how many characters at most, or that a list is exploded.
static bool
take_modifier(struct mica_text *rest)
{
    unsigned most;
    if (!formats_take(rest, ":")) {
        (void)formats_take(rest, "*");
        return true;
    }
    if (rest->len > 0 && rest->ptr[0] == '0')
        return false;
    return take_digits(rest, &most) > 0 && most <= 9999;
}

// One expression of RFC 6570, its braces not included.
static bool
is_expression(struct mica_text text)
{
    (void)formats_take(&text, "+#./;?&");
    do {
        if (!take_variable(&text) || !take_modifier(&text))
            return false;
    } while (formats_take(&text, ","));
    return text.len == 0;
}

// The apostrophe is a literal by erratum 6937.
static bool
is_uri_template(struct mica_text text)
{
    while (text.len > 0) {
        char c = text.ptr[0];
        if (c == '{') {
            const char *end = memchr(text.ptr, '}', text.len);
            size_t size = end != NULL ? (size_t)(end - text.ptr) : 0;
            if (size == 0 || !is_expression(mica_text_slice(text, 1, size)))
                return false;
            text = mica_text_slice(text, size + 1, text.len);
        } else if (c == '%') {
            if (!take_escape(&text))
                return false;
        } else if ((unsigned char)c <= ' ' || c == '\x7F' ||
                   strchr("\"<>\\^`|}", c) != NULL) {
            return false;
        } else {
            text = mica_text_slice(text, 1, text.len);
        }
    }
    return true;
}

static bool
is_json_pointer(struct mica_text text)
{
    if (text.len > 0 && text.ptr[0] != '/')
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '~' &&
            (i + 1 == text.len ||
             (text.ptr[i + 1] != '0' && text.ptr[i + 1] != '1')))
            return false;
    return true;
}

static bool
is_relative_json_pointer(struct mica_text text)
{
    unsigned up;
    bool zero = text.len > 0 && text.ptr[0] == '0';
    size_t digits = take_digits(&text, &up);
    if (digits == 0 || (zero && digits > 1))
        return false;
    return mica_text_is(text, "#") || is_json_pointer(text);
}

static bool
is_uuid(struct mica_text text)
{
    return mica_format_uuid.matches(text);
}

// Whether mica understands it; look-around and back-references count as wrong.
static bool
is_regex(struct mica_text text)
{
    struct mica_arena arena;
    struct mica_regex regex;
    mica_arena_init(&arena, 1 << 20);
    bool good = mica_regex_compile_with(&arena, text, mica_regex_unicode, NULL,
                                        &regex) == MICA_OK;
    mica_arena_fini(&arena);
    return good;
}

const struct mica_schema_format *
mica_schema_format_find(struct mica_text name)
{
    static const struct mica_schema_format formats[] = {
        {"date", "2026-11-20", is_date},
        {"date-time", "2026-11-20T09:30:00Z", is_date_time},
        {"duration", "P1DT12H", is_duration},
        {"email", "name@example.org", is_email},
        {"hostname", "www.example.org", mica_idna_is_ascii_hostname},
        {"idn-email", "name@example.org", is_idn_email},
        {"idn-hostname", "www.example.org", mica_idna_is_hostname},
        {"ipv4", "192.0.2.1", mica_format_is_ipv4},
        {"ipv6", "2001:db8::1", mica_format_is_ipv6},
        {"iri", "https://example.org/é", is_iri},
        {"iri-reference", "/é", is_iri_reference},
        {"json-pointer", "/items/0", is_json_pointer},
        {"regex", "^[a-z]+$", is_regex},
        {"relative-json-pointer", "1/items", is_relative_json_pointer},
        {"time", "09:30:00Z", is_time},
        {"uri", "https://example.org/page", is_uri},
        {"uri-reference", "/page", is_uri_reference},
        {"uri-template", "/items/{id}", is_uri_template},
        {"uuid", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", is_uuid},
    };
    for (size_t i = 0; i < MICA_COUNT(formats); i++)
        if (mica_text_is(name, formats[i].name))
            return &formats[i];
    return NULL;
}
