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

// The host page of the app: a host of MCP Apps in which people try it.
void mica_page_app_host(const struct mica_site *site,
                        const struct mica_page_app *app,
                        struct mica_buffer *out);

// An app of a collection, with the name of its tool.
struct mica_page_member {
    struct mica_text name, slug;
    struct mica_text tool, tool_description;
};

struct mica_page_collection {
    struct mica_text name, description;
    const char *slugz;
    const struct mica_page_member *members;
    size_t member_count;
};

// The page of a collection: its apps, each with a link to its own page, and how clients
// connect to all of them at once.
void mica_page_collection(const struct mica_site *site,
                          const struct mica_page_collection *collection,
                          struct mica_buffer *out);

// The policy of these pages: that of all pages, and frames of this server. A widget in one has
// an origin of its own by the policy of its own response.
void mica_page_app_policy(struct mica_buffer *out);

#endif
