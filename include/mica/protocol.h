// SPDX-License-Identifier: Apache-2.0
//
// Terms of the Model Context Protocol that a server, its tools and a client share:
// what a client can do, icons, annotations, roles and log levels. Plain values;
// nothing here needs a server.
#ifndef MICA_PROTOCOL_H
#define MICA_PROTOCOL_H

#include <mica/base.h>

// What a tool cannot do without: a client that has not declared it is refused
// (MCP: MissingRequiredClientCapability) before the handler runs.
enum mica_client_capability {
    MICA_ELICITATION = 1,
    MICA_ELICITATION_URL = 2,
    MICA_SAMPLING = 4,
    MICA_SAMPLING_TOOLS = 8,
    MICA_ROOTS = 16,
    MICA_VIEWS = 32 // it shows views (mica/view.h): nothing is asked of it
};

// MCP: icons (2025-11-25 and later).
struct mica_icon {
    const char *src;       // https: or data: URI
    const char *mime_type; // or NULL
    const char *sizes;     // "48x48 96x96", "any", or NULL
    const char *theme;     // "light", "dark" or NULL
};

// The icons of a definition, as an initializer.
#define MICA_ICONS(...)                                             \
    .icons = (const struct mica_icon[]){__VA_ARGS__},               \
    .icon_count = sizeof((const struct mica_icon[]){__VA_ARGS__}) / \
                  sizeof(struct mica_icon)

// For whom some content is, and how much it matters (MCP: annotations).
struct mica_content_options {
    const char *audience; // NULL, "user", "assistant" or "user assistant"
    double priority;      // 0 to 1, sent when has_priority
    bool has_priority;
    const char *last_modified; // ISO 8601, or NULL
};

// Who says the words of a prompt's message.
enum mica_role {
    MICA_USER,
    MICA_ASSISTANT
};

// MCP: logging, the levels of RFC 5424, the least severe first.
enum mica_log_level {
    MICA_LOG_DEBUG,
    MICA_LOG_INFO,
    MICA_LOG_NOTICE,
    MICA_LOG_WARNING,
    MICA_LOG_ERROR,
    MICA_LOG_CRITICAL,
    MICA_LOG_ALERT,
    MICA_LOG_EMERGENCY,
    MICA_LOG_LEVELS
};

#endif
