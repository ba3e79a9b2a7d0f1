// SPDX-License-Identifier: Apache-2.0
//
// mica dev: serve, for the authors of tools. Each source that is saved is built with
// quick flags and swapped at once; then it is checked, in a process of its own, while
// the next one may be saved. What came of it is shown here, and written to
// build/dev.json for pages to read.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/files.h"
#include "build/process.h"
#include "cli/cli_catalog.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/project.h"
#include "cli/reloader.h"
#include "cli/server_identity.h"
#include "cli/settings_providers.h"
#include "protocol/base_path.h"
#include "tools/library.h"

#define STATE "build/dev.json"

enum {
    TOOLS = 4096,
    WORDS_BYTES = 256 << 10, // of a compiler, of one tool
    TEXT_BYTES = 4 << 20,    // the same when all of it has to be shown as \xNN
    STATE_BYTES = 64 << 20,
    CHECK_BYTES = 4 << 20,  // of what a check prints
    MEMORY_BYTES = 16 << 20 // to read it
};

// A tool, and what came of its source when it was saved last.
struct tool {
    char name[MICA_TOOL_NAME_LENGTH + 1];
    const char *noun;
    bool built, fresh; // fresh: not swapped yet
    bool check;        // is waiting to be checked
    int64_t took_ms;
    int64_t swapped; // the first revision with it as it is served, or 0
    char code[48];
    struct mica_buffer message, diagnostics; // on the heap, UTF-8
    struct mica_buffer findings; // a JSON array, or empty: not checked
};

struct state {
    pthread_mutex_t lock;
    pthread_cond_t work; // something is to be checked, or the end has come
    pthread_t checker;
    bool started, ends, checks, color;
    int64_t revision;
    struct mica_buffer text;    // of that revision, on the heap
    struct mica_server *server; // or NULL: it does not serve
    struct tool *tools;
    size_t count;
};

// ---- The state ---------------------------------------------------------------------

// Compilers repeat what is in a source, and that may be anything.
static void
set_text(struct mica_buffer *buffer, struct mica_text text)
{
    buffer->len = 0;
    mica_visible_add(buffer, mica_text_slice(text, 0, WORDS_BYTES),
                     MICA_VISIBLE_LINES);
}

static struct tool *
find_tool(struct state *state, const char *noun, const char *name)
{
    for (size_t i = 0; i < state->count; i++)
        if (strcmp(state->tools[i].name, name) == 0 &&
            state->tools[i].noun == noun)
            return &state->tools[i];
    return NULL;
}

static struct tool *
add_tool(struct state *state, const char *noun, const char *name)
{
    if (state->count == TOOLS)
        return NULL;
    struct tool *tool = &state->tools[state->count++];
    *tool = (struct tool){.noun = noun};
    (void)snprintf(tool->name, sizeof tool->name, "%s", name);
    mica_buffer_init(&tool->message, NULL, TEXT_BYTES);
    mica_buffer_init(&tool->diagnostics, NULL, TEXT_BYTES);
    mica_buffer_init(&tool->findings, NULL, TEXT_BYTES);
    return tool;
}

static void
free_tool(struct tool *tool)
{
    mica_buffer_fini(&tool->message);
    mica_buffer_fini(&tool->diagnostics);
    mica_buffer_fini(&tool->findings);
}

// Those whose source is gone; were there any?
static bool
forget_tools(struct state *state)
{
    size_t kept = 0, count = state->count;

    for (size_t i = 0; i < count; i++) {
        const struct mica_source_kind *kind =
            state->tools[i].noun == mica_kind_tool.noun ? &mica_kind_tool
                                                        : &mica_kind_engine;
        struct timespec changed;
        if (mica_project_changed(kind, state->tools[i].name, &changed))
            state->tools[kept++] = state->tools[i];
        else
            free_tool(&state->tools[i]);
    }
    state->count = kept;
    return kept < count;
}

static void
write_tool(struct mica_json_writer *writer, const struct tool *tool)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "name", mica_text(tool->name));
    mica_json_field(writer, "kind", mica_text(tool->noun));
    mica_json_name(writer, "built");
    mica_json_boolean(writer, tool->built);
    mica_json_name(writer, "took_ms");
    mica_json_integer(writer, tool->took_ms);
    mica_json_name(writer, "swapped");
    mica_json_integer(writer, tool->swapped);
    if (!tool->built) {
        mica_json_field(writer, "code", mica_text(tool->code));
        mica_json_field(writer, "message", mica_buffer_as_text(&tool->message));
    }
    if (tool->diagnostics.len > 0)
        mica_json_field(writer, "diagnostics",
                        mica_buffer_as_text(&tool->diagnostics));
    if (tool->findings.len > 0) {
        mica_json_name(writer, "findings");
        mica_json_raw(writer, mica_buffer_as_text(&tool->findings));
    }
    mica_json_close_object(writer);
}

