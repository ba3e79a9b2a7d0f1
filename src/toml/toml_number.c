// SPDX-License-Identifier: Apache-2.0
//
// Values of TOML without quotes and brackets: numbers, true and false. Dates and
// times are told apart here, since they begin as numbers do.
#include <string.h>

#include "base/ascii.h"
#include "toml/toml_reader.h"

enum {
    WORD_BYTES = 512 // of one such value
};

// A word of the text, and what is read of it.
struct word {
    const struct mica_toml_reader *reader;
    struct mica_text text;
    struct mica_toml *value;
};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
    char low = (char)(c | 0x20);

    return is_digit(c) || (low >= 'a' && low <= 'z') || c == '_' || c == '+' ||
           c == '-' || c == '.' || c == ':';
}

// 1979-05-27… or 07:32…
static bool
is_date(struct mica_text text)
{
    size_t digits = 0;

    while (digits < text.len && is_digit(text.ptr[digits]))
        digits++;
    return digits < text.len && ((digits == 4 && text.ptr[4] == '-') ||
                                 (digits == 2 && text.ptr[2] == ':'));
}

// The digits of a base with underscores between them, from `*at` on, into `out`
// without those. False without a digit, or with an underscore at an end.
static bool
take_digits(struct mica_text text, size_t *at, int base,
            struct mica_buffer *out)
{
    bool digit = false, any = false;

    for (; *at < text.len; (*at)++) {
        int value = mica_ascii_hex(text.ptr[*at]);
        if (text.ptr[*at] == '_' && digit) {
            digit = false;
            continue;
        }
        if (value < 0 || value >= base)
            break;
        mica_buffer_char(out, text.ptr[*at]);
        digit = any = true;
    }
    return any && digit;
}

static bool
integer_of(struct mica_text digits, int base, bool negative,
           int64_t *integer_out)
{
    uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0), value = 0;

    for (size_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)mica_ascii_hex(digits.ptr[i]);
        if (value > (most - digit) / (uint64_t)base)
            return false;
        value = value * (uint64_t)base + digit;
    }
    *integer_out = negative ? -(int64_t)(value - (value > 0)) - (value > 0)
                            : (int64_t)value;
    return true;
}

static enum mica_status
word_fault(const struct word *word)
{
    struct mica_text text = mica_utf8_cut(word->text, 40);

    return mica_toml_reader_fault(
        word->reader, MICA_E_FORMAT, word->text.ptr,
        "\"%.*s\" is no value; a text stands in quotes, a number is one like 8 "
        "or 0.5, and true and false are written so",
        MICA_ARG(text));
}

static enum mica_status
word_set_integer(struct word *word, struct mica_text digits, int base,
                 bool negative)
{
    word->value->kind = MICA_TOML_INTEGER;
    if (integer_of(digits, base, negative, &word->value->integer))
        return MICA_OK;
    return mica_toml_reader_fault(word->reader, MICA_E_FORMAT, word->text.ptr,
                                  "this number does not fit in 64 bits");
}

// 0xFF, 0o17, 0b1: without a sign.
static enum mica_status
read_based(struct word *word, int base)
{
    char room[WORD_BYTES];
    struct mica_buffer digits = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    size_t at = 2;

    if (!take_digits(word->text, &at, base, &digits) || at < word->text.len)
        return word_fault(word);
    return word_set_integer(word, mica_buffer_as_text(&digits), base, false);
}

// The part of a float behind its whole part: .5, e10, .5e-10. Into `out`, as JSON
// writes it.
static bool
take_fraction(struct mica_text text, size_t *at, struct mica_buffer *out)
{
    if (*at < text.len && text.ptr[*at] == '.') {
        mica_buffer_char(out, '.');
        (*at)++;
        if (!take_digits(text, at, 10, out))
            return false;
    }
    if (*at < text.len && (text.ptr[*at] | 0x20) == 'e') {
        mica_buffer_char(out, 'e');
        (*at)++;
        if (*at < text.len && (text.ptr[*at] == '+' || text.ptr[*at] == '-'))
            mica_buffer_char(out, text.ptr[(*at)++]);
        if (!take_digits(text, at, 10, out))
            return false;
    }
    return *at == text.len;
}

static enum mica_status
read_decimal(struct word *word)
{
    char room[WORD_BYTES];
    struct mica_buffer out = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_text text = word->text, digits;
    bool negative = text.ptr[0] == '-';
    size_t at = negative || text.ptr[0] == '+', start = negative;

    if (negative)
        mica_buffer_char(&out, '-');
    if (!take_digits(text, &at, 10, &out))
        return word_fault(word);
    digits = mica_text_slice(mica_buffer_as_text(&out), start, out.len);
    if (digits.len > 1 && digits.ptr[0] == '0')
        return mica_toml_reader_fault(word->reader, MICA_E_FORMAT, text.ptr,
                                      "a number does not begin with 0");
    if (at == text.len)
        return word_set_integer(word, digits, 10, negative);
    if (!take_fraction(text, &at, &out))
        return word_fault(word);
    word->value->kind = MICA_TOML_FLOAT;
    return mica_number_read(mica_buffer_as_text(&out), &word->value->number)
               ? MICA_OK
               : word_fault(word);
}

// inf and nan with a sign, or true and false without one. False: it is no such word.
static bool
read_name(struct word *word)
{
    struct mica_text text = word->text, bare = text;
    bool sign = text.ptr[0] == '+' || text.ptr[0] == '-';

    if (sign)
        bare = mica_text_slice(text, 1, text.len);
    if (mica_text_is(bare, "inf") || mica_text_is(bare, "nan")) {
        double value = bare.ptr[0] == 'i' ? __builtin_inf() : __builtin_nan("");
        word->value->kind = MICA_TOML_FLOAT;
        word->value->number = text.ptr[0] == '-' ? -value : value;
        return true;
    }
    word->value->kind = MICA_TOML_BOOLEAN;
    word->value->boolean = mica_text_is(text, "true");
    return word->value->boolean || mica_text_is(text, "false");
}

static enum mica_status
read_number(struct word *word)
{
    struct mica_text text = word->text;

    if (read_name(word))
        return MICA_OK;
    if (text.len > 2 && text.ptr[0] == '0') {
        int base = text.ptr[1] == 'x'   ? 16
                   : text.ptr[1] == 'o' ? 8
                   : text.ptr[1] == 'b' ? 2
                                        : 0;
        if (base != 0)
            return read_based(word, base);
    }
    return read_decimal(word);
}

enum mica_status
mica_toml_read_word(struct mica_toml_reader *reader,
                    struct mica_toml **value_out)
{
    const char *start = reader->at;
    struct word word = {.reader = reader};

    while (reader->at < reader->end && is_word(*reader->at))
        reader->at++;
    word.text = (struct mica_text){start, (size_t)(reader->at - start)};
    if (word.text.len == 0)
        return mica_toml_reader_expected(reader, "a value");
    if (word.text.len >= WORD_BYTES)
        return mica_toml_reader_fault(reader, MICA_E_LIMIT, start,
                                      "a number has at most %d characters",
                                      WORD_BYTES - 1);
    if (is_date(word.text))
        return mica_toml_reader_fault(
            reader, MICA_E_FORMAT, start,
            "mica reads TOML without dates and times; write this one as a text, "
            "in quotes");
    MICA_TRY(mica_toml_value_make(reader, MICA_TOML_INTEGER, start, value_out));
    word.value = *value_out;
    word.value->text = word.text;
    return read_number(&word);
}
