// SPDX-License-Identifier: Apache-2.0
//
// A mica_text has a length and no end: where a C string is wanted, its `ptr` leads
// past it.
#include <string.h>

#include "check/subject.h"

enum {
    ARGUMENTS = 40
};

// "in->name.ptr", "text->ptr"; not what a function has made, as "mica_text("a").ptr".
static bool
is_pointer_of_text(struct mica_text argument)
{
    static const char *const ends[] = {".ptr", "->ptr"};

    for (size_t i = 0; i < MICA_COUNT(ends); i++) {
        size_t len = strlen(ends[i]);
        if (argument.len > len && argument.ptr[argument.len - len - 1] != ')' &&
            memcmp(argument.ptr + argument.len - len, ends[i], len) == 0)
            return true;
    }
    return false;
}

static void
tell_text(const struct mica_subject *subject, struct mica_text argument,
          struct mica_text function, bool formatted)
{
    size_t name =
        argument.len - (argument.ptr[argument.len - 4] == '.' ? 4 : 5);
    struct mica_text text = mica_text_slice(argument, 0, name);
    unsigned line = mica_source_line(subject->source,
                                     mica_source_at(subject->source, argument));

    if (formatted)
        mica_report_add(subject->report, MICA_RULE_TEXT_AS_STRING, line, "",
                        "%%s reads %.*s to a NUL, which no text has. Write "
                        "%%.*s and MICA_ARG(%.*s).",
                        MICA_ARG(argument), MICA_ARG(text));
    else
        mica_report_add(subject->report, MICA_RULE_TEXT_AS_STRING, line, "",
                        "%.*s reads %.*s to a NUL, which no text has. Its "
                        "length is %.*s.len; compare with mica_text_is or "
                        "mica_text_equal, and search up to the length.",
                        MICA_ARG(function), MICA_ARG(argument), MICA_ARG(text));
}

// How many arguments a format takes of a span: MICA_ARG(x) is two.
static size_t
span_width(struct mica_text span)
{
    return mica_text_starts(span, "MICA_ARG") ? 2 : 1;
}

// The span at place `index` of the format's arguments; false for none, or within a
// MICA_ARG.
static bool
find_span(const struct mica_text *spans, size_t count, size_t index,
          struct mica_text *span_out)
{
    size_t place = 0;

    for (size_t i = 0; i < count; place += span_width(spans[i++])) {
        if (place != index)
            continue;
        *span_out = spans[i];
        return span_width(spans[i]) == 1;
    }
    return false;
}

// Each %s without a length, and the argument that it prints.
static void
check_format(const struct mica_subject *subject, struct mica_text format,
             const struct mica_text *spans, size_t count)
{
    size_t index = 0;

    for (size_t at = 0; at + 1 < format.len; at++) {
        bool bounded = false;
        struct mica_text span;

        if (format.ptr[at] != '%')
            continue;
        for (at++; at < format.len &&
                   strchr("-0123456789.*lz", format.ptr[at]) != NULL;
             at++) {
            bounded = bounded || format.ptr[at] == '.';
            index += format.ptr[at] == '*';
        }
        if (at >= format.len || format.ptr[at] == '%')
            continue;
        if (format.ptr[at] == 's' && !bounded &&
            find_span(spans, count, index, &span) && is_pointer_of_text(span))
            tell_text(subject, span, format, true);
        index++;
    }
}

// Functions that format, and at which argument.
static const struct {
    const char *name;
    size_t format;
} formats[] = {
    {"mica_format", 1},       {"mica_fail", 3},       {"mica_buffer_format", 1},
    {"mica_notify", 1},       {"mica_log", 2},        {"mica_progress", 3},
    {"mica_elicit", 2},       {"mica_elicit_url", 2}, {"mica_elicit_action", 3},
    {"mica_elicit_retry", 4},
};

static void
check_call(const struct mica_subject *subject, struct mica_text function,
           const struct mica_text *arguments, size_t count)
{
    // What bounds how far it reads is not among them.
    static const char *const strings[] = {"strlen",  "strcmp",   "strchr",
                                          "strrchr", "strstr",   "strspn",
                                          "strcspn", "mica_text"};
    const struct mica_source *source = subject->source;
    struct mica_text format;
    size_t at = 0;

    for (size_t i = 0; i < MICA_COUNT(strings); i++)
        for (size_t j = 0; mica_text_is(function, strings[i]) && j < count; j++)
            if (is_pointer_of_text(arguments[j]))
                tell_text(subject, arguments[j], function, false);
    for (size_t i = 0; i < MICA_COUNT(formats); i++) {
        size_t place = formats[i].format;
        if (mica_text_is(function, "mica_notify") && count > 2 &&
            !mica_source_is_literal(source, arguments[1]))
            place = 2; // a number stands in front
        if (mica_text_is(function, formats[i].name) && place < count &&
            mica_source_literal(source, subject->report->arena,
                                arguments[place], &at, &format))
            check_format(subject, format, arguments + place + 1,
                         count - place - 1);
    }
}

void
mica_rule_texts(const struct mica_subject *subject)
{
    const struct mica_source *source = subject->source;
    struct mica_text word, arguments[ARGUMENTS];

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t open = mica_source_skip(source, at), count;
        if (open >= source->code.len || source->code.ptr[open] != '(')
            continue;
        count = mica_source_arguments(source, open, arguments, ARGUMENTS);
        check_call(subject, word, arguments,
                   count < ARGUMENTS ? count : ARGUMENTS);
    }
}
