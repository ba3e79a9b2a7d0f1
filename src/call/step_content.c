// SPDX-License-Identifier: Apache-2.0
//
// Step content: what a phase or step adds to the result beside its output (blocks of
// content, and the error mark). The journal records it before the end of the step, so that
// a later turn, which does not run the step again, adds it too. The last record counts: an
// interrupted step records its content again.
#include "call/turn_state.h"

// Stored bytes contain the numbers of enum mica_content_kind.
enum {
    KINDS = MICA_CONTENT_LINK + 1
};

// ---- Record ----------------------------------------------------------------------

static void
write_some(struct mica_json_writer *writer, const char *namez,
           struct mica_text text)
{
    if (text.len > 0)
        mica_json_field(writer, namez, text);
}

static void
write_block(const struct mica_content *block, struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_json_name(writer, "kind");
    mica_json_integer(writer, block->kind);
    mica_json_name(writer, "base64");
    mica_json_boolean(writer, block->base64);
    mica_json_name(writer, "by_assistant");
    mica_json_boolean(writer, block->by_assistant);
    write_some(writer, "data", block->data);
    write_some(writer, "mime_type", block->mime_type);
    write_some(writer, "uri", block->uri);
    write_some(writer, "name", block->name);
    write_some(writer, "description", block->description);
    write_some(writer, "annotations", block->annotations);
    mica_json_close_object(writer);
}

static void
add_content(struct mica_call *call, struct mica_entry *content)
{
    enum mica_status status;

    content->scope = call->turn->state->frame->scope;
    status = mica_journal_add(call->turn->journal, content, NULL);
    (void)status; // the journal is full: the call ends without this content
}

struct mica_step_content
mica_step_content_now(const struct mica_call *call)
{
    return (struct mica_step_content){call->result.last, call->result.is_error};
}

void
mica_step_content_record(struct mica_call *call,
                         const struct mica_step_content *before,
                         struct mica_text key)
{
    const struct mica_content *block =
        before->last != NULL ? before->last->next : call->result.content;
    struct mica_entry content = {.kind = MICA_ENTRY_CONTENT, .key = key};
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    bool overflow = call->arena->overflow;

    if (block == NULL && call->result.is_error == before->is_error)
        return;
    mica_buffer_init(&buffer, call->arena, MICA_JOURNAL_BYTES / 2);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "is_error");
    mica_json_boolean(&writer, call->result.is_error);
    mica_json_name(&writer, "blocks");
    mica_json_open_array(&writer);
    for (; block != NULL; block = block->next)
        write_block(block, &writer);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    content.data = mica_buffer_as_text(&buffer);
    // If the content is too large, drop it; the effect is recorded anyway.
    if (buffer.overflow)
        call->arena->overflow = overflow;
    else if (mica_frame_open(call, call->turn->state->frame) == MICA_OK)
        add_content(call, &content);
}

// ---- Restore ---------------------------------------------------------------------

static bool
is_true(const struct mica_json *value, const char *namez)
{
    const struct mica_json *member = mica_json_get(value, namez);

    return member != NULL && member->kind == MICA_JSON_TRUE;
}

static void
restore_block(struct mica_call *call, const struct mica_json *content)
{
    const struct mica_json *kind = mica_json_get(content, "kind");
    struct mica_content *block;
    int64_t number = -1;

    if (kind == NULL || !mica_integer_read(kind->raw, &number) || number < 0 ||
        number >= KINDS)
        return;
    block = MICA_NEW(call, struct mica_content, 1);
    block->kind = (enum mica_content_kind)number;
    block->base64 = is_true(content, "base64");
    block->by_assistant = is_true(content, "by_assistant");
    block->data = mica_json_get_text(content, "data");
    block->mime_type = mica_json_get_text(content, "mime_type");
    block->uri = mica_json_get_text(content, "uri");
    block->name = mica_json_get_text(content, "name");
    block->description = mica_json_get_text(content, "description");
    block->annotations = mica_json_get_text(content, "annotations");
    if (call->result.last != NULL)
        call->result.last->next = block;
    else
        call->result.content = block;
    call->result.last = block;
}

void
mica_step_content_restore(struct mica_call *call, uint32_t number)
{
    const struct mica_journal *journal = call->turn->journal;
    const struct mica_entry *effect = &journal->entries[number];
    const struct mica_json *blocks;
    struct mica_json value;

    while (number > 0) {
        const struct mica_entry *content = &journal->entries[--number];
        if (content->kind != MICA_ENTRY_CONTENT ||
            content->scope != effect->scope ||
            !mica_text_equal(content->key, effect->key))
            continue;
        if (mica_json_read(call->arena, content->data, NULL, NULL, &value) !=
            MICA_OK)
            return;
        blocks = mica_json_get(&value, "blocks");
        for (size_t i = 0; blocks != NULL && i < blocks->count; i++)
            restore_block(call, &blocks->items[i]);
        call->result.is_error = is_true(&value, "is_error");
        return;
    }
}
