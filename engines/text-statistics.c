// SPDX-License-Identifier: Apache-2.0
//
// Counts what a text is made of, in one pass over its characters. Words and
// sentences are found by rules that need no dictionary, stated where they are
// shown to the caller.
#include <math.h>
#include <mica/engine.h>

struct input {
    struct mica_text text;
    int64_t words_per_minute, top_words;
};
MICA_RECORD(
    input,
    MICA_TEXT(text,
              "The text to look at, plain, with line feeds between "
              "lines and blank lines between paragraphs.",
              .max_length = 200000),
    MICA_INTEGER(words_per_minute,
                 "Reading speed for reading_seconds; 238 is the mean of adults "
                 "reading English non-fiction silently (Brysbaert 2019).",
                 .minimum = 1, .maximum = 2000, .fallback = MICA_JSON(238)),
    MICA_INTEGER(top_words, "How many of the commonest words to list.",
                 .minimum = 0, .maximum = 100, .fallback = MICA_JSON(5)));

struct word_count {
    struct mica_text word;
    int64_t count;
};
MICA_RECORD(word_count,
            MICA_TEXT(word, "The word as it occurs first in the text."),
            MICA_INTEGER(count, "How often it occurs, A-Z being a-z."));

struct output {
    int64_t bytes, characters, characters_without_spaces, letters_and_digits;
    int64_t words, unique_words, sentences, paragraphs, lines;
    struct mica_text longest_word;
    double average_word_characters, average_sentence_words;
    int64_t reading_seconds;
    struct {
        size_t count;
        const struct word_count *items;
    } top_words;
};
MICA_RECORD(
    output, MICA_INTEGER(bytes, "Bytes of the text in UTF-8."),
    MICA_INTEGER(characters,
                 "Unicode code points; an accent or emoji part of its own "
                 "counts on its own."),
    MICA_INTEGER(characters_without_spaces, "characters less white space."),
    MICA_INTEGER(letters_and_digits,
                 "characters less white space and punctuation."),
    MICA_INTEGER(
        words,
        "Runs of letters and digits; an apostrophe or hyphen inside, or "
        "the point in 3.5, belongs to the word. Each Chinese or Japanese character "
        "is a word."),
    MICA_INTEGER(unique_words, "Different words, A-Z being a-z."),
    MICA_INTEGER(sentences,
                 "Stretches with a word that end in . ! ? or the like before "
                 "white space, or at the end. An abbreviation counts as an "
                 "end."),
    MICA_INTEGER(paragraphs, "Stretches with a character other than white "
                             "space between blank lines."),
    MICA_INTEGER(lines, "Lines, the last one without a line feed included; 0 "
                        "for an empty text."),
    MICA_TEXT(longest_word, "The first of the longest words; empty without "
                            "words."),
    MICA_NUMBER(average_word_characters,
                "Characters in a word on average, to two decimal places; 0 "
                "without words."),
    MICA_NUMBER(average_sentence_words,
                "Words in a sentence on average, to two decimal places; 0 "
                "without sentences."),
    MICA_INTEGER(reading_seconds, "Seconds to read the text silently, rounded "
                                  "up."),
    MICA_LIST(top_words, word_count,
              "The commonest words, by count, then as they occur first."));

// ---- Kinds of characters ---------------------------------------------------

enum kind {
    LETTER,
    SPACE,
    PUNCTUATION,
    END,
    IDEOGRAPH
};

