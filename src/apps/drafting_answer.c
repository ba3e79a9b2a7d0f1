// SPDX-License-Identifier: Apache-2.0
//
// Takes the answer of a model apart. Each part is put into a copy of the draft, which is
// written, read and checked as the draft of a person is; only then it is taken over.
#include "apps/app_rules.h"
#include "apps/drafting_parts.h"
#include "apps/model_answer.h"

#include <string.h>

#define BY_RULE "DRAFTED_BY_RULE"

enum {
    ANSWER_DEPTH = 16,
    DATA_DEPTH = 16,
    CHECK_BYTES = MICA_APP_CHECK_BYTES
};

// One answer.
struct answer_look {
    struct mica_app_drafting *drafting;
    const struct mica_json *answer;
    struct mica_arena *arena;
    struct mica_app_findings *findings;
};

static void
refuse_part(const struct answer_look *look, enum mica_app_part part,
            const char *whyz)
{
    mica_app_find_member(
        look->findings, MICA_APP_WARNING, BY_RULE, "",
        mica_text(mica_app_part_name(part)),
        "the language model's %s is not taken: %s; it is made by "
        "rule",
        mica_app_part_name(part), whyz);
}

// ---- Checking --------------------------------------------------------------------------

// Warnings that a person may judge, and that refuse what a model wrote: what people do not
// see.
static bool
is_suspicious(const char *codez)
{
    static const char *const codes[] = {"HIDDEN_CHARACTER", "LOOKALIKE_LETTER"};

    for (size_t i = 0; i < MICA_COUNT(codes); i++)
        if (strcmp(codez, codes[i]) == 0)
            return true;
    return false;
}

// The first finding at the part that forbids anything, or is suspicious.
static const struct mica_app_finding *
finding_at(const struct mica_app_findings *findings, enum mica_app_part part)
{
    const char *name = mica_app_part_name(part);
    size_t length = strlen(name);

    for (size_t i = 0; i < findings->count; i++) {
        const struct mica_app_finding *finding = &findings->items[i];
        if (finding->path.len < length + 1 ||
            memcmp(finding->path.ptr + 1, name, length) != 0 ||
            (finding->path.len > length + 1 &&
             finding->path.ptr[length + 1] != '/'))
            continue;
        if (finding->severity != MICA_APP_WARNING ||
            is_suspicious(finding->codez))
            return finding;
    }
    return NULL;
}

// Do the rules take the part as it is in `draft`? If not, a finding says so. [DRAFT-1]
static bool
part_passes(const struct answer_look *look, enum mica_app_part part,
            const struct mica_app_draft *draft)
{
    struct mica_app_findings *findings;
    const struct mica_app_finding *wrong = NULL;
    struct mica_app_draft checked;
    struct mica_error error = {.status = MICA_E_LIMIT};
    struct mica_arena arena;
    struct mica_text json;
    bool read = false;

    mica_arena_init(&arena, CHECK_BYTES);
    findings = mica_arena_zero(&arena, 1, sizeof *findings);
    if (findings != NULL) {
        mica_app_findings_init(findings, &arena);
        read = mica_app_draft_text(draft, &arena, &error, &json) == MICA_OK &&
               mica_app_read_and_check(json, NULL, &arena, findings, &error,
                                       &checked) == MICA_OK &&
               findings->more == 0;
        wrong = finding_at(findings, part);
    }
    if (!read)
        refuse_part(look, part, "it is too large");
    else if (wrong != NULL)
        refuse_part(look, part, mica_arena_text(&arena, wrong->message).ptr);
    mica_arena_fini(&arena);
    return read && wrong == NULL;
}

// ---- Texts -----------------------------------------------------------------------------

static void
text_set(struct mica_app_draft *draft, enum mica_app_part part,
         struct mica_text text)
{
    switch (part) {
    case MICA_PART_NAME:
        draft->name = text;
        break;
    case MICA_PART_DESCRIPTION:
        draft->description = text;
        break;
    case MICA_PART_TOOL_NAME:
        draft->tool_name = text;
        break;
    case MICA_PART_TOOL_DESCRIPTION:
        draft->tool_description = text;
        break;
    case MICA_PART_LAYOUT:
    case MICA_PART_DATA:
    case MICA_PARTS:
        break;
    }
}

// The member of the answer; NULL: it is missing, which a finding says.
static const struct mica_json *
member_find(const struct answer_look *look, enum mica_app_part part)
{
    const struct mica_json *value =
        mica_json_get(look->answer, mica_app_part_name(part));

    if (value == NULL || value->kind == MICA_JSON_NULL) {
        refuse_part(look, part, "it is missing");
        return NULL;
    }
    return value;
}

static void
take_text(const struct answer_look *look, enum mica_app_part part)
{
    struct mica_app_drafting *drafting = look->drafting;
    struct mica_app_draft draft = drafting->draft;
    const struct mica_json *value;

    if (drafting->sources[part] == MICA_PART_GIVEN)
        return;
    value = member_find(look, part);
    if (value == NULL)
        return;
    if (value->kind != MICA_JSON_STRING || value->text.len == 0) {
        refuse_part(look, part, "it is no text");
        return;
    }
    // The description is in what the rules write for the tool, too.
    if (mica_app_find_orders(value->text) != NULL) {
        refuse_part(look, part, "it orders models about");
        return;
    }
    text_set(&draft, part, value->text);
    if (!part_passes(look, part, &draft))
        return;
    drafting->draft = draft;
    drafting->sources[part] = MICA_PART_BY_MODEL;
}

