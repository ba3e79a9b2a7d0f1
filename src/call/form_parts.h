// SPDX-License-Identifier: Apache-2.0
//
// What the files of forms share: how a field's settings are found, which kinds
// have choices, and texts of handlers as JSON strings.
#ifndef MICA_CALL_FORM_PARTS_H
#define MICA_CALL_FORM_PARTS_H

#include "base/hash.h"
#include "call/form.h"
#include "schema/record_value.h"

// More than a person can choose from.
#define MICA_FORM_OPTIONS 1000

// What is set for that field of the form, or NULL.
const struct mica_field_setting *
mica_form_setting(const struct mica_form *form, const struct mica_field *field);

// The kind of a text that stands alone or in a list: what may have options.
bool mica_form_takes_options(const struct mica_type *type);

// The options that are set for a field, or NULL.
const struct mica_field_setting *
mica_form_options(const struct mica_form *form, const struct mica_field *field);

// May a form have a field of that kind with those bounds? MICA_E_USAGE.
enum mica_status mica_form_check_kind(const struct mica_checker *checker,
                                      const struct mica_place *place,
                                      const struct mica_field *field)
    MICA_MUST_USE;

// The last part of a name that asks for what must not go through a form, like
// "api_key" of "my_api_key"; NULL: it asks for no such thing. `digits` is for fields
// that take numbers only.
const char *mica_form_secret(const char *namez, bool digits);

// Whether the values of one field of a decoded struct are among its options, and
// none is chosen twice in a list. MICA_E_CHOICE.
enum mica_status mica_form_check_choices(const struct mica_checker *checker,
                                         const struct mica_form *form,
                                         const struct mica_field *field,
                                         const void *out) MICA_MUST_USE;

// A JSON string of the texts, joined; bytes that are not UTF-8 become U+FFFD.
void mica_form_string(struct mica_json_writer *writer,
                      const struct mica_text *texts, size_t count);

// A text and its end, so that "ab" "c" is not "a" "bc".
uint64_t mica_form_hash_text(uint64_t hash, struct mica_text text);
uint64_t mica_form_hash_count(uint64_t hash, uint64_t count);

#endif
