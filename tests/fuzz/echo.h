// SPDX-License-Identifier: Apache-2.0
//
// The server that the fuzz targets of the protocol talk to: one tool, which gives
// its arguments back.
#ifndef MICA_FUZZ_ECHO_H
#define MICA_FUZZ_ECHO_H

#include <mica/server.h>

#include "target.h"

static inline enum mica_status
echo(struct mica_call *call, const struct mica_json *in,
     struct mica_json_writer *out)
{
    (void)call;
    mica_json_value(out, in);
    return MICA_OK;
}

// Opened on first use and kept.
static inline struct mica_server *
echo_server(void)
{
    static const struct mica_tool tool = {
        .name = "echo",
        .description = "Gives its arguments back.",
        .input_schema = "{\"type\":\"object\"}",
        .json_handler = echo};
    static struct mica_server *server;
    struct mica_error error;

    if (server == NULL) {
        FUZZ_MUST(
            mica_server_open(
                &(struct mica_server_options){.name = "fuzz", .version = "1"},
                &error, &server) == MICA_OK);
        FUZZ_MUST(mica_server_add_tool(server, &tool, NULL, &error) == MICA_OK);
    }
    return server;
}

#endif
