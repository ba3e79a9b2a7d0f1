// SPDX-License-Identifier: Apache-2.0
//
// The module is one statement, `var micaView=…;` (scripts/join-view), so the script of
// the author stays one module with its own scope, and nothing is global:
//
//     import { App as Apps } from "mica:view";   ->   var micaView=…;
//                                                     const { App: Apps } = micaView;
//
// What an import is, is read by words at the beginning of a statement: in a comment or a
// string it looks like one only if a line begins with it.
#include "build/view_inline.h"

#include <string.h>

#include "base/ascii.h"
#include "view/view_document.h"

#define MODULE "mica:view"

// An import statement in a script.
struct import {
    size_t begin, end;     // from `import` to behind its ';', or its line
    struct mica_text what; // between `import` and `from`; empty: for its effect
    struct mica_text module; // without quotes
};

// ---- Reading imports -------------------------------------------------------------

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t
script_skip(struct mica_text script, size_t at)
{
    while (at < script.len && is_space(script.ptr[at]))
        at++;
    return at;
}

// Is the word `import` there, as a statement? Not in `import(` and `import.meta`.
static bool
script_imports(struct mica_text script, size_t at)
{
    size_t next;

    if (script.len - at < 7 || memcmp(script.ptr + at, "import", 6) != 0)
        return false;
    next = script_skip(script, at + 6);
    return next < script.len && script.ptr[next] != '(' &&
           script.ptr[next] != '.' &&
           (next > at + 6 || strchr("{*\"'", script.ptr[next]) != NULL);
}

static bool
is_of_names(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || is_space(c) ||
           (c != '\0' && strchr("_$,*{}", c) != NULL);
}

// Reads the statement at `at`. Returns false if it is not names and a quoted module; then .end
// is behind its first word, or behind a text that its line does not end.
static bool
import_read(struct mica_text script, size_t at, struct import *import_out)
{
    size_t from = at + 6, quote = from, end;

    while (quote < script.len && is_of_names(script.ptr[quote]))
        quote++;
    import_out->end = from;
    if (quote == script.len ||
        (script.ptr[quote] != '"' && script.ptr[quote] != '\''))
        return false;
    for (end = quote + 1; end < script.len &&
                          script.ptr[end] != script.ptr[quote] &&
                          script.ptr[end] != '\n';)
        end++;
    import_out->end = end;
    if (end == script.len || script.ptr[end] == '\n')
        return false;
    import_out->begin = at;
    import_out->what = mica_text_slice(script, from, quote);
    import_out->module = mica_text_slice(script, quote + 1, end);
    end++;
    import_out->end =
        end < script.len && script.ptr[end] == ';' ? end + 1 : end;
    return true;
}

// Finds the first import of any module from *at on; a line begins with it.
static bool
import_next(struct mica_text script, size_t *at, struct import *import_out)
{
    bool begins = true;

    for (size_t i = *at; i < script.len; i++) {
        if (begins && script_imports(script, i)) {
            if (import_read(script, i, import_out)) {
                *at = import_out->end;
                return true;
            }
            // No statement begins in a text that its line does not end.
            i = import_out->end - 1;
            begins = false;
            continue;
        }
        if (!is_space(script.ptr[i]))
            begins = script.ptr[i] == ';';
        else if (script.ptr[i] == '\n')
            begins = true;
    }
    return false;
}

// ---- Writing ---------------------------------------------------------------------

// A script ends at "</script" wherever that stands, and "<!--" begins a state in which it
// does not.
static void
write_script(struct mica_buffer *out, struct mica_text script)
{
    for (size_t i = 0; i < script.len; i++) {
        const char *at = script.ptr + i;
        size_t left = script.len - i;
        mica_buffer_char(out, *at);
        if ((left >= 8 && mica_ascii_same(at, "</script", 8)) ||
            (left >= 4 && memcmp(at, "<!--", 4) == 0))
            mica_buffer_char(out, '\\');
    }
}

// Takes the next word or mark of a list of names.
static struct mica_text
name_next(struct mica_text *rest)
{
    size_t from = script_skip(*rest, 0), to = from;

    while (to < rest->len && !is_space(rest->ptr[to]) &&
           strchr("{},*", rest->ptr[to]) == NULL)
        to++;
    if (to == from && to < rest->len)
        to++;
    struct mica_text word = mica_text_slice(*rest, from, to);
    *rest = mica_text_slice(*rest, to, rest->len);
    return word;
}

