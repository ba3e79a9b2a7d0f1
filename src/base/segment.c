// SPDX-License-Identifier: Apache-2.0
//
// Words and sentences by the default rules of Unicode (UAX #29). Names like WB6
// and SB8 are those of the rules there. Between two segments nothing is
// remembered: each rule looks at one segment and at what follows it, at most up to
// the next letter. So a text is read in linear time.
#include "base/segment_table.h"

#include <mica/base.h>

// A class, without the property that is not asked about.
static unsigned
word_of(unsigned class)
{
    return class & 31;
}

static unsigned
sentence_of(unsigned class)
{
    return class >> 5 & 15;
}

static unsigned
class_of(uint32_t point)
{
    unsigned block = point >> 8, at = point & 255;
    const unsigned tail = MICA_COUNT(segment_blocks) - 2;

    if (block >= 0xE00 && block < 0xE02)
        block = tail + (block - 0xE00);
    else if (block >= tail)
        return 0;
    const uint8_t *run = segment_runs + segment_blocks[block];
    for (; at > run[1]; run += 2)
        at -= run[1] + 1u;
    if (run[0] == MICA_COUNT(segment_kinds))
        return at % 2 == 0 ? SEGMENT_CAPITAL : SEGMENT_SMALL;
    return segment_kinds[run[0]];
}

// ---- Words -----------------------------------------------------------------

static bool
is_letter(unsigned word)
{
    return word == WORD_ALETTER || word == WORD_HEBREW_LETTER;
}

static bool
is_ignored(unsigned word) // WB4
{
    return word == WORD_EXTEND || word == WORD_FORMAT || word == WORD_ZWJ;
}

static bool
is_line_end(unsigned word)
{
    return word == WORD_CR || word == WORD_LF || word == WORD_NEWLINE;
}

// Between letters (WB6), between digits (WB12).
static bool
joins_letters(unsigned word)
{
    return word == WORD_MIDLETTER || word == WORD_MIDNUMLET ||
           word == WORD_SINGLE_QUOTE;
}

static bool
joins_digits(unsigned word)
{
    return word == WORD_MIDNUM || word == WORD_MIDNUMLET ||
           word == WORD_SINGLE_QUOTE;
}

// The part of a word that has been read. `left` and `before` are the last two
// characters that are not ignored.
struct word {
    unsigned last, left, before;
    unsigned flags; // regional indicators at its end
};

// The class of the next character that is not ignored.
static unsigned
next_word(struct mica_text rest)
{
    while (rest.len > 0) {
        unsigned word = word_of(class_of(mica_text_next(&rest)));
        if (!is_ignored(word))
            return word;
    }
    return WORD_OTHER;
}

// WB5 to WB7c: what letters hold together.
static bool
joins_word(const struct word *word, unsigned next, struct mica_text rest)
{
    if (is_letter(word->left)) {
        if (is_letter(next) || next == WORD_NUMERIC)
            return true;
        if (word->left == WORD_HEBREW_LETTER &&
            (next == WORD_SINGLE_QUOTE ||
             (next == WORD_DOUBLE_QUOTE &&
              next_word(rest) == WORD_HEBREW_LETTER)))
            return true;
        return joins_letters(next) && is_letter(next_word(rest));
    }
    if (!is_letter(next))
        return false;
    return (joins_letters(word->left) && is_letter(word->before)) ||
           (word->left == WORD_DOUBLE_QUOTE && next == WORD_HEBREW_LETTER &&
            word->before == WORD_HEBREW_LETTER);
}

// WB8 to WB12: what digits hold together.
static bool
joins_number(const struct word *word, unsigned next, struct mica_text rest)
{
    if (word->left == WORD_NUMERIC)
        return next == WORD_NUMERIC || is_letter(next) ||
               (joins_digits(next) && next_word(rest) == WORD_NUMERIC);
    return next == WORD_NUMERIC && joins_digits(word->left) &&
           word->before == WORD_NUMERIC;
}

// WB13 to WB13b.
static bool
joins_others(unsigned left, unsigned next)
{
    bool extends = left == WORD_EXTENDNUMLET,
         extended = next == WORD_EXTENDNUMLET;

    if (left == WORD_KATAKANA && next == WORD_KATAKANA)
        return true;
    return (extended && (extends || is_letter(left) || left == WORD_NUMERIC ||
                         left == WORD_KATAKANA)) ||
           (extends &&
            (is_letter(next) || next == WORD_NUMERIC || next == WORD_KATAKANA));
}

// Does the character of that class, with `rest` behind it, belong to the word?
static bool
goes_on(const struct word *word, unsigned class, struct mica_text rest)
{
    unsigned next = word_of(class);

    if (word->last == WORD_CR && next == WORD_LF) // WB3
        return true;
    if (is_line_end(word->last) || is_line_end(next)) // WB3a, WB3b
        return false;
    if (word->last == WORD_ZWJ && (class & SEGMENT_PICTOGRAPH) != 0) // WB3c
        return true;
    if (word->last == WORD_WSEGSPACE && next == WORD_WSEGSPACE) // WB3d
        return true;
    if (is_ignored(next))
        return true;
    if (next == WORD_REGIONAL_INDICATOR &&
        word->left == WORD_REGIONAL_INDICATOR) // WB15, WB16
        return word->flags % 2 == 1;
    return joins_word(word, next, rest) || joins_number(word, next, rest) ||
           joins_others(word->left, next);
}

