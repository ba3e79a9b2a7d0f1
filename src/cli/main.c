// SPDX-License-Identifier: Apache-2.0
//
// Where the program starts, prints and ends. No other file does any of these.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/files.h"
#include "cli/cli.h"

enum {
    OUTPUT_BYTES = 64 * 1024, // printed and not yet written
    NOTE_BYTES = 64 << 20, // of one note: what a person is asked, written out
    COMMAND_BYTES = 512 << 20, // everything that one command may need
    LINE_BYTES = 16 << 20      // of a line of stdin
};

// The one program has one stdout and one stdin.
static struct {
    struct mica_buffer output;
    bool broken; // stdout is closed
    struct mica_buffer input;
    size_t line; // where the next line of stdin starts
    bool input_ended;
} io;

// ---- Output ------------------------------------------------------------------

void
mica_cli_flush(struct mica_cli *cli)
{
    (void)cli;
    if (!io.broken &&
        !mica_file_write_all(STDOUT_FILENO, mica_buffer_as_text(&io.output)))
        io.broken = true;
    io.output.len = 0;
}

// A note is written in one piece, for who collects lines.
static void
write_note(struct mica_buffer *text)
{
    (void)mica_file_write_all(STDERR_FILENO, mica_buffer_as_text(text));
    mica_buffer_fini(text);
}

static void
write_if_much(struct mica_cli *cli)
{
    if (io.output.len >= OUTPUT_BYTES)
        mica_cli_flush(cli);
}

void
mica_cli_print(struct mica_cli *cli, const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    mica_visible_vformat(&io.output, formatz, arguments);
    va_end(arguments);
    write_if_much(cli);
}

void
mica_cli_lines(struct mica_cli *cli, struct mica_text text)
{
    mica_visible_add(&io.output, text, MICA_VISIBLE_LINES);
    write_if_much(cli);
}

void
mica_cli_json(struct mica_cli *cli, struct mica_text text)
{
    if (cli->terminal)
        mica_visible_add(&io.output, text, MICA_VISIBLE_JSON);
    else
        mica_buffer_text(&io.output, text);
    write_if_much(cli);
}

void
mica_cli_file(struct mica_cli *cli, struct mica_text text)
{
    if (cli->terminal)
        mica_visible_add(&io.output, text, MICA_VISIBLE_LINES);
    else
        mica_buffer_text(&io.output, text);
    write_if_much(cli);
}

void
mica_cli_note(struct mica_cli *cli, const char *formatz, ...)
{
    struct mica_buffer text;
    va_list arguments;

    (void)cli;
    mica_buffer_init(&text, NULL, NOTE_BYTES);
    va_start(arguments, formatz);
    mica_visible_vformat(&text, formatz, arguments);
    va_end(arguments);
    write_note(&text);
}

void
mica_cli_tell(const char *formatz, ...)
{
    struct mica_buffer text;
    va_list arguments;

    mica_buffer_init(&text, NULL, NOTE_BYTES);
    va_start(arguments, formatz);
    mica_visible_vformat(&text, formatz, arguments);
    va_end(arguments);
    write_note(&text);
}

void
mica_cli_tell_lines(struct mica_text lines)
{
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, NOTE_BYTES);
    mica_visible_add(&text, lines, MICA_VISIBLE_LINES);
    write_note(&text);
}

void
mica_cli_complain(struct mica_cli *cli, const struct mica_error *error)
{
    const char *red = mica_style(cli->note_colour, MICA_STYLE_ALARM);
    const char *plain = mica_style(cli->note_colour, MICA_STYLE_PLAIN);

    const char *tool = cli->answered != NULL ? cli->answered : "";
    const char *answered = cli->answered != NULL ? " answered " : "";

    if (error->path[0] != '\0')
        mica_cli_note(cli, "%smica: %s%s%s:%s %s\n  at %s\n", red, tool,
                      answered, error->code, plain, error->message,
                      error->path);
    else
        mica_cli_note(cli, "%smica: %s%s%s:%s %s\n", red, tool, answered,
                      error->code, plain, error->message);
}

// ---- Input -------------------------------------------------------------------

