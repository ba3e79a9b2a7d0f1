// SPDX-License-Identifier: Apache-2.0
//
// One input on both sides: what ran, what it gave, and whether that is the same.
#include "check/runs.h"

#include <string.h>

#include "check/field_names.h"
#include "check/fields.h"
#include "server/message_surface.h"

enum {
    SHOWN = 300,
    TYPED_MAX = 2000 // bytes of an input that is shown as a command
};

struct mica_native_result
mica_runs_module(const struct mica_runs *runs, struct mica_arena *arena,
                 struct mica_text input)
{
    struct mica_native_result result = {.ending = MICA_NATIVE_ANSWERED};
    struct mica_call call;

    mica_call_init(&call, arena);
    mica_sandbox_run(runs->module, &call, input);
    result.status = call.result.status;
    result.json = call.result.status == MICA_OK ? call.result.structured
                                                : call.result.error;
    return result;
}

// The start of a text, cut between characters.
static struct mica_text
run_shown(struct mica_text text)
{
    struct mica_text start = mica_text_slice(text, 0, SHOWN);

    return mica_text_slice(start, 0, mica_utf8_valid(start));
}

// "CODE: message" of an error as JSON.
static struct mica_text
error_words(const struct mica_runs *runs, struct mica_text error)
{
    struct mica_arena *arena = runs->subject->report->arena;
    struct mica_buffer words;
    struct mica_json json;

    mica_buffer_init(&words, arena, 1024);
    if (mica_json_read(arena, error, NULL, NULL, &json) != MICA_OK)
        return run_shown(error);
    mica_buffer_format(&words, "%.*s: %.*s",
                       MICA_ARG(mica_json_get_text(&json, "code")),
                       MICA_ARG(mica_json_get_text(&json, "message")));
    return words.overflow ? run_shown(error) : mica_buffer_as_text(&words);
}

static const char *
run_more(struct mica_text text)
{
    return text.len > SHOWN ? "…" : "";
}

// A text between quotes of the shell.
static void
add_quoted(struct mica_buffer *words, struct mica_text text)
{
    mica_buffer_char(words, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'')
            mica_buffer_text(words, MICA_LITERAL("'\\'"));
        mica_buffer_char(words, text.ptr[i]);
    }
    mica_buffer_char(words, '\'');
}

// True when the text can be typed and is not too long for it.
static bool
is_typable(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            return false;
    return text.len <= TYPED_MAX && mica_utf8_valid(text) == text.len;
}

// " See it: mica call …" with the whole input, or " Input: …" with its beginning; nothing
// for no input.
static struct mica_text
input_words(const struct mica_runs *runs, struct mica_text input)
{
    const struct mica_report *report = runs->subject->report;
    struct mica_buffer words;

    mica_buffer_init(&words, report->arena, 4 * TYPED_MAX + 1024);
    if (input.len > 0 && is_typable(input)) {
        mica_buffer_format(&words, " See it: mica call %.*s --json ",
                           MICA_ARG(report->slug));
        add_quoted(&words, input);
    } else if (input.len > 0) {
        mica_buffer_format(&words, " Input: %.*s%s", MICA_ARG(run_shown(input)),
                           run_more(input));
    }
    return mica_buffer_as_text(&words);
}

static bool
is_fault(const struct mica_native_result *result)
{
    return result->ending == MICA_NATIVE_FAULT ||
           (result->ending == MICA_NATIVE_ANSWERED &&
            (result->status == MICA_E_EXECUTION ||
             result->status == MICA_E_INTERNAL));
}

static bool
is_late(const struct mica_native_result *result)
{
    return result->ending == MICA_NATIVE_LATE ||
           (result->ending == MICA_NATIVE_ANSWERED &&
            result->status == MICA_E_TIMEOUT);
}

static void
note_fault(const struct mica_runs *runs,
           const struct mica_native_result *module,
           const struct mica_native_result *native, unsigned line,
           const char *pathz, struct mica_text input)
{
    struct mica_report *report = runs->subject->report;
    struct mica_text words = input_words(runs, input);

    if (is_fault(module)) {
        mica_report_add(report, MICA_RULE_ENGINE_FAULT, line, pathz,
                        "The engine stops on a fault of its own: %.*s Check "
                        "the input and refuse it with mica_fail instead.%.*s",
                        MICA_ARG(error_words(runs, module->json)),
                        MICA_ARG(words));
        return;
    }
    if (native->ending == MICA_NATIVE_ANSWERED) {
        mica_report_add(report, MICA_RULE_ENGINE_FAULT, line, pathz,
                        "The native build stops on a fault: %.*s The module "
                        "continues, so something in C is undefined here.%.*s",
                        MICA_ARG(error_words(runs, native->json)),
                        MICA_ARG(words));
        return;
    }
    mica_report_add(
        report, MICA_RULE_ENGINE_FAULT, line, pathz,
        "The native build crashes (%s), the module continues: an access outside "
        "an object, an overflow or a recursion without end.%.*s",
        strsignal(native->signal), MICA_ARG(words));
}

