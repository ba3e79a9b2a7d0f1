// SPDX-License-Identifier: Apache-2.0
//
// What the source says by itself: most of it before anything is built, so that no build is
// begun in vain.
#include <string.h>

#include "check/subject.h"

// ---- One engine ----------------------------------------------------------------

static bool
check_count(const struct mica_subject *subject)
{
    const struct mica_source *source = subject->source;
    struct mica_text word;
    size_t count = 0;
    unsigned line = 0;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        if (mica_text_is(word, "MICA_ENGINE")) {
            count++;
            line = mica_source_line(source, mica_source_at(source, word));
        }
    }
    if (count == 1) {
        return true;
    }
    mica_report_add(
        subject->report, MICA_RULE_ENGINE_COUNT, line, "",
        count == 0
            ? "The file has no MICA_ENGINE. End it with MICA_ENGINE(name, "
              "input, output, handler, .title = …, .description = …, "
              ".category = …, .examples = …)."
            : "The file has %zu engines. One file is one tool: move each "
              "engine to a file of its own, named by its slug.",
        count);
    return false;
}

// The slug with '_' for '-' is the engine's name.
static bool
check_name(const struct mica_subject *subject)
{
    const struct mica_source *source = subject->source;
    struct mica_text slug = subject->report->slug, word, name = {NULL, 0};
    bool same;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t open = mica_source_skip(source, at);

        if (mica_text_is(word, "MICA_ENGINE") && open < source->code.len) {
            (void)mica_source_arguments(source, open, &name, 1);
            break;
        }
    }
    same = name.len == slug.len;
    for (size_t i = 0; same && i < slug.len; i++) {
        same = name.ptr[i] == (slug.ptr[i] == '-' ? '_' : slug.ptr[i]);
    }
    if (!same) {
        mica_report_add(
            subject->report, MICA_RULE_SLUG_MISMATCH,
            name.len > 0
                ? mica_source_line(source, mica_source_at(source, name))
                : 0,
            "",
            "MICA_ENGINE names the engine '%.*s', its file '%.*s.c'. Make them "
            "the same, with '_' in C for '-' in the file name.",
            MICA_ARG(name), MICA_ARG(slug));
    }
    return same;
}

// ---- The same everywhere ---------------------------------------------------------

static bool
asks_where(struct mica_text word)
{
    static const char *const words[] = {
        "asm",
        "__asm",
        "__asm__",
        "__wasm__",
        "__wasm",
        "__wasm32__",
        "__wasm32",
        "__x86_64__",
        "__x86_64",
        "__amd64__",
        "__i386__",
        "__aarch64__",
        "__arm__",
        "__riscv",
        "__linux__",
        "__unix__",
        "__APPLE__",
        "__clang__",
        "__GNUC__",
        "__LP64__",
        "__SIZEOF_POINTER__",
        "MICA_MODULE",
        "__DATE__",
        "__TIME__",
        "__TIMESTAMP__",
        "__FILE__",
        "__OPTIMIZE__",
        "__BYTE_ORDER__",
    };

    for (size_t i = 0; i < MICA_COUNT(words); i++) {
        if (mica_text_is(word, words[i])) {
            return true;
        }
    }
    return false;
}

static bool
check_portable(const struct mica_subject *subject)
{
    // Preprocessor lines ask as well.
    struct mica_source whole = *subject->source;
    struct mica_text word;

    whole.code = whole.lines;
    for (size_t at = 0; mica_source_word(&whole, &at, &word);) {
        if (!asks_where(word)) {
            continue;
        }
        mica_report_add(
            subject->report, MICA_RULE_NOT_PORTABLE,
            mica_source_line(&whole, mica_source_at(&whole, word)), "",
            "'%.*s' lets the engine differ from machine to machine or from "
            "build to build. Write what means the same in a browser and on a "
            "server.",
            MICA_ARG(word));
        return false;
    }
    return true;
}

// ---- Members and fields ------------------------------------------------------------

// The last identifier of a declarator, before an array's bracket.
static struct mica_text
declared_name(const struct mica_source *source, struct mica_text declarator)
{
    size_t start = mica_source_at(source, declarator);
    struct mica_source part = *source;
    struct mica_text word = {NULL, 0}, name = {NULL, 0};
    size_t end = start;

    while (end < start + declarator.len && source->code.ptr[end] != '[') {
        end++;
    }
    part.code.len = end;
    for (size_t at = start; mica_source_word(&part, &at, &word);) {
        name = word;
    }
    return name;
}

