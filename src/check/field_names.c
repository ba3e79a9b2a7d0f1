// SPDX-License-Identifier: Apache-2.0
//
// Word lists, and names taken apart.
#include "check/field_names.h"

#include <string.h>

#include "base/ascii.h"

enum {
    WORD_BYTES = 32,
    WORDS = 16
};

struct words {
    char word[WORDS][WORD_BYTES];
    size_t count;
};

// ---- The lists: each word in the singular, spaces around -------------------------

static const char quantities[] =
    " amount price cost total subtotal payment repayment tip salary wage fee "
    "fare rent tax toll income revenue profit expense budget balance deposit "
    "principal debt interest discount refund "
    "weight mass distance height width depth altitude elevation radius "
    "diameter perimeter circumference thickness wavelength "
    "speed velocity acceleration temperature pressure voltage frequency "
    "torque density angle bearing "
    "duration delay latency timeout time age "
    "area volume capacity energy consumption emission calorie dose dosage ";

static const char times[] =
    " date day time at when deadline timestamp datetime birthday birthdate "
    "dob expiry expiration moment instant midnight noon due ";

// A last word that is a unit, a share or a count: the name says it all.
static const char units[] =
    " ms us ns millisecond microsecond nanosecond second sec minute hour "
    "day week month quarter year decade century "
    "percent percentage pct permille ratio rate factor fraction share "
    "multiplier count number index rank score digit place point "
    "byte bit kb mb gb tb kib mib gib pixel px em "
    "mm cm m km metre meter kilometre kilometer centimetre centimeter "
    "millimetre millimeter inch foot feet ft yard mile "
    "g kg mg gram kilogram tonne ton ounce oz pound lb stone "
    "celsius fahrenheit kelvin degree deg radian rad turn "
    "hz khz mhz ghz pa kpa bar psi volt v amp ampere watt kw kwh joule kcal "
    "kmh kph mph knot litre liter ml l gallon hectare acre "
    "cent usd eur gbp jpy chf ";

// Words after which a name only says more about its head.
static const char joints[] =
    " per of with without in for after before to due paid left remaining from "
    "by until since including excluding ";

static const char plain[] =
    " the and for with from this that its are was has been being given field "
    "input output parameter ";

// ---- Taking apart ----------------------------------------------------------------

