// SPDX-License-Identifier: Apache-2.0
//
// The files with which an engine runs in a browser, beside its module: an ES
// module that loads it, and the types of that. Written from the manifest, the
// same by a build and by a server.
#ifndef MICA_PAGE_ENGINE_H
#define MICA_PAGE_ENGINE_H

#include <mica/json.h>

struct mica_page_engine {
    struct mica_text slug, title, description;
    struct mica_text input_schema, output_schema, examples; // JSON
    struct mica_text sha256;          // of the module, in hexadecimal
    struct mica_text fallback_sha256; // of its fallback; empty: it has none
    uint32_t memory_bytes;            // its limit
};

// From a manifest. The texts are those of `manifest`.
void mica_page_engine_read(const struct mica_json *manifest,
                           struct mica_page_engine *engine_out);

// <slug>.js: exports by default one object with name, description, inputSchema
// (with parse), handler and examples. web/engine.js does the work.
void mica_page_engine_module(const struct mica_page_engine *engine,
                             struct mica_buffer *out);

// The end of that module: the limits of the engine and what it says of itself.
void mica_page_engine_limits(const struct mica_page_engine *engine,
                             struct mica_buffer *out);

// The same engine inside a page: an element with an import map, whose addresses
// /engines/<slug>.js and /engines/_engine.js are data: URLs. It stands before
// every script of the page. `fallback` may be empty.
void mica_page_engine_inline(const struct mica_page_engine *engine,
                             struct mica_text wasm, struct mica_text fallback,
                             struct mica_buffer *out);

// Elements of the document of a view: JSON that its script reads; what the engine says of
// itself (`connects`: the script connects the page to its host); and its module, as it is
// or compressed.
void mica_page_engine_json(const char *idz, struct mica_text json,
                           struct mica_buffer *out);
void mica_page_engine_facts(const struct mica_page_engine *engine,
                            bool connects, struct mica_buffer *out);
void mica_page_engine_bytes(struct mica_text bytes, bool gzip,
                            struct mica_buffer *out);

// <slug>.d.ts. Errors: INVALID_JSON or LIMIT_EXCEEDED, of a schema.
enum mica_status mica_page_engine_types(const struct mica_page_engine *engine,
                                        struct mica_arena *arena,
                                        struct mica_error *error,
                                        struct mica_buffer *out) MICA_MUST_USE;

#endif