static void
note_late(const struct mica_runs *runs, const struct mica_native_result *module,
          unsigned line, const char *pathz, struct mica_text input)
{
    mica_report_add(
        runs->subject->report, MICA_RULE_ENGINE_TIMEOUT, line, pathz,
        "The %s does not end within its time. Bound its loops by the size of "
        "the input and refuse what is too much; .time_ms gives a long "
        "computation more than 250 ms.%.*s",
        is_late(module) ? "engine" : "native build",
        MICA_ARG(input_words(runs, input)));
}

bool
mica_runs_compare(const struct mica_runs *runs,
                  const struct mica_native_result *module,
                  const struct mica_native_result *native, unsigned line,
                  const char *pathz, struct mica_text input)
{
    struct mica_report *report = runs->subject->report;

    if (is_fault(module) || (native != NULL && is_fault(native))) {
        note_fault(runs, module, native, line, pathz, input);
        return false;
    }
    if (is_late(module) || (native != NULL && is_late(native))) {
        note_late(runs, module, line, pathz, input);
        return false;
    }
    if (native != NULL && native->ending == MICA_NATIVE_LOST) {
        mica_report_add(report, MICA_RULE_ENGINE_FAULT, line, pathz,
                        "The native build gave no answer and no reason.%.*s",
                        MICA_ARG(input_words(runs, input)));
        return true;
    }
    // Pointers are wider here: memory runs out at another point.
    if (native == NULL || native->status == MICA_E_LIMIT ||
        module->status == MICA_E_LIMIT) {
        return true;
    }
    if (native->status != module->status ||
        !mica_text_equal(native->json, module->json)) {
        mica_report_add(
            report, MICA_RULE_NATIVE_DIFFERS, line, pathz,
            "The module answers %.*s%s, a native build %.*s%s. Something here "
            "has another size or value on another machine: the width of long "
            "or size_t, a cast out of range, an uninitialized variable, the "
            "sign of a NaN.%.*s",
            MICA_ARG(run_shown(module->json)), run_more(module->json),
            MICA_ARG(run_shown(native->json)), run_more(native->json),
            MICA_ARG(input_words(runs, input)));
    }
    return true;
}

void
mica_runs_failure(const struct mica_runs *runs,
                  const struct mica_native_result *result, unsigned line,
                  const char *pathz)
{
    const struct mica_subject *subject = runs->subject;
    struct mica_json error;
    struct mica_text code, path;

    if (result->ending != MICA_NATIVE_ANSWERED ||
        result->status != MICA_FAILED ||
        mica_json_read(subject->report->arena, result->json, NULL, NULL,
                       &error) != MICA_OK) {
        return;
    }
    code = mica_json_get_text(&error, "code");
    path = mica_json_get_text(&error, "path");
    if (!mica_is_upper_snake(code)) {
        mica_report_add(subject->report, MICA_RULE_FAILURE_CODE, line, pathz,
                        "The engine fails with the code '%.*s', which is not "
                        "UPPER_SNAKE, e.g. \"DIVISION_BY_ZERO\".",
                        MICA_ARG(run_shown(code)));
    }
    if (mica_code_is_ours(code)) {
        mica_report_add(subject->report, MICA_RULE_FAILURE_CODE, line, pathz,
                        "The engine fails with the code '%.*s', which is one "
                        "of mica's own. Name what is wrong with the input, "
                        "e.g. \"DIVISION_BY_ZERO\".",
                        MICA_ARG(run_shown(code)));
    }
    if (!mica_path_leads(mica_json_get(subject->manifest, "inputSchema"),
                         path)) {
        mica_report_add(subject->report, MICA_RULE_FAILURE_PATH, line, pathz,
                        "The engine fails with the path '%.*s', which leads to "
                        "no input. Name the input at fault, e.g. \"b\" or "
                        "\"rows/2/price\", or \"\" when it is all of them "
                        "together.",
                        MICA_ARG(run_shown(path)));
    }
}
