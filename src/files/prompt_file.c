// SPDX-License-Identifier: Apache-2.0
//
// The front matter is a part of YAML that needs no library: a line is "key: value", an
// item of a list begins with "- ", and a value is plain or stands in quotes. What YAML
// would read in another way is refused, so that a file means the same everywhere.
#include "files/prompt_file.h"

#include <string.h>

struct reader {
    struct mica_arena *arena;
    struct mica_text rest; // lines that were not read yet
    unsigned line;         // the number of `now`
    struct mica_text now;  // a line without its end
    struct mica_error *error;
    struct mica_prompt_file *file;
};

static enum mica_status reader_fail(const struct reader *reader,
                                    const char *formatz, ...) MICA_PRINTF(2, 3);

static enum mica_status
reader_fail(const struct reader *reader, const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(reader->error, MICA_E_FORMAT,
                          mica_status_code(MICA_E_FORMAT), "", formatz,
                          arguments);
    va_end(arguments);
    mica_error_prefix(reader->error, "line %u", reader->line);
    return MICA_E_FORMAT;
}

// ---- Lines ---------------------------------------------------------------------------

// False at the end of the file.
static bool
reader_next(struct reader *reader)
{
    const char *end;

    if (reader->rest.len == 0)
        return false;
    end = memchr(reader->rest.ptr, '\n', reader->rest.len);
    reader->now = mica_text_slice(reader->rest, 0,
                                  end != NULL ? (size_t)(end - reader->rest.ptr)
                                              : reader->rest.len);
    reader->rest =
        mica_text_slice(reader->rest, reader->now.len + 1, reader->rest.len);
    if (reader->now.len > 0 && reader->now.ptr[reader->now.len - 1] == '\r')
        reader->now.len--;
    reader->line++;
    return true;
}

static struct mica_text
skip_blanks(struct mica_text text)
{
    while (text.len > 0 && text.ptr[0] == ' ')
        text = mica_text_slice(text, 1, text.len);
    return text;
}

