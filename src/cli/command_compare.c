// SPDX-License-Identifier: Apache-2.0
//
// mica compare: the function that a widget had, run by node, and the engine that was
// made of it, on the same inputs. For authors who move a widget's logic into an engine.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/files.h"
#include "build/process.h"
#include "check/random_inputs.h"
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/commands.h"

enum {
    CALL_BYTES = 256 << 20,
    OUTPUT_BYTES = 16 << 20,
    INPUT_BYTES = 1 << 20,
    INPUTS = 100000,
    RANDOM = 1000,
    PRINTED_BYTES = 1 << 20
};

// Reads inputs, a line each, and writes a line for each: what the function gave or
// threw. The module may print what it likes: this goes to a file.
static const char driver[] =
    "import { readFileSync, writeFileSync } from 'node:fs';\n"
    "import { pathToFileURL } from 'node:url';\n"
    "const [path, inputs, outputs, wanted] = process.argv.slice(1);\n"
    "const module = await import(pathToFileURL(path));\n"
    "const fail = (text) => { console.error(text); process.exit(3); };\n"
    "const callable = (one) => typeof one === 'function' ? one :\n"
    "  typeof one?.handler === 'function' ? one.handler.bind(one) : null;\n"
    "const names = Object.keys(module).filter((name) => callable(module[name]));\n"
    "const name = wanted || (names.includes('default') ? 'default' :\n"
    "  names.length === 1 ? names[0] : fail(`which of its functions? `\n"
    "  + `--function ${names.join(', ') || '(it exports none)'}`));\n"
    "const old = callable(module[name]) ??\n"
    "  fail(`it exports no function ${name}, but ${names.join(', ')}`);\n"
    "const lines = [];\n"
    "let at = '';\n"
    "process.on('exit', () => { if (at === '') return;\n"
    "  console.error(`it never answered ${at}`); process.exitCode = 3; });\n"
    "for (const line of readFileSync(inputs, 'utf8').split('\\n')) {\n"
    "  if (line === '') continue;\n"
    "  at = line;\n"
    "  try {\n"
    "    lines.push(JSON.stringify({ output: await old(JSON.parse(line)) }));\n"
    "  } catch (error) {\n"
    "    lines.push(JSON.stringify({ error: {\n"
    "      message: String(error?.message ?? error), code: error?.code } }));\n"
    "  }\n"
    "}\n"
    "at = '';\n"
    "writeFileSync(outputs, lines.join('\\n') + '\\n');\n";

// One input, and what the engine made of it.
struct run {
    struct mica_text input;  // JSON on a line
    struct mica_text output; // JSON; empty: it failed
    struct mica_text code;   // of the failure
    bool broken;             // it did not fail by itself: a trap, a limit
};

struct work {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_error *error;
    const struct mica_definition *tool;
    struct mica_json schema, examples;
    double tolerance;
    struct run *runs;
    size_t count;
};

// ---- The engine --------------------------------------------------------------------

// Runs it, and keeps the input unless the schema refuses it: what the old function
// does with that is no matter of this engine.
static enum mica_status
add_input(struct work *work, struct mica_text input)
{
    struct mica_arena *arena = &work->cli->arena;
    struct run *run = &work->runs[work->count];
    struct mica_arena room;
    struct mica_call call;
    struct mica_json value;

    mica_arena_init(&room, CALL_BYTES);
    mica_call_init(&call, &room);
    call.user = work->tool->runnable.user;
    call.output_bytes = OUTPUT_BYTES;
    work->tool->runnable.run(&work->tool->runnable, &call, input);
    *run = (struct run){.input = mica_arena_text(arena, input)};
    if (call.result.status == MICA_OK)
        run->output = mica_arena_text(arena, call.result.structured);
    else if (call.result.status == MICA_FAILED &&
             mica_json_read(&room, call.result.error, NULL, NULL, &value) ==
                 MICA_OK)
        run->code = mica_arena_text(arena, mica_json_get_text(&value, "code"));
    else
        run->code = mica_text(mica_status_code(call.result.status));
    run->broken = mica_status_kind(call.result.status) != MICA_INPUT &&
                  call.result.status != MICA_OK;
    if (call.result.status == MICA_OK || call.result.status == MICA_FAILED ||
        run->broken)
        work->count++;
    mica_arena_fini(&room);
    return arena->overflow
               ? mica_error_set(work->error, MICA_E_LIMIT, "", "no memory")
               : MICA_OK;
}

