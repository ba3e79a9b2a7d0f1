// SPDX-License-Identifier: Apache-2.0
//
// What the document of a view loads: by its tags, and by the texts of its scripts and styles.
// This helps an author; what keeps a view from loading is the policy of its host. So a script
// is not parsed: an address counts that stands as a text where only an address can.
#include <string.h>

#include "base/ascii.h"
#include "view/view_document.h"

// ---- What is declared ------------------------------------------------------------

// Does a domain of the list cover the address? A "*" label stands for one or more.
static bool
domain_covers(struct mica_text domain, struct mica_text address)
{
    size_t scheme = 0, origin;

    while (scheme < domain.len && domain.ptr[scheme] != '/')
        scheme++;
    scheme += 2;
    if (scheme > domain.len || address.len < scheme ||
        memcmp(domain.ptr, address.ptr, scheme) != 0)
        return false;
    for (origin = scheme;
         origin < address.len && strchr("/?#", address.ptr[origin]) == NULL;)
        origin++;
    address = mica_text_slice(address, scheme, origin);
    domain = mica_text_slice(domain, scheme, domain.len);
    if (!mica_text_starts(domain, "*."))
        return mica_text_equal(domain, address);
    domain = mica_text_slice(domain, 1, domain.len);
    return address.len > domain.len &&
           memcmp(address.ptr + address.len - domain.len, domain.ptr,
                  domain.len) == 0;
}

static bool
is_declared(const struct mica_view *view, struct mica_text address)
{
    const char *const *domains = view->resource_domains;

    if (mica_text_starts(address, "data:"))
        return true;
    for (size_t i = 0; domains != NULL && domains[i] != NULL; i++) {
        if (domain_covers(mica_text(domains[i]), address))
            return true;
    }
    return false;
}

// ---- Texts in quotes -------------------------------------------------------------

static size_t
skip_space(struct mica_text text, size_t at)
{
    while (at < text.len && strchr(" \t\r\n\f", text.ptr[at]) != NULL &&
           text.ptr[at] != '\0')
        at++;
    return at;
}

static bool
is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '-';
}

// Does the text have `wordz` at `at`, and not as a part of a longer word?
static bool
word_stands(struct mica_text text, size_t at, const char *wordz)
{
    size_t len = strlen(wordz);

    return text.len - at >= len && mica_ascii_same(text.ptr + at, wordz, len) &&
           (at == 0 || !is_of_word(text.ptr[at - 1])) &&
           (at + len == text.len || !is_of_word(text.ptr[at + len]));
}

// Takes the text in quotes that begins at `at`. Returns false if none begins there, or if it
// does not end in its line.
static bool
quoted_take(struct mica_text text, size_t at, struct mica_text *inner_out)
{
    size_t end = at + 1;

    if (at >= text.len || strchr("\"'`", text.ptr[at]) == NULL ||
        text.ptr[at] == '\0')
        return false;
    while (end < text.len && text.ptr[end] != text.ptr[at] &&
           text.ptr[end] != '\n')
        end++;
    *inner_out = mica_text_slice(text, at + 1, end);
    return end < text.len && text.ptr[end] == text.ptr[at];
}

// "https://a.example/x" and "//a.example/x".
static bool
is_absolute(struct mica_text address)
{
    return mica_text_starts(address, "//") ||
           mica_text_starts(address, "https:") ||
           mica_text_starts(address, "http:");
}

// ---- Scripts ---------------------------------------------------------------------

// What takes an address as a text. A worker of another origin does not start in any browser.
static const struct {
    const char *wordz;
    bool called;   // the text stands in parentheses
    bool absolute; // another text is no address, or the build refuses it
    bool worker;
} loaders[] = {
    {"import", true, false, false}, {"importscripts", true, false, true},
    {"worker", true, false, true},  {"sharedworker", true, false, true},
    {"from", false, true, false},   {"import", false, true, false},
};

static bool
loader_reads(size_t which, struct mica_text script, size_t at,
             struct mica_text *address_out)
{
    if (!word_stands(script, at, loaders[which].wordz))
        return false;
    at = skip_space(script, at + strlen(loaders[which].wordz));
    if (loaders[which].called) {
        if (at >= script.len || script.ptr[at] != '(')
            return false;
        at = skip_space(script, at + 1);
    }
    return quoted_take(script, at, address_out) &&
           (!loaders[which].absolute || is_absolute(*address_out));
}