static struct mica_text
cut_blanks(struct mica_text text)
{
    while (text.len > 0 && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

// ---- Values --------------------------------------------------------------------------

// Where a plain value would have another meaning in YAML, as a comment or a map;
// its length when nowhere.
static size_t
find_ambiguity(struct mica_text value)
{
    static const char first[] = "[]{}&*!|>%@`'\"#,?-:";

    if (value.len > 0 && strchr(first, value.ptr[0]) != NULL)
        return 0;
    for (size_t i = 0; i + 1 < value.len; i++) {
        bool map = value.ptr[i] == ':' && value.ptr[i + 1] == ' ';
        bool comment = value.ptr[i] == ' ' && value.ptr[i + 1] == '#';
        if (map || comment)
            return i;
    }
    if (value.len > 0 && value.ptr[value.len - 1] == ':')
        return value.len - 1;
    return value.len;
}

// 'It''s' or "a \"word\"". Of escapes there are \" and \\.
static enum mica_status
read_quoted(const struct reader *reader, struct mica_text value,
            struct mica_text *value_out)
{
    char quote = value.ptr[0];
    struct mica_buffer text;
    size_t at = 1;

    mica_buffer_init(&text, reader->arena, value.len);
    for (; at < value.len; at++) {
        char c = value.ptr[at];
        char next = at + 1 < value.len ? value.ptr[at + 1] : '\0';
        if (quote == '"' && c == '\\') {
            if (next != '"' && next != '\\')
                return reader_fail(reader, "between \"…\" write \\\" for a "
                                           "quote and \\\\ for a backslash; "
                                           "there is no other escape");
            c = next;
            at++;
        } else if (c == quote && quote == '\'' && next == quote) {
            at++;
        } else if (c == quote) {
            break;
        }
        mica_buffer_char(&text, c);
    }
    if (at >= value.len)
        return reader_fail(reader, "the value has no closing %c", quote);
    if (at + 1 < value.len)
        return reader_fail(reader, "nothing can stand behind the closing %c",
                           quote);
    *value_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

static enum mica_status
read_value(const struct reader *reader, struct mica_text value,
           struct mica_text *value_out)
{
    value = cut_blanks(skip_blanks(value));
    if (value.len == 0)
        return reader_fail(reader, "the key has no value");
    if (value.ptr[0] == '"' || value.ptr[0] == '\'')
        return read_quoted(reader, value, value_out);
    if (find_ambiguity(value) < value.len)
        return reader_fail(reader, "YAML would read this value as more than a "
                                   "text; write it between \"…\"");
    *value_out = value;
    return MICA_OK;
}

static enum mica_status
read_boolean(const struct reader *reader, struct mica_text value,
             bool *value_out)
{
    value = cut_blanks(skip_blanks(value));
    *value_out = mica_text_is(value, "true");
    if (*value_out || mica_text_is(value, "false"))
        return MICA_OK;
    return reader_fail(reader, "\"required\" is true or false");
}

// Takes "key:" off a line; the value is what is left.
static enum mica_status
take_key(const struct reader *reader, struct mica_text *line,
         struct mica_text *key_out)
{
    size_t len = 0;

    while (len < line->len && line->ptr[len] != ':')
        len++;
    *key_out = mica_text_slice(*line, 0, len);
    if (len == line->len || (len + 1 < line->len && line->ptr[len + 1] != ' '))
        return reader_fail(reader,
                           "\"%.*s\" is no \"key: value\"; the text of the "
                           "prompt begins behind a second line ---",
                           MICA_ARG(*line));
    *line = mica_text_slice(*line, len + 1, line->len);
    return MICA_OK;
}

// ---- Keys ----------------------------------------------------------------------------

static enum mica_status
take_text(const struct reader *reader, struct mica_text key,
          struct mica_text value, struct mica_text *text)
{
    if (text->ptr != NULL)
        return reader_fail(reader, "there are two of \"%.*s\"", MICA_ARG(key));
    return read_value(reader, value, text);
}

static bool
is_word(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && c != '_' && c != '-' && (c < '0' || c > '9'))
            return false;
    }
    return text.len > 0 && text.len <= 64;
}

static enum mica_status
argument_check(const struct reader *reader)
{
    const struct mica_prompt_file *file = reader->file;
    const struct mica_prompt_argument *last = &file->arguments[file->count - 1];

    if (!is_word(last->name))
        return reader_fail(reader, "the name of an argument is 1 to 64 of "
                                   "A-Z a-z 0-9 _ -");
    for (size_t i = 0; i + 1 < file->count; i++)
        if (mica_text_equal(file->arguments[i].name, last->name))
            return reader_fail(reader, "there are two arguments \"%.*s\"",
                               MICA_ARG(last->name));
    return MICA_OK;
}

// "name: x", "description: …" or "required: true" of the last argument.
static enum mica_status
take_argument_key(struct reader *reader, struct mica_text line)
{
    struct mica_prompt_argument *last =
        &reader->file->arguments[reader->file->count - 1];
    struct mica_text key;

    MICA_TRY(take_key(reader, &line, &key));
    if (mica_text_is(key, "name")) {
        MICA_TRY(take_text(reader, key, line, &last->name));
        last->line = reader->line;
        return argument_check(reader);
    }
    if (mica_text_is(key, "description"))
        return take_text(reader, key, line, &last->description);
    if (mica_text_is(key, "required"))
        return read_boolean(reader, line, &last->required);
    return reader_fail(reader,
                       "an argument has \"name\", \"description\" and "
                       "\"required\"; there is no \"%.*s\"",
                       MICA_ARG(key));
}

// A line below "arguments:", of which `line` is what stands behind its blanks.
static enum mica_status
take_argument_line(struct reader *reader, struct mica_text line)
{
    struct mica_prompt_file *file = reader->file;

    if (line.ptr[0] == '-') {
        if (line.len < 2 || line.ptr[1] != ' ')
            return reader_fail(reader, "an argument begins with \"- name: …\"");
        if (file->count > 0 && file->arguments[file->count - 1].name.len == 0)
            return reader_fail(reader, "the argument before has no \"name\"");
        if (file->count == MICA_PROMPT_ARGUMENTS) {
            (void)reader_fail(reader, "a prompt has at most %d arguments",
                              MICA_PROMPT_ARGUMENTS);
            return reader->error->status = MICA_E_LIMIT;
        }
        file->count++;
        line = skip_blanks(mica_text_slice(line, 1, line.len));
    } else if (file->count == 0) {
        return reader_fail(reader, "an argument begins with \"- name: …\"");
    }
    return take_argument_key(reader, line);
}

static enum mica_status
take_head_key(struct reader *reader, bool *arguments)
{
    struct mica_prompt_file *file = reader->file;
    struct mica_text line = reader->now, key;

    MICA_TRY(take_key(reader, &line, &key));
    *arguments = mica_text_is(key, "arguments");
    if (mica_text_is(key, "name"))
        return take_text(reader, key, line, &file->name);
    if (mica_text_is(key, "title"))
        return take_text(reader, key, line, &file->title);
    if (mica_text_is(key, "description"))
        return take_text(reader, key, line, &file->description);
    if (!*arguments)
        return reader_fail(reader,
                           "the front matter has \"name\", \"title\", "
                           "\"description\" and \"arguments\"; there is no "
                           "\"%.*s\"",
                           MICA_ARG(key));
    if (file->count > 0 || skip_blanks(line).len > 0)
        return reader_fail(reader, "\"arguments:\" stands once, and its list "
                                   "in the lines below");
    return MICA_OK;
}

// From behind the first "---" to behind the second.
static enum mica_status
read_head(struct reader *reader)
{
    struct mica_prompt_file *file = reader->file;
    bool arguments = false;

    while (reader_next(reader)) {
        struct mica_text line = skip_blanks(reader->now);
        if (mica_text_is(reader->now, "---")) {
            if (file->count > 0 &&
                file->arguments[file->count - 1].name.len == 0)
                return reader_fail(reader,
                                   "the argument before has no \"name\"");
            return MICA_OK;
        }
        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        if (line.ptr[0] == '\t')
            return reader_fail(reader, "indent with blanks, not with tabs");
        if (arguments && (line.len < reader->now.len || line.ptr[0] == '-'))
            MICA_TRY(take_argument_line(reader, line));
        else if (line.len < reader->now.len)
            return reader_fail(reader, "this line is indented, and stands "
                                       "under no \"arguments:\"");
        else
            MICA_TRY(take_head_key(reader, &arguments));
    }
    return reader_fail(reader, "the front matter has no second line ---");
}

// ---- The text ------------------------------------------------------------------------

// A part of the text: up to an argument, and which; `count` for none, at the end.
struct part {
    struct mica_text text;
    size_t argument;
};

// The argument of that name, or the count of them.
static size_t
find_argument(const struct mica_prompt_file *file, struct mica_text name)
{
    size_t index = 0;

    while (index < file->count &&
           !mica_text_equal(file->arguments[index].name, name))
        index++;
    return index;
}

// The length of "{{name}}" at `at`, with the name; 0 when it does not stand there.
static size_t
read_place(struct mica_text text, size_t at, struct mica_text *name_out)
{
    struct mica_text rest = mica_text_slice(text, at, text.len);
    size_t len = 2;

    if (!mica_text_starts(rest, "{{"))
        return 0;
    while (len + 1 < rest.len && rest.ptr[len] != '\n' &&
           (rest.ptr[len] != '}' || rest.ptr[len + 1] != '}'))
        len++;
    if (len + 1 >= rest.len || rest.ptr[len] != '}') {
        *name_out = (struct mica_text){"", 0};
        return 2;
    }
    *name_out = cut_blanks(skip_blanks(mica_text_slice(rest, 2, len)));
    return len + 2;
}

// Takes a part off `rest`: an escaped "\{{" ends one, too, behind its braces.
static bool
take_part(const struct mica_prompt_file *file, struct mica_text *rest,
          struct part *part)
{
    struct mica_text name;

    if (rest->len == 0)
        return false;
    *part = (struct part){*rest, file->count};
    for (size_t at = 0; at < rest->len; at++) {
        size_t len = read_place(*rest, at, &name);
        if (len == 0)
            continue;
        part->text.len = at;
        part->argument = find_argument(file, name);
        if (at > 0 && rest->ptr[at - 1] == '\\') {
            part->text.len = at - 1;
            part->argument = file->count + 1; // braces
            len = 2;
        }
        *rest = mica_text_slice(*rest, at + len, rest->len);
        return true;
    }
    *rest = mica_text_slice(*rest, rest->len, rest->len);
    return true;
}

static unsigned
count_lines(struct mica_text text)
{
    unsigned lines = 0;

    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines;
}

// Each {{…}} has to be an argument, and each argument has to stand there.
static enum mica_status
check_text(struct reader *reader)
{
    struct mica_prompt_file *file = reader->file;
    struct mica_text text = file->text, name;

    for (size_t at = 0; at < text.len; at++) {
        size_t len = read_place(text, at, &name), index;
        if (len == 0)
            continue;
        if (at > 0 && text.ptr[at - 1] == '\\') {
            at++;
            continue;
        }
        index = find_argument(file, name);
        if (index == file->count) {
            reader->line += 1 + count_lines(mica_text_slice(text, 0, at));
            if (len == 2)
                return reader_fail(reader,
                                   "{{ has no }} behind it in its line; write "
                                   "\\{{ for two braces that are text");
            return reader_fail(
                reader,
                "{{%.*s}} is no argument of the front matter; write \\{{ for "
                "two braces that are text",
                MICA_ARG(name));
        }
        file->arguments[index].used = true;
        at += len - 1;
    }
    for (size_t i = 0; i < file->count; i++) {
        reader->line = file->arguments[i].line;
        if (!file->arguments[i].used)
            return reader_fail(reader, "the text has no {{%.*s}}",
                               MICA_ARG(file->arguments[i].name));
    }
    return MICA_OK;
}

// What is left, without blank lines around it.
static enum mica_status
read_text(struct reader *reader)
{
    struct mica_text text = reader->rest;

    for (size_t i = 0; i < text.len; i++) {
        if (strchr(" \r\n", text.ptr[i]) == NULL)
            break;
        if (text.ptr[i] != '\n')
            continue;
        text = mica_text_slice(text, i + 1, text.len);
        reader->line++;
        i = (size_t)-1;
    }
    while (text.len > 0 && strchr(" \r\n", text.ptr[text.len - 1]) != NULL)
        text.len--;
    if (text.len == 0)
        return reader_fail(reader, "behind the second line --- the prompt has "
                                   "no text");
    reader->file->text = text;
    return check_text(reader);
}

// ---- The file ------------------------------------------------------------------------

static enum mica_status
check_bytes(struct mica_text bytes, struct mica_error *error)
{
    if (bytes.len > MICA_PROMPT_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the file has %zu bytes; a prompt has at most %d",
                              bytes.len, MICA_PROMPT_BYTES);
    if (mica_utf8_valid(bytes) < bytes.len ||
        (bytes.len > 0 && memchr(bytes.ptr, '\0', bytes.len) != NULL))
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "the file is not text in UTF-8");
    return MICA_OK;
}

