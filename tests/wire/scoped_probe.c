// SPDX-License-Identifier: Apache-2.0
//
// A tool that takes a scope, and tells who calls it; for app_visibility.py and
// tests/peers/app-tokens.mjs.
#include <mica/tool.h>

struct scoped_input {
    struct mica_text order;
};
MICA_RECORD(scoped_input,
            MICA_TEXT(order, "Which order.", .fallback = MICA_JSON("none")));

struct scoped_output {
    struct mica_text order, caller;
};
MICA_RECORD(scoped_output, MICA_TEXT(order, "The order."),
            MICA_TEXT(caller, "Who has asked."));

static enum mica_status
scoped_probe(struct mica_call *call, const struct scoped_input *in,
             struct scoped_output *out)
{
    const struct mica_principal *principal = mica_principal(call);

    out->order = in->order;
    out->caller =
        principal != NULL ? principal->subject : MICA_LITERAL("an unknown one");
    return MICA_OK;
}
MICA_TOOL(scoped_probe, scoped_input, scoped_output, scoped_probe,
          .description = "Reads an order, for callers that may read orders.",
          .scope = "orders.read", .hints = MICA_READ_ONLY | MICA_IDEMPOTENT);
