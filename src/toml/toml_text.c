// SPDX-License-Identifier: Apache-2.0
//
// Texts of TOML: in double quotes with escapes, in single quotes as they are, and
// both with three quotes over several lines.
#include <string.h>

#include "base/ascii.h"
#include "toml/toml_reader.h"

// One text that is being read.
struct quoted {
    struct mica_toml_reader *reader;
    struct mica_buffer out;
    const char *start; // the first quote
    char quote;
    bool lines; // it has three quotes
};

static enum mica_status
quoted_open_end(const struct quoted *text)
{
    return mica_toml_reader_fault(
        text->reader, MICA_E_FORMAT, text->start,
        text->lines ? "the text that begins here has no %c%c%c at its end"
                    : "the text that begins here has no %c at the end of its "
                      "line",
        text->quote, text->quote, text->quote);
}

// \uXXXX or \UXXXXXXXX, behind its letter.
static enum mica_status
read_code_point(struct quoted *text, unsigned digits)
{
    struct mica_toml_reader *reader = text->reader;
    const char *start = reader->at - 2;
    uint32_t point = 0;
    char bytes[4];

    for (unsigned i = 0; i < digits; i++, reader->at++) {
        int digit = reader->at < reader->end ? mica_ascii_hex(*reader->at) : -1;
        if (digit < 0)
            return mica_toml_reader_fault(
                reader, MICA_E_FORMAT, start,
                "this escape needs %u hexadecimal digits", digits);
        point = point << 4 | (uint32_t)digit;
    }
    if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return mica_toml_reader_fault(reader, MICA_E_FORMAT, start,
                                      "this escape is no Unicode character");
    mica_buffer_add(&text->out, bytes, mica_utf8_encode(point, bytes));
    return MICA_OK;
}

// A backslash at the end of a line takes all white space behind it away.
static bool
skip_folded(struct mica_toml_reader *reader)
{
    const char *start = reader->at;

    mica_toml_skip_blanks(reader);
    if (!mica_toml_skip_newline(reader)) {
        reader->at = start;
        return false;
    }
    do
        mica_toml_skip_blanks(reader);
    while (mica_toml_skip_newline(reader));
    return true;
}

// Behind the backslash.
static enum mica_status
read_escape(struct quoted *text)
{
    static const char letters[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
    struct mica_toml_reader *reader = text->reader;
    const char *letter;

    if (reader->at >= reader->end)
        return quoted_open_end(text);
    if (text->lines && skip_folded(reader))
        return MICA_OK;
    letter = memchr(letters, *reader->at, sizeof letters - 1);
    if (letter != NULL) {
        mica_buffer_char(&text->out, values[letter - letters]);
        reader->at++;
        return MICA_OK;
    }
    if (*reader->at != 'u' && *reader->at != 'U')
        return mica_toml_reader_fault(
            reader, MICA_E_FORMAT, reader->at - 1,
            "there is no such escape; write \\\\ for a backslash, or the text "
            "in single quotes");
    reader->at++;
    return read_code_point(text, reader->at[-1] == 'u' ? 4 : 8);
}

// The quotes on which the reader stands, if they end the text. Two more may stand
// before the last three, and belong to it.
static bool
quoted_ends(struct quoted *text)
{
    struct mica_toml_reader *reader = text->reader;
    size_t quotes = 0;

    if (!text->lines) {
        reader->at++;
        return true;
    }
    while (quotes < 5 && reader->at + quotes < reader->end &&
           reader->at[quotes] == text->quote)
        quotes++;
    for (size_t i = 3; i < quotes; i++)
        mica_buffer_char(&text->out, text->quote);
    for (size_t i = 0; quotes < 3 && i < quotes; i++)
        mica_buffer_char(&text->out, text->quote);
    reader->at += quotes;
    return quotes >= 3;
}

// The next byte of the text, or its end.
static enum mica_status
read_byte(struct quoted *text, bool *ends)
{
    struct mica_toml_reader *reader = text->reader;
    unsigned char byte = (unsigned char)*reader->at;

    if (byte == (unsigned char)text->quote) {
        *ends = quoted_ends(text);
        return MICA_OK;
    }
    if (byte == '\\' && text->quote == '"') {
        reader->at++;
        return read_escape(text);
    }
    if (mica_toml_skip_newline(reader)) {
        mica_buffer_char(&text->out, '\n');
        return text->lines ? MICA_OK : quoted_open_end(text);
    }
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
        return mica_toml_reader_fault(
            reader, MICA_E_FORMAT, reader->at,
            "a text holds no control character (U+%04X here); write \\u%04X in "
            "double quotes",
            byte, byte);
    mica_buffer_char(&text->out, (char)byte);
    reader->at++;
    return MICA_OK;
}

enum mica_status
mica_toml_read_text(struct mica_toml_reader *reader, bool lines,
                    struct mica_text *text_out)
{
    struct quoted text = {
        .reader = reader, .start = reader->at, .quote = *reader->at};
    const char three[] = {text.quote, text.quote, text.quote};
    bool ends = false;

    mica_buffer_init(&text.out, reader->arena, MICA_TOML_BYTES);
    text.lines = mica_toml_sees_text(reader, (struct mica_text){three, 3});
    if (text.lines && !lines)
        return mica_toml_reader_fault(reader, MICA_E_FORMAT, reader->at,
                                      "a key stands on one line; write it with "
                                      "one quote on each side");
    reader->at += text.lines ? 3 : 1;
    if (text.lines)
        (void)mica_toml_skip_newline(reader);
    while (!ends) {
        if (reader->at >= reader->end)
            return quoted_open_end(&text);
        MICA_TRY(read_byte(&text, &ends));
    }
    if (text.out.overflow)
        return mica_toml_reader_fault(reader, MICA_E_LIMIT, text.start,
                                      "there is no memory for this text");
    *text_out = mica_buffer_as_text(&text.out);
    if (text_out->ptr == NULL)
        text_out->ptr = "";
    return MICA_OK;
}
