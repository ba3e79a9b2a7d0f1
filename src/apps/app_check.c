// SPDX-License-Identifier: Apache-2.0
//
// All rules for a draft, in the order in which a person fills it in: words, layout and
// data, behavior, who may call.
#include <mica/schema.h>

#include "apps/app_map.h"
#include "apps/app_rules.h"
#include "apps/layout.h"
#include "apps/theme.h"
#include "base/unicode.h"
#include "schema/explain.h"

#define CODE(status) mica_status_code(MICA_E_##status)
#define FIND(check, severity, codez, pathz, ...)                        \
    mica_app_find((check)->findings, MICA_APP_##severity, codez, pathz, \
                  __VA_ARGS__)

enum {
    DATA_ERRORS = 10, // of one value that its schema does not allow
    PATH_BYTES = 320
};

struct draft_check {
    const struct mica_app_draft *draft;
    const struct mica_app_surroundings *around;
    struct mica_text data_schema;
    struct mica_arena *arena;
    struct mica_app_findings *findings;
};

// What a call of every app brings.
static const char call_schema[] =
    "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"},"
    "\"context\":{\"type\":\"object\"}},\"additionalProperties\":false}";

// A schema as a value; NULL: it is not known, or cannot be read, which the code that
// makes a tool of it reports.
static const struct mica_json *
read_schema(const struct draft_check *check, struct mica_text text)
{
    struct mica_json *value = mica_arena_zero(check->arena, 1, sizeof *value);

    if (text.len == 0 || value == NULL ||
        mica_json_read(check->arena, text, NULL, NULL, value) != MICA_OK)
        return NULL;
    return value;
}

// ---- Data ------------------------------------------------------------------------

// A person does not see everything in it that a model reads. Many scripts need joiners and
// marks of direction; what none needs would be words for models alone.
static void
check_hidden_text(const struct draft_check *check, const char *pathz,
                  struct mica_text text)
{
    size_t index;
    uint32_t found = mica_covert_find(text, &index);

    if (found != 0) {
        FIND(check, UNFINISHED, "HIDDEN_CHARACTER", pathz,
             "character %zu of a text in it is a %s, with which words could be "
             "hidden from people that models read; remove it",
             index + 1, mica_hidden_name(found));
        return;
    }
    found = mica_hidden_find(text, &index);
    if (found != 0)
        FIND(check, WARNING, "HIDDEN_CHARACTER", pathz,
             "a text in it has a %s, which people do not see",
             mica_hidden_name(found));
}

// A reader of the record has bounded the depth.
static void
check_hidden(const struct draft_check *check, const char *pathz,
             const struct mica_json *value)
{
    if (value->kind == MICA_JSON_STRING)
        check_hidden_text(check, pathz, value->text);
    for (size_t i = 0; value->kind == MICA_JSON_ARRAY && i < value->count; i++)
        check_hidden(check, pathz, &value->items[i]);
    for (size_t i = 0; value->kind == MICA_JSON_OBJECT && i < value->count;
         i++) {
        check_hidden_text(check, pathz, value->members[i].name);
        check_hidden(check, pathz, &value->members[i].value);
    }
}

static void
find_data_error(const struct draft_check *check,
                enum mica_app_severity severity,
                const struct mica_schema_error *wrong)
{
    char room[PATH_BYTES];
    struct mica_buffer path = {
        .ptr = room, .capacity = sizeof room - 1, .max = sizeof room - 1};

    mica_buffer_text(&path, MICA_LITERAL("/mockData"));
    mica_buffer_text(&path, wrong->value_path); // dropped if it is too long
    room[path.len] = '\0';
    mica_app_find(check->findings, severity, mica_status_code(wrong->status),
                  room, "%.*s", MICA_ARG(wrong->message));
}

// Fixed data are what a call answers, so they must have the form of the layout; mock data
// of another behavior are only a preview.
static void
check_mock_data(const struct draft_check *check)
{
    const struct mica_json *data = check->draft->mock_data;
    struct mica_schema_limits limits = {.errors = DATA_ERRORS};
    bool fixed = check->draft->behavior.type == MICA_APP_DATA;
    struct mica_schema_report report;
    struct mica_schema *schema;

    if (data == NULL) {
        if (fixed)
            FIND(check, UNFINISHED, CODE(REQUIRED), "/mockData",
                 "the app answers with fixed data, and has none; begin with "
                 "those of its layout");
        return;
    }
    check_hidden(check, "/mockData", data);
    if (mica_schema_compile(check->arena, check->data_schema, NULL, NULL,
                            &schema) != MICA_OK) {
        FIND(check, UNFINISHED, CODE(LIMIT), "/mockData",
             "the data could not be checked: no memory is left");
        return;
    }
    if (mica_schema_validate(schema, data, &limits, check->arena, &report) ==
        MICA_OK)
        return;
    for (size_t i = 0; i < report.count; i++)
        find_data_error(check, fixed ? MICA_APP_UNFINISHED : MICA_APP_WARNING,
                        &report.errors[i]);
}

