// SPDX-License-Identifier: Apache-2.0
//
// Keeps what a server offers in step with a folder of built tools, as engine_reload.h does
// with engines. A call that runs, or waits for its client, continues with the build
// that it began with.
#ifndef MICA_WATCH_TOOLS_H
#define MICA_WATCH_TOOLS_H

#include "server/server.h"

struct mica_tools_options {
    struct mica_server *server;
    const char *folder; // of built tools; has been loaded before, or is empty
    bool own;           // only what this user has built (sandbox/seal.h)
    // Is the tool of that name to be served? NULL: all are.
    bool (*wanted)(void *data, const char *name);
    void *data;
    // What happened, for people: a line without its end.
    void (*note)(void *data, const char *line);
};

struct mica_tools_watch;

// Owner: the texts and the server must outlive it. Errors: MICA_E_LIMIT.
enum mica_status mica_tools_watch_open(const struct mica_tools_options *options,
                                       struct mica_error *error,
                                       struct mica_tools_watch **watch_out)
    MICA_MUST_USE;
void mica_tools_watch_close(struct mica_tools_watch **watch);

// Looks at the folder and brings the server in step. What cannot be loaded is
// noted, once for each reason, and its older self stays. True while one
// could not be loaded, for it may take another look, not an event, to find that it can be
// loaded. From one thread at a time.
bool mica_tools_watch_look(struct mica_tools_watch *watch);

#endif
