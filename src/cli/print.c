// SPDX-License-Identifier: Apache-2.0
//
// How text is laid out for people: colors where they are wanted, paragraphs
// filled to a width.
#include "cli/cli.h"

#include "apps/app_error.h"
#include "registry/definition.h"

enum {
    COLUMNS = 76,
    TEXT_BYTES = 64 << 20 // of a paragraph, written out
};

#define BLANKS "                                        "

bool
mica_cli_wants_json(const struct mica_options *options)
{
    return mica_options_has(options, "json");
}

const char *
mica_cli_bold(const struct mica_cli *cli)
{
    return mica_style(cli->color, MICA_STYLE_BOLD);
}

const char *
mica_cli_dim(const struct mica_cli *cli)
{
    return mica_style(cli->color, MICA_STYLE_DIM);
}

const char *
mica_cli_plain(const struct mica_cli *cli)
{
    return mica_style(cli->color, MICA_STYLE_PLAIN);
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

// A word of the command line may be any bytes, and JSON is UTF-8: what is not is written
// out.
static struct mica_text
print_as_utf8(struct mica_cli *cli, struct mica_text text)
{
    struct mica_buffer visible;

    if (mica_utf8_valid(text) == text.len)
        return text;
    mica_buffer_init(&visible, &cli->arena, TEXT_BYTES);
    mica_visible_add(&visible, text, MICA_VISIBLE_LINES);
    return mica_buffer_as_text(&visible);
}

void
mica_cli_print_error(struct mica_cli *cli, const struct mica_error *error)
{
    struct mica_app_error failure = {.status = error->status,
                                     .codez = error->code,
                                     .message = mica_text(error->message)};
    struct mica_json_writer writer;
    struct mica_buffer body, details;

    mica_buffer_init(&details, &cli->arena, TEXT_BYTES);
    if (cli->app_error != NULL) {
        failure = *cli->app_error;
    } else if (error->path[0] != '\0') {
        mica_json_writer_init(&writer, &details);
        mica_json_open_object(&writer);
        mica_json_field(&writer, "path",
                        print_as_utf8(cli, mica_text(error->path)));
        mica_json_close_object(&writer);
        failure.details = mica_buffer_as_text(&details);
    }
    failure.message = print_as_utf8(cli, failure.message);
    mica_buffer_init(&body, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_app_error_write_body(&writer, &failure);
    mica_cli_json_buffer(cli, &body);
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

// `column` is where the line is: 0 at its beginning, `indent` where words follow at once.
static void
fill_from(struct mica_cli *cli, size_t column, size_t indent,
          struct mica_text text)
{
    struct mica_buffer visible;
    struct mica_text word;

    mica_buffer_init(&visible, &cli->arena, TEXT_BYTES);
    mica_visible_add(&visible, text, MICA_VISIBLE_LINES);
    text = mica_buffer_as_text(&visible);
    word = next_word(&text);
    while (word.len > 0) {
        size_t width = mica_text_length(word);
        if (column > indent && column + 1 + width > COLUMNS) {
            mica_cli_print(cli, "\n");
            column = 0;
        }
        if (column == 0) {
            mica_cli_print(cli, "%.*s", (int)indent, BLANKS);
            column = indent;
        } else if (column > indent) {
            mica_cli_print(cli, " ");
            column++;
        }
        mica_cli_print(cli, "%.*s", MICA_ARG(word));
        column += width;
        word = next_word(&text);
    }
    mica_cli_print(cli, "\n");
}

void
mica_cli_print_heading(struct mica_cli *cli, const struct mica_definition *tool)
{
    mica_cli_print(cli, "%s%.*s%s", mica_cli_bold(cli), MICA_ARG(tool->name),
                   mica_cli_plain(cli));
    if (tool->category.len > 0)
        mica_cli_print(cli, "  %s%.*s%s", mica_cli_dim(cli),
                       MICA_ARG(tool->category), mica_cli_plain(cli));
    mica_cli_print(cli, "\n");
}

void
mica_cli_fill(struct mica_cli *cli, size_t indent, struct mica_text text)
{
    fill_from(cli, 0, indent, text);
}

void
mica_cli_fill_behind(struct mica_cli *cli, size_t indent, struct mica_text text)
{
    fill_from(cli, indent, indent, text);
}
