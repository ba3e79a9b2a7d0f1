// SPDX-License-Identifier: Apache-2.0
//
// How text is laid out for people: colours where they are wanted, paragraphs
// filled to a width, and nothing of it that a terminal would obey.
#include "cli/cli.h"

enum {
    COLUMNS = 76,
    VISIBLE_BYTES = 512 << 20
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

enum mica_status
mica_cli_fail(struct mica_error *error, const char *codez, const char *pathz,
              const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(error, MICA_FAILED, codez, pathz, formatz, arguments);
    va_end(arguments);
    return MICA_FAILED;
}

const char *
mica_cli_s(size_t count)
{
    return count == 1 ? "" : "s";
}

bool
mica_cli_is_required(const struct mica_json *schema, struct mica_text name)
{
    const struct mica_json *required = mica_json_get(schema, "required");

    for (size_t i = 0; required != NULL && i < required->count; i++) {
        if (mica_text_equal(required->items[i].text, name))
            return true;
    }
    return false;
}

// ---- What a terminal does not obey ---------------------------------------------

static bool
is_control(unsigned code)
{
    return (code < 0x20 && code != '\n' && code != '\t') ||
           (code >= 0x7f && code < 0xa0);
}

// How many bytes of valid UTF-8 there are before a control character. U+0080 to
// U+009F are C2 80 to C2 9F; no other character has a byte below 80 that is not
// itself.
static size_t
plain_length(struct mica_text text)
{
    size_t i = 0;

    for (; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == 0xc2 && is_control((unsigned char)text.ptr[i + 1]))
            break;
        if (byte < 0x80 && is_control(byte))
            break;
    }
    return i;
}

// `valid` bytes are known to be UTF-8, so each is looked at once.
void
mica_cli_add_visible(struct mica_buffer *out, struct mica_text text, bool json)
{
    size_t valid = mica_utf8_valid(text), taken;

    for (; text.len > 0; text = mica_text_slice(text, taken, text.len)) {
        taken = plain_length(mica_text_slice(text, 0, valid));
        if (taken > 0) {
            mica_buffer_text(out, mica_text_slice(text, 0, taken));
            valid -= taken;
            continue;
        }
        taken = valid > 0 && (unsigned char)text.ptr[0] == 0xc2 ? 2 : 1;
        mica_buffer_format(out, json ? "\\u00%02x" : "\\x%02x",
                           (unsigned)(unsigned char)text.ptr[taken - 1]);
        valid = valid > 0 ? valid - taken
                          : mica_utf8_valid(mica_text_slice(text, 1, text.len));
    }
}

struct mica_text
mica_cli_visible(struct mica_cli *cli, struct mica_text text, bool json)
{
    struct mica_buffer visible;

    if (!cli->terminal)
        return text;
    mica_buffer_init(&visible, &cli->arena, VISIBLE_BYTES);
    mica_cli_add_visible(&visible, text, json);
    return mica_buffer_as_text(&visible);
}

// ---- Paragraphs ------------------------------------------------------------------

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
    struct mica_text word;
    size_t column = 0;

    text = mica_cli_visible(cli, text, false);
    word = next_word(&text);
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
