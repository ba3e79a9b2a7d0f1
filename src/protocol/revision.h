// SPDX-License-Identifier: Apache-2.0
//
// The revisions of MCP, and the table of their features, by which every reply is written.
// Those before 2026-07-28 are the *session revisions*: `initialize` begins a session.
// 2026-07-28 is the *stateless revision*: each request declares its client.
#ifndef MICA_PROTOCOL_REVISION_H
#define MICA_PROTOCOL_REVISION_H

#include <mica/base.h>

enum mica_revision {
    MICA_REVISION_2024_11_05, // over stdio and HTTP+SSE
    MICA_REVISION_2025_03_26,
    MICA_REVISION_2025_06_18,
    MICA_REVISION_2025_11_25,
    MICA_REVISION_2026_07_28, // stateless
    MICA_REVISION_COUNT
};

struct mica_revision_features {
    const char *version;
    bool stateless;      // with resultType, serverInfo, caching hints
    bool annotations;    // tool annotations
    bool audio;          // audio content
    bool title;          // title and _meta on definitions
    bool structured;     // outputSchema (of objects) and structuredContent
    bool any_structured; // of any JSON type
    bool resource_link;  // else it becomes text
    bool description;    // description and websiteUrl of an Implementation
    bool batches;        // arrays of messages
    bool priming;        // a stream begins with an event without data
};

const struct mica_revision_features *
mica_revision_features(enum mica_revision revision);

// Finds the revision of that exact name. Returns false if mica does not support it.
bool mica_revision_find(struct mica_text version,
                        enum mica_revision *revision_out);

#endif
