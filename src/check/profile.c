// SPDX-License-Identifier: Apache-2.0
//
// llvm-profdata merges what the children counted, and llvm-cov lays it over the
// source: an export in JSON with the regions of each function.
#include "check/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/files.h"
#include "build/process.h"

enum {
    EXPORT_BYTES = 16 * 1024 * 1024,
    // Numbers of a region in llvm-cov's export.
    LINE = 0,
    END_LINE = 2,
    COUNT = 4,
    FILE_ID = 5,
    KIND = 7,
    BRANCH_FILE_ID = 6,
    REGION_NUMBERS = 8
};

struct reader {
    const struct mica_subject *subject;
    const struct mica_native *native;
    const char *folder;
    struct mica_arena *arena;
};

// ---- The tools -------------------------------------------------------------------

static void
reader_unknown(const struct reader *reader, struct mica_text words)
{
    mica_report_add(reader->subject->report, MICA_RULE_COVERAGE_UNKNOWN, 0, "",
                    "The branches that the examples cover cannot be counted: "
                    "%.*s",
                    MICA_ARG(mica_text_slice(words, 0, 500)));
}

// Runs a tool of LLVM under the name that is there. False, with a finding, when
// it is missing or fails.
static bool
run_tool(const struct reader *reader, const char *variable,
         const char *const *names, struct mica_process *command,
         struct mica_buffer *words)
{
    enum mica_status status = MICA_E_NOT_FOUND;
    struct mica_error error;
    const char *given = getenv(variable);
    const char *const reads[] = {reader->subject->report->source.ptr, NULL};
    const struct mica_confinement confinement = {MICA_CONFINE_ENGINE,
                                                 reader->folder, reads};
    int exit_status = 0;

    // The engine had its hands on what they read.
    command->confinement = &confinement;

    for (size_t i = 0; status == MICA_E_NOT_FOUND && names[i] != NULL; i++) {
        command->words[0] = given != NULL && *given != '\0' ? given : names[i];
        status = mica_process_run(command, NULL, words, &error, &exit_status);
    }
    command->confinement = NULL; // it ends with this function
    if (status == MICA_E_NOT_FOUND) {
        mica_report_add(reader->subject->report, MICA_RULE_TOOL_MISSING, 0, "",
                        "There is no program %s, which counts the branches "
                        "that the examples cover. Install the package llvm-14, "
                        "or set %s to its path.",
                        command->words[0], variable);
    } else if (status != MICA_OK) {
        reader_unknown(reader, mica_text(error.message));
    } else if (exit_status != 0) {
        reader_unknown(reader, mica_buffer_as_text(words));
    }
    return status == MICA_OK && exit_status == 0;
}

// Writes the names of the profiles that hold something; a child that was killed
// leaves an empty one.
static bool
list_profiles(const struct reader *reader, const char *path)
{
    struct mica_buffer list;
    struct mica_error error;

    mica_buffer_init(&list, reader->arena, EXPORT_BYTES);
    for (unsigned i = 0; i < reader->native->profile_count; i++) {
        char profile[PATH_MAX];
        struct stat status;

        if (mica_path(profile, NULL, "%s%u", reader->native->profile, i) ==
                MICA_OK &&
            stat(profile, &status) == 0 && status.st_size > 0) {
            mica_buffer_format(&list, "%s\n", profile);
        }
    }
    if (list.len == 0) {
        reader_unknown(reader,
                       MICA_LITERAL("the native build left no counts."));
        return false;
    }
    if (mica_file_write(path, mica_buffer_as_text(&list), &error) != MICA_OK) {
        reader_unknown(reader, mica_text(error.message));
        return false;
    }
    return true;
}

static bool
reader_merge(const struct reader *reader, const char *merged)
{
    static const char *const names[] = {"llvm-profdata-14", "llvm-profdata",
                                        NULL};
    char list[PATH_MAX], option[PATH_MAX + 16];
    struct mica_process command = {0};
    struct mica_buffer words;

    mica_buffer_init(&words, reader->arena, EXPORT_BYTES);
    if (mica_path(list, NULL, "%s/profiles", reader->folder) != MICA_OK ||
        mica_path(option, NULL, "--input-files=%s", list) != MICA_OK ||
        !list_profiles(reader, list)) {
        return false;
    }
    mica_process_add(&command, names[0]);
    mica_process_add(&command, "merge");
    mica_process_add(&command, "-sparse");
    mica_process_add(&command, option);
    mica_process_add(&command, "-o");
    mica_process_add(&command, merged);
    return run_tool(reader, "MICA_LLVM_PROFDATA", names, &command, &words);
}

