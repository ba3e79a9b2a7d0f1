// SPDX-License-Identifier: Apache-2.0
//
// Numbers within bounds, and values that are the same.
#include <string.h>

#include "schema/evaluate.h"
#include "schema/number.h"

// ---- Bounds ----------------------------------------------------------------

// `sign` × the order of number and bound must be at least `least`.
static bool
schema_bound_keeps(const struct mica_schema_bound *bound,
                   const struct mica_numeral *decimal, int sign, int least)
{
    return bound->number == NULL ||
           sign * mica_numeral_compare(decimal, &bound->decimal) >= least;
}

static bool
evaluate_bounds(struct mica_schema_run *run,
                const struct mica_schema_node *node,
                const struct mica_json *value,
                const struct mica_numeral *decimal)
{
    const struct mica_schema_numbers *numbers = node->numbers;
    bool good = true;
    if (!schema_bound_keeps(&numbers->minimum, decimal, 1, 0))
        good = mica_schema_fail(run, node, MICA_REASON_MINIMUM, value, NULL);
    if (!schema_bound_keeps(&numbers->exclusive_minimum, decimal, 1, 1))
        good = mica_schema_fail(run, node, MICA_REASON_EXCLUSIVE_MINIMUM, value,
                                NULL);
    if (!schema_bound_keeps(&numbers->maximum, decimal, -1, 0))
        good = mica_schema_fail(run, node, MICA_REASON_MAXIMUM, value, NULL);
    if (!schema_bound_keeps(&numbers->exclusive_maximum, decimal, -1, 1))
        good = mica_schema_fail(run, node, MICA_REASON_EXCLUSIVE_MAXIMUM, value,
                                NULL);
    return good;
}

bool
mica_schema_evaluate_numbers(struct mica_schema_run *run,
                             const struct mica_schema_node *node,
                             const struct mica_json *value)
{
    const struct mica_schema_numbers *numbers = node->numbers;
    struct mica_numeral decimal;
    int64_t whole;
    bool good = true;
    if (numbers->simple && numbers->multiple_of == NULL &&
        mica_numeral_simple(value->text, &whole) && whole >= numbers->least &&
        whole <= numbers->most)
        return true;
    if (!mica_schema_spend(run, value->text.len / 8) ||
        !mica_numeral_read(value->text, &decimal))
        return false;
    good = evaluate_bounds(run, node, value, &decimal);
    if (numbers->multiple_of != NULL &&
        !mica_numeral_is_multiple(&decimal, numbers->factor, numbers->exponent))
        good = mica_schema_fail(run, node, MICA_REASON_MULTIPLE, value, NULL);
    return good;
}

// ---- The same value --------------------------------------------------------

bool
mica_schema_equal(struct mica_schema_run *run, const struct mica_json *a,
                  const struct mica_json *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == MICA_JSON_STRING)
        return a->text.len == b->text.len &&
               memcmp(a->text.ptr, b->text.ptr, a->text.len) == 0;
    return mica_schema_spend(run, 1 + a->raw.len / 32) && mica_json_equal(a, b);
}

bool
mica_schema_evaluate_choices(struct mica_schema_run *run,
                             const struct mica_schema_choices *choices,
                             const struct mica_json *value)
{
    if ((choices->kinds >> value->kind & 1) == 0)
        return false;
    if (value->kind == MICA_JSON_STRING && choices->single)
        return mica_schema_same_name(choices->items->text, choices->key,
                                     value->text);
    if (value->kind == MICA_JSON_STRING)
        return mica_schema_find(&choices->table, value->text) >= 0;
    if (!mica_schema_spend(run, choices->count))
        return false;
    for (size_t i = 0; i < choices->count; i++)
        if (mica_schema_equal(run, &choices->items[i], value))
            return true;
    return false;
}

// ---- uniqueItems -----------------------------------------------------------

enum {
    FEW = 16, // compared in pairs
    LEVELS = 3
};

static uint64_t
hash_mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t
hash_text(struct mica_text text, uint64_t seed)
{
    return hash_mix(seed, mica_schema_hash(text, mica_schema_key(text)));
}

// The same for all ways to write a number.
static uint64_t
hash_number(struct mica_text text)
{
    struct mica_numeral decimal;
    uint64_t hash = 0;
    if (!mica_numeral_read(text, &decimal) || decimal.count == 0)
        return 0;
    const char *at = decimal.digits;
    for (size_t i = 0; i < decimal.count; i++)
        hash = hash_mix(hash, mica_numeral_digit(&at));
    return hash_mix(hash, (uint64_t)decimal.point << 1 | decimal.negative);
}

// Equal values have equal hashes. What lies deeper than some levels is only
// counted, since it seldom tells values apart.
static uint64_t
hash_value(const struct mica_json *value, unsigned levels)
{
    uint64_t hash = hash_mix((uint64_t)value->kind, value->count);
    switch (value->kind) {
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
        return hash;
    case MICA_JSON_NUMBER:
        return hash_number(value->text);
    case MICA_JSON_STRING:
        return hash_text(value->text, 0);
    case MICA_JSON_ARRAY:
        for (size_t i = 0; levels > 0 && i < value->count; i++)
            hash = hash_mix(hash, hash_value(&value->items[i], levels - 1));
        return hash;
    case MICA_JSON_OBJECT:
        // A sum, since the order of the members does not count.
        for (size_t i = 0; levels > 0 && i < value->count; i++)
            hash += hash_text(value->members[i].name,
                              hash_value(&value->members[i].value, levels - 1));
        return hash;
    }
    return hash;
}

struct entry {
    uint32_t hash, index; // plus 1; 0: free
};

static bool
same_among_many(struct mica_schema_run *run, const struct mica_json *array,
                size_t pair_out[2])
{
    size_t room = 64;
    while (room < 2 * array->count)
        room *= 2;
    struct entry *entries =
        mica_arena_zero(run->scratch, room, sizeof *entries);
    if (entries == NULL || array->count >= UINT32_MAX ||
        !mica_schema_spend(run, array->raw.len / 4)) {
        run->stopped = true;
        return false;
    }
    for (size_t i = 0; i < array->count; i++) {
        uint32_t hash = (uint32_t)(hash_value(&array->items[i], LEVELS) >> 16);
        size_t at = hash & (room - 1);
        for (; entries[at].index != 0; at = (at + 1) & (room - 1)) {
            const struct mica_json *other =
                &array->items[entries[at].index - 1];
            if (!mica_schema_spend(run, 1))
                return false;
            if (entries[at].hash == hash &&
                mica_schema_equal(run, other, &array->items[i])) {
                pair_out[0] = entries[at].index - 1;
                pair_out[1] = i;
                return true;
            }
        }
        entries[at] = (struct entry){hash, (uint32_t)i + 1};
    }
    return false;
}

bool
mica_schema_same_items(struct mica_schema_run *run,
                       const struct mica_json *array, size_t pair_out[2])
{
    if (array->count > FEW)
        return same_among_many(run, array, pair_out);
    for (size_t i = 1; i < array->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!mica_schema_equal(run, &array->items[k], &array->items[i]))
                continue;
            pair_out[0] = k;
            pair_out[1] = i;
            return true;
        }
    }
    return false;
}