static enum mica_status
add_inputs(struct work *work, unsigned random_count, unsigned seed)
{
    struct mica_random random = {.state = seed};
    struct mica_arena arena;
    struct mica_buffer input;
    enum mica_status status = MICA_OK;

    for (size_t i = 0; i < work->examples.count; i++) {
        const struct mica_json *example =
            mica_json_get(&work->examples.items[i], "input");
        struct mica_buffer line;
        if (example == NULL)
            continue;
        mica_buffer_init(&line, &work->cli->arena, INPUT_BYTES);
        struct mica_json_writer writer;
        mica_json_writer_init(&writer, &line);
        mica_json_value(&writer, example);
        MICA_TRY(add_input(work, mica_buffer_as_text(&line)));
    }
    mica_arena_init(&arena, CALL_BYTES);
    for (unsigned i = 0; i < random_count && status == MICA_OK; i++) {
        mica_buffer_init(&input, &arena, INPUT_BYTES);
        mica_random_input(&random, &arena, &work->schema, &work->examples,
                          &input);
        if (!input.overflow && memchr(input.ptr, '\n', input.len) == NULL)
            status = add_input(work, mica_buffer_as_text(&input));
        mica_arena_reset(&arena);
    }
    mica_arena_fini(&arena);
    return status;
}

// ---- The old function --------------------------------------------------------------

static enum mica_status
run_node(struct work *work, const char *inputs, const char *outputs)
{
    const char *wanted = mica_options_value(work->options, "function");
    struct mica_process command = {.count = 0};
    struct mica_buffer printed;
    int status;

    mica_buffer_init(&printed, &work->cli->arena, PRINTED_BYTES);
    mica_process_add(&command, "node");
    mica_process_add(&command, "--input-type=module");
    mica_process_add(&command, "-e");
    mica_process_add(&command, driver);
    mica_process_add(&command, "--");
    mica_process_add(&command, work->options->words[1]);
    mica_process_add(&command, inputs);
    mica_process_add(&command, outputs);
    mica_process_add(&command, wanted != NULL ? wanted : "");
    if (mica_process_run(&command, NULL, &printed, work->error, &status) !=
        MICA_OK) {
        if (work->error->status == MICA_E_NOT_FOUND)
            return mica_error_set(work->error, MICA_E_NOT_FOUND, "",
                                  "there is no program node, which runs the "
                                  "old function; install the package nodejs");
        return work->error->status;
    }
    if (status == 0)
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_USAGE, "",
                          "%s cannot be run: %.*s", work->options->words[1],
                          MICA_ARG(printed));
}

static enum mica_status
run_old(struct work *work, const char *folder, struct mica_text *answers_out)
{
    const char *inputs = mica_cli_format(work->cli, "%s/inputs", folder);
    const char *outputs = mica_cli_format(work->cli, "%s/outputs", folder);
    struct mica_buffer lines;

    mica_buffer_init(&lines, &work->cli->arena, CALL_BYTES);
    for (size_t i = 0; i < work->count; i++) {
        mica_buffer_text(&lines, work->runs[i].input);
        mica_buffer_char(&lines, '\n');
    }
    if (lines.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(mica_file_write(inputs, mica_buffer_as_text(&lines), work->error));
    MICA_TRY(run_node(work, inputs, outputs));
    return mica_file_read(&work->cli->arena, outputs, work->error, answers_out);
}

// ---- Comparing ---------------------------------------------------------------------

static bool
is_near(const struct work *work, const struct mica_json *a,
        const struct mica_json *b)
{
    double x, y;

    if (!mica_number_read(a->text, &x) || !mica_number_read(b->text, &y))
        return false;
    return x == y ||
           fabs(x - y) <= work->tolerance * fmax(fmax(fabs(x), fabs(y)), 1);
}

// Where the engine does not give what the old function gave; it may give more. The
// place is added to `path`.
static bool
compare_differs(const struct work *work, const struct mica_json *old,
                const struct mica_json *engine, struct mica_buffer *path)
{
    size_t length = path->len;
    char index[MICA_NUMBER_SIZE];

    if (old->kind == MICA_JSON_OBJECT && engine->kind == MICA_JSON_OBJECT) {
        for (size_t i = 0; i < old->count; i++) {
            const struct mica_json_member *member = &old->members[i];
            const struct mica_json *other = NULL;
            for (size_t j = 0; j < engine->count; j++)
                if (mica_text_equal(engine->members[j].name, member->name))
                    other = &engine->members[j].value;
            mica_json_pointer_add(path, member->name);
            // undefined and null are both nothing for a page.
            if (other == NULL
                    ? member->value.kind != MICA_JSON_NULL
                    : compare_differs(work, &member->value, other, path))
                return true;
            path->len = length;
        }
        return false;
    }
    if (old->kind == MICA_JSON_ARRAY && engine->kind == MICA_JSON_ARRAY &&
        old->count == engine->count) {
        for (size_t i = 0; i < old->count; i++) {
            size_t digits = mica_number_write((double)i, index);
            mica_json_pointer_add(path, (struct mica_text){index, digits});
            if (compare_differs(work, &old->items[i], &engine->items[i], path))
                return true;
            path->len = length;
        }
        return false;
    }
    if (old->kind == MICA_JSON_NUMBER && engine->kind == MICA_JSON_NUMBER)
        return !is_near(work, old, engine);
    return !mica_json_equal(old, engine);
}

// Does a line of the old function agree with a run of the engine?
static bool
compare_agrees(const struct work *work, const struct run *run,
               const struct mica_json *answer, struct mica_arena *arena,
               struct mica_buffer *path)
{
    const struct mica_json *failure = mica_json_get(answer, "error");
    const struct mica_json *old = mica_json_get(answer, "output");
    struct mica_text code = mica_json_get_text(failure, "code");
    struct mica_json engine;

    if (failure != NULL)
        return run->output.len == 0 && !run->broken &&
               (code.len == 0 || mica_text_equal(code, run->code));
    if (run->output.len == 0 || old == NULL)
        return false;
    return mica_json_read(arena, run->output, NULL, NULL, &engine) == MICA_OK &&
           !compare_differs(work, old, &engine, path);
}

// How many differed, and the shortest input on which they did: NULL for none.
static void
print_json(struct work *work, size_t wrong, const struct run *run,
           struct mica_text answer, const struct mica_buffer *path)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &work->cli->arena, OUTPUT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "inputs");
    mica_json_integer(&writer, (int64_t)work->count);
    mica_json_name(&writer, "differ");
    mica_json_integer(&writer, (int64_t)wrong);
    if (run != NULL) {
        mica_json_name(&writer, "input");
        mica_json_raw(&writer, run->input);
        mica_json_name(&writer, "old");
        mica_json_raw(&writer, answer);
        mica_json_name(&writer, "engine");
        mica_json_open_object(&writer);
        if (run->output.len > 0) {
            mica_json_name(&writer, "output");
            mica_json_raw(&writer, run->output);
        } else {
            mica_json_field(&writer, "code", run->code);
        }
        mica_json_close_object(&writer);
        mica_json_field(&writer, "path", mica_buffer_as_text(path));
    }
    mica_json_close_object(&writer);
    mica_cli_json_buffer(work->cli, &text);
}

