// SPDX-License-Identifier: Apache-2.0
//
// The revisions of the protocol and what each has on the wire: one table, from
// which every reply is written (guide section 0.3).
#ifndef MICA_PROTOCOL_REVISION_H
#define MICA_PROTOCOL_REVISION_H

#include <mica/base.h>

enum mica_revision {
    MICA_REVISION_2024_11_05, // stdio only
    MICA_REVISION_2025_03_26,
    MICA_REVISION_2025_06_18,
    MICA_REVISION_2025_11_25,
    MICA_REVISION_2026_07_28, // stateless; everything before has a handshake
    MICA_REVISION_COUNT
};

struct mica_revision_features {
    const char *version;
    bool stateless;      // stateless: resultType, serverInfo, caching hints
    bool annotations;    // tool annotations
    bool audio;          // audio content
    bool title;          // title and _meta on definitions
    bool structured;     // outputSchema (of objects) and structuredContent
    bool any_structured; // of any JSON type
    bool resource_link;  // else it becomes text
    bool description;    // description and websiteUrl of an Implementation
    bool batches;        // arrays of messages
    bool priming;        // a stream begins with an event that has only an id
};

const struct mica_revision_features *
mica_revision_features(enum mica_revision revision);

// The revision of that exact name; false when mica does not speak it.
bool mica_revision_find(struct mica_text version, enum mica_revision *wire_out);

#endif
