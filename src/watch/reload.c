// SPDX-License-Identifier: Apache-2.0
//
// Compares manifests with what they were at the last look. The build driver
// renames a manifest into its place last, so that one which can be seen is of
// files that are whole.
#include "watch/reload.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/catalogue.h"

// What tells two versions of a file apart.
struct stamp {
    struct timespec changed;
    off_t size;
    ino_t inode;
};

struct known {
    char slug[MICA_SLUG_LENGTH + 1];
    struct stamp stamp;
    bool seen;    // in this look
    bool offered; // by the server
};

struct mica_reload {
    struct mica_reload_options options;
    struct known *known;
    size_t count, capacity;
};

static void note(const struct mica_reload *reload, const char *formatz, ...)
    MICA_PRINTF(2, 3);

static void
note(const struct mica_reload *reload, const char *formatz, ...)
{
    char line[2048];
    va_list arguments;

    va_start(arguments, formatz);
    (void)vsnprintf(line, sizeof line, formatz, arguments);
    va_end(arguments);
    if (reload->options.note != NULL)
        reload->options.note(reload->options.data, line);
}

static bool
read_stamp(const struct mica_reload *reload, const char *slug,
           struct stamp *stamp_out)
{
    char path[PATH_MAX];
    struct stat file;

    (void)snprintf(path, sizeof path, "%s/%s.json", reload->options.folder,
                   slug);
    if (stat(path, &file) != 0)
        return false;
    memset(stamp_out, 0, sizeof *stamp_out);
    stamp_out->changed = file.st_mtim;
    stamp_out->size = file.st_size;
    stamp_out->inode = file.st_ino;
    return true;
}

static struct known *
find(const struct mica_reload *reload, const char *slug)
{
    for (size_t i = 0; i < reload->count; i++) {
        if (strcmp(reload->known[i].slug, slug) == 0)
            return &reload->known[i];
    }
    return NULL;
}

static struct known *
add(struct mica_reload *reload, const char *slug)
{
    struct known *known;

    if (reload->count == reload->capacity) {
        size_t capacity = reload->capacity > 0 ? reload->capacity * 2 : 64;
        known = realloc(reload->known, capacity * sizeof *known);
        if (known == NULL)
            return NULL;
        reload->known = known;
        reload->capacity = capacity;
    }
    known = &reload->known[reload->count++];
    memset(known, 0, sizeof *known);
    (void)snprintf(known->slug, sizeof known->slug, "%s", slug);
    return known;
}

static bool
is_same(const struct stamp *a, const struct stamp *b)
{
    return a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec && a->size == b->size &&
           a->inode == b->inode;
}

static void
load(struct mica_reload *reload, struct known *known)
{
    const struct mica_reload_options *options = &reload->options;
    struct mica_error error;

    if (mica_server_reload_engine(options->server, options->folder, known->slug,
                                  options->own, &error) == MICA_OK) {
        note(reload, known->offered ? "%s has changed" : "%s is new",
             known->slug);
        known->offered = true;
    } else {
        note(reload, "%s %s: %s", known->slug,
             known->offered ? "stays as it was" : "is not served",
             error.message);
    }
}

static void
look_at(struct mica_reload *reload, const char *slug)
{
    const struct mica_reload_options *options = &reload->options;
    struct known *known = find(reload, slug);
    struct stamp stamp;

    if ((options->wanted != NULL && !options->wanted(options->data, slug)) ||
        !read_stamp(reload, slug, &stamp))
        return;
    if (known == NULL)
        known = add(reload, slug);
    else if (is_same(&known->stamp, &stamp)) {
        known->seen = true;
        return;
    }
    if (known == NULL)
        return; // no memory: at the next look
    known->seen = true;
    known->stamp = stamp;
    load(reload, known);
}

static void
take_back(struct mica_reload *reload, size_t index)
{
    struct known *known = &reload->known[index];
    struct mica_error error;

    if (known->offered &&
        mica_server_remove(reload->options.server, MICA_OFFER_TOOL, known->slug,
                           &error) == MICA_OK)
        note(reload, "%s is gone", known->slug);
    *known = reload->known[--reload->count];
}

void
mica_reload_look(struct mica_reload *reload)
{
    char(*slugs)[MICA_SLUG_LENGTH + 1] = NULL;
    struct mica_error error;
    size_t count = 0;

    // A folder that is away for a moment takes nothing with it.
    if (mica_engine_slugs(reload->options.folder, &error, &slugs, &count) !=
        MICA_OK)
        return;
    for (size_t i = 0; i < reload->count; i++)
        reload->known[i].seen = false;
    for (size_t i = 0; i < count; i++)
        look_at(reload, slugs[i]);
    free(slugs);
    for (size_t i = reload->count; i > 0; i--) {
        if (!reload->known[i - 1].seen)
            take_back(reload, i - 1);
    }
}

static bool
is_offered(struct mica_server *server, const char *slug)
{
    struct mica_catalog *catalog = mica_server_catalog(server);
    bool offered =
        mica_catalog_find(catalog, MICA_OFFER_TOOL, mica_text(slug)) != NULL;

    mica_catalog_drop(catalog);
    return offered;
}

enum mica_status
mica_reload_open(const struct mica_reload_options *options,
                 struct mica_error *error, struct mica_reload **reload_out)
{
    struct mica_reload *reload = calloc(1, sizeof *reload);
    char(*slugs)[MICA_SLUG_LENGTH + 1] = NULL;
    struct mica_error ignored;
    size_t count = 0;

    if (reload == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    reload->options = *options;
    if (mica_engine_slugs(options->folder, &ignored, &slugs, &count) != MICA_OK)
        count = 0; // it may come
    for (size_t i = 0; i < count; i++) {
        struct known *known = is_offered(options->server, slugs[i])
                                  ? add(reload, slugs[i])
                                  : NULL;
        if (known == NULL)
            continue;
        known->offered = true;
        (void)read_stamp(reload, slugs[i], &known->stamp);
    }
    free(slugs);
    *reload_out = reload;
    return MICA_OK;
}

void
mica_reload_close(struct mica_reload **reload)
{
    if (*reload == NULL)
        return;
    free((*reload)->known);
    free(*reload);
    *reload = NULL;
}