// { A, B as C } becomes const { A, B: C } = VALUE; and * as V becomes const V = VALUE;
// and a name, as in `import engine from`, becomes const { default: engine } = VALUE; if the
// module has a default.
// Returns false for other forms.
static bool
write_names(struct mica_buffer *out, struct mica_text what, const char *valuez,
            bool has_default)
{
    struct mica_text first = name_next(&what), word;
    bool all = mica_text_is(first, "*");

    if (!all && !mica_text_is(first, "{")) {
        if (!has_default)
            return false;
        mica_buffer_format(out, "const { default: %.*s } = %s;",
                           MICA_ARG(first), valuez);
        return first.len > 0 && !mica_text_is(first, ",") &&
               mica_text_is(name_next(&what), "from");
    }
    mica_buffer_format(out, "const %s", all ? "" : "{ ");
    for (word = name_next(&what); word.len > 0; word = name_next(&what)) {
        if (mica_text_is(word, "from"))
            break;
        if (mica_text_is(word, "as"))
            mica_buffer_format(out, "%s", all ? "" : ": ");
        else
            mica_buffer_format(
                out, "%s%.*s%s", mica_text_is(word, "}") ? " " : "",
                MICA_ARG(word), mica_text_is(word, ",") ? " " : "");
    }
    mica_buffer_format(out, " = %s;", valuez);
    return mica_text_is(word, "from");
}

static enum mica_status
refuse_import(const struct import *import, bool known, struct mica_error *error)
{
    if (!known)
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "a script imports \"%.*s\", and a view may import "
            "nothing; write the module into the document, or "
            "import \"" MODULE "\", which the build writes "
            "there",
            MICA_ARG(import->module));
    return mica_error_set(error, MICA_E_USAGE, "",
                          "a script imports \"%.*s\" in a form that the "
                          "build does not know; write import { App } from "
                          "\"" MODULE "\";",
                          MICA_ARG(import->module));
}

// The expression for a module, or NULL: it is not known.
static const char *
module_value(const struct mica_view_imports *imports, struct mica_text name)
{
    const struct mica_view_module *module = imports->modules;

    if (mica_text_is(name, MODULE))
        return "micaView";
    for (; module != NULL && module->name != NULL; module++) {
        if (mica_text_is(name, module->name))
            return module->value;
    }
    return NULL;
}

// Writes the contents of a script. *imports_out: it imports the module.
static enum mica_status
write_content(struct mica_text content, const struct mica_view_imports *imports,
              struct mica_buffer *out, struct mica_error *error,
              bool *imports_out)
{
    const struct mica_asset *runtime =
        mica_asset_find(&mica_view_assets, MICA_LITERAL("view.js"));
    struct import import;
    size_t at = 0, from = 0;

    *imports_out = false;
    while (import_next(content, &at, &import)) {
        const char *value = module_value(imports, import.module);
        bool is_view = mica_text_is(import.module, MODULE);
        if (value == NULL && imports->others)
            continue;
        if (value == NULL)
            return refuse_import(&import, false, error);
        mica_buffer_text(out, mica_text_slice(content, from, import.begin));
        if (is_view && !*imports_out)
            write_script(out, runtime->bytes);
        if (!write_names(out, import.what, value, !is_view))
            return refuse_import(&import, true, error);
        *imports_out = *imports_out || is_view;
        from = import.end;
    }
    mica_buffer_text(out, mica_text_slice(content, from, content.len));
    return MICA_OK;
}

// ---- Documents -------------------------------------------------------------------

static bool
is_module(const struct mica_view_tag *tag)
{
    struct mica_text type;

    return mica_view_tag_is(tag, "script") &&
           mica_view_tag_attribute(tag, "type", &type) &&
           mica_ascii_is(type, "module");
}

static enum mica_status
refuse_source(const struct mica_view_tag *tag, struct mica_error *error)
{
    struct mica_text source;

    if (!mica_view_tag_is(tag, "script") ||
        !mica_view_tag_attribute(tag, "src", &source) ||
        !mica_text_starts(source, "mica:"))
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "a script has src=\"%.*s\"; write <script "
                          "type=\"module\"> and in it import { App } from "
                          "\"" MODULE "\";",
                          MICA_ARG(source));
}

enum mica_status
mica_view_inline(struct mica_text document, struct mica_buffer *out,
                 struct mica_error *error)
{
    const struct mica_view_imports none = {.modules = NULL};

    return mica_view_inline_with(document, &none, out, error);
}

enum mica_status
mica_view_inline_with(struct mica_text document,
                      const struct mica_view_imports *imports,
                      struct mica_buffer *out, struct mica_error *error)
{
    struct mica_view_tag tag;
    size_t at = 0, written = 0;
    bool done = false, uses;

    while (mica_view_tag_next(document, &at, &tag)) {
        size_t begin;
        MICA_TRY(refuse_source(&tag, error));
        if (!is_module(&tag))
            continue;
        begin = (size_t)(tag.content.ptr - document.ptr);
        mica_buffer_text(out, mica_text_slice(document, written, begin));
        MICA_TRY(write_content(tag.content, imports, out, error, &uses));
        written = begin + tag.content.len;
        if (uses && done)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "two scripts import \"" MODULE "\", and each "
                                  "would have an App of its own; put them into "
                                  "one script");
        done = done || uses;
    }
    mica_buffer_text(out, mica_text_slice(document, written, document.len));
    if (imports->uses_view_out != NULL)
        *imports->uses_view_out = done;
    return out->overflow
               ? mica_error_set(error, MICA_E_LIMIT, "",
                                "the document is too large with the scripts "
                                "that it imports")
               : MICA_OK;
}
