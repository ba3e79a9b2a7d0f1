// SPDX-License-Identifier: Apache-2.0
//
// How an engine fails: always by mica_fail, with a code that a program can rely
// on and a path that leads to the input at fault. What is computed and not
// written down is looked at when the examples run (run_examples.c).
#include <string.h>

#include "check/field_names.h"
#include "check/fields.h"
#include "check/subject.h"
#include "server/message_surface.h"

enum {
    CODE = 1,
    PATH = 2,
    ARGUMENTS = 4 // call, code, path, format
};

static unsigned
line_of(const struct mica_subject *subject, struct mica_text span)
{
    return mica_source_line(subject->source,
                            mica_source_at(subject->source, span));
}

static void
check_code(const struct mica_subject *subject, struct mica_text argument)
{
    struct mica_text code, taken = {NULL, 0};
    bool bad = mica_text_is(argument, "NULL");

    for (size_t at = 0;
         !bad && mica_source_literal(subject->source, subject->report->arena,
                                     argument, &at, &code);) {
        bad = !mica_is_upper_snake(code);
        if (mica_code_is_ours(code))
            taken = code;
    }
    if (taken.len > 0)
        mica_report_add(
            subject->report, MICA_RULE_FAILURE_CODE, line_of(subject, argument),
            "",
            "The code \"%.*s\" is one of mica's own, and means something else "
            "there. Name what is wrong with the input, e.g. "
            "\"DIVISION_BY_ZERO\".",
            MICA_ARG(taken));
    if (bad) {
        mica_report_add(
            subject->report, MICA_RULE_FAILURE_CODE, line_of(subject, argument),
            "",
            "The code %.*s is not UPPER_SNAKE. Programs rely on it for ever: "
            "name what is wrong in capitals, e.g. \"DIVISION_BY_ZERO\".",
            MICA_ARG(argument));
    }
}

// Only literals can be judged by reading: the argument itself, or the outcomes
// of a ?:.
static void
check_path(const struct mica_subject *subject, struct mica_text argument)
{
    const struct mica_json *schema =
        mica_json_get(subject->manifest, "inputSchema");
    struct mica_text path;

    if (!mica_source_is_literal(subject->source, argument) &&
        memchr(argument.ptr, '?', argument.len) == NULL) {
        return;
    }
    for (size_t at = 0; mica_source_literal(
             subject->source, subject->report->arena, argument, &at, &path);) {
        if (mica_path_leads(schema, path)) {
            continue;
        }
        mica_report_add(
            subject->report, MICA_RULE_FAILURE_PATH, line_of(subject, argument),
            "",
            "The path \"%.*s\" leads to no input. Name the input at fault, "
            "e.g. \"b\" or \"rows/2/price\", or \"\" when it is all of them "
            "together.",
            MICA_ARG(path));
    }
}

static bool
is_dropped(const struct mica_source *source, size_t at,
           struct mica_text word_before)
{
    char before = mica_source_before(source, at);
    size_t end = mica_source_at(source, word_before) + word_before.len;

    return (before != '\0' && strchr(";{})", before) != NULL) ||
           (mica_text_is(word_before, "else") &&
            mica_source_skip(source, end) == at);
}

static void
check_call(const struct mica_subject *subject, struct mica_text word,
           struct mica_text word_before)
{
    const struct mica_source *source = subject->source;
    size_t at = mica_source_at(source, word);
    struct mica_text arguments[ARGUMENTS];
    size_t open = mica_source_skip(source, at + word.len);

    if (open >= source->code.len || source->code.ptr[open] != '(' ||
        mica_source_arguments(source, open, arguments, ARGUMENTS) < ARGUMENTS) {
        return;
    }
    check_code(subject, arguments[CODE]);
    check_path(subject, arguments[PATH]);
    if (is_dropped(source, at, word_before)) {
        mica_report_add(subject->report, MICA_RULE_FAILURE_IGNORED,
                        line_of(subject, word), "",
                        "What mica_fail returns is dropped, so the engine goes "
                        "on as if nothing had happened. Write 'return "
                        "mica_fail(…);'.");
    }
}

// A status of one's own, unless it is only compared.
static void
check_status(const struct mica_subject *subject, struct mica_text word,
             struct mica_text word_before)
{
    const struct mica_source *source = subject->source;
    size_t at = mica_source_at(source, word);

    while (at > 0 && strchr(" \t\n", source->code.ptr[at - 1]) != NULL) {
        at--;
    }
    if (mica_text_is(word_before, "case") ||
        (at >= 2 && source->code.ptr[at - 1] == '=' &&
         strchr("=!", source->code.ptr[at - 2]) != NULL)) {
        return;
    }
    mica_report_add(
        subject->report, MICA_RULE_FAILURE_UNNAMED, line_of(subject, word), "",
        "%.*s says nothing about what is wrong with which input. Fail with "
        "'return mica_fail(call, \"CODE\", \"input\", \"what is wrong, and "
        "what to pass instead\");'.",
        MICA_ARG(word));
}

void
mica_rule_failures(const struct mica_subject *subject)
{
    struct mica_text word, before = {subject->source->code.ptr, 0};

    for (size_t at = 0; mica_source_word(subject->source, &at, &word);
         before = word) {
        if (mica_text_is(word, "mica_fail")) {
            check_call(subject, word, before);
        } else if (mica_text_is(word, "MICA_FAILED") ||
                   mica_text_starts(word, "MICA_E_")) {
            check_status(subject, word, before);
        }
    }
}
