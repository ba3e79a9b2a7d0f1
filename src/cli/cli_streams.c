// SPDX-License-Identifier: Apache-2.0
//
// stdin, stdout and stderr: everything that a command prints or reads passes here, and
// no other file writes to a descriptor.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "build/files.h"
#include "cli/cli.h"
#include "platform/terminal.h"

enum {
    OUTPUT_BYTES = 64 * 1024, // printed and not yet written
    NOTE_BYTES = 64 << 20, // of one note: what a person is asked, written out
    PRINTED_BYTES = 512 << 20, // of all that waits to be written
    LINE_BYTES = 16 << 20,     // of a line of stdin
    USUAL_COLUMNS = 80
};

// The one program has one stdout and one stdin.
static struct {
    struct mica_buffer output;
    bool broken; // stdout is closed
    bool cut;    // a text was too large to print
    struct mica_buffer input;
    size_t line; // where the next line of stdin starts
    bool input_ended;
} io;

// ---- Opening and closing -----------------------------------------------------

// A terminal that does not say how wide it is has the width of a usual one.
static size_t
terminal_columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS;
    return size.ws_col;
}

void
mica_cli_streams_open(struct mica_cli *cli)
{
    cli->terminal = isatty(STDOUT_FILENO) != 0;
    cli->columns = cli->terminal ? terminal_columns() : 0;
    cli->note_terminal = isatty(STDERR_FILENO) != 0;
    cli->color = mica_terminal_wants_color(STDOUT_FILENO);
    cli->note_color = mica_terminal_wants_color(STDERR_FILENO);
    mica_buffer_init(&io.output, NULL, PRINTED_BYTES);
    mica_buffer_init(&io.input, NULL, LINE_BYTES);
}

enum mica_status
mica_cli_streams_close(struct mica_cli *cli, struct mica_error *error)
{
    bool cut = io.cut || io.output.overflow;

    mica_cli_flush(cli);
    mica_buffer_fini(&io.input);
    mica_buffer_fini(&io.output);
    if (io.broken)
        return mica_error_set(error, MICA_E_IO, "", "cannot write to stdout");
    if (cut)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "there is more to print than fits into memory; "
                              "ask for less");
    return MICA_OK;
}

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

// A note is written in one piece, for programs that collect lines.
static void
streams_note(struct mica_buffer *text)
{
    (void)mica_file_write_all(STDERR_FILENO, mica_buffer_as_text(text));
    mica_buffer_fini(text);
}

static void
streams_flush_if_full(struct mica_cli *cli)
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
    streams_flush_if_full(cli);
}

void
mica_cli_lines(struct mica_cli *cli, struct mica_text text)
{
    mica_visible_add(&io.output, text, MICA_VISIBLE_LINES);
    streams_flush_if_full(cli);
}

void
mica_cli_json(struct mica_cli *cli, struct mica_text text)
{
    if (cli->terminal)
        mica_visible_add(&io.output, text, MICA_VISIBLE_JSON);
    else
        mica_buffer_text(&io.output, text);
    streams_flush_if_full(cli);
}

void
mica_cli_json_line(struct mica_cli *cli, struct mica_text text)
{
    mica_cli_json(cli, text);
    mica_cli_print(cli, "\n");
}

struct mica_text
mica_cli_whole(const struct mica_buffer *text)
{
    if (!text->overflow)
        return mica_buffer_as_text(text);
    io.cut = true;
    return MICA_LITERAL("");
}

void
mica_cli_json_buffer(struct mica_cli *cli, const struct mica_buffer *text)
{
    struct mica_text whole = mica_cli_whole(text);

    if (whole.len > 0)
        mica_cli_json_line(cli, whole);
}

void
mica_cli_shown_json(struct mica_cli *cli, struct mica_text text)
{
    mica_visible_add(&io.output, text, MICA_VISIBLE_JSON);
    streams_flush_if_full(cli);
}

void
mica_cli_file(struct mica_cli *cli, struct mica_text text)
{
    if (cli->terminal)
        mica_visible_add(&io.output, text, MICA_VISIBLE_LINES);
    else
        mica_buffer_text(&io.output, text);
    streams_flush_if_full(cli);
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
    streams_note(&text);
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
    streams_note(&text);
}

void
mica_cli_tell_lines(struct mica_text lines)
{
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, NOTE_BYTES);
    mica_visible_add(&text, lines, MICA_VISIBLE_LINES);
    streams_note(&text);
}

void
mica_cli_complain(struct mica_cli *cli, const struct mica_error *error)
{
    const char *red = mica_style(cli->note_color, MICA_STYLE_ALARM);
    const char *plain = mica_style(cli->note_color, MICA_STYLE_PLAIN);

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
streams_fill_input(void)
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
    while (io.input.len <= max && streams_fill_input())
        continue;
    if (io.input.len > max || io.input.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "stdin has more than %zu bytes", max);
    *text_out = mica_buffer_as_text(&io.input);
    return MICA_OK;
}

// Drops the lines that were read, and finds the end of the next.
static const char *
streams_line_end(size_t *scanned)
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
    while ((end = streams_line_end(&scanned)) == NULL) {
        if (io.line > 0) {
            memmove(io.input.ptr, io.input.ptr + io.line,
                    io.input.len - io.line);
            io.input.len -= io.line;
            scanned -= io.line;
            io.line = 0;
        }
        if (!streams_fill_input())
            break;
    }
    if (io.line >= io.input.len)
        return false;
    size_t stop = end != NULL ? (size_t)(end - io.input.ptr) : io.input.len;
    *line_out = (struct mica_text){io.input.ptr + io.line, stop - io.line};
    io.line = end != NULL ? stop + 1 : stop;
    return true;
}
