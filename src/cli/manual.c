// SPDX-License-Identifier: Apache-2.0
//
// The language is that of man(7), which every reader of manuals knows. Nothing in a
// page depends on the day it was written.
#include "cli/manual.h"

#include <string.h>

#include "cli/cli_file.h"

enum {
    PAGE_BYTES = 1 << 20
};

const char *const mica_cli_exits[] = {"done",
                                      "a fault of mica",
                                      "wrong use",
                                      "wrong input",
                                      "not found",
                                      "a limit",
                                      "busy or cancelled",
                                      "in the way",
                                      "files or system",
                                      NULL};

// ---- Text ------------------------------------------------------------------------

// Text as it is: a line of it gives no command, and a minus is one.
static void
page_add(struct mica_buffer *page, const char *textz)
{
    bool start = page->len > 0 && page->ptr[page->len - 1] == '\n';

    for (; *textz != '\0'; textz++) {
        if (start && (*textz == '.' || *textz == '\''))
            mica_buffer_text(page, MICA_LITERAL("\\&"));
        if (*textz == '\\')
            mica_buffer_text(page, MICA_LITERAL("\\e"));
        else if (*textz == '-')
            mica_buffer_text(page, MICA_LITERAL("\\-"));
        else
            mica_buffer_char(page, *textz);
        start = *textz == '\n';
    }
}

// The rest of a line behind a macro, in quotes.
static void
add_quoted(struct mica_buffer *page, const char *textz)
{
    mica_buffer_char(page, '"');
    for (; *textz != '\0'; textz++) {
        char one[2] = {*textz, '\0'};
        if (*textz == '"')
            mica_buffer_text(page, MICA_LITERAL("\\(dq"));
        else
            page_add(page, one);
    }
    mica_buffer_char(page, '"');
}

// Source of the page itself.
static void
page_macro(struct mica_buffer *page, const char *linez)
{
    mica_buffer_format(page, "%s\n", linez);
}

static void
page_paragraph(struct mica_buffer *page, const char *textz)
{
    page_add(page, textz);
    mica_buffer_char(page, '\n');
}

// Lines to copy, which the table indents by two blanks but for the first.
static void
page_example(struct mica_buffer *page, const char *linesz)
{
    page_macro(page, ".nf\n.RS 4");
    for (const char *at = linesz; *at != '\0';) {
        const char *end = strchr(at, '\n');
        size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        char line[512] = "";
        if (length < sizeof line)
            memcpy(line, at, length);
        page_paragraph(page, line);
        at += length;
        at += strspn(at, "\n ");
    }
    page_macro(page, ".RE\n.fi");
}

