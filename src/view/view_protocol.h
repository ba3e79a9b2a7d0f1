// SPDX-License-Identifier: Apache-2.0
//
// The words and the limits of MCP Apps, in tables. scripts/view-protocol writes
// web/view/protocol.js, web/view/protocol.d.ts and web/host/limits.js from them, so that C
// and JavaScript say the same.
#ifndef MICA_VIEW_VIEW_PROTOCOL_H
#define MICA_VIEW_VIEW_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#define MICA_VIEW_PROTOCOL_VERSION "2026-01-26"
#define MICA_VIEW_EXTENSION        "io.modelcontextprotocol/ui"
#define MICA_VIEW_MIME_TYPE        "text/html;profile=mcp-app"
#define MICA_VIEW_URI_KEY          "ui/resourceUri" // before `ui`

// Who sends a message to whom; or-ed for those that go both ways.
enum mica_view_direction {
    MICA_VIEW_TO_HOST = 1,
    MICA_HOST_TO_VIEW = 2,
    MICA_PROXY_TO_HOST = 4, // the frame around the view; never passed on
    MICA_HOST_TO_PROXY = 8
};

struct mica_view_method {
    const char *name;
    unsigned direction; // enum mica_view_direction
    bool request;       // it has an id and a reply; 0: a notification
    // The member of hostCapabilities (to the host) or of appCapabilities (to the view)
    // that declares it; NULL: both sides always have it.
    const char *capability;
};

extern const struct mica_view_method mica_view_methods[];
extern const size_t mica_view_method_count;

// The CSS variables of a theme. An official view refuses a context that has another one.
enum {
    MICA_VIEW_STYLES = 76
};
extern const char *const mica_view_styles[MICA_VIEW_STYLES];

// NULL-ended: how a view may stand in its host, and the content that a host declares.
extern const char *const mica_view_display_modes[];
extern const char *const mica_view_modalities[];

// A limit of include/mica/host.h under its name in web/. The tables end with a NULL name.
struct mica_view_limit {
    const char *name;
    unsigned long value;
    const char *comment;
};
extern const struct mica_view_limit mica_view_peer_limits[]; // of both ends
extern const struct mica_view_limit mica_view_host_limits[]; // of a host

#endif
