// SPDX-License-Identifier: Apache-2.0
//
// Names as words, by tables that are short enough to be read. See label.h.
#include "page/label.h"

#include <string.h>

#include "base/ascii.h"
#include "page/html.h"

// What a name ends with, what stands beside the number, and whether the title can
// do without the word: "Interest a year, %" but "Business days".
static const struct ending {
    const char *wordz, *unitz;
    bool drops;
} endings[] = {{"_percent", "%", true},   {"_ms", "ms", true},
               {"_seconds", "s", false},  {"_minutes", "min", false},
               {"_hours", "h", false},    {"_months", "months", true},
               {"_years", "years", true}, {"_bytes", "bytes", true}};

static const char *const capitals[] = {
    "api", "csv", "html", "http", "iban", "id",  "ip",  "iso",  "json",
    "rgb", "hsl", "sql",  "uri",  "url",  "utc", "vat", "wcag", "xml"};

static const struct ending *
ending_of(struct mica_text name)
{
    for (size_t i = 0; i < MICA_COUNT(endings); i++) {
        size_t length = strlen(endings[i].wordz);
        if (name.len > length &&
            memcmp(name.ptr + name.len - length, endings[i].wordz, length) == 0)
            return &endings[i];
    }
    return NULL;
}

static bool
is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool
is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool
is_capital(struct mica_text word)
{
    for (size_t i = 0; i < MICA_COUNT(capitals); i++)
        if (mica_ascii_is(word, capitals[i]))
            return true;
    return false;
}

// A word of a name: the first begins with a capital, and the others do not, unless
// they are written in capitals.
static void
write_word(struct mica_buffer *out, struct mica_text word, bool first)
{
    bool all = is_capital(word);
    bool small = !first && word.len > 0 && is_upper(word.ptr[0]) &&
                 (word.len == 1 || !is_upper(word.ptr[1]));
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        if ((all || (first && i == 0)) && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        else if (small && i == 0 && !all)
            c = (char)(c - 'A' + 'a');
        mica_html_text(out, (struct mica_text){&c, 1});
    }
}

// Where the word that begins at `at` ends: before a "_" or a hump.
static size_t
word_end(struct mica_text name, size_t at)
{
    while (at < name.len && name.ptr[at] != '_') {
        at++;
        if (at < name.len && is_lower(name.ptr[at - 1]) &&
            is_upper(name.ptr[at]))
            break;
    }
    return at;
}

void
mica_label_write(struct mica_buffer *out, const struct mica_json *schema,
                 struct mica_text name)
{
    struct mica_text title = mica_json_get_text(schema, "title");
    const struct ending *ending = ending_of(name);
    size_t begin = 0;

    if (title.len > 0) {
        mica_html_text(out, title);
        return;
    }
    if (ending != NULL && ending->drops)
        name.len -= strlen(ending->wordz);
    do {
        size_t end = word_end(name, begin);
        if (begin > 0)
            mica_html(out, " ");
        write_word(out, mica_text_slice(name, begin, end), begin == 0);
        begin = end < name.len && name.ptr[end] == '_' ? end + 1 : end;
    } while (begin < name.len);
}

struct mica_text
mica_label_unit(struct mica_text name)
{
    const struct ending *ending = ending_of(name);
    return mica_text(ending != NULL ? ending->unitz : "");
}

// Whether a word that ends with a full stop does not end a sentence: "e.g.", "i.e.",
// "1.".
static bool
is_short(struct mica_text words, size_t stop)
{
    static const char *const shorts[] = {"e.g", "i.e", "etc", "vs", "cf", "no"};
    size_t begin = stop;
    struct mica_text word;

    while (begin > 0 && strchr(" (\n", words.ptr[begin - 1]) == NULL)
        begin--;
    word = mica_text_slice(words, begin, stop);
    for (size_t i = 0; i < MICA_COUNT(shorts); i++)
        if (mica_ascii_is(word, shorts[i]))
            return true;
    return false;
}

struct mica_text
mica_label_sentence(struct mica_text words)
{
    for (size_t i = 0; i + 1 < words.len; i++)
        if (strchr(".!?", words.ptr[i]) != NULL && words.ptr[i] != '\0' &&
            strchr(" \n", words.ptr[i + 1]) != NULL &&
            words.ptr[i + 1] != '\0' && !is_short(words, i))
            return mica_text_slice(words, 0, i + 1);
    return words;
}
