// SPDX-License-Identifier: Apache-2.0
//
// The table of the record. A new field is a row here and a member of the struct.
#include "apps/app_fields.h"

#include "base/states.h"

#define AT(member)  offsetof(struct mica_app_draft, member)
#define OF(type)    MICA_STATE_BIT(MICA_APP_##type)
#define COUNTED(of) of, MICA_COUNT(of)

// ---- Choices ---------------------------------------------------------------------

static const char *const layout_names[] = {
    [MICA_LAYOUT_MESSAGE] = "message", [MICA_LAYOUT_CARD] = "card",
    [MICA_LAYOUT_LIST] = "list",       [MICA_LAYOUT_CAROUSEL] = "carousel",
    [MICA_LAYOUT_TABLE] = "table",     [MICA_LAYOUT_CHART] = "chart",
    [MICA_LAYOUT_DETAIL] = "detail",   [MICA_LAYOUT_FORM] = "form"};

static const char *const type_names[] = {[MICA_APP_DATA] = "data",
                                         [MICA_APP_TOOL] = "tool",
                                         [MICA_APP_PROMPT] = "prompt"};

static const char *const by_names[] = {[MICA_APP_BY_PROVIDER] = "provider",
                                       [MICA_APP_BY_CLIENT] = "client",
                                       [MICA_APP_BY_ANY] = "any"};

static const char *const visibility_names[] = {[MICA_APP_PUBLIC] = "public",
                                               [MICA_APP_TOKEN] = "token",
                                               [MICA_APP_SCOPE] = "scope"};

static const struct mica_app_choices layouts = {COUNTED(layout_names)};
static const struct mica_app_choices types = {COUNTED(type_names)};
static const struct mica_app_choices bys = {COUNTED(by_names)};
static const struct mica_app_choices visibilities = {COUNTED(visibility_names)};

const char *
mica_app_behavior_name(enum mica_app_behavior_type type)
{
    return type_names[type];
}

const char *
mica_app_visibility_name(enum mica_app_visibility visibility)
{
    return visibility_names[visibility];
}

// ---- Fields ----------------------------------------------------------------------

// The type comes first: the reader needs it for the rest.
static const struct mica_app_field behavior_fields[] = {
    {.namez = "type",
     .kind = MICA_APP_FIELD_CHOICE,
     .offset = AT(behavior.type),
     .choices = &types},
    {.namez = "message",
     .kind = MICA_APP_FIELD_LINES,
     .offset = AT(behavior.message),
     .most = MICA_APP_MESSAGE_LENGTH,
     .types = OF(DATA) | OF(TOOL)},
    {.namez = "tool",
     .kind = MICA_APP_FIELD_WORD,
     .offset = AT(behavior.tool),
     .most = MICA_APP_WORD_LENGTH,
     .types = OF(TOOL)},
    {.namez = "arguments",
     .kind = MICA_APP_FIELD_OBJECT,
     .offset = AT(behavior.arguments),
     .most = MICA_APP_MOCK_BYTES,
     .types = OF(TOOL)},
    {.namez = "data",
     .kind = MICA_APP_FIELD_OBJECT,
     .offset = AT(behavior.data),
     .most = MICA_APP_MOCK_BYTES,
     .types = OF(TOOL)},
    {.namez = "systemPrompt",
     .kind = MICA_APP_FIELD_LINES,
     .offset = AT(behavior.system_prompt),
     .most = MICA_APP_PROMPT_LENGTH,
     .types = OF(PROMPT)},
    {.namez = "by",
     .kind = MICA_APP_FIELD_CHOICE,
     .offset = AT(behavior.by),
     .types = OF(PROMPT),
     .choices = &bys},
    {.namez = "provider",
     .kind = MICA_APP_FIELD_WORD,
     .offset = AT(behavior.provider),
     .most = MICA_APP_WORD_LENGTH,
     .types = OF(PROMPT)},
    {.namez = "model",
     .kind = MICA_APP_FIELD_WORD,
     .offset = AT(behavior.model),
     .most = MICA_APP_WORD_LENGTH,
     .types = OF(PROMPT)}};

