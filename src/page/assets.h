// SPDX-License-Identifier: Apache-2.0
//
// The files of web/, which a program has inside (scripts/embed writes them).
#ifndef MICA_PAGE_ASSETS_H
#define MICA_PAGE_ASSETS_H

#include <mica/base.h>

enum {
    MICA_PAGE_TAG =
        16 // digits of a hash that tell two versions of a file apart
};

struct mica_asset {
    const char *name; // as it is served and built: "_engine.js"
    const char *type; // for Content-Type
    struct mica_text bytes, gzip;
    const char *sha256; // of `bytes`, in hexadecimal
};

struct mica_assets {
    const struct mica_asset *items;
    size_t count;
};

// What engines share in browsers; and what pages load, which is in libmica alone:
// nothing that builds engines has to be made anew when a page changes.
extern const struct mica_assets mica_engine_assets, mica_page_assets;

// The document of the sandbox of views, and its script, which no page loads.
extern const struct mica_assets mica_sandbox_assets;

// The rules and the widget of apps for browsers, app-rules.wasm; empty if the program was
// built without a compiler for wasm.
extern const struct mica_assets mica_rules_assets;

// The style sheet and the script of the views of engines.
extern const struct mica_assets mica_engine_view_assets;

// NULL: no asset has that name.
const struct mica_asset *mica_asset_find(const struct mica_assets *assets,
                                         struct mica_text name);

#endif
