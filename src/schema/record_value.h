// SPDX-License-Identifier: Apache-2.0
//
// What decoding and encoding share: where a value stands, which bounds it has,
// whether it keeps them, and the words that say so. One definition, so that
// what an engine may answer is exactly what its schema promises.
#ifndef MICA_SCHEMA_RECORD_VALUE_H
#define MICA_SCHEMA_RECORD_VALUE_H

#include <mica/record.h>

#include "schema/regex.h"

// The largest integer that every JSON peer reads exactly: 2^53 - 1.
#define MICA_SAFE_INTEGER INT64_C(9007199254740991)

// A double, unlike INFINITY: the bound that is no bound.
#define MICA_INFINITY __builtin_inf()

// A step from the whole to a part; the chain lives on the stack. It costs two
// stores on the way down, and becomes a JSON Pointer only in an error.
struct mica_place {
    const struct mica_place *up; // NULL: of the whole
    struct mica_text name;       // of a field or a map's entry; ptr NULL:
    size_t index;                // of a list's item
};

// A pattern compiled once for all the values of one decode or encode.
struct mica_pattern {
    struct mica_pattern *next;
    const char *sourcez;
    struct mica_regex regex;
};

// What one decode or encode carries along.
struct mica_checker {
    struct mica_arena *arena;
    struct mica_error *error;
    struct mica_pattern *patterns;
};

// A type as it stands in a field: itself, or what the field holds.
struct mica_slot {
    const struct mica_type *type;
    const struct mica_field *field;
    bool inner;   // below a list, map or nullable: bounds are `.each`
    bool counted; // min_items and max_items hold here
};

struct mica_slot mica_slot_of(const struct mica_field *field);

// What a list, map or nullable in that slot holds.
struct mica_slot mica_slot_element(const struct mica_slot *slot);
const struct mica_bounds *mica_slot_bounds(const struct mica_slot *slot);

// Lists and maps in memory. The author's own structs have these members in this
// order (record.h checks it), hence the license to alias.
struct __attribute__((may_alias)) mica_list_value {
    size_t count;
    const void *items;
};
struct __attribute__((may_alias)) mica_map_value {
    size_t count;
    const struct mica_text *keys;
    const void *items;
};

// Fills checker->error: `"rows/2/price" ` and the text. Returns `status`.
enum mica_status mica_value_fail(const struct mica_checker *checker,
                                 const struct mica_place *place,
                                 enum mica_status status, const char *formatz,
                                 ...) MICA_PRINTF(4, 5);

// MICA_E_LIMIT, with the reason.
enum mica_status mica_value_no_memory(const struct mica_checker *checker,
                                      const struct mica_place *place);

// Each checks one value against its bounds: MICA_E_RANGE, MICA_E_FORMAT.
enum mica_status mica_value_number(const struct mica_checker *checker,
                                   const struct mica_place *place,
                                   const struct mica_bounds *bounds,
                                   double value) MICA_MUST_USE;
enum mica_status mica_value_integer(const struct mica_checker *checker,
                                    const struct mica_place *place,
                                    const struct mica_bounds *bounds,
                                    int64_t value) MICA_MUST_USE;
enum mica_status mica_value_text(struct mica_checker *checker,
                                 const struct mica_place *place,
                                 const struct mica_bounds *bounds,
                                 struct mica_text value) MICA_MUST_USE;
// MICA_E_FORMAT unless the text is UTF-8; MICA_E_TYPE when it is no text at all.
enum mica_status mica_value_utf8(const struct mica_checker *checker,
                                 const struct mica_place *place,
                                 struct mica_text text) MICA_MUST_USE;
// A name of a map, by the field's `.keys`.
enum mica_status mica_value_key(struct mica_checker *checker,
                                const struct mica_place *place,
                                const struct mica_field *field,
                                struct mica_text key) MICA_MUST_USE;
enum mica_status mica_value_count(const struct mica_checker *checker,
                                  const struct mica_place *place,
                                  const struct mica_slot *slot, size_t count)
    MICA_MUST_USE;

// "at least 0 and at most 10": what the bounds say, into `room`.
#define MICA_BOUNDS_SIZE 160
const char *mica_value_bounds_words(const struct mica_bounds *bounds,
                                    bool integer, char room[MICA_BOUNDS_SIZE]);

// A text in quotes, cut when it is long, for a message.
#define MICA_SHOWN_SIZE 80
const char *mica_value_shown(struct mica_text text, char room[MICA_SHOWN_SIZE]);

#endif