static bool
is_upper(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static bool
is_letter(char byte)
{
    return is_upper(byte) || (byte >= 'a' && byte <= 'z') ||
           (byte >= '0' && byte <= '9') || (byte & 0x80) != 0;
}

// A hump starts a word: "dueDate", and the D in "ISODate".
static bool
starts_word(struct mica_text text, size_t at)
{
    if (at == 0 || !is_letter(text.ptr[at - 1])) {
        return true;
    }
    return is_upper(text.ptr[at]) &&
           (!is_upper(text.ptr[at - 1]) ||
            (at + 1 < text.len && text.ptr[at + 1] >= 'a' &&
             text.ptr[at + 1] <= 'z'));
}

// The next word from *at on, in lower case; false at the end. A longer word is
// cut.
static bool
next_word(struct mica_text text, size_t *at, char word[WORD_BYTES])
{
    size_t length = 0;

    while (*at < text.len && !is_letter(text.ptr[*at])) {
        ++*at;
    }
    while (*at < text.len && is_letter(text.ptr[*at]) &&
           (length == 0 || !starts_word(text, *at))) {
        if (length + 1 < WORD_BYTES) {
            word[length] = mica_ascii_lower(text.ptr[*at]);
        }
        length++;
        ++*at;
    }
    word[length + 1 < WORD_BYTES ? length : WORD_BYTES - 1] = '\0';
    return length > 0;
}

static void
take_apart(struct words *words, struct mica_text name)
{
    char word[WORD_BYTES];
    size_t at = 0;

    words->count = 0;
    while (words->count < WORDS && next_word(name, &at, word)) {
        memcpy(words->word[words->count++], word, WORD_BYTES);
    }
}

static bool
word_listed(const char *listz, const char *wordz, size_t length)
{
    char wanted[WORD_BYTES + 3] = " ";

    memcpy(wanted + 1, wordz, length);
    memcpy(wanted + 1 + length, " ", 2);
    return length > 0 && strstr(listz, wanted) != NULL;
}

// Whether the list has the word or, where it is a plural, its singular.
static bool
word_has(const char *listz, const char *wordz)
{
    size_t length = strlen(wordz);

    return word_listed(listz, wordz, length) ||
           (length > 2 && wordz[length - 1] == 's' &&
            (word_listed(listz, wordz, length - 1) ||
             (wordz[length - 2] == 'e' &&
              word_listed(listz, wordz, length - 2))));
}

// ---- What names say ----------------------------------------------------------------

// Takes a name apart and drops words at its end that only say which of several.
static bool
take_name(struct words *words, struct mica_text name)
{
    static const char which[] = " min max minimum maximum average mean median "
                                "net gross old new current ";

    take_apart(words, name);
    while (words->count > 1 && word_has(which, words->word[words->count - 1])) {
        words->count--;
    }
    return words->count > 0;
}

static size_t
word_head(const struct words *words)
{
    size_t at = 1;

    while (at < words->count && !word_has(joints, words->word[at])) {
        at++;
    }
    return at - 1;
}

bool
mica_name_is_quantity(struct mica_text name, bool whole)
{
    struct words words;
    const char *main;

    if (!take_name(&words, name) ||
        word_has(units, words.word[words.count - 1])) {
        return false;
    }
    main = words.word[word_head(&words)];
    return word_has(quantities, main) ||
           (!whole && word_has(" length size ", main));
}

bool
mica_name_is_time(struct mica_text name)
{
    struct words words;
    size_t main;

    if (!take_name(&words, name)) {
        return false;
    }
    main = word_head(&words);
    if (main + 1 < words.count && strcmp(words.word[main + 1], "of") == 0) {
        return false; // a day of the week is no day
    }
    return word_has(times, words.word[main]);
}

bool
mica_name_is_seed(struct mica_text name)
{
    struct words words;

    take_apart(&words, name);
    for (size_t i = 0; i < words.count; i++) {
        if (strcmp(words.word[i], "seed") == 0) {
            return true;
        }
    }
    return false;
}

bool
mica_name_is_unit(struct mica_text name)
{
    return mica_text_is(name, "unit") || mica_text_is(name, "units") ||
           mica_text_is(name, "currency");
}

// ---- Prose ---------------------------------------------------------------------

size_t
mica_word_count(struct mica_text text)
{
    char word[WORD_BYTES];
    size_t at = 0, count = 0;

    while (next_word(text, &at, word)) {
        count++;
    }
    return count;
}

// The word without the 's' of a plural.
static size_t
word_stem(const char *wordz)
{
    size_t length = strlen(wordz);

    return length > 3 && wordz[length - 1] == 's' ? length - 1 : length;
}

static bool
same_word(const char *az, const char *bz)
{
    return word_stem(az) == word_stem(bz) &&
           strncmp(az, bz, word_stem(az)) == 0;
}

bool
mica_words_add(struct mica_text prose, struct mica_text known)
{
    char word[WORD_BYTES], old[WORD_BYTES];
    size_t at = 0;

    while (next_word(prose, &at, word)) {
        size_t from = 0;
        bool fresh = strlen(word) >= 3 && !word_has(plain, word);

        while (fresh && next_word(known, &from, old)) {
            fresh = !same_word(word, old);
        }
        if (fresh) {
            return true;
        }
    }
    return false;
}

// ---- Forms ---------------------------------------------------------------------

// Runs of characters that `inside` allows, single `joint` between them.
static bool
is_joined(struct mica_text text, char joint, bool (*inside)(char byte))
{
    for (size_t i = 0; i < text.len; i++) {
        bool edge = i == 0 || i + 1 == text.len || text.ptr[i - 1] == joint;

        if (!inside(text.ptr[i]) && (text.ptr[i] != joint || edge)) {
            return false;
        }
    }
    return text.len > 0;
}

static bool
in_kebab(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
}

static bool
in_snake(char byte)
{
    return is_upper(byte) || (byte >= '0' && byte <= '9');
}

bool
mica_is_kebab(struct mica_text text)
{
    return is_joined(text, '-', in_kebab);
}

bool
mica_is_upper_snake(struct mica_text text)
{
    return text.len >= 2 && text.len <= 47 && is_upper(text.ptr[0]) &&
           is_joined(text, '_', in_snake);
}
