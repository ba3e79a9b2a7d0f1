// SPDX-License-Identifier: Apache-2.0
//
// Words of gcc and clang come in groups: a line with a place and "error:" or
// "warning:", then the source line, carets and notes. Of groups that begin alike the
// first is kept.
#include "build/compiler_words.h"

#include <string.h>

enum {
    GROUPS = 128 // that are compared; what follows is left out
};

struct group {
    struct mica_text place; // "FILE:LINE:COLUMN"
    struct mica_text text;  // behind "error: "
    struct mica_text whole; // all its lines
    struct mica_text own;   // the message of mica's headers, or empty
    bool has;               // `own` is the name of a missing has_ member
    bool placed;            // `own` may be told of several places
};

struct groups {
    struct group items[GROUPS];
    size_t count, own;
};

// ---- Reading -----------------------------------------------------------------------

static struct mica_text
take_line(struct mica_text *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end != NULL ? (size_t)(end - rest->ptr) + 1 : rest->len;
    struct mica_text line = mica_text_slice(*rest, 0, len);

    *rest = mica_text_slice(*rest, len, rest->len);
    return line;
}

static size_t
find_words(struct mica_text text, const char *wordsz)
{
    size_t len = strlen(wordsz);
    const char *at =
        text.len >= len ? memmem(text.ptr, text.len, wordsz, len) : NULL;

    return at != NULL ? (size_t)(at - text.ptr) : text.len;
}

// Where a group begins: its place, and what it says.
static bool
read_head(struct mica_text line, struct group *group)
{
    static const char *const marks[] = {
        ": error: ", ": fatal error: ", ": warning: "};

    for (size_t i = 0; i < MICA_COUNT(marks); i++) {
        size_t at = find_words(line, marks[i]);
        if (at == line.len || line.ptr[0] == ' ')
            continue;
        group->place = mica_text_slice(line, 0, at);
        group->text = mica_text_slice(line, at + strlen(marks[i]), line.len);
        while (group->text.len > 0 &&
               group->text.ptr[group->text.len - 1] == '\n')
            group->text.len--;
        return true;
    }
    return false;
}

// "static assertion failed: "…"" of gcc, "static_assert failed … "…"" of clang,
// which may quote the condition before.
static struct mica_text
read_assertion(struct mica_text text)
{
    size_t end = text.len, from;

    if (!mica_text_starts(text, "static assertion failed") &&
        !mica_text_starts(text, "static_assert failed"))
        return (struct mica_text){NULL, 0};
    if (end == 0 || text.ptr[end - 1] != '"')
        return (struct mica_text){NULL, 0};
    for (from = --end; from > 0 && (text.ptr[from - 1] != '"' ||
                                    (from > 1 && text.ptr[from - 2] == '\\'));)
        from--;
    return mica_text_slice(text, from, end);
}

// "has_a" of "no member named 'has_a'", however it is quoted.
static struct mica_text
read_missing_has(struct mica_text text)
{
    size_t at = find_words(text, "no member named "), end;

    text = mica_text_slice(text, at, text.len);
    at = find_words(text, "has_");
    for (end = at; end < text.len && text.ptr[end] != '\'' &&
                   (unsigned char)text.ptr[end] < 0x80;)
        end++;
    return mica_text_slice(text, at, end);
}

// Types that a macro of mica expects and that the author has taken for one another: all of
// `words` are in a message.
static const struct {
    const char *words[4]; // ends with NULL
    const char *own;
} mistakes[] = {
    {{"incompatible pointer type", "const struct mica_text_format *", NULL},
     ".format of a field takes MICA_EMAIL, MICA_URI or MICA_UUID, without "
     "quotes"},
    {{"incompatible pointer type", "struct mica_server_call *", "MICA_STEP(",
      NULL},
     "MICA_STEP: the function of a step takes `struct mica_server_call *call` "
     "first"},
};

static struct mica_text
read_mistake(const struct group *group)
{
    for (size_t i = 0; i < MICA_COUNT(mistakes); i++) {
        const char *const *word = mistakes[i].words;
        while (*word != NULL &&
               find_words(group->whole, *word) < group->whole.len)
            word++;
        if (*word == NULL)
            return mica_text(mistakes[i].own);
    }
    return (struct mica_text){NULL, 0};
}