// A worker may come from the document itself.
static bool
is_loaded(const struct mica_view *view, struct mica_text address, bool worker)
{
    return worker ? !mica_text_starts(address, "data:") &&
                        !mica_text_starts(address, "blob:")
                  : !is_declared(view, address);
}

static struct mica_text
script_loads(const struct mica_view *view, struct mica_text script)
{
    struct mica_text address;

    for (size_t at = 0; at < script.len; at++) {
        for (size_t i = 0; i < MICA_COUNT(loaders); i++) {
            if (loader_reads(i, script, at, &address) &&
                is_loaded(view, address, loaders[i].worker))
                return address;
        }
    }
    return (struct mica_text){NULL, 0};
}

// An import map is JSON: each of its texts that is an address may be loaded.
static struct mica_text
map_loads(const struct mica_view *view, struct mica_text map)
{
    struct mica_text text;

    for (size_t at = 0; at < map.len; at++) {
        if (map.ptr[at] != '"' || !quoted_take(map, at, &text))
            continue;
        if (is_absolute(text) && !is_declared(view, text))
            return text;
        at += text.len + 1;
    }
    return (struct mica_text){NULL, 0};
}

static struct mica_text
script_content_loads(const struct mica_view *view,
                     const struct mica_view_tag *tag)
{
    struct mica_text type;

    if (!mica_view_tag_attribute(tag, "type", &type) || type.len == 0 ||
        mica_ascii_is(type, "module") ||
        mica_ascii_is(type, "text/javascript") ||
        mica_ascii_is(type, "application/javascript"))
        return script_loads(view, tag->content);
    if (mica_ascii_is(type, "importmap"))
        return map_loads(view, tag->content);
    return (struct mica_text){NULL, 0}; // data
}

// ---- Styles ----------------------------------------------------------------------

// @import "a.css"; and @import url(a.css);
static bool
style_imports(struct mica_text style, size_t at, struct mica_text *address_out)
{
    size_t end;

    if (style.ptr[at] != '@' || !word_stands(style, at + 1, "import"))
        return false;
    at = skip_space(style, at + 7);
    if (style.len - at >= 4 && mica_ascii_same(style.ptr + at, "url(", 4))
        at = skip_space(style, at + 4);
    if (quoted_take(style, at, address_out))
        return true;
    for (end = at;
         end < style.len && strchr(" )\t\r\n;", style.ptr[end]) == NULL;)
        end++;
    *address_out = mica_text_slice(style, at, end);
    return end > at;
}

static struct mica_text
style_loads(const struct mica_view *view, struct mica_text style)
{
    struct mica_text address;

    for (size_t at = 0; at < style.len; at++) {
        if (style.len - at >= 2 && memcmp(style.ptr + at, "/*", 2) == 0) {
            for (at += 2;
                 at + 1 < style.len && memcmp(style.ptr + at, "*/", 2) != 0;)
                at++;
        } else if (style_imports(style, at, &address) &&
                   !is_declared(view, address)) {
            return address;
        }
    }
    return (struct mica_text){NULL, 0};
}

// ---- Documents -------------------------------------------------------------------

// The address in the attributes of a tag: of SVG, too.
static bool
tag_address(const struct mica_view_tag *tag, struct mica_text *address_out)
{
    if (mica_view_tag_is(tag, "link"))
        return mica_view_tag_attribute(tag, "href", address_out);
    return mica_view_tag_is(tag, "script") &&
           (mica_view_tag_attribute(tag, "src", address_out) ||
            mica_view_tag_attribute(tag, "href", address_out) ||
            mica_view_tag_attribute(tag, "xlink:href", address_out));
}

struct mica_text
mica_view_undeclared(const struct mica_view *view, struct mica_text document)
{
    struct mica_text address = {NULL, 0};
    struct mica_view_tag tag;
    size_t at = 0;

    while (mica_view_tag_next(document, &at, &tag)) {
        if (tag_address(&tag, &address) && !is_declared(view, address))
            return address;
        address =
            mica_view_tag_is(&tag, "script")  ? script_content_loads(view, &tag)
            : mica_view_tag_is(&tag, "style") ? style_loads(view, tag.content)
                                              : (struct mica_text){NULL, 0};
        if (address.len > 0)
            return address;
    }
    return (struct mica_text){NULL, 0};
}
