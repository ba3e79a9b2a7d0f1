// SPDX-License-Identifier: Apache-2.0
//
// Counts what a text is made of, in a pass over its characters, one over its words
// and one over its sentences. Those are found by the default rules of Unicode
// (UAX #29), which need no dictionary.
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
              "lines (or CR LF, or CR) and blank lines between paragraphs.",
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
        "Words with a letter or a digit, by the default rules of Unicode 15.0 "
        "(UAX #29): can't and 3.5 are one, a hyphen separates. A Chinese character "
        "or one of Hiragana is a word, and a run of Katakana; so is each "
        "letter of Thai, Lao, Khmer and Burmese, which would need a dictionary."),
    MICA_INTEGER(unique_words, "Different words, A-Z being a-z."),
    MICA_INTEGER(sentences,
                 "Sentences with a letter or a digit, by the same rules: they "
                 "end in . ! ? or the like, and at the end of a line. A full "
                 "stop before a small letter or a digit ends none; after an "
                 "abbreviation and before a capital it does."),
    MICA_INTEGER(paragraphs, "Stretches with a character other than white "
                             "space between blank lines."),
    MICA_INTEGER(lines, "Lines, the last one without its end included; 0 "
                        "for an empty text."),
    MICA_TEXT(longest_word, "The first of the longest words; empty without "
                            "words."),
    MICA_NUMBER(average_word_characters,
                "Characters in a word on average, to two decimal places; 0 "
                "without words."),
    MICA_NUMBER(average_sentence_words,
                "Words in a sentence on average, to two decimal places; 0 "
                "without sentences."),
    MICA_INTEGER(reading_seconds,
                 "Seconds to read the text silently, rounded "
                 "up.",
                 .title = "Reading time"),
    MICA_LIST(top_words, word_count,
              "The commonest words, by count, then as they occur first."));

// ---- Kinds of characters ---------------------------------------------------

enum kind {
    LETTER,
    SPACE,
    PUNCTUATION
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
    {0x21, 0x2F, PUNCTUATION},
    {0x3A, 0x40, PUNCTUATION},
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
    {0x61F, 0x61F, PUNCTUATION},
    {0x6D4, 0x6D4, PUNCTUATION},
    {0x964, 0x965, PUNCTUATION},
    {0x1680, 0x1680, SPACE},
    {0x2000, 0x200A, SPACE},
    {0x200B, 0x2027, PUNCTUATION},
    {0x2028, 0x2029, SPACE},
    {0x202F, 0x202F, SPACE},
    {0x2030, 0x205E, PUNCTUATION},
    {0x205F, 0x205F, SPACE},
    {0x20A0, 0x20CF, PUNCTUATION},
    {0x2190, 0x2BFF, PUNCTUATION},
    {0x3000, 0x3000, SPACE},
    {0x3001, 0x3004, PUNCTUATION},
    {0x3008, 0x3020, PUNCTUATION},
    {0xFE00, 0xFE0F, PUNCTUATION},
    {0xFEFF, 0xFEFF, PUNCTUATION},
    {0xFF01, 0xFF0F, PUNCTUATION},
    {0xFF1A, 0xFF1F, PUNCTUATION},
    {0xFF61, 0xFF61, PUNCTUATION},
    {0x1F000, 0x1FAFF, PUNCTUATION},
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

static double
average(double sum, double number)
{
    return mica_round(sum / fmax(number, 1), 2);
}

// ---- Passes ----------------------------------------------------------------

// White space does not count as text; a blank line before text begins a paragraph.
static void
count_characters(struct mica_text text, struct output *out)
{
    struct mica_text rest = text;
    int64_t breaks = 0; // ends of lines since the last character of text
    char last = '\n';

    while (rest.len > 0) {
        uint32_t character = mica_text_next(&rest);
        bool ends = character == '\n' ||
                    (character == '\r' && !mica_text_starts(rest, "\n"));
        enum kind kind = kind_of(character);

        out->characters++;
        out->lines += ends;
        breaks += ends;
        if (kind == SPACE) {
            continue;
        }
        out->letters_and_digits += kind == LETTER;
        out->paragraphs += out->characters_without_spaces++ == 0 || breaks > 1;
        breaks = 0;
    }
    last = text.len > 0 ? text.ptr[text.len - 1] : last;
    out->lines += last != '\n' && last != '\r';
}

// The words, in `words`, whose number is the result.
static size_t
find_words(struct mica_text text, struct mica_text *words, struct output *out)
{
    size_t count = 0, characters = 0, longest = 0;
    struct mica_text word;

    while (text.len > 0) {
        if (mica_text_word(&text, &word)) {
            size_t length = mica_text_length(word);

            words[count++] = word;
            characters += length;
            out->longest_word = length > longest ? word : out->longest_word;
            longest = length > longest ? length : longest;
        }
    }
    out->words = (int64_t)count;
    out->average_word_characters = average((double)characters, (double)count);
    return count;
}

static void
count_sentences(struct mica_text text, struct output *out)
{
    struct mica_text sentence;

    while (text.len > 0) {
        out->sentences += mica_text_sentence(&text, &sentence);
    }
    out->average_sentence_words =
        average((double)out->words, (double)out->sentences);
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
rank(struct mica_call *call, struct mica_text *words, size_t count,
     size_t wanted, struct output *out)
{
    size_t unique = 0;
    struct word_count *counts = MICA_NEW(call, struct word_count, count + 1);

    mica_sort(call, words, count, sizeof *words, by_word);
    for (size_t i = 0; i < count; i++) {
        unique += i == 0 || by_word(&words[i - 1], &words[i]) != 0;
        counts[unique].word =
            counts[unique].count++ == 0 ? words[i] : counts[unique].word;
    }
    mica_sort(call, counts + 1, unique, sizeof *counts, by_count);
    out->unique_words = (int64_t)unique;
    out->top_words.items = counts + 1;
    out->top_words.count = unique < wanted ? unique : wanted;
}

static enum mica_status
measure(struct mica_call *call, const struct input *in, struct output *out)
{
    struct mica_text *words =
        MICA_NEW(call, struct mica_text, in->text.len + 1);
    size_t count = find_words(in->text, words, out);

    out->bytes = (int64_t)in->text.len;
    count_characters(in->text, out);
    count_sentences(in->text, out);
    out->reading_seconds =
        (out->words * 60 + in->words_per_minute - 1) / in->words_per_minute;
    rank(call, words, count, (size_t)in->top_words, out);
    return MICA_OK;
}

MICA_ENGINE(
    text_statistics, input, output, measure, .title = "Text statistics",
    .category = "text", .memory_bytes = 32 << 20, .time_ms = 1000,
    .description =
        "Count the characters, words, sentences, paragraphs and lines of a "
        "text, estimate the time to read it, and list its commonest words. "
        "Counts Unicode code points, in any script; words and sentences by the "
        "rules of Unicode.",
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
             "words": 11,
             "unique_words": 9,
             "sentences": 2,
             "paragraphs": 1,
             "lines": 1,
             "longest_word": "cat's",
             "average_word_characters": 3.18,
             "average_sentence_words": 5.5,
             "reading_seconds": 3,
             "top_words":
                 [{"word": "The", "count": 2}, {"word": "cat", "count": 2}]
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
