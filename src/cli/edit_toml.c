// SPDX-License-Identifier: Apache-2.0
//
// As much of TOML 1.0 as is needed to know where a statement begins and ends, and
// what its key is. Values are passed over, not read.
#include <string.h>

#include "cli/edit.h"

enum {
    PARTS = 3,      // of a key that are looked at
    PART_BYTES = 80 // longer keys do not match
};

enum kind {
    KIND_BLANK, // nothing, or a comment
    KIND_TABLE, // [a.b]
    KIND_LIST,  // [[a.b]]
    KIND_VALUE  // a.b = …
};

struct key {
    char parts[PARTS][PART_BYTES];
    size_t count;
};

// A statement: lines of the text.
struct statement {
    enum kind kind;
    struct key key;
    const char *start, *end;
};

struct scanner {
    const struct mica_edit *edit;
    struct mica_error *error;
    const char *at, *end;
    unsigned line;
    struct key table; // that the statements are in
};

static enum mica_status
scanner_wrong(const struct scanner *scanner, const char *whatz)
{
    return mica_error_set(scanner->error, MICA_E_FORMAT, "",
                          "the file is no TOML that mica can read: line %u, %s",
                          scanner->line, whatz);
}

// ---- Scanning ----------------------------------------------------------------------

static bool
is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static void
skip_blanks(struct scanner *scanner)
{
    while (scanner->at < scanner->end &&
           (*scanner->at == ' ' || *scanner->at == '\t'))
        scanner->at++;
}

static bool
scanner_sees(const struct scanner *scanner, const char *textz)
{
    size_t length = strlen(textz);

    return (size_t)(scanner->end - scanner->at) >= length &&
           memcmp(scanner->at, textz, length) == 0;
}

static bool
at_line_end(const struct scanner *scanner)
{
    return scanner->at >= scanner->end || *scanner->at == '\n' ||
           scanner_sees(scanner, "\r\n");
}

static void
skip_comment(struct scanner *scanner)
{
    while (scanner->at < scanner->end && *scanner->at != '\n' &&
           *scanner->at != '\r')
        scanner->at++;
}

// Past the rest of a line, which may be a comment.
static enum mica_status
end_line(struct scanner *scanner)
{
    skip_blanks(scanner);
    if (scanner->at < scanner->end && *scanner->at == '#')
        skip_comment(scanner);
    if (!at_line_end(scanner))
        return scanner_wrong(scanner,
                             *scanner->at == '\r'
                                 ? "it ends with half of a line end"
                                 : "something stands behind the statement");
    if (scanner_sees(scanner, "\r\n"))
        scanner->at++;
    if (scanner->at < scanner->end)
        scanner->at++;
    scanner->line++;
    return MICA_OK;
}

// A string of any of the four kinds, on which the scanner stands.
static enum mica_status
skip_string(struct scanner *scanner)
{
    char quote = *scanner->at;
    const char *three = quote == '"' ? "\"\"\"" : "'''";
    bool lines = scanner_sees(scanner, three);

    scanner->at += lines ? 3 : 1;
    for (; scanner->at < scanner->end; scanner->at++) {
        if (quote == '"' && *scanner->at == '\\' &&
            scanner->at + 1 < scanner->end) {
            scanner->at++;
        } else if (lines ? scanner_sees(scanner, three)
                         : *scanner->at == quote) {
            scanner->at += lines ? 3 : 1;
            // Up to two quotes may stand right before the end.
            while (lines && scanner->at < scanner->end && *scanner->at == quote)
                scanner->at++;
            return MICA_OK;
        }
        if (*scanner->at == '\n' && !lines)
            break;
        scanner->line += *scanner->at == '\n';
    }
    return scanner_wrong(scanner, "a string has no end");
}

// The next part of a key, into `part` unless that is NULL.
static enum mica_status
read_part(struct scanner *scanner, char *part)
{
    const char *start = scanner->at;
    size_t length;

    if (start < scanner->end && (*start == '"' || *start == '\'')) {
        MICA_TRY(skip_string(scanner));
        length = (size_t)(scanner->at - start) - 2;
        start++;
        // Nothing that is looked for needs an escape; but one could spell it.
        if (memchr(start, '\\', length) != NULL)
            return scanner_wrong(scanner, "a key has an escape in it");
    } else {
        while (scanner->at < scanner->end && is_bare(*scanner->at))
            scanner->at++;
        length = (size_t)(scanner->at - start);
        if (length == 0)
            return scanner_wrong(scanner, "a key is missing");
    }
    if (part != NULL && length < PART_BYTES) {
        memcpy(part, start, length);
        part[length] = '\0';
    }
    return MICA_OK;
}

