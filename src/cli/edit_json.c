// SPDX-License-Identifier: Apache-2.0
//
// The reader says where in the text each value lies. A change is a piece of text that
// takes the place of another. Where a client allows comments and a comma behind the
// last of several, the reader gets a copy in which they are blanks: what lies where is
// the same in both.
#include <string.h>

#include "cli/edit.h"

enum {
    DEPTH = 256
};

// What is known of the file.
struct page {
    const struct mica_edit *edit;
    struct mica_text bare; // the file's text, or its copy without comments
    struct mica_text read; // that without commas that nothing follows
    struct mica_json root;
    const struct mica_json *section; // NULL: the file has none yet
    const struct mica_json_member *entry;
    struct mica_text unit; // of one level of indentation; empty: all on a line
    const char *newline;
    bool fresh; // there was nothing in the file
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Without the blanks at its end.
static struct mica_text
text_trimmed(struct mica_text text)
{
    while (text.len > 0 && is_blank(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

static const struct mica_json_member *
find_member(const struct mica_json *object, const char *namez)
{
    for (size_t i = 0; i < object->count; i++)
        if (mica_text_is(object->members[i].name, namez))
            return &object->members[i];
    return NULL;
}

// ---- Comments ----------------------------------------------------------------------

// Past a string, on whose first quote `at` is.
static const char *
skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

// Past a comment, if one begins there, else `at`. A comment without an end does not count.
static const char *
skip_comment(const char *at, const char *end)
{
    const char *found;

    if (end - at < 2 || at[0] != '/')
        return at;
    if (at[1] == '/') {
        found = memchr(at, '\n', (size_t)(end - at));
        return found != NULL ? found : end;
    }
    if (at[1] != '*')
        return at;
    found = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
    return found != NULL ? found + 2 : at;
}

// A copy in which every comment is blanks.
static struct mica_text
without_comments(struct mica_arena *arena, struct mica_text text)
{
    struct mica_text copy = mica_arena_text(arena, text);
    const char *at = text.ptr, *end = text.ptr + text.len;
    char *out = (char *)(uintptr_t)copy.ptr; // it is ours

    while (out != NULL && at < end) {
        const char *next =
            *at == '"' ? skip_string(at, end) : skip_comment(at, end);
        if (next > at && *at == '/')
            for (const char *c = at; c < next; c++)
                out[c - text.ptr] = is_blank(*c) ? *c : ' ';
        at = next > at ? next : at + 1;
    }
    return copy;
}

// A copy in which a comma between a value and a closing bracket is a blank, for a text
// without comments.
static struct mica_text
without_commas(struct mica_arena *arena, struct mica_text text)
{
    struct mica_text copy = mica_arena_text(arena, text);
    const char *at = text.ptr, *end = text.ptr + text.len, *comma = NULL;
    char *out = (char *)(uintptr_t)copy.ptr; // it is ours
    char last = '{';

    while (out != NULL && at < end) {
        if (comma != NULL && (*at == '}' || *at == ']'))
            out[comma - text.ptr] = ' ';
        if (!is_blank(*at)) {
            comma = *at == ',' && strchr("{[,", last) == NULL ? at : NULL;
            last = *at;
        }
        at = *at == '"' ? skip_string(at, end) : at + 1;
    }
    return copy;
}

// ---- Reading -----------------------------------------------------------------------

// The blanks behind the last newline before the first thing inside of an object.
static struct mica_text
indent_of(const struct mica_json *object)
{
    const char *start = object->raw.ptr + 1, *line = NULL;

    for (; is_blank(*start); start++)
        if (*start == '\n')
            line = start + 1;
    return line == NULL ? (struct mica_text){NULL, 0}
                        : (struct mica_text){line, (size_t)(start - line)};
}

static enum mica_status
read_page(const struct mica_edit *edit, struct mica_error *error,
          struct page *page_out)
{
    const struct mica_json_limits limits = {.depth = DEPTH,
                                            .bytes = edit->text.len + 64};
    struct page page = {
        .edit = edit, .bare = edit->text, .read = edit->text, .newline = "\n"};
    struct mica_text text;

    if (edit->format->comments && edit->text.len > 0)
        page.read = page.bare = without_comments(edit->arena, edit->text);
    if (edit->format->commas && edit->text.len > 0)
        page.read = without_commas(edit->arena, page.bare);
    if (edit->arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    text = page.read;
    // Some editors write a mark, and the clients pass it over.
    if (mica_text_starts(text, "\xef\xbb\xbf"))
        text = mica_text_slice(text, 3, text.len);
    while (text.len > 0 && is_blank(text.ptr[0]))
        text = mica_text_slice(text, 1, text.len);
    // Comments alone are something.
    page.fresh = text.len == 0 && text_trimmed(edit->text).len == 0;
    if (page.fresh)
        text = MICA_LITERAL("{\n  \n}");
    MICA_TRY(mica_json_read(edit->arena, text, &limits, error, &page.root));
    if (page.root.kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_TYPE, "",
                              "the file holds no JSON object");
    const struct mica_json_member *section =
        find_member(&page.root, edit->section);
    if (section != NULL && section->value.kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_TYPE, "",
                              "\"%s\" is no object in it", edit->section);
    if (section != NULL) {
        page.section = &section->value;
        page.entry = find_member(page.section, edit->name);
    }
    page.unit = indent_of(&page.root);
    if (page.root.count == 0 && page.unit.len == 0)
        page.unit = MICA_LITERAL("  ");
    if (edit->text.len > 1 &&
        memmem(edit->text.ptr, edit->text.len, "\r\n", 2) != NULL)
        page.newline = "\r\n";
    *page_out = page;
    return MICA_OK;
}

// ---- Writing -----------------------------------------------------------------------

static void
add_line(const struct page *page, size_t level, struct mica_buffer *out)
{
    if (page->unit.len == 0)
        return;
    mica_buffer_text(out, mica_text(page->newline));
    for (size_t i = 0; i < level; i++)
        mica_buffer_text(out, page->unit);
}

// A value whose own line is at `level`.
static enum mica_status
add_value(const struct page *page, struct mica_text json, size_t level,
          struct mica_error *error, struct mica_buffer *out)
{
    struct mica_buffer pretty;
    struct mica_json value;
    size_t blanks = 0;

    MICA_TRY(mica_json_read(page->edit->arena, json, NULL, error, &value));
    if (page->unit.len == 0) {
        mica_buffer_text(out, json);
        return MICA_OK;
    }
    mica_buffer_init(&pretty, page->edit->arena, SIZE_MAX / 2);
    mica_json_pretty(&pretty, &value);
    for (size_t i = 0; i < pretty.len; i++) {
        if (pretty.ptr[i] != '\n') {
            mica_buffer_char(out, pretty.ptr[i]);
            continue;
        }
        for (blanks = 0; pretty.ptr[i + 1 + blanks] == ' '; blanks++)
            continue;
        add_line(page, level + blanks / 2, out);
        i += blanks;
    }
    return MICA_OK;
}

// What the file has between two places of what was read, comments and all.
static struct mica_text
page_between(const struct page *page, const char *from, const char *to)
{
    if (!page->fresh) {
        from = page->edit->text.ptr + (from - page->read.ptr);
        to = page->edit->text.ptr + (to - page->read.ptr);
    }
    return (struct mica_text){from, (size_t)(to - from)};
}

// Behind the comma that is there, though nothing follows it, or NULL.
static const char *
behind_comma(const struct page *page, const char *from, const char *to)
{
    const char *bare = page->bare.ptr + (from - page->read.ptr);
    const char *comma =
        page->fresh ? NULL : memchr(bare, ',', (size_t)(to - from));

    return comma != NULL ? from + (comma - bare) + 1 : NULL;
}

// Everything of the file before `at`, and everything from `at` on.
static void
add_before(const struct page *page, const char *at, struct mica_buffer *out)
{
    const char *start = page->fresh ? page->root.raw.ptr : page->read.ptr;

    mica_buffer_text(out, page_between(page, start, at));
}

static void
add_after(const struct page *page, const char *at, struct mica_buffer *out)
{
    struct mica_text all = page->fresh ? page->root.raw : page->read;

    mica_buffer_text(out, page_between(page, at, all.ptr + all.len));
    if (page->fresh)
        mica_buffer_char(out, '\n');
}

static enum mica_status
page_done(const struct page *page, const struct mica_buffer *out,
          struct mica_error *error, struct mica_text *text_out)
{
    if (out->overflow || page->edit->arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    *text_out = mica_buffer_as_text(out);
    return MICA_OK;
}

// One more member behind those of `object`, whose own line is at `level`, and behind
// what is said of the last of them.
static enum mica_status
page_append(const struct page *page, const struct mica_json *object,
            size_t level, const char *namez, struct mica_text json,
            struct mica_error *error, struct mica_text *text_out)
{
    const char *end = object->raw.ptr + object->raw.len - 1; // its brace
    const char *at = object->raw.ptr + 1;
    struct mica_text comments;
    struct mica_buffer out;

    if (object->count > 0) {
        const struct mica_text last =
            object->members[object->count - 1].value.raw;
        at = last.ptr + last.len;
    }
    mica_buffer_init(&out, page->edit->arena, SIZE_MAX / 2);
    add_before(page, at, &out);
    if (object->count > 0 && behind_comma(page, at, end) == NULL)
        mica_buffer_char(&out, ',');
    comments = text_trimmed(page_between(page, at, end));
    mica_buffer_text(&out, comments);
    if (page->unit.len == 0 && comments.len > 0 &&
        memmem(comments.ptr, comments.len, "//", 2) != NULL)
        mica_buffer_text(&out, mica_text(page->newline));
    add_line(page, level + 1, &out);
    mica_buffer_format(&out, "\"%s\":%s", namez, page->unit.len > 0 ? " " : "");
    MICA_TRY(add_value(page, json, level + 1, error, &out));
    if (object->count > 0) {
        add_after(page, at + comments.len, &out);
    } else {
        add_line(page, level, &out);
        add_after(page, end, &out);
    }
    return page_done(page, &out, error, text_out);
}

// ---- The three things to do ----------------------------------------------------------

static enum mica_status
edit_find(const struct mica_edit *edit, struct mica_error *error,
          struct mica_text *entry_out)
{
    struct page page;

    MICA_TRY(read_page(edit, error, &page));
    *entry_out = page.entry != NULL ? page.entry->value.raw
                                    : (struct mica_text){NULL, 0};
    return MICA_OK;
}

static enum mica_status
page_replace(const struct page *page, struct mica_text entry,
             struct mica_error *error, struct mica_text *text_out)
{
    const struct mica_text old = page->entry->value.raw;
    struct mica_json value;
    struct mica_buffer out;

    MICA_TRY(mica_json_read(page->edit->arena, entry, NULL, error, &value));
    if (mica_json_equal(&value, &page->entry->value)) {
        *text_out = page->edit->text;
        return MICA_OK;
    }
    mica_buffer_init(&out, page->edit->arena, SIZE_MAX / 2);
    add_before(page, old.ptr, &out);
    MICA_TRY(add_value(page, entry, 2, error, &out));
    add_after(page, old.ptr + old.len, &out);
    return page_done(page, &out, error, text_out);
}

static enum mica_status
edit_put(const struct mica_edit *edit, struct mica_text entry,
         struct mica_error *error, struct mica_text *text_out)
{
    struct mica_buffer whole;
    struct page page;

    MICA_TRY(read_page(edit, error, &page));
    if (page.entry != NULL)
        return page_replace(&page, entry, error, text_out);
    if (page.section != NULL)
        return page_append(&page, page.section, 1, edit->name, entry, error,
                           text_out);
    mica_buffer_init(&whole, edit->arena, SIZE_MAX / 2);
    mica_buffer_format(&whole, "{\"%s\":%.*s}", edit->name, MICA_ARG(entry));
    return page_append(&page, &page.root, 0, edit->section,
                       mica_buffer_as_text(&whole), error, text_out);
}

// Where a member begins: with its name, which has no quotes in it.
static const char *
start_of(const struct mica_json *object, const struct mica_json_member *member)
{
    const char *from = object->raw.ptr, *value = member->value.raw.ptr;
    const char *end = memrchr(from, '"', (size_t)(value - from));

    return memrchr(from, '"', (size_t)(end - from));
}

// The member goes, with the comma and the blanks that it had. Comments
// stay: no rule tells which of them are about it.
static enum mica_status
edit_drop(const struct mica_edit *edit, struct mica_error *error,
          struct mica_text *text_out)
{
    struct mica_buffer out;
    struct page page;

    MICA_TRY(read_page(edit, error, &page));
    *text_out = edit->text;
    if (page.entry == NULL)
        return MICA_OK;
    const struct mica_json_member *members = page.section->members;
    size_t index = (size_t)(page.entry - members);
    const struct mica_text value = page.entry->value.raw;
    const char *end = page.section->raw.ptr + page.section->raw.len - 1;
    const char *from = page.section->raw.ptr + 1, *to = value.ptr + value.len;
    const char *comma = from;
    const char *behind = behind_comma(&page, to, end);
    struct mica_text own = {NULL, 0}; // what stands before the comma that goes

    if (index > 0) {
        from =
            members[index - 1].value.raw.ptr + members[index - 1].value.raw.len;
        comma = memchr(from, ',', (size_t)(value.ptr - from));
    } else if (behind != NULL) {
        own = page_between(&page, to, behind - 1);
        to = behind;
    }
    mica_buffer_init(&out, edit->arena, SIZE_MAX / 2);
    add_before(&page, from, &out);
    if (index > 0) {
        mica_buffer_text(&out, page_between(&page, from, comma));
        comma++;
    }
    const struct mica_text before =
                               page_between(&page, comma,
                                            start_of(page.section, page.entry)),
                           after = page_between(&page, to, end);
    const bool ends_line =
        mica_text_starts(after, "\n") || mica_text_starts(after, "\r");
    // Nothing gets into the line of a comment.
    mica_buffer_text(&out, ends_line || text_trimmed(before).len == 0
                               ? text_trimmed(before)
                               : before);
    if (text_trimmed(own).len > 0)
        mica_buffer_text(&out, own);
    if (page.section->count == 1 && text_trimmed(before).len == 0 &&
        text_trimmed(own).len == 0 && text_trimmed(after).len == 0)
        to = end;
    add_after(&page, to, &out);
    return page_done(&page, &out, error, text_out);
}

const struct mica_edit_format mica_edit_json = {edit_find, edit_put, edit_drop,
                                                false, false};
const struct mica_edit_format mica_edit_json_comments = {
    edit_find, edit_put, edit_drop, true, false};
const struct mica_edit_format mica_edit_jsonc = {edit_find, edit_put, edit_drop,
                                                 true, true};
