// SPDX-License-Identifier: Apache-2.0
//
// A name is taken as it stands, or else with '-' and '_' for one another, if that
// leaves no doubt. Nothing else is guessed: what is near is suggested.
#include "cli/find.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/files.h"

enum {
    DISTANCE_MAX = 63 // of mica_text_distance
};

// What a word may mean.
struct candidate {
    struct mica_text name, place; // the place is its file, or again the name
    const struct mica_source_kind *kind;
};

// ---- Among names -----------------------------------------------------------------

static bool
is_same(struct mica_text a, struct mica_text b)
{
    for (size_t i = 0; a.len == b.len && i < a.len; i++) {
        char x = a.ptr[i] == '_' ? '-' : a.ptr[i];
        char y = b.ptr[i] == '_' ? '-' : b.ptr[i];
        if (x != y)
            return false;
    }
    return a.len == b.len;
}

static const struct candidate *
find_nearest(struct mica_text word, const struct candidate *all, size_t count)
{
    const struct candidate *nearest = NULL;
    size_t best = word.len / 3 + 2;

    if (best > DISTANCE_MAX + 1)
        best = DISTANCE_MAX + 1;
    for (size_t i = 0; i < count && best > 0; i++) {
        size_t distance = mica_text_distance(all[i].name, word, best - 1);
        if (distance < best) {
            best = distance;
            nearest = &all[i];
        }
    }
    return nearest;
}

static enum mica_status
not_found(const char *what, const char *word, struct mica_text nearest,
          struct mica_error *error)
{
    if (nearest.len > 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no %s \"%s\"; did you mean \"%.*s\"?",
                              what, word, MICA_ARG(nearest));
    return mica_error_set(
        error, MICA_E_NOT_FOUND, "",
        "there is no %s \"%s\"; \"mica list\" names all tools", what, word);
}

static enum mica_status
candidate_choose(const char *wordz, const struct candidate *all, size_t count,
                 struct mica_error *error, size_t *index_out)
{
    struct mica_text word = mica_text(wordz);
    const struct candidate *nearest;
    size_t found[2] = {0, 0}, hits = 0;

    for (int loosely = 0; loosely < 2 && hits == 0; loosely++) {
        for (size_t i = 0; i < count && hits < 2; i++) {
            if (loosely ? is_same(word, all[i].name)
                        : mica_text_equal(word, all[i].name))
                found[hits++] = i;
        }
    }
    *index_out = found[0];
    if (hits == 1)
        return MICA_OK;
    if (hits > 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "\"%s\" may be %.*s or %.*s; write which", wordz,
                              MICA_ARG(all[found[0]].place),
                              MICA_ARG(all[found[1]].place));
    nearest = find_nearest(word, all, count);
    return not_found("tool", wordz,
                     nearest != NULL ? nearest->name : MICA_LITERAL(""), error);
}

// ---- Among the sources of this folder ----------------------------------------------

static enum mica_status
list_sources(struct mica_cli *cli, struct mica_error *error,
             struct candidate **all_out, size_t *count_out)
{
    static const struct mica_source_kind *const kinds[] = {&mica_kind_engine,
                                                           &mica_kind_tool};
    const char *const *names[MICA_COUNT(kinds)];
    size_t most = 0, count = 0;

    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        MICA_TRY(mica_project_sources(cli, kinds[i], error, &names[i]));
        for (size_t j = 0; names[i][j] != NULL; j++)
            most++;
    }
    *all_out = mica_arena_zero(&cli->arena, most + 1, sizeof **all_out);
    if (*all_out == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        for (const char *const *name = names[i]; *name != NULL; name++) {
            const char *path = mica_project_path(cli, kinds[i], *name);
            if (path == NULL)
                return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
            (*all_out)[count++] =
                (struct candidate){mica_text(*name), mica_text(path), kinds[i]};
        }
    }
    *count_out = count;
    return MICA_OK;
}

static enum mica_status
find_by_name(struct mica_cli *cli, const char *word, struct mica_error *error,
             struct mica_found *found_out)
{
    struct candidate *all;
    size_t count, index;

    MICA_TRY(list_sources(cli, error, &all, &count));
    if (count == 0)
        return mica_project_empty(error);
    MICA_TRY(candidate_choose(word, all, count, error, &index));
    *found_out = (struct mica_found){.kind = all[index].kind,
                                     .name = all[index].name.ptr,
                                     .path = all[index].place.ptr,
                                     .here = true};
    return MICA_OK;
}

// ---- A file ------------------------------------------------------------------------

static bool
ends_in_c(struct mica_text word)
{
    return word.len > 2 &&
           mica_text_is(mica_text_slice(word, word.len - 2, word.len), ".c");
}

static bool
is_path(const char *word)
{
    return strchr(word, '/') != NULL || ends_in_c(mica_text(word));
}

// "greet" of "tools/greet.c".
static struct mica_text
find_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct mica_text name = mica_text(slash != NULL ? slash + 1 : path);

    return ends_in_c(name) ? mica_text_slice(name, 0, name.len - 2) : name;
}