static enum mica_status
read_key(struct scanner *scanner, struct key *key)
{
    for (;;) {
        char *part = key->count < PARTS ? key->parts[key->count] : NULL;
        skip_blanks(scanner);
        MICA_TRY(read_part(scanner, part));
        key->count++;
        skip_blanks(scanner);
        if (scanner->at >= scanner->end || *scanner->at != '.')
            return MICA_OK;
        scanner->at++;
    }
}

static enum mica_status
skip_value(struct scanner *scanner)
{
    unsigned depth = 0;
    bool some = false;

    skip_blanks(scanner);
    while (scanner->at < scanner->end) {
        char c = *scanner->at;
        if (depth == 0 && (c == '#' || at_line_end(scanner)))
            break;
        some = true;
        if (c == '\r' && !scanner_sees(scanner, "\r\n"))
            return scanner_wrong(scanner,
                                 "a line ends with half of a line end");
        if (c == '"' || c == '\'') {
            MICA_TRY(skip_string(scanner));
            continue;
        }
        if (c == '#') {
            skip_comment(scanner);
            continue;
        }
        if (c == ']' || c == '}') {
            if (depth == 0)
                return scanner_wrong(scanner,
                                     "a bracket is closed that is not open");
            depth--;
        }
        depth += c == '[' || c == '{';
        scanner->line += c == '\n';
        scanner->at++;
    }
    if (depth > 0)
        return scanner_wrong(scanner, "a bracket is not closed");
    return some ? MICA_OK : scanner_wrong(scanner, "a value is missing");
}

static enum mica_status
read_table(struct scanner *scanner, struct statement *statement)
{
    bool list = scanner_sees(scanner, "[[");

    statement->kind = list ? KIND_LIST : KIND_TABLE;
    scanner->at += list ? 2 : 1;
    MICA_TRY(read_key(scanner, &statement->key));
    if (!scanner_sees(scanner, list ? "]]" : "]"))
        return scanner_wrong(scanner, "the name of a table is not closed");
    scanner->at += list ? 2 : 1;
    scanner->table = statement->key;
    return MICA_OK;
}

// The next statement; its key is that of the whole file, with its table's before.
static enum mica_status
scanner_next(struct scanner *scanner, struct statement *statement)
{
    *statement = (struct statement){.kind = KIND_BLANK, .start = scanner->at};
    // The mark of byte order that some editors write.
    if (scanner->at == scanner->edit->text.ptr &&
        scanner_sees(scanner, "\xef\xbb\xbf"))
        scanner->at += 3;
    skip_blanks(scanner);
    if (scanner->at < scanner->end && *scanner->at == '[') {
        MICA_TRY(read_table(scanner, statement));
    } else if (!at_line_end(scanner) && *scanner->at != '#') {
        statement->kind = KIND_VALUE;
        statement->key = scanner->table;
        MICA_TRY(read_key(scanner, &statement->key));
        if (scanner->at >= scanner->end || *scanner->at != '=')
            return scanner_wrong(scanner, "there is no \"=\" behind a key");
        scanner->at++;
        MICA_TRY(skip_value(scanner));
    }
    MICA_TRY(end_line(scanner));
    statement->end = scanner->at;
    return MICA_OK;
}

// ---- What is looked for ------------------------------------------------------------

static bool
is_below(const struct mica_edit *edit, const struct key *key)
{
    return key->count >= 2 && strcmp(key->parts[0], edit->section) == 0 &&
           strcmp(key->parts[1], edit->name) == 0;
}

// One of the lines that are an entry.
static bool
is_entry(const struct mica_edit *edit, const struct statement *statement)
{
    const char *last = statement->key.parts[2];

    return statement->kind == KIND_VALUE && statement->key.count == 3 &&
           is_below(edit, &statement->key) &&
           (strcmp(last, "command") == 0 || strcmp(last, "args") == 0 ||
            strcmp(last, "url") == 0);
}

// Is the server, or the section, written in another way than with a table?
static enum mica_status
check_form(const struct scanner *scanner, const struct key *table,
           const struct statement *statement)
{
    const struct key *key = &statement->key;
    const char *section = scanner->edit->section;
    bool above = key->count <= 2 && key->count > 0 &&
                 strcmp(key->parts[0], section) == 0 &&
                 (key->count == 1 || is_below(scanner->edit, key));
    bool inside = is_below(scanner->edit, key) && table->count < 2;

    if ((statement->kind == KIND_VALUE && (above || inside)) ||
        (statement->kind == KIND_LIST &&
         (above || is_below(scanner->edit, key))))
        return mica_error_set(scanner->error, MICA_E_TYPE, "",
                              "the server is written without a table [%s.%s] "
                              "in it, near line %u",
                              section, scanner->edit->name, scanner->line - 1);
    return MICA_OK;
}

