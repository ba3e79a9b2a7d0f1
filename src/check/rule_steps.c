// SPDX-License-Identifier: Apache-2.0
//
// What an interactive tool has beside its words and fields: one description in
// the file, the steps by which effects happen once, and examples whose inputs it
// takes.
#include <string.h>

#include <mica/schema.h>

#include "check/subject.h"

enum {
    REPORT_BYTES = 1024
};

// ---- One tool --------------------------------------------------------------------

static bool
text_describes(struct mica_text word)
{
    return mica_text_is(word, "MICA_TOOL") ||
           mica_text_is(word, "MICA_HANDOFF") ||
           mica_text_is(word, "MICA_FETCH_TOOL");
}

// The last of them, and how many there are.
static size_t
count_tools(const struct mica_source *source, struct mica_text *word_out,
            size_t *open_out)
{
    struct mica_text word;
    size_t count = 0;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        if (!text_describes(word))
            continue;
        count++;
        *word_out = word;
        *open_out = mica_source_skip(source, at);
    }
    return count;
}

bool
mica_rule_one_tool(const struct mica_subject *subject)
{
    const struct mica_source *source = subject->source;
    struct mica_text word = {NULL, 0}, name = {NULL, 0};
    size_t open = source->code.len, count;

    count = count_tools(source, &word, &open);
    if (count != 1) {
        mica_report_add(
            subject->report, MICA_RULE_ENGINE_COUNT,
            count > 0 ? mica_source_line(source, mica_source_at(source, word))
                      : 0,
            "",
            count == 0
                ? "The file has no MICA_TOOL, MICA_HANDOFF or "
                  "MICA_FETCH_TOOL. End it with MICA_TOOL(name, input, output, handler, "
                  ".description = …)."
                : "The file has %zu tools. One file is one tool: move "
                  "each to a file of its own; what they share goes into "
                  "tools/lib.",
            count);
        return false;
    }
    if (open < source->code.len)
        (void)mica_source_arguments(source, open, &name, 1);
    // A .name that is set besides is compared by the build.
    if (!mica_text_equal(name, subject->report->slug) &&
        mica_source_find(source, MICA_LITERAL(".name")) == 0) {
        mica_report_add(
            subject->report, MICA_RULE_SLUG_MISMATCH,
            mica_source_line(source, mica_source_at(source, word)), "",
            "%.*s names the tool '%.*s', its file '%.*s.c'. Make "
            "them the same.",
            MICA_ARG(word), MICA_ARG(name), MICA_ARG(subject->report->slug));
        return false;
    }
    return true;
}

// ---- Steps -----------------------------------------------------------------------

static bool
is_declared(const struct mica_json *steps, struct mica_text name)
{
    for (size_t i = 0; steps != NULL && i < steps->count; i++) {
        if (mica_text_equal(steps->items[i].text, name))
            return true;
    }
    return false;
}

// The next MICA_STEP from *at on: its name, and where it stands.
static bool
next_step(const struct mica_source *source, size_t *at,
          struct mica_text *name_out)
{
    struct mica_text word;

    while (mica_source_word(source, at, &word)) {
        size_t open = mica_source_skip(source, *at);
        if (mica_text_is(word, "MICA_STEP") && open < source->code.len &&
            mica_source_arguments(source, open, name_out, 1) > 0)
            return true;
    }
    return false;
}

unsigned
mica_source_step(const struct mica_source *source, struct mica_text step)
{
    struct mica_text name;

    for (size_t at = 0; next_step(source, &at, &name);) {
        if (mica_text_equal(name, step))
            return mica_source_line(source, mica_source_at(source, name));
    }
    return 0;
}

void
mica_rule_steps(const struct mica_subject *subject)
{
    const struct mica_source *source = subject->source;
    const struct mica_json *steps = mica_json_get(subject->manifest, "steps");
    bool shares = mica_source_find(source, MICA_LITERAL("#include \"lib/")) > 0;
    struct mica_text name;

    for (size_t at = 0; next_step(source, &at, &name);) {
        if (!is_declared(steps, name))
            mica_report_add(
                subject->report, MICA_RULE_STEP_UNDECLARED,
                mica_source_line(source, mica_source_at(source, name)), "steps",
                "The step '%.*s' is not among the tool's .steps. Name it "
                "there: .steps = MICA_STEPS(\"%.*s\", …).",
                MICA_ARG(name), MICA_ARG(name));
    }
    for (size_t i = 0; steps != NULL && i < steps->count && !shares; i++) {
        name = steps->items[i].text;
        if (mica_source_step(source, name) == 0)
            mica_report_add(subject->report, MICA_RULE_STEP_UNUSED,
                            mica_source_find(source, name), "steps",
                            "The tool names the step '%.*s', but has no "
                            "MICA_STEP(%.*s, …). Remove the name, or write the "
                            "step.",
                            MICA_ARG(name), MICA_ARG(name));
    }
}

