// SPDX-License-Identifier: Apache-2.0
//
// The layout of every page of the server: what it begins and ends with. The layouts of apps
// are others (apps/layout.h).
#ifndef MICA_PAGE_SITE_LAYOUT_H
#define MICA_PAGE_SITE_LAYOUT_H

#include "page/site.h"

// The head, up to what a page adds to it; then the body, up to <main>. `title` is
// the page's own, or empty.
void mica_site_layout_open(const struct mica_site *site, struct mica_text title,
                           struct mica_text description,
                           struct mica_buffer *out);
void mica_site_layout_body(const struct mica_site *site,
                           struct mica_buffer *out);

// What an attribute of an address begins with: the way to the root of the server,
// and then `path` below it. `path` holds no text of others.
void mica_site_layout_href(const struct mica_site *site, const char *pathz,
                           struct mica_buffer *out);

// Links a style sheet of the page's own, below web/. It belongs between open and body.
void mica_site_layout_stylesheet(const struct mica_site *site,
                                 const char *namez, struct mica_buffer *out);

// What the modules of a page will ask for; `names` ends with NULL.
void mica_site_layout_preload(const struct mica_site *site,
                              const char *const *names,
                              struct mica_buffer *out);

// Where a page shows what a call tells before it ends (web/ask.js).
void mica_site_layout_progress(struct mica_buffer *out);

void mica_site_layout_close(const struct mica_site *site,
                            struct mica_buffer *out);

#endif
