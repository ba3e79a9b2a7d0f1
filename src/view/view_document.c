// SPDX-License-Identifier: Apache-2.0
//
// The few rules of HTML that matter here: comments hide tags, the contents of script and
// style are no tags, and a '>' in a quoted value does not end a tag.
#include "view/view_document.h"

#include <string.h>

#include "base/ascii.h"

// ---- Characters ------------------------------------------------------------------

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool
document_has(struct mica_text document, size_t at, const char *lowercasez)
{
    size_t length = strlen(lowercasez);

    return document.len - at >= length &&
           mica_ascii_same(document.ptr + at, lowercasez, length);
}

// Where `lowercasez` stands from `at` on; the end of the document: nowhere.
static size_t
document_find(struct mica_text document, size_t at, const char *lowercasez)
{
    while (at < document.len && !document_has(document, at, lowercasez))
        at++;
    return at;
}

// ---- Attributes ------------------------------------------------------------------

// Takes one attribute off the front of *rest. Returns false at the end.
static bool
attribute_next(struct mica_text *rest, struct mica_text *name_out,
               struct mica_text *value_out)
{
    const char *p = rest->ptr;
    size_t at = 0, from, end = rest->len;

    while (at < end && (is_space(p[at]) || p[at] == '/'))
        at++;
    for (from = at; at < end && !is_space(p[at]) && p[at] != '=' &&
                    (p[at] != '/' || at == from);)
        at++;
    *name_out = mica_text_slice(*rest, from, at);
    *value_out = (struct mica_text){NULL, 0};
    while (at < end && is_space(p[at]))
        at++;
    if (at < end && p[at] == '=') {
        at++;
        while (at < end && is_space(p[at]))
            at++;
        bool quoted = at < end && (p[at] == '"' || p[at] == '\'');
        char quote = quoted ? p[at++] : ' ';
        for (from = at;
             at < end && (quoted ? p[at] != quote : !is_space(p[at]));)
            at++;
        *value_out = mica_text_slice(*rest, from, at);
        at += quoted && at < end;
    }
    *rest = mica_text_slice(*rest, at, end);
    return name_out->len > 0 || at > from;
}

bool
mica_view_tag_is(const struct mica_view_tag *tag, const char *lowercasez)
{
    return mica_ascii_is(tag->name, lowercasez);
}

bool
mica_view_tag_attribute(const struct mica_view_tag *tag, const char *lowercasez,
                        struct mica_text *value_out)
{
    struct mica_text rest = tag->attributes, name, value;

    while (rest.len > 0 && attribute_next(&rest, &name, &value)) {
        if (!mica_ascii_is(name, lowercasez))
            continue;
        *value_out = value;
        return true;
    }
    return false;
}

// ---- Tags ------------------------------------------------------------------------

// Where the tag that begins at `at` ends: at its '>', which no quote holds.
static size_t
tag_close(struct mica_text document, size_t at)
{
    char quote = '\0';

    for (; at < document.len; at++) {
        char c = document.ptr[at];
        if (quote == '\0' && c == '>')
            break;
        if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = '\0';
    }
    return at;
}

// The contents of a script or a style, and the end tag behind them.
static void
tag_content(struct mica_text document, struct mica_view_tag *tag)
{
    const char *endz = mica_view_tag_is(tag, "script")  ? "</script"
                       : mica_view_tag_is(tag, "style") ? "</style"
                                                        : NULL;
    size_t from = tag->end, to;

    tag->content = (struct mica_text){NULL, 0};
    if (endz == NULL)
        return;
    to = document_find(document, from, endz);
    tag->content = mica_text_slice(document, from, to);
    to = tag_close(document, to);
    tag->end = to < document.len ? to + 1 : to;
}

bool
mica_view_tag_next(struct mica_text document, size_t *at,
                   struct mica_view_tag *tag_out)
{
    size_t i = *at;

    while (i < document.len) {
        if (document_has(document, i, "<!--")) {
            i = document_find(document, i + 4, "-->");
        } else if (document.ptr[i] == '<' && i + 1 < document.len &&
                   is_letter(document.ptr[i + 1])) {
            size_t end = tag_close(document, i), name = i + 1;
            while (name < end && !is_space(document.ptr[name]) &&
                   document.ptr[name] != '/')
                name++;
            tag_out->begin = i;
            tag_out->name = mica_text_slice(document, i + 1, name);
            tag_out->attributes = mica_text_slice(document, name, end);
            tag_out->end = end < document.len ? end + 1 : end;
            tag_content(document, tag_out);
            *at = tag_out->end;
            return true;
        } else {
            i++;
        }
    }
    *at = document.len;
    return false;
}
