// SPDX-License-Identifier: Apache-2.0
//
// The pages for people: the catalog and one page a tool. HTML only, made from
// what a server offers; web/page.js brings the pages to life. No I/O.
#ifndef MICA_PAGE_SITE_H
#define MICA_PAGE_SITE_H

#include "registry/catalog.h"

// What all pages of a server share.
struct mica_site {
    const char *namez, *versionz, *titlez,
        *descriptionz;         // of the server; the last or NULL
    struct mica_text icon;     // a data: URL of an image, or empty
    struct mica_text website;  // http:// or https://, or empty
    struct mica_text host;     // as the client wrote it, checked by the adapter
    struct mica_text endpoint; // of MCP, whole; empty: a browser knows it best
    // From a page to the root of the server: "./", "../", … Every address on a
    // page begins with it, so that a proxy may show the server below a prefix.
    struct mica_text root;
    // From the root to what the page is of, "servers/x/"; empty: the server itself.
    struct mica_text below;
    struct mica_text base;   // in front of paths that are shown, "/tools/x"
    struct mica_text person; // who is signed in, as people read it; or empty
    struct mica_text logout; // where that ends: a path; or empty
    const char *host_pagez;  // from the root, where views are shown; or NULL
    const char *consolez;    // from the root, where apps are edited; or NULL
    const char
        *alonez;      // name of the app that has this host for itself; or NULL
    bool rest;        // /api is there
    bool develops;    // mica dev serves it:
    int64_t revision; // of the sources that the page is of
};

// The policy under which all of our pages run: nothing inline, nothing from
// elsewhere, no eval but WebAssembly.
void mica_page_policy(struct mica_buffer *out);

// The policy of a page that a tool brings: an origin of its own, in which scripts
// and forms work, and nothing of the server can be read. `hashes` are of the
// scripts and styles inside.
void mica_page_sandbox(struct mica_text hashes, struct mica_buffer *out);

// "/": every tool, by category, to be searched.
void mica_page_catalog(const struct mica_site *site,
                       const struct mica_catalog *catalog,
                       struct mica_buffer *out);

// "/tools/<name>": a form, the result, and how to call it elsewhere. Errors:
// INVALID_JSON or LIMIT_EXCEEDED, of a schema.
enum mica_status mica_page_tool(const struct mica_site *site,
                                const struct mica_definition *tool,
                                struct mica_arena *arena,
                                struct mica_error *error,
                                struct mica_buffer *out) MICA_MUST_USE;

// "/calls/<id>": a call that asks, in the hands of a person.
void mica_page_call(const struct mica_site *site, struct mica_text id,
                    struct mica_buffer *out);

// "/inspect", while tools are written: what clients ask, and requests to try.
void mica_page_inspect(const struct mica_site *site, struct mica_buffer *out);

// "/host": calls tools and shows their views; and its policy, which is that of all
// pages but for frames of sandboxes: at `port`, which begins with a colon or is empty.
void mica_page_host(const struct mica_site *site, struct mica_buffer *out);
void mica_page_host_policy(struct mica_text port, struct mica_buffer *out);

// "/console": where people design, publish and watch apps. Its policy is that of all
// pages but for frames of the server itself, in which the preview of a widget is.
void mica_page_console(const struct mica_site *site, struct mica_buffer *out);
void mica_page_console_policy(struct mica_buffer *out);

// "/console/stage": the empty document of such a frame, into which the console writes a
// widget; and its policy: an origin of its own, nothing loaded but pictures.
void mica_page_stage(struct mica_buffer *out);
void mica_page_stage_policy(struct mica_buffer *out);

// The document of an engine's view, whole: form, result, styles, scripts and the module of
// the engine. Errors: those of its schema, and of the file of its module.
enum mica_status mica_page_engine_view(const struct mica_definition *engine,
                                       struct mica_arena *arena,
                                       struct mica_error *error,
                                       struct mica_buffer *out) MICA_MUST_USE;

// A piece of such a page: the fields for a schema, with ids that have the number
// in them. Errors: INVALID_JSON, LIMIT_EXCEEDED.
enum mica_status mica_page_form(struct mica_text schema, unsigned number,
                                struct mica_arena *arena,
                                struct mica_error *error,
                                struct mica_buffer *out) MICA_MUST_USE;

// A refusal for a person who followed an address: what was wrong in plain words,
// the server's own message and its code. `nearest` is a tool that may have been
// meant, or NULL.
struct mica_page_refusal {
    unsigned status;
    struct mica_text path, code, detail;
    const struct mica_definition *nearest;
    struct mica_text sign_in; // where people sign in: an address; or empty
};
void mica_page_refuse(const struct mica_site *site,
                      const struct mica_page_refusal *refusal,
                      struct mica_buffer *out);

// What a person sees who has signed out. `again` is where to sign in; `issuer` is
// where the browser ends its session at the issuer, or empty.
void mica_page_signed_out(const struct mica_site *site, struct mica_text again,
                          struct mica_text issuer, struct mica_buffer *out);

// A definition's files for browsers, as page/engine.h has them.
struct mica_page_engine;
void mica_page_engine_of(const struct mica_definition *definition,
                         struct mica_page_engine *engine_out);

#endif
