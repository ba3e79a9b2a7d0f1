// SPDX-License-Identifier: Apache-2.0
//
// The part of a call that only native tools use: their owner's data, cancellation, and
// content blocks beside the structured result. Engines are pure, so modules do not have it.
#ifndef __wasm__

#    include <mica/server.h>

#    include "base/words.h"
#    include "call/call.h"

void *
mica_user(const struct mica_call *call)
{
    return call->user;
}

bool
mica_cancelled(const struct mica_call *call)
{
    return call->cancelled != NULL &&
           atomic_load_explicit(call->cancelled, memory_order_relaxed);
}

struct mica_text
mica_uri(const struct mica_call *call)
{
    return call->uri;
}

const struct mica_principal *
mica_principal(const struct mica_call *call)
{
    static const struct mica_principal anonymous;

    return call->principal != NULL ? call->principal : &anonymous;
}

void
mica_role(struct mica_call *call, enum mica_role role)
{
    call->by_assistant = role == MICA_ASSISTANT;
}

void
mica_mark_error(struct mica_call *call)
{
    call->result.is_error = true;
}

// ---- Copies ----------------------------------------------------------------

static struct mica_text
content_copy(struct mica_call *call, struct mica_text text)
{
    struct mica_text kept = mica_arena_text(call->arena, text);
    if (kept.ptr == NULL)
        mica_call_exceed(call);
    return mica_call_clean(call->arena, kept);
}

// Returns an empty text, which stands for an absent member, for NULL.
static struct mica_text
content_copyz(struct mica_call *call, const char *textz)
{
    struct mica_text none = {NULL, 0};
    return textz != NULL ? content_copy(call, mica_text(textz)) : none;
}

static struct mica_text
content_encode(struct mica_call *call, const void *bytes, size_t size)
{
    struct mica_buffer buffer = mica_builder(call);
    mica_base64_write(&buffer, bytes, size);
    if (buffer.overflow)
        mica_call_exceed(call);
    return mica_buffer_as_text(&buffer);
}

// ---- Annotations -----------------------------------------------------------

// Clamps a priority to the range from 0 to 1; a NaN becomes 0.
static double
within_one(double priority)
{
    return priority > 1 ? 1 : priority > 0 ? priority : 0;
}

// Writes the words of `audience`, which spaces separate, as an array.
static void
write_audience(struct mica_json_writer *writer, struct mica_text words)
{
    struct mica_text word;

    mica_json_name(writer, "audience");
    mica_json_open_array(writer);
    while (mica_words_next(&words, &word))
        mica_json_string(writer, word);
    mica_json_close_array(writer);
}

bool
mica_write_annotations(struct mica_json_writer *writer,
                       const struct mica_content_options *options)
{
    if (options == NULL ||
        (options->audience == NULL && !options->has_priority &&
         options->last_modified == NULL))
        return false;
    mica_json_open_object(writer);
    if (options->audience != NULL)
        write_audience(writer, mica_text(options->audience));
    if (options->has_priority) {
        mica_json_name(writer, "priority");
        mica_json_number(writer, within_one(options->priority));
    }
    if (options->last_modified != NULL)
        mica_json_field(writer, "lastModified",
                        mica_text(options->last_modified));
    mica_json_close_object(writer);
    return true;
}

static struct mica_text
content_options_annotations(struct mica_call *call,
                            const struct mica_content_options *options)
{
    struct mica_buffer buffer = mica_builder(call);
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, &buffer);
    if (!mica_write_annotations(&writer, options))
        return (struct mica_text){NULL, 0};
    if (buffer.overflow)
        mica_call_exceed(call);
    return mica_buffer_as_text(&buffer);
}

// ---- Blocks ----------------------------------------------------------------

static struct mica_content *
content_options_add(struct mica_call *call, enum mica_content_kind kind,
                    const struct mica_content_options *options)
{
    struct mica_content *block = MICA_NEW(call, struct mica_content, 1);
    block->kind = kind;
    block->by_assistant = call->by_assistant;
    block->annotations = content_options_annotations(call, options);
    if (call->result.last != NULL)
        call->result.last->next = block;
    else
        call->result.content = block;
    call->result.last = block;
    return block;
}

void
mica_add_text(struct mica_call *call, struct mica_text text,
              const struct mica_content_options *options)
{
    content_options_add(call, MICA_CONTENT_TEXT, options)->data =
        content_copy(call, text);
}

void
mica_suggest(struct mica_call *call, struct mica_text value)
{
    mica_add_text(call, value, NULL);
}

static struct mica_content *
add_bytes(struct mica_call *call, enum mica_content_kind kind,
          const void *bytes, size_t size, const char *mime_type,
          const struct mica_content_options *options)
{
    struct mica_content *block = content_options_add(call, kind, options);
    block->base64 = true;
    block->data = content_encode(call, bytes, size);
    block->mime_type = content_copyz(call, mime_type);
    return block;
}

void
mica_add_image(struct mica_call *call, const void *bytes, size_t size,
               const char *mime_type,
               const struct mica_content_options *options)
{
    (void)add_bytes(call, MICA_CONTENT_IMAGE, bytes, size, mime_type, options);
}

void
mica_add_audio(struct mica_call *call, const void *bytes, size_t size,
               const char *mime_type,
               const struct mica_content_options *options)
{
    (void)add_bytes(call, MICA_CONTENT_AUDIO, bytes, size, mime_type, options);
}

void
mica_add_resource_text(struct mica_call *call, const char *uri,
                       const char *mime_type, struct mica_text text,
                       const struct mica_content_options *options)
{
    struct mica_content *block =
        content_options_add(call, MICA_CONTENT_RESOURCE, options);
    block->uri = uri != NULL ? content_copyz(call, uri) : call->uri;
    block->mime_type =
        mime_type != NULL ? content_copyz(call, mime_type) : call->mime_type;
    block->data = content_copy(call, text);
}

void
mica_add_resource_bytes(struct mica_call *call, const char *uri,
                        const char *mime_type, const void *bytes, size_t size,
                        const struct mica_content_options *options)
{
    struct mica_content *block =
        add_bytes(call, MICA_CONTENT_RESOURCE, bytes, size, mime_type, options);
    block->uri = uri != NULL ? content_copyz(call, uri) : call->uri;
    if (mime_type == NULL)
        block->mime_type = call->mime_type;
}

void
mica_add_resource_link(struct mica_call *call, const char *uri,
                       const char *name, const char *description,
                       const char *mime_type,
                       const struct mica_content_options *options)
{
    struct mica_content *block =
        content_options_add(call, MICA_CONTENT_LINK, options);
    block->uri = content_copyz(call, uri);
    block->name = content_copyz(call, name);
    block->description = content_copyz(call, description);
    block->mime_type = content_copyz(call, mime_type);
}

#endif
