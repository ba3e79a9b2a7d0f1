// SPDX-License-Identifier: Apache-2.0
//
// Asks for a number, by a form that one of three views shows: one that does what the test
// says, one that does not connect, and one that answers no forms.
#include <mica/tool.h>

struct request {
    struct mica_text view;
};
MICA_RECORD(request, MICA_TEXT(view, "Which view.", .fallback = "\"puppet\""));

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many.", .minimum = 1, .maximum = 9));

MICA_VIEW(puppet, .file = "puppet.html");
MICA_VIEW(mute, .html = "<!doctype html><p>mute");
MICA_VIEW(plain, .file = "plain.html");

static enum mica_status
run(struct mica_call *call, const struct request *in, struct pick *out)
{
    const struct mica_view *view =
        mica_text_is(in->view, "mute")
            ? &mica_view_mute
            : (mica_text_is(in->view, "plain") ? &mica_view_plain
                                               : &mica_view_puppet);

    return mica_elicit(call, MICA_FORM(pick, out, .view = view), "How many?");
}

MICA_TOOL(pick, request, pick, run, .description = "Asks for a number.",
          .requires = MICA_ELICITATION,
          .form_views = MICA_FORM_VIEWS(&mica_view_puppet, &mica_view_mute,
                                        &mica_view_plain));
