// SPDX-License-Identifier: Apache-2.0
//
// One field of a form while it is written: what its schema says, its words
// (field_words.c) and its choices (form_choice.c). page_form.c puts the parts together.
#ifndef MICA_PAGE_FORM_FIELD_H
#define MICA_PAGE_FORM_FIELD_H

#include "schema/outline.h"

enum {
    MICA_FORM_DEPTH = 12 // past it, JSON is written by hand
};

// Where the field stands, which decides how much room it has.
enum mica_form_place {
    MICA_FORM_OF_TOOL,     // beside the result
    MICA_FORM_OF_QUESTION, // alone: all choices and words are seen
    MICA_FORM_OF_GRID      // one cell of many
};

// One field, and with those above it the id of its control.
struct mica_form_field {
    const struct mica_form_field *above; // NULL: the form itself
    const struct mica_json *schema;
    struct mica_text name; // shown and sent; empty for an item of a list
    const char *prefixz;   // of the form itself: what ids begin with
    const char *itemz;     // of what is in a <template>: "Item", "Entry"
    size_t index;          // among the fields of its record
    bool required;
    enum mica_form_place place;
    unsigned depth, nesting; // below the form; within templates
};

// ---- What the schema says --------------------------------------------------------

// The default, or NULL.
const struct mica_json *mica_field_default(const struct mica_form_field *field);
bool mica_field_is_nullable(const struct mica_json *schema);

// What may be chosen: words, or {"const","title"} each. NULL: it is no choice.
const struct mica_json *mica_field_choices(const struct mica_json *schema);

// Deeper than a form is of use, everything is JSON.
enum mica_value_kind mica_field_kind(const struct mica_form_field *field);

// ---- Parts -----------------------------------------------------------------------

// ` name="<id>suffix"`, or with two ids.
void mica_field_write_reference(struct mica_buffer *out,
                                const struct mica_form_field *field,
                                const char *namez, const char *suffixz,
                                const char *otherz);

// The attributes that every control has.
void mica_field_write_common(struct mica_buffer *out,
                             const struct mica_form_field *field);

void mica_field_write_label(struct mica_buffer *out,
                            const struct mica_form_field *field);

// A sentence with the bounds, and an empty line for what is wrong; that line alone.
void mica_field_write_help(struct mica_buffer *out,
                           const struct mica_form_field *field);
void mica_field_write_error(struct mica_buffer *out,
                            const struct mica_form_field *field);

// What stands beside a number, or nothing.
void mica_field_write_unit(struct mica_buffer *out,
                           const struct mica_form_field *field);

// Label and radio buttons, where the choices are few; true if it wrote them.
bool mica_field_write_radios(struct mica_buffer *out,
                             const struct mica_form_field *field);

// The control of a choice, and of a boolean, as a list to open.
void mica_field_write_select(struct mica_buffer *out,
                             const struct mica_form_field *field);
void mica_field_write_yes_no(struct mica_buffer *out,
                             const struct mica_form_field *field);

#endif
