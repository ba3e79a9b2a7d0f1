// SPDX-License-Identifier: Apache-2.0
//
// The variables of a theme, and what is wrong with one.
#include "apps/theme.h"

#include <math.h>

#include "apps/theme_color.h"
#include "apps/theme_defaults.h"
#include "base/ascii.h"
#include "base/visible.h"
#include "view/view_protocol.h"

_Static_assert(MICA_VIEW_STYLES + MICA_THEME_OWN == MICA_THEME_NAMES,
               "MICA_THEME_NAMES counts both tables");

const struct mica_theme_variable mica_theme_own[MICA_THEME_OWN] = {
    {"--mica-color-accent", MICA_THEME_COLOR},
    {"--mica-color-on-accent", MICA_THEME_COLOR},
    {"--mica-chart-1", MICA_THEME_COLOR},
    {"--mica-chart-2", MICA_THEME_COLOR},
    {"--mica-chart-3", MICA_THEME_COLOR},
    {"--mica-chart-4", MICA_THEME_COLOR},
    {"--mica-chart-5", MICA_THEME_COLOR},
    {"--mica-chart-6", MICA_THEME_COLOR},
    {"--mica-space", MICA_THEME_LENGTH},
};

// ---- Names -----------------------------------------------------------------------

static const char *
variable_name(size_t at)
{
    return at < MICA_VIEW_STYLES ? mica_view_styles[at]
                                 : mica_theme_own[at - MICA_VIEW_STYLES].name;
}

static bool
name_ends(struct mica_text name, const char *endz)
{
    struct mica_text end = mica_text(endz);

    return name.len >= end.len &&
           mica_text_equal(mica_text_slice(name, name.len - end.len, name.len),
                           end);
}

// The kind of a variable of MCP Apps: its name says it.
static enum mica_theme_kind
kind_by_name(struct mica_text name)
{
    if (mica_text_starts(name, "--color-"))
        return MICA_THEME_COLOR;
    if (mica_text_starts(name, "--shadow-"))
        return MICA_THEME_SHADOW;
    if (mica_text_starts(name, "--font-weight-"))
        return MICA_THEME_WEIGHT;
    if (name_ends(name, "-line-height"))
        return MICA_THEME_LINE;
    if (mica_text_is(name, "--font-sans") || mica_text_is(name, "--font-mono"))
        return MICA_THEME_FONT;
    return MICA_THEME_LENGTH;
}

bool
mica_theme_kind(struct mica_text name, enum mica_theme_kind *kind_out)
{
    for (size_t i = 0; i < MICA_THEME_NAMES; i++) {
        if (!mica_text_is(name, variable_name(i)))
            continue;
        *kind_out = i < MICA_VIEW_STYLES
                        ? kind_by_name(name)
                        : mica_theme_own[i - MICA_VIEW_STYLES].kind;
        return true;
    }
    return false;
}

static const char *
nearest_name(struct mica_text name)
{
    const char *nearest = NULL;
    size_t least = 7; // edits; names of one family differ by as many

    for (size_t i = 0; i < MICA_THEME_NAMES; i++) {
        size_t distance =
            mica_text_distance(name, mica_text(variable_name(i)), least - 1);
        if (distance < least) {
            least = distance;
            nearest = variable_name(i);
        }
        if (least == 0)
            break;
    }
    return nearest;
}

// ---- Findings --------------------------------------------------------------------

struct theme_check {
    struct mica_arena *arena;
    struct mica_theme_finding *items;
    size_t count, errors;
};

// The message is made by mica_visible_format: a value of an owner obeys nothing.
static void MICA_PRINTF(5, 6)
    find(struct theme_check *check, const char *code, bool error,
         struct mica_text variable, const char *formatz, ...)
{
    struct mica_buffer message;
    va_list arguments;

    if (check->count == MICA_THEME_FINDINGS)
        return;
    mica_buffer_init(&message, check->arena, 1 << 10);
    va_start(arguments, formatz);
    mica_visible_vformat(&message, formatz, arguments);
    va_end(arguments);
    check->errors += error;
    check->items[check->count++] = (struct mica_theme_finding){
        code, error, variable, mica_buffer_as_text(&message)};
}