static void
check_theme(const struct draft_check *check)
{
    struct mica_theme_findings theme;

    if (mica_theme_check(check->draft->theme, check->arena, &theme) !=
        MICA_OK) {
        FIND(check, UNFINISHED, CODE(LIMIT), "/themeVariables",
             "the theme could not be checked: no memory is left");
        return;
    }
    for (size_t i = 0; i < theme.count; i++) {
        const struct mica_theme_finding *found = &theme.items[i];
        enum mica_app_severity severity =
            found->error ? MICA_APP_UNFINISHED : MICA_APP_WARNING;
        if (found->variable.len == 0)
            mica_app_find(check->findings, severity, found->code,
                          "/themeVariables", "%.*s", MICA_ARG(found->message));
        else
            mica_app_find_member(check->findings, severity, found->code,
                                 "/themeVariables", found->variable, "%.*s",
                                 MICA_ARG(found->message));
    }
}

// ---- Behaviors -------------------------------------------------------------------

// Without a map of the result the result itself must have the form of the layout: what
// the layout requires, the tool's schema must know.
static void
check_direct_result(const struct draft_check *check,
                    const struct mica_json *result,
                    const struct mica_json *data)
{
    const struct mica_json *required = mica_json_get(data, "required");
    const struct mica_json *properties = mica_json_get(result, "properties");

    if (result == NULL || required == NULL || required->kind != MICA_JSON_ARRAY)
        return;
    for (size_t i = 0; i < required->count; i++) {
        struct mica_text name = required->items[i].text;
        if (properties != NULL && mica_json_member(properties, name) != NULL)
            continue;
        FIND(check, UNFINISHED, CODE(REQUIRED), "/behavior/data",
             "the layout needs \"%.*s\", which the result of the tool does not "
             "have; map it in \"data\"",
             MICA_ARG(name));
    }
}

static void
check_maps(const struct draft_check *check)
{
    const struct mica_app_behavior *behavior = &check->draft->behavior;
    const struct mica_app_target *target = check->around->target;
    const struct mica_json *input = NULL, *output = NULL;
    const struct mica_json *data = read_schema(check, check->data_schema);
    struct mica_app_map map;

    if (target != NULL && target->found) {
        input = read_schema(check, target->input_schema);
        output = read_schema(check, target->output_schema);
    }
    if (behavior->arguments != NULL)
        check_hidden(check, "/behavior/arguments", behavior->arguments);
    if (behavior->data != NULL)
        check_hidden(check, "/behavior/data", behavior->data);
    mica_app_map_read(behavior->arguments, "/behavior/arguments", check->arena,
                      check->findings, &map);
    mica_app_map_check(&map, "/behavior/arguments", "the tool", input,
                       read_schema(check, mica_text(call_schema)), check->arena,
                       check->findings);
    if (behavior->data == NULL) {
        check_direct_result(check, output, data);
        return;
    }
    mica_app_map_read(behavior->data, "/behavior/data", check->arena,
                      check->findings, &map);
    mica_app_map_check(&map, "/behavior/data", "the layout", data, output,
                       check->arena, check->findings);
}

static void
check_tool(const struct draft_check *check)
{
    const struct mica_app_target *target = check->around->target;
    struct mica_text tool = check->draft->behavior.tool;
    struct mica_text shown = mica_app_shown(check->findings, tool);

    if (tool.len == 0)
        FIND(check, UNFINISHED, CODE(REQUIRED), "/behavior/tool",
             "name the engine or tool that the app calls");
    else if (target != NULL && !target->found)
        FIND(check, UNFINISHED, CODE(NOT_FOUND), "/behavior/tool",
             "this server has no tool \"%.*s\"", MICA_ARG(shown));
    else if (target != NULL && !target->allowed)
        FIND(check, UNFINISHED, CODE(SCOPE), "/behavior/tool",
             "the owner of the app may not call \"%.*s\"", MICA_ARG(shown));
    check_maps(check);
}

