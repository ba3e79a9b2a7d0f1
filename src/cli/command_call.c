// SPDX-License-Identifier: Apache-2.0
//
// mica call: one call, or one for each line of stdin.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "call/turn.h"
#include "cli/argument_file.h"
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/converse.h"
#include "serve/stop.h"
#include "serve/system_platform.h"

enum {
    CALL_BYTES = 256 << 20,
    OUTPUT_BYTES = 64 << 20,
    ID_DIGITS = 32
};

// The failure of a call as JSON into a mica_error, for stderr. What the tool has made
// up is said to be the tool's: its code may be one of mica's, too.
static enum mica_status
call_failure(struct mica_cli *cli, const struct mica_definition *tool,
             const struct mica_call *call, struct mica_error *error)
{
    struct mica_arena arena;
    struct mica_json json;
    struct mica_text code = {NULL, 0}, path = {NULL, 0};
    struct mica_text message = {NULL, 0};
    char path_room[sizeof error->path] = "";

    mica_arena_init(&arena, 1 << 20);
    if (mica_json_read(&arena, call->result.error, NULL, NULL, &json) ==
        MICA_OK) {
        code = mica_json_get_text(&json, "code");
        message = mica_json_get_text(&json, "message");
        path = mica_json_get_text(&json, "path");
    }
    if (path.len < sizeof path_room && path.len > 0)
        memcpy(path_room, path.ptr, path.len);
    if (message.ptr == NULL)
        message = call->result.error;
    (void)mica_error_set(error, call->result.status, path_room, "%.*s",
                         (int)message.len,
                         message.ptr != NULL ? message.ptr : "");
    if (code.len > 0 && code.len < sizeof error->code) {
        memcpy(error->code, code.ptr, code.len);
        error->code[code.len] = '\0';
    }
    if (call->result.status == MICA_FAILED)
        cli->answered = mica_cli_format(cli, "%.*s", MICA_ARG(tool->name));
    mica_arena_fini(&arena);
    return call->result.status;
}

// ---- Running ---------------------------------------------------------------------

// Where a call runs, and what its tool reaches from there.
struct reach {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_server *server;
    const struct mica_definition *tool;
    struct mica_arena *arena; // of the call
    const struct mica_turn *turn;
};

static void *
find_service(void *data, const char *namez)
{
    const struct reach *reach = data;
    const struct mica_definition *owner = reach->turn->owner;

    return mica_registry_service(&reach->server->registry,
                                 owner != NULL ? owner : reach->tool, namez);
}

// Each has a runnable of its own: those of one group are held side by side. A call
// in a terminal has one build of a tool to its end.
static const struct mica_tool_runnable *
find_tool(void *data, struct mica_text name, struct mica_text version)
{
    const struct reach *reach = data;
    const struct mica_definition *found;
    struct mica_tool_runnable *tool =
        mica_arena_zero(reach->arena, 1, sizeof *tool);
    struct mica_error *error = mica_arena_zero(reach->arena, 1, sizeof *error);
    enum mica_status status;

    (void)version;
    if (tool == NULL || error == NULL)
        return NULL; // the call has overflowed, and says so
    status = mica_cli_catalog_find_tool(reach->cli, reach->options, name,
                                        reach->server, error, &found);
    if (status == MICA_E_NOT_FOUND)
        return NULL;
    if (status != MICA_OK) {
        tool->refused = error;
        return tool;
    }
    tool->runnable = &found->runnable;
    tool->steps = found->steps;
    tool->fetches = found->fetches;
    tool->keeps = found->keeps;
    tool->form_views = mica_definition_form_views(found);
    tool->name = found->name;
    tool->owner = found;
    tool->limit_ms = found->limit_ms;
    return tool;
}

// Runs turns until the call has ended. Between them there is the journal alone, as
// on a server; a process that holds a conversation keeps it in its memory.
static enum mica_status
run_turns(struct mica_conversation *conversation, struct mica_turn *turn,
          struct mica_call *call, const struct mica_definition *tool,
          struct mica_text arguments, struct mica_error *error)
{
    struct mica_arena *arena = call->arena;
    enum mica_status status = MICA_OK;