static void
compare_show(struct work *work, const struct run *run, struct mica_text answer,
             const struct mica_buffer *path)
{
    struct mica_cli *cli = work->cli;
    const struct {
        const char *name;
        struct mica_text text;
    } lines[] = {{"input   ", run->input},
                 {"old     ", answer},
                 {"engine  ", run->output.len > 0 ? run->output : run->code},
                 {"differs ", path->len > 0 ? mica_buffer_as_text(path)
                                            : MICA_LITERAL("as a whole")}};

    for (size_t i = 0; i < MICA_COUNT(lines); i++) {
        mica_cli_print(cli, "%s%s%s%.*s\n", mica_cli_bold(cli), lines[i].name,
                       mica_cli_plain(cli), MICA_ARG(lines[i].text));
    }
}

// The shortest input on which they differ says most.
static enum mica_status
compare_outputs(struct work *work, struct mica_text answers)
{
    const struct run *worst = NULL;
    struct mica_text worst_answer = {NULL, 0};
    struct mica_buffer path, worst_path = {.ptr = NULL};
    size_t wrong = 0;

    for (size_t i = 0; i < work->count && answers.len > 0; i++) {
        const char *end = memchr(answers.ptr, '\n', answers.len);
        size_t length = end != NULL ? (size_t)(end - answers.ptr) : answers.len;
        struct mica_text line = mica_text_slice(answers, 0, length);
        struct mica_json answer;
        MICA_TRY(mica_json_read(&work->cli->arena, line, NULL, work->error,
                                &answer));
        mica_buffer_init(&path, &work->cli->arena, INPUT_BYTES);
        if (!compare_agrees(work, &work->runs[i], &answer, &work->cli->arena,
                            &path)) {
            wrong++;
            if (worst == NULL || work->runs[i].input.len < worst->input.len) {
                worst = &work->runs[i];
                worst_answer = line;
                worst_path = path;
            }
        }
        answers = mica_text_slice(answers, length + 1, answers.len);
    }
    if (mica_cli_wants_json(work->options))
        print_json(work, wrong, worst, worst_answer, &worst_path);
    else if (worst != NULL)
        compare_show(work, worst, worst_answer, &worst_path);
    else
        mica_cli_print(work->cli, "the same on %zu input%s\n", work->count,
                       mica_cli_s(work->count));
    if (worst == NULL)
        return MICA_OK;
    return mica_error_set(work->error, MICA_FAILED, "",
                          "they differ on %zu of %zu inputs; the shortest is "
                          "shown",
                          wrong, work->count);
}

