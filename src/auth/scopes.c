// SPDX-License-Identifier: Apache-2.0
//
// Sets of scopes. In the program as well as in the module, so that asking what a
// principal may do needs no call into the module.
#include "auth/scopes.h"

#include <string.h>

bool
mica_scope_valid(struct mica_text scope)
{
    for (size_t i = 0; i < scope.len; i++) {
        unsigned char c = (unsigned char)scope.ptr[i];
        if (c <= 0x20 || c >= 0x7F || c == '"' || c == '\\')
            return false;
    }
    return scope.len > 0;
}

struct mica_text
mica_scope_next(struct mica_text *rest)
{
    size_t start = 0, end;

    while (start < rest->len && rest->ptr[start] == ' ')
        start++;
    for (end = start; end < rest->len && rest->ptr[end] != ' ';)
        end++;
    struct mica_text word = mica_text_slice(*rest, start, end);
    *rest = mica_text_slice(*rest, end, rest->len);
    return word;
}

// Where `scope` is, or where it would have to be.
static size_t
scope_place(const struct mica_text *items, size_t count, struct mica_text scope,
            bool *found_out)
{
    size_t low = 0, high = count;

    *found_out = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = mica_text_compare(items[middle], scope);
        if (order == 0) {
            *found_out = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool
mica_scopes_add(struct mica_scopes *scopes, struct mica_text scope)
{
    bool found;

    if (!mica_scope_valid(scope))
        return false;
    size_t at = scope_place(scopes->items, scopes->count, scope, &found);
    if (found)
        return true;
    if (scopes->count == MICA_AUTH_SCOPES)
        return false;
    memmove(&scopes->items[at + 1], &scopes->items[at],
            (scopes->count - at) * sizeof scope);
    scopes->items[at] = scope;
    scopes->count++;
    return true;
}

bool
mica_scopes_add_words(struct mica_scopes *scopes, struct mica_text words)
{
    for (;;) {
        struct mica_text word = mica_scope_next(&words);
        if (word.len == 0)
            return true;
        if (!mica_scopes_add(scopes, word))
            return false;
    }
}

bool
mica_scopes_imply(struct mica_scopes *scopes,
                  const struct mica_auth_options *options)
{
    size_t before;

    // Each round adds at least one scope or is the last.
    do {
        before = scopes->count;
        for (size_t i = 0; i < options->implied_scopes.count; i++) {
            const struct mica_auth_texts *all =
                &options->implied_scopes.items[i];
            bool found;
            (void)scope_place(scopes->items, scopes->count,
                              options->implied_scopes.keys[i], &found);
            for (size_t k = 0; found && k < all->count; k++)
                if (!mica_scopes_add(scopes, all->items[k]))
                    return false;
        }
    } while (scopes->count > before);
    return true;
}

bool
mica_auth_allows(const struct mica_principal *party, struct mica_text needed)
{
    for (;;) {
        struct mica_text word = mica_scope_next(&needed);
        struct mica_text granted = party->scopes, one;
        if (word.len == 0)
            return true;
        do {
            one = mica_scope_next(&granted);
        } while (one.len > 0 && !mica_text_equal(one, word));
        if (one.len == 0)
            return false;
    }
}

struct mica_text
mica_scopes_text(const struct mica_scopes *scopes, struct mica_arena *arena)
{
    struct mica_buffer text;

    mica_buffer_init(&text, arena, SIZE_MAX / 2);
    for (size_t i = 0; i < scopes->count; i++) {
        if (i > 0)
            mica_buffer_char(&text, ' ');
        mica_buffer_text(&text, scopes->items[i]);
    }
    return mica_buffer_as_text(&text);
}