// ---- Fetches ---------------------------------------------------------------------

// The line of the first call of one of these functions; 0: no call.
static unsigned
find_call(const struct mica_source *source, const char *const *functions)
{
    struct mica_text word;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t open = mica_source_skip(source, at);
        if (open >= source->code.len || source->code.ptr[open] != '(')
            continue;
        for (const char *const *one = functions; *one != NULL; one++)
            if (mica_text_is(word, *one))
                return mica_source_line(source, mica_source_at(source, word));
    }
    return 0;
}

void
mica_rule_fetches(const struct mica_subject *subject)
{
    static const char *const functions[] = {"mica_fetch", "mica_fetch_get",
                                            NULL};
    const struct mica_json *fetches =
        mica_json_get(subject->manifest, "fetches");
    unsigned line = find_call(subject->source, functions);

    if (line == 0 || (fetches != NULL && fetches->count > 0))
        return;
    mica_report_add(
        subject->report, MICA_RULE_FETCH_UNDECLARED, line, "fetches",
        "The tool fetches, but does not say from where. Name the servers: "
        ".fetches = MICA_FETCHES(\"https://api.example.org\").");
}

// ---- Keeps -----------------------------------------------------------------------

void
mica_rule_keeps(const struct mica_subject *subject)
{
    static const char *const functions[] = {"mica_keep_put",
                                            "mica_keep_put_for",
                                            "mica_keep_get",
                                            "mica_keep_delete",
                                            "mica_keep_list",
                                            "mica_sql",
                                            NULL};
    unsigned line = find_call(subject->source, functions);

    if (line == 0 || mica_json_get(subject->manifest, "keeps") != NULL)
        return;
    mica_report_add(
        subject->report, MICA_RULE_KEEP_UNDECLARED, line, "keeps",
        "The tool keeps something, but does not say where. Declare a database "
        "of its own, .keeps = MICA_KEEPS_OWN, or one that it shares.");
}

// ---- Examples --------------------------------------------------------------------

static void
check_input(const struct mica_subject *subject,
            const struct mica_schema *schema, const struct mica_json *example,
            size_t index)
{
    struct mica_arena *arena = subject->report->arena;
    const struct mica_json *input = mica_json_get(example, "input");
    struct mica_schema_report report;
    struct mica_buffer path, report_text;

    if (input == NULL || mica_json_get(example, "output") == NULL ||
        mica_schema_validate(schema, input, NULL, arena, &report) == MICA_OK)
        return;
    mica_buffer_init(&path, arena, 32);
    mica_buffer_format(&path, "examples/%zu%c", index, '\0');
    mica_buffer_init(&report_text, arena, REPORT_BYTES);
    mica_schema_report_write(&report, &report_text);
    mica_report_add(
        subject->report, MICA_RULE_EXAMPLE_INPUT,
        mica_subject_line(subject, mica_json_get_text(example, "title")),
        path.ptr, "The tool would refuse the input of this example: %.*s",
        MICA_ARG(mica_buffer_as_text(&report_text)));
}

void
mica_rule_inputs(const struct mica_subject *subject)
{
    const struct mica_json *examples =
        mica_json_get(subject->manifest, "examples");
    const struct mica_json *text =
        mica_json_get(subject->manifest, "inputSchema");
    struct mica_schema *schema;

    if (examples == NULL || examples->count == 0)
        return; // a conversation is shown by its tests
    mica_rule_examples(subject);
    if (text == NULL || mica_schema_compile(subject->report->arena, text->raw,
                                            NULL, NULL, &schema) != MICA_OK)
        return; // the build has refused it before
    for (size_t i = 0; i < examples->count; i++)
        check_input(subject, schema, &examples->items[i], i);
}
