// SPDX-License-Identifier: Apache-2.0
//
// Themes of published apps: an object of CSS variables, {"--color-text-primary": "#222"}.
// The names are the 76 of MCP Apps (src/view/view_protocol.h) and the nine of mica; the
// values follow a grammar by kind that is far smaller than CSS, so that a value that
// passes cannot leave its declaration. An app's owner is not trusted: nothing of a theme
// is written into a document before mica_theme_check has passed it.
#ifndef MICA_APPS_THEME_H
#define MICA_APPS_THEME_H

#include <mica/json.h>

enum {
    MICA_THEME_OWN = 9,           // variables of mica
    MICA_THEME_NAMES = 76 + 9,    // that a theme can set
    MICA_THEME_VALUE_BYTES = 256, // of one value
    MICA_THEME_SHADOWS = 4,       // layers of one shadow
    MICA_THEME_FONTS = 8,         // names of one font list
    MICA_THEME_FINDINGS = 128     // of one check; later ones are left out
};

// What a value may be.
enum mica_theme_kind {
    // #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), hsl(), hsla(), oklch() of numbers
    // and percentages, a name of CSS Color 4, transparent, or light-dark(COLOR, COLOR).
    MICA_THEME_COLOR,
    MICA_THEME_FONT,   // names, bare or in double quotes, with commas between
    MICA_THEME_WEIGHT, // 1 to 1000, normal or bold
    MICA_THEME_LENGTH, // 0 or a number with px, rem, em or %; not negative
    MICA_THEME_LINE,   // a number, or a length
    MICA_THEME_SHADOW // none, or [inset] 2 to 4 lengths and a color, with commas between
};

// A variable that a theme can set.
struct mica_theme_variable {
    const char *name; // with its two hyphens
    enum mica_theme_kind kind;
};

// The variables of mica; those of MCP Apps have their kind by their name.
extern const struct mica_theme_variable mica_theme_own[MICA_THEME_OWN];

// Finds the kind of a variable. Returns false if a theme cannot set it.
bool mica_theme_kind(struct mica_text name, enum mica_theme_kind *kind_out);

// One thing about a theme. `code` is stable and UPPER_SNAKE:
//   THEME_TYPE            the theme is no object, or a value is no string
//   THEME_UNKNOWN         no variable has that name; the message names the nearest
//   THEME_VALUE           the value is not of its variable's kind
//   THEME_FORBIDDEN       the value holds what could end or extend its declaration
//   THEME_LIMIT           the value is too long
//   THEME_CONTRAST        (warning) text and background are too alike
struct mica_theme_finding {
    const char *code;
    bool error; // it forbids publishing; false: a warning
    struct mica_text
        variable; // the name as the theme has it, or empty: the whole
    struct mica_text message; // what is wrong, and how to mend it
};

// In the order of the theme; warnings come last.
struct mica_theme_findings {
    const struct mica_theme_finding *items;
    size_t count, errors; // `errors` of them are no warnings
};

// Checks a theme. `theme` may be NULL: an app without one. MICA_OK whatever it finds;
// MICA_E_LIMIT if the arena is full. Owner: the findings are in `arena` and in `theme`.
enum mica_status mica_theme_check(const struct mica_json *theme,
                                  struct mica_arena *arena,
                                  struct mica_theme_findings *findings_out)
    MICA_MUST_USE;

// Is that one value right for the kind? The grammar alone.
bool mica_theme_value(enum mica_theme_kind kind, struct mica_text value);

// Appends `name:value;` for each variable whose name and value are right, and nothing for
// any other: what a document has between the braces of a rule.
void mica_theme_write(const struct mica_json *theme, struct mica_buffer *out);

#endif
