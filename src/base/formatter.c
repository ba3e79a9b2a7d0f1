// SPDX-License-Identifier: Apache-2.0
//
// A printf without locale, floating point and stdio: the same bytes natively
// and in a module, and 20 KB smaller there than the one of the C library.
#include "base/formatter.h"

#include <string.h>

#include "base/assert.h"
#include "base/digits.h"

// Where the bytes go: a buffer, or `size` bytes of the caller's memory.
struct sink {
    struct mica_buffer *buffer;
    char *out;
    size_t size, len; // len counts also what was cut
    bool quotes;      // cuts what stands between quotes
};

struct directive {
    bool left, zero;
    bool quoted; // a quote stands before it
    size_t width;
    bool has_precision;
    bool counted; // the precision is an argument: a slice (MICA_ARG)
    size_t precision;
    char length; // 0, 'l', 'L' for ll, 'z'
    char conversion;
    const char *at; // of the conversion, for a debugger
};

static void
put_memory(struct sink *sink, const char *bytes, size_t size)
{
    size_t room = sink->len < sink->size ? sink->size - sink->len : 0;
    if (room > size)
        room = size;
    if (room > 0)
        memcpy(sink->out + sink->len, bytes, room);
    sink->len += size;
}

// A message in memory ends at its NUL, so a U+0000 in it is spelled out.
static void
formatter_put(struct sink *sink, const char *bytes, size_t size)
{
    const char *nul;

    if (size == 0)
        return;
    if (sink->buffer != NULL) {
        mica_buffer_add(sink->buffer, bytes, size);
        return;
    }
    while (size > 0 && (nul = memchr(bytes, 0, size)) != NULL) {
        put_memory(sink, bytes, (size_t)(nul - bytes));
        put_memory(sink, "\\u0000", 6);
        size -= (size_t)(nul - bytes) + 1;
        bytes = nul + 1;
    }
    put_memory(sink, bytes, size);
}

static void
formatter_pad(struct sink *sink, char with, size_t count)
{
    char run[16];
    memset(run, with, sizeof run);
    for (; count > sizeof run; count -= sizeof run)
        formatter_put(sink, run, sizeof run);
    formatter_put(sink, run, count);
}

// Puts `sign` and `body` into the width. Zeros go between the two, blanks
// before or behind both.
static void
put_field(struct sink *sink, const struct directive *directive,
          struct mica_text sign, struct mica_text body)
{
    size_t size = sign.len + body.len;
    size_t fill = directive->width > size ? directive->width - size : 0;
    bool zeros = directive->zero && !directive->left;
    if (!directive->left && !zeros)
        formatter_pad(sink, ' ', fill);
    formatter_put(sink, sign.ptr, sign.len);
    if (zeros)
        formatter_pad(sink, '0', fill);
    formatter_put(sink, body.ptr, body.len);
    if (directive->left)
        formatter_pad(sink, ' ', fill);
}

static size_t
read_width(const char **at)
{
    size_t width = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        width = width * 10 + (size_t)(**at - '0');
    return width;
}

static void
put_signed(struct sink *sink, const struct directive *directive, int64_t value)
{
    char digits[MICA_DIGITS_SIZE];
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    size_t count = mica_digits_write(size, digits);
    put_field(sink, directive, mica_text(value < 0 ? "-" : ""),
              (struct mica_text){digits, count});
}

static void
put_unsigned(struct sink *sink, const struct directive *directive,
             uint64_t value)
{
    char digits[MICA_DIGITS_SIZE];
    size_t at = sizeof digits;
    if (directive->conversion == 'u') {
        at = mica_digits_write(value, digits);
        put_field(sink, directive, mica_text(""),
                  (struct mica_text){digits, at});
        return;
    }
    const char *alphabet =
        directive->conversion == 'x' ? "0123456789abcdef" : "0123456789ABCDEF";
    do
        digits[--at] = alphabet[value & 15];
    while ((value >>= 4) > 0);
    put_field(sink, directive, mica_text(""),
              (struct mica_text){digits + at, sizeof digits - at});
}

static size_t
text_length(const struct directive *directive, const char *text)
{
    if (!directive->has_precision)
        return strlen(text);
    // A slice is as long as it says: a person who approves a text has to see
    // what stands behind a U+0000 in it, for a handler does.
    if (directive->counted || directive->precision == 0)
        return directive->precision;
    // Else the text may lack a NUL within the precision, as in C.
    const char *end = memchr(text, 0, directive->precision);
    return end != NULL ? (size_t)(end - text) : directive->precision;
}

static void
put_text(struct sink *sink, const struct directive *directive, const char *text)
{
    struct directive blank = *directive;
    blank.zero = false;
    if (text == NULL) { // an empty slice may have no memory
        text = blank.has_precision ? "" : "(null)";
        blank.precision = 0;
    }
    size_t len = text_length(&blank, text);
    if (sink->quotes && directive->quoted && len > MICA_QUOTE_BYTES) {
        char cut[MICA_QUOTE_BYTES + 1];
        memcpy(cut, text, sizeof cut - 1);
        formatter_put(sink, cut, mica_format_finish(cut, sizeof cut, len));
        return;
    }
    put_field(sink, &blank, mica_text(""), (struct mica_text){text, len});
}

