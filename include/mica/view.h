// SPDX-License-Identifier: Apache-2.0
//
// Views: HTML documents that a host shows beside a conversation (MCP Apps, the extension
// io.modelcontextprotocol/ui, of 2026-01-26). A view shows the result of a tool and may call
// tools itself. docs/views.md explains one step by step.
//
//     #include <mica/tool.h>
//
//     MICA_VIEW(forecast, .file = "forecast.html",
//         .description = "The forecast of a week, as a chart.",
//         .connect_domains = MICA_DOMAINS("https://api.example.com"),
//         .permissions = MICA_CLIPBOARD_WRITE,
//         .border = MICA_BORDERLESS);
//
//     MICA_TOOL(get_forecast, request, report, run,
//         .description = "Get the forecast of a week.", .view = &mica_view_forecast);
//
// The server offers the document as the resource ui://SERVER/forecast, and names it in the
// _meta of the tool. Only clients that declare the extension see either (MICA_VIEWS): for
// all others the tool is as it would be without a view. So a tool always returns a result
// that is complete without its view.
//
// A view can also stand in for the form of a question: MICA_FORM(…, .view = …) of
// <mica/tool.h>, with .form_views of its tool. The draft that says so is SEP-3118, so the
// server does it only if it is told to (mica_server_options.form_views).
//
// A host runs the document in a sandbox without network. The domains of the view open it:
// each is an origin, https://host[:port] or wss://host[:port], where the first label of the
// host may be "*"; http and ws are for this machine (localhost, 127.0.0.1, [::1]).
#ifndef MICA_VIEW_H
#define MICA_VIEW_H

#include <mica/base.h>

// Who may call a tool. A tool without .audience is for both.
enum mica_audience {
    MICA_MODEL = 1, // models, and programs that speak for one
    MICA_APP = 2    // views of the same server
};

// What the browser is asked to permit, and the person may refuse.
enum mica_view_permission {
    MICA_CAMERA = 1,
    MICA_MICROPHONE = 2,
    MICA_GEOLOCATION = 4,
    MICA_CLIPBOARD_WRITE = 8
};

// Whether the host draws a border around the view.
enum mica_view_border {
    MICA_BORDER_OF_HOST, // the host decides
    MICA_BORDERED,
    MICA_BORDERLESS
};

struct mica_view {
    const char *name; // as in a C identifier; in the URI with '-' for '_'
    // The document, one of the two. A file lies beside the source of the tool: `mica build`
    // reads it, puts scripts of mica into it (docs/views.md), and keeps it in the tool.
    // `html` is for programs that add their tools themselves. At most MICA_VIEW_BYTES.
    const char *file, *html;
    const char *title;       // for people
    const char *description; // for the model: what the person sees
    // Origins, NULL-ended (MICA_DOMAINS); NULL: none.
    const char *const *connect_domains; // fetch, XHR, WebSocket
    const char *const
        *resource_domains;            // scripts, styles, images, fonts, media
    const char *const *frame_domains; // frames inside the view
    const char *const *base_uri_domains; // <base>
    unsigned permissions;                // enum mica_view_permission, or-ed
    enum mica_view_border border;
    // The origin that the view asks its host for. Each host has a form of its own, and one
    // that is wrong for a host stops the view there: leave it out, unless one host serves
    // you alone and its documentation says what to write.
    const char *domain;
};

#define MICA_VIEW_BYTES      (4 << 20) // of a document
#define MICA_VIEW_DOMAINS    32        // in each of its lists
#define MICA_FORM_VIEWS_MOST 8         // of the forms of one tool

// A list of domains, as an initializer.
#define MICA_DOMAINS(...) ((const char *const[]){__VA_ARGS__, NULL})

// Defines mica_view_<name> in this file; several tools may share it. To share it among
// files, put it into a header.
#define MICA_VIEW(name_, ...)                                        \
    MICA_QUIET_                                                      \
    __attribute__((                                                  \
        unused)) static const struct mica_view mica_view_##name_ = { \
        .name = #name_, __VA_ARGS__};                                \
    MICA_LOUD_                                                       \
    _Static_assert(1, "")

#endif