static void
page_head(struct mica_buffer *page, const char *namez, const char *summaryz)
{
    mica_buffer_text(page,
                     MICA_LITERAL(".\\\" Written by \"mica help --man\".\n"
                                  ".TH "));
    for (const char *c = namez; *c != '\0'; c++)
        mica_buffer_char(page,
                         *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    page_macro(page, " 1 \"\" \"mica " MICA_VERSION "\" \"mica\"\n.SH NAME");
    page_add(page, namez);
    mica_buffer_text(page, MICA_LITERAL(" \\- "));
    page_paragraph(page, summaryz);
}

// ---- Pages -------------------------------------------------------------------------

static void
add_option(struct mica_buffer *page, const struct mica_option *option)
{
    char letter = mica_option_letter(option);

    page_macro(page, ".TP");
    if (letter != '\0')
        mica_buffer_format(page, "\\fB\\-%c\\fR, ", letter);
    mica_buffer_text(page, MICA_LITERAL("\\fB\\-\\-"));
    page_add(page, option->name);
    mica_buffer_text(page, MICA_LITERAL("\\fR"));
    if (option->placeholder != NULL) {
        mica_buffer_text(page, MICA_LITERAL(" \\fI"));
        page_add(page, option->placeholder);
        mica_buffer_text(page, MICA_LITERAL("\\fR"));
    }
    mica_buffer_char(page, '\n');
    page_add(page, option->help);
    mica_buffer_text(page, MICA_LITERAL(".\n"));
}

static void
add_subcommand(struct mica_buffer *page, const struct mica_subcommand *one)
{
    page_macro(page, ".TP");
    mica_buffer_text(page, MICA_LITERAL("\\fB"));
    page_add(page, one->name);
    mica_buffer_text(page, MICA_LITERAL("\\fR "));
    page_paragraph(page, one->usage);
    page_add(page, one->summary);
    mica_buffer_text(page, MICA_LITERAL(".\n"));
    page_example(page, one->example);
}

static void
add_command(struct mica_cli *cli, struct mica_buffer *page,
            const struct mica_command *command)
{
    page_head(page, mica_cli_format(cli, "mica-%s", command->name),
              command->summary);
    page_macro(page, ".SH SYNOPSIS");
    mica_buffer_text(page, MICA_LITERAL(".B "));
    add_quoted(page, mica_cli_format(cli, "mica %s", command->name));
    mica_buffer_char(page, '\n');
    if (command->usage[0] != '\0')
        page_paragraph(page, command->usage);
    page_macro(page, ".SH DESCRIPTION");
    page_add(page, command->summary);
    mica_buffer_text(page, MICA_LITERAL(".\n"));
    if (command->more != NULL) {
        page_macro(page, ".PP");
        page_paragraph(page, command->more);
    }
    if (command->subcommands != NULL)
        page_macro(page, ".SH COMMANDS");
    for (const struct mica_subcommand *one = command->subcommands;
         one != NULL && one->name != NULL; one++)
        add_subcommand(page, one);
    if (command->options[0].name != NULL)
        page_macro(page, ".SH OPTIONS");
    for (const struct mica_option *option = command->options;
         option->name != NULL; option++)
        add_option(page, option);
    page_macro(page, ".SH EXAMPLES");
    page_example(page, command->example);
    page_macro(page, ".SH SEE ALSO\n.BR mica (1)");
}

static void
add_exits(struct mica_cli *cli, struct mica_buffer *page)
{
    page_macro(page, ".SH EXIT STATUS");
    for (size_t i = 0; mica_cli_exits[i] != NULL; i++) {
        page_macro(page, mica_cli_format(cli, ".TP\n.B %zu", i));
        page_paragraph(page, mica_cli_exits[i]);
    }
}

static void
add_environment(struct mica_buffer *page)
{
    static const struct {
        const char *name, *words;
    } variables[] = {
        {"NO_COLOR", "Set to anything: no colors on a terminal."},
        {"XDG_STATE_HOME",
         "Where the store and the key of own builds are kept, in a folder "
         "mica (default ~/.local/state)."},
        {"MICA_NAME, MICA_HTTP_LISTEN, ...",
         "Each setting of mica.toml; mica-config (1) shows them."},
        {"MICA_CLANG, MICA_WASM_LD, MICA_WASM2C, MICA_CC",
         "The compilers, where others than those of the PATH are meant."},
    };

    page_macro(page, ".SH ENVIRONMENT");
    for (size_t i = 0; i < MICA_COUNT(variables); i++) {
        page_macro(page, ".TP");
        mica_buffer_text(page, MICA_LITERAL(".B "));
        add_quoted(page, variables[i].name);
        mica_buffer_char(page, '\n');
        page_paragraph(page, variables[i].words);
    }
}

static void
add_mica(struct mica_cli *cli, struct mica_buffer *page)
{
    page_head(page, "mica", "serves tools, each written once as a C file");
    page_macro(page, ".SH SYNOPSIS\n.B mica\n.I COMMAND\n[options]\n"
                     ".SH DESCRIPTION");
    page_paragraph(page,
                   "mica serves tools to agents, programs and people. A tool "
                   "is one C file; each of these commands has a page of its "
                   "own.");
    for (size_t i = 0; cli->commands[i] != NULL; i++) {
        page_macro(page, ".TP");
        mica_buffer_text(page, MICA_LITERAL(".BR "));
        page_add(page, mica_cli_format(cli, "mica-%s", cli->commands[i]->name));
        mica_buffer_text(page, MICA_LITERAL(" (1)\n"));
        page_add(page, cli->commands[i]->summary);
        mica_buffer_text(page, MICA_LITERAL(".\n"));
    }
    add_exits(cli, page);
    add_environment(page);
    page_macro(page, ".SH EXAMPLES");
    page_example(page, "mica new greet-person\nmica check greet-person\n"
                       "mica serve");
}

static enum mica_status
write_page(struct mica_cli *cli, const struct mica_command *command,
           struct mica_error *error, struct mica_buffer *page)
{
    mica_buffer_init(page, &cli->arena, PAGE_BYTES);
    if (command == NULL)
        add_mica(cli, page);
    else
        add_command(cli, page, command);
    return page->overflow ? mica_error_set(error, MICA_E_LIMIT, "", "no memory")
                          : MICA_OK;
}

static enum mica_status
put_page(struct mica_cli *cli, const struct mica_command *command,
         const char *folder, struct mica_error *error)
{
    const char *path =
        command == NULL
            ? mica_cli_format(cli, "%s/mica.1", folder)
            : mica_cli_format(cli, "%s/mica-%s.1", folder, command->name);
    struct mica_buffer page;
    struct mica_cli_file file;

    MICA_TRY(write_page(cli, command, error, &page));
    MICA_TRY(mica_cli_file_look(cli, path, error, &file));
    return mica_cli_file_replace(cli, &file, mica_buffer_as_text(&page), false,
                                 error);
}

enum mica_status
mica_manual(struct mica_cli *cli, const struct mica_command *command,
            const char *folder, struct mica_error *error)
{
    struct mica_buffer page;

    if (folder == NULL) {
        MICA_TRY(write_page(cli, command, error, &page));
        mica_cli_file(cli, mica_buffer_as_text(&page));
        return MICA_OK;
    }
    if (command != NULL)
        return put_page(cli, command, folder, error);
    MICA_TRY(put_page(cli, NULL, folder, error));
    for (size_t i = 0; cli->commands[i] != NULL; i++)
        MICA_TRY(put_page(cli, cli->commands[i], folder, error));
    return MICA_OK;
}
