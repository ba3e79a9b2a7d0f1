// SPDX-License-Identifier: Apache-2.0
//
// The examples as written: titles, what they expect, what they hide.
#include "check/field_names.h"
#include "check/subject.h"

enum {
    TITLE_MIN = 3,
    TITLE_MAX = 60
};

static const char *
example_path(const struct mica_subject *subject, size_t index)
{
    struct mica_buffer path;

    mica_buffer_init(&path, subject->report->arena, 32);
    mica_buffer_format(&path, "examples/%zu", index);
    mica_buffer_char(&path, '\0');
    return path.overflow ? "examples" : path.ptr;
}

static void
check_title(const struct mica_subject *subject,
            const struct mica_json *examples, size_t index, unsigned line)
{
    struct mica_text title =
        mica_json_get_text(&examples->items[index], "title");
    size_t length = mica_text_length(title);
    const char *pathz = example_path(subject, index);

    if (length < TITLE_MIN || length > TITLE_MAX ||
        mica_word_count(title) == 0) {
        mica_report_add(subject->report, MICA_RULE_EXAMPLE_TITLE, line, pathz,
                        "The title '%.*s' has %zu character%s; give %d to %d "
                        "that say what the example shows.",
                        MICA_ARG(title), length, length == 1 ? "" : "s",
                        TITLE_MIN, TITLE_MAX);
    }
    for (size_t i = 0; i < index; i++) {
        if (mica_text_equal(title,
                            mica_json_get_text(&examples->items[i], "title"))) {
            mica_report_add(subject->report, MICA_RULE_EXAMPLE_TITLE_REPEATED,
                            line, pathz,
                            "Example %zu has the title '%.*s' as well. Say in "
                            "the titles how they differ.",
                            i, MICA_ARG(title));
            return;
        }
    }
}

static void
check_example(const struct mica_subject *subject,
              const struct mica_json *examples, size_t index)
{
    const struct mica_json *example = &examples->items[index];
    const struct mica_json *output = mica_json_get(example, "output");
    const char *pathz = example_path(subject, index);
    unsigned line =
        mica_subject_line(subject, mica_json_get_text(example, "title"));

    check_title(subject, examples, index, line);
    if (output != NULL && output->count == 0) {
        mica_report_add(subject->report, MICA_RULE_EXAMPLE_EXPECTATION, line,
                        pathz,
                        "The example expects an output, but names no field of "
                        "it, so it cannot fail. Give at least the field that "
                        "it is about.");
    }
    // As written: what stands there as an escape is no longer hidden.
    mica_rule_visible(subject, example->raw, line, pathz);
}

void
mica_rule_examples(const struct mica_subject *subject)
{
    const struct mica_json *examples =
        mica_json_get(subject->manifest, "examples");
    size_t count = examples != NULL ? examples->count : 0;

    if (count == 0) {
        mica_report_add(subject->report, MICA_RULE_EXAMPLES_MISSING, 0,
                        "examples",
                        "There are no examples. Add .examples = "
                        "MICA_EXAMPLES({\"title\", MICA_JSON({input}), "
                        "MICA_JSON({output})}, …): each is a test, and "
                        "guidance for people and agents.");
    }
    for (size_t i = 0; i < count; i++) {
        check_example(subject, examples, i);
    }
}