// Calls `see` for each statement, in order.
static enum mica_status
edit_scan(const struct mica_edit *edit, struct mica_error *error,
          void (*see)(void *data, const struct mica_edit *edit,
                      const struct statement *statement),
          void *data)
{
    struct scanner scanner = {.edit = edit,
                              .error = error,
                              .at = edit->text.ptr,
                              .end = edit->text.ptr + edit->text.len,
                              .line = 1};
    struct statement statement;

    if (mica_utf8_valid(edit->text) != edit->text.len)
        return scanner_wrong(&scanner, "it is not UTF-8");
    while (scanner.at < scanner.end) {
        const struct key table = scanner.table;
        MICA_TRY(scanner_next(&scanner, &statement));
        MICA_TRY(check_form(&scanner, &table, &statement));
        see(data, edit, &statement);
    }
    return MICA_OK;
}

// ---- The three things to do ----------------------------------------------------------

struct rewrite {
    struct mica_buffer out;
    struct mica_text entry; // to be put behind the table's head; or empty
    const char *newline;    // as the file has it
    bool drops;             // all of the server
    bool put, inside;       // was put; the last table is the server's
};

static void
statement_add(struct mica_buffer *out, const struct statement *statement)
{
    mica_buffer_add(out, statement->start,
                    (size_t)(statement->end - statement->start));
}

static void
see_entry(void *data, const struct mica_edit *edit,
          const struct statement *statement)
{
    struct mica_buffer *out = data;

    if (is_entry(edit, statement))
        statement_add(out, statement);
}

static void
end_with_newline(struct rewrite *rewrite)
{
    struct mica_buffer *out = &rewrite->out;

    if (out->len > 0 && out->ptr[out->len - 1] != '\n')
        mica_buffer_text(out, mica_text(rewrite->newline));
}

// The entry's lines, which end as those of the file, or already as they will.
static void
add_entry(struct rewrite *rewrite)
{
    for (size_t i = 0; i < rewrite->entry.len; i++) {
        char c = rewrite->entry.ptr[i];
        if (c == '\n')
            mica_buffer_text(&rewrite->out, mica_text(rewrite->newline));
        else if (c != '\r')
            mica_buffer_char(&rewrite->out, c);
    }
}

static void
see_rewrite(void *data, const struct mica_edit *edit,
            const struct statement *statement)
{
    struct rewrite *rewrite = data;
    bool head = statement->kind == KIND_TABLE || statement->kind == KIND_LIST;

    if (head)
        rewrite->inside = is_below(edit, &statement->key);
    if (rewrite->inside && statement->kind != KIND_BLANK &&
        (rewrite->drops || is_entry(edit, statement)))
        return;
    statement_add(&rewrite->out, statement);
    if (head && rewrite->inside && statement->key.count == 2 && !rewrite->put) {
        end_with_newline(rewrite);
        add_entry(rewrite);
        rewrite->put = true;
    }
}

static enum mica_status
edit_find(const struct mica_edit *edit, struct mica_error *error,
          struct mica_text *entry_out)
{
    struct mica_buffer out;

    mica_buffer_init(&out, edit->arena, SIZE_MAX / 2);
    MICA_TRY(edit_scan(edit, error, see_entry, &out));
    *entry_out = mica_buffer_as_text(&out);
    return MICA_OK;
}

static enum mica_status
rewrite_done(const struct rewrite *rewrite, struct mica_error *error,
             struct mica_text *text_out)
{
    if (rewrite->out.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    *text_out = mica_buffer_as_text(&rewrite->out);
    return MICA_OK;
}

static enum mica_status
edit_put(const struct mica_edit *edit, struct mica_text entry,
         struct mica_error *error, struct mica_text *text_out)
{
    struct rewrite rewrite = {.entry = entry, .newline = "\n"};

    if (edit->text.len > 0 &&
        memmem(edit->text.ptr, edit->text.len, "\r\n", 2) != NULL)
        rewrite.newline = "\r\n";

    mica_buffer_init(&rewrite.out, edit->arena, SIZE_MAX / 2);
    MICA_TRY(edit_scan(edit, error, see_rewrite, &rewrite));
    if (!rewrite.put) {
        end_with_newline(&rewrite);
        if (rewrite.out.len > 0)
            mica_buffer_text(&rewrite.out, mica_text(rewrite.newline));
        mica_buffer_format(&rewrite.out, "[%s.%s]%s", edit->section, edit->name,
                           rewrite.newline);
        add_entry(&rewrite);
    }
    return rewrite_done(&rewrite, error, text_out);
}

static enum mica_status
edit_drop(const struct mica_edit *edit, struct mica_error *error,
          struct mica_text *text_out)
{
    struct rewrite rewrite = {.drops = true};

    mica_buffer_init(&rewrite.out, edit->arena, SIZE_MAX / 2);
    MICA_TRY(edit_scan(edit, error, see_rewrite, &rewrite));
    return rewrite_done(&rewrite, error, text_out);
}

const struct mica_edit_format mica_edit_toml = {edit_find, edit_put, edit_drop,
                                                false, false};
