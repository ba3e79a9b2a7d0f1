// SPDX-License-Identifier: Apache-2.0
//
// mica call: one call, or one for each line of stdin.
#include <string.h>

#include "cli/argument_file.h"
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/local_call.h"

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

// What a server says before a handler runs.
static bool
is_refused(const struct mica_conversation *conversation, struct mica_call *call,
           const struct mica_definition *tool)
{
    unsigned client =
        conversation != NULL ? mica_conversation_client(conversation) : 0;

    // A user that has the files of a tool for views may try it without one.
    if (!mica_definition_for_models(tool))
        client |= MICA_VIEWS;
    if ((tool->requires & ~client) == 0)
        return false;
    mica_local_call_refuse(call, tool, tool->requires & ~client);
    return true;
}

// `conversation` is NULL where the tool cannot ask. Errors: of the conversation; how the call
// has ended is in call->result.
static enum mica_status
run_tool(struct mica_local_call *local, struct mica_conversation *conversation,
         struct mica_call *call, struct mica_text arguments,
         struct mica_error *error)
{
    const struct mica_definition *tool = local->tool;

    mica_call_init(call, local->arena);
    call->user = tool->runnable.user;
    call->output_bytes = MICA_LOCAL_OUTPUT_BYTES;
    if (tool->runnable.inline_first) { // an engine has nothing to do with turns
        tool->runnable.run(&tool->runnable, call, arguments);
        return MICA_OK;
    }
    if (is_refused(conversation, call, tool))
        return MICA_OK;
    return mica_local_call_run(local, conversation, call, arguments, error);
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
    mica_buffer_init(&text, &cli->arena, MICA_LOCAL_OUTPUT_BYTES);
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
        mica_cli_json_line(cli, result->structured);
        return;
    }
    mica_buffer_init(&text, arena, MICA_LOCAL_OUTPUT_BYTES);
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
    mica_cli_json_buffer(cli, &text);
}

static void
print_result(const struct mica_local_call *local,
             const struct mica_result *result)
{
    struct mica_cli *cli = local->cli;

    if (mica_cli_wants_json(local->options)) {
        write_result(cli, local->arena, result);
        return;
    }
    print_content(cli, result);
    if (result->structured.len > 0)
        print_for_people(cli, result->structured);
}

static enum mica_status
call_once(struct mica_local_call *local, struct mica_error *error)
{
    const struct mica_options *options = local->options;
    struct mica_cli *cli = local->cli;
    struct mica_text arguments = {NULL, 0};
    struct mica_conversation conversation;
    struct mica_call call;
    enum mica_status status;

    MICA_TRY(read_arguments(cli, options, local->tool, error, &arguments));
    MICA_TRY(mica_conversation_open(cli, options, error, &conversation));
    mica_arena_init(local->arena, MICA_LOCAL_CALL_BYTES);
    status = run_tool(local, &conversation, &call, arguments, error);
    mica_conversation_close(&conversation);
    if (status != MICA_OK) {
        // It has been cancelled, and why is in `error`.
    } else if (call.result.status != MICA_OK) {
        status = call_failure(cli, local->tool, &call, error);
    } else {
        print_result(local, &call.result);
        status = mica_conversation_end(&conversation, error);
    }
    mica_arena_fini(local->arena);
    return status;
}

// ---- A call a line -----------------------------------------------------------------

// Every line gets its line: the output, or {"error":…}. Blank lines do not count.
static enum mica_status
call_lines(struct mica_local_call *local, struct mica_error *error)
{
    struct mica_cli *cli = local->cli;
    enum mica_status first = MICA_OK;
    struct mica_text line;
    struct mica_call call;
    size_t number = 0;

    mica_arena_init(local->arena, MICA_LOCAL_CALL_BYTES);
    while (mica_cli_read_line(cli, &line)) {
        number++;
        if (line.len > 0 && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (line.len == 0)
            continue;
        // The tool cannot ask, so the only errors are the call's own.
        (void)run_tool(local, NULL, &call, line, error);
        if (call.result.status == MICA_OK) {
            write_result(cli, local->arena, &call.result);
        } else {
            mica_cli_print(cli, "{\"error\":");
            mica_cli_json(cli, call.result.error);
            mica_cli_print(cli, "}\n");
            if (first == MICA_OK) {
                first = call_failure(cli, local->tool, &call, error);
                mica_error_prefix(error, "line %zu", number);
            }
        }
        mica_arena_reset(local->arena);
    }
    mica_arena_fini(local->arena);
    return first;
}

static enum mica_status
call_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    bool lines = mica_options_has(options, "lines");
    struct mica_arena arena;
    struct mica_local_call local = {.cli = cli,
                                    .options = options,
                                    .arena = &arena,
                                    .on_notice = mica_conversation_notice};
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
                                        &local.server, &local.tool));
    status = lines ? call_lines(&local, error) : call_once(&local, error);
    mica_server_close(&local.server);
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
