// SPDX-License-Identifier: Apache-2.0
//
// Makes the document of a view self-contained: a view may import nothing, as its policy lets
// only inline scripts run. So the module "mica:view" that a script imports is written in
// front of it.
#ifndef MICA_BUILD_VIEW_INLINE_H
#define MICA_BUILD_VIEW_INLINE_H

#include "page/assets.h"

// view.js: the module, as one statement (scripts/join-view).
extern const struct mica_assets mica_view_assets;

// page.js: the script of a tool's page that is a view (scripts/join-engine-view).
extern const struct mica_assets mica_engine_page_assets;

// A module that stands in the document by other means than "mica:view".
struct mica_view_module {
    const char *name;  // as scripts import it; NULL ends a list
    const char *value; // the expression that gives its exports
};

// What else a document may import.
struct mica_view_imports {
    const struct mica_view_module *modules; // or NULL
    bool others;         // all other imports stay as they are
    bool *uses_view_out; // whether a script imports "mica:view"; or NULL
};

// The same as mica_view_inline, for a document with these imports.
enum mica_status mica_view_inline_with(struct mica_text document,
                                       const struct mica_view_imports *imports,
                                       struct mica_buffer *out,
                                       struct mica_error *error) MICA_MUST_USE;

// Writes the document with the module in place of its import. At most one script imports
// it; a document without one is written as it is. Errors: MICA_E_USAGE (a second script, a
// src of "mica:…", another import, another module), MICA_E_LIMIT.
enum mica_status mica_view_inline(struct mica_text document,
                                  struct mica_buffer *out,
                                  struct mica_error *error) MICA_MUST_USE;

#endif
