// SPDX-License-Identifier: Apache-2.0
//
// llvm-profdata and llvm-cov turn profiles into regions of the source with a
// count each. How often an `if` came out true is the count of the region that
// starts where its body does; how often it ran is that of the innermost region
// around it; the difference came out false.
#include "check/coverage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/files.h"
#include "build/process.h"
#include "check/branches.h"

enum {
    EXPORT_BYTES = 16 * 1024 * 1024,
    // Numbers of a region in llvm-cov's export.
    LINE = 0,
    COLUMN = 1,
    END_LINE = 2,
    END_COLUMN = 3,
    COUNT = 4,
    FILE_ID = 5,
    KIND = 7,
    BRANCH_FILE_ID = 6,
    REGION_NUMBERS = 8,
    // Kinds of regions.
    CODE = 0,
    EXPANSION = 1,
    SKIPPED = 2
};

struct region {
    size_t from, to;
    int64_t count;
    int kind;
};

struct regions {
    struct region *list;
    size_t count;
    struct region *labels; // how often a case was selected
    size_t label_count;
};

struct coverage {
    const struct mica_subject *subject;
    const struct mica_native *native;
    const char *folder;
    struct mica_arena *arena;
    struct mica_text diagnostics;
};

// ---- The tools -------------------------------------------------------------------

static void
unknown(const struct coverage *coverage, struct mica_text words)
{
    mica_report_add(coverage->subject->report, MICA_RULE_COVERAGE_UNKNOWN, 0,
                    "",
                    "The branches that the examples cover cannot be counted: "
                    "%.*s",
                    MICA_ARG(mica_text_slice(words, 0, 500)));
}

// Runs a tool of LLVM under the name that is there. False, with a finding, when
// it is missing or fails.
static bool
run_tool(const struct coverage *coverage, const char *variable,
         const char *const *names, struct mica_command *command,
         struct mica_buffer *words)
{
    enum mica_status status = MICA_E_NOT_FOUND;
    struct mica_error error;
    const char *given = getenv(variable);
    int exit_status = 0;

    for (size_t i = 0; status == MICA_E_NOT_FOUND && names[i] != NULL; i++) {
        command->words[0] = given != NULL && *given != '\0' ? given : names[i];
        status = mica_process_run(command, NULL, words, &error, &exit_status);
    }
    if (status == MICA_E_NOT_FOUND) {
        mica_report_add(coverage->subject->report, MICA_RULE_TOOL_MISSING, 0,
                        "",
                        "There is no program %s, which counts the branches "
                        "that the examples cover. Install the package llvm-14, "
                        "or set %s to its path.",
                        command->words[0], variable);
    } else if (status != MICA_OK) {
        unknown(coverage, mica_text(error.message));
    } else if (exit_status != 0) {
        unknown(coverage, mica_buffer_as_text(words));
    }
    return status == MICA_OK && exit_status == 0;
}

// Writes the names of the profiles that hold something; a child that was killed
// leaves an empty one.
static bool
list_profiles(const struct coverage *coverage, const char *path)
{
    struct mica_buffer list;
    struct mica_error error;

    mica_buffer_init(&list, coverage->arena, EXPORT_BYTES);
    for (unsigned i = 0; i < coverage->native->profile_count; i++) {
        char profile[PATH_MAX];
        struct stat status;

        if (mica_path(profile, NULL, "%s%u", coverage->native->profile, i) ==
                MICA_OK &&
            stat(profile, &status) == 0 && status.st_size > 0) {
            mica_buffer_format(&list, "%s\n", profile);
        }
    }
    if (list.len == 0) {
        unknown(coverage, MICA_LITERAL("the native build left no counts."));
        return false;
    }
    if (mica_file_write(path, mica_buffer_as_text(&list), &error) != MICA_OK) {
        unknown(coverage, mica_text(error.message));
        return false;
    }
    return true;
}

