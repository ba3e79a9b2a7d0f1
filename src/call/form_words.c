// SPDX-License-Identifier: Apache-2.0
//
// Small functions for forms and samplings: settings by field, texts as JSON strings, and
// the hash by which a replay compares questions.
#include <string.h>

#include "call/form_parts.h"

const struct mica_field_setting *
mica_form_setting(const struct mica_form *form, const struct mica_field *field)
{
    for (size_t i = 0; i < form->set_count; i++)
        if (strcmp(form->set[i].field, field->name) == 0)
            return &form->set[i];
    return NULL;
}

bool
mica_form_takes_options(const struct mica_type *type)
{
    return type->kind == MICA_KIND_TEXT ||
           (type->kind == MICA_KIND_LIST &&
            type->element->kind == MICA_KIND_TEXT);
}

const struct mica_field_setting *
mica_form_options(const struct mica_form *form, const struct mica_field *field)
{
    const struct mica_field_setting *setting = mica_form_setting(form, field);
    return setting != NULL && setting->options != NULL ? setting : NULL;
}

// ---- Strings ---------------------------------------------------------------

static void
escape_clean(struct mica_buffer *buffer, struct mica_text text)
{
    while (text.len > 0) {
        size_t valid = mica_utf8_valid(text);
        mica_json_escape(buffer, mica_text_slice(text, 0, valid));
        if (valid == text.len)
            return;
        mica_buffer_text(buffer, MICA_LITERAL("\xEF\xBF\xBD"));
        text = mica_text_slice(text, valid + 1, text.len);
    }
}

void
mica_form_string(struct mica_json_writer *writer, const struct mica_text *texts,
                 size_t count)
{
    mica_json_raw(writer, MICA_LITERAL("\""));
    for (size_t i = 0; i < count; i++)
        escape_clean(writer->buffer, texts[i]);
    mica_buffer_char(writer->buffer, '"');
}

// ---- Hash ------------------------------------------------------------------

uint64_t
mica_form_hash_count(uint64_t hash, uint64_t count)
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned char byte = (unsigned char)(count >> 8 * i & 0xff);
        hash = mica_hash_bytes(hash, &byte, 1);
    }
    return hash;
}

uint64_t
mica_form_hash_text(uint64_t hash, struct mica_text text)
{
    hash = mica_form_hash_count(hash, text.len);
    return text.len > 0 ? mica_hash_bytes(hash, text.ptr, text.len) : hash;
}
