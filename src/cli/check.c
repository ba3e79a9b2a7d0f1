// SPDX-License-Identifier: Apache-2.0
//
// mica check: whether engines and tools are done.
#include "check/check.h"

#include <stdio.h>
#include <string.h>

#include "build/files.h"
#include "build/process.h"
#include "cli/commands.h"
#include "cli/project.h"
#include "sandbox/trust.h"

enum {
    PATH_BYTES = 512,
    REPORT_BYTES = 16 << 20,
    ENGINE_BYTES = 512 << 20,
    RANDOM_MAX = 100000000,
    TESTS_SHOWN = 3000 // bytes of what tests say
};

// One to check.
struct item {
    const struct mica_source_kind *kind;
    char path[PATH_BYTES];
};

// What to check and how far it has come.
struct work {
    struct mica_cli *cli;
    struct mica_check_options check;
    const char *out; // NULL: where each kind is built to
    struct item *items;
    size_t count, good;
    bool json;
};

static bool
is_there(const char *path)
{
    FILE *file = fopen(path, "re");

    if (file != NULL)
        (void)fclose(file);
    return file != NULL;
}

// A file, or a name of an engine or of a tool. A name that somebody typed is a
// mistake of its own when there is no file.
static enum mica_status
find_item(const char *word, struct item *item_out, struct mica_error *error)
{
    static const struct mica_source_kind *const kinds[] = {&mica_kind_engine,
                                                           &mica_kind_tool};
    struct mica_text text = mica_text(word);
    bool is_file = strchr(word, '/') != NULL ||
                   (text.len > 2 && strcmp(word + text.len - 2, ".c") == 0);

    if (text.len > PATH_BYTES - 16)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the name %.40s… is too long", word);
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        item_out->kind = is_file ? mica_source_kind_of(word) : kinds[i];
        if (is_file)
            (void)snprintf(item_out->path, PATH_BYTES, "%s", word);
        else
            (void)snprintf(item_out->path, PATH_BYTES, "%s/%s.c", kinds[i]->dir,
                           word);
        if (is_there(item_out->path))
            return MICA_OK;
    }
    if (is_file)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no file %s", word);
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "there is no engine or tool %s (engines/%s.c, "
                          "tools/%s.c); \"mica list\" shows those there are",
                          word, word, word);
}

static struct mica_text
slug_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct mica_text name = mica_text(slash != NULL ? slash + 1 : path);
    bool ends = name.len > 2 && strcmp(name.ptr + name.len - 2, ".c") == 0;

    return mica_text_slice(name, 0, ends ? name.len - 2 : name.len);
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

// Runs the tests of a tool of this folder, if it has some: in a process of their
// own, which may crash.
static void
run_tests(const struct item *item, struct mica_report *report)
{
    struct mica_process command = {0};
    struct mica_error error = {0};
    struct mica_buffer said;
    char path[PATH_MAX];
    int exit_status = 0;

    if (strncmp(item->path, "tools/", 6) != 0 ||
        mica_path(path, NULL, "tests/%s", item->path) != MICA_OK ||
        !mica_file_exists(path))
        return;
    mica_buffer_init(&said, report->arena, REPORT_BYTES);
    mica_process_add(&command, "/proc/self/exe");
    mica_process_add(&command, "test");
    mica_process_add(&command, report->slug.ptr);
    if (mica_process_run(&command, NULL, &said, &error, &exit_status) ==
            MICA_OK &&
        exit_status == 0)
        return;
    struct mica_text words = mica_buffer_as_text(&said);
    words = mica_text_slice(words, 0, TESTS_SHOWN);
    words = mica_text_slice(words, 0, mica_utf8_valid(words));
    mica_report_add(report, MICA_RULE_TESTS_FAILED, 0, "",
                    "\"mica test %.*s\" does not pass%s%s\n%.*s",
                    MICA_ARG(report->slug), error.message[0] ? ": " : ".",
                    error.message, MICA_ARG(words));
}

static void
check_one(struct work *work, size_t index)
{
    const struct item *item = &work->items[index];
    struct mica_check_options check = work->check;
    struct mica_arena arena;
    struct mica_report report;

    check.out_dir = work->out != NULL ? work->out : item->kind->built;
    show_progress(work, index, slug_of(item->path));
    mica_arena_init(&arena, ENGINE_BYTES);
    mica_report_init(&report, &arena, slug_of(item->path),
                     mica_text(item->path));
    if (item->kind == &mica_kind_tool) {
        mica_check_tool(&check, &report);
        if (mica_report_good(&report))
            run_tests(item, &report);
    } else {
        mica_check_engine(&check, &report);
    }
    if (!work->json)
        mica_cli_note(work->cli, "\r\033[K");
    print_report(work, &report, index == 0);
    work->good += mica_report_good(&report);
    mica_arena_fini(&arena);
}

