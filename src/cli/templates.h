// SPDX-License-Identifier: Apache-2.0
//
// What `mica new` writes: sources that build, pass every check and answer, and the
// files of a project. They lie in src/cli/templates, and are inside the program.
#ifndef MICA_CLI_TEMPLATES_H
#define MICA_CLI_TEMPLATES_H

#include <mica/base.h>

// In the text stand @IDENTIFIER@ (greet_person), @NAME@ (greet-person), @TITLE@
// (Greet person) and @INCLUDE@ (the folder of mica's headers).
struct mica_template {
    const char *name, *text;
};

// Ends with one whose name is NULL.
extern const struct mica_template mica_templates[];

// The text of that name, which there is.
const char *mica_template_text(const char *namez);

// The template of an engine that --template names: "calculate", "convert", "validate",
// "parse" or "lookup"; NULL for another word.
const char *mica_template_named(const char *wordz);

// What a tool that --template names begins as.
struct mica_tool_template {
    const char *word;          // "interactive", "fetch", "keep"
    const char *source, *test; // names of templates
    const char *origin;        // that the source fetches from, or NULL
};

// NULL as the word is "interactive". NULL for a word that is no template of a tool.
const struct mica_tool_template *mica_tool_template_named(const char *wordz);

// The template that the words of an engine's name ask for, "neutral" when they leave
// it open.
const char *mica_template_for(const char *slugz);

// Appends a text with its places filled in. `include` may be NULL.
void mica_template_fill(struct mica_buffer *out, const char *textz,
                        const char *namez, const char *include);

// Appends the source of another engine or tool under a new name: where its name
// stands as a word, in either spelling, and its title.
void mica_template_rename(struct mica_buffer *out, struct mica_text source,
                          const char *oldz, const char *newz);

#endif
