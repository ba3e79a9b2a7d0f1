// SPDX-License-Identifier: Apache-2.0
//
// What a client says that it can do (MCP: ClientCapabilities), as a set of bits:
// those of enum mica_client_capability and one that handlers do not ask for.
#ifndef MICA_PROTOCOL_CAPABILITY_H
#define MICA_PROTOCOL_CAPABILITY_H

#include <mica/json.h>
#include <mica/protocol.h>

#include "protocol/revision.h"

enum {
    MICA_CLIENT_TASKS = 1 << 16 // the extension io.modelcontextprotocol/tasks
};

// What a tool may ask of a client, by the name that people and programs read. The
// last row has no name.
struct mica_client_ask {
    unsigned bit;
    const char *name;
};
extern const struct mica_client_ask mica_client_asks[];

// What a client of that revision can do, from the capabilities it declares (may be
// NULL).
unsigned mica_client_read(const struct mica_json *capabilities,
                          enum mica_revision revision);

// The bits in the form of ClientCapabilities: {"sampling":{},…}.
void mica_client_write(struct mica_json_writer *writer, unsigned bits);

// The names of the bits in mica_client_asks, as a JSON array.
void mica_client_write_names(struct mica_json_writer *writer, unsigned bits);

// All that a client can have.
unsigned mica_client_all(void);

// What a list of names in mica_client_asks, separated by commas, has. False: one
// of them is not in the table.
bool mica_client_named(struct mica_text list, unsigned *bits_out);

#endif
