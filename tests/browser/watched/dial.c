// SPDX-License-Identifier: Apache-2.0
//
// A tool whose view is changed while it is open (dial.html). With `large` its result takes
// more tokens than a model should be given.
#include <mica/tool.h>

struct request {
    int64_t start;
    bool large;
};
MICA_RECORD(request,
            MICA_INTEGER(start, "Where the dial begins.", .fallback = "1"),
            MICA_BOOLEAN(large, "Is the result a large one?",
                         .fallback = "false"));

struct reply {
    int64_t at;
    struct mica_text words;
};
MICA_RECORD(reply, MICA_INTEGER(at, "Where the dial stands."),
            MICA_TEXT(words, "Words without a use."));

static enum mica_status
run(struct mica_call *call, const struct request *in, struct reply *out)
{
    size_t size = in->large ? 100000 : 1;
    char *words = MICA_NEW(call, char, size);

    for (size_t i = 0; i < size; i++)
        words[i] = 'x';
    out->at = in->start;
    out->words = (struct mica_text){words, size};
    return MICA_OK;
}

MICA_VIEW(dial, .file = "dial.html", .title = "Dial",
          .permissions = MICA_CLIPBOARD_WRITE);

MICA_TOOL(dial, request, reply, run, .title = "Dial",
          .description = "Shows a dial.", .hints = MICA_READ_ONLY,
          .view = &mica_view_dial);
