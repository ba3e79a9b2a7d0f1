// SPDX-License-Identifier: Apache-2.0
//
// Functions that the files of forms share: the settings of a field, the kinds that have
// choices, and texts of handlers as JSON strings.
#ifndef MICA_CALL_FORM_PARTS_H
#define MICA_CALL_FORM_PARTS_H

#include "base/hash.h"
#include "call/form.h"
#include "schema/record_value.h"

// Choices of one field: more than a person can read.
#define MICA_FORM_OPTIONS 1000

// The settings of the ask for that field of the form, or NULL.
const struct mica_field_setting *
mica_form_setting(const struct mica_form *form, const struct mica_field *field);

// May the field have options? Texts and lists of texts may.
bool mica_form_takes_options(const struct mica_type *type);

// The settings of a field that has options, or NULL.
const struct mica_field_setting *
mica_form_options(const struct mica_form *form, const struct mica_field *field);

// May a form have a field of that kind with those bounds? MICA_E_USAGE.
enum mica_status mica_form_check_kind(const struct mica_checker *checker,
                                      const struct mica_place *place,
                                      const struct mica_field *field)
    MICA_MUST_USE;

// The last part of a name that asks for a secret, like "api_key" of "my_api_key"; NULL: it
// asks for none. `digits`: the field is a number.
const char *mica_form_secret(const char *namez, bool digits);

// Checks that the values of one field of a decoded struct are among its options, and that
// a list has none twice. Errors: MICA_E_CHOICE.
enum mica_status mica_form_check_choices(const struct mica_checker *checker,
                                         const struct mica_form *form,
                                         const struct mica_field *field,
                                         const void *out) MICA_MUST_USE;

// A JSON string of the texts, joined; bytes that are not UTF-8 become U+FFFD.
void mica_form_string(struct mica_json_writer *writer,
                      const struct mica_text *texts, size_t count);

// Hashes a text and its length, so that "ab" "c" differs from "a" "bc".
uint64_t mica_form_hash_text(uint64_t hash, struct mica_text text);
uint64_t mica_form_hash_count(uint64_t hash, uint64_t count);

#endif
