// SPDX-License-Identifier: Apache-2.0
//
// What the rules look at: the source and manifest of one engine or tool, and the report that
// takes what they find. Each rule_*.c checks one side of it.
#ifndef MICA_CHECK_SUBJECT_H
#define MICA_CHECK_SUBJECT_H

#include "check/check_report.h"
#include "check/source.h"

struct mica_subject {
    struct mica_report *report;
    const struct mica_source *source;
    const struct mica_json *manifest; // NULL until it has been built
};

// Before the build: UTF-8 without hidden characters. False when building it makes no sense.
bool mica_rule_text(const struct mica_subject *subject);

// No member without a field. After the build alone: a comma that is missing hides a field
// from the reader of the source, and the compiler names it.
void mica_rule_members(const struct mica_subject *subject);

// The same, and: one engine, nothing that asks where it runs.
bool mica_rule_source(const struct mica_subject *subject);

// Failures: how mica_fail is called. Needs the manifest for the paths.
void mica_rule_failures(const struct mica_subject *subject);

// Texts that are read as C strings.
void mica_rule_texts(const struct mica_subject *subject);

// What any tool says of itself: title, description, size of the schema.
void mica_rule_words(const struct mica_subject *subject);

// The same of an engine, and its category and output.
void mica_rule_tool(const struct mica_subject *subject);

// Every field: description, unit, time, seed; of a form description and time.
void mica_rule_fields(const struct mica_subject *subject);

// The examples as they are written; running them is another matter.
void mica_rule_examples(const struct mica_subject *subject);

// The page beside the source, if there is one: it imports the engine.
void mica_rule_page(const struct mica_subject *subject);

// An interactive tool before the build: one, named as its file. False when
// building it makes no sense.
bool mica_rule_one_tool(const struct mica_subject *subject);

// Its steps: those that are named are those that run.
void mica_rule_steps(const struct mica_subject *subject);

// The line of MICA_STEP(`step`, …); 0: the source has no such step.
unsigned mica_source_step(const struct mica_source *source,
                          struct mica_text step);

void mica_rule_fetches(const struct mica_subject *subject);
void mica_rule_keeps(const struct mica_subject *subject);

// The document of its view: it loads nothing that the view does not declare.
void mica_rule_view(const struct mica_subject *subject);

// Its examples, if there are any: their inputs fit.
void mica_rule_inputs(const struct mica_subject *subject);

// Notes hidden characters and look-alikes of a text that readers will see.
void mica_rule_visible(const struct mica_subject *subject,
                       struct mica_text text, unsigned line, const char *pathz);

// The line where a literal of the manifest stands in the source, or 0.
unsigned mica_subject_line(const struct mica_subject *subject,
                           struct mica_text text);

#endif
