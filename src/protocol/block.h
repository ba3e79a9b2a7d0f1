// SPDX-License-Identifier: Apache-2.0
//
// Content blocks as a revision has them: of a tool's result and of a prompt's
// messages (MCP: ContentBlock).
#ifndef MICA_PROTOCOL_BLOCK_H
#define MICA_PROTOCOL_BLOCK_H

#include <mica/json.h>

#include "call/content.h"
#include "protocol/revision.h"

// A block of a kind that the revision does not have becomes text, which is put
// together in `arena`.
void mica_block_write(struct mica_json_writer *writer,
                      const struct mica_content *block,
                      const struct mica_revision_features *features,
                      struct mica_arena *arena);

void mica_text_block_write(struct mica_json_writer *writer,
                           struct mica_text text);

#endif
