// SPDX-License-Identifier: Apache-2.0
//
// Routes for browsers. All run on the I/O thread.
#ifndef MICA_HTTP_PAGES_H
#define MICA_HTTP_PAGES_H

#include <microhttpd.h>

struct mica_buffer;
struct mica_http_exchange;

// "/", "/tools/<name>"
enum MHD_Result mica_web_catalog(struct mica_http_exchange *exchange);
enum MHD_Result mica_web_tool(struct mica_http_exchange *exchange);

// "/calls/<id>"; "/web/form", which makes a form from the schema in the body
enum MHD_Result mica_web_call(struct mica_http_exchange *exchange);
enum MHD_Result mica_web_form(struct mica_http_exchange *exchange);

// "/web/<file>"; "/favicon.ico", which browsers request for pages without an icon;
// "/sw.js"
enum MHD_Result mica_web_asset(struct mica_http_exchange *exchange);
enum MHD_Result mica_web_icon(struct mica_http_exchange *exchange);
enum MHD_Result mica_web_worker(struct mica_http_exchange *exchange);

// "/inspect", for callers that may see it (inspect_routes.c).
enum MHD_Result mica_web_inspect(struct mica_http_exchange *exchange);

// "/host", which hosts views (mica_http_options.host_page).
enum MHD_Result mica_web_host(struct mica_http_exchange *exchange);

// "/servers/<slug>", its "/host", in which people try it, and its "/ui/<layout>.html"
// (app_pages.c). The last one asks the store thread for the document.
enum MHD_Result mica_web_app(struct mica_http_exchange *exchange);
enum MHD_Result mica_web_app_host(struct mica_http_exchange *exchange);
enum MHD_Result mica_web_widget(struct mica_http_exchange *exchange);

// Sends a page under a policy, with the headers of all pages.
enum MHD_Result mica_web_send_page(struct mica_http_exchange *exchange,
                                   unsigned status,
                                   const struct mica_buffer *policy,
                                   const struct mica_buffer *page);

// "/console", and "/console/stage" for its frames
enum MHD_Result mica_web_console(struct mica_http_exchange *exchange);

// "/engines/<slug>.js", .d.ts, .wasm, .twin.js, and the files that all engines share
enum MHD_Result mica_web_engine(struct mica_http_exchange *exchange);

#endif
