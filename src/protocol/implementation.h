// SPDX-License-Identifier: Apache-2.0
//
// Writes the description of a server (MCP: Implementation), and icons.
#ifndef MICA_PROTOCOL_IMPLEMENTATION_H
#define MICA_PROTOCOL_IMPLEMENTATION_H

#include <mica/json.h>
#include <mica/protocol.h>

#include "protocol/revision.h"

// Texts that end with NUL; all but name and version may be NULL.
struct mica_implementation {
    const char *name, *version, *title, *description, *website_url;
    const struct mica_icon *icons;
    size_t icon_count;
};

// Writes {"name":…,"version":…,…} with the members that the revision has.
void mica_implementation_write(struct mica_json_writer *writer,
                               const struct mica_implementation *of,
                               const struct mica_revision_features *features);

// Writes icons as a JSON array.
void mica_icons_write(struct mica_json_writer *writer,
                      const struct mica_icon *icons, size_t count);

#endif
