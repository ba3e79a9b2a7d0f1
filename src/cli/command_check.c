// SPDX-License-Identifier: Apache-2.0
//
// mica check: whether engines, tools, apps, prompts and resources are done.
#include "check/check.h"

#include <stdio.h>
#include <string.h>

#include "build/files.h"
#include "build/process.h"
#include "cli/app_folder.h"
#include "cli/check_app.h"
#include "cli/check_files.h"
#include "cli/commands.h"
#include "cli/find.h"
#include "kit/load.h"
#include "sandbox/trust.h"

enum {
    REPORT_BYTES = 16 << 20,
    ENGINE_BYTES = 512 << 20,
    RANDOM_MAX = 100000000,
    RANDOM_USUAL = 200,
    RANDOM_MS = 3000,  // for these
    TESTS_SHOWN = 3000 // bytes of what tests say
};

// What to check and how far it has come.
struct work {
    struct mica_cli *cli;
    struct mica_check_options check;
    const char *out; // NULL: where each kind is built to
    struct mica_found *items;
    size_t count, good;
    const char **apps; // slugs
    size_t app_count;
    const struct mica_checked_file *offered; // all of the project, once read
    size_t offered_count;
    const struct mica_checked_file **files; // those of them that are asked for
    size_t file_count;
    bool json;
    bool shows; // how far it is
};

// ---- For people ------------------------------------------------------------------

static void
print_finding(struct mica_cli *cli, const struct mica_report *report,
              const struct mica_finding *finding)
{
    struct mica_text rest = finding->message;

    mica_cli_print(cli, "  %s%s%s%s",
                   mica_style(cli->color, mica_rule_warns(finding->rule)
                                              ? MICA_STYLE_YELLOW
                                              : MICA_STYLE_RED),
                   mica_rule_code(finding->rule), mica_cli_plain(cli),
                   mica_cli_dim(cli));
    if (finding->line > 0)
        mica_cli_print(cli, "  %.*s:%u", MICA_ARG(report->source),
                       finding->line);
    if (finding->path.len > 0)
        mica_cli_print(cli, "  %.*s", MICA_ARG(finding->path));
    mica_cli_print(cli, "%s", mica_cli_plain(cli));
    do {
        const char *end =
            rest.len > 0 ? memchr(rest.ptr, '\n', rest.len) : NULL;
        size_t len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
        mica_cli_print(cli, "\n    %.*s", (int)len, rest.ptr);
        rest = mica_text_slice(rest, len + 1, rest.len);
    } while (rest.len > 0);
    mica_cli_print(cli, "\n");
}

static void
print_for_people(struct mica_cli *cli, const struct mica_report *report)
{
    bool good = mica_report_good(report);

    mica_cli_print(
        cli, "%s%s%s %.*s%s",
        mica_style(cli->color, good ? MICA_STYLE_GREEN : MICA_STYLE_RED),
        good ? "✓" : "✗", mica_cli_plain(cli), MICA_ARG(report->slug),
        mica_cli_dim(cli));
    if (report->total > 0)
        mica_cli_print(cli, "  %zu of %zu branches", report->covered,
                       report->total);
    if (report->module_bytes > 0)
        mica_cli_print(cli, "  %zu KiB", (report->module_bytes + 1023) / 1024);
    if (report->random_runs > 0)
        mica_cli_print(cli, "  %zu random inputs", report->random_runs);
    mica_cli_print(cli, "%s%s\n", report->cached ? "  unchanged" : "",
                   mica_cli_plain(cli));
    for (const struct mica_finding *finding = report->first; finding != NULL;
         finding = finding->next)
        print_finding(cli, report, finding);
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
        mica_cli_print(work->cli, first ? "[\n" : ",\n");
        mica_cli_json(work->cli, mica_cli_whole(&text));
    } else {
        print_for_people(work->cli, report);
    }
    mica_cli_flush(work->cli);
}

static void
show_progress(const struct work *work, size_t index, struct mica_text slug)
{
    if (!work->shows)
        return;
    mica_cli_note(work->cli, "\r\033[Kchecking %.*s (%zu of %zu)",
                  MICA_ARG(slug), index + 1, work->count);
}

// What stands behind `mark` in the text; empty: it is not there.
static struct mica_text
text_behind(struct mica_text text, const char *mark)
{
    const char *at =
        text.len > 0 ? memmem(text.ptr, text.len, mark, strlen(mark)) : NULL;

    return at == NULL
               ? (struct mica_text){NULL, 0}
               : mica_text_slice(text, (size_t)(at - text.ptr) + strlen(mark),
                                 text.len);
}

