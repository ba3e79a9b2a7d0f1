// SPDX-License-Identifier: Apache-2.0
//
// JSON Pointers of argument maps, taken apart token by token. Tokens keep their escapes:
// equal tokens have equal bytes, as "~" has one spelling.
#ifndef MICA_APPS_APP_POINTER_H
#define MICA_APPS_APP_POINTER_H

#include <mica/base.h>

// NULL if the text is a pointer that a map may have, or else what is wrong with it, to
// follow it: "is longer than 256 bytes".
const char *mica_app_pointer_wrong(struct mica_text pointer);

// Takes the first token off a valid pointer. False at its end.
bool mica_app_pointer_next(struct mica_text *rest, struct mica_text *token_out);

// The name that the token stands for, its escapes read. `room` has the length of the token.
struct mica_text mica_app_pointer_name(struct mica_text token, char *room);

// Whether the token is an index of an array: 0, or digits that do not begin with 0.
bool mica_app_pointer_is_index(struct mica_text token);

// The order of two valid pointers: token by token, indexes before names and by their
// number, a parent before its parts. <0, 0, >0.
int mica_app_pointer_compare(struct mica_text a, struct mica_text b);

// Whether `inner` is `outer` or lies inside it.
bool mica_app_pointer_within(struct mica_text inner, struct mica_text outer);

#endif
