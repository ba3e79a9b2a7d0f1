// SPDX-License-Identifier: Apache-2.0
//
// The command line: one table of commands, each in a file of its own. Commands
// print through the functions below and give back a status; only main.c writes
// to a descriptor and ends the process.
#ifndef MICA_CLI_CLI_H
#define MICA_CLI_CLI_H

#include <mica/server.h>

#include "cli/options.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "0.0.0"
#endif

struct mica_developer;
struct mica_preparation;

struct mica_cli {
    struct mica_arena arena;      // as long as the command
    bool terminal, note_terminal; // stdout is one, stderr is one
    bool colour, note_colour;     // on stdout, on stderr
    const struct mica_command *command;
    const struct mica_developer *developer; // of mica dev (reload.h), or NULL
    // What has to be built is built while the command serves (prepare.h); NULL: before.
    struct mica_preparation *preparation;
};

// What a shell offers for the words of a command: choices "a|b|c", or one of these.
#define MICA_WORDS_TOOLS    "@tools"
#define MICA_WORDS_FILES    "@files"
#define MICA_WORDS_COMMANDS "@commands"

struct mica_command {
    const char *name;
    const char *summary; // one line, what it does
    const char *usage;   // what follows its name
    const char *example; // lines to copy
    const char *more;    // a paragraph, or NULL
    const char *words;   // as above, or NULL
    const struct mica_option *options;
    enum mica_status (*run)(struct mica_cli *cli,
                            const struct mica_options *options,
                            struct mica_error *error);
};

// All commands in the order in which somebody needs them, NULL-ended.
extern const struct mica_command *const mica_commands[];

const struct mica_command *mica_command_find(struct mica_text name);

// Says that there is none of that name, and which is near. Always MICA_E_USAGE.
enum mica_status mica_command_unknown(const char *name,
                                      struct mica_error *error);

// Help on all commands (NULL) or on one.
void mica_cli_help(struct mica_cli *cli, const struct mica_command *command);

// What the exit statuses mean, one line for each from 0 on, NULL-ended.
extern const char *const mica_cli_exits[];

// ---- Output ------------------------------------------------------------------

// To stdout. What is printed is written when the command ends, when it is much,
// or at mica_cli_flush.
void mica_cli_print(struct mica_cli *cli, const char *formatz, ...)
    MICA_PRINTF(2, 3);
void mica_cli_write(struct mica_cli *cli, struct mica_text text);
void mica_cli_flush(struct mica_cli *cli);

// To stderr, at once: progress, and what a person should know. On a terminal,
// control characters are shown instead of sent (mica_cli_add_visible), but for
// those of the format before its first %: these are the program's own.
void mica_cli_note(struct mica_cli *cli, const char *formatz, ...)
    MICA_PRINTF(2, 3);

// The same from any thread, also of a server: what a compiler, a source or a file
// has said reaches a terminal by no other way.
void mica_cli_tell(const char *formatz, ...) MICA_PRINTF(1, 2);

// "mica: CODE: message" on stderr.
void mica_cli_complain(struct mica_cli *cli, const struct mica_error *error);

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

// True when the output is for a program: stdout is no terminal, or --json.
bool mica_cli_wants_json(const struct mica_cli *cli,
                         const struct mica_options *options);

// ANSI sequences on a terminal that wants them, "" otherwise.
const char *mica_cli_bold(const struct mica_cli *cli);
const char *mica_cli_dim(const struct mica_cli *cli);
const char *mica_cli_plain(const struct mica_cli *cli);

// `text` filled into lines of 76 columns, each behind `indent` blanks.
void mica_cli_fill(struct mica_cli *cli, size_t indent, struct mica_text text);

// `text` without what a terminal would obey: control characters (C0 but for \n
// and \t, DEL, C1) and bytes that are no UTF-8 are written as \xNN, or where `json`
// as \u00NN. For whatever a model, a client, a tool or a store has said.
void mica_cli_add_visible(struct mica_buffer *out, struct mica_text text,
                          bool json);

// The same for stdout: as it is unless that is a terminal. In the arena.
struct mica_text mica_cli_visible(struct mica_cli *cli, struct mica_text text,
                                  bool json);

// What a JSON Schema takes, in few words (type.c).
void mica_cli_add_type(struct mica_buffer *out, const struct mica_json *schema);

// Does a JSON Schema of an object require that member?
bool mica_cli_is_required(const struct mica_json *schema,
                          struct mica_text name);

// Several of one thing: "s" unless `count` is 1.
const char *mica_cli_s(size_t count);

#endif
