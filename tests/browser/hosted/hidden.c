// SPDX-License-Identifier: Apache-2.0
//
// A tool for models alone, which no view may call.
#include <mica/tool.h>

struct reply {
    bool secret;
};
MICA_RECORD(reply, MICA_BOOLEAN(secret, "Is it one?"));

static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct reply *out)
{
    (void)call;
    (void)in;
    out->secret = true;
    return MICA_OK;
}

MICA_TOOL(hidden, mica_nothing, reply, run, .title = "Hidden",
          .description = "Return what views must not see.",
          .audience = MICA_MODEL, .hints = MICA_READ_ONLY);