static bool
is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// Is it there, as it is written or with ".c" behind it? In `path`.
static bool
find_path(const char *word, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s", word);

    if (length < 0 || length >= PATH_MAX)
        return false;
    if (is_file(path))
        return true;
    length = snprintf(path, PATH_MAX, "%s.c", word);
    return length < PATH_MAX && is_file(path);
}

static enum mica_status
no_file(struct mica_cli *cli, const char *word, struct mica_error *error)
{
    struct mica_text name = find_stem(word);
    const struct candidate *nearest;
    struct candidate *all;
    size_t count;

    MICA_TRY(list_sources(cli, error, &all, &count));
    nearest = find_nearest(name, all, count);
    return not_found("file", word,
                     nearest != NULL ? nearest->place : MICA_LITERAL(""),
                     error);
}

// The folder of a file that is there, whole.
static bool
find_folder(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash != NULL ? (int)(slash - path + 1) : 1,
                   slash != NULL ? path : ".");
    return realpath(folder, out) != NULL;
}

static bool
is_ours(const char *folder, const char *name)
{
    char whole[PATH_MAX];

    return realpath(name, whole) != NULL && strcmp(folder, whole) == 0;
}

// Elsewhere a file is a tool if its folder is called tools.
static const struct mica_source_kind *
kind_elsewhere(const char *folder)
{
    const char *slash = strrchr(folder, '/');

    return slash != NULL && strcmp(slash + 1, mica_kind_tool.dir) == 0
               ? &mica_kind_tool
               : &mica_kind_engine;
}

static enum mica_status
take_file(struct mica_cli *cli, const char *path, const char *folder,
          struct mica_error *error, struct mica_found *found_out)
{
    struct mica_text name = mica_arena_text(&cli->arena, find_stem(path));

    found_out->name = name.ptr;
    found_out->here = true;
    if (is_ours(folder, mica_kind_engine.dir))
        found_out->kind = &mica_kind_engine;
    else if (is_ours(folder, mica_kind_tool.dir) ||
             is_ours(folder, MICA_TESTS_DIR))
        found_out->kind = &mica_kind_tool;
    else
        found_out->here = false;
    if (found_out->here) {
        MICA_TRY(mica_path_inside(found_out->kind->dir, error));
        found_out->path = mica_project_path(cli, found_out->kind, name.ptr);
    } else {
        found_out->kind = kind_elsewhere(folder);
        found_out->path = mica_arena_text(&cli->arena, mica_text(path)).ptr;
    }
    if (name.ptr == NULL || found_out->path == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    return is_file(found_out->path) ? MICA_OK
                                    : no_file(cli, found_out->path, error);
}

static enum mica_status
find_file(struct mica_cli *cli, const char *word, struct mica_error *error,
          struct mica_found *found_out)
{
    char path[PATH_MAX], folder[PATH_MAX];

    if (mica_folder_exists(word))
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "%s is a folder; give a file of it, or a name, or "
            "nothing for all of this folder",
            word);
    if (!find_path(word, path) || !find_folder(path, folder))
        return no_file(cli, word, error);
    if (!ends_in_c(mica_text(path)))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is no source of an engine or tool; these are "
                              "called NAME.c",
                              word);
    if (is_ours(folder, MICA_SHARED_DIR))
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "%s is shared by the tools, and built and checked "
            "with each of them; name one of these",
            word);
    return take_file(cli, path, folder, error, found_out);
}

// ---- What commands call ------------------------------------------------------------

enum mica_status
mica_find_source(struct mica_cli *cli, const char *word,
                 struct mica_error *error, struct mica_found *found_out)
{
    return is_path(word) ? find_file(cli, word, error, found_out)
                         : find_by_name(cli, word, error, found_out);
}

enum mica_status
mica_find_here(struct mica_cli *cli, const char *word, struct mica_error *error,
               struct mica_found *found_out)
{
    MICA_TRY(mica_find_source(cli, word, error, found_out));
    if (found_out->here)
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_USAGE, "",
        "%s is not of this folder, whose tools are the "
        "sources in engines and tools; run mica in the folder "
        "above its own",
        word);
}

enum mica_status
mica_find_name(struct mica_cli *cli, const char *word,
               const struct mica_text *names, size_t count,
               struct mica_error *error, size_t *index_out)
{
    struct candidate *all =
        mica_arena_zero(&cli->arena, count + 1, sizeof *all);
    const char *name = word;
    char path[PATH_MAX];

    if (is_path(word)) {
        if (!find_path(word, path))
            return not_found("file", word, MICA_LITERAL(""), error);
        name = mica_arena_text(&cli->arena, find_stem(path)).ptr;
    }
    if (all == NULL || name == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < count; i++)
        all[i] = (struct candidate){names[i], names[i], NULL};
    return candidate_choose(name, all, count, error, index_out);
}