static bool
merge(const struct coverage *coverage, const char *merged)
{
    static const char *const names[] = {"llvm-profdata-14", "llvm-profdata",
                                        NULL};
    char list[PATH_MAX], option[PATH_MAX + 16];
    struct mica_command command = {0};
    struct mica_buffer words;

    mica_buffer_init(&words, coverage->arena, EXPORT_BYTES);
    if (mica_path(list, NULL, "%s/profiles", coverage->folder) != MICA_OK ||
        mica_path(option, NULL, "--input-files=%s", list) != MICA_OK ||
        !list_profiles(coverage, list)) {
        return false;
    }
    mica_command_add(&command, names[0]);
    mica_command_add(&command, "merge");
    mica_command_add(&command, "-sparse");
    mica_command_add(&command, option);
    mica_command_add(&command, "-o");
    mica_command_add(&command, merged);
    return run_tool(coverage, "MICA_LLVM_PROFDATA", names, &command, &words);
}

static bool
export_regions(const struct coverage *coverage, struct mica_json *export_out)
{
    static const char *const names[] = {"llvm-cov-14", "llvm-cov", NULL};
    static const struct mica_json_limits limits = {.bytes = EXPORT_BYTES};
    char merged[PATH_MAX];
    struct mica_command command = {0};
    struct mica_buffer words;
    struct mica_text text;
    struct mica_error error;
    const char *start;

    mica_buffer_init(&words, coverage->arena, EXPORT_BYTES);
    if (mica_path(merged, NULL, "%s/merged", coverage->folder) != MICA_OK ||
        !merge(coverage, merged)) {
        return false;
    }
    mica_command_add(&command, names[0]);
    mica_command_add(&command, "export");
    mica_command_add(&command, "-format=text");
    mica_command_add(&command, "-instr-profile");
    mica_command_add(&command, merged);
    mica_command_add(&command, coverage->native->program);
    if (!run_tool(coverage, "MICA_LLVM_COV", names, &command, &words)) {
        return false;
    }
    // A warning may stand before the JSON.
    text = mica_buffer_as_text(&words);
    start = text.len > 0 ? memchr(text.ptr, '{', text.len) : NULL;
    text = mica_text_slice(text, start != NULL ? (size_t)(start - text.ptr) : 0,
                           text.len);
    if (mica_json_read(coverage->arena, text, &limits, &error, export_out) !=
        MICA_OK) {
        unknown(coverage, mica_text(error.message));
        return false;
    }
    return true;
}

// ---- Regions ---------------------------------------------------------------------

static int64_t
number_at(const struct mica_json *numbers, size_t index)
{
    int64_t value = 0;

    (void)mica_integer_read(numbers->items[index].text, &value);
    return value;
}

static size_t
place(const struct mica_source *source, const struct mica_json *numbers,
      size_t line)
{
    return mica_source_offset(source, (unsigned)number_at(numbers, line),
                              (unsigned)number_at(numbers, line + 1));
}

static struct region
read_region(const struct mica_source *source, const struct mica_json *numbers)
{
    return (struct region){
        .from = place(source, numbers, LINE),
        .to = place(source, numbers, END_LINE),
        .count = number_at(numbers, COUNT),
        .kind = (int)number_at(numbers, KIND),
    };
}

// Whether the first file of a function is the engine's own.
static bool
is_own(const struct coverage *coverage, const struct mica_json *function)
{
    const struct mica_json *files = mica_json_get(function, "filenames");
    struct mica_text source = coverage->subject->report->source, file;
    const char *slash = memrchr(source.ptr, '/', source.len);
    size_t base = slash != NULL ? (size_t)(slash - source.ptr) + 1 : 0;

    if (files == NULL || files->count == 0) {
        return false;
    }
    source = mica_text_slice(source, base, source.len);
    file = files->items[0].text;
    return file.len > source.len &&
           file.ptr[file.len - source.len - 1] == '/' &&
           mica_text_equal(
               mica_text_slice(file, file.len - source.len, file.len), source);
}

