// SPDX-License-Identifier: Apache-2.0
//
// The course of a check: what can be read comes before what must be built, and
// what must be built before what must run.
#include "check/check.h"

#include <string.h>

#include "build/compiler_words.h"
#include "build/files.h"
#include "check/coverage.h"
#include "check/field_names.h"
#include "check/runs.h"
#include "check/stamp.h"
#include "check/warnings.h"

enum {
    SLUG_MAX = 64,
    WORDS_BYTES = 1024 * 1024,
    WORDS_SHOWN = 3000,
    NATIVE_MS_MIN = 2000,
    NATIVE_MEMORY = 512 * 1024 * 1024
};

struct check {
    const struct mica_check_options *options;
    struct mica_report *report;
    struct mica_source source;
    struct mica_json manifest;
    struct mica_subject subject;
    char folder[PATH_MAX]; // of the native build; "" before it is made
    struct mica_native native;
    struct mica_buffer compiler_words; // of the native build
    struct mica_module *module;
};

static void
check_note(const struct check *check, enum mica_rule rule,
           const struct mica_error *error)
{
    mica_report_add(check->report, rule, 0, error->path, "%s", error->message);
}

// ---- Source and module -------------------------------------------------------------

static bool
read_source(struct check *check)
{
    struct mica_report *report = check->report;
    struct mica_text text;
    struct mica_error error;

    if (!mica_is_kebab(report->slug) || report->slug.len > SLUG_MAX) {
        mica_report_add(report, MICA_RULE_SLUG_FORM, 0, "",
                        "'%.*s' is no name of an engine. Name the file after "
                        "what the tool is, in lower-case letters and digits "
                        "with single '-' between, at most %d: "
                        "'unit-converter.c'.",
                        MICA_ARG(report->slug), SLUG_MAX);
        return false;
    }
    if (mica_file_read(report->arena, report->source.ptr, &error, &text) !=
        MICA_OK) {
        check_note(check, MICA_RULE_BUILD_FAILED, &error);
        return false;
    }
    mica_source_init(&check->source, report->arena, text);
    check->subject = (struct mica_subject){report, &check->source, NULL};
    return true;
}

static enum mica_rule
rule_of(enum mica_status status, const struct mica_error *error)
{
    if (status == MICA_E_IMPURE) {
        return MICA_RULE_IMPURE_ENGINE;
    }
    // What the module says against its own tables.
    if (error->status == MICA_E_USAGE) {
        return MICA_RULE_TABLE_INVALID;
    }
    return status == MICA_E_BUILD ? MICA_RULE_BUILD_FAILED
                                  : MICA_RULE_TOOL_MISSING;
}

// With what the compiler said, at the first line that either names.
static void
note_words(const struct check *check, enum mica_rule rule,
           const struct mica_error *error, const struct mica_buffer *words)
{
    struct mica_report *report = check->report;
    const char *end = ".";
    struct mica_text shown =
        mica_utf8_cut(mica_buffer_as_text(words), WORDS_SHOWN);
    unsigned line =
        mica_compiler_line(mica_text(error->message), report->source);

    while (shown.len > 0 && shown.ptr[shown.len - 1] == '\n') {
        shown.len--;
    }
    if (strchr(".!?", error->message[strlen(error->message) - 1]) != NULL) {
        end = "";
    }
    if (line == 0) {
        line = mica_compiler_line(shown, report->source);
    }
    mica_report_add(report, rule, line, error->path, "%s%s%s%.*s",
                    error->message, end, shown.len > 0 ? "\n" : "",
                    MICA_ARG(shown));
}

static bool
check_build(struct check *check)
{
    struct mica_report *report = check->report;
    const struct mica_build_options options = {
        .toolchain = check->options->toolchain,
        .out_dir = check->options->out_dir,
        .fast = check->options->fast};
    enum mica_build_outcome outcome;
    struct mica_error error = {0};
    struct mica_buffer words;

    mica_buffer_init(&words, report->arena, WORDS_BYTES);
    enum mica_status status = mica_build_engine(&options, report->source.ptr,
                                                &words, &error, &outcome);
    if (status == MICA_OK) {
        return true;
    }
    note_words(check, rule_of(status, &error), &error, &words);
    return false;
}

static bool
read_manifest(struct check *check)
{
    struct mica_report *report = check->report;
    char path[PATH_MAX];
    struct mica_text text;
    struct mica_error error;
    int64_t size = 0;

    if (mica_path(path, &error, "%s/%s.json", check->options->out_dir,
                  report->slug.ptr) != MICA_OK ||
        mica_file_read(report->arena, path, &error, &text) != MICA_OK ||
        mica_json_read(report->arena, text, NULL, &error, &check->manifest) !=
            MICA_OK) {
        check_note(check, MICA_RULE_BUILD_FAILED, &error);
        return false;
    }
    check->subject.manifest = &check->manifest;
    report->module_sha256 = mica_json_get_text(&check->manifest, "sha256");
    const struct mica_json *bytes = mica_json_get(&check->manifest, "size");
    if (bytes != NULL && mica_integer_read(bytes->text, &size)) {
        report->module_bytes = (size_t)size;
    }
    return true;
}