static void
write_state(struct state *state)
{
    struct mica_json_writer writer;

    state->text.len = 0;
    mica_json_writer_init(&writer, &state->text);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "revision");
    mica_json_integer(&writer, ++state->revision);
    mica_json_name(&writer, "tools");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < state->count; i++)
        write_tool(&writer, &state->tools[i]);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_buffer_char(&state->text, '\n');
}

// With the lock held. A reader sees one state or the next.
static void
dev_publish(struct state *state)
{
    const struct mica_change change = {.kind = MICA_CHANGED_SOURCES};
    struct mica_error error;

    write_state(state);
    if (state->text.overflow || mica_path_inside("build", &error) != MICA_OK ||
        mica_folder_make("build", &error) != MICA_OK ||
        mica_file_write(STATE, mica_buffer_as_text(&state->text), &error) !=
            MICA_OK)
        mica_cli_tell("mica: cannot write " STATE "\n");
    if (state->server != NULL && state->server->registry.changed != NULL)
        state->server->registry.changed(state->server->registry.changed_data,
                                        &change);
}

// ---- For open pages ------------------------------------------------------------------

static void
dev_serves(void *data, struct mica_server *server)
{
    struct state *state = data;

    (void)pthread_mutex_lock(&state->lock);
    state->server = server;
    (void)pthread_mutex_unlock(&state->lock);
}

static int64_t
tool_revision(void *data)
{
    struct state *state = data;
    int64_t now;

    (void)pthread_mutex_lock(&state->lock);
    now = state->revision;
    (void)pthread_mutex_unlock(&state->lock);
    return now;
}

static void
copy_state(void *data, struct mica_buffer *out)
{
    struct state *state = data;

    (void)pthread_mutex_lock(&state->lock);
    mica_buffer_text(out, mica_buffer_as_text(&state->text));
    (void)pthread_mutex_unlock(&state->lock);
}

// ---- What is built -----------------------------------------------------------------

static void
show_build(const struct state *state, const struct mica_developed *developed)
{
    if (developed->diagnostics.len > 0)
        mica_cli_tell_lines(developed->diagnostics);
    if (developed->status != MICA_OK)
        mica_cli_tell("%s%s: %s:%s %s; it stays as it was\n",
                      mica_style(state->color, MICA_STYLE_RED), developed->name,
                      developed->error->code,
                      mica_style(state->color, MICA_STYLE_PLAIN),
                      developed->error->message);
}

static void
developed_built(void *data, const struct mica_developed *developed)
{
    struct state *state = data;
    bool good = developed->status == MICA_OK;

    show_build(state, developed);
    (void)pthread_mutex_lock(&state->lock);
    struct tool *tool = find_tool(state, developed->noun, developed->name);
    if (tool == NULL)
        tool = add_tool(state, developed->noun, developed->name);
    if (tool != NULL) {
        tool->built = good;
        tool->fresh = good;
        tool->took_ms = developed->took_ms;
        set_text(&tool->diagnostics, developed->diagnostics);
        tool->findings.len = 0;
        if (!good) {
            (void)snprintf(tool->code, sizeof tool->code, "%s",
                           developed->error->code);
            set_text(&tool->message, mica_text(developed->error->message));
            dev_publish(state);
        }
    }
    (void)pthread_mutex_unlock(&state->lock);
}

static void
tool_swapped(void *data)
{
    struct state *state = data;
    bool any;

    (void)pthread_mutex_lock(&state->lock);
    any = forget_tools(state);
    for (size_t i = 0; i < state->count; i++) {
        struct tool *tool = &state->tools[i];
        if (!tool->fresh)
            continue;
        tool->fresh = false;
        tool->swapped = state->revision + 1; // which is published below
        tool->check = state->checks;
        any = true;
        mica_cli_tell("%s%s%s: served, built in %lld ms\n",
                      mica_style(state->color, MICA_STYLE_GREEN), tool->name,
                      mica_style(state->color, MICA_STYLE_PLAIN),
                      (long long)tool->took_ms);
    }
    if (any) {
        dev_publish(state);
        (void)pthread_cond_signal(&state->work);
    }
    (void)pthread_mutex_unlock(&state->lock);
}

// ---- What is checked ---------------------------------------------------------------

