// SPDX-License-Identifier: Apache-2.0
//
// Looking into values that were read: members, equality, names of kinds.
#include <string.h>

#include "base/memory.h"
#include "base/numeral.h"
#include "json/names.h"

const char *
mica_json_kind_name(enum mica_json_kind kind)
{
    static const char *const names[] = {
        "null", "boolean", "boolean", "number", "string", "array", "object"};
    return (unsigned)kind < MICA_COUNT(names) ? names[kind] : "unknown";
}

const struct mica_json *
mica_json_member(const struct mica_json *object, struct mica_text name)
{
    if (object == NULL || object->kind != MICA_JSON_OBJECT)
        return NULL;
    for (size_t i = object->count; i-- > 0;)
        if (mica_text_equal(object->members[i].name, name))
            return &object->members[i].value;
    return NULL;
}

#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
extern inline const struct mica_json *
mica_json_get(const struct mica_json *object, const char *namez);
#else
const struct mica_json *
mica_json_get(const struct mica_json *object, const char *namez)
{
    return mica_json_member(object, mica_text(namez));
}
#endif

struct mica_text
mica_json_get_text(const struct mica_json *object, const char *namez)
{
    const struct mica_json *value = mica_json_get(object, namez);
    if (value == NULL || value->kind != MICA_JSON_STRING)
        return (struct mica_text){NULL, 0};
    return value->text;
}

// ---- Equality --------------------------------------------------------------

enum {
    FEW = 16
};

static bool
equal_numbers(struct mica_text a, struct mica_text b)
{
    struct mica_numeral one, two;
    if (mica_text_equal(a, b))
        return true;
    if (!mica_numeral_read(a, &one) || !mica_numeral_read(b, &two))
        return false;
    // Absurd exponents were not kept, so such values are told by their text.
    bool far = one.point > MICA_NUMERAL_FAR / 100 ||
               one.point < -MICA_NUMERAL_FAR / 100;
    return !far && mica_numeral_equal(&one, &two);
}

static bool
equal_items(const struct mica_json *a, const struct mica_json *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!mica_json_equal(&a->items[i], &b->items[i]))
            return false;
    return true;
}

// The member of that name, looked for from `hint` on and around.
static const struct mica_json_member *
tree_find(const struct mica_json *object, struct mica_text name, size_t hint)
{
    for (size_t i = 0; i < object->count; i++) {
        size_t at = i + hint;
        if (at >= object->count)
            at -= object->count;
        if (mica_text_equal(object->members[at].name, name))
            return &object->members[at];
    }
    return NULL;
}

// Each member of `a` looked up in `b`. Fast when the orders agree.
static bool
equal_by_lookup(const struct mica_json *a, const struct mica_json *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct mica_json_member *other =
            tree_find(b, a->members[i].name, i);
        if (other == NULL ||
            !mica_json_equal(&a->members[i].value, &other->value))
            return false;
    }
    return true;
}

static void
sort_keys(const struct mica_json *object, mica_json_key *keys,
          mica_json_key *spare)
{
    for (size_t i = 0; i < object->count; i++)
        keys[i] = i;
    mica_json_sort(object->members, keys, spare, object->count,
                   mica_json_by_utf16);
}

static bool
equal_in_order(const struct mica_json *a, const struct mica_json *b,
               mica_json_key *keys)
{
    mica_json_key *in_a = keys, *in_b = keys + a->count;
    sort_keys(a, in_a, keys + 2 * a->count);
    sort_keys(b, in_b, keys + 2 * a->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct mica_json_member *one =
            mica_json_member_of(a->members, in_a[i]);
        const struct mica_json_member *two =
            mica_json_member_of(b->members, in_b[i]);
        if (!mica_text_equal(one->name, two->name) ||
            !mica_json_equal(&one->value, &two->value))
            return false;
    }
    return true;
}

static bool
equal_members(const struct mica_json *a, const struct mica_json *b)
{
    if (a->count <= FEW)
        return equal_by_lookup(a, b);
    // The lookup would be quadratic for names in another order. Without memory
    // for the keys it is slow but right.
    size_t size = 3 * a->count * sizeof(mica_json_key), given;
    mica_json_key *keys = mica_memory_take(size, size, &given);
    if (keys == NULL)
        return equal_by_lookup(a, b);
    bool equal = equal_in_order(a, b, keys);
    mica_memory_give(keys, given);
    return equal;
}

bool
mica_json_equal(const struct mica_json *a, const struct mica_json *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    switch (a->kind) {
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
        return true;
    case MICA_JSON_NUMBER:
        return equal_numbers(a->text, b->text);
    case MICA_JSON_STRING:
        return mica_text_equal(a->text, b->text);
    case MICA_JSON_ARRAY:
        return equal_items(a, b);
    case MICA_JSON_OBJECT:
        return equal_members(a, b);
    }
    return false;
}
