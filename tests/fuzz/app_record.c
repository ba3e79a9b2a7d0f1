// SPDX-License-Identifier: Apache-2.0
//
// The record of an app: any bytes as a draft. What has no finding that forbids saving
// reads back as the same draft, a version of it too, and a patch with itself changes
// nothing. A draft that may be published has a tool name that MCP allows.
#include <string.h>

#include "apps/app_rules.h"
#include "apps/app_slug.h"
#include "registry/definition.h"
#include "target.h"

static struct mica_app_findings findings;
static struct mica_error error;

static void
check_findings(const struct mica_app_findings *found)
{
    bool errors = found->worst > MICA_APP_WARNING;

    FUZZ_MUST(found->count <= MICA_APP_FINDINGS);
    for (size_t i = 0; i < found->count; i++) {
        const struct mica_app_finding *one = &found->items[i];
        FUZZ_MUST(mica_utf8_valid(one->path) == one->path.len);
        FUZZ_MUST(mica_utf8_valid(one->message) == one->message.len);
        FUZZ_MUST(one->message.len > 0 && one->message.len < 400);
        FUZZ_MUST(one->path.len == 0 || one->path.ptr[0] == '/');
        FUZZ_MUST(one->severity <= found->worst);
    }
    FUZZ_MUST((mica_app_findings_refuse(found, true, &error) != MICA_OK) ==
              errors);
}

static void
check_version(const struct mica_app_draft *draft, struct mica_text text,
              struct mica_arena *arena)
{
    struct mica_app_version version = {.draft = *draft,
                                       .version = 7,
                                       .published_at = 1790000000123,
                                       .pin = MICA_LITERAL("p")},
                            again;
    struct mica_json_writer writer;
    struct mica_buffer json;
    struct mica_text same;

    mica_buffer_init(&json, arena, MICA_APP_VERSION_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_app_version_write(&writer, &version);
    FUZZ_MUST(!json.overflow);
    FUZZ_MUST(mica_app_version_read(mica_buffer_as_text(&json), arena, &error,
                                    &again) == MICA_OK);
    FUZZ_MUST(again.version == 7 && again.published_at == 1790000000123);
    FUZZ_MUST(mica_app_draft_text(&again.draft, arena, &error, &same) ==
              MICA_OK);
    FUZZ_MUST(mica_text_equal(text, same));
}

static void
check_patch(struct mica_text text, struct mica_arena *arena)
{
    struct mica_buffer json;
    struct mica_app_draft draft;
    struct mica_text same;

    mica_buffer_init(&json, arena, MICA_APP_DRAFT_BYTES);
    if (mica_app_draft_patch(text, text, arena, &error, &json) != MICA_OK)
        FUZZ_MUST(false);
    mica_app_findings_init(&findings, arena);
    FUZZ_MUST(mica_app_draft_read(mica_buffer_as_text(&json), arena, &findings,
                                  &error, &draft) == MICA_OK);
    FUZZ_MUST(mica_app_draft_text(&draft, arena, &error, &same) == MICA_OK);
    FUZZ_MUST(mica_text_equal(text, same));
}

static void
check_saved(const struct mica_app_draft *draft, struct mica_arena *arena)
{
    struct mica_app_draft again;
    struct mica_text text, same;
    char slug[MICA_APP_SLUG_SIZE];

    // Defaults that are written out may be too much for a draft at the limit.
    if (mica_app_draft_text(draft, arena, &error, &text) != MICA_OK) {
        FUZZ_MUST(error.status == MICA_E_LIMIT);
        return;
    }
    mica_app_findings_init(&findings, arena);
    FUZZ_MUST(mica_app_draft_read(text, arena, &findings, &error, &again) ==
              MICA_OK);
    FUZZ_MUST(mica_app_findings_first(&findings, false) == NULL);
    FUZZ_MUST(mica_app_draft_text(&again, arena, &error, &same) == MICA_OK);
    FUZZ_MUST(mica_text_equal(text, same));
    check_version(draft, text, arena);
    check_patch(text, arena);
    FUZZ_MUST(mica_app_slug(draft->name, MICA_LITERAL("0123456789"), slug) <=
              MICA_APP_SLUG_LENGTH);
    FUZZ_MUST(mica_app_slug_wrong(mica_text(slug)) == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text json = {(const char *)bytes, size};
    struct mica_app_draft draft;
    struct mica_arena arena;

    if (size > 32 * 1024)
        return 0;
    mica_arena_init(&arena, 4 * MICA_APP_CHECK_BYTES);
    mica_app_findings_init(&findings, &arena);
    if (mica_app_read_and_check(json, NULL, &arena, &findings, &error,
                                &draft) == MICA_OK) {
        bool saved =
            mica_app_findings_refuse(&findings, false, &error) == MICA_OK;
        check_findings(&findings);
        if (findings.worst == MICA_APP_WARNING) {
            FUZZ_MUST(mica_name_valid(draft.tool_name));
            FUZZ_MUST(draft.tool_description.len > 0);
        }
        if (saved)
            check_saved(&draft, &arena);
    } else {
        FUZZ_MUST(error.status == MICA_E_CONFIG ||
                  error.status == MICA_E_LIMIT);
    }
    mica_arena_fini(&arena);
    return 0;
}
