// SPDX-License-Identifier: Apache-2.0
//
// Keeps what a server offers in step with a folder of built engines: one that
// comes is offered, one that changed takes the place of its older self, one that
// goes is taken back. Calls that run end on the engine they began with.
#ifndef MICA_WATCH_ENGINE_RELOAD_H
#define MICA_WATCH_ENGINE_RELOAD_H

#include "server/server.h"

struct mica_reload_options {
    struct mica_server *server;
    const char *folder; // of built engines; has been loaded before
    bool own;           // only what this user has built (sandbox/seal.h)
    // Is the engine of that slug to be served? NULL: all are.
    bool (*wanted)(void *data, const char *slug);
    void *data;
    // What happened, for people: a line without its end.
    void (*note)(void *data, const char *line);
};

struct mica_reload;

// Owner: the texts and the server must outlive it. The engines that the server has
// by now are taken to be of this folder; what has happened in it since they were
// loaded is found by the first look. Errors: MICA_E_LIMIT.
enum mica_status mica_reload_open(const struct mica_reload_options *options,
                                  struct mica_error *error,
                                  struct mica_reload **reload_out)
    MICA_MUST_USE;
void mica_reload_close(struct mica_reload **reload);

// Looks at the folder and brings the server in step. What cannot be loaded is
// noted, once for each reason, and its older self stays; each look tries it
// again. True while one could not be loaded, for it may take another look, not an
// event, to find that it can be loaded. From one thread at a time.
bool mica_reload_look(struct mica_reload *reload);

#endif
