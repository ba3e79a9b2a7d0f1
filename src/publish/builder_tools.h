// SPDX-License-Identifier: Apache-2.0
//
// The tools of the builder, as a table: which act each of them does, and what it tells an
// agent. Internal to this folder.
#ifndef MICA_PUBLISH_BUILDER_TOOLS_H
#define MICA_PUBLISH_BUILDER_TOOLS_H

#include "publish/app_acts.h"

struct mica_builder_tool {
    const char *name, *title, *description;
    enum mica_act act;
    unsigned hints; // enum mica_hints
    const char *
        wrapped; // the argument that is the body of the act; NULL: they all are
    const char *input, *output; // JSON Schemas, each on one line
};

extern const struct mica_builder_tool mica_builder_tools[];
extern const size_t mica_builder_tool_count;

// How to build an app with these tools, for the model of a client.
extern const char mica_builder_instructions[];

#endif
