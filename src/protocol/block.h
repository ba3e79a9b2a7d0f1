// SPDX-License-Identifier: Apache-2.0
//
// Writes content blocks in the form of a revision: of a tool's result and of a prompt's
// messages (MCP: ContentBlock).
#ifndef MICA_PROTOCOL_BLOCK_H
#define MICA_PROTOCOL_BLOCK_H

#include <mica/json.h>

#include "call/content.h"
#include "protocol/revision.h"

// Writes a block. One of a kind that the revision lacks becomes text, which is written in
// `arena`.
void mica_block_write(struct mica_json_writer *writer,
                      const struct mica_content *block,
                      const struct mica_revision_features *features,
                      struct mica_arena *arena);

void mica_text_block_write(struct mica_json_writer *writer,
                           struct mica_text text);

#endif