// "tests/tools/order.c:12: STEP_WITHOUT_STAND_IN: the step charge had …" becomes a finding
// at the step. False: the line is another.
static bool
take_step(struct mica_report *report, struct mica_text line)
{
    static const char mark[] = ": " MICA_KIT_STEP_ALONE;
    struct mica_text words = text_behind(line, mark);
    struct mica_text step = text_behind(words, "the step ");

    if (words.len == 0)
        return false;
    step.len -= text_behind(step, " had ").len + sizeof " had " - 1;
    mica_report_add(report, MICA_RULE_STEP_WITHOUT_STAND_IN,
                    mica_check_step_line(report, step), "",
                    "In \"mica test\" %.*s (%.*s).", MICA_ARG(words),
                    (int)(words.ptr - line.ptr) - (int)(sizeof mark - 1),
                    line.ptr);
    return true;
}

// Does a line only say that, or which, tests have failed?
static bool
line_counts(struct mica_text line)
{
    return line.len == 0 || mica_text_starts(line, "ok ") ||
           mica_text_starts(line, "not ok ") || mica_text_starts(line, "1..") ||
           mica_text_starts(line, "# ") || mica_text_starts(line, "mica: ");
}

// Takes the steps that failed in tests off what `mica test` printed. True: these alone
// kept the tests from passing.
static bool
take_steps(struct mica_report *report, struct mica_text printed)
{
    size_t steps = 0, others = 0;

    while (printed.len > 0) {
        const char *end = memchr(printed.ptr, '\n', printed.len);
        size_t len = end != NULL ? (size_t)(end - printed.ptr) : printed.len;
        struct mica_text line = mica_text_slice(printed, 0, len);

        printed = mica_text_slice(printed, len + 1, printed.len);
        if (take_step(report, line))
            steps++;
        else
            others += !line_counts(line);
    }
    return steps > 0 && others == 0;
}

// Runs the tests of a tool of this folder, if it has some: in a process of their
// own, which may crash.
static void
run_tests(const struct mica_found *item, struct mica_report *report)
{
    struct mica_process command = {0};
    struct mica_error error = {0};
    struct mica_buffer printed;
    char path[PATH_MAX];
    int exit_status = 0;

    if (!item->here ||
        mica_path(path, NULL, MICA_TESTS_DIR "/%s.c", item->name) != MICA_OK ||
        !mica_file_exists(path))
        return;
    mica_buffer_init(&printed, report->arena, REPORT_BYTES);
    mica_process_add(&command, "/proc/self/exe");
    mica_process_add(&command, "test");
    mica_process_add(&command, "--tap");
    mica_process_add(&command, item->path);
    if (mica_process_run(&command, NULL, &printed, &error, &exit_status) ==
            MICA_OK &&
        (exit_status == 0 || take_steps(report, mica_buffer_as_text(&printed))))
        return;
    struct mica_text words = mica_buffer_as_text(&printed);
    words = mica_utf8_cut(words, TESTS_SHOWN);
    while (words.len > 0 && words.ptr[words.len - 1] == '\n')
        words.len--;
    mica_report_add(report, MICA_RULE_TESTS_FAILED, 0, "",
                    "\"mica test %.*s\" does not pass%s%s\n%.*s",
                    MICA_ARG(report->slug), error.message[0] ? ": " : ".",
                    error.message, MICA_ARG(words));
}

