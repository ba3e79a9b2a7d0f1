// SPDX-License-Identifier: Apache-2.0
//
// The parts of the conformance fixture: each adds what it offers to the server.
#ifndef MICA_CONFORMANCE_FIXTURE_H
#define MICA_CONFORMANCE_FIXTURE_H

#include <mica/server.h>

// A red dot of 1 × 1.
static const unsigned char png[] = {
    0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,    0,    13,
    'I',  'H',  'D',  'R',  0,    0,    0,    1,    0,    0,    0,    1,
    8,    2,    0,    0,    0,    0x90, 0x77, 0x53, 0xde, 0,    0,    0,
    12,   'I',  'D',  'A',  'T',  0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0,
    0,    0x03, 0x01, 0x01, 0x00, 0x18, 0xdd, 0x8d, 0xb0, 0,    0,    0,
    0,    'I',  'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82};

// Resources, templates, prompts and their completion (offers.c).
enum mica_status fixture_add_offers(struct mica_server *server,
                                    struct mica_error *error);

// Progress, log messages, and changes (stream.c).
enum mica_status fixture_add_stream(struct mica_server *server,
                                    struct mica_error *error);

// Streams that break, and changes (session.c).
enum mica_status fixture_add_session(struct mica_server *server,
                                     struct mica_error *error);

// Arguments that headers repeat (headers.c).
enum mica_status fixture_add_headers(struct mica_server *server,
                                     struct mica_error *error);

// Tools and a prompt that ask their client (asks.c).
enum mica_status fixture_add_asks(struct mica_server *server,
                                  struct mica_error *error);

// Tools whose calls become tasks (tasks.c).
enum mica_status fixture_add_tasks(struct mica_server *server,
                                   struct mica_error *error);

// Tools with views (views.c).
enum mica_status fixture_add_views(struct mica_server *server,
                                   struct mica_error *error);

// A tool whose form has a view (form_views.c).
enum mica_status fixture_add_form_views(struct mica_server *server,
                                        struct mica_error *error);

// What their views reach by http_request (mounts.c); after fixture_add_views.
enum mica_status fixture_add_mounts(struct mica_server *server,
                                    struct mica_error *error);

// Two endpoints beside /mcp (endpoints.c); after all the others.
enum mica_status fixture_add_endpoints(struct mica_server *server,
                                       struct mica_error *error);

// An endpoint of the form that published apps have, with all that /mcp offers (place.c);
// after all the others.
enum mica_status fixture_add_place(struct mica_server *server,
                                   struct mica_error *error);

// Tells those at /mcp and, if it is there, at the place of fixture_add_place that the
// resource `uri`, or the list of tools, has changed.
void fixture_resource_changed(struct mica_server *server, const char *uri);
enum mica_status fixture_tools_changed(struct mica_server *server,
                                       struct mica_error *error);

#endif