// ---- Layout and data -------------------------------------------------------------------

static void
take_layout(const struct answer_look *look)
{
    struct mica_app_drafting *drafting = look->drafting;
    const struct mica_app_layout_row *layout;
    const struct mica_json *value;
    struct mica_error error;

    if (drafting->sources[MICA_PART_LAYOUT] == MICA_PART_GIVEN)
        return;
    value = member_find(look, MICA_PART_LAYOUT);
    if (value == NULL)
        return;
    layout = value->kind == MICA_JSON_STRING ? mica_app_layout_find(value->text)
                                             : NULL;
    if (layout == NULL ||
        mica_drafting_set_layout(&drafting->draft, layout, look->arena,
                                 &error) != MICA_OK)
        refuse_part(look, MICA_PART_LAYOUT, "there is no such layout");
    else
        drafting->sources[MICA_PART_LAYOUT] = MICA_PART_BY_MODEL;
}

// [DRAFT-2]
static bool
has_address(struct mica_text text)
{
    for (size_t i = 0; i + 2 < text.len; i++)
        if (memcmp(text.ptr + i, "://", 3) == 0)
            return true;
    return false;
}

static bool
has_orders(struct mica_text text)
{
    return mica_app_find_orders(text) != NULL;
}

// Is a text in the value one of that kind?
static bool
has_text(const struct mica_json *value, bool (*is_of_kind)(struct mica_text))
{
    if (value->kind == MICA_JSON_STRING)
        return is_of_kind(value->text);
    if (value->kind == MICA_JSON_ARRAY)
        for (size_t i = 0; i < value->count; i++)
            if (has_text(&value->items[i], is_of_kind))
                return true;
    if (value->kind == MICA_JSON_OBJECT)
        for (size_t i = 0; i < value->count; i++)
            if (has_text(&value->members[i].value, is_of_kind))
                return true;
    return false;
}

// The data, which are an object or its JSON text.
static const struct mica_json *
data_read(const struct answer_look *look, const struct mica_json *value)
{
    const struct mica_json_limits limits = {.depth = DATA_DEPTH,
                                            .bytes = MICA_APP_MOCK_BYTES};
    struct mica_json *data = mica_arena_zero(look->arena, 1, sizeof *data);

    if (value->kind == MICA_JSON_OBJECT)
        return value;
    if (value->kind != MICA_JSON_STRING || data == NULL ||
        mica_json_read(look->arena, value->text, &limits, NULL, data) !=
            MICA_OK ||
        data->kind != MICA_JSON_OBJECT)
        return NULL;
    return data;
}

static void
take_data(const struct answer_look *look)
{
    struct mica_app_drafting *drafting = look->drafting;
    struct mica_app_draft draft = drafting->draft;
    const struct mica_json *value = member_find(look, MICA_PART_DATA);

    if (value == NULL)
        return;
    draft.mock_data = data_read(look, value);
    if (draft.mock_data == NULL) {
        refuse_part(look, MICA_PART_DATA, "they are no JSON object");
        return;
    }
    if (has_text(draft.mock_data, has_address)) {
        refuse_part(look, MICA_PART_DATA, "they name an address");
        return;
    }
    if (has_text(draft.mock_data, has_orders)) {
        refuse_part(look, MICA_PART_DATA, "they order models about");
        return;
    }
    if (!part_passes(look, MICA_PART_DATA, &draft))
        return;
    drafting->draft = draft;
    drafting->sources[MICA_PART_DATA] = MICA_PART_BY_MODEL;
}

// ---- The answer ------------------------------------------------------------------------

void
mica_app_drafting_take(struct mica_app_drafting *drafting,
                       struct mica_text answer, struct mica_arena *arena,
                       struct mica_app_findings *findings)
{
    const struct mica_json_limits limits = {.depth = ANSWER_DEPTH,
                                            .bytes = MICA_APP_DRAFTED_BYTES};
    struct mica_json *value = mica_arena_zero(arena, 1, sizeof *value);
    const struct answer_look look = {drafting, value, arena, findings};
    struct mica_error error;
    enum mica_status status;

    if (value == NULL ||
        mica_json_read(arena, mica_model_answer_object(answer), &limits, NULL,
                       value) != MICA_OK ||
        value->kind != MICA_JSON_OBJECT) {
        mica_app_find(findings, MICA_APP_WARNING, BY_RULE, "",
                      "the answer of the language model is no JSON object, or "
                      "is too large; all is made by rule");
        return;
    }
    take_text(&look, MICA_PART_NAME);
    take_text(&look, MICA_PART_DESCRIPTION);
    take_layout(&look);
    take_data(&look);
    take_text(&look, MICA_PART_TOOL_NAME);
    take_text(&look, MICA_PART_TOOL_DESCRIPTION);
    // Those by rule are about the app as it is now.
    status = mica_drafting_propose(drafting, arena, &error);
    (void)status; // without memory the earlier ones stay
}
