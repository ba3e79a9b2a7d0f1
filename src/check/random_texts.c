// SPDX-License-Identifier: Apache-2.0
//
// Texts: what people type, what their bounds and patterns allow, and what no author
// expects.
#include "check/random_inputs.h"
#include "schema/regex.h"

static void
text_put(struct mica_buffer *text, uint32_t code_point)
{
    char bytes[4];

    mica_buffer_add(text, bytes, mica_utf8_encode(code_point, bytes));
}

static uint32_t
odd_character(struct mica_random *random)
{
    static const uint32_t odd[] = {
        0,       1,       9,       10,      13,      0x1F,   '"',    '\'',
        '\\',    '/',     '%',     '$',     '{',     '<',    0x7F,   0x80,
        0xA0,    0xAD,    0xDF,    0x130,   0x301,   0x3B1,  0x5D0,  0x627,
        0x200B,  0x200D,  0x202E,  0x2028,  0x20AC,  0x2212, 0xD7,   0xF7,
        0x4E2D,  0xAC00,  0xD7FF,  0xE000,  0xFE0F,  0xFFFD, 0xFFFF, 0x10000,
        0x1F469, 0x1F600, 0x1F1E9, 0xE0041, 0x10FFFF};

    return odd[mica_random_below(random, MICA_COUNT(odd))];
}

static uint32_t
text_character(struct mica_random *random)
{
    static const char common[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "          .,;:-+*/()[]{}#%&=!?_^<>|~@";

    if (mica_random_chance(random, 6)) {
        return odd_character(random);
    }
    return (unsigned char)common[mica_random_below(random, sizeof common - 1)];
}

static void
put_random(struct mica_random *random, struct mica_buffer *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_put(text, text_character(random));
    }
}

static uint32_t
in_class(struct mica_random *random, const struct mica_regex *regex,
         const struct mica_regex_step *step)
{
    const struct mica_regex_range *range;

    if (step->b <= 0) {
        return 'x';
    }
    range = &regex->ranges[(size_t)step->a +
                           mica_random_below(random, (size_t)step->b)];
    return range->first +
           (uint32_t)mica_random_below(random, range->last - range->first + 1);
}

// Walks the compiled pattern and writes what it meets; edges and the outside of
// a class are left to chance.
static void
put_matching(struct mica_random *random, const struct mica_regex *regex,
             struct mica_buffer *text, size_t most)
{
    size_t at = 0, written = 0;

    for (size_t turns = 0; turns < 10000 && written < most; turns++) {
        const struct mica_regex_step *step = &regex->steps[at];

        switch (step->op) {
        case MICA_REGEX_MATCH:
            return;
        case MICA_REGEX_SPLIT:
            at = (size_t)((int64_t)at +
                          (mica_random_chance(random, 50) ? step->a : step->b));
            continue;
        case MICA_REGEX_JUMP:
            at = (size_t)((int64_t)at + step->a);
            continue;
        case MICA_REGEX_CHAR:
            text_put(text, (uint32_t)step->a);
            written++;
            break;
        case MICA_REGEX_CLASS:
            text_put(text, in_class(random, regex, step));
            written++;
            break;
        case MICA_REGEX_ANY:
        case MICA_REGEX_OUTSIDE:
            text_put(text, text_character(random));
            written++;
            break;
        case MICA_REGEX_BEGIN:
        case MICA_REGEX_END:
        case MICA_REGEX_EDGE:
        case MICA_REGEX_NO_EDGE:
            break;
        }
        at++;
    }
}

static size_t
size_of(const struct mica_json *schema, const char *namez, size_t none)
{
    const struct mica_json *value = mica_json_get(schema, namez);
    int64_t size = 0;

    if (value == NULL || !mica_integer_read(value->text, &size) || size < 0) {
        return none;
    }
    return size < 1000000 ? (size_t)size : 1000000;
}

static bool
put_formatted(struct mica_random *random, struct mica_text format,
              struct mica_buffer *text)
{
    static const char *const emails[] = {
        "a@b.co", "first.last+tag@example.org", "x@y", "a@b@c.de", "@", ""};
    static const char *const uris[] = {"https://example.org/a?b=c#d",
                                       "urn:isbn:0451450523",
                                       "http://[::1]:8",
                                       "//no-scheme",
                                       "mailto:a@b.co",
                                       "a b"};

    if (mica_text_is(format, "email")) {
        mica_buffer_text(text, mica_text(emails[mica_random_below(random, 6)]));
    } else if (mica_text_is(format, "uri")) {
        mica_buffer_text(text, mica_text(uris[mica_random_below(random, 6)]));
    } else if (mica_text_is(format, "uuid")) {
        uint64_t high = mica_random_next(random);
        uint64_t low = mica_random_next(random);

        mica_buffer_format(
            text, "%08x-%04x-4%03x-a%03x-%012llx", (unsigned)(high >> 32),
            (unsigned)(high >> 16 & 0xFFFF), (unsigned)(high & 0xFFF),
            (unsigned)(low >> 52), (unsigned long long)(low & 0xFFFFFFFFFFFF));
    } else {
        return false;
    }
    return true;
}

void
mica_random_text(struct mica_random *random, struct mica_arena *arena,
                 const struct mica_json *schema, bool wild,
                 struct mica_buffer *text)
{
    struct mica_text pattern = mica_json_get_text(schema, "pattern");
    size_t least = size_of(schema, "minLength", 0), length;
    size_t most = size_of(schema, "maxLength", 6000);
    struct mica_regex regex;

    if (!(wild && mica_random_chance(random, 40))) {
        if (pattern.len > 0 &&
            mica_regex_compile(arena, pattern, NULL, &regex) == MICA_OK) {
            put_matching(random, &regex, text, most < 200 ? most : 200);
            return;
        }
        if (put_formatted(random, mica_json_get_text(schema, "format"), text)) {
            return;
        }
    }
    length = least + mica_random_below(random, 24);
    if (mica_random_chance(random, 2)) {
        length = most;
    } else if (mica_random_chance(random, 5)) {
        length = least + mica_random_below(random, 400);
    }
    if (wild && mica_random_chance(random, 30)) {
        length =
            mica_random_chance(random, 50) && least > 0 ? least - 1 : most + 1;
    } else if (!wild && length > most) {
        length = most;
    }
    put_random(random, text, length);
}

void
mica_random_mutate(struct mica_random *random, struct mica_text text,
                   struct mica_buffer *mutated)
{
    size_t from = mica_random_below(random, text.len + 1);
    size_t to = from + mica_random_below(random, 6);

    // Only between characters.
    while (from > 0 && from < text.len && (text.ptr[from] & 0xC0) == 0x80) {
        from--;
    }
    to = to < text.len ? to : text.len;
    while (to < text.len && (text.ptr[to] & 0xC0) == 0x80) {
        to++;
    }
    mica_buffer_text(mutated, mica_text_slice(text, 0, from));
    switch (mica_random_below(random, 4)) {
    case 0: // without a part
        break;
    case 1: // a part twice
        mica_buffer_text(mutated, mica_text_slice(text, from, to));
        mica_buffer_text(mutated, mica_text_slice(text, from, to));
        break;
    case 2: // something else in its place
        put_random(random, mutated, 1 + mica_random_below(random, 3));
        break;
    default: // something between
        put_random(random, mutated, 1);
        mica_buffer_text(mutated, mica_text_slice(text, from, to));
        break;
    }
    mica_buffer_text(mutated, mica_text_slice(text, to, text.len));
}
