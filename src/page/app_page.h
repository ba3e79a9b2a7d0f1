// SPDX-License-Identifier: Apache-2.0
//
// The page of a published app for people: what it is, how each client connects to it, and
// its widget with the app's mock data in a frame that can reach nothing.
#ifndef MICA_PAGE_APP_PAGE_H
#define MICA_PAGE_APP_PAGE_H

#include "page/site.h"

struct mica_page_app {
    struct mica_text name, description;
    struct mica_text tool, tool_description;
    const char *slugz, *layoutz; // the layout is that of its widget
    const char
        *folderz; // from the page to what lies below the app: "slug/", or ""
};

// `site` is that of the server, with the base path, the name and the root of the app.
void mica_page_app(const struct mica_site *site,
                   const struct mica_page_app *app, struct mica_buffer *out);

// The policy of the page: that of all pages, and frames of this server. A widget in one has
// an origin of its own by the policy of its own response.
void mica_page_app_policy(struct mica_buffer *out);

#endif
