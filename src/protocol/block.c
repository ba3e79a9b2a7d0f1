// SPDX-License-Identifier: Apache-2.0
//
// Writes content blocks in the form of a revision.
#include "protocol/block.h"

#include "json/fixed.h"

static void
open_block(struct mica_json_writer *writer, const char *type)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "type", mica_text(type));
}

void
mica_text_block_write(struct mica_json_writer *writer, struct mica_text text)
{
    mica_json_open_before(writer, MICA_LITERAL("{\"type\":\"text\",\"text\":"));
    mica_json_string(writer, text);
    mica_json_close_object(writer);
}

static void
optional_field(struct mica_json_writer *writer, const char *name,
               struct mica_text text)
{
    if (text.len > 0)
        mica_json_field(writer, name, text);
}

// Writes a block of a kind that the revision lacks as text.
static void
write_replacement(struct mica_json_writer *writer,
                  const struct mica_content *block, struct mica_arena *arena)
{
    struct mica_buffer text;

    mica_buffer_init(&text, arena, 64 << 10);
    if (block->kind == MICA_CONTENT_LINK)
        mica_buffer_format(&text, "%.*s: %.*s", MICA_ARG(block->name),
                           MICA_ARG(block->uri));
    else
        mica_buffer_format(&text, "[audio, %.*s]", MICA_ARG(block->mime_type));
    mica_text_block_write(writer, mica_buffer_as_text(&text));
}

static void
write_block(struct mica_json_writer *writer, const struct mica_content *block)
{
    switch (block->kind) {
    case MICA_CONTENT_TEXT:
        open_block(writer, "text");
        mica_json_field(writer, "text", block->data);
        break;
    case MICA_CONTENT_IMAGE:
    case MICA_CONTENT_AUDIO:
        open_block(writer,
                   block->kind == MICA_CONTENT_IMAGE ? "image" : "audio");
        mica_json_field(writer, "data", block->data);
        mica_json_field(writer, "mimeType", block->mime_type);
        break;
    case MICA_CONTENT_RESOURCE:
        open_block(writer, "resource");
        mica_json_name(writer, "resource");
        mica_json_open_object(writer);
        mica_json_field(writer, "uri", block->uri);
        optional_field(writer, "mimeType", block->mime_type);
        mica_json_field(writer, block->base64 ? "blob" : "text", block->data);
        mica_json_close_object(writer);
        break;
    case MICA_CONTENT_LINK:
        open_block(writer, "resource_link");
        mica_json_field(writer, "uri", block->uri);
        mica_json_field(writer, "name", block->name);
        optional_field(writer, "description", block->description);
        optional_field(writer, "mimeType", block->mime_type);
        break;
    }
    if (block->annotations.len > 0) {
        mica_json_name(writer, "annotations");
        mica_json_raw(writer, block->annotations);
    }
    mica_json_close_object(writer);
}

void
mica_block_write(struct mica_json_writer *writer,
                 const struct mica_content *block,
                 const struct mica_revision_features *features,
                 struct mica_arena *arena)
{
    if ((block->kind == MICA_CONTENT_LINK && !features->resource_link) ||
        (block->kind == MICA_CONTENT_AUDIO && !features->audio))
        write_replacement(writer, block, arena);
    else
        write_block(writer, block);
}
