// SPDX-License-Identifier: Apache-2.0
//
// The change of one place is what differs between the lines that both texts begin
// with and those that both end with.
#include "cli/difference.h"

#include <string.h>

enum {
    AROUND = 3 // lines that stay and are shown
};

// The text's first line, with its newline.
static struct mica_text
first_line(struct mica_text text)
{
    const char *end = text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;

    return mica_text_slice(
        text, 0, end != NULL ? (size_t)(end - text.ptr) + 1 : text.len);
}

static struct mica_text
last_line(struct mica_text text)
{
    size_t start = text.len > 0 ? text.len - 1 : 0;

    while (start > 0 && text.ptr[start - 1] != '\n')
        start--;
    return mica_text_slice(text, start, text.len);
}

static void
print_line(struct mica_cli *cli, char sign, struct mica_text line)
{
    bool ended = line.len > 0 && line.ptr[line.len - 1] == '\n';

    if (ended)
        line.len--;
    bool color = cli->note_color && sign != ' ';
    mica_cli_note(
        cli, "%s%c%.*s%s\n%s",
        mica_style(color, sign == '+' ? MICA_STYLE_GREEN : MICA_STYLE_RED),
        sign, MICA_ARG(line), mica_style(color, MICA_STYLE_PLAIN),
        ended ? "" : "\\ No newline at end of file");
    if (!ended)
        mica_cli_note(cli, "\n");
}

static void
print_lines(struct mica_cli *cli, char sign, struct mica_text text)
{
    while (text.len > 0) {
        struct mica_text line = first_line(text);
        print_line(cli, sign, line);
        text = mica_text_slice(text, line.len, text.len);
    }
}

// The last lines of a text, or its first.
static struct mica_text
difference_around(struct mica_text text, bool last)
{
    struct mica_text rest = text;

    for (unsigned i = 0; i < AROUND; i++) {
        if (last)
            rest = mica_text_slice(rest, 0, rest.len - last_line(rest).len);
        else
            rest = mica_text_slice(rest, first_line(rest).len, rest.len);
    }
    return last ? mica_text_slice(text, rest.len, text.len)
                : mica_text_slice(text, 0, text.len - rest.len);
}

void
mica_cli_difference(struct mica_cli *cli, const char *pathz,
                    struct mica_text before, struct mica_text after)
{
    struct mica_text same, tail;
    size_t head = 0, end = 0;

    for (;;) {
        struct mica_text a =
            first_line(mica_text_slice(before, head, before.len));
        struct mica_text b =
            first_line(mica_text_slice(after, head, after.len));
        if (a.len == 0 || !mica_text_equal(a, b))
            break;
        head += a.len;
    }
    for (;;) {
        struct mica_text a =
            last_line(mica_text_slice(before, head, before.len - end));
        struct mica_text b =
            last_line(mica_text_slice(after, head, after.len - end));
        if (a.len == 0 || !mica_text_equal(a, b))
            break;
        end += a.len;
    }
    same = mica_text_slice(before, 0, head);
    tail = mica_text_slice(before, before.len - end, before.len);
    mica_cli_note(cli, "--- %s\n", before.len > 0 ? pathz : "/dev/null");
    mica_cli_note(cli, "+++ %s\n", after.len > 0 ? pathz : "/dev/null");
    print_lines(cli, ' ', difference_around(same, true));
    print_lines(cli, '-', mica_text_slice(before, head, before.len - end));
    print_lines(cli, '+', mica_text_slice(after, head, after.len - end));
    print_lines(cli, ' ', difference_around(tail, false));
}
