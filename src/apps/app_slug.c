// SPDX-License-Identifier: Apache-2.0
//
// From a name to a slug. The rule is that of the contract, and no more: a letter with an
// accent is a special character and leaves, as its spelling without one would be a guess
// that differs between languages.
#include "apps/app_slug.h"

#include <string.h>

#include "base/ascii.h"

enum {
    ID_CHARACTERS = 6, // of the id, where the name leaves nothing
    DIGITS = 10        // of an attempt
};

// Slugs that name something else in addresses, or that programs take for no name. Words
// that people call their apps ("search", "help") are not among them.
static const char *const reserved_slugs[] = {
    "admin",     "api",     "app",       "apps",       "assets",    "auth",
    "authorize", "builder", "console",   "docs",       "false",     "favicon",
    "health",    "healthz", "index",     "local",      "localhost", "login",
    "logout",    "mcp",     "metrics",   "mica",       "new",       "null",
    "oauth",     "openapi", "readyz",    "root",       "rpc",       "sandbox",
    "server",    "servers", "sse",       "static",     "system",    "token",
    "true",      "ui",      "undefined", "well-known", "widget",    "widgets",
    "www"};

static bool
is_slug_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// What ECMAScript's \s matches, which the rule was written with.
static bool
is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || c == ' ' || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

static size_t
without_hyphen(const char *slug, size_t length)
{
    while (length > 0 && slug[length - 1] == '-')
        length--;
    return length;
}

// The name by the rule; may be empty.
static size_t
slug_from_name(struct mica_text name, char *slug_out)
{
    size_t length = 0;

    while (name.len > 0 && length < MICA_APP_SLUG_LENGTH) {
        uint32_t c = mica_text_next(&name);
        char letter = c < 0x80 ? mica_ascii_lower((char)c) : '\0';
        bool hyphen = letter == '-' || is_space(c);
        if (is_slug_character(letter))
            slug_out[length++] = letter;
        else if (hyphen && length > 0 && slug_out[length - 1] != '-')
            slug_out[length++] = '-';
    }
    return without_hyphen(slug_out, length);
}

static size_t
slug_from_id(struct mica_text id, char *slug_out)
{
    size_t length = 4, most = 4 + ID_CHARACTERS;

    memcpy(slug_out, "app-", length);
    for (size_t i = 0; i < id.len && length < most; i++) {
        char letter = mica_ascii_lower(id.ptr[i]);
        if (is_slug_character(letter))
            slug_out[length++] = letter;
    }
    return without_hyphen(slug_out, length);
}

size_t
mica_app_slug(struct mica_text name, struct mica_text id,
              char slug_out[MICA_APP_SLUG_SIZE])
{
    size_t length = slug_from_name(name, slug_out);

    if (length == 0)
        length = slug_from_id(id, slug_out);
    if (mica_app_slug_reserved((struct mica_text){slug_out, length})) {
        memcpy(slug_out + length, "-app", 4);
        length += 4;
    }
    slug_out[length] = '\0';
    return length;
}

size_t
mica_app_slug_numbered(struct mica_text slug, unsigned attempt,
                       char slug_out[MICA_APP_SLUG_SIZE])
{
    char digits[DIGITS];
    size_t count = 0, length = slug.len;

    for (unsigned rest = attempt; attempt > 1 && rest > 0; rest /= 10)
        digits[DIGITS - ++count] = (char)('0' + rest % 10);
    if (count > 0 && length + 1 + count > MICA_APP_SLUG_LENGTH)
        length = without_hyphen(slug.ptr, MICA_APP_SLUG_LENGTH - 1 - count);
    memmove(slug_out, slug.ptr, length);
    if (count > 0) {
        slug_out[length++] = '-';
        memcpy(slug_out + length, digits + DIGITS - count, count);
        length += count;
    }
    slug_out[length] = '\0';
    return length;
}

bool
mica_app_slug_reserved(struct mica_text slug)
{
    for (size_t i = 0; i < MICA_COUNT(reserved_slugs); i++)
        if (mica_text_is(slug, reserved_slugs[i]))
            return true;
    return false;
}

const char *
mica_app_slug_wrong(struct mica_text slug)
{
    if (slug.len == 0)
        return "is empty";
    if (slug.len > MICA_APP_SLUG_LENGTH)
        return "is longer than 64 characters";
    for (size_t i = 0; i < slug.len; i++) {
        if (!is_slug_character(slug.ptr[i]) && slug.ptr[i] != '-')
            return "has a character that is not a-z, 0-9 or a hyphen";
        if (slug.ptr[i] == '-' && i > 0 && slug.ptr[i - 1] == '-')
            return "has two hyphens in a row";
    }
    if (slug.ptr[0] == '-' || slug.ptr[slug.len - 1] == '-')
        return "begins or ends with a hyphen";
    return mica_app_slug_reserved(slug) ? "is reserved" : NULL;
}

bool
mica_app_slug_valid(struct mica_text slug)
{
    return mica_app_slug_wrong(slug) == NULL || mica_app_slug_reserved(slug);
}
