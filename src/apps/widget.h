// SPDX-License-Identifier: Apache-2.0
//
// The widget of a published app: one HTML document that shows a result of the app's tool.
// It is written when the app is published and never changes after that. Everything is
// inside: the theme as CSS variables, the style of the layout, and a script that takes
// the data from an MCP Apps host, from window.openai, or from the document itself. It
// loads nothing and needs no WebAssembly.
//
// The hash of a document names it: ui://widget/SLUG.html?v=HASH, the first
// MICA_WIDGET_TAG digits of the SHA-256 of its bytes in hexadecimal. The core has no
// SHA-256: the adapter that publishes computes it (crypto_hash_sha256 of libsodium, as
// src/sandbox/trust.c does) and hands the digits to mica_widget_uri.
#ifndef MICA_APPS_WIDGET_H
#define MICA_APPS_WIDGET_H

#include <mica/json.h>
#include <mica/view.h>

#include "apps/layout.h"

enum {
    MICA_WIDGET_BYTES = 256 << 10, // of a document, inline data included
    MICA_WIDGET_TAG = 16           // digits of its hash in an address
};

// ---- The document ----------------------------------------------------------------

// Where the form of the layout "form" sends what a person filled in. The other way is
// taken where the host does not allow the first; with neither, the form cannot be sent.
enum mica_widget_submit {
    // A message of the person, in the conversation: the model sees every value and
    // decides. For apps with fixed data, whose tool could not do anything with them.
    MICA_WIDGET_SUBMIT_MESSAGE,
    // A call of the app's own tool, {message, context: {FIELD: VALUE, …}}: the values
    // reach the app as they were filled in, and its result replaces the form. The model
    // is told by ui/update-model-context. For apps that compute their result.
    MICA_WIDGET_SUBMIT_TOOL
};

struct mica_widget_parts {
    const struct mica_app_layout_row *layout;
    struct mica_text title;        // of the app, for people
    struct mica_text tool;         // its toolName; empty: a draft without one
    const struct mica_json *theme; // NULL: none. Unchecked values are left out
    enum mica_widget_submit submit;
    // For a document that is opened by itself, or a preview: data that the layout's
    // schema allows, as JSON text. Empty: the host brings it.
    struct mica_text data;
    // Instead of data: the words of an error, shown as a failed result.
    struct mica_text failure;
};

// Appends the document. The same parts give the same bytes. Errors: MICA_E_LIMIT (more
// than MICA_WIDGET_BYTES, or the buffer is full), MICA_E_JSON and what mica_json_read
// says of `data`, which is read again in `arena`.
enum mica_status mica_widget_write(const struct mica_widget_parts *parts,
                                   struct mica_arena *arena,
                                   struct mica_error *error,
                                   struct mica_buffer *html_out) MICA_MUST_USE;

// ---- Its addresses ---------------------------------------------------------------

// Appends ui://widget/SLUG.html, with ?v=TAG if `tag` is not empty; of a longer hash the
// first MICA_WIDGET_TAG digits count.
void mica_widget_uri(struct mica_buffer *out, struct mica_text slug,
                     struct mica_text tag);

// Takes such an address apart. `tag_out` is empty for the plain one, which reads the newest
// document. Returns false for any other address: another parameter, or a tag that is not
// MICA_WIDGET_TAG digits of a hash. It does not check that the slug is one.
bool mica_widget_uri_read(struct mica_text uri, struct mica_text *slug_out,
                          struct mica_text *tag_out);

// ---- What is said of it ----------------------------------------------------------

// The view that the resource is: hand it to mica_view_write_resource, which writes both
// vocabularies (`ui` and openai/…) on the one resource. `domains` are the origins of
// images, NULL-ended, or NULL (mica_layout_origins finds those of fixed data); they and
// the parts must outlive the view. MICA_VIEW_MIME_TYPE is its type.
void mica_widget_view(const struct mica_app_layout_row *layout,
                      const char *const *domains, struct mica_view *view_out);

// ---- Serving it by itself --------------------------------------------------------

// Response headers for /servers/SLUG/ui/LAYOUT.html. The document comes from mica's own
// origin, which has the console: the sandbox gives it an origin of its own.
#define MICA_WIDGET_CONTENT_TYPE "text/html; charset=utf-8"
#define MICA_WIDGET_CSP                                                     \
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'" \
    "; style-src 'unsafe-inline'; img-src https: data:; base-uri 'none'"    \
    "; form-action 'none'"
#define MICA_WIDGET_CONTENT_TYPE_OPTIONS "nosniff"     // X-Content-Type-Options
#define MICA_WIDGET_REFERRER_POLICY      "no-referrer" // Referrer-Policy

#endif
