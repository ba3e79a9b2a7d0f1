// SPDX-License-Identifier: Apache-2.0
//
// Which template a name asks for, and how names get into a source.
#include <string.h>

#include "cli/templates.h"

// As TITLE_FORM of `mica check` has them (src/check/rule_tool.c), in ASCII.
enum {
    TITLE_LEAST = 3,
    TITLE_MOST = 60
};

// Words of names that leave no doubt, by the template they ask for.
static const struct {
    const char *name, *words;
} kinds[] = {
    {"calculate",
     "calculate calculator calc area price cost total sum mean average interest "
     "payment percentage discount tip tax bmi volume perimeter"},
    {"convert", "convert converter conversion"},
    {"validate", "validate validator validation valid"},
    {"parse", "parse parser"},
    {"lookup", "lookup finder"},
};

const char *
mica_template_text(const char *namez)
{
    const struct mica_template *template = mica_templates;

    while (strcmp(template->name, namez) != 0)
        template ++;
    return template->text;
}

static const char *
source_of(const char *kindz)
{
    static const char *const files[] = {"calculate.c", "convert.c",
                                        "validate.c", "parse.c", "lookup.c"};

    for (size_t i = 0; i < MICA_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, kindz) == 0)
            return mica_template_text(files[i]);
    return NULL;
}

const char *
mica_template_named(const char *wordz)
{
    return source_of(wordz);
}

const struct mica_tool_template *
mica_tool_template_named(const char *wordz)
{
    static const struct mica_tool_template tools[] = {
        {"interactive", "tool.c", "tool_test.c", NULL},
        {"fetch", "fetch.c", "fetch_test.c", "https://api.frankfurter.dev"},
        {"keep", "keep.c", "keep_test.c", NULL}};

    for (size_t i = 0; i < MICA_COUNT(tools); i++)
        if (strcmp(tools[i].word, wordz != NULL ? wordz : "interactive") == 0)
            return &tools[i];
    return NULL;
}

static bool
has_word(const char *listz, struct mica_text word)
{
    for (const char *at = listz; *at != '\0';) {
        size_t len = strcspn(at, " ");
        if (mica_text_equal((struct mica_text){at, len}, word))
            return true;
        at += len + (at[len] == ' ');
    }
    return false;
}

const char *
mica_template_for(const char *slugz)
{
    const char *found = NULL;

    for (const char *at = slugz; *at != '\0';) {
        size_t len = strcspn(at, "-");
        for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
            if (!has_word(kinds[i].words, (struct mica_text){at, len}))
                continue;
            if (found != NULL && found != kinds[i].name)
                return mica_template_text("neutral.c"); // words disagree
            found = kinds[i].name;
        }
        at += len + (at[len] == '-');
    }
    return found != NULL ? source_of(found) : mica_template_text("neutral.c");
}

// "greet-person" as "greet_person" or "Greet person". A title has the length that
// `mica check` wants of one.
static void
add_name(struct mica_buffer *out, const char *slug, bool title)
{
    for (size_t i = 0; slug[i] != '\0' && !(title && i == TITLE_MOST); i++) {
        char c = slug[i];
        if (c == '-' || c == '_')
            c = title ? ' ' : '_';
        else if (title && i == 0 && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        mica_buffer_char(out, c);
    }
    if (title && strlen(slug) < TITLE_LEAST)
        mica_buffer_text(out, MICA_LITERAL(" tool"));
}

void
mica_template_fill(struct mica_buffer *out, const char *textz,
                   const char *namez, const char *include)
{
    static const char *const places[] = {"@IDENTIFIER@", "@TITLE@", "@NAME@",
                                         "@INCLUDE@"};

    while (*textz != '\0') {
        size_t place = 0;
        while (place < MICA_COUNT(places) &&
               strncmp(textz, places[place], strlen(places[place])) != 0)
            place++;
        if (place == MICA_COUNT(places)) {
            mica_buffer_char(out, *textz++);
            continue;
        }
        textz += strlen(places[place]);
        if (place < 2)
            add_name(out, namez, place == 1);
        else
            mica_buffer_text(out, mica_text(place == 2 ? namez : include));
    }
}

// ---- Another source under a new name -------------------------------------------------

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9') || c == '-';
}

// Whether the old name stands at `at`, with '-' or '_' between its words.
static bool
stands_at(struct mica_text source, size_t at, const char *oldz, bool *dash_out)
{
    size_t len = strlen(oldz);

    *dash_out = false;
    if (source.len - at < len ||
        (at + len < source.len && is_word(source.ptr[at + len])))
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = source.ptr[at + i];
        bool between = oldz[i] == '-' || oldz[i] == '_';
        if (between ? c != '-' && c != '_' : c != oldz[i])
            return false;
        *dash_out = *dash_out || c == '-';
    }
    return true;
}

// Behind `.title = "…"`, which is replaced; `at` when it does not stand there.
static size_t
skip_title(struct mica_text source, size_t at)
{
    static const char start[] = ".title = \"";
    struct mica_text rest = mica_text_slice(source, at, source.len);
    size_t end = sizeof start - 1;

    if (!mica_text_starts(rest, start))
        return at;
    while (end < rest.len && rest.ptr[end] != '"')
        end += rest.ptr[end] == '\\' ? 2 : 1;
    return at + end + 1;
}

void
mica_template_rename(struct mica_buffer *out, struct mica_text source,
                     const char *oldz, const char *newz)
{
    bool dash;

    for (size_t at = 0; at < source.len;) {
        size_t behind = skip_title(source, at);
        // "mica_tool_greet" has the name, too.
        bool begins = at == 0 || !is_word(source.ptr[at - 1]) ||
                      source.ptr[at - 1] == '_';
        if (behind > at) {
            mica_buffer_text(out, MICA_LITERAL(".title = \""));
            add_name(out, newz, true);
            mica_buffer_char(out, '"');
            at = behind;
        } else if (begins && stands_at(source, at, oldz, &dash)) {
            if (dash)
                mica_buffer_text(out, mica_text(newz));
            else
                add_name(out, newz, false);
            at += strlen(oldz);
        } else {
            mica_buffer_char(out, source.ptr[at++]);
        }
    }
}
