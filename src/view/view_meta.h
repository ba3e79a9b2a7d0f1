// SPDX-License-Identifier: Apache-2.0
//
// The one writer of what a server says of views: the members of _meta of a tool and of a
// view's resource. Each fact is written in all vocabularies that hosts read: `ui` (MCP Apps
// 2026-01-26), the flat key before it, and the keys of OpenAI. All of a resource stand on
// the same resource, as hosts drop a policy that stands on another one.
#ifndef MICA_VIEW_VIEW_META_H
#define MICA_VIEW_VIEW_META_H

#include <mica/json.h>
#include <mica/view.h>

// Writes ui://SERVER/VIEW. Bytes of the server's name that no URI has become '-'.
void mica_view_uri(struct mica_buffer *out, struct mica_text server,
                   const char *namez);

// Writes the members for a tool. `uri` is that of its view, or empty: the tool has none.
void mica_view_write_tool(struct mica_json_writer *writer, struct mica_text uri,
                          unsigned audience);

// Writes the members for the resource of the view; the same in resources/list and in the
// contents of resources/read.
void mica_view_write_resource(struct mica_json_writer *writer,
                              const struct mica_view *view);

// Writes the members for a question whose form the view of that URI shows (SEP-3118).
void mica_view_write_form(struct mica_json_writer *writer,
                          struct mica_text uri);

// The first of these members that an author has put into .meta, too; NULL: none.
const char *mica_view_meta_clash(const struct mica_json *meta);

#endif