static void
take_function(const struct coverage *coverage, const struct mica_json *function,
              struct regions *regions)
{
    const struct mica_source *source = coverage->subject->source;
    const struct mica_json *list = mica_json_get(function, "regions");
    const struct mica_json *labels = mica_json_get(function, "branches");

    if (!is_own(coverage, function)) {
        return;
    }
    // File 0 is the function's own text; the others are expanded macros.
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct mica_json *numbers = &list->items[i];

        if (numbers->count >= REGION_NUMBERS &&
            number_at(numbers, FILE_ID) == 0) {
            regions->list[regions->count++] = read_region(source, numbers);
        }
    }
    for (size_t i = 0; labels != NULL && i < labels->count; i++) {
        const struct mica_json *numbers = &labels->items[i];

        if (numbers->count > REGION_NUMBERS &&
            number_at(numbers, BRANCH_FILE_ID) == 0) {
            regions->labels[regions->label_count++] =
                read_region(source, numbers);
        }
    }
}

static bool
take_regions(const struct coverage *coverage, const struct mica_json *export,
             struct regions *regions)
{
    const struct mica_json *data =
        mica_json_pointer_get(export, MICA_LITERAL("/data/0/functions"));
    size_t most = 0;

    for (size_t i = 0; data != NULL && i < data->count; i++) {
        const struct mica_json *list =
            mica_json_get(&data->items[i], "regions");
        const struct mica_json *labels =
            mica_json_get(&data->items[i], "branches");

        most += (list != NULL ? list->count : 0) +
                (labels != NULL ? labels->count : 0);
    }
    regions->list =
        mica_arena_zero(coverage->arena, most, sizeof(struct region));
    regions->labels =
        mica_arena_zero(coverage->arena, most, sizeof(struct region));
    if (regions->list == NULL || regions->labels == NULL) {
        return false;
    }
    for (size_t i = 0; data != NULL && i < data->count; i++) {
        take_function(coverage, &data->items[i], regions);
    }
    return true;
}

// ---- Counting --------------------------------------------------------------------

static const struct region *
starting_at(const struct region *list, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].from == at &&
            (list[i].kind == CODE || list[i].kind == EXPANSION ||
             list[i].kind > SKIPPED + 1)) {
            return &list[i];
        }
    }
    return NULL;
}

// Regions nest: the innermost is the one that starts last.
static const struct region *
around(const struct regions *regions, size_t at, int kind)
{
    const struct region *found = NULL;

    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->list[i];

        if (region->kind == kind && region->from <= at && at < region->to &&
            (found == NULL || region->from >= found->from)) {
            found = region;
        }
    }
    return found;
}

static struct mica_text
one_line(const struct coverage *coverage, struct mica_text text)
{
    struct mica_buffer line;
    bool blank = false;

    mica_buffer_init(&line, coverage->arena, text.len + 4);
    for (size_t i = 0; i < text.len && line.len < 80; i++) {
        bool space =
            text.ptr[i] == ' ' || text.ptr[i] == '\n' || text.ptr[i] == '\t';

        if (!space && blank && line.len > 0) {
            mica_buffer_char(&line, ' ');
        }
        if (!space) {
            mica_buffer_char(&line, text.ptr[i]);
        }
        blank = space;
    }
    line.len = mica_utf8_valid(mica_buffer_as_text(&line));
    return mica_buffer_as_text(&line);
}

static void
note_if(const struct coverage *coverage, const struct mica_branch *branch,
        const char *what)
{
    const struct mica_source *source = coverage->subject->source;

    mica_report_add(coverage->subject->report, MICA_RULE_BRANCH_UNTESTED,
                    mica_source_line(source, branch->at), "",
                    "No example %s 'if (%.*s)'%s. Add an example that does; "
                    "where it cannot happen, remove the `if` or write "
                    "MICA_UNREACHABLE.",
                    what, MICA_ARG(one_line(coverage, branch->what)),
                    strcmp(what, "reaches") == 0 ? ""
                    : strcmp(what, "makes true") == 0
                        ? " (it was always false)"
                        : " (it was always true)");
}