enum mica_status
mica_prompt_file_read(struct mica_arena *arena, struct mica_text bytes,
                      struct mica_error *error,
                      struct mica_prompt_file *file_out)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf"; // of some editors
    struct reader reader = {
        .arena = arena, .rest = bytes, .error = error, .file = file_out};

    memset(file_out, 0, sizeof *file_out);
    MICA_TRY(check_bytes(bytes, error));
    if (mica_text_starts(bytes, byte_order_mark))
        reader.rest =
            mica_text_slice(bytes, sizeof byte_order_mark - 1, bytes.len);
    if (!reader_next(&reader) || !mica_text_is(reader.now, "---")) {
        reader.line = 1;
        return reader_fail(&reader,
                           "a prompt begins with a line ---, then keys such "
                           "as \"description: …\", then a second ---");
    }
    MICA_TRY(read_head(&reader));
    if (file_out->description.len == 0)
        return reader_fail(&reader, "the front matter has no \"description\"");
    MICA_TRY(read_text(&reader));
    if (arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the prompt");
    return MICA_OK;
}

void
mica_prompt_file_write(const struct mica_prompt_file *file,
                       const struct mica_text *values, struct mica_buffer *out)
{
    struct mica_text rest = file->text;
    struct part part;

    while (take_part(file, &rest, &part)) {
        mica_buffer_text(out, part.text);
        if (part.argument < file->count)
            mica_buffer_text(out, values[part.argument]);
        else if (part.argument > file->count)
            mica_buffer_text(out, MICA_LITERAL("{{"));
    }
}
