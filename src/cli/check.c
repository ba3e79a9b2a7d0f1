// SPDX-License-Identifier: Apache-2.0
//
// mica check: whether engines are done.
#include "check/check.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/project.h"
#include "sandbox/trust.h"

enum {
    PATH_BYTES = 512,
    REPORT_BYTES = 16 << 20,
    ENGINE_BYTES = 512 << 20,
    RANDOM_MAX = 100000000
};

// The engines to check and how far it has come.
struct work {
    struct mica_cli *cli;
    struct mica_check_options check;
    const char *const *words; // slugs or files
    size_t count, good;
    bool json;
};

// "engines/SLUG.c" of a slug; a path stays.
static enum mica_status
source_path(const char *word, char out[PATH_BYTES], struct mica_error *error)
{
    struct mica_text text = mica_text(word);
    bool is_file = strchr(word, '/') != NULL ||
                   (text.len > 2 && strcmp(word + text.len - 2, ".c") == 0);
    int length = is_file ? snprintf(out, PATH_BYTES, "%s", word)
                         : snprintf(out, PATH_BYTES, "%s/%s.c",
                                    mica_kind_engine.dir, word);

    if (length < 0 || length >= PATH_BYTES)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the name %.40s… is too long", word);
    return MICA_OK;
}

static struct mica_text
slug_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct mica_text name = mica_text(slash != NULL ? slash + 1 : path);
    bool ends = name.len > 2 && strcmp(name.ptr + name.len - 2, ".c") == 0;

    return mica_text_slice(name, 0, ends ? name.len - 2 : name.len);
}

// A name that somebody typed is a mistake of its own when there is no file.
static enum mica_status
find_all(const struct work *work, struct mica_error *error)
{
    for (size_t i = 0; i < work->count; i++) {
        char path[PATH_BYTES];
        FILE *file;

        MICA_TRY(source_path(work->words[i], path, error));
        file = fopen(path, "re");
        if (file == NULL)
            return mica_error_set(error, MICA_E_NOT_FOUND, "",
                                  "there is no engine %s (%s); \"mica list\" "
                                  "shows those there are",
                                  work->words[i], path);
        (void)fclose(file);
    }
    return MICA_OK;
}

static void
print_report(struct work *work, const struct mica_report *report, bool first)
{
    struct mica_buffer text;
    struct mica_json_writer writer;

    mica_buffer_init(&text, report->arena, REPORT_BYTES);
    if (work->json) {
        mica_json_writer_init(&writer, &text);
        mica_report_json(&writer, report);
        mica_cli_print(work->cli, "%s", first ? "[\n" : ",\n");
    } else {
        mica_report_text(&text, report, work->cli->colour);
    }
    mica_cli_write(work->cli, mica_buffer_as_text(&text));
    mica_cli_flush(work->cli);
}

static void
show_progress(const struct work *work, size_t index, struct mica_text slug)
{
    if (work->json)
        return;
    mica_cli_note(work->cli, "\r\033[Kchecking %.*s (%zu of %zu)",
                  MICA_ARG(slug), index + 1, work->count);
}

static enum mica_status
check_one(struct work *work, size_t index, struct mica_error *error)
{
    char path[PATH_BYTES];
    struct mica_arena arena;
    struct mica_report report;

    MICA_TRY(source_path(work->words[index], path, error));
    show_progress(work, index, slug_of(path));
    mica_arena_init(&arena, ENGINE_BYTES);
    mica_report_init(&report, &arena, slug_of(path), mica_text(path));
    mica_check_engine(&work->check, &report);
    if (!work->json)
        mica_cli_note(work->cli, "\r\033[K");
    print_report(work, &report, index == 0);
    work->good += mica_report_good(&report);
    mica_arena_fini(&arena);
    return MICA_OK;
}

static enum mica_status
check_all(struct work *work, struct mica_error *error)
{
    size_t bad;

    for (size_t i = 0; i < work->count; i++)
        MICA_TRY(check_one(work, i, error));
    bad = work->count - work->good;
    if (work->json)
        mica_cli_print(work->cli, "\n]\n");
    if (bad == 0) {
        if (!work->json)
            mica_cli_print(work->cli, "%zu engine%s checked, all good\n",
                           work->count, mica_cli_s(work->count));
        return MICA_OK;
    }
    (void)mica_error_set(error, MICA_FAILED, "",
                         "%zu of %zu engine%s not done yet; docs/check.md "
                         "explains every code",
                         bad, work->count, bad == 1 ? " is" : "s are");
    memcpy(error->code, "CHECK_FAILED", sizeof "CHECK_FAILED");
    return MICA_FAILED;
}

static enum mica_status
find_words(struct work *work, const struct mica_options *options,
           struct mica_error *error)
{
    work->words = options->words;
    work->count = options->word_count;
    if (work->count > 0)
        return find_all(work, error);
    MICA_TRY(mica_project_sources(work->cli, &mica_kind_engine, error,
                                  &work->words));
    while (work->words[work->count] != NULL)
        work->count++;
    return MICA_OK;
}

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    struct mica_toolchain toolchain;
    char identity[MICA_SHA256_SIZE];
    const char *out = mica_options_value(options, "out");
    unsigned random_count, seed;
    struct work work = {.cli = cli, .json = mica_cli_wants_json(cli, options)};

    MICA_TRY(mica_options_number(options, "random", 0, RANDOM_MAX, error,
                                 &random_count));
    MICA_TRY(mica_options_number(options, "seed", 1, UINT32_MAX, error, &seed));
    MICA_TRY(find_words(&work, options, error));
    MICA_TRY(mica_toolchain_find(&toolchain, error));
    if (out == NULL)
        MICA_TRY(mica_project_make_folder("build", error));
    work.check = (struct mica_check_options){
        .toolchain = &toolchain,
        .out_dir = out != NULL ? out : mica_kind_engine.built,
        .fast = mica_options_has(options, "fast"),
        .force = mica_options_has(options, "force"),
        .random_count = random_count,
        .seed = seed};
    if (mica_trust_hash("/proc/self/exe", NULL, identity) == MICA_OK)
        work.check.identity = identity;
    return check_all(&work, error);
}

static const struct mica_option options[] = {
    {"json", MICA_OPTION_SWITCH, NULL,
     "print one JSON array, as when stdout is no terminal"},
    {"random", MICA_OPTION_VALUE, "N",
     "also run N random inputs natively and in the sandbox"},
    {"seed", MICA_OPTION_VALUE, "S",
     "sets the random inputs (default 1): the same seed, the same inputs"},
    {"out", MICA_OPTION_VALUE, "DIR",
     "where the built files go (default build/engines)"},
    {"fast", MICA_OPTION_SWITCH, NULL,
     "build as \"mica build --fast\" does; for trying things out"},
    {"force", MICA_OPTION_SWITCH, NULL,
     "check again what has not changed since it was good"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_check = {
    .name = "check",
    .summary = "Say what is missing until an engine is done",
    .usage = "[SLUG…]",
    .example = "mica check percentage-calculator",
    .more = "Builds each engine, proves that it is pure, reads its "
            "descriptions, runs its examples natively and in the sandbox, and "
            "counts the branches they cover. Every finding has a code, a "
            "place and a way to mend it.",
    .options = options,
    .run = run};