static bool
record_names(const struct mica_source *source, size_t open,
             struct mica_text member)
{
    struct mica_text fields[64], name;
    size_t count = mica_source_arguments(source, open, fields, 64);

    for (size_t i = 1; i < count && i < 64; i++) {
        size_t at = mica_source_at(source, fields[i]);

        while (at < source->code.len && source->code.ptr[at] != '(') {
            at++;
        }
        if (mica_source_arguments(source, at, &name, 1) > 0 &&
            mica_text_equal(name, member)) {
            return true;
        }
    }
    return false;
}

// A declaration without its ';': names behind a struct's '}' or a type.
static void
check_declaration(const struct mica_subject *subject, size_t from, size_t to,
                  struct mica_text tag, size_t record)
{
    const struct mica_source *source = subject->source;
    size_t start = from;

    for (size_t i = from; i < to; i++) {
        if (source->code.ptr[i] == '{') {
            i = mica_source_close(source, i) - 1;
            start = i + 1;
        }
    }
    for (size_t i = start; i <= to; i++) {
        struct mica_text name;

        if (i < to && source->code.ptr[i] != ',') {
            continue;
        }
        name = declared_name(source, mica_text_slice(source->code, start, i));
        start = i + 1;
        if (name.len == 0 || mica_text_starts(name, "has_") ||
            record_names(source, record, name)) {
            continue;
        }
        mica_report_add(
            subject->report, MICA_RULE_MEMBER_FORGOTTEN,
            mica_source_line(source, mica_source_at(source, name)), "",
            "Member '%.*s' of struct %.*s has no field in MICA_RECORD(%.*s, "
            "…): nothing would ever read or write it. Add its field, or remove "
            "the member.",
            MICA_ARG(name), MICA_ARG(tag), MICA_ARG(tag));
    }
}

static void
check_members(const struct mica_subject *subject, size_t open,
              struct mica_text tag, size_t record)
{
    const struct mica_source *source = subject->source;
    size_t end = mica_source_close(source, open), from = open + 1;

    for (size_t i = from; i + 1 < end; i++) {
        if (source->code.ptr[i] == '{') {
            i = mica_source_close(source, i) - 1;
        } else if (source->code.ptr[i] == ';') {
            check_declaration(subject, from, i, tag, record);
            from = i + 1;
        }
    }
}

// The '{' of `struct tag {`; the text's length when it is not defined here.
static size_t
source_definition(const struct mica_source *source, struct mica_text tag)
{
    struct mica_text word, before = {NULL, 0};

    for (size_t at = 0; mica_source_word(source, &at, &word); before = word) {
        size_t open = mica_source_skip(source, at);

        if (mica_text_equal(word, tag) && mica_text_is(before, "struct") &&
            open < source->code.len && source->code.ptr[open] == '{') {
            return open;
        }
    }
    return source->code.len;
}

void
mica_rule_members(const struct mica_subject *subject)
{
    const struct mica_source *source = subject->source;
    struct mica_text word, tag;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t open = mica_source_skip(source, at), members;

        if (!mica_text_is(word, "MICA_RECORD") || open >= source->code.len ||
            mica_source_arguments(source, open, &tag, 1) == 0) {
            continue;
        }
        members = source_definition(source, tag);
        if (members < source->code.len) {
            check_members(subject, members, tag, open);
        }
    }
}

// Line by line, for the numbers.
static void
check_visible(const struct mica_subject *subject)
{
    struct mica_text rest = subject->source->text;

    for (unsigned line = 1; rest.len > 0; line++) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t size = end != NULL ? (size_t)(end - rest.ptr) : rest.len;

        mica_rule_visible(subject, mica_text_slice(rest, 0, size), line, "");
        rest = mica_text_slice(rest, size + 1, rest.len);
    }
}

bool
mica_rule_text(const struct mica_subject *subject)
{
    struct mica_text text = subject->source->text;
    size_t valid = mica_utf8_valid(text);

    if (valid < text.len) {
        mica_report_add(subject->report, MICA_RULE_BUILD_FAILED,
                        mica_source_line(subject->source, valid), "",
                        "The source is not UTF-8 from this line on. Save it "
                        "as UTF-8.");
        return false;
    }
    check_visible(subject);
    return true;
}

bool
mica_rule_source(const struct mica_subject *subject)
{
    return mica_rule_text(subject) && check_count(subject) &&
           check_name(subject) && check_portable(subject);
}
