// SPDX-License-Identifier: Apache-2.0
//
// A tool that is not read-only: a view that calls it has to be allowed to.
#include <mica/tool.h>

struct request {
    struct mica_text word;
};
MICA_RECORD(request, MICA_TEXT(word, "What is noted."));

static enum mica_status
run(struct mica_call *call, const struct request *in, struct request *out)
{
    (void)call;
    out->word = in->word;
    return MICA_OK;
}

MICA_TOOL(note, request, request, run, .title = "Take a note",
          .description = "Note a word.");