// More of stdin into io.input; false at its end.
static bool
read_some(void)
{
    enum {
        PIECE = 64 * 1024
    };
    char *room = mica_buffer_reserve(&io.input, PIECE);
    ssize_t got;

    if (room == NULL || io.input_ended)
        return false;
    do {
        got = read(STDIN_FILENO, room, PIECE);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        io.input_ended = true;
        return false;
    }
    io.input.len += (size_t)got;
    return true;
}

enum mica_status
mica_cli_read(struct mica_cli *cli, size_t max, struct mica_error *error,
              struct mica_text *text_out)
{
    (void)cli;
    while (io.input.len <= max && read_some())
        continue;
    if (io.input.len > max || io.input.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "stdin has more than %zu bytes", max);
    *text_out = mica_buffer_as_text(&io.input);
    return MICA_OK;
}

// Drops the lines that were read, and finds the end of the next.
static const char *
find_end(size_t *scanned)
{
    const char *end = NULL;

    if (*scanned < io.input.len)
        end = memchr(io.input.ptr + *scanned, '\n', io.input.len - *scanned);
    *scanned = io.input.len;
    return end;
}

bool
mica_cli_read_line(struct mica_cli *cli, struct mica_text *line_out)
{
    size_t scanned = io.line;
    const char *end;

    (void)cli;
    while ((end = find_end(&scanned)) == NULL) {
        if (io.line > 0) {
            memmove(io.input.ptr, io.input.ptr + io.line,
                    io.input.len - io.line);
            io.input.len -= io.line;
            scanned -= io.line;
            io.line = 0;
        }
        if (!read_some())
            break;
    }
    if (io.line >= io.input.len)
        return false;
    size_t stop = end != NULL ? (size_t)(end - io.input.ptr) : io.input.len;
    *line_out = (struct mica_text){io.input.ptr + io.line, stop - io.line};
    io.line = end != NULL ? stop + 1 : stop;
    return true;
}

// ---- Running -----------------------------------------------------------------

static bool
asks_for_help(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return true;
    }
    return false;
}

// The first word chooses; a few forms that people try mean a command, too.
static enum mica_status
run(struct mica_cli *cli, const char *const *words, size_t count,
    struct mica_error *error)
{
    const char *name = count > 0 ? words[0] : "help";
    struct mica_options options;

    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    cli->command = mica_command_find(mica_text(name));
    if (cli->command == NULL)
        return mica_command_unknown(name, error);
    if (count > 0) {
        words++;
        count--;
    }
    if (asks_for_help(words, count)) {
        mica_cli_help(cli, cli->command);
        return MICA_OK;
    }
    MICA_TRY(mica_options_read(cli->command->options, words, count, &cli->arena,
                               error, &options));
    return cli->command->run(cli, &options, error);
}

static bool
wants_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fd) != 0 && (no_colour == NULL || no_colour[0] == '\0') &&
           term != NULL && strcmp(term, "dumb") != 0;
}

int
main(int argc, char **argv)
{
    struct mica_cli cli = {.terminal = isatty(STDOUT_FILENO) != 0,
                           .note_terminal = isatty(STDERR_FILENO) != 0,
                           .colour = wants_colour(STDOUT_FILENO),
                           .note_colour = wants_colour(STDERR_FILENO)};
    struct mica_error error;
    enum mica_status status;

    memset(&error, 0, sizeof error);
    (void)signal(SIGPIPE, SIG_IGN);
    // A file that may not grow is an error of the write (EFBIG), not the end of mica.
    (void)signal(SIGXFSZ, SIG_IGN);
    mica_arena_init(&cli.arena, COMMAND_BYTES);
    mica_buffer_init(&io.output, NULL, COMMAND_BYTES);
    mica_buffer_init(&io.input, NULL, LINE_BYTES);
    status = run(&cli, (const char *const *)argv + 1,
                 argc > 0 ? (size_t)argc - 1 : 0, &error);
    mica_cli_flush(&cli);
    if (status == MICA_OK && io.broken)
        status =
            mica_error_set(&error, MICA_E_IO, "", "cannot write to stdout");
    if (status != MICA_OK)
        mica_cli_complain(&cli, &error);
    mica_buffer_fini(&io.input);
    mica_buffer_fini(&io.output);
    mica_arena_fini(&cli.arena);
    return mica_status_exit(status);
}