static void
check_one(struct work *work, size_t index)
{
    const struct mica_found *item = &work->items[index];
    struct mica_check_options check = work->check;
    struct mica_arena arena;
    struct mica_report report;

    check.out_dir = work->out != NULL ? work->out : item->kind->built;
    show_progress(work, index, mica_text(item->name));
    mica_arena_init(&arena, ENGINE_BYTES);
    mica_report_init(&report, &arena, mica_text(item->name),
                     mica_text(item->path));
    if (item->kind == &mica_kind_tool) {
        mica_check_tool(&check, &report);
        if (mica_report_good(&report))
            run_tests(item, &report);
    } else {
        mica_check_engine(&check, &report);
    }
    if (work->shows)
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

static void
check_app(struct work *work, size_t index)
{
    const char *slug = work->apps[index];
    struct mica_arena arena;
    struct mica_report report;

    mica_arena_init(&arena, ENGINE_BYTES);
    mica_report_init(&report, &arena, mica_text(slug),
                     mica_text(mica_app_folder_path(work->cli, slug)));
    mica_check_app(work->cli, slug, &report);
    print_report(work, &report, work->count + index == 0);
    work->good += mica_report_good(&report);
    mica_arena_fini(&arena);
}

static void
check_file(struct work *work, size_t index)
{
    const struct mica_checked_file *file = work->files[index];
    struct mica_arena arena;
    struct mica_report report;

    mica_arena_init(&arena, ENGINE_BYTES);
    mica_report_init(&report, &arena, mica_text(file->path),
                     mica_text(file->path));
    mica_check_file(file, &report);
    print_report(work, &report, work->count + work->app_count + index == 0);
    work->good += mica_report_good(&report);
    mica_arena_fini(&arena);
}

// Files of prompts/.
static size_t
count_prompts(const struct work *work)
{
    size_t count = 0;

    for (size_t i = 0; i < work->file_count; i++)
        count += strchr(work->files[i]->path, '/') != NULL;
    return count;
}

// "19 engines", "2 tools", "19 engines, 2 tools and 1 app".
static void
print_all_good(const struct work *work)
{
    size_t engines = count_kind(work, &mica_kind_engine);
    size_t prompts = count_prompts(work);
    const struct {
        size_t count;
        const char *noun;
    } parts[] = {{engines, "engine"},
                 {work->count - engines, "tool"},
                 {work->app_count, "app"},
                 {prompts, "prompt"},
                 {work->file_count - prompts, "folder of resources"}};
    size_t left = 0;

    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        left += parts[i].count > 0;
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        if (parts[i].count == 0)
            continue;
        left--;
        mica_cli_print(work->cli, "%zu %s%s%s", parts[i].count, parts[i].noun,
                       mica_cli_s(parts[i].count),
                       left > 1    ? ", "
                       : left == 1 ? " and "
                                   : "");
    }
    mica_cli_print(work->cli, " checked, all good\n");
}

// What all that was checked is called.
static const char *
work_noun(const struct work *work)
{
    if (work->count + work->file_count == 0)
        return "app";
    if (work->app_count + work->file_count > 0)
        return "file";
    return count_kind(work, &mica_kind_engine) == work->count ? "engine"
                                                              : "tool";
}

static enum mica_status
check_all(struct work *work, struct mica_error *error)
{
    size_t all = work->count + work->app_count + work->file_count, bad;

    for (size_t i = 0; i < work->count; i++)
        check_one(work, i);
    for (size_t i = 0; i < work->app_count; i++)
        check_app(work, i);
    for (size_t i = 0; i < work->file_count; i++)
        check_file(work, i);
    bad = all - work->good;
    if (work->json)
        mica_cli_print(work->cli, "\n]\n");
    if (bad == 0) {
        if (!work->json)
            print_all_good(work);
        return MICA_OK;
    }
    return mica_cli_fail(error, "CHECK_FAILED", "",
                         "%zu of %zu %s%s %s not done yet; docs/check.md "
                         "explains every code",
                         bad, all, work_noun(work), mica_cli_s(all),
                         bad == 1 ? "is" : "are");
}

static enum mica_status
make_room(struct work *work, size_t count, struct mica_error *error)
{
    work->items =
        mica_arena_zero(&work->cli->arena, count + 1, sizeof *work->items);
    work->apps = mica_arena_zero(&work->cli->arena, count + MICA_PROJECT_APPS,
                                 sizeof *work->apps);
    work->files = mica_arena_zero(&work->cli->arena, count + 1, sizeof(void *));
    return work->items != NULL && work->apps != NULL && work->files != NULL
               ? MICA_OK
               : mica_error_set(error, MICA_E_LIMIT, "", "no memory");
}

// Takes those of the project, all or the one at `path`.
static enum mica_status
find_files(struct work *work, const struct mica_options *options,
           const char *path, struct mica_error *error)
{
    const struct mica_checked_file *offered;
    size_t before = work->file_count;

    if (work->offered == NULL)
        MICA_TRY(mica_checked_files(work->cli, options, error, &work->offered,
                                    &work->offered_count));
    offered = work->offered;
    if (path == NULL && work->offered_count > 0) {
        work->files = mica_arena_zero(&work->cli->arena, work->offered_count,
                                      sizeof(void *));
        if (work->files == NULL)
            return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    }
    for (size_t i = 0; i < work->offered_count; i++)
        if (path == NULL || strcmp(offered[i].path, path) == 0)
            work->files[work->file_count++] = &offered[i];
    if (path == NULL || work->file_count > before)
        return MICA_OK;
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "no server would offer %s from here", path);
}

