// SPDX-License-Identifier: Apache-2.0
//
// Words are looked for where code is, and known from mica's own headers.
#include "build/typo_hint.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "build/files.h"
#include "build/word_reader.h"

enum {
    KNOWN = 4096, // words of all headers
    DISTANCE = 3
};

struct known {
    struct mica_text words[KNOWN];
    size_t count;
};

// ---- Names of mica -----------------------------------------------------------------

// The next word that is, or looks like, one of mica's.
static bool
next_name(struct mica_word_reader *reader, struct mica_text *name_out)
{
    bool defines = false;

    while (mica_word_next(reader, name_out)) {
        reader->defines = defines;
        if (mica_text_starts(*name_out, "MICA_"))
            return true;
        defines = mica_text_is(*name_out, "define");
    }
    return false;
}

// ---- What there is -----------------------------------------------------------------

static bool
is_known(const struct known *known, struct mica_text name)
{
    for (size_t i = 0; i < known->count; i++) {
        if (mica_text_equal(known->words[i], name))
            return true;
    }
    return false;
}

// `all`: whatever is named; else only what the text defines.
static void
known_learn(struct known *known, struct mica_text text, bool all)
{
    struct mica_word_reader reader = {.text = text};
    struct mica_text name;

    while (known->count < KNOWN && next_name(&reader, &name)) {
        if ((all || reader.defines) && !is_known(known, name))
            known->words[known->count++] = name;
    }
}

static void
learn_headers(struct known *known, const struct mica_toolchain *toolchain,
              struct mica_arena *arena)
{
    char folder[PATH_MAX], path[PATH_MAX], whole[PATH_MAX];
    const struct dirent *file;
    struct mica_text text;
    DIR *headers = NULL;

    if (mica_path(folder, NULL, "%s/mica", toolchain->include_dir) == MICA_OK)
        headers = opendir(folder);
    while (headers != NULL && (file = readdir(headers)) != NULL) {
        size_t length = strlen(file->d_name);
        if (length > 2 && strcmp(file->d_name + length - 2, ".h") == 0 &&
            mica_path(path, NULL, "%s/%s", folder, file->d_name) == MICA_OK &&
            realpath(path, whole) != NULL && // an installation may have links
            mica_file_read(arena, whole, NULL, &text) == MICA_OK)
            known_learn(known, text, true);
    }
    if (headers != NULL)
        (void)closedir(headers);
}

static struct mica_text
find_nearest(const struct known *known, struct mica_text name)
{
    struct mica_text nearest = {NULL, 0};
    size_t best = DISTANCE + 1;

    for (size_t i = 0; i < known->count; i++) {
        struct mica_text word = known->words[i];
        size_t distance = mica_text_distance(word, name, DISTANCE);
        // What ends so is for the headers alone.
        if (distance < best && word.ptr[word.len - 1] != '_') {
            best = distance;
            nearest = word;
        }
    }
    return nearest;
}

bool
mica_typo_find(const struct mica_toolchain *toolchain, const char *source,
               struct mica_arena *arena, struct mica_typo *typo_out)
{
    struct known *known = mica_arena_zero(arena, 1, sizeof *known);
    struct mica_word_reader reader = {.line = 1};
    struct mica_text name;

    if (known == NULL ||
        mica_file_read(arena, source, NULL, &reader.text) != MICA_OK)
        return false;
    learn_headers(known, toolchain, arena);
    known_learn(known, reader.text, false);
    while (next_name(&reader, &name)) {
        if (reader.defines || is_known(known, name))
            continue;
        *typo_out = (struct mica_typo){.word = name,
                                       .meant = find_nearest(known, name),
                                       .line = reader.line};
        if (typo_out->meant.len > 0)
            return true;
    }
    return false;
}

enum mica_status
mica_typo_tell(const struct mica_toolchain *toolchain, const char *source,
               struct mica_arena *arena, struct mica_error *error)
{
    struct mica_typo typo;

    if (mica_typo_find(toolchain, source, arena, &typo))
        return mica_error_set(error, MICA_E_BUILD, "",
                              "%s does not compile: line %u has %.*s, which "
                              "mica does not know; did you mean %.*s?",
                              source, typo.line, MICA_ARG(typo.word),
                              MICA_ARG(typo.meant));
    return mica_error_set(error, MICA_E_BUILD, "",
                          "%s does not compile; the compiler says why.",
                          source);
}
