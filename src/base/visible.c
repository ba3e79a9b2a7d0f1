// SPDX-License-Identifier: Apache-2.0
//
// What of a text a terminal would obey, and a formatter that lets none of it pass.
#include "base/visible.h"

#include <string.h>

#include "base/assert.h"

// ---- One text --------------------------------------------------------------------

static bool
is_hidden(uint32_t code, enum mica_visible how)
{
    if (code == '\t')
        return false;
    if (code == '\n')
        return how == MICA_VISIBLE_LINE;
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

// The character at the beginning of `text`, which is valid UTF-8, and its bytes.
static uint32_t
next_code(struct mica_text text, size_t *size_out)
{
    const unsigned char *s = (const unsigned char *)text.ptr;
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t code = size == 1 ? s[0] : s[0] & (0x7fu >> size);

    for (size_t i = 1; i < size; i++)
        code = code << 6 | (s[i] & 0x3fu);
    *size_out = size;
    return code;
}

static void
add_valid(struct mica_buffer *out, struct mica_text text, enum mica_visible how)
{
    size_t shown = 0, size;

    for (size_t i = 0; i < text.len; i += size) {
        uint32_t code = next_code(mica_text_slice(text, i, text.len), &size);
        if (!is_hidden(code, how))
            continue;
        mica_buffer_text(out, mica_text_slice(text, shown, i));
        shown = i + size;
        if (how == MICA_VISIBLE_JSON || code > 0xff)
            mica_buffer_format(out, "\\u%04x", (unsigned)code);
        else
            mica_buffer_format(out, "\\x%02x", (unsigned)code);
    }
    mica_buffer_text(out, mica_text_slice(text, shown, text.len));
}

void
mica_visible_add(struct mica_buffer *out, struct mica_text text,
                 enum mica_visible how)
{
    while (text.len > 0) {
        size_t valid = mica_utf8_valid(text);
        add_valid(out, mica_text_slice(text, 0, valid), how);
        text = mica_text_slice(text, valid, text.len);
        if (text.len == 0)
            return;
        mica_buffer_format(out,
                           how == MICA_VISIBLE_JSON ? "\\u00%02x" : "\\x%02x",
                           (unsigned)(unsigned char)text.ptr[0]);
        text = mica_text_slice(text, 1, text.len);
    }
}

// ---- Styles ----------------------------------------------------------------------

static const char styles[MICA_STYLES][8] = {
    [MICA_STYLE_PLAIN] = "\033[0m",    [MICA_STYLE_BOLD] = "\033[1m",
    [MICA_STYLE_DIM] = "\033[2m",      [MICA_STYLE_RED] = "\033[31m",
    [MICA_STYLE_GREEN] = "\033[32m",   [MICA_STYLE_YELLOW] = "\033[33m",
    [MICA_STYLE_ALARM] = "\033[1;31m", [MICA_STYLE_NONE] = ""};

const char *
mica_style(bool color, enum mica_style style)
{
    return styles[color ? style : MICA_STYLE_NONE];
}

static bool
is_style(const char *text)
{
    for (size_t i = 0; i < MICA_STYLES; i++)
        if (text == styles[i])
            return true;
    return false;
}

// ---- The formatter ---------------------------------------------------------------

// va_list may be an array type, which a pointer parameter cannot name.
struct values {
    va_list list;
};

// What stands between a % and its conversion.
struct slot {
    bool left;
    enum {
        SLOT_WHOLE,
        SLOT_AT_MOST, // with a precision in the format
        SLOT_SLICE    // the precision is an argument (MICA_ARG)
    } extent;
    size_t width, precision;
    char length; // 0, 'l', 'L' for ll, 'z'
    char conversion;
};

static size_t
read_count(const char **at)
{
    size_t count = 0;

    for (; **at >= '0' && **at <= '9'; (*at)++)
        count = count * 10 + (size_t)(**at - '0');
    return count;
}

// `at` is behind the %; gives back what is behind the conversion.
static const char *
read_slot(const char *at, struct values *values, struct slot *slot)
{
    *slot = (struct slot){.left = *at == '-'};
    if (slot->left)
        at++;
    slot->width = read_count(&at);
    if (*at == '.' && at[1] == '*') {
        int star = va_arg(values->list, int);
        slot->extent = SLOT_SLICE;
        slot->precision = star > 0 ? (size_t)star : 0;
        at += 2;
    } else if (*at == '.') {
        at++;
        slot->extent = SLOT_AT_MOST;
        slot->precision = read_count(&at);
    }
    if (*at == 'z' || *at == 'l')
        slot->length = *at++;
    if (slot->length == 'l' && *at == 'l') {
        slot->length = 'L';
        at++;
    }
    slot->conversion = *at;
    return at + 1;
}

// `len` bytes are printed; blanks make them as wide as the slot.
static void
add_padding(struct mica_buffer *out, const struct slot *slot, bool before,
            size_t len)
{
    for (; slot->left != before && len < slot->width; len++)
        mica_buffer_char(out, ' ');
}

static size_t
text_length(const struct slot *slot, const char *text)
{
    const char *end;

    switch (slot->extent) {
    case SLOT_SLICE: // what stands behind a U+0000 in it is shown, too
        return slot->precision;
    case SLOT_AT_MOST:
        end = slot->precision > 0 ? memchr(text, '\0', slot->precision) : NULL;
        return end != NULL ? (size_t)(end - text) : slot->precision;
    case SLOT_WHOLE:
        break;
    }
    return strlen(text);
}

static void
add_text(struct mica_buffer *out, const struct slot *slot, const char *text)
{
    size_t len = text != NULL ? text_length(slot, text) : 0;

    if (text == NULL) { // an empty slice may have no memory
        text = slot->extent == SLOT_WHOLE ? "(null)" : "";
        len = strlen(text);
    }
    add_padding(out, slot, true, len);
    if (is_style(text))
        mica_buffer_add(out, text, len);
    else
        mica_visible_add(out, (struct mica_text){text, len}, MICA_VISIBLE_LINE);
    add_padding(out, slot, false, len);
}

static void
add_digits(struct mica_buffer *out, const struct slot *slot, bool negative,
           uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    if (negative)
        digits[--at] = '-';
    add_padding(out, slot, true, sizeof digits - at);
    mica_buffer_add(out, digits + at, sizeof digits - at);
    add_padding(out, slot, false, sizeof digits - at);
}

static void
add_signed(struct mica_buffer *out, const struct slot *slot,
           struct values *values)
{
    int64_t value = slot->length == 'z'   ? va_arg(values->list, ptrdiff_t)
                    : slot->length == 'L' ? va_arg(values->list, long long)
                    : slot->length == 'l' ? va_arg(values->list, long)
                                          : va_arg(values->list, int);

    add_digits(out, slot, value < 0,
               value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void
add_unsigned(struct mica_buffer *out, const struct slot *slot,
             struct values *values)
{
    uint64_t value = slot->length == 'z' ? va_arg(values->list, size_t)
                     : slot->length == 'L'
                         ? va_arg(values->list, unsigned long long)
                     : slot->length == 'l' ? va_arg(values->list, unsigned long)
                                           : va_arg(values->list, unsigned);

    add_digits(out, slot, false, value);
}

static void
add_slot(struct mica_buffer *out, const struct slot *slot,
         struct values *values, const char *at)
{
    char byte;

    switch (slot->conversion) {
    case 's':
        add_text(out, slot, va_arg(values->list, const char *));
        break;
    case 'c':
        byte = (char)va_arg(values->list, int);
        mica_visible_add(out, (struct mica_text){&byte, 1}, MICA_VISIBLE_LINE);
        break;
    case 'd':
        add_signed(out, slot, values);
        break;
    case 'u':
        add_unsigned(out, slot, values);
        break;
    case '%':
        mica_buffer_char(out, '%');
        break;
    default:
        // A conversion that people are shown nothing with.
        mica_assert_failed(__FILE__, __LINE__, at);
    }
}

void
mica_visible_vformat(struct mica_buffer *out, const char *formatz,
                     va_list arguments)
{
    struct values values;
    const char *at = formatz;
    struct slot slot;

    va_copy(values.list, arguments);
    for (;;) {
        size_t plain = strcspn(at, "%");
        mica_buffer_add(out, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        at = read_slot(at + 1, &values, &slot);
        add_slot(out, &slot, &values, at - 1);
    }
    va_end(values.list);
}

void
mica_visible_format(struct mica_buffer *out, const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    mica_visible_vformat(out, formatz, arguments);
    va_end(arguments);
}
