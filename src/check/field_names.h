// SPDX-License-Identifier: Apache-2.0
//
// What a field's name says about its value: a quantity, a time, a unit. Names
// are taken apart into words at '_', '-' and humps; the head is the word that
// the others describe ("price" in "unit_price" and in "price_per_night").
#ifndef MICA_CHECK_FIELD_NAMES_H
#define MICA_CHECK_FIELD_NAMES_H

#include <mica/base.h>

// True when a number of that name means nothing without a unit. `whole`: it is
// an integer, so that "length" and "size" count things.
bool mica_name_is_quantity(struct mica_text name, bool whole);

// True when a text of that name is a day or a moment.
bool mica_name_is_time(struct mica_text name);

// True when the name has the word "seed".
bool mica_name_is_seed(struct mica_text name);

// True for the names of a field that can carry the unit of all its siblings:
// "unit", "units", "currency".
bool mica_name_is_unit(struct mica_text name);

// Number of words in prose.
size_t mica_word_count(struct mica_text text);

// True when prose has a word (of three letters or more) that `known` has not;
// plural and singular are the same.
bool mica_words_add(struct mica_text prose, struct mica_text known);

// Lower-case kebab: a-z and 0-9 with single '-' between.
bool mica_is_kebab(struct mica_text text);

// A-Z first, then A-Z and 0-9 with single '_' between, 2 to 47 characters.
bool mica_is_upper_snake(struct mica_text text);

#endif