static size_t
count_kind(const struct work *work, const struct mica_source_kind *kind)
{
    size_t count = 0;

    for (size_t i = 0; i < work->count; i++)
        count += work->items[i].kind == kind;
    return count;
}

// "19 engines", "2 tools", "19 engines and 2 tools".
static void
print_all_good(const struct work *work)
{
    size_t engines = count_kind(work, &mica_kind_engine);
    size_t tools = work->count - engines;

    if (engines > 0)
        mica_cli_print(work->cli, "%zu engine%s%s", engines,
                       mica_cli_s(engines), tools > 0 ? " and " : "");
    if (tools > 0)
        mica_cli_print(work->cli, "%zu tool%s", tools, mica_cli_s(tools));
    mica_cli_print(work->cli, " checked, all good\n");
}

static enum mica_status
check_all(struct work *work, struct mica_error *error)
{
    const char *noun =
        count_kind(work, &mica_kind_engine) == work->count ? "engine" : "tool";
    size_t bad;

    for (size_t i = 0; i < work->count; i++)
        check_one(work, i);
    bad = work->count - work->good;
    if (work->json)
        mica_cli_print(work->cli, "\n]\n");
    if (bad == 0) {
        if (!work->json)
            print_all_good(work);
        return MICA_OK;
    }
    (void)mica_error_set(error, MICA_FAILED, "",
                         "%zu of %zu %s%s not done yet; docs/check.md "
                         "explains every code",
                         bad, work->count, noun, bad == 1 ? " is" : "s are");
    memcpy(error->code, "CHECK_FAILED", sizeof "CHECK_FAILED");
    return MICA_FAILED;
}

static enum mica_status
make_room(struct work *work, size_t count, struct mica_error *error)
{
    work->items =
        mica_arena_zero(&work->cli->arena, count + 1, sizeof *work->items);
    return work->items != NULL
               ? MICA_OK
               : mica_error_set(error, MICA_E_LIMIT, "", "no memory");
}

static enum mica_status
find_everything(struct work *work, struct mica_error *error)
{
    static const struct mica_source_kind *const kinds[] = {&mica_kind_engine,
                                                           &mica_kind_tool};
    const char *const *names[MICA_COUNT(kinds)];
    size_t count = 0;

    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        MICA_TRY(mica_project_sources(work->cli, kinds[i], error, &names[i]));
        for (size_t j = 0; names[i][j] != NULL; j++)
            count++;
    }
    if (count == 0)
        return mica_project_empty(error);
    MICA_TRY(make_room(work, count, error));
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        for (size_t j = 0; names[i][j] != NULL; j++) {
            struct item *item = &work->items[work->count++];
            item->kind = kinds[i];
            (void)snprintf(item->path, PATH_BYTES, "%s/%s.c", kinds[i]->dir,
                           names[i][j]);
        }
    }
    return MICA_OK;
}

static enum mica_status
find_items(struct work *work, const struct mica_options *options,
           struct mica_error *error)
{
    if (options->word_count == 0)
        return find_everything(work, error);
    MICA_TRY(make_room(work, options->word_count, error));
    for (; work->count < options->word_count; work->count++)
        MICA_TRY(find_item(options->words[work->count],
                           &work->items[work->count], error));
    return MICA_OK;
}

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    struct mica_toolchain toolchain;
    char identity[MICA_SHA256_SIZE];
    unsigned random_count, seed;
    struct work work = {.cli = cli,
                        .out = mica_options_value(options, "out"),
                        .json = mica_cli_wants_json(cli, options)};

    MICA_TRY(mica_options_number(options, "random", 0, RANDOM_MAX, error,
                                 &random_count));
    MICA_TRY(mica_options_number(options, "seed", 1, UINT32_MAX, error, &seed));
    MICA_TRY(find_items(&work, options, error));
    MICA_TRY(count_kind(&work, &mica_kind_engine) > 0
                 ? mica_kind_engine.find(&toolchain, error)
                 : mica_kind_tool.find(&toolchain, error));
    if (work.out == NULL)
        MICA_TRY(mica_project_make_folder("build", error));
    work.check =
        (struct mica_check_options){.toolchain = &toolchain,
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
     "where the built files go (default build/engines and build/tools)"},
    {"fast", MICA_OPTION_SWITCH, NULL,
     "build as \"mica build --fast\" does; for trying things out"},
    {"force", MICA_OPTION_SWITCH, NULL,
     "check again what has not changed since it was good"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_check = {
    .name = "check",
    .summary = "Say what is missing until an engine or tool is done",
    .usage = "[NAME…]",
    .example = "mica check percentage-calculator",
    .more =
        "Builds each engine, proves that it is pure, reads its "
        "descriptions, runs its examples natively and in the sandbox, and "
        "counts the branches they cover. Interactive tools are built and "
        "read, and their tests run. Every finding has a code, a place and a way to "
        "mend it.",
    .words = MICA_WORDS_TOOLS,
    .options = options,
    .run = run};
