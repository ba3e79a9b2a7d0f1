// SPDX-License-Identifier: Apache-2.0
//
// Enough of C's lexical grammar to tell words from comments and literals.
#include "build/word_reader.h"

#include <string.h>

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

static char
reader_peek(const struct mica_word_reader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;

    return at < reader->text.len ? reader->text.ptr[at] : '\0';
}

static void
reader_step(struct mica_word_reader *reader)
{
    reader->line += reader_peek(reader, 0) == '\n';
    reader->at++;
}

bool
mica_word_skip(struct mica_word_reader *reader)
{
    char first = reader_peek(reader, 0), second = reader_peek(reader, 1);
    bool block = first == '/' && second == '*';

    if (first == '"' || first == '\'') {
        reader_step(reader);
        while (reader->at < reader->text.len &&
               reader_peek(reader, 0) != first &&
               reader_peek(reader, 0) != '\n') {
            if (reader_peek(reader, 0) == '\\')
                reader_step(reader);
            reader_step(reader);
        }
        reader_step(reader);
        return true;
    }
    if (!block && (first != '/' || second != '/'))
        return false;
    while (reader->at < reader->text.len &&
           (block
                ? reader_peek(reader, 0) != '*' || reader_peek(reader, 1) != '/'
                : reader_peek(reader, 0) != '\n'))
        reader_step(reader);
    reader->at += block ? 2 : 0;
    return true;
}

bool
mica_word_next(struct mica_word_reader *reader, struct mica_text *word_out)
{
    while (reader->at < reader->text.len) {
        size_t start = reader->at;
        if (mica_word_skip(reader))
            continue;
        if (!is_letter(reader_peek(reader, 0))) {
            reader_step(reader);
            continue;
        }
        while (is_letter(reader_peek(reader, 0)))
            reader->at++;
        *word_out = mica_text_slice(reader->text, start, reader->at);
        return true;
    }
    return false;
}

bool
mica_word_is_listed(const char *listz, struct mica_text word)
{
    for (const char *at = listz; *at != '\0';) {
        size_t len = strcspn(at, " ");
        if (mica_text_equal((struct mica_text){at, len}, word))
            return true;
        at += len + (at[len] == ' ');
    }
    return false;
}

bool
mica_word_is_call(const struct mica_word_reader *reader, struct mica_text word)
{
    size_t at = reader->at, from = (size_t)(word.ptr - reader->text.ptr);
    char before = from > 0 ? reader->text.ptr[from - 1] : ' ';

    while (at < reader->text.len && reader->text.ptr[at] == ' ')
        at++;
    return before != '.' && before != '>' && at < reader->text.len &&
           reader->text.ptr[at] == '(';
}

unsigned
mica_word_line(struct mica_text source, const char *namesz)
{
    struct mica_word_reader reader = {.text = source, .line = 1};
    struct mica_text word;
    unsigned first = 0;
    bool includes = false; // the name of a header comes

    while (mica_word_next(&reader, &word)) {
        bool listed = !includes && mica_word_is_listed(namesz, word);
        if (listed && mica_word_is_call(&reader, word))
            return reader.line;
        if (listed && first == 0)
            first = reader.line;
        includes = mica_text_is(word, "include");
    }
    return first;
}
