// SPDX-License-Identifier: Apache-2.0
//
// Throws dice, and shows them: a tool with a view. The document of the view is
// throw_dice.html beside this file; docs/views.md explains both.
#include <mica/tool.h>

struct request {
    int64_t count;
};
MICA_RECORD(request, MICA_INTEGER(count, "How many dice are thrown.",
                                  .minimum = 1, .maximum = 6, .fallback = "2"));

struct dice {
    struct {
        size_t count;
        const int64_t *items;
    } faces;
    int64_t sum;
};
MICA_RECORD(dice,
            MICA_LIST(faces, integer, "The face of each die, from 1 to 6."),
            MICA_INTEGER(sum, "All faces together."));

static enum mica_status
throw_dice(struct mica_call *call, const struct request *in, struct dice *out)
{
    int64_t *faces = MICA_NEW(call, int64_t, (size_t)in->count);

    for (int64_t i = 0; i < in->count; i++) {
        faces[i] = 1 + (int64_t)(mica_random(call) % 6);
        out->sum += faces[i];
    }
    out->faces.items = faces;
    out->faces.count = (size_t)in->count;
    return MICA_OK;
}

MICA_VIEW(throw_dice, .file = "throw_dice.html", .title = "Dice",
          .description = "The dice as they lie, with a button that throws them "
                         "again.",
          .border = MICA_BORDERED);

MICA_TOOL(throw_dice, request, dice, throw_dice, .title = "Throw dice",
          .description = "Throw one to six dice and return the face of each, "
                         "and their sum.",
          .view = &mica_view_throw_dice);
