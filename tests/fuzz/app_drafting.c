// SPDX-License-Identifier: Apache-2.0
//
// The answer of a model that drafts an app: any bytes. What comes out can be published, has
// fixed data, and only the six members that are drafted.
#include "apps/app_drafting.h"
#include "apps/app_rules.h"
#include "target.h"

static struct mica_app_findings findings, checked;

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_app_drafting drafting = {
        .sentence = MICA_LITERAL("Shows where an order is")};
    struct mica_text json = {NULL, 0};
    struct mica_app_draft draft;
    struct mica_error error;
    struct mica_arena arena;

    mica_arena_init(&arena, 64 << 20);
    mica_app_findings_init(&findings, &arena);
    mica_app_findings_init(&checked, &arena);
    FUZZ_MUST(mica_app_drafting_begin(&drafting, &arena, &error) == MICA_OK);
    mica_app_drafting_take(&drafting,
                           (struct mica_text){(const char *)bytes, size},
                           &arena, &findings);
    FUZZ_MUST(findings.worst == MICA_APP_WARNING);
    FUZZ_MUST(drafting.draft.behavior.type == MICA_APP_DATA);
    FUZZ_MUST(drafting.draft.visibility == MICA_APP_PUBLIC);
    FUZZ_MUST(drafting.draft.theme == NULL && !drafting.draft.has_budget);
    FUZZ_MUST(mica_app_draft_text(&drafting.draft, &arena, &error, &json) ==
              MICA_OK);
    FUZZ_MUST(mica_app_read_and_check(json, NULL, &arena, &checked, &error,
                                      &draft) == MICA_OK);
    FUZZ_MUST(checked.worst == MICA_APP_WARNING);
    mica_arena_fini(&arena);
    return 0;
}