static void
show_findings(const struct state *state, const char *name,
              const struct mica_json *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct mica_json *finding = &findings->items[i];
        struct mica_text code = mica_json_get_text(finding, "code");
        struct mica_text path = mica_json_get_text(finding, "path");
        struct mica_text message = mica_json_get_text(finding, "message");
        mica_cli_tell(
            "%s%s: %.*s%s %.*s%s%.*s\n",
            mica_style(state->color, MICA_STYLE_YELLOW), name, MICA_ARG(code),
            mica_style(state->color, MICA_STYLE_PLAIN), MICA_ARG(path),
            path.len > 0 ? ": " : "", MICA_ARG(message));
    }
    if (findings->count == 0)
        mica_cli_tell("%s: nothing is missing\n", name);
}

// The line of the answer in what a check has printed.
static struct mica_text
answer_of(const struct mica_buffer *printed)
{
    const char *start = printed->ptr, *end = printed->ptr + printed->len;

    while (start != NULL && start < end && *start != '[') {
        start = memchr(start, '\n', (size_t)(end - start));
        start = start != NULL ? start + 1 : NULL;
    }
    return start == NULL || start >= end
               ? (struct mica_text){NULL, 0}
               : (struct mica_text){start, (size_t)(end - start)};
}

// The last that a check said which has come to no answer, as it could not run or died.
static void
show_failure(const struct state *state, const char *name,
             struct mica_text printed)
{
    size_t start;

    while (printed.len > 0 && printed.ptr[printed.len - 1] == '\n')
        printed.len--;
    for (start = printed.len; start > 0 && printed.ptr[start - 1] != '\n';
         start--)
        continue;
    printed = mica_text_slice(printed, start, printed.len);
    mica_cli_tell("%s%s: the check broke off%s%s%.*s; \"mica check %s\" shows "
                  "more\n",
                  mica_style(state->color, MICA_STYLE_YELLOW), name,
                  mica_style(state->color, MICA_STYLE_PLAIN),
                  printed.len > 0 ? ": " : "", MICA_ARG(printed), name);
}

// In a process of its own, as a check ends with what it has taken.
static void
state_check(struct state *state, const char *noun, const char *name)
{
    struct mica_process command = {.count = 0};
    const struct mica_json *findings = NULL;
    struct mica_arena arena;
    struct mica_error error;
    struct mica_buffer printed;
    struct mica_json value;
    struct mica_text answer;
    int status;

    mica_arena_init(&arena, MEMORY_BYTES);
    mica_buffer_init(&printed, &arena, CHECK_BYTES);
    mica_process_add(&command, "/proc/self/exe");
    mica_process_add(&command, "check");
    mica_process_add(&command, "--fast");
    mica_process_add(&command, "--json");
    mica_process_add(&command, name);
    if (mica_process_run(&command, NULL, &printed, &error, &status) !=
        MICA_OK) {
        mica_buffer_text(&printed, mica_text(error.message));
    } else {
        answer = answer_of(&printed);
        while (answer.len > 0 && answer.ptr[answer.len - 1] != ']')
            answer.len--; // its words on stderr behind it
        if (mica_json_read(&arena, answer, NULL, NULL, &value) == MICA_OK &&
            value.kind == MICA_JSON_ARRAY && value.count > 0)
            findings = mica_json_get(&value.items[0], "findings");
    }
    (void)pthread_mutex_lock(&state->lock);
    struct tool *tool = find_tool(state, noun, name);
    // Unless it has been saved again meanwhile.
    if (findings != NULL && tool != NULL && !tool->check && tool->built) {
        show_findings(state, name, findings);
        tool->findings.len = 0;
        mica_buffer_text(&tool->findings, findings->raw);
        dev_publish(state);
    } else if (findings == NULL && !state->ends) {
        show_failure(state, name, mica_buffer_as_text(&printed));
    }
    (void)pthread_mutex_unlock(&state->lock);
    mica_arena_fini(&arena);
}

static struct tool *
next_to_check(struct state *state)
{
    for (size_t i = 0; i < state->count; i++)
        if (state->tools[i].check)
            return &state->tools[i];
    return NULL;
}

static void *
check_tools(void *data)
{
    struct state *state = data;

    (void)pthread_mutex_lock(&state->lock);
    while (!state->ends) {
        char name[MICA_TOOL_NAME_LENGTH + 1];
        struct tool *tool = next_to_check(state);
        if (tool == NULL) {
            (void)pthread_cond_wait(&state->work, &state->lock);
            continue;
        }
        const char *noun = tool->noun;
        memcpy(name, tool->name, sizeof name);
        tool->check = false;
        (void)pthread_mutex_unlock(&state->lock);
        state_check(state, noun, name);
        (void)pthread_mutex_lock(&state->lock);
    }
    (void)pthread_mutex_unlock(&state->lock);
    return NULL;
}

