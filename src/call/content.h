// SPDX-License-Identifier: Apache-2.0
//
// A block of content, as a handler adds it (content.c) and as the protocol writes
// and reads it.
#ifndef MICA_CALL_CONTENT_H
#define MICA_CALL_CONTENT_H

#include <mica/base.h>

enum mica_content_kind {
    MICA_CONTENT_TEXT,
    MICA_CONTENT_IMAGE,
    MICA_CONTENT_AUDIO,
    MICA_CONTENT_RESOURCE,
    MICA_CONTENT_LINK
};

// A block of a result's content. `data` is text, or base64 of bytes when
// `base64` is set. All in the call's arena.
struct mica_content {
    struct mica_content *next;
    enum mica_content_kind kind;
    bool base64, by_assistant;
    struct mica_text data, mime_type, uri, name, description;
    struct mica_text annotations; // JSON object, or empty
};

#endif
