// SPDX-License-Identifier: Apache-2.0
//
// From a field table: JSON Schema, strict decoding, encoding, and a check of the
// table itself.
#ifndef MICA_SCHEMA_RECORD_H
#define MICA_SCHEMA_RECORD_H

#include <mica/record.h>

// The field of that name; NULL without one, or without a record.
static inline const struct mica_field *
mica_record_find(const struct mica_record *record, struct mica_text name)
{
    for (uint32_t i = 0; record != NULL && i < record->count; i++)
        if (mica_text_is(name, mica_record_field(record, i)->name))
            return mica_record_field(record, i);
    return NULL;
}

// JSON to struct. `value` must be an object with known names only; absent
// fields take their fallback. `out` is record->size bytes, zeroed by the
// caller. On failure `error` has the code, a message that teaches (an unknown
// name suggests the nearest known one) and the JSON Pointer; `out` is
// unspecified. Lists, maps and texts live in `arena` (texts may point into the
// text that `value` was read from).
enum mica_status mica_record_decode(const struct mica_record *record,
                                    const struct mica_json *value,
                                    struct mica_arena *arena,
                                    struct mica_error *error, void *out)
    MICA_MUST_USE;

// The same for JSON of a program that does not know the record, as the answer of
// another server: unknown names are left out, and null is no value where a field is
// optional or has a fallback.
enum mica_status mica_record_decode_foreign(const struct mica_record *record,
                                            const struct mica_json *value,
                                            struct mica_arena *arena,
                                            struct mica_error *error, void *out)
    MICA_MUST_USE;

// Struct to JSON, fields in table order; an absent optional is left out. Every
// value is checked against its own field: NaN or an infinity, a value out of
// bounds, an enum without a name, text that is no UTF-8, an invalid date fail
// with that status and path.
enum mica_status mica_record_encode(const struct mica_record *record,
                                    const void *in, struct mica_arena *arena,
                                    struct mica_error *error,
                                    struct mica_json_writer *writer)
    MICA_MUST_USE;

// The record as JSON Schema 2020-12: {"type":"object","properties":…,
// "required":…,"additionalProperties":false}. `examples` (may be NULL) is a
// JSON array put in as "examples". `dialect` adds "$schema".
void mica_record_schema(const struct mica_record *record, bool dialect,
                        struct mica_text examples,
                        struct mica_json_writer *writer);

// Finds what the compiler cannot: duplicate names, holes in choice lists, more
// depth than 16, a fallback its own field refuses, a pattern that is not
// understood, bounds that exclude everything, `unit` naming no sibling, bounds
// on a kind that has none. MICA_E_USAGE with a message naming the field.
enum mica_status mica_record_check(const struct mica_record *record,
                                   struct mica_arena *arena,
                                   struct mica_error *error) MICA_MUST_USE;

#endif
