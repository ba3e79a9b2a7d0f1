// SPDX-License-Identifier: Apache-2.0
//
// Edit distance alone finds "root" for "port". So letters decide only where a word
// differs in few of them, and whole words and synonyms are asked before.
#include "cli/near.h"

#include <string.h>

enum {
    MOST = 63,     // of mica_text_distance
    SHORT_WORD = 3 // letters, below which a beginning says too little
};

// The nearest by letters, which differs in no more than `limit`.
static const char *
near_by_letters(struct mica_text word, const char *const *names, size_t count,
                size_t limit)
{
    const char *nearest = NULL;
    size_t best = limit < MOST ? limit + 1 : MOST;

    for (size_t i = 0; i < count && best > 1; i++) {
        size_t distance =
            mica_text_distance(word, mica_text(names[i]), best - 1);
        if (distance < best) {
            best = distance > 0 ? distance : 1;
            nearest = names[i];
        }
    }
    return nearest;
}

static const char *
near_by_synonym(struct mica_text word, const char *const *names, size_t count,
                const struct mica_synonym *synonyms)
{
    for (; synonyms->word != NULL; synonyms++) {
        if (!mica_text_is(word, synonyms->word))
            continue;
        for (size_t i = 0; i < count; i++)
            if (mica_text_is(mica_text(names[i]), synonyms->meant))
                return names[i];
    }
    return NULL;
}

// Takes the next word off a name with dashes; empty at the end.
static struct mica_text
take_word(struct mica_text *rest)
{
    size_t end = 0;

    while (end < rest->len && rest->ptr[end] != '-' && rest->ptr[end] != '_')
        end++;
    struct mica_text word = mica_text_slice(*rest, 0, end);
    *rest = mica_text_slice(*rest, end + 1, rest->len);
    return word;
}

static bool
has_word(struct mica_text name, struct mica_text wanted)
{
    while (name.len > 0)
        if (mica_text_equal(take_word(&name), wanted))
            return true;
    return false;
}

// How many words of `word` the name has.
static size_t
shared_words(struct mica_text word, struct mica_text name)
{
    size_t shared = 0;

    while (word.len > 0) {
        struct mica_text one = take_word(&word);
        shared += one.len > 0 && has_word(name, one);
    }
    return shared;
}

static const char *
near_by_words(struct mica_text word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t best = 0;

    for (size_t i = 0; i < count; i++) {
        size_t shared = shared_words(word, mica_text(names[i]));
        if (shared > best) {
            best = shared;
            nearest = names[i];
        }
    }
    return nearest;
}

static const char *
near_by_beginning(struct mica_text word, const char *const *names, size_t count)
{
    if (word.len < SHORT_WORD)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], word.ptr, word.len) == 0)
            return names[i];
    return NULL;
}

const char *
mica_near(struct mica_text word, const char *const *names, size_t count,
          const struct mica_synonym *synonyms)
{
    const char *found = NULL;

    if (word.len >= SHORT_WORD)
        found = near_by_letters(word, names, count, 1);
    if (found == NULL)
        found = near_by_synonym(word, names, count, synonyms);
    if (found == NULL)
        found = near_by_words(word, names, count);
    if (found == NULL)
        found = near_by_beginning(word, names, count);
    if (found == NULL)
        found = near_by_letters(word, names, count, (word.len + 1) / 3);
    return found;
}
