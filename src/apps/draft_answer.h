// SPDX-License-Identifier: Apache-2.0
//
// What the console asks while a person types: the findings about the text of a draft, and
// its preview. The same functions run in the server and, as app-rules.wasm, in browsers.
#ifndef MICA_APPS_DRAFT_ANSWER_H
#define MICA_APPS_DRAFT_ANSWER_H

#include <mica/base.h>

enum {
    MICA_DRAFT_ANSWER_BYTES = 1024 * 1024 // of an answer, at most
};

// Appends {"savable", "publishable", "slug", "effectiveBudget", "findings"} for the text of
// a draft. "slug" is what the name alone gives; null where the id would give it. Returns
// true; false if the text is no draft: {"error": {"code", "message", "details"}}.
bool mica_draft_findings(struct mica_text json, struct mica_arena *arena,
                         struct mica_buffer *answer_out);

// Appends the document of the draft's widget with its mock data, as HTML. Returns true;
// false as above.
bool mica_draft_preview(struct mica_text json, struct mica_arena *arena,
                        struct mica_buffer *answer_out);

#endif
