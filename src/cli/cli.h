// SPDX-License-Identifier: Apache-2.0
//
// The command line: one table of commands, each in a file of its own. Commands
// print through the functions below and give back a status; only cli_streams.c writes
// to a descriptor, and only main.c ends the process.
#ifndef MICA_CLI_CLI_H
#define MICA_CLI_CLI_H

#include <mica/server.h>

#include "base/visible.h"
#include "cli/options.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "0.0.0"
#endif

struct mica_app_error;
struct mica_developer;
struct mica_preparation;

// Who says why a command failed.
enum mica_cli_report {
    MICA_CLI_REPORT_DUE, // main, on stderr
    MICA_CLI_REPORT_MADE // what was printed says it
};

struct mica_cli {
    struct mica_arena arena;      // as long as the command
    bool terminal, note_terminal; // stdout is one, stderr is one
    size_t columns; // of the terminal at stdout; 0: stdout is no terminal
    bool color, note_color;                     // on stdout, on stderr
    const struct mica_command *const *commands; // all of them, NULL-ended
    const struct mica_command *command;         // the one that runs
    const char *answered; // the tool whose own answer the failure is, or NULL
    const struct mica_developer *developer; // of mica dev (reloader.h), or NULL
    // The failure of an act on an app, with the details that `error` has no room for; NULL:
    // `error` says all.
    const struct mica_app_error *app_error;
    enum mica_cli_report report;
    // What has to be built is built while the command serves (prepare.h); NULL: before.
    struct mica_preparation *preparation;
};

// What a shell offers for the words of a command: choices "a|b|c", or one of these.
#define MICA_WORDS_TOOLS    "@tools"
#define MICA_WORDS_CALL     "@call" // a tool, then its fields
#define MICA_WORDS_FILES    "@files"
#define MICA_WORDS_COMMANDS "@commands"

// Under which heading "mica help" lists a command.
enum mica_command_group {
    MICA_GROUP_MICA, // mica itself
    MICA_GROUP_USING,
    MICA_GROUP_WRITING,
    MICA_GROUP_SERVING,
    MICA_GROUP_PUBLISHING,
    MICA_GROUPS
};

// What the first word behind a command chooses, for help.
struct mica_subcommand {
    const char *name;    // NULL ends a table
    const char *usage;   // what follows its name
    const char *summary; // one line, what it does
    const char *example; // lines to copy
};

struct mica_command {
    const char *name;
    enum mica_command_group group;
    const char *summary; // one line, what it does
    const char *usage;   // what follows its name
    const char *example; // lines to copy
    const char *more;    // a paragraph, or NULL
    const char *words;   // as above, or NULL
    const struct mica_option *options;
    const struct mica_subcommand *subcommands; // or NULL
    // With --json a failure is {"error":{"code","message","details"}} on stdout.
    bool error_body;
    bool settings; // what no flag gives comes from the settings (settings.h)
    enum mica_status (*run)(struct mica_cli *cli,
                            const struct mica_options *options,
                            struct mica_error *error);
};

// The command of that name; NULL without one.
const struct mica_command *mica_command_find(const struct mica_cli *cli,
                                             struct mica_text name);

// Says that no command has that name, and which is near. Always MICA_E_USAGE.
enum mica_status mica_command_unknown(const struct mica_cli *cli,
                                      const char *name,
                                      struct mica_error *error);

// Help on all commands (NULL) or on one. `brief`: what fits on a screen.
void mica_cli_help(struct mica_cli *cli, const struct mica_command *command,
                   bool brief);

// Help on one subcommand. False if the command has no such word.
bool mica_cli_help_subcommand(struct mica_cli *cli,
                              const struct mica_command *command,
                              const char *word);

// ---- Output ------------------------------------------------------------------

// Before a command runs: looks whether stdout and stderr are terminals.
void mica_cli_streams_open(struct mica_cli *cli);

// After it: writes what is left. Errors: MICA_E_IO when stdout could not be written,
// MICA_E_LIMIT when a text was too large to be printed.
enum mica_status mica_cli_streams_close(struct mica_cli *cli,
                                        struct mica_error *error);