// What is not here is a letter. In rising order.
static const struct range {
    uint32_t first, last;
    enum kind kind;
} ranges[] = {
    {0x00, 0x08, PUNCTUATION},
    {0x09, 0x0D, SPACE},
    {0x0E, 0x1F, PUNCTUATION},
    {0x20, 0x20, SPACE},
    {0x21, 0x21, END},
    {0x22, 0x2D, PUNCTUATION},
    {0x2E, 0x2E, END},
    {0x2F, 0x2F, PUNCTUATION},
    {0x3A, 0x3E, PUNCTUATION},
    {0x3F, 0x3F, END},
    {0x40, 0x40, PUNCTUATION},
    {0x5B, 0x60, PUNCTUATION},
    {0x7B, 0x84, PUNCTUATION},
    {0x85, 0x85, SPACE},
    {0x86, 0x9F, PUNCTUATION},
    {0xA0, 0xA0, SPACE},
    {0xA1, 0xA9, PUNCTUATION},
    {0xAB, 0xB4, PUNCTUATION},
    {0xB6, 0xB9, PUNCTUATION},
    {0xBB, 0xBB, PUNCTUATION},
    {0xBF, 0xBF, PUNCTUATION},
    {0xD7, 0xD7, PUNCTUATION},
    {0xF7, 0xF7, PUNCTUATION},
    {0x61F, 0x61F, END},
    {0x6D4, 0x6D4, END},
    {0x964, 0x965, END},
    {0x1680, 0x1680, SPACE},
    {0x2000, 0x200A, SPACE},
    {0x200B, 0x200F, PUNCTUATION},
    {0x2010, 0x2025, PUNCTUATION},
    {0x2026, 0x2026, END},
    {0x2027, 0x2027, PUNCTUATION},
    {0x2028, 0x2029, SPACE},
    {0x202F, 0x202F, SPACE},
    {0x2030, 0x203B, PUNCTUATION},
    {0x203C, 0x203D, END},
    {0x203E, 0x2046, PUNCTUATION},
    {0x2047, 0x2049, END},
    {0x204A, 0x205E, PUNCTUATION},
    {0x205F, 0x205F, SPACE},
    {0x20A0, 0x20CF, PUNCTUATION},
    {0x2190, 0x2BFF, PUNCTUATION},
    {0x3000, 0x3000, SPACE},
    {0x3001, 0x3001, PUNCTUATION},
    {0x3002, 0x3002, END},
    {0x3003, 0x3004, PUNCTUATION},
    {0x3008, 0x3020, PUNCTUATION},
    {0x3040, 0x30FF, IDEOGRAPH},
    {0x3400, 0x4DBF, IDEOGRAPH},
    {0x4E00, 0x9FFF, IDEOGRAPH},
    {0xF900, 0xFAFF, IDEOGRAPH},
    {0xFE00, 0xFE0F, PUNCTUATION},
    {0xFEFF, 0xFEFF, PUNCTUATION},
    {0xFF01, 0xFF01, END},
    {0xFF02, 0xFF0D, PUNCTUATION},
    {0xFF0E, 0xFF0E, END},
    {0xFF0F, 0xFF0F, PUNCTUATION},
    {0xFF1A, 0xFF1E, PUNCTUATION},
    {0xFF1F, 0xFF1F, END},
    {0xFF61, 0xFF61, END},
    {0x1F000, 0x1FAFF, PUNCTUATION},
    {0x20000, 0x3FFFF, IDEOGRAPH},
};