static const char *
kind_words(enum mica_theme_kind kind)
{
    static const char *const words[] = {
        [MICA_THEME_COLOR] = "a color: #rrggbb, rgb(), hsl(), oklch(), a name, "
                             "or light-dark(COLOR, COLOR)",
        [MICA_THEME_FONT] = "names of fonts with commas between, as "
                            "\"Noto Sans\", sans-serif",
        [MICA_THEME_WEIGHT] = "a number from 1 to 1000, normal or bold",
        [MICA_THEME_LENGTH] = "a length from 0 on in px, rem, em or %",
        [MICA_THEME_LINE] = "a number up to 10, or a length in px, rem or em",
        [MICA_THEME_SHADOW] = "none, or 2 to 4 lengths and a color, as "
                              "0 1px 3px #0003",
    };

    return words[kind];
}

// What could end a declaration or its element, load something, or hide a text. The grammar
// refuses it, too; here it gets words of its own. NULL: there is nothing.
static const char *
forbidden_part(struct mica_text value)
{
    static const char *const parts[] = {
        "url(", "image(", "image-set(", "src(", "expression(", ";",  "{", "}",
        "<",    ">",      "\\",         "@",    "!",           "/*", "*/"};

    for (size_t at = 0; at < value.len; at++) {
        struct mica_text rest = mica_text_slice(value, at, value.len);
        for (size_t i = 0; i < MICA_COUNT(parts); i++) {
            struct mica_text part = mica_text(parts[i]);
            if (rest.len >= part.len &&
                mica_ascii_same(rest.ptr, part.ptr, part.len))
                return parts[i];
        }
    }
    return NULL;
}

static void
check_value(struct theme_check *check, struct mica_text name,
            enum mica_theme_kind kind, struct mica_text value)
{
    const char *part;

    if (value.len > MICA_THEME_VALUE_BYTES)
        find(check, "THEME_LIMIT", true, name,
             "%.*s has %zu bytes; a value has at most %d.", MICA_ARG(name),
             value.len, MICA_THEME_VALUE_BYTES);
    else if ((part = forbidden_part(value)) != NULL)
        find(check, "THEME_FORBIDDEN", true, name,
             "%.*s may not have '%s' in its value. It is %s.", MICA_ARG(name),
             part, kind_words(kind));
    else if (!mica_theme_value(kind, value))
        find(check, "THEME_VALUE", true, name, "%.*s is %s, not '%.*s'.",
             MICA_ARG(name), kind_words(kind), MICA_ARG(value));
}

static void
check_member(struct theme_check *check, const struct mica_json_member *member)
{
    struct mica_text name = mica_utf8_cut(member->name, 64);
    enum mica_theme_kind kind;

    if (!mica_theme_kind(member->name, &kind)) {
        const char *nearest =
            member->name.len <= 64 ? nearest_name(member->name) : NULL;
        find(check, "THEME_UNKNOWN", true, member->name,
             nearest != NULL ? "No variable is named %.*s; did you mean %s?"
                             : "No variable is named %.*s. The names are the "
                               "76 of MCP Apps and those that begin with %s.",
             MICA_ARG(name), nearest != NULL ? nearest : "--mica-");
    } else if (member->value.kind != MICA_JSON_STRING) {
        find(check, "THEME_TYPE", true, member->name,
             "%.*s must be a string: %s.", MICA_ARG(name), kind_words(kind));
    } else {
        check_value(check, member->name, kind, member->value.text);
    }
}

// ---- Contrast --------------------------------------------------------------------

static const struct {
    const char *text, *background;
} contrast_pairs[] = {
    {"--color-text-primary", "--color-background-primary"},
    {"--color-text-primary", "--color-background-secondary"},
    {"--color-text-primary", "--color-background-tertiary"},
    {"--color-text-secondary", "--color-background-primary"},
    {"--color-text-secondary", "--color-background-secondary"},
    {"--color-text-tertiary", "--color-background-primary"},
    {"--color-text-inverse", "--color-background-inverse"},
    {"--color-text-info", "--color-background-info"},
    {"--color-text-danger", "--color-background-danger"},
    {"--color-text-danger", "--color-background-primary"},
    {"--color-text-success", "--color-background-success"},
    {"--color-text-warning", "--color-background-warning"},
    {"--mica-color-accent", "--color-background-primary"},
    {"--mica-color-on-accent", "--mica-color-accent"},
};

