// SPDX-License-Identifier: Apache-2.0
//
// How text is laid out for people: colours where they are wanted, paragraphs
// filled to a width.
#include "cli/cli.h"

enum {
    COLUMNS = 76
};

#define BLANKS "                                        "

bool
mica_cli_wants_json(const struct mica_cli *cli,
                    const struct mica_options *options)
{
    return !cli->terminal || mica_options_has(options, "json");
}

const char *
mica_cli_bold(const struct mica_cli *cli)
{
    return cli->colour ? "\033[1m" : "";
}

const char *
mica_cli_dim(const struct mica_cli *cli)
{
    return cli->colour ? "\033[2m" : "";
}

const char *
mica_cli_plain(const struct mica_cli *cli)
{
    return cli->colour ? "\033[0m" : "";
}

const char *
mica_cli_s(size_t count)
{
    return count == 1 ? "" : "s";
}

// Takes the next word off `*rest`; empty at the end.
static struct mica_text
next_word(struct mica_text *rest)
{
    size_t start = 0, end;

    while (start < rest->len &&
           (rest->ptr[start] == ' ' || rest->ptr[start] == '\n'))
        start++;
    end = start;
    while (end < rest->len && rest->ptr[end] != ' ' && rest->ptr[end] != '\n')
        end++;
    struct mica_text word = mica_text_slice(*rest, start, end);
    *rest = mica_text_slice(*rest, end, rest->len);
    return word;
}

void
mica_cli_fill(struct mica_cli *cli, size_t indent, struct mica_text text)
{
    struct mica_text word = next_word(&text);
    size_t column = 0;

    while (word.len > 0) {
        size_t width = mica_text_length(word);
        if (column > 0 && column + 1 + width > COLUMNS) {
            mica_cli_print(cli, "\n");
            column = 0;
        }
        if (column == 0) {
            mica_cli_print(cli, "%.*s", (int)indent, BLANKS);
            column = indent;
        } else {
            mica_cli_print(cli, " ");
            column++;
        }
        mica_cli_write(cli, word);
        column += width;
        word = next_word(&text);
    }
    mica_cli_print(cli, "\n");
}
