// SPDX-License-Identifier: Apache-2.0
//
// The capabilities that a client declares (MCP: ClientCapabilities), as a set of bits:
// those of enum mica_client_capability, and more that handlers never ask for. Those of
// extensions are rows of extension.h.
#ifndef MICA_PROTOCOL_CAPABILITY_H
#define MICA_PROTOCOL_CAPABILITY_H

#include <mica/json.h>
#include <mica/protocol.h>

#include "protocol/revision.h"

enum {
    MICA_CLIENT_TASKS = 1 << 16, // the extension io.modelcontextprotocol/tasks
    // Its views answer forms: `elicitation` in the extension io.modelcontextprotocol/ui,
    // beside elicitation.form.
    MICA_CLIENT_FORM_VIEWS = 1 << 17
};

// The capabilities that a tool may need, with their names. The last row has no name.
struct mica_client_ask {
    unsigned bit;
    const char *name;
};
extern const struct mica_client_ask mica_client_asks[];

// Reads the capabilities (may be NULL) that a client of that revision declares.
unsigned mica_client_read(const struct mica_json *capabilities,
                          enum mica_revision revision);

// Writes the bits as ClientCapabilities: {"sampling":{},…}.
void mica_client_write(struct mica_json_writer *writer, unsigned bits);

// Writes the names of the bits in mica_client_asks as a JSON array.
void mica_client_write_names(struct mica_json_writer *writer, unsigned bits);

// All bits but MICA_VIEWS: what a program can answer or follow that shows no views.
unsigned mica_client_all(void);

// Reads a list of names of mica_client_asks, separated by commas, for a client without
// views. Returns false if one of them is not in the table, or is "views".
bool mica_client_named(struct mica_text list, unsigned *bits_out);

#endif