    for (;;) {
        mica_call_init(call, arena);
        call->user = tool->runnable.user;
        call->output_bytes = OUTPUT_BYTES;
        if (conversation != NULL) {
            call->on_notice = mica_conversation_notice;
            call->notice_data = conversation;
            call->cancelled = mica_stop_flag();
            turn->capabilities = mica_conversation_client(conversation);
        }
        mica_turn_run(turn, call, &tool->runnable, arguments);
        if (!turn->suspended)
            return status;
        // It asks only what can be asked here, so there is a conversation.
        status = mica_conversation_answer(conversation, turn, error);
        if (status != MICA_OK)
            turn->ending = MICA_E_CANCELLED; // has its clean-ups run
        mica_arena_reset(arena);
    }
}

// What a server says before a handler runs.
static bool
is_refused(const struct mica_conversation *conversation, struct mica_call *call,
           const struct mica_definition *tool)
{
    unsigned client =
        conversation != NULL ? mica_conversation_client(conversation) : 0;

    // Who has the files of a tool for views may try it without one.
    if (!mica_definition_for_models(tool))
        client |= MICA_VIEWS;
    if ((tool->requires & ~client) == 0)
        return false;
    mica_call_fail(call, MICA_E_CAPABILITY, "",
                   "%.*s asks its caller%s, and no person can be asked "
                   "here; call it in a terminal, or with --answers FILE",
                   MICA_ARG(tool->name),
                   (tool->requires & MICA_ELICITATION) == 0 &&
                           (tool->requires & MICA_SAMPLING) != 0
                       ? " for words of a model (--sampler)"
                       : "");
    return true;
}

// In a conversation of its own, whose journal ends with it.
static enum mica_status
call_converse(struct reach *reach, struct mica_conversation *conversation,
              struct mica_call *call, struct mica_text arguments,
              struct mica_error *error)
{
    const struct mica_definition *tool = reach->tool;
    char id[ID_DIGITS + 1];
    uint64_t bits[2];
    struct mica_journal journal;
    struct mica_arena kept;
    struct mica_turn turn = {.journal = &journal,
                             .platform = &mica_platform_real,
                             .dialect = MICA_ASKS_2026_07_28,
                             .limit_ms = tool->limit_ms,
                             .steps = tool->steps,
                             .fetches = tool->fetches,
                             .keeps = tool->keeps,
                             .form_views = mica_definition_form_views(tool),
                             .service = find_service,
                             .find = find_tool,
                             .data = reach};
    enum mica_status status;

    mica_platform_real.random(mica_platform_real.data, bits, sizeof bits);
    (void)snprintf(id, sizeof id, "%016" PRIx64 "%016" PRIx64, bits[0],
                   bits[1]);
    turn.id = mica_text(id);
    mica_arena_init(&kept, CALL_BYTES);
    mica_journal_init(&journal, &kept);
    reach->turn = &turn;
    status = run_turns(conversation, &turn, call, tool, arguments, error);
    reach->turn = NULL;
    mica_arena_fini(&kept);
    return status;
}

// `conversation` is NULL where the tool cannot ask. Errors: of the conversation; how the call
// has ended is in call->result.
static enum mica_status
run_tool(struct reach *reach, struct mica_conversation *conversation,
         struct mica_call *call, struct mica_text arguments,
         struct mica_error *error)
{
    const struct mica_definition *tool = reach->tool;

    mica_call_init(call, reach->arena);
    call->user = tool->runnable.user;
    call->output_bytes = OUTPUT_BYTES;
    if (tool->runnable.inline_first) { // an engine has nothing to do with turns
        tool->runnable.run(&tool->runnable, call, arguments);
        return MICA_OK;
    }
    if (is_refused(conversation, call, tool))
        return MICA_OK;
    return call_converse(reach, conversation, call, arguments, error);
}

// ---- One call --------------------------------------------------------------------

static enum mica_status
read_arguments(struct mica_cli *cli, const struct mica_options *options,
               const struct mica_definition *tool, struct mica_error *error,
               struct mica_text *arguments_out)
{
    const char *json = mica_options_value(options, "json");
    const char *const *words = options->words + 1;
    size_t count = options->word_count - 1;
    bool from_stdin = count == 1 && strcmp(words[0], "-") == 0;
    const struct mica_argument_files files = mica_argument_files_of(cli);
    struct mica_json schema;