// The part of a directive before its conversion. A star takes an argument, and
// the caller has to read it: `star_out` says where.
static const char *
read_directive(const char *at, struct directive *directive, bool *star_out)
{
    *directive = (struct directive){0};
    *star_out = false;
    for (; *at == '-' || *at == '0'; at++) {
        directive->left |= *at == '-';
        directive->zero |= *at == '0';
    }
    directive->width = read_width(&at);
    if (*at == '.') {
        at++;
        directive->has_precision = true;
        if (*at == '*') {
            *star_out = true;
            at++;
        } else {
            directive->precision = read_width(&at);
        }
    }
    if (*at == 'z' || *at == 'l')
        directive->length = *at++;
    if (directive->length == 'l' && *at == 'l') {
        directive->length = 'L';
        at++;
    }
    directive->conversion = *at;
    directive->at = at;
    return at;
}

// va_list may be an array type, which a pointer parameter cannot name; a
// struct around it can be passed on.
struct arguments {
    va_list list;
};

static int64_t
next_signed(struct arguments *arguments, char length)
{
    switch (length) {
    case 'l':
        return va_arg(arguments->list, long);
    case 'L':
        return va_arg(arguments->list, long long);
    case 'z':
        return va_arg(arguments->list, ptrdiff_t);
    default:
        return va_arg(arguments->list, int);
    }
}

static uint64_t
next_unsigned(struct arguments *arguments, char length)
{
    switch (length) {
    case 'l':
        return va_arg(arguments->list, unsigned long);
    case 'L':
        return va_arg(arguments->list, unsigned long long);
    case 'z':
        return va_arg(arguments->list, size_t);
    default:
        return va_arg(arguments->list, unsigned);
    }
}

static void
put_directive(struct sink *sink, const struct directive *directive,
              struct arguments *arguments)
{
    char byte;
    MICA_ASSERT(!directive->has_precision || directive->conversion == 's');
    switch (directive->conversion) {
    case 'd':
    case 'i':
        put_signed(sink, directive, next_signed(arguments, directive->length));
        break;
    case 'u':
    case 'x':
    case 'X':
        put_unsigned(sink, directive,
                     next_unsigned(arguments, directive->length));
        break;
    case 'c':
        byte = (char)va_arg(arguments->list, int);
        put_field(sink, directive, mica_text(""), (struct mica_text){&byte, 1});
        break;
    case 's':
        put_text(sink, directive, va_arg(arguments->list, const char *));
        break;
    case '%':
        formatter_put(sink, "%", 1);
        break;
    default:
        // A conversion that the formatter does not have.
        mica_assert_failed(__FILE__, __LINE__, directive->at);
    }
}

// What most directives are: a whole text, or one percent sign. False, and nothing is
// put, for any other.
static bool
put_simple(struct sink *sink, char conversion, struct arguments *arguments)
{
    if (conversion == '%') {
        formatter_put(sink, "%", 1);
        return true;
    }
    if (conversion != 's')
        return false;
    const char *text = va_arg(arguments->list, const char *);
    if (text == NULL)
        text = "(null)";
    formatter_put(sink, text, strlen(text));
    return true;
}

static const char *
put_complex(struct sink *sink, const char *at, bool quoted,
            struct arguments *arguments)
{
    struct directive directive;
    bool star;
    at = read_directive(at, &directive, &star) + 1;
    directive.quoted = quoted;
    if (star) {
        // A negative precision is a length that does not fit an int: there
        // is no safe number of bytes to show but none.
        int precision = va_arg(arguments->list, int);
        directive.counted = true;
        directive.precision = precision > 0 ? (size_t)precision : 0;
    }
    put_directive(sink, &directive, arguments);
    return at;
}

static void
formatter_write(struct sink *sink, const char *at, struct arguments *arguments)
{
    for (;;) {
        const char *plain = at;
        while (*at != '%' && *at != '\0')
            at++;
        formatter_put(sink, plain, (size_t)(at - plain));
        if (*at++ == '\0')
            return;
        bool quoted = at - plain > 1 && (at[-2] == '"' || at[-2] == '\'');
        if (!quoted && put_simple(sink, *at, arguments))
            at++;
        else
            at = put_complex(sink, at, quoted, arguments);
    }
}

static size_t
format_into(struct sink *sink, const char *formatz, va_list arguments)
{
    struct arguments copy;
    va_copy(copy.list, arguments);
    formatter_write(sink, formatz, &copy);
    va_end(copy.list);
    return sink->len;
}

void
mica_format_message(char *out, size_t size, const char *formatz,
                    va_list arguments)
{
    struct sink sink = {.out = out, .size = size, .quotes = true};
    (void)mica_format_finish(out, size, format_into(&sink, formatz, arguments));
}

size_t
mica_format_finish(char *out, size_t size, size_t len)
{
    static const char ellipsis[] = "…";
    if (len < size) {
        out[len] = '\0';
        return len;
    }
    size_t at = size - sizeof ellipsis;
    while (at > 0 && ((unsigned char)out[at] & 0xC0) == 0x80)
        at--;
    memcpy(out + at, ellipsis, sizeof ellipsis);
    return at + sizeof ellipsis - 1;
}

void
mica_buffer_vformat(struct mica_buffer *buffer, const char *formatz,
                    va_list arguments)
{
    struct sink sink = {.buffer = buffer};
    struct arguments copy;
    size_t before = buffer->len;
    va_copy(copy.list, arguments);
    formatter_write(&sink, formatz, &copy);
    va_end(copy.list);
    if (buffer->overflow)
        buffer->len = before;
}

void
mica_buffer_format(struct mica_buffer *buffer, const char *formatz, ...)
{
    va_list arguments;
    va_start(arguments, formatz);
    mica_buffer_vformat(buffer, formatz, arguments);
    va_end(arguments);
}
