// SPDX-License-Identifier: Apache-2.0
//
// Reads the source as the first phases of a compiler do: lines that are joined,
// comments, literals, words.
#include "build/engine_source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/files.h"
#include "build/module_form.h"

// ---- The file ----------------------------------------------------------------------

static enum mica_status
check_link(const char *path, struct mica_error *error)
{
    struct stat st;
    char whole[PATH_MAX], folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode) ||
        realpath(path, whole) == NULL)
        return MICA_OK; // no link, or one to nothing, which is said later
    MICA_TRY(mica_path(folder, error, "%.*s",
                       slash == NULL ? 1 : (int)(slash - path) + 1,
                       slash == NULL ? "." : path));
    if (mica_path_is_within(whole, folder) || mica_path_is_within(whole, "."))
        return MICA_OK;
    return mica_error_set(error, MICA_E_BUILD, "",
                          "%s is a link that leads out of the project, to %s. "
                          "Put a copy of the file in its place.",
                          path, whole);
}

enum mica_status
mica_source_file(const char *path, struct mica_error *error)
{
    struct stat st;
    for (const char *at = path; *at != '\0'; at++) {
        char shown[65];
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            return mica_error_set(
                error, MICA_E_BUILD, "",
                "The path \"%.*s\" has a control character at byte %zu, where "
                "compilers and logs would be misled. Rename the folder.",
                MICA_ARG(mica_form_shown(mica_text(path), shown)),
                (size_t)(at - path));
    }
    if (stat(path, &st) != 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no file %s.", path);
    MICA_TRY(mica_file_is_regular(path, &st, error));
    if (st.st_size > MICA_SOURCE_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s has %lld bytes; a source may have %d.", path,
                              (long long)st.st_size, MICA_SOURCE_BYTES);
    return check_link(path, error);
}

// ---- Reading -----------------------------------------------------------------------

struct scan {
    struct mica_text text;
    size_t at;
    unsigned line;
    const char *path;
    struct mica_buffer *diagnostics;
    struct mica_error *error;
};

static bool
scan_is(const struct scan *scan, size_t at, const char *wordz)
{
    size_t len = strlen(wordz);
    return at + len <= scan->text.len &&
           memcmp(scan->text.ptr + at, wordz, len) == 0;
}

// What a trigraph stands for; '\0': it is no trigraph.
static char
scan_trigraph(const struct scan *scan, size_t at)
{
    static const char thirds[] = "=/'()!<>-", stands[] = "#\\^[]|{}~";
    const char *found;
    if (!scan_is(scan, at, "\?\?") || at + 2 >= scan->text.len)
        return '\0';
    found = memchr(thirds, scan->text.ptr[at + 2], sizeof thirds - 1);
    return found == NULL ? '\0' : stands[found - thirds];
}

// The length of what joins two lines here: a backslash (or its trigraph), blanks,
// the line's end. 0: nothing does.
static size_t
scan_joint(const struct scan *scan)
{
    size_t at = scan->at;
    if (scan_trigraph(scan, at) == '\\')
        at += 3;
    else if (scan_is(scan, at, "\\"))
        at++;
    else
        return 0;
    while (at < scan->text.len && strchr(" \t\v\f\r", scan->text.ptr[at]))
        at++;
    return scan_is(scan, at, "\n") ? at + 1 - scan->at : 0;
}

// The character here, by whatever spelling; '\0' at the end.
static char
scan_look(struct scan *scan)
{
    for (size_t len; (len = scan_joint(scan)) > 0; scan->at += len)
        scan->line++;
    if (scan->at >= scan->text.len)
        return '\0';
    char c = scan_trigraph(scan, scan->at);
    if (c != '\0')
        return c;
    return scan_is(scan, scan->at, "%:") ? '#' : scan->text.ptr[scan->at];
}

static char
scan_next(struct scan *scan)
{
    char c = scan_look(scan);
    if (scan_trigraph(scan, scan->at) != '\0')
        scan->at += 3;
    else if (scan_is(scan, scan->at, "%:"))
        scan->at += 2;
    else if (scan->at < scan->text.len)
        scan->at++;
    scan->line += c == '\n';
    return c;
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static void
scan_literal(struct scan *scan, char quote)
{
    for (char c; (c = scan_look(scan)) != '\0' && c != '\n';) {
        (void)scan_next(scan);
        if (c == quote)
            return;
        if (c == '\\')
            (void)scan_next(scan);
    }
}

// Behind a '/': over the comment that begins there, if one does.
static void
scan_comment(struct scan *scan)
{
    char c = scan_look(scan), before = '\0';
    if (c == '/') {
        while ((c = scan_look(scan)) != '\0' && c != '\n')
            (void)scan_next(scan);
    } else if (c == '*') {
        (void)scan_next(scan);
        while (scan_look(scan) != '\0') {
            c = scan_next(scan);
            if (before == '*' && c == '/')
                return;
            before = c;
        }
    }
}

// Over blanks and comments of the line.
static void
scan_blanks(struct scan *scan)
{
    for (;;) {
        char c = scan_look(scan);
        if (c == '/') {
            struct scan ahead = *scan;
            (void)scan_next(&ahead);
            if (scan_look(&ahead) != '*')
                return;
            (void)scan_next(scan);
            scan_comment(scan);
        } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f' ||
                   c == '\r') {
            (void)scan_next(scan);
        } else {
            return;
        }
    }
}

// A word, cut to what any word that is looked for has.
static struct mica_text
scan_word(struct scan *scan, char out[32])
{
    size_t len = 0;
    for (char c; is_letter(c = scan_look(scan)); (void)scan_next(scan))
        if (len < 32)
            out[len++] = c;
    return (struct mica_text){out, len};
}

// ---- What is refused ---------------------------------------------------------------

static void
say_place(const struct scan *scan, unsigned line, struct mica_text what)
{
    mica_buffer_format(scan->diagnostics, "%s:%u: \"%.*s\"\n", scan->path, line,
                       MICA_ARG(what));
}

static enum mica_status
refuse_line(const struct scan *scan, struct mica_text what, const char *whyz)
{
    char shown[65];
    what = mica_form_shown(what, shown);
    say_place(scan, scan->line, what);
    return mica_error_set(scan->error, MICA_E_BUILD, "",
                          "%s:%u: an engine cannot have \"%.*s\" here: %s.",
                          scan->path, scan->line, MICA_ARG(what), whyz);
}

static enum mica_status
check_word(const struct scan *scan, struct mica_text word)
{
    static const char *const assembly[] = {"asm", "__asm", "__asm__"};
    static const char *const questions[] = {
        "__has_include", "__has_include_next", "__has_embed"};
    static const char pragma[] = "_Pragma";
    for (size_t i = 0; i < MICA_COUNT(assembly); i++)
        if (mica_text_is(word, assembly[i])) {
            say_place(scan, scan->line, word);
            return mica_error_set(scan->error, MICA_E_IMPURE, "",
                                  "%s:%u: an engine cannot use %.*s: it is to "
                                  "mean the same on every machine. Write it "
                                  "in C.",
                                  scan->path, scan->line, MICA_ARG(word));
        }
    for (size_t i = 0; i < MICA_COUNT(questions); i++)
        if (mica_text_is(word, questions[i])) {
            say_place(scan, scan->line, word);
            return mica_error_set(scan->error, MICA_E_IMPURE, "",
                                  "%s:%u: an engine cannot use %.*s: what it "
                                  "finds differs from machine to machine. "
                                  "Remove the question.",
                                  scan->path, scan->line, MICA_ARG(word));
        }
    if (mica_text_is(word, pragma))
        return refuse_line(scan, word,
                           "what it says is hidden in a text. Write #pragma "
                           "on a line of its own");
    return MICA_OK;
}

static enum mica_status
refuse_include(const struct scan *scan, struct mica_text name,
               const char *advice)
{
    char shown[65];
    name = mica_form_shown(name, shown);
    say_place(scan, scan->line, name);
    return mica_error_set(scan->error, MICA_E_BUILD, "",
                          "%s:%u: includes \"%.*s\". An engine is one file, so "
                          "that it can be read, moved and hashed as one: %s.",
                          scan->path, scan->line, MICA_ARG(name), advice);
}

// Whether a file of that name stands beside the source.
static bool
is_beside(const struct scan *scan, struct mica_text name)
{
    char path[PATH_MAX];
    const char *slash = strrchr(scan->path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - scan->path) + 1;
    return mica_path(path, NULL, "%.*s%.*s", folder, scan->path,
                     MICA_ARG(name)) == MICA_OK &&
           mica_file_exists(path);
}

static enum mica_status
check_include(struct scan *scan)
{
    char name[256];
    size_t len = 0;
    scan_blanks(scan);
    char open = scan_look(scan), close = open == '<' ? '>' : '"';
    if (open != '<' && open != '"')
        return refuse_line(scan, mica_text("#include"),
                           "the name of the header does not follow. Write it, "
                           "in <> or quotes, and not a macro");
    (void)scan_next(scan);
    for (char c; (c = scan_look(scan)) != '\0' && c != '\n' && c != close;
         (void)scan_next(scan))
        if (len < sizeof name)
            name[len++] = c;
    (void)scan_next(scan);
    struct mica_text path = {name, len};
    if (len == sizeof name || mica_text_starts(path, "/") ||
        memmem(name, len, "..", 2) != NULL)
        return refuse_include(scan, path,
                              "include mica's headers and those of the C "
                              "library by their names");
    if (open == '"' && is_beside(scan, path))
        return refuse_include(scan, path,
                              "put what it needs into the file itself");
    return MICA_OK;
}

// `#line 7` counts lines; with a name, diagnostics would quote that file.
static enum mica_status
check_line(struct scan *scan)
{
    char letters[32];
    scan_blanks(scan);
    struct mica_text number = scan_word(scan, letters);
    bool digits = number.len > 0;
    for (size_t i = 0; i < number.len; i++)
        digits = digits && number.ptr[i] >= '0' && number.ptr[i] <= '9';
    scan_blanks(scan);
    char end = scan_look(scan);
    if (digits && (end == '\n' || end == '\0'))
        return MICA_OK;
    return refuse_line(scan, mica_text("#line"),
                       "it would name another file as the place of an error. "
                       "Have the program that wrote the source leave it out");
}

// Compilers disagree on whether a comment begins there.
static enum mica_status
check_message(struct scan *scan)
{
    for (char c, before = '\0'; (c = scan_look(scan)) != '\0' && c != '\n';
         before = c) {
        (void)scan_next(scan);
        if (before == '/' && c == '*')
            return refuse_line(scan, mica_text("/*"),
                               "this line is a message to its end. Put the "
                               "comment on another line");
    }
    return MICA_OK;
}

// Those that name a file or a module.
static enum mica_status
check_pragma(struct scan *scan)
{
    static const char *const reads[] = {"dependency", "pch_preprocess",
                                        "include_alias", "module"};
    char letters[32];
    for (int i = 0; i < 2; i++) {
        scan_blanks(scan);
        struct mica_text word = scan_word(scan, letters);
        for (size_t j = 0; j < MICA_COUNT(reads); j++)
            if (mica_text_is(word, reads[j]))
                return refuse_line(scan, word,
                                   "an engine is one file and names no other");
        MICA_TRY(check_word(scan, word));
    }
    return MICA_OK;
}

static enum mica_status
check_directive(struct scan *scan)
{
    static const struct {
        const char *word;
        enum mica_status (*check)(struct scan *scan);
    } known[] = {{"include", check_include}, {"include_next", check_include},
                 {"import", check_include},  {"line", check_line},
                 {"error", check_message},   {"warning", check_message},
                 {"pragma", check_pragma}};
    static const char none[] = "a compiler may take this for another directive";
    char letters[32];
    scan_blanks(scan);
    struct mica_text word = scan_word(scan, letters);
    for (size_t i = 0; i < MICA_COUNT(known); i++)
        if (mica_text_is(word, known[i].word))
            return known[i].check(scan);
    if (mica_text_is(word, "embed"))
        return refuse_line(scan, word,
                           "an engine is one file. Put what it needs into the "
                           "file itself");
    if (word.len > 0 && word.ptr[0] >= '0' && word.ptr[0] <= '9')
        return refuse_line(scan, mica_text("# and a number"),
                           "it would name another file as the place of an "
                           "error. Give the source, not what a preprocessor "
                           "made of it");
    for (size_t i = 0; i < word.len; i++)
        if ((unsigned char)word.ptr[i] >= 0x80)
            return refuse_line(scan, word, none);
    return check_word(scan, word);
}

// What compilers read in different ways, or as something else than it looks.
static enum mica_status
check_bytes(const struct scan *scan)
{
    struct scan at = *scan;
    for (size_t i = 0; i < at.text.len; i++) {
        char c = at.text.ptr[i];
        bool lone = c == '\r' && !scan_is(&at, i + 1, "\n");
        at.line += c == '\n';
        if (lone)
            return refuse_line(&at, mica_text("CR"),
                               "some compilers end a line at it, and others "
                               "do not. End lines with LF or CR LF");
        if (c == '\0')
            return refuse_line(&at, mica_text("NUL"),
                               "a source is text. Remove the byte");
    }
    return MICA_OK;
}

// Whether no character of the word is one of ASCII: compilers take such for a
// blank, or leave it out, and a directive may follow.
static bool
is_foreign(struct mica_text word)
{
    for (size_t i = 0; i < word.len; i++)
        if ((unsigned char)word.ptr[i] < 0x80)
            return false;
    return true;
}

enum mica_status
mica_source_words(const char *path, struct mica_text text,
                  struct mica_buffer *diagnostics, struct mica_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF"; // of the order of bytes
    struct scan scan = {text, 0, 1, path, diagnostics, error};
    bool first = true; // of its line
    MICA_TRY(check_bytes(&scan));
    if (mica_text_starts(text, mark))
        scan.at = sizeof mark - 1;
    for (char c; (c = scan_look(&scan)) != '\0';) {
        char letters[32];
        if (is_letter(c)) {
            struct mica_text word = scan_word(&scan, letters);
            MICA_TRY(check_word(&scan, word));
            first = first && is_foreign(word);
            continue;
        }
        (void)scan_next(&scan);
        if (c == '"' || c == '\'')
            scan_literal(&scan, c);
        else if (c == '/')
            scan_comment(&scan);
        else if (c == '\\')
            return refuse_line(&scan, mica_text("\\"),
                               "outside of a text it joins two lines, and "
                               "nothing else");
        else if (c == '#' && first)
            MICA_TRY(check_directive(&scan));
        first = c == '\n' || (first && (c == ' ' || c == '\t' || c == '/' ||
                                        c == '\v' || c == '\f' || c == '\r'));
    }
    return MICA_OK;
}
