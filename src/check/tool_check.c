// SPDX-License-Identifier: Apache-2.0
//
// The course of the check of an interactive tool: what can be read, the build,
// what the manifest says.
#include "check/check.h"

#include <string.h>

#include "build/compiler_words.h"
#include "build/files.h"
#include "check/stamp.h"
#include "check/subject.h"
#include "check/warnings.h"

enum {
    WORDS_BYTES = 1 << 20,
    WORDS_SHOWN = 3000
};

static bool
read_source(const struct mica_report *report, struct mica_source *source_out,
            struct mica_error *error)
{
    struct mica_text text;

    if (mica_file_read(report->arena, report->source.ptr, error, &text) !=
        MICA_OK)
        return false;
    mica_source_init(source_out, report->arena, text);
    return true;
}

// What the build says against it: a form that no client could be asked, and a view that no
// client could show, are rules of their own.
static void
note_failure(struct mica_report *report, enum mica_status status,
             const struct mica_error *error, struct mica_text words)
{
    enum mica_rule rule = status == MICA_E_BUILD ? MICA_RULE_BUILD_FAILED
                                                 : MICA_RULE_TOOL_MISSING;
    struct mica_text message = mica_text(error->message);
    size_t prefix = report->source.len;

    if (mica_text_starts(mica_text_slice(message, prefix, message.len),
                         ": form "))
        rule = MICA_RULE_FORM_INVALID;
    if (mica_text_starts(mica_text_slice(message, prefix, message.len),
                         ": view '"))
        rule = MICA_RULE_VIEW_INVALID;
    words = mica_utf8_cut(words, WORDS_SHOWN);
    while (words.len > 0 && words.ptr[words.len - 1] == '\n')
        words.len--;
    mica_report_add(report, rule, mica_compiler_line(words, report->source),
                    error->path, "%s%s%.*s", error->message,
                    words.len > 0 ? "\n" : "", MICA_ARG(words));
}

// `words` gets what the compiler says; nothing when the tool was built before, unless
// `again`.
static bool
tool_build(const struct mica_check_options *options, struct mica_report *report,
           bool again, struct mica_buffer *words)
{
    const struct mica_build_options how = {.toolchain = options->toolchain,
                                           .out_dir = options->out_dir,
                                           .fast = options->fast,
                                           .force = again};
    enum mica_build_outcome outcome;
    struct mica_error error = {0};
    enum mica_status status;

    mica_buffer_init(words, report->arena, WORDS_BYTES);
    status = mica_build_tool(&how, report->source.ptr, words, &error, &outcome);
    if (status != MICA_OK)
        note_failure(report, status, &error, mica_buffer_as_text(words));
    return status == MICA_OK;
}

static bool
read_manifest(const struct mica_check_options *options,
              struct mica_report *report, struct mica_json *manifest_out)
{
    char path[PATH_MAX];
    struct mica_text text;
    struct mica_error error;
    const struct mica_json *size;
    int64_t bytes = 0;

    if (mica_path(path, &error, "%s/%s.json", options->out_dir,
                  report->slug.ptr) != MICA_OK ||
        mica_file_read(report->arena, path, &error, &text) != MICA_OK ||
        mica_json_read(report->arena, text, NULL, &error, manifest_out) !=
            MICA_OK) {
        mica_report_add(report, MICA_RULE_BUILD_FAILED, 0, "", "%s",
                        error.message);
        return false;
    }
    report->module_sha256 = mica_json_get_text(manifest_out, "sha256");
    size = mica_json_get(manifest_out, "size");
    if (size != NULL && mica_integer_read(size->text, &bytes))
        report->module_bytes = (size_t)bytes;
    return true;
}

unsigned
mica_check_step_line(const struct mica_report *report, struct mica_text step)
{
    struct mica_source source;
    struct mica_error error;

    return read_source(report, &source, &error)
               ? mica_source_step(&source, step)
               : 0;
}

void
mica_check_tool(const struct mica_check_options *options,
                struct mica_report *report)
{
    struct mica_stamp stamp = {.options = options, .report = report};
    struct mica_source source;
    struct mica_buffer words;
    struct mica_json manifest;
    struct mica_subject subject = {report, &source, NULL};
    struct mica_error error;

    if (!read_source(report, &source, &error)) {
        mica_report_add(report, MICA_RULE_BUILD_FAILED, 0, "", "%s",
                        error.message);
        return;
    }
    if (!mica_rule_text(&subject) || !mica_rule_one_tool(&subject) ||
        !tool_build(options, report, false, &words) ||
        !read_manifest(options, report, &manifest))
        return;
    subject.manifest = &manifest;
    stamp.build = mica_json_get_text(&manifest, "build");
    if (mica_stamp_read(&stamp))
        return;
    if (words.len == 0 && !tool_build(options, report, true, &words))
        return;
    mica_warnings_check(report, mica_buffer_as_text(&words));
    mica_rule_members(&subject);
    mica_rule_words(&subject);
    mica_rule_fields(&subject);
    mica_rule_steps(&subject);
    mica_rule_fetches(&subject);
    mica_rule_keeps(&subject);
    mica_rule_view(&subject);
    mica_rule_texts(&subject);
    mica_rule_inputs(&subject);
    if (mica_report_good(report))
        mica_stamp_write(&stamp);
}
