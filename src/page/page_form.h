// SPDX-License-Identifier: Apache-2.0
//
// A form for the values that a JSON Schema describes: the one place where a
// schema becomes fields. web/page.js knows no schema; it reads the form back into
// JSON by what is written here:
//
//   <div class="field" data-name="a" data-kind="number">   one field
//       label, control, unit, help, and an empty line for what is wrong with it
//   <fieldset class="field" data-name="b" data-kind="record">   fields inside
//   <fieldset class="field" data-name="c" data-kind="list">     (or "map")
//       <ol> of items, and <template> of one item
//
// data-kind is text, choice, number, boolean, any, record, list or map; a
// nullable has a box "null" beside its control; data-optional says that a control
// left empty means that the field is not there. The control of a choice or a boolean
// is a select, or where the choices are few a radiogroup. A list of values, or of
// records that hold values alone, is a grid: data-columns.
// A unit with data-unit is that of the sibling of this name. Ids in a <template> have
// "#N" in them, N being its depth, where each item gets a number of its own.
#ifndef MICA_PAGE_PAGE_FORM_H
#define MICA_PAGE_PAGE_FORM_H

#include <mica/json.h>

// Writes the fields of an object's schema, without the <form> around them.
// `prefixz` starts their ids. `asked`: it is a question, which has room for all
// choices and words.
void mica_form_write(struct mica_buffer *out, const struct mica_json *schema,
                     const char *prefixz, bool asked);

#endif
