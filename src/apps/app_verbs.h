// SPDX-License-Identifier: Apache-2.0
//
// The words of a short English text, and which of them is its verb. Many verbs of tool names
// are nouns, too: "Order status" orders nothing, and "Order a pizza" does. What stands
// around the word decides:
//
//     "Order a pizza", "Track my orders"     a verb: an article or the like follows
//     "Book flights", "Book flight"          a verb: several things, or one that people book
//     "Order status", "Rate card"            a noun: one more noun follows
//     "Quote of the day", "The order book"   a noun
//
// Where it can be both, it is read as a noun: a tool that only shows something must not say
// that it orders something.
#ifndef MICA_APPS_APP_VERBS_H
#define MICA_APPS_APP_VERBS_H

#include <mica/base.h>

enum {
    MICA_APP_WORDS = 24,     // that are read of a text
    MICA_APP_WORD_BYTES = 24 // of one; longer ones are cut
};

// Lower case, of a-z and 0-9.
struct mica_app_words {
    char items[MICA_APP_WORDS][MICA_APP_WORD_BYTES + 1];
    size_t count;
};

// What the words are: of the two, only a description has sentences ("Finds tables").
enum mica_app_phrase {
    MICA_APP_TITLE,
    MICA_APP_SENTENCE
};

// Reads the words of ASCII letters and digits; all other bytes are between words.
void mica_app_words_read(struct mica_text text,
                         struct mica_app_words *words_out);

bool mica_app_word_among(const char *word, const char *const *list,
                         size_t count);

// A word that says nothing about what a tool does: "the", "my", "app".
bool mica_app_word_is_filler(const char *word);

// An article, or a word that stands in place of one: "a", "my", "all".
bool mica_app_word_is_article(const char *word);

// Whether the word is a noun for several things: "orders".
bool mica_app_word_is_plural(const char *word);

// The verb that a word is a form of: "finds", "tracking", "tracker", "calculator". NULL: none.
const char *mica_app_verb_of(const char *word);

// Whether the verb is never a noun: "find".
bool mica_app_verb_is_no_noun(const char *verb);

// As mica_app_verb_of, or NULL where the word at `place` is not read as a verb.
const char *mica_app_verb_at(const struct mica_app_words *words, size_t place,
                             enum mica_app_phrase phrase);

// The number of the word of a title that is the verb; `words->count`: none. The last word
// wins when it is one who does ("Order Tracker"), otherwise the first word.
size_t mica_app_verb_place(const struct mica_app_words *words);

#endif