// ---- The command -------------------------------------------------------------------

static enum mica_status
compare_in(struct work *work, const char *folder)
{
    unsigned random_count, seed;
    struct mica_text answers;

    MICA_TRY(mica_options_number(work->options, "random", RANDOM, INPUTS,
                                 work->error, &random_count));
    MICA_TRY(mica_options_number(work->options, "seed", 1, UINT32_MAX,
                                 work->error, &seed));
    work->runs = mica_arena_zero(&work->cli->arena,
                                 work->examples.count + random_count + 1,
                                 sizeof *work->runs);
    if (work->runs == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(add_inputs(work, random_count, seed));
    if (work->count == 0)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "there is no input to compare on: %.*s has no "
                              "examples, and of %u random inputs its schema "
                              "allows none",
                              MICA_ARG(work->tool->name), random_count);
    MICA_TRY(run_old(work, folder, &answers));
    return compare_outputs(work, answers);
}

static enum mica_status
compare_tool(struct work *work)
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX];
    enum mica_status status;

    if (!work->tool->runnable.inline_first)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "%.*s is an interactive tool; only an engine "
                              "can be compared with a function",
                              MICA_ARG(work->tool->name));
    MICA_TRY(mica_json_read(&work->cli->arena, work->tool->input_schema, NULL,
                            work->error, &work->schema));
    work->examples = (struct mica_json){.kind = MICA_JSON_ARRAY};
    if (work->tool->examples.len > 0)
        MICA_TRY(mica_json_read(&work->cli->arena, work->tool->examples, NULL,
                                work->error, &work->examples));
    MICA_TRY(mica_path(folder, work->error, "%s/mica-compare-XXXXXX",
                       temporary != NULL ? temporary : "/tmp"));
    if (mkdtemp(folder) == NULL)
        return mica_error_set(work->error, MICA_E_IO, "",
                              "cannot make a folder %s: %s", folder,
                              strerror(errno));
    status = compare_in(work, folder);
    mica_folder_remove(folder);
    return status;
}

static enum mica_status
compare_run(struct mica_cli *cli, const struct mica_options *options,
            struct mica_error *error)
{
    const char *tolerance = mica_options_value(options, "tolerance");
    struct work work = {.cli = cli, .options = options, .error = error};
    struct mica_server *server;
    enum mica_status status;

    if (options->word_count != 2)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "compare which engine with what? mica compare "
                              "percentage-calculator old.mjs");
    if (tolerance != NULL &&
        (!mica_number_read(mica_text(tolerance), &work.tolerance) ||
         !(work.tolerance >= 0 && work.tolerance < 1)))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--tolerance takes a number from 0 to 1, not "
                              "\"%s\"",
                              tolerance);
    if (access(options->words[1], R_OK) != 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "cannot read %s: %s",
                              options->words[1], strerror(errno));
    MICA_TRY(mica_cli_catalog_open_tool(cli, options, options->words[0], error,
                                        &server, &work.tool));
    status = compare_tool(&work);
    mica_server_close(&server);
    return status;
}

static const struct mica_option options[] = {
    {"function", MICA_OPTION_VALUE, "NAME",
     "which function or object with a handler the file exports (default its "
     "default, or the only one)"},
    {"random", MICA_OPTION_VALUE, "N",
     "random inputs beside the examples (default 1000)"},
    {"seed", MICA_OPTION_VALUE, "S",
     "sets the random inputs (default 1): the same seed, the same inputs"},
    {"tolerance", MICA_OPTION_VALUE, "X",
     "numbers may differ by this part of the larger one, or of 1 (default 0)"},
    {"json", MICA_OPTION_SWITCH, NULL,
     "print {inputs, differ} as JSON, and where they differ {input, old, engine, "
     "path}"},
    MICA_ENGINES_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_compare = {
    .name = "compare",
    .group = MICA_GROUP_WRITING,
    .summary = "Compare an engine with the JavaScript function it replaces",
    .usage = "NAME OLD.mjs [--function NAME] [--random N] [--tolerance X]",
    .example = "mica compare percentage-calculator old.mjs\n  mica compare "
               "loan-payment widget.mjs --function payment --tolerance 1e-12",
    .more = "Node runs the old function, the sandbox the engine, on the "
            "engine's examples and on random inputs that its schema allows. "
            "They agree when both fail (with the same code, if the old one has "
            "any), or when all that the old one gives is in what the engine "
            "gives. The shortest input on which they do not is shown, and the "
            "exit status is 3.",
    .words = MICA_WORDS_TOOLS,
    .options = options,
    .run = compare_run};