static void
find_unknown_provider(const struct draft_check *check, struct mica_text name)
{
    struct mica_schema_nearest nearest = {.to = name, .distance = SIZE_MAX};
    struct mica_text shown = mica_app_shown(check->findings, name);

    for (size_t i = 0; i < check->around->provider_count; i++) {
        if (mica_text_equal(name, check->around->providers[i]))
            return;
        mica_schema_compare(&nearest, check->around->providers[i]);
    }
    if (nearest.distance == SIZE_MAX)
        FIND(check, UNFINISHED, CODE(NOT_FOUND), "/behavior/provider",
             "this server has no provider \"%.*s\"", MICA_ARG(shown));
    else
        FIND(check, UNFINISHED, CODE(NOT_FOUND), "/behavior/provider",
             "this server has no provider \"%.*s\"; did you mean \"%.*s\"?",
             MICA_ARG(shown), MICA_ARG(nearest.name));
}

static void
check_provider(const struct draft_check *check)
{
    const struct mica_app_behavior *behavior = &check->draft->behavior;
    bool named = behavior->provider.len > 0 || behavior->model.len > 0;

    if (behavior->by == MICA_APP_BY_CLIENT) {
        if (named)
            FIND(check, WARNING, "UNUSED", "/behavior/provider",
                 "the client's own model executes the prompt, so provider and "
                 "model are not used");
        return;
    }
    if (!check->around->knows_providers)
        return;
    if (behavior->provider.len > 0)
        find_unknown_provider(check, behavior->provider);
    else if (check->around->provider_count == 0 &&
             behavior->by == MICA_APP_BY_PROVIDER)
        FIND(check, UNFINISHED, CODE(NOT_FOUND), "/behavior/by",
             "this server has no provider of language models; its operator "
             "sets one up, or write \"client\"");
}

static void
check_prompt(const struct draft_check *check)
{
    const struct mica_app_draft *draft = check->draft;
    const struct mica_app_budget *small = &mica_app_budget_default;

    if (draft->behavior.system_prompt.len == 0)
        FIND(check, UNFINISHED, CODE(REQUIRED), "/behavior/systemPrompt",
             "write the system prompt that answers");
    check_provider(check);
    if (draft->visibility == MICA_APP_PUBLIC && !draft->has_budget)
        FIND(check, UNFINISHED, CODE(REQUIRED), "/budget",
             "everyone may call the app, and each call costs tokens; give it a "
             "budget, as in {\"callsPerDay\": %lld, \"tokensPerDay\": %lld, "
             "\"seconds\": %lld, \"concurrent\": %lld}",
             (long long)small->calls_per_day, (long long)small->tokens_per_day,
             (long long)small->seconds, (long long)small->concurrent);
}

static void
check_behavior(const struct draft_check *check)
{
    switch (check->draft->behavior.type) {
    case MICA_APP_TOOL:
        check_tool(check);
        break;
    case MICA_APP_PROMPT:
        check_prompt(check);
        break;
    case MICA_APP_DATA:
    case MICA_APP_BEHAVIORS:
        break;
    }
}

static void
check_scope(const struct draft_check *check)
{
    const struct mica_app_draft *draft = check->draft;

    if (draft->visibility == MICA_APP_SCOPE && draft->scope.len == 0)
        FIND(check, UNFINISHED, CODE(REQUIRED), "/scope",
             "name the scope that a token must have");
    if (draft->visibility != MICA_APP_SCOPE && draft->scope.len > 0)
        FIND(check, WARNING, "UNUSED", "/scope",
             "the scope is not used, as visibility is \"%s\"",
             mica_app_visibility_name(draft->visibility));
}

void
mica_app_check(const struct mica_app_draft *draft,
               const struct mica_app_surroundings *surroundings,
               struct mica_arena *arena, struct mica_app_findings *findings)
{
    static const struct mica_app_surroundings unknown = {.target = NULL};
    struct draft_check check = {.draft = draft,
                                .around = surroundings != NULL ? surroundings
                                                               : &unknown,
                                .arena = arena,
                                .findings = findings};

    check.data_schema = check.around->data_schema.len > 0
                            ? check.around->data_schema
                            : mica_app_layouts[draft->layout].schema;
    mica_app_check_words(draft, findings);
    check_theme(&check);
    check_mock_data(&check);
    check_behavior(&check);
    check_scope(&check);
    if (arena->overflow)
        FIND(&check, UNFINISHED, CODE(LIMIT), "",
             "the draft could not be checked: no memory is left");
}

enum mica_status
mica_app_read_and_check(struct mica_text json,
                        const struct mica_app_surroundings *surroundings,
                        struct mica_arena *arena,
                        struct mica_app_findings *findings,
                        struct mica_error *error,
                        struct mica_app_draft *draft_out)
{
    MICA_TRY(mica_app_draft_read(json, arena, findings, error, draft_out));
    mica_app_check(draft_out, surroundings, arena, findings);
    return MICA_OK;
}