static void
check_reading(const struct check *check)
{
    mica_rule_tool(&check->subject);
    mica_rule_fields(&check->subject);
    mica_rule_failures(&check->subject);
    mica_rule_texts(&check->subject);
    mica_rule_examples(&check->subject);
    mica_rule_page(&check->subject);
}

// ---- Runs ------------------------------------------------------------------------

static bool
open_module(struct check *check)
{
    struct mica_error error;

    if (mica_module_open(check->options->out_dir, check->report->slug.ptr,
                         &error, &check->module) == MICA_OK) {
        return true;
    }
    check_note(check, MICA_RULE_TOOL_MISSING, &error);
    return false;
}

static bool
build_natively(struct check *check)
{
    const struct mica_json *limits = mica_json_get(&check->manifest, "limits");
    const struct mica_json *time = mica_json_get(limits, "time_ms");
    struct mica_error error;
    int64_t ms = 0;
    enum mica_status status;

    if (time != NULL) {
        (void)mica_integer_read(time->text, &ms);
    }
    // With its counters and without optimization it is slower than the module.
    check->native.time_ms =
        ms * 8 > NATIVE_MS_MIN ? (unsigned)ms * 8 : NATIVE_MS_MIN;
    check->native.memory_bytes = NATIVE_MEMORY;
    mica_buffer_init(&check->compiler_words, check->report->arena, WORDS_BYTES);
    status =
        mica_folder_temporary(check->options->out_dir, check->folder, &error);
    if (status == MICA_OK) {
        status = mica_path(check->native.profile, &error, "%s/profile",
                           check->folder);
    }
    if (status == MICA_OK) {
        status = mica_native_build(&check->native, check->options->toolchain,
                                   check->report->source.ptr, check->folder,
                                   &check->compiler_words, &error);
    }
    if (status == MICA_E_BUILD) {
        note_words(check, MICA_RULE_BUILD_FAILED, &error,
                   &check->compiler_words);
    } else if (status != MICA_OK) {
        check_note(check, MICA_RULE_TOOL_MISSING, &error);
    }
    return status == MICA_OK;
}

// What is found natively may come from the parts the engine was linked with.
static void
check_doubt(const struct check *check)
{
    struct mica_report *report = check->report;

    if (check->native.outdated &&
        (mica_report_has(report, MICA_RULE_NATIVE_DIFFERS) ||
         mica_report_has(report, MICA_RULE_ENGINE_FAULT))) {
        mica_report_add(report, MICA_RULE_TOOL_MISSING, 0, "",
                        "libmica-probe.a, which the native build is linked "
                        "with, is older than mica's headers. The findings "
                        "above may come from that: build mica again, or "
                        "install it again, before you look for a mistake in "
                        "the engine.");
    }
}

static void
check_running(struct check *check)
{
    bool native = build_natively(check);
    struct mica_runs runs = {.subject = &check->subject,
                             .native = native ? &check->native : NULL,
                             .outputs = mica_outputs_new(&check->subject)};

    if (!open_module(check)) {
        return;
    }
    runs.module = check->module;
    mica_runs_examples(&runs);
    if (!native) {
        mica_outputs_check(runs.outputs);
        return;
    }
    mica_warnings_check(check->report,
                        mica_buffer_as_text(&check->compiler_words));
    mica_coverage_check(&check->subject, &check->native, check->folder,
                        mica_buffer_as_text(&check->compiler_words));
    if (check->options->random_count > 0) {
        check->native.profile[0] = '\0';
        mica_runs_random(&runs, check->options->random_count,
                         check->options->seed, check->options->random_ms);
    }
    mica_outputs_check(runs.outputs);
    check_doubt(check);
}

static void
check_release(struct check *check)
{
    if (check->module != NULL) {
        mica_module_release(&check->module);
    }
    if (check->folder[0] != '\0') {
        mica_folder_remove(check->folder);
    }
    if (check->report->arena->overflow) {
        mica_report_add(check->report, MICA_RULE_TOOL_MISSING, 0, "",
                        "The check ran out of memory and is not complete.");
    }
}

void
mica_check_engine(const struct mica_check_options *options,
                  struct mica_report *report)
{
    struct check check = {.options = options, .report = report};
    struct mica_stamp stamp = {.options = options, .report = report};

    if (!read_source(&check) || !mica_rule_source(&check.subject) ||
        !check_build(&check) || !read_manifest(&check)) {
        check_release(&check);
        return;
    }
    stamp.build = mica_json_get_text(&check.manifest, "build");
    if (!mica_stamp_read(&stamp)) {
        check_reading(&check);
        check_running(&check);
        if (mica_report_good(report)) {
            mica_stamp_write(&stamp);
        }
    }
    check_release(&check);
}
