// SPDX-License-Identifier: Apache-2.0
//
// The tool as an agent meets it in a list of many: how it is named, what it says
// of itself, what shape its answer has.
#include "base/unicode.h"
#include "check/field_names.h"
#include "check/fields.h"
#include "check/subject.h"

enum {
    LITERAL_BYTES = 8192,
    TITLE_MIN = 3,
    TITLE_MAX = 60,
    CATEGORY_MAX = 24,
    DESCRIPTION_MIN = 40,
    DESCRIPTION_MAX = 800,
    SCHEMA_MAX = 8192
};

unsigned
mica_subject_line(const struct mica_subject *subject, struct mica_text text)
{
    struct mica_buffer literal;
    unsigned line;

    mica_buffer_init(&literal, subject->report->arena, LITERAL_BYTES);
    mica_buffer_format(&literal, "\"%.*s\"", MICA_ARG(text));
    line = literal.overflow ? 0
                            : mica_source_find(subject->source,
                                               mica_buffer_as_text(&literal));
    // A long literal is written in parts: its start is enough to find it.
    for (size_t size = text.len; size >= 12 && line == 0; size /= 2) {
        line =
            mica_source_find(subject->source, mica_text_slice(text, 0, size));
    }
    return line;
}

// What stands in the source as such has been noted there, with its line.
static bool
stands_in_source(const struct mica_subject *subject, uint32_t code_point)
{
    char bytes[4];
    size_t size =
        mica_utf8_encode(code_point == 0xFFFFFFFF ? 0 : code_point, bytes);
    struct mica_text raw = {bytes, size};

    return mica_source_find(subject->source, raw) > 0;
}

void
mica_rule_visible(const struct mica_subject *subject, struct mica_text text,
                  unsigned line, const char *pathz)
{
    size_t index = 0;
    uint32_t found = mica_hidden_find(text, &index);
    struct mica_text word;

    if (found != 0 && !(*pathz != '\0' && stands_in_source(subject, found))) {
        mica_report_add(
            subject->report, MICA_RULE_HIDDEN_UNICODE, line, pathz,
            "Character %zu is U+%04X, a %s: a model reads it, a person does "
            "not see it. Remove it, also where it is written as an escape.",
            index + 1, found == 0xFFFFFFFF ? 0 : found,
            mica_hidden_name(found));
    }
    if (mica_lookalike_find(text, &word, &found) &&
        !(*pathz != '\0' && stands_in_source(subject, found))) {
        mica_report_add(
            subject->report, MICA_RULE_LOOKALIKE_LETTERS, line, pathz,
            "The word that starts with '%.*s' mixes Latin letters with U+%04X, "
            "which only looks like one. Write the word in one alphabet.",
            MICA_ARG(word), found);
    }
}

static void
check_title(const struct mica_subject *subject)
{
    struct mica_text title = mica_json_get_text(subject->manifest, "title");
    size_t length = mica_text_length(title);
    unsigned line = mica_subject_line(subject, title);

    if (length == 0) {
        mica_report_add(subject->report, MICA_RULE_TITLE_FORM, line, "title",
                        "There is no title. Give a short name, as a person "
                        "would call it: .title = \"Unit converter\".");
        return;
    }
    if (length < TITLE_MIN || length > TITLE_MAX ||
        mica_word_count(title) == 0 || title.ptr[title.len - 1] == '.') {
        mica_report_add(
            subject->report, MICA_RULE_TITLE_FORM, line, "title",
            "The title '%.*s' is no short name. Give %d to %d characters "
            "without a full stop, as a person would call it: 'Unit converter'.",
            MICA_ARG(title), TITLE_MIN, TITLE_MAX);
    }
    mica_rule_visible(subject, title, line, "title");
}

static void
check_category(const struct mica_subject *subject)
{
    struct mica_text category =
        mica_json_get_text(subject->manifest, "category");

    if (!mica_is_kebab(category) || category.len > CATEGORY_MAX) {
        mica_report_add(
            subject->report, MICA_RULE_CATEGORY_FORM,
            mica_subject_line(subject, category), "category",
            "The category '%.*s' groups nothing. Give one lower-case word of "
            "at most %d letters that other engines share, e.g. \"math\", "
            "\"text\", \"time\", \"money\".",
            MICA_ARG(category), CATEGORY_MAX);
    }
}