static enum kind
kind_of(uint32_t character)
{
    size_t low = 0, high = MICA_COUNT(ranges);

    while (low < high) {
        size_t middle = (low + high) / 2;
        bool before = ranges[middle].last < character;

        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < MICA_COUNT(ranges) && ranges[low].first <= character
               ? ranges[low].kind
               : LETTER;
}

// Whether `character` inside a word belongs to it, seeing what comes next:
// apostrophes, hyphens and zero-width joiners before a letter, and the point or
// comma of a number before a digit.
static bool
joins(uint32_t character, struct mica_text rest)
{
    static const uint32_t joiners[] = {'\'',   '-',    0x2019, 0x2010,
                                       0x2011, 0x200C, 0x200D};
    uint32_t next = rest.len > 0 ? mica_text_next(&rest) : ' ';
    bool found =
        (character == '.' || character == ',') && next >= '0' && next <= '9';

    for (size_t i = 0; i < MICA_COUNT(joiners); i++) {
        found = found || (joiners[i] == character && kind_of(next) == LETTER);
    }
    return found;
}

// ---- One pass --------------------------------------------------------------

struct scan {
    struct output *out;
    struct mica_text *words;
    size_t word_count, letters; // letters: characters of all words
    bool has_words, ended;      // of the sentence: it began, its end was read
    int64_t breaks;             // line feeds since the last character of text
};

static void
add_word(struct scan *scan, const char *from, const char *to)
{
    struct mica_text word = {from, (size_t)(to - from)};
    size_t length = mica_text_length(word);

    scan->words[scan->word_count++] = word;
    scan->letters += length;
    scan->has_words = true;
    if (length > mica_text_length(scan->out->longest_word)) {
        scan->out->longest_word = word;
    }
}

static void
end_sentence(struct scan *scan, bool ends)
{
    scan->out->sentences += ends && scan->has_words;
    scan->has_words = scan->has_words && !ends;
    scan->ended = scan->ended && !ends;
}

// Counts one character; words have been seen to.
static void
count(struct scan *scan, uint32_t character, enum kind kind)
{
    struct output *out = scan->out;

    out->characters++;
    out->lines += character == '\n';
    switch (kind) {
    case SPACE:
        scan->breaks += character == '\n';
        end_sentence(scan, scan->ended);
        return;
    case END:
        scan->ended = true;
        break;
    case LETTER:
        scan->ended = false; // a point inside, as in 3.14
        out->letters_and_digits++;
        break;
    case IDEOGRAPH:
        out->letters_and_digits++;
        break;
    case PUNCTUATION: // a closing quote or bracket belongs to the sentence
        break;
    }
    out->paragraphs +=
        out->characters_without_spaces++ == 0 || scan->breaks > 1;
    scan->breaks = 0;
}

static void
run(struct scan *scan, struct mica_text text)
{
    const char *word = NULL; // start of the word we are in
    struct mica_text rest = text;

    while (rest.len > 0) {
        const char *at = rest.ptr;
        uint32_t character = mica_text_next(&rest);
        enum kind kind = kind_of(character);
        bool inside;

        inside = kind == LETTER || (word != NULL && joins(character, rest));
        if (word != NULL && !inside) {
            add_word(scan, word, at);
        }
        word = !inside ? NULL : word == NULL ? at : word;
        // A blank line, or a character that needs no space before it.
        end_sentence(scan, (kind != SPACE && scan->breaks > 1) ||
                               (kind == IDEOGRAPH && scan->ended));
        if (kind == IDEOGRAPH) {
            add_word(scan, at, rest.ptr);
        }
        count(scan, character, kind);
    }
    if (word != NULL) {
        add_word(scan, word, rest.ptr);
    }
    end_sentence(scan, true);
    scan->out->lines += text.len > 0 && text.ptr[text.len - 1] != '\n';
}

// ---- Words -----------------------------------------------------------------

static int
folded(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 32 : (unsigned char)byte;
}

static int
by_word(const void *a, const void *b)
{
    const struct mica_text *left = a, *right = b;
    int difference = 0;

    for (size_t i = 0; difference == 0 && i < left->len && i < right->len;
         i++) {
        difference = folded(left->ptr[i]) - folded(right->ptr[i]);
    }
    return difference != 0
               ? difference
               : (left->len > right->len) - (left->len < right->len);
}

static int
by_count(const void *a, const void *b)
{
    const struct word_count *left = a, *right = b;

    return left->count != right->count
               ? (left->count < right->count) - (left->count > right->count)
               : (left->word.ptr > right->word.ptr) -
                     (left->word.ptr < right->word.ptr);
}

// Counts equal words; the sort keeps them in the order of the text.
static void
rank(struct mica_call *call, struct scan *scan, size_t wanted)
{
    size_t unique = 0;
    struct word_count *counts =
        MICA_NEW(call, struct word_count, scan->word_count + 1);

    mica_sort(call, scan->words, scan->word_count, sizeof *scan->words,
              by_word);
    for (size_t i = 0; i < scan->word_count; i++) {
        unique += i == 0 || by_word(&scan->words[i - 1], &scan->words[i]) != 0;
        counts[unique].word =
            counts[unique].count++ == 0 ? scan->words[i] : counts[unique].word;
    }
    mica_sort(call, counts + 1, unique, sizeof *counts, by_count);
    scan->out->unique_words = (int64_t)unique;
    scan->out->top_words.items = counts + 1;
    scan->out->top_words.count = unique < wanted ? unique : wanted;
}

static double
average(double sum, double number)
{
    return mica_round(sum / fmax(number, 1), 2);
}

static enum mica_status
measure(struct mica_call *call, const struct input *in, struct output *out)
{
    // A word takes at least one character, and another before the next one
    // unless it is an ideograph of three bytes.
    struct scan scan = {
        .out = out,
        .words = MICA_NEW(call, struct mica_text, in->text.len / 2 + 1)};

    run(&scan, in->text);
    out->bytes = (int64_t)in->text.len;
    out->words = (int64_t)scan.word_count;
    out->average_word_characters =
        average((double)scan.letters, (double)out->words);
    out->average_sentence_words =
        average((double)out->words, (double)out->sentences);
    out->reading_seconds =
        (out->words * 60 + in->words_per_minute - 1) / in->words_per_minute;
    rank(call, &scan, (size_t)in->top_words);
    return MICA_OK;
}

MICA_ENGINE(
    text_statistics, input, output, measure, .title = "Text statistics",
    .category = "text", .memory_bytes = 32 << 20, .time_ms = 1000,
    .description =
        "Count the characters, words, sentences, paragraphs and lines of a "
        "text, estimate the time to read it, and list its commonest words. "
        "Counts Unicode code points, in any script.",
    .examples = MICA_EXAMPLES(
        {"Two sentences", MICA_JSON({
             "text": "The cat sat. \"Did the cat's 3.5 kg cat-bed hold?\"\n",
             "top_words": 2
         }),
         MICA_JSON({
             "bytes": 50,
             "characters": 50,
             "characters_without_spaces": 40,
             "letters_and_digits": 33,
             "words": 10,
             "unique_words": 9,
             "sentences": 2,
             "paragraphs": 1,
             "lines": 1,
             "longest_word": "cat-bed",
             "average_word_characters": 3.6,
             "average_sentence_words": 5,
             "reading_seconds": 3,
             "top_words":
                 [{"word": "The", "count": 2}, {"word": "cat", "count": 1}]
         })},
        {"A heading and a paragraph",
         MICA_JSON({"text": "Über uns\n\nWir sind da", "top_words": 1}),
         MICA_JSON({
             "words": 5,
             "sentences": 2,
             "paragraphs": 2,
             "lines": 3,
             "top_words": [{"word": "Über", "count": 1}]
         })},
        {"Japanese",
         MICA_JSON({"text": "今日は。元気？", "words_per_minute": 60}),
         MICA_JSON({
             "characters": 7,
             "words": 5,
             "sentences": 2,
             "reading_seconds": 5
         })},
        {"Nothing", MICA_JSON({"text": ""}), MICA_JSON({
             "characters": 0,
             "words": 0,
             "sentences": 0,
             "paragraphs": 0,
             "lines": 0,
             "longest_word": "",
             "average_word_characters": 0,
             "top_words": []
         })}));