static void
take_in(struct word *word, unsigned next)
{
    word->last = next;
    if (is_ignored(next))
        return;
    word->flags = next == WORD_REGIONAL_INDICATOR ? word->flags + 1 : 0;
    word->before = word->left;
    word->left = next;
}

// Of letters, digits or ideographs, not of spaces and signs.
static bool
is_written(unsigned class)
{
    unsigned word = word_of(class), sentence = sentence_of(class);

    return is_letter(word) || word == WORD_KATAKANA || word == WORD_NUMERIC ||
           sentence == SENTENCE_LOWER || sentence == SENTENCE_UPPER ||
           sentence == SENTENCE_OLETTER || sentence == SENTENCE_NUMERIC;
}

bool
mica_text_word(struct mica_text *rest, struct mica_text *word_out)
{
    struct mica_text text = *rest;
    struct word word = {WORD_OTHER, WORD_OTHER, WORD_OTHER, 0};
    bool written = false;

    while (rest->len > 0) {
        struct mica_text behind = *rest;
        unsigned class = class_of(mica_text_next(&behind));
        if (rest->len < text.len && !goes_on(&word, class, behind))
            break;
        // WB4 does not hold for the first character, which may be any.
        if (rest->len == text.len)
            word.left = word_of(class);
        take_in(&word, word_of(class));
        written = written || is_written(class);
        *rest = behind;
    }
    *word_out = mica_text_slice(text, 0, text.len - rest->len);
    return written;
}

// ---- Sentences -------------------------------------------------------------

static bool
is_paragraph_end(unsigned sentence)
{
    return sentence == SENTENCE_SEP || sentence == SENTENCE_CR ||
           sentence == SENTENCE_LF;
}

static bool
is_terminator(unsigned sentence)
{
    return sentence == SENTENCE_ATERM || sentence == SENTENCE_STERM;
}

// SB8: after a full stop, does a small letter come before anything that begins
// or ends a sentence? `sentence` and what stands behind it.
static bool
small_letter_follows(unsigned sentence, struct mica_text rest)
{
    for (;;) {
        if (sentence == SENTENCE_LOWER)
            return true;
        if (sentence == SENTENCE_UPPER || sentence == SENTENCE_OLETTER ||
            is_paragraph_end(sentence) || is_terminator(sentence) ||
            rest.len == 0)
            return false;
        sentence = sentence_of(class_of(mica_text_next(&rest)));
    }
}

// The part of a sentence that has been read.
struct sentence {
    unsigned last, left, before; // as of a word
    enum {
        OPEN,
        ENDED, // a terminator, and closing signs
        SPACED // and spaces
    } state;
    bool stopped; // by a full stop, which may be one of an abbreviation
};

static bool
sentence_goes_on(const struct sentence *sentence, unsigned next,
                 struct mica_text rest)
{
    if (sentence->last == SENTENCE_CR && next == SENTENCE_LF) // SB3
        return true;
    if (is_paragraph_end(sentence->last)) // SB4
        return false;
    if (sentence->state == OPEN || next == SENTENCE_EXTEND ||
        next == SENTENCE_FORMAT) // SB5, SB998
        return true;
    if (sentence->left == SENTENCE_ATERM &&
        (next == SENTENCE_NUMERIC || // SB6
         (next == SENTENCE_UPPER &&  // SB7
          (sentence->before == SENTENCE_UPPER ||
           sentence->before == SENTENCE_LOWER))))
        return true;
    if (next == SENTENCE_SP || is_paragraph_end(next) ||
        (next == SENTENCE_CLOSE && sentence->state == ENDED)) // SB9, SB10
        return true;
    if (next == SENTENCE_SCONTINUE || is_terminator(next)) // SB8a
        return true;
    return sentence->stopped && small_letter_follows(next, rest); // SB8, SB11
}

static void
take_into_sentence(struct sentence *sentence, unsigned next)
{
    sentence->last = next;
    if (next == SENTENCE_EXTEND || next == SENTENCE_FORMAT)
        return;
    if (is_terminator(next)) {
        sentence->state = ENDED;
        sentence->stopped = next == SENTENCE_ATERM;
    } else if (next == SENTENCE_SP) {
        sentence->state = sentence->state == OPEN ? OPEN : SPACED;
    } else if (next != SENTENCE_CLOSE || sentence->state == SPACED) {
        sentence->state = OPEN;
    }
    sentence->before = sentence->left;
    sentence->left = next;
}

bool
mica_text_sentence(struct mica_text *rest, struct mica_text *sentence_out)
{
    struct mica_text text = *rest;
    struct sentence sentence = {.state = OPEN};
    bool written = false;

    while (rest->len > 0) {
        struct mica_text behind = *rest;
        unsigned class = class_of(mica_text_next(&behind));
        unsigned next = sentence_of(class);
        if (rest->len < text.len && !sentence_goes_on(&sentence, next, behind))
            break;
        take_into_sentence(&sentence, next);
        written = written || is_written(class);
        *rest = behind;
    }
    *sentence_out = mica_text_slice(text, 0, text.len - rest->len);
    return written;
}