static enum mica_status
find_everything(struct work *work, const struct mica_options *options,
                struct mica_error *error)
{
    static const struct mica_source_kind *const kinds[] = {&mica_kind_engine,
                                                           &mica_kind_tool};
    const char *const *names[MICA_COUNT(kinds)], *const *apps;
    size_t count = 0;

    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        MICA_TRY(mica_project_sources(work->cli, kinds[i], error, &names[i]));
        for (size_t j = 0; names[i][j] != NULL; j++)
            count++;
    }
    MICA_TRY(mica_app_folder_slugs(work->cli, error, &apps));
    if (count == 0 && apps[0] == NULL)
        return mica_project_empty(error);
    MICA_TRY(make_room(work, count, error));
    for (; apps[work->app_count] != NULL; work->app_count++)
        work->apps[work->app_count] = apps[work->app_count];
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        for (size_t j = 0; names[i][j] != NULL; j++) {
            struct mica_found *item = &work->items[work->count++];
            *item = (struct mica_found){
                .kind = kinds[i],
                .name = names[i][j],
                .path = mica_project_path(work->cli, kinds[i], names[i][j]),
                .here = true};
            if (item->path == NULL)
                return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
        }
    }
    return find_files(work, options, NULL, error);
}

static enum mica_status
find_items(struct work *work, const struct mica_options *options,
           struct mica_error *error)
{
    if (options->word_count == 0)
        return find_everything(work, options, error);
    MICA_TRY(make_room(work, options->word_count, error));
    for (size_t i = 0; i < options->word_count; i++) {
        const char *app = mica_check_app_slug(work->cli, options->words[i]);
        const char *file = mica_checked_file_path(work->cli, options->words[i]);
        if (app != NULL)
            work->apps[work->app_count++] = app;
        else if (file != NULL)
            MICA_TRY(find_files(work, options, file, error));
        else
            MICA_TRY(mica_find_source(work->cli, options->words[i], error,
                                      &work->items[work->count++]));
    }
    return MICA_OK;
}

static enum mica_status
check_run(struct mica_cli *cli, const struct mica_options *options,
          struct mica_error *error)
{
    struct mica_toolchain toolchain;
    char identity[MICA_SHA256_SIZE];
    unsigned random_count, seed;
    struct work work = {.cli = cli,
                        .out = mica_options_value(options, "out"),
                        .json = mica_cli_wants_json(options)};

    work.shows = !work.json && cli->note_terminal;
    MICA_TRY(mica_options_number(options, "random", RANDOM_USUAL, RANDOM_MAX,
                                 error, &random_count));
    MICA_TRY(mica_options_number(options, "seed", 1, UINT32_MAX, error, &seed));
    MICA_TRY(find_items(&work, options, error));
    if (work.count == 0)
        return check_all(&work, error);
    MICA_TRY(count_kind(&work, &mica_kind_engine) > 0
                 ? mica_kind_engine.find(&toolchain, error)
                 : mica_kind_tool.find(&toolchain, error));
    if (work.out == NULL) {
        MICA_TRY(mica_project_built(&mica_kind_engine, error));
        MICA_TRY(mica_project_built(&mica_kind_tool, error));
        MICA_TRY(mica_project_make_folder("build", error));
    }
    work.check = (struct mica_check_options){
        .toolchain = &toolchain,
        .fast = mica_options_has(options, "fast"),
        .force = mica_options_has(options, "force"),
        .random_count = random_count,
        .random_ms = mica_options_has(options, "random") ? 0 : RANDOM_MS,
        .seed = seed};
    if (mica_trust_hash("/proc/self/exe", NULL, identity) == MICA_OK)
        work.check.identity = identity;
    return check_all(&work, error);
}

static const struct mica_option options[] = {
    MICA_JSON_OPTION,
    {"random", MICA_OPTION_VALUE, "N",
     "run N random inputs natively and in the sandbox (default 200, or as many "
     "as 3 s allow; 0 none)"},
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
    .group = MICA_GROUP_WRITING,
    .summary = "Say what is missing until an engine, tool or app is done",
    .usage = "[NAME…]",
    .example = "mica check percentage-calculator\n  mica check tools/greet.c",
    .more =
        "Builds each engine, proves that it is pure, reads its "
        "descriptions, runs its examples natively and in the sandbox, and "
        "counts the branches they cover. Interactive tools are built and "
        "read, and their tests run; the files of apps/, prompts/ and "
        "resources/ are read as a server that offers them would. Every finding has a code, a place and a way to "
        "mend it.",
    .words = MICA_WORDS_TOOLS,
    .options = options,
    .run = check_run};