static bool
is_known(const struct groups *groups, const struct group *group)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *other = &groups->items[i];
        if (group->own.len > 0 && !group->placed
                ? mica_text_equal(other->own, group->own)
                : mica_text_equal(other->place, group->place) &&
                      mica_text_equal(other->text, group->text))
            return true;
    }
    return false;
}

static void
groups_add(struct groups *groups, struct group *group, const char *end)
{
    // An argument of a macro has an error of its own, which was told before.
    if (group->place.len == 0 ||
        mica_text_starts(group->text, "expression in static assertion is not"))
        return;
    group->whole.len = (size_t)(end - group->whole.ptr);
    group->own = read_assertion(group->text);
    if (group->own.len == 0) {
        group->own = read_missing_has(group->text);
        group->has = group->own.len > 0;
    }
    if (group->own.len == 0) {
        group->own = read_mistake(group);
        group->placed = group->own.len > 0;
    }
    if (groups->count == GROUPS || is_known(groups, group))
        return;
    groups->own += group->own.len > 0;
    groups->items[groups->count++] = *group;
}

static void
groups_read(struct groups *groups, struct mica_text printed)
{
    struct group group = {.place = {NULL, 0}}, next;

    for (struct mica_text rest = printed; rest.len > 0;) {
        struct mica_text line = take_line(&rest);
        next = (struct group){.whole = line};
        if (!read_head(line, &next))
            continue;
        groups_add(groups, &group, line.ptr);
        group = next;
    }
    groups_add(groups, &group, printed.ptr + printed.len);
}

// ---- Telling -----------------------------------------------------------------------

// Lines that say where the next one is, or count.
static bool
is_noise(struct mica_text line)
{
    return find_words(line, ": In function ") < line.len ||
           find_words(line, ": At top level:") < line.len ||
           find_words(line, " generated.") < line.len ||
           find_words(line, " warnings being treated as errors") < line.len ||
           mica_text_starts(line, "note: (skipping");
}

static void
tell_whole(const struct group *group, struct mica_buffer *out)
{
    for (struct mica_text rest = group->whole; rest.len > 0;) {
        struct mica_text line = take_line(&rest);
        if (!is_noise(line))
            mica_buffer_text(out, line);
    }
}

static void
tell_own(const struct group *group, struct mica_buffer *out)
{
    struct mica_text rest = group->whole;

    size_t member = find_words(group->own, " \\\"");

    mica_buffer_format(out, "%.*s: error: ", MICA_ARG(group->place));
    // MICA_TEXT(name "Words"): what the macro takes for the member has a literal in it.
    if (!group->has && member < group->own.len &&
        mica_text_starts(group->own, "MICA_"))
        mica_buffer_format(out, "%.*s): a comma is missing behind the member\n",
                           MICA_ARG(mica_text_slice(group->own, 0, member)));
    else if (group->has)
        mica_buffer_format(out,
                           "MICA_OPTIONAL: the struct needs a member `bool "
                           "%.*s`, which says whether the field was given\n",
                           MICA_ARG(group->own));
    else
        mica_buffer_format(out, "%.*s\n", MICA_ARG(group->own));
    (void)take_line(&rest);
    if (rest.len > 0)
        mica_buffer_text(out, take_line(&rest)); // the source line
}

void
mica_compiler_words(struct mica_text printed, struct mica_buffer *out)
{
    struct groups groups = {.count = 0};

    groups_read(&groups, printed);
    if (groups.count == 0) { // of another form, as a linker's
        mica_buffer_text(out, printed);
        return;
    }
    for (size_t i = 0; i < groups.count; i++) {
        if (groups.own == 0)
            tell_whole(&groups.items[i], out);
        else if (groups.items[i].own.len > 0)
            tell_own(&groups.items[i], out);
    }
}

unsigned
mica_compiler_line(struct mica_text words, struct mica_text source)
{
    for (size_t at = 0; source.len > 0 && at + source.len < words.len;) {
        struct mica_text rest = mica_text_slice(words, at, words.len);
        const char *found = memmem(rest.ptr, rest.len, source.ptr, source.len);
        unsigned line = 0;
        if (found == NULL)
            break;
        at += (size_t)(found - rest.ptr) + source.len;
        for (size_t i = at + 1;
             words.ptr[at] == ':' && i < words.len && words.ptr[i] >= '0' &&
             words.ptr[i] <= '9' && line < 1000000;
             i++)
            line = line * 10 + (unsigned)(words.ptr[i] - '0');
        if (line > 0)
            return line;
    }
    return 0;
}
