// SPDX-License-Identifier: Apache-2.0
//
// Compares an answer with what an example says of it.
#include "check/match.h"

struct match {
    struct mica_buffer *path;
    const struct mica_json **expected_out, **actual_out;
};

static bool match_values(const struct match *match,
                         const struct mica_json *expected,
                         const struct mica_json *actual);

static const struct mica_json *
match_member(const struct mica_json *object, struct mica_text name)
{
    for (size_t i = 0; i < object->count; i++) {
        if (mica_text_equal(object->members[i].name, name)) {
            return &object->members[i].value;
        }
    }
    return NULL;
}

// On a match the path is as it was; on a difference it has led there.
static bool
match_below(const struct match *match, struct mica_text token,
            const struct mica_json *expected, const struct mica_json *actual)
{
    size_t len = match->path->len;

    mica_json_pointer_add(match->path, token);
    if (!match_values(match, expected, actual)) {
        return false;
    }
    match->path->len = len;
    return true;
}

static bool
match_objects(const struct match *match, const struct mica_json *expected,
              const struct mica_json *actual)
{
    for (size_t i = 0; i < expected->count; i++) {
        struct mica_text name = expected->members[i].name;

        if (!match_below(match, name, &expected->members[i].value,
                         match_member(actual, name))) {
            return false;
        }
    }
    return true;
}

static bool
match_arrays(const struct match *match, const struct mica_json *expected,
             const struct mica_json *actual)
{
    for (size_t i = 0; i < expected->count; i++) {
        char digits[24];
        struct mica_buffer token = {
            .ptr = digits, .capacity = sizeof digits, .max = sizeof digits};

        mica_buffer_format(&token, "%zu", i);
        if (!match_below(match, mica_buffer_as_text(&token),
                         &expected->items[i], &actual->items[i])) {
            return false;
        }
    }
    return true;
}

static bool
match_values(const struct match *match, const struct mica_json *expected,
             const struct mica_json *actual)
{
    bool same_kind = actual != NULL && actual->kind == expected->kind;

    if (same_kind && expected->kind == MICA_JSON_OBJECT) {
        return match_objects(match, expected, actual);
    }
    if (same_kind && expected->kind == MICA_JSON_ARRAY &&
        expected->count == actual->count) {
        return match_arrays(match, expected, actual);
    }
    if (same_kind && mica_json_equal(expected, actual)) {
        return true;
    }
    *match->expected_out = expected;
    *match->actual_out = actual;
    return false;
}

bool
mica_match(const struct mica_json *expected, const struct mica_json *actual,
           struct mica_buffer *path, const struct mica_json **expected_out,
           const struct mica_json **actual_out)
{
    struct match match = {path, expected_out, actual_out};

    return match_values(&match, expected, actual);
}
