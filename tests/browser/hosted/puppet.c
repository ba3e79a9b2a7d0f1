// SPDX-License-Identifier: Apache-2.0
//
// A tool that only reads, and whose view does what the test says (puppet.html).
#include <mica/tool.h>

struct request {
    struct mica_text word;
};
MICA_RECORD(request,
            MICA_TEXT(word, "What is said.", .fallback = MICA_JSON("hello")));

struct reply {
    struct mica_text said;
};
MICA_RECORD(reply, MICA_TEXT(said, "What was said."));

static enum mica_status
run(struct mica_call *call, const struct request *in, struct reply *out)
{
    (void)call;
    out->said = in->word;
    return MICA_OK;
}

MICA_VIEW(puppet, .file = "puppet.html", .title = "Puppet",
          .permissions = MICA_CAMERA, .border = MICA_BORDERED);

MICA_TOOL(puppet, request, reply, run, .title = "Puppet",
          .description = "Says a word, and shows it.", .hints = MICA_READ_ONLY,
          .view = &mica_view_puppet);
