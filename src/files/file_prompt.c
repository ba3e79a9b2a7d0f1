// SPDX-License-Identifier: Apache-2.0
//
// The struct of the record has no type in C: for each argument a text, and a bool that
// says whether it was given.
#include "files/file_prompt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "files/prompt_file.h"

enum {
    ARENA_BYTES = 1 << 20
};

// One argument in the struct of the record.
struct given {
    struct mica_text value;
    bool has;
};

// What a definition of a prompt keeps.
struct kept {
    struct mica_arena arena;
    struct mica_prompt_file file;
    struct mica_field fields[MICA_PROMPT_ARGUMENTS];
    struct mica_record record;
    const char *name, *title, *description;
};

static enum mica_status
prompt_run(struct mica_call *call, const void *in, void *out)
{
    const struct kept *kept = mica_user(call);
    const struct given *given = in;
    struct mica_text values[MICA_PROMPT_ARGUMENTS];
    struct mica_buffer text = mica_builder(call);

    (void)out;
    for (size_t i = 0; i < kept->file.count; i++)
        values[i] = given[i].value;
    mica_prompt_file_write(&kept->file, values, &text);
    mica_add_text(call, mica_buffer_as_text(&text), NULL);
    return MICA_OK;
}

// A copy that ends with a NUL; NULL for an empty text.
static const char *
keep_text(struct kept *kept, struct mica_text text)
{
    return text.len > 0 ? mica_arena_text(&kept->arena, text).ptr : NULL;
}

static void
kept_describe(struct kept *kept)
{
    const struct mica_prompt_file *file = &kept->file;

    for (size_t i = 0; i < file->count; i++) {
        const struct mica_prompt_argument *argument = &file->arguments[i];
        const char *description = keep_text(kept, argument->description);
        size_t offset = i * sizeof(struct given);
        kept->fields[i] = (struct mica_field){
            MICA_UNBOUNDED_,
            .each = {MICA_UNBOUNDED_},
            .keys = {MICA_UNBOUNDED_},
            .name = keep_text(kept, argument->name),
            .offset = offset + offsetof(struct given, value),
            .type = &mica_type_text,
            .description = description != NULL ? description : "",
            .optional = !argument->required,
            .has_offset = argument->required
                              ? 0
                              : 1 + offset + offsetof(struct given, has)};
    }
    kept->record =
        (struct mica_record){.tag = "arguments",
                             .size = file->count * sizeof(struct given),
                             .fields = kept->fields,
                             .count = (uint32_t)file->count,
                             .field_size = sizeof(struct mica_field)};
    kept->title = keep_text(kept, file->title);
    kept->description = keep_text(kept, file->description);
}

static void
kept_drop(struct kept *kept)
{
    mica_arena_fini(&kept->arena);
    free(kept);
}

static void
definition_release(struct mica_definition *definition)
{
    kept_drop(definition->held);
}

// "review" of "review.md".
static struct mica_text
name_of(struct mica_text file, const struct mica_prompt_file *read)
{
    return read->name.len > 0 ? read->name
                              : mica_text_slice(file, 0, file.len - 3);
}

static enum mica_status
kept_read(struct kept *kept, struct mica_text file, struct mica_text bytes,
          struct mica_error *error)
{
    struct mica_text copy = mica_arena_text(&kept->arena, bytes);

    if (copy.ptr == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the prompt");
    MICA_TRY(mica_prompt_file_read(&kept->arena, copy, error, &kept->file));
    kept->name = keep_text(kept, name_of(file, &kept->file));
    kept_describe(kept);
    if (kept->arena.overflow || kept->name == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the prompt");
    return MICA_OK;
}

enum mica_status
mica_prompt_definition(struct mica_text file, struct mica_text bytes,
                       struct mica_error *error,
                       struct mica_definition **definition_out)
{
    struct kept *kept = calloc(1, sizeof *kept);
    enum mica_status status;

    if (kept == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the prompt");
    mica_arena_init(&kept->arena, ARENA_BYTES);
    status = kept_read(kept, file, bytes, error);
    if (status == MICA_OK) {
        const struct mica_prompt prompt = {
            .name = kept->name,
            .title = kept->title,
            .description = kept->description,
            .input = kept->file.count > 0 ? &kept->record : NULL,
            .handler = prompt_run};
        status =
            mica_definition_of_prompt(&prompt, kept, error, definition_out);
    }
    if (status != MICA_OK) {
        kept_drop(kept);
        return status;
    }
    // There is nothing to suggest, and a client that asks is told so.
    (*definition_out)->completes = kept->file.count > 0;
    (*definition_out)->held = kept;
    (*definition_out)->release = definition_release;
    return MICA_OK;
}