    if (json != NULL && count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "give the arguments as key=value or as --json, "
                              "not both");
    if (json != NULL) {
        *arguments_out = mica_text(json);
        return MICA_OK;
    }
    if (from_stdin)
        return mica_cli_read(cli, MICA_ARGUMENT_BYTES, error, arguments_out);
    MICA_TRY(
        mica_json_read(&cli->arena, tool->input_schema, NULL, error, &schema));
    return mica_arguments_read(&cli->arena, &schema, words, count, &files,
                               error, arguments_out);
}

// What a tool printed, for people.
static void
print_line(struct mica_cli *cli, struct mica_text text, bool json)
{
    if (json)
        mica_cli_shown_json(cli, text);
    else
        mica_cli_lines(cli, text);
    mica_cli_print(cli, "\n");
}

// A value inside a line, cut to what fits.
static void
print_member(struct mica_cli *cli, const struct mica_json_member *member,
             size_t width)
{
    const struct mica_json *value = &member->value;
    struct mica_buffer text;

    mica_cli_print(cli, "%s%.*s%s", mica_cli_bold(cli), MICA_ARG(member->name),
                   mica_cli_plain(cli));
    for (size_t i = member->name.len; i < width + 2; i++)
        mica_cli_print(cli, " ");
    if (value->kind == MICA_JSON_STRING) {
        print_line(cli, value->text, false);
        return;
    }
    mica_buffer_init(&text, &cli->arena, OUTPUT_BYTES);
    mica_json_pretty(&text, value);
    print_line(cli, mica_buffer_as_text(&text), true);
}

static void
print_for_people(struct mica_cli *cli, struct mica_text json)
{
    struct mica_json value;
    size_t width = 0;

    if (mica_json_read(&cli->arena, json, NULL, NULL, &value) != MICA_OK ||
        value.kind != MICA_JSON_OBJECT) {
        print_line(cli, json, true);
        return;
    }
    for (size_t i = 0; i < value.count; i++)
        width = value.members[i].name.len > width ? value.members[i].name.len
                                                  : width;
    for (size_t i = 0; i < value.count; i++)
        print_member(cli, &value.members[i], width);
}

static void
print_kind(struct mica_cli *cli, struct mica_text mime_type)
{
    mica_cli_print(cli, "(%.*s)\n", MICA_ARG(mime_type));
}

// Words first, as the tool said them; what is not text is named.
static void
print_content(struct mica_cli *cli, const struct mica_result *result)
{
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next) {
        if (block->kind == MICA_CONTENT_TEXT)
            print_line(cli, block->data, false);
        else if (block->uri.len > 0)
            print_line(cli, block->uri, false);
        else
            print_kind(cli, block->mime_type);
    }
}

// A result without structure is its words: {"content": [text, …]}.
static void
write_result(struct mica_cli *cli, struct mica_arena *arena,
             const struct mica_result *result)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (result->structured.len > 0) {
        mica_cli_json(cli, result->structured);
        mica_cli_print(cli, "\n");
        return;
    }
    mica_buffer_init(&text, arena, OUTPUT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "content");
    mica_json_open_array(&writer);
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next)
        mica_json_string(&writer, block->kind == MICA_CONTENT_TEXT
                                      ? block->data
                                      : block->uri);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_cli_json(cli, mica_buffer_as_text(&text));
    mica_cli_print(cli, "\n");
}

static void
print_result(const struct reach *reach, const struct mica_result *result)
{
    struct mica_cli *cli = reach->cli;

    if (mica_cli_wants_json(reach->options)) {
        write_result(cli, reach->arena, result);
        return;
    }
    print_content(cli, result);
    if (result->structured.len > 0)
        print_for_people(cli, result->structured);
}