static const struct mica_app_field budget_fields[] = {
    {.namez = "callsPerDay",
     .kind = MICA_APP_FIELD_NUMBER,
     .offset = AT(budget.calls_per_day),
     .most = MICA_APP_CALLS_MAX},
    {.namez = "tokensPerDay",
     .kind = MICA_APP_FIELD_NUMBER,
     .offset = AT(budget.tokens_per_day),
     .most = MICA_APP_TOKENS_MAX},
    {.namez = "seconds",
     .kind = MICA_APP_FIELD_NUMBER,
     .offset = AT(budget.seconds),
     .most = MICA_APP_SECONDS_MAX},
    {.namez = "concurrent",
     .kind = MICA_APP_FIELD_NUMBER,
     .offset = AT(budget.concurrent),
     .most = MICA_APP_CONCURRENT_MAX}};

static const struct mica_app_field roles_fields[] = {
    {.namez = "editors",
     .kind = MICA_APP_FIELD_PEOPLE,
     .offset = AT(editors),
     .most = MICA_APP_PEOPLE},
    {.namez = "viewers",
     .kind = MICA_APP_FIELD_PEOPLE,
     .offset = AT(viewers),
     .most = MICA_APP_PEOPLE}};

static const struct mica_app_record behavior_record = {
    COUNTED(behavior_fields)};
static const struct mica_app_record budget_record = {COUNTED(budget_fields)};
static const struct mica_app_record roles_record = {COUNTED(roles_fields)};

static const struct mica_app_field draft_fields[] = {
    {.namez = "name",
     .kind = MICA_APP_FIELD_LINE,
     .offset = AT(name),
     .most = MICA_APP_NAME_LENGTH},
    {.namez = "description",
     .kind = MICA_APP_FIELD_LINES,
     .offset = AT(description),
     .most = MICA_APP_DESCRIPTION_LENGTH},
    {.namez = "toolName",
     .kind = MICA_APP_FIELD_LINE,
     .offset = AT(tool_name),
     .most = MICA_APP_TOOL_NAME_LENGTH},
    {.namez = "toolDescription",
     .kind = MICA_APP_FIELD_LINES,
     .offset = AT(tool_description),
     .most = MICA_APP_TOOL_DESCRIPTION_LENGTH},
    {.namez = "layoutTemplate",
     .kind = MICA_APP_FIELD_CHOICE,
     .offset = AT(layout),
     .choices = &layouts},
    {.namez = "themeVariables",
     .kind = MICA_APP_FIELD_OBJECT,
     .offset = AT(theme),
     .most = MICA_APP_MOCK_BYTES},
    {.namez = "mockData",
     .kind = MICA_APP_FIELD_OBJECT,
     .offset = AT(mock_data),
     .most = MICA_APP_MOCK_BYTES},
    {.namez = "behavior",
     .kind = MICA_APP_FIELD_RECORD,
     .record = &behavior_record},
    {.namez = "visibility",
     .kind = MICA_APP_FIELD_CHOICE,
     .offset = AT(visibility),
     .choices = &visibilities},
    {.namez = "scope",
     .kind = MICA_APP_FIELD_WORD,
     .offset = AT(scope),
     .most = MICA_APP_WORD_LENGTH},
    {.namez = "budget",
     .kind = MICA_APP_FIELD_RECORD,
     .record = &budget_record},
    {.namez = "roles", .kind = MICA_APP_FIELD_RECORD, .record = &roles_record}};

const struct mica_app_record mica_app_fields = {COUNTED(draft_fields)};

bool
mica_app_field_of_store(struct mica_text name)
{
    static const char *const names[] = {"id",
                                        "status",
                                        "mcpSlug",
                                        "owner",
                                        "revision",
                                        "publishedAt",
                                        "publishVersion",
                                        "createdAt",
                                        "updatedAt",
                                        "url",
                                        "version",
                                        "widget",
                                        "pin",
                                        "effectiveBudget"};

    for (size_t i = 0; i < MICA_COUNT(names); i++)
        if (mica_text_is(name, names[i]))
            return true;
    return false;
}