static void
count_if(const struct coverage *coverage, const struct mica_branch *branch,
         int64_t runs, int64_t hits)
{
    struct mica_report *report = coverage->subject->report;
    bool seen_true = hits > 0, seen_false = runs > hits;

    report->total += (size_t)branch->true_counts + branch->false_counts;
    report->covered += (branch->true_counts && seen_true) +
                       (size_t)(branch->false_counts && seen_false);
    if (runs == 0 && (branch->true_counts || branch->false_counts)) {
        note_if(coverage, branch, "reaches");
    } else if (branch->true_counts && !seen_true) {
        note_if(coverage, branch, "makes true");
    } else if (branch->false_counts && !seen_false) {
        note_if(coverage, branch, "makes false");
    }
}

static void
count_label(const struct coverage *coverage, const struct mica_branch *branch,
            int64_t hits)
{
    const struct mica_source *source = coverage->subject->source;
    struct mica_report *report = coverage->subject->report;

    report->total++;
    report->covered += hits > 0;
    if (hits == 0) {
        mica_report_add(report, MICA_RULE_CASE_UNTESTED,
                        mica_source_line(source, branch->at), "",
                        "No example selects '%.*s'. Add one that does; where "
                        "it cannot happen, remove it or write "
                        "MICA_UNREACHABLE.",
                        MICA_ARG(one_line(coverage, branch->what)));
    }
}

// clang says of a default behind all constants of an enum, by line and column,
// that it cannot be reached.
static bool
is_covered_default(const struct coverage *coverage, size_t at)
{
    const struct mica_source *source = coverage->subject->source;
    struct mica_buffer wanted;

    mica_buffer_init(&wanted, coverage->arena, 128);
    mica_buffer_format(
        &wanted, ":%u:%u: warning: default label in switch which covers",
        mica_source_line(source, at), mica_source_column(source, at));
    return memmem(coverage->diagnostics.ptr, coverage->diagnostics.len,
                  wanted.ptr, wanted.len) != NULL;
}

static void
count_branch(const struct coverage *coverage, const struct regions *regions,
             const struct mica_branch *branch)
{
    const struct region *whole = around(regions, branch->at, CODE), *hits;
    bool label = branch->kind != MICA_BRANCH_IF;

    if (around(regions, branch->at, SKIPPED) != NULL ||
        (label &&
         (!branch->true_counts || is_covered_default(coverage, branch->at)))) {
        return;
    }
    hits = label
               ? starting_at(regions->labels, regions->label_count, branch->at)
               : starting_at(regions->list, regions->count, branch->body);
    if (whole == NULL || hits == NULL) {
        mica_report_add(
            coverage->subject->report, MICA_RULE_COVERAGE_UNKNOWN,
            mica_source_line(coverage->subject->source, branch->at), "",
            "The compiler counted nothing for '%.*s'. Write it without macros "
            "around it.",
            MICA_ARG(one_line(coverage, branch->what)));
    } else if (label) {
        count_label(coverage, branch, hits->count);
    } else {
        count_if(coverage, branch, whole->count, hits->count);
    }
}

void
mica_coverage_check(const struct mica_subject *subject,
                    const struct mica_native *native, const char *folder,
                    struct mica_text diagnostics)
{
    struct coverage coverage = {subject, native, folder, subject->report->arena,
                                diagnostics};
    struct regions regions = {0};
    struct mica_json export;
    struct mica_branch *branches;
    size_t count =
        mica_branches_find(subject->source, coverage.arena, &branches);

    if (!export_regions(&coverage, &export) ||
        !take_regions(&coverage, &export, &regions)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        count_branch(&coverage, &regions, &branches[i]);
    }
}