static enum mica_status
call_once(struct reach *reach, struct mica_error *error)
{
    const struct mica_options *options = reach->options;
    struct mica_cli *cli = reach->cli;
    struct mica_text arguments = {NULL, 0};
    struct mica_conversation conversation;
    struct mica_call call;
    enum mica_status status;

    MICA_TRY(read_arguments(cli, options, reach->tool, error, &arguments));
    MICA_TRY(mica_conversation_open(cli, options, error, &conversation));
    mica_arena_init(reach->arena, CALL_BYTES);
    status = run_tool(reach, &conversation, &call, arguments, error);
    mica_conversation_close(&conversation);
    if (status != MICA_OK) {
        // It has been cancelled, and why is in `error`.
    } else if (call.result.status != MICA_OK) {
        status = call_failure(cli, reach->tool, &call, error);
    } else {
        print_result(reach, &call.result);
        status = mica_conversation_end(&conversation, error);
    }
    mica_arena_fini(reach->arena);
    return status;
}

// ---- A call a line -----------------------------------------------------------------

// Every line gets its line: the output, or {"error":…}. Blank lines do not count.
static enum mica_status
call_lines(struct reach *reach, struct mica_error *error)
{
    struct mica_cli *cli = reach->cli;
    enum mica_status first = MICA_OK;
    struct mica_text line;
    struct mica_call call;
    size_t number = 0;

    mica_arena_init(reach->arena, CALL_BYTES);
    while (mica_cli_read_line(cli, &line)) {
        number++;
        if (line.len > 0 && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (line.len == 0)
            continue;
        // The tool cannot ask, so the only errors are the call's own.
        (void)run_tool(reach, NULL, &call, line, error);
        if (call.result.status == MICA_OK) {
            write_result(cli, reach->arena, &call.result);
        } else {
            mica_cli_print(cli, "{\"error\":");
            mica_cli_json(cli, call.result.error);
            mica_cli_print(cli, "}\n");
            if (first == MICA_OK) {
                first = call_failure(cli, reach->tool, &call, error);
                mica_error_prefix(error, "line %zu", number);
            }
        }
        mica_arena_reset(reach->arena);
    }
    mica_arena_fini(reach->arena);
    return first;
}

static enum mica_status
call_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    bool lines = mica_options_has(options, "lines");
    struct mica_arena arena;
    struct reach reach = {.cli = cli, .options = options, .arena = &arena};
    enum mica_status status;

    if (options->word_count == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "call which tool? \"mica list\" names all");
    if (lines && (options->word_count > 1 ||
                  mica_options_value(options, "json") != NULL))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--lines reads the arguments from stdin and "
                              "takes no others");
    if (lines && (mica_options_has(options, "answers") ||
                  mica_options_has(options, "sampler") ||
                  mica_options_has(options, "root")))
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "--lines asks no person: --answers, --sampler and "
            "--root are for one call");
    MICA_TRY(mica_cli_catalog_open_tool(cli, options, options->words[0], error,
                                        &reach.server, &reach.tool));
    status = lines ? call_lines(&reach, error) : call_once(&reach, error);
    mica_server_close(&reach.server);
    return status;
}

static const struct mica_option options[] = {
    {"json", MICA_OPTION_OBJECT, "['{…}']",
     "print the result as JSON; a JSON object behind it is the arguments"},
    {"lines", MICA_OPTION_SWITCH, NULL,
     "read stdin, one JSON object of arguments a line; print a line for each, "
     "in order: the result, or {\"error\":…}"},
    MICA_KEEP_CLI_OPTIONS,
    MICA_CONVERSE_OPTIONS,
    MICA_ENGINES_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_call = {
    .name = "call",
    .group = MICA_GROUP_USING,
    .summary = "Call a tool",
    .usage = "NAME [key=value | key=@FILE …] | --json '{…}' | - | --lines",
    .example = "mica call percentage-calculator mode=of a=15 b=200\n"
               "  mica call percentage-calculator --json "
               "'{\"mode\":\"of\",\"a\":15,\"b\":200}'\n"
               "  mica call csv-parser csv=@table.csv\n"
               "  mica call percentage-calculator --lines < inputs.jsonl",
    .more = "Values are read by the tool's schema. A list takes commas "
            "(values=1,2,3) or one item each time (tags=a tags=b); a nested "
            "object takes dots (price.amount=10); a list, an object and "
            "anything untyped also take JSON. csv=@table.csv takes the text of "
            "a file and csv=@- that of stdin (a list: an item from each line, "
            "or JSON); a text that begins with @ is written with two. \"-\" "
            "reads all arguments from stdin as one JSON object.",
    .words = MICA_WORDS_CALL,
    .options = options,
    .run = call_run};
