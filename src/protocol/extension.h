// SPDX-License-Identifier: Apache-2.0
//
// The extensions of MCP that mica knows, one row each, and one for each part of an extension
// that stands in its settings, behind it: what a client declares under
// capabilities.extensions, from which revision on, and what a server says of it.
#ifndef MICA_PROTOCOL_EXTENSION_H
#define MICA_PROTOCOL_EXTENSION_H

#include <mica/json.h>

#include "protocol/revision.h"

struct mica_extension {
    const char *name;
    const char
        *setting; // an object of its settings; NULL: the extension itself
    unsigned bit; // of a client that declares it (protocol/capability.h)
    enum mica_revision earliest; // of the clients that may declare it
    // Do these settings of a client, an object, declare it? NULL: any do.
    bool (*accepts)(const struct mica_json *settings);
    // A server declares it if it can serve it. False: clients alone declare it.
    bool of_server;
};

extern const struct mica_extension mica_extensions[];
extern const size_t mica_extension_count;

// Writes the member `extensions` with those whose bits are set; nothing without any.
void mica_extensions_write(struct mica_json_writer *writer, unsigned bits);

#endif