// Full stops, also of other scripts and before a closing bracket.
static bool
ends_a_sentence(struct mica_text text)
{
    static const char *const ends[] = {".",   "!",   "?",   "…",  ".)",
                                       ".\"", "?\"", "!\"", ".'", "。",
                                       "！",  "？",  "।",   ".”"};

    for (size_t i = 0; i < MICA_COUNT(ends); i++) {
        struct mica_text end = mica_text(ends[i]);

        if (text.len >= end.len &&
            mica_text_equal(mica_text_slice(text, text.len - end.len, text.len),
                            end)) {
            return true;
        }
    }
    return false;
}

static void
check_description(const struct mica_subject *subject)
{
    struct mica_report *report = subject->report;
    struct mica_text title = mica_json_get_text(subject->manifest, "title");
    struct mica_text text =
        mica_json_get_text(subject->manifest, "description");
    size_t length = mica_text_length(text);
    unsigned line = mica_subject_line(subject, text);

    if (length < DESCRIPTION_MIN || length > DESCRIPTION_MAX) {
        mica_report_add(
            report, MICA_RULE_DESCRIPTION_SIZE, line, "description",
            "The description has %zu characters; it should have %d to %d. Say "
            "in a sentence or a little more what the tool does with which "
            "input, so that an agent can choose it among many.",
            length, DESCRIPTION_MIN, DESCRIPTION_MAX);
    } else if (!mica_words_add(text, title) || mica_word_count(text) < 5) {
        mica_report_add(
            report, MICA_RULE_DESCRIPTION_EMPTY, line, "description",
            "The description only repeats the title '%.*s'. Begin with what "
            "the tool does: 'Convert …', 'Count …', and name what goes in and "
            "what comes out.",
            MICA_ARG(title));
    }
    if (!ends_a_sentence(text)) {
        mica_report_add(report, MICA_RULE_DESCRIPTION_PUNCTUATION, line,
                        "description",
                        "The description does not end a sentence. End it with "
                        "a full stop; a text without one may have been cut.");
    }
    mica_rule_visible(subject, text, line, "description");
}

// One field is enough when it is no text; a lone text cannot be told apart.
static void
check_output(const struct mica_subject *subject)
{
    const struct mica_json *schema =
        mica_json_get(subject->manifest, "outputSchema");
    const struct mica_json *fields = mica_json_get(schema, "properties");

    if (fields != NULL &&
        (fields->count > 1 ||
         (fields->count == 1 &&
          mica_value_kind(&fields->members[0].value) != MICA_VALUE_TEXT))) {
        return;
    }
    mica_report_add(
        subject->report, MICA_RULE_OUTPUT_UNSTRUCTURED, 0, "output",
        "The output is %s. Give the parts of the answer as fields of their "
        "own, so that a program need not read prose: the number, its unit, "
        "and beside them the text if people want it.",
        fields != NULL && fields->count == 1 ? "a lone text" : "empty");
}

static void
check_schema_size(const struct mica_subject *subject)
{
    const struct mica_json *schema =
        mica_json_get(subject->manifest, "inputSchema");

    subject->report->schema_bytes = schema != NULL ? schema->raw.len : 0;
    if (subject->report->schema_bytes > SCHEMA_MAX) {
        mica_report_add(
            subject->report, MICA_RULE_SCHEMA_LARGE, 0, "input",
            "The input schema, examples included, has %zu bytes; every agent "
            "reads it before every task, so keep it below %d. Shorten the "
            "descriptions, or take fewer or smaller examples.",
            subject->report->schema_bytes, SCHEMA_MAX);
    }
}

void
mica_rule_words(const struct mica_subject *subject)
{
    check_title(subject);
    check_description(subject);
    check_schema_size(subject);
}

void
mica_rule_tool(const struct mica_subject *subject)
{
    mica_rule_words(subject);
    check_category(subject);
    check_output(subject);
}