// ---- The command -------------------------------------------------------------------

static enum mica_status
dev_begin(struct state *state, struct mica_error *error)
{
    (void)pthread_mutex_init(&state->lock, NULL);
    (void)pthread_cond_init(&state->work, NULL);
    mica_buffer_init(&state->text, NULL, STATE_BYTES);
    state->tools = calloc(TOOLS, sizeof *state->tools);
    if (state->tools == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    state->started =
        pthread_create(&state->checker, NULL, check_tools, state) == 0;
    if (!state->started)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot start a thread for checks");
    dev_publish(state);
    return MICA_OK;
}

static void
state_end(struct state *state)
{
    struct mica_error ignored;

    (void)pthread_mutex_lock(&state->lock);
    state->ends = true;
    (void)pthread_cond_signal(&state->work);
    (void)pthread_mutex_unlock(&state->lock);
    if (state->started)
        (void)pthread_join(state->checker, NULL);
    for (size_t i = 0; i < state->count; i++)
        free_tool(&state->tools[i]);
    free(state->tools);
    mica_buffer_fini(&state->text);
    (void)pthread_cond_destroy(&state->work);
    (void)pthread_mutex_destroy(&state->lock);
    if (mica_path_inside("build", &ignored) == MICA_OK)
        (void)unlink(STATE);
}

static enum mica_status
dev_run(struct mica_cli *cli, const struct mica_options *options,
        struct mica_error *error)
{
    struct state state = {.checks = !mica_options_has(options, "no-check"),
                          .color = cli->note_color};
    struct mica_developer *developer =
        mica_arena_zero(&cli->arena, 1, sizeof *developer);
    const char *const *engines, *const *tools;
    struct mica_base_path base;
    enum mica_status status;

    if (developer == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    // Before anything is built.
    MICA_TRY(mica_base_path_read(mica_options_value(options, "base-path"),
                                 mica_options_value(options, "public-url"),
                                 error, &base));
    MICA_TRY(mica_project_built(&mica_kind_engine, error));
    MICA_TRY(mica_project_built(&mica_kind_tool, error));
    MICA_TRY(mica_project_sources(cli, &mica_kind_engine, error, &engines));
    MICA_TRY(mica_project_sources(cli, &mica_kind_tool, error, &tools));
    if (*engines == NULL && *tools == NULL && !mica_project_is_here(options))
        return mica_project_empty(error);
    status = dev_begin(&state, error);
    if (status == MICA_OK) {
        *developer =
            (struct mica_developer){.development = {.data = &state,
                                                    .revision = tool_revision,
                                                    .write = copy_state},
                                    .serves = dev_serves,
                                    .built = developed_built,
                                    .swapped = tool_swapped,
                                    .data = &state};
        cli->developer = developer;
        cli->command = &mica_command_serve;
        status = mica_command_serve.run(cli, options, error);
        cli->developer = NULL;
    }
    state_end(&state);
    return status;
}

static const struct mica_option options[] = {
    {"listen", MICA_OPTION_VALUE, "HOST:PORT",
     "where to listen (default 127.0.0.1:8080); port 0 takes a free one, which "
     "is printed"},
    MICA_BASE_OPTIONS,
    MICA_IDENTITY_OPTIONS,
    MICA_FORM_VIEWS_OPTION,
    {"no-check", MICA_OPTION_SWITCH, NULL,
     "only build and serve; do not say what is missing"},
    {"http-sse", MICA_OPTION_TOGGLE, NULL,
     "serve clients of revision 2024-11-05 too, at /sse (deprecated)"},
    MICA_KEEP_CLI_OPTIONS,
    MICA_SAMPLING_OPTION,
    MICA_MODELS_OPTION,
    MICA_LOG_OPTIONS,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_dev = {
    .name = "dev",
    .group = MICA_GROUP_WRITING,
    .summary = "Serve the tools of this folder while you write them",
    .usage = "[--listen HOST:PORT] [--no-check] [options]",
    .example = "mica dev",
    .more = "What you save is built at once, with flags that are quick instead "
            "of good, and clients are told; then it is checked. What does not "
            "build stays as it was, and the compiler's words are shown. All of "
            "it is also in build/dev.json, which changes with every save. "
            "\"mica build\" makes what is fast to run.",
    .options = options,
    .settings = true,
    .run = dev_run};