// WCAG 2.2, 1.4.3, for text of any size.
static const double contrast_least = 4.5;

// The color of a variable: of the theme, or what a widget has without it.
static bool
color_of(const struct mica_json *theme, const char *name,
         struct mica_color_pair *color_out)
{
    const struct mica_json *set = mica_json_get(theme, name);

    if (set != NULL && set->kind == MICA_JSON_STRING &&
        mica_theme_value(MICA_THEME_COLOR, set->text))
        return mica_color_read(set->text, color_out);
    return mica_color_read(mica_text(mica_theme_default(name)), color_out);
}

// One finding for both schemes, at a variable that the theme sets.
static void
check_pair(struct theme_check *check, const struct mica_json *theme,
           const char *text, const char *background, double light, double dark)
{
    bool in_light = light < contrast_least, in_dark = dark < contrast_least;
    const char *at = mica_json_get(theme, text) != NULL ? text : background;
    char number[MICA_NUMBER_SIZE];

    if (!in_light && !in_dark)
        return;
    mica_number_write(mica_round(fmin(light, dark), 1), number);
    find(check, "THEME_CONTRAST", false, mica_text(at),
         "%s on %s has a contrast of %s to 1 in %s; text that all can read "
         "has 4.5 to 1 or more.",
         text, background, number,
         !in_dark    ? "a light theme"
         : !in_light ? "a dark theme"
                     : "light and dark themes");
}

static void
check_contrast(struct theme_check *check, const struct mica_json *theme)
{
    static const struct mica_color white = {1, 1, 1, 1}, black = {0, 0, 0, 1};
    struct mica_color_pair text, background, page;

    if (!color_of(theme, "--color-background-primary", &page))
        return;
    page.light = mica_color_over(page.light, white);
    page.dark = mica_color_over(page.dark, black);
    for (size_t i = 0; i < MICA_COUNT(contrast_pairs); i++) {
        const char *front = contrast_pairs[i].text;
        const char *behind = contrast_pairs[i].background;
        if ((mica_json_get(theme, front) == NULL &&
             mica_json_get(theme, behind) == NULL) ||
            !color_of(theme, front, &text) ||
            !color_of(theme, behind, &background))
            continue;
        check_pair(
            check, theme, front, behind,
            mica_color_contrast(text.light, background.light, page.light),
            mica_color_contrast(text.dark, background.dark, page.dark));
    }
}

// ---- A theme ---------------------------------------------------------------------

enum mica_status
mica_theme_check(const struct mica_json *theme, struct mica_arena *arena,
                 struct mica_theme_findings *findings_out)
{
    struct theme_check check = {.arena = arena};

    *findings_out = (struct mica_theme_findings){NULL, 0, 0};
    if (theme == NULL)
        return MICA_OK;
    check.items = mica_arena_zero(arena, MICA_THEME_FINDINGS,
                                  sizeof(struct mica_theme_finding));
    if (check.items == NULL)
        return MICA_E_LIMIT;
    if (theme->kind != MICA_JSON_OBJECT) {
        find(&check, "THEME_TYPE", true, (struct mica_text){NULL, 0},
             "A theme must be an object of CSS variables, not %s.",
             mica_json_kind_name(theme->kind));
    } else {
        for (size_t i = 0; i < theme->count; i++)
            check_member(&check, &theme->members[i]);
        check_contrast(&check, theme);
    }
    *findings_out =
        (struct mica_theme_findings){check.items, check.count, check.errors};
    return arena->overflow ? MICA_E_LIMIT : MICA_OK;
}

void
mica_theme_write(const struct mica_json *theme, struct mica_buffer *out)
{
    enum mica_theme_kind kind;

    if (theme == NULL || theme->kind != MICA_JSON_OBJECT)
        return;
    for (size_t i = 0; i < theme->count; i++) {
        const struct mica_json_member *member = &theme->members[i];
        if (member->value.kind != MICA_JSON_STRING ||
            !mica_theme_kind(member->name, &kind) ||
            !mica_theme_value(kind, member->value.text))
            continue;
        mica_buffer_text(out, member->name);
        mica_buffer_char(out, ':');
        mica_buffer_text(out, member->value.text);
        mica_buffer_char(out, ';');
    }
}
