// SPDX-License-Identifier: Apache-2.0
//
// Runs the examples. The module's answer is the one that must be right; the
// native one must be the same, and so must each again.
#include "check/match.h"
#include "check/runs.h"

enum {
    SHOWN = 200
};

struct example {
    const struct mica_json *json;
    const char *path; // "examples/2"
    unsigned line;
    struct mica_text input; // on one line
};

static struct example
read_example(const struct mica_runs *runs, const struct mica_json *json,
             size_t index)
{
    struct mica_arena *arena = runs->subject->report->arena;
    const struct mica_json *input = mica_json_get(json, "input");
    struct mica_buffer path, text;
    struct mica_json_writer writer;

    mica_buffer_init(&path, arena, 40);
    mica_buffer_format(&path, "examples/%zu", index);
    mica_buffer_char(&path, '\0');
    mica_buffer_init(&text, arena, arena->cap);
    mica_json_writer_init(&writer, &text);
    if (input != NULL) {
        mica_json_value(&writer, input);
    }
    return (struct example){
        .json = json,
        .path = path.overflow ? "examples" : path.ptr,
        .line =
            mica_subject_line(runs->subject, mica_json_get_text(json, "title")),
        .input = mica_buffer_as_text(&text),
    };
}

// ---- What it expects -------------------------------------------------------------

static struct mica_text
words_of(const struct mica_json *value)
{
    struct mica_text text =
        value != NULL ? value->raw : MICA_LITERAL("nothing");

    text = mica_text_slice(text, 0, SHOWN);
    return mica_text_slice(text, 0, mica_utf8_valid(text));
}

static void
check_error(const struct mica_runs *runs, const struct example *example,
            const struct mica_json *answer, bool succeeded,
            struct mica_text expected)
{
    struct mica_text code = mica_json_get_text(answer, "code");
    struct mica_text message = mica_json_get_text(answer, "message");

    if (succeeded) {
        mica_report_add(runs->subject->report, MICA_RULE_EXAMPLE_FAILED,
                        example->line, example->path,
                        "Expected the error %.*s, but the engine answers "
                        "%.*s.",
                        MICA_ARG(expected), MICA_ARG(words_of(answer)));
    } else if (!mica_text_equal(code, expected)) {
        mica_report_add(runs->subject->report, MICA_RULE_EXAMPLE_FAILED,
                        example->line, example->path,
                        "Expected the error %.*s, but it fails with %.*s: "
                        "%.*s",
                        MICA_ARG(expected), MICA_ARG(code), MICA_ARG(message));
    }
}

static void
check_output(const struct mica_runs *runs, const struct example *example,
             const struct mica_json *answer, bool succeeded,
             const struct mica_json *expected)
{
    struct mica_report *report = runs->subject->report;
    const struct mica_json *wanted = NULL, *got = NULL;
    struct mica_buffer path;

    if (!succeeded) {
        mica_report_add(report, MICA_RULE_EXAMPLE_FAILED, example->line,
                        example->path,
                        "Expected an output, but it fails with %.*s: %.*s",
                        MICA_ARG(mica_json_get_text(answer, "code")),
                        MICA_ARG(mica_json_get_text(answer, "message")));
        return;
    }
    mica_buffer_init(&path, report->arena, 4096);
    if (expected == NULL ||
        mica_match(expected, answer, &path, &wanted, &got)) {
        return;
    }
    mica_report_add(
        report, MICA_RULE_EXAMPLE_FAILED, example->line, example->path,
        "Expected %.*s at '%.*s' of the output, but it is %.*s.",
        MICA_ARG(words_of(wanted)), MICA_ARG(mica_buffer_as_text(&path)),
        MICA_ARG(words_of(got)));
}

static void
check_expectation(const struct mica_runs *runs, const struct example *example,
                  const struct mica_native_result *result)
{
    struct mica_text error = mica_json_get_text(example->json, "error");
    bool succeeded = result->status == MICA_OK;
    struct mica_json answer;

    if (mica_json_read(runs->subject->report->arena, result->json, NULL, NULL,
                       &answer) != MICA_OK) {
        mica_report_add(runs->subject->report, MICA_RULE_EXAMPLE_FAILED,
                        example->line, example->path,
                        "The answer is no JSON: %.*s",
                        MICA_ARG(mica_text_slice(result->json, 0, SHOWN)));
    } else if (error.len > 0) {
        check_error(runs, example, &answer, succeeded, error);
    } else {
        check_output(runs, example, &answer, succeeded,
                     mica_json_get(example->json, "output"));
    }
}

// ---- Running ---------------------------------------------------------------------

static bool
native_result_same(const struct mica_native_result *a,
                   const struct mica_native_result *b)
{
    return a->ending == b->ending && a->status == b->status &&
           mica_text_equal(a->json, b->json);
}

static void
check_example(const struct mica_runs *runs, const struct example *example,
              const struct mica_native_result *native,
              const struct mica_native_result *native_again)
{
    struct mica_report *report = runs->subject->report;
    struct mica_native_result module =
        mica_runs_module(runs, report->arena, example->input);
    struct mica_native_result again =
        mica_runs_module(runs, report->arena, example->input);
    const struct mica_text none = {NULL, 0};

    if (!mica_runs_compare(runs, &module, native, example->line, example->path,
                           none)) {
        return;
    }
    if (!native_result_same(&module, &again) ||
        (native != NULL && !native_result_same(native, native_again))) {
        mica_report_add(
            report, MICA_RULE_NOT_REPEATABLE, example->line, example->path,
            "Two runs of the same input differ%s. Look for memory "
            "that is read before it is written.",
            native_result_same(&module, &again) ? " in a native build" : "");
    }
    mica_outputs_take(runs->outputs, runs->subject->report->arena, &module);
    check_expectation(runs, example, &module);
    mica_runs_failure(runs, &module, example->line, example->path);
}

// All inputs twice in the child. False, with a finding, when the child has died.
static bool
run_natively(const struct mica_runs *runs, const struct mica_text *inputs,
             size_t count, struct mica_native_result *results)
{
    struct mica_report *report = runs->subject->report;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    for (size_t turn = 0; turn < 2 && status == MICA_OK; turn++) {
        status = mica_native_run(runs->native, report->arena, inputs, count,
                                 &error, results + turn * count);
    }
    mica_native_stop(runs->native);
    if (status != MICA_OK) {
        mica_report_add(report, MICA_RULE_TOOL_MISSING, 0, "", "%s",
                        error.message);
    }
    return status == MICA_OK;
}

void
mica_runs_examples(const struct mica_runs *runs)
{
    struct mica_arena *arena = runs->subject->report->arena;
    const struct mica_json *list =
        mica_json_get(runs->subject->manifest, "examples");
    size_t count = list != NULL ? list->count : 0;
    struct example *examples = mica_arena_zero(arena, count, sizeof *examples);
    struct mica_text *inputs = mica_arena_zero(arena, count, sizeof *inputs);
    struct mica_native_result *results =
        mica_arena_zero(arena, 2 * count, sizeof *results);
    bool native;

    if (examples == NULL || inputs == NULL || results == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        examples[i] = read_example(runs, &list->items[i], i);
        inputs[i] = examples[i].input;
    }
    native = runs->native != NULL && run_natively(runs, inputs, count, results);
    for (size_t i = 0; i < count; i++) {
        check_example(runs, &examples[i], native ? &results[i] : NULL,
                      native ? &results[count + i] : NULL);
    }
}
