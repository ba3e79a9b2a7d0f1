// SPDX-License-Identifier: Apache-2.0
//
// Sets of scopes (RFC 6749 section 3.3): words of printable ASCII without quote
// and backslash, kept sorted so that a question is a search.
#ifndef MICA_AUTH_SCOPES_H
#define MICA_AUTH_SCOPES_H

#include "auth/auth.h"

// Whether a text is one scope.
bool mica_scope_valid(struct mica_text scope);

// Takes the first word off `*rest`; empty at its end. Spaces alone separate.
struct mica_text mica_scope_next(struct mica_text *rest);

struct mica_scopes {
    struct mica_text items[MICA_AUTH_SCOPES];
    size_t count;
};

// Puts a scope where it belongs, once. False: it is malformed, or one too many.
bool mica_scopes_add(struct mica_scopes *scopes, struct mica_text scope);

// As above for all words of a text.
bool mica_scopes_add_words(struct mica_scopes *scopes, struct mica_text words);

// Adds what the scopes include, and what that includes.
bool mica_scopes_imply(struct mica_scopes *scopes,
                       const struct mica_auth_options *options);

// The scopes, separated by spaces, in `arena`; check its overflow.
struct mica_text mica_scopes_text(const struct mica_scopes *scopes,
                                  struct mica_arena *arena);

#endif