static bool
export_regions(const struct reader *reader, struct mica_json *export_out)
{
    static const char *const names[] = {"llvm-cov-14", "llvm-cov", NULL};
    static const struct mica_json_limits limits = {.bytes = EXPORT_BYTES};
    char merged[PATH_MAX];
    struct mica_process command = {0};
    struct mica_buffer words;
    struct mica_text text;
    struct mica_error error;
    const char *start;

    mica_buffer_init(&words, reader->arena, EXPORT_BYTES);
    if (mica_path(merged, NULL, "%s/merged", reader->folder) != MICA_OK ||
        !reader_merge(reader, merged)) {
        return false;
    }
    mica_process_add(&command, names[0]);
    mica_process_add(&command, "export");
    mica_process_add(&command, "-format=text");
    mica_process_add(&command, "-instr-profile");
    mica_process_add(&command, merged);
    mica_process_add(&command, reader->native->program);
    if (!run_tool(reader, "MICA_LLVM_COV", names, &command, &words)) {
        return false;
    }
    // A warning may stand before the JSON.
    text = mica_buffer_as_text(&words);
    start = text.len > 0 ? memchr(text.ptr, '{', text.len) : NULL;
    text = mica_text_slice(text, start != NULL ? (size_t)(start - text.ptr) : 0,
                           text.len);
    if (mica_json_read(reader->arena, text, &limits, &error, export_out) !=
        MICA_OK) {
        reader_unknown(reader, mica_text(error.message));
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
source_place(const struct mica_source *source, const struct mica_json *numbers,
             size_t line)
{
    return mica_source_offset(source, (unsigned)number_at(numbers, line),
                              (unsigned)number_at(numbers, line + 1));
}

static struct mica_region
read_region(const struct mica_source *source, const struct mica_json *numbers)
{
    return (struct mica_region){
        .from = source_place(source, numbers, LINE),
        .to = source_place(source, numbers, END_LINE),
        .count = number_at(numbers, COUNT),
        .kind = (int)number_at(numbers, KIND),
    };
}

// Whether the first file of a function is the engine's own.
static bool
is_own(const struct reader *reader, const struct mica_json *function)
{
    const struct mica_json *files = mica_json_get(function, "filenames");
    struct mica_text source = reader->subject->report->source, file;
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
take_function(const struct reader *reader, const struct mica_json *function,
              struct mica_profile *profile)
{
    const struct mica_source *source = reader->subject->source;
    const struct mica_json *list = mica_json_get(function, "regions");
    const struct mica_json *labels = mica_json_get(function, "branches");

    if (!is_own(reader, function)) {
        return;
    }
    // File 0 is the function's own text; the others are expanded macros.
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct mica_json *numbers = &list->items[i];

        if (numbers->count >= REGION_NUMBERS &&
            number_at(numbers, FILE_ID) == 0) {
            profile->regions[profile->region_count++] =
                read_region(source, numbers);
        }
    }
    for (size_t i = 0; labels != NULL && i < labels->count; i++) {
        const struct mica_json *numbers = &labels->items[i];

        if (numbers->count > REGION_NUMBERS &&
            number_at(numbers, BRANCH_FILE_ID) == 0) {
            profile->labels[profile->label_count++] =
                read_region(source, numbers);
        }
    }
}

static bool
take_regions(const struct reader *reader, const struct mica_json *export,
             struct mica_profile *profile)
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
    profile->regions =
        mica_arena_zero(reader->arena, most, sizeof(struct mica_region));
    profile->labels =
        mica_arena_zero(reader->arena, most, sizeof(struct mica_region));
    if (profile->regions == NULL || profile->labels == NULL) {
        return false;
    }
    for (size_t i = 0; data != NULL && i < data->count; i++) {
        take_function(reader, &data->items[i], profile);
    }
    return true;
}

bool
mica_profile_read(const struct mica_subject *subject,
                  const struct mica_native *native, const char *folder,
                  struct mica_profile *profile_out)
{
    struct reader reader = {subject, native, folder, subject->report->arena};
    struct mica_json export;

    *profile_out = (struct mica_profile){NULL, 0, NULL, 0};
    return export_regions(&reader, &export) &&
           take_regions(&reader, &export, profile_out);
}
