// SPDX-License-Identifier: Apache-2.0
//
// Reads the literals that are formats, as the formatter (base/formatter.c) reads them.
#include "build/format_words.h"

#include <string.h>

#include "build/word_reader.h"

// Functions that format, and the arguments that can be the format. What stands in
// front of the format of mica_notify is a number or nothing.
static const struct {
    const char *name;
    unsigned first, last;
} functions[] = {
    {"mica_format", 1, 1},        {"mica_fail", 3, 3},
    {"mica_buffer_format", 1, 1}, {"mica_notify", 1, 2},
    {"mica_log", 2, 2},           {"mica_progress", 3, 3},
    {"mica_elicit", 2, 2},        {"mica_elicit_action", 3, 3},
    {"mica_elicit_retry", 4, 4},  {"mica_elicit_url", 2, 2},
};

struct findings {
    const char *source;
    struct mica_buffer *diagnostics;
    struct mica_error *error;
    size_t count;
};

// ---- One format --------------------------------------------------------------------------

static bool
is_in(char c, const char *listz)
{
    return c != '\0' && strchr(listz, c) != NULL;
}

// The length of the directive at `at`, a '%'; 0 when mica has none like it. One that the
// literal's end cuts, as a macro such as PRId64 follows, is taken as good.
static size_t
read_directive(struct mica_text format, size_t at)
{
    size_t start = at++;
    bool precision = false;

    while (at < format.len && is_in(format.ptr[at], "-0"))
        at++;
    while (at < format.len && is_in(format.ptr[at], "0123456789"))
        at++;
    if (at < format.len && format.ptr[at] == '.') {
        precision = true;
        at++;
        if (at < format.len && format.ptr[at] == '*')
            at++;
        while (at < format.len && is_in(format.ptr[at], "0123456789"))
            at++;
    }
    if (at < format.len && format.ptr[at] == 'z')
        at++;
    for (int i = 0; i < 2 && at < format.len && format.ptr[at] == 'l'; i++)
        at++;
    if (at < format.len && !is_in(format.ptr[at], precision ? "s" : "diuxXcs%"))
        return 0;
    return at - start + (at < format.len);
}

// The directive as printf would read it, for the message.
static struct mica_text
shown_directive(struct mica_text format, size_t at)
{
    size_t end = at + 1;

    while (end < format.len && is_in(format.ptr[end], "-+ #0123456789.*hljztL"))
        end++;
    return mica_text_slice(format, at, end + (end < format.len));
}

static const char *
advice_for(char conversion)
{
    if (is_in(conversion, "fFeEgGaA"))
        return "write %s and mica_number(call, value), or mica_fixed(call, "
               "value, 2) for two places";
    if (is_in(conversion, "pn"))
        return "an address means nothing in another run; leave it out";
    return "there are %s %.*s %c %d %i %u %x %X %%, with l, ll and z, a width, "
           "0 and -; a precision is for %.*s alone";
}

static void
note_directive(struct findings *findings, unsigned line,
               struct mica_text directive)
{
    struct mica_error found = {0};

    (void)mica_error_set(&found, MICA_E_BUILD, "",
                         "%s:%u: a format of mica has no %.*s: %s",
                         findings->source, line, MICA_ARG(directive),
                         advice_for(directive.ptr[directive.len - 1]));
    if (findings->count++ == 0)
        *findings->error = found;
    else
        mica_buffer_format(findings->diagnostics, "%s\n", found.message);
}

static void
check_format(struct findings *findings, struct mica_text format, unsigned line)
{
    for (size_t at = 0; at < format.len; at++) {
        size_t len;

        if (format.ptr[at] != '%')
            continue;
        len = read_directive(format, at);
        if (len == 0)
            note_directive(findings, line, shown_directive(format, at));
        else
            at += len - 1;
    }
}

// ---- One call ------------------------------------------------------------------------------

// Looks at the literals of the arguments `first` to `last`. `reader` stands behind the
// name of the function.
static void
check_call(struct findings *findings, struct mica_word_reader reader,
           unsigned first, unsigned last)
{
    unsigned depth = 0, argument = 0;

    while (reader.at < reader.text.len) {
        size_t start = reader.at;
        unsigned line = reader.line;
        char c = reader.text.ptr[start];

        if (mica_word_skip(&reader)) {
            if (c == '"' && depth == 1 && argument >= first &&
                argument <= last && reader.at > start + 1)
                check_format(
                    findings,
                    mica_text_slice(reader.text, start + 1, reader.at - 1),
                    line);
            continue;
        }
        depth += is_in(c, "([{");
        if (is_in(c, ")]}") && --depth == 0)
            return;
        argument += c == ',' && depth == 1;
        reader.line += c == '\n';
        reader.at++;
    }
}

enum mica_status
mica_formats_check(struct mica_text text, const char *source,
                   struct mica_buffer *diagnostics, struct mica_error *error)
{
    struct findings findings = {source, diagnostics, error, 0};
    struct mica_word_reader reader = {.text = text, .line = 1};
    struct mica_text word;

    while (mica_word_next(&reader, &word))
        for (size_t i = 0; i < MICA_COUNT(functions); i++)
            if (mica_text_is(word, functions[i].name) &&
                mica_word_is_call(&reader, word))
                check_call(&findings, reader, functions[i].first,
                           functions[i].last);
    return findings.count == 0 ? MICA_OK : MICA_E_BUILD;
}