// Everything that a person reads leaves by these functions, and none of them sends
// what a terminal would obey, unless the format itself says it: a text among the
// arguments is shown on one line, with its control characters written out
// (base/visible.h), wherever the output goes. `scripts/lint output` refuses every
// other way.

// To stdout. What is printed is written when the command ends, when it is much,
// or at mica_cli_flush.
void mica_cli_print(struct mica_cli *cli, const char *formatz, ...)
    MICA_PRINTF(2, 3);
void mica_cli_flush(struct mica_cli *cli);

// The same of a text that has lines: \n stays.
void mica_cli_lines(struct mica_cli *cli, struct mica_text text);

// JSON, and the text of a file that was made. For a program as it is; a terminal is
// sent JSON of the same value, or the lines of the file as above. _line ends the line;
// so does _buffer, unless the text overflowed: then nothing is printed, and the command
// fails when it ends. mica_cli_whole is for a part of what is printed: the text, or nothing
// and that failure.
void mica_cli_json(struct mica_cli *cli, struct mica_text text);
void mica_cli_json_line(struct mica_cli *cli, struct mica_text text);
void mica_cli_json_buffer(struct mica_cli *cli, const struct mica_buffer *text);
struct mica_text mica_cli_whole(const struct mica_buffer *text);
void mica_cli_file(struct mica_cli *cli, struct mica_text text);

// JSON among words for a person, wherever they go: as a terminal is sent it.
void mica_cli_shown_json(struct mica_cli *cli, struct mica_text text);

// To stderr, at once and in one piece: progress, and what a person should know.
void mica_cli_note(struct mica_cli *cli, const char *formatz, ...)
    MICA_PRINTF(2, 3);

// The same from any thread, also of a server; and a text that has lines, such as the output
// of a compiler.
void mica_cli_tell(const char *formatz, ...) MICA_PRINTF(1, 2);
void mica_cli_tell_lines(struct mica_text lines);

// "mica: CODE: message" on stderr, or "mica: TOOL answered CODE: message".
void mica_cli_complain(struct mica_cli *cli, const struct mica_error *error);

// The failure as the JSON body {"error":{"code","message","details"}} on stdout.
void mica_cli_print_error(struct mica_cli *cli, const struct mica_error *error);

// MICA_FAILED with a code of the command line: docs/errors.md.
enum mica_status mica_cli_fail(struct mica_error *error, const char *codez,
                               const char *pathz, const char *formatz, ...)
    MICA_PRINTF(4, 5);

// Reads all of stdin, at most `max` bytes. In the arena.
enum mica_status mica_cli_read(struct mica_cli *cli, size_t max,
                               struct mica_error *error,
                               struct mica_text *text_out) MICA_MUST_USE;

// Reads the next line of stdin, without its end. False at the end. The text is
// valid until the next call.
bool mica_cli_read_line(struct mica_cli *cli, struct mica_text *line_out);

// True with --json: the output is for a program. A pipe gets the words that a terminal
// gets, without colors.
bool mica_cli_wants_json(const struct mica_options *options);

// Styles of stdout (mica_style), "" where it wants none.
const char *mica_cli_bold(const struct mica_cli *cli);
const char *mica_cli_dim(const struct mica_cli *cli);
const char *mica_cli_plain(const struct mica_cli *cli);

struct mica_definition;

// The line with which a tool begins: its name, and its category if it has one.
void mica_cli_print_heading(struct mica_cli *cli,
                            const struct mica_definition *tool);

// `text` filled into lines of 76 columns, each behind `indent` blanks.
void mica_cli_fill(struct mica_cli *cli, size_t indent, struct mica_text text);

// The same behind a label: the first line has `indent` columns already.
void mica_cli_fill_behind(struct mica_cli *cli, size_t indent,
                          struct mica_text text);

// What a JSON Schema takes, in few words (type.c).
void mica_cli_add_type(struct mica_buffer *out, const struct mica_json *schema);

// Does a JSON Schema of an object require that member?
bool mica_cli_is_required(const struct mica_json *schema,
                          struct mica_text name);

// Several of one thing: "s" unless `count` is 1.
const char *mica_cli_s(size_t count);

#endif
