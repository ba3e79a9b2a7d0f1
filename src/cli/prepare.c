// SPDX-License-Identifier: Apache-2.0
//
// States of a source, under the lock, in this order:
//
//     WAITING -> BUILDING -> SWAPPING -> DONE (also when it could not be built)
//
// A request waits for a name until it is DONE, so that what was built is offered
// by then. While a name is WAITING or BUILDING nothing else loads it.
#include "cli/prepare.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/process.h"
#include "serve/stop.h"
#include "tools/library.h"

enum {
    THREADS = 8,
    PATH_BYTES = 512,
    DIAGNOSTICS_BYTES = 1 << 20
};

enum state {
    WAITING,
    BUILDING,
    SWAPPING,
    DONE
};

struct item {
    const struct mica_source_kind *kind;
    char name[MICA_TOOL_NAME_LENGTH + 1];
    struct timespec source; // its time when it was built
    enum state state;
};

struct mica_preparation {
    struct item *items;
    size_t count, next, done;
    bool stopped;
    pthread_mutex_t lock;      // of what stands above
    pthread_mutex_t swap_lock; // held while `swap` runs
    struct mica_toolchain engines, tools;
    struct mica_coming coming;
    struct mica_server *server;
    void (*swap)(void *data);
    void *data;
    pthread_t threads[THREADS];
    unsigned thread_count;
};

enum mica_status
mica_preparation_open(struct mica_preparation **preparation_out,
                      struct mica_error *error)
{
    struct mica_preparation *preparation = calloc(1, sizeof *preparation);

    if (preparation == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    pthread_mutex_init(&preparation->lock, NULL);
    pthread_mutex_init(&preparation->swap_lock, NULL);
    *preparation_out = preparation;
    return MICA_OK;
}

enum mica_status
mica_preparation_add(struct mica_preparation *preparation,
                     const struct mica_source_kind *kind, const char *name,
                     struct mica_error *error)
{
    struct item *items =
        realloc(preparation->items, (preparation->count + 1) * sizeof *items);

    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    preparation->items = items;
    items += preparation->count++;
    memset(items, 0, sizeof *items);
    items->kind = kind;
    (void)snprintf(items->name, sizeof items->name, "%s", name);
    return MICA_OK;
}

// ---- Questions -------------------------------------------------------------------

static const struct item *
find_item(const struct mica_preparation *preparation,
          const struct mica_source_kind *kind, struct mica_text name)
{
    for (size_t i = 0; i < preparation->count; i++) {
        const struct item *item = &preparation->items[i];
        if ((kind == NULL || item->kind == kind) &&
            mica_text_is(name, item->name))
            return item;
    }
    return NULL;
}

bool
mica_preparation_builds(struct mica_preparation *preparation,
                        const struct mica_source_kind *kind, const char *name)
{
    if (preparation == NULL)
        return false;
    pthread_mutex_lock(&preparation->lock);
    const struct item *item = find_item(preparation, kind, mica_text(name));
    bool builds = item != NULL && item->state < SWAPPING;
    pthread_mutex_unlock(&preparation->lock);
    return builds;
}

bool
mica_preparation_tried(struct mica_preparation *preparation,
                       const struct mica_source_kind *kind, const char *name,
                       struct timespec *source_out)
{
    if (preparation == NULL)
        return false;
    pthread_mutex_lock(&preparation->lock);
    const struct item *item = find_item(preparation, kind, mica_text(name));
    bool tried = item != NULL && item->state > WAITING;
    if (tried)
        *source_out = item->source;
    pthread_mutex_unlock(&preparation->lock);
    return tried;
}

static bool
tools_expect(void *data, struct mica_text name, size_t *ready_out,
             size_t *all_out)
{
    struct mica_preparation *preparation = data;

    pthread_mutex_lock(&preparation->lock);
    *ready_out = preparation->done;
    *all_out = preparation->count;
    bool waits = preparation->done < preparation->count;
    if (name.len > 0 && waits) {
        const struct item *item = find_item(preparation, NULL, name);
        waits = item != NULL && item->state < DONE;
    }
    pthread_mutex_unlock(&preparation->lock);
    return waits;
}

// ---- Building --------------------------------------------------------------------

// From any thread, so not by way of the command's buffers.
static void
tell_result(const struct item *item, enum mica_status status,
            const struct mica_error *error, struct mica_text diagnostics)
{
    if (status != MICA_OK && diagnostics.len > 0)
        mica_cli_tell_lines(diagnostics);
    if (status != MICA_OK)
        mica_cli_tell("mica: %s/%s.c was not built: %s: %s\n", item->kind->dir,
                      item->name, error->code, error->message);
    else
        mica_cli_tell("mica: built %s/%s.c\n", item->kind->dir, item->name);
}

static void
build_item(struct mica_preparation *preparation, const struct item *item)
{
    const struct mica_build_options options = {
        .toolchain = item->kind == &mica_kind_tool ? &preparation->tools
                                                   : &preparation->engines,
        .out_dir = item->kind->built};
    enum mica_build_outcome outcome;
    struct mica_buffer diagnostics;
    char source[PATH_BYTES];
    struct mica_error error;

    (void)snprintf(source, sizeof source, "%s/%s.c", item->kind->dir,
                   item->name);
    mica_buffer_init(&diagnostics, NULL, DIAGNOSTICS_BYTES);
    enum mica_status status = mica_project_trust(item->kind, &error);
    if (status == MICA_OK)
        status =
            item->kind->build(&options, source, &diagnostics, &error, &outcome);
    pthread_mutex_lock(&preparation->lock);
    bool stopped = preparation->stopped;
    pthread_mutex_unlock(&preparation->lock);
    if (!stopped)
        tell_result(item, status, &error, mica_buffer_as_text(&diagnostics));
    mica_buffer_fini(&diagnostics);
}

// The next source that no thread has taken, or NULL.
static struct item *
take_item(struct mica_preparation *preparation)
{
    struct item *item = NULL;

    pthread_mutex_lock(&preparation->lock);
    if (!preparation->stopped && preparation->next < preparation->count) {
        item = &preparation->items[preparation->next++];
        item->state = BUILDING;
        (void)mica_project_changed(item->kind, item->name, &item->source);
    }
    pthread_mutex_unlock(&preparation->lock);
    return item;
}

static void
set_state(struct mica_preparation *preparation, struct item *item,
          enum state state)
{
    pthread_mutex_lock(&preparation->lock);
    item->state = state;
    preparation->done += state == DONE;
    pthread_mutex_unlock(&preparation->lock);
}

static void *
tools_prepare(void *data)
{
    struct mica_preparation *preparation = data;
    struct item *item;

    while ((item = take_item(preparation)) != NULL) {
        build_item(preparation, item);
        set_state(preparation, item, SWAPPING);
        pthread_mutex_lock(&preparation->swap_lock);
        preparation->swap(preparation->data);
        pthread_mutex_unlock(&preparation->swap_lock);
        set_state(preparation, item, DONE);
    }
    return NULL;
}

static unsigned
thread_limit(const struct mica_preparation *preparation)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t limit = processors > 0 ? (size_t)processors : 1;

    if (limit > THREADS)
        limit = THREADS;
    return (unsigned)(limit < preparation->count ? limit : preparation->count);
}

static enum mica_status
find_toolchains(struct mica_preparation *preparation, struct mica_error *error)
{
    for (size_t i = 0; i < preparation->count; i++) {
        const struct mica_source_kind *kind = preparation->items[i].kind;
        if (i > 0 && kind == preparation->items[i - 1].kind)
            continue;
        MICA_TRY(kind->find(kind == &mica_kind_tool ? &preparation->tools
                                                    : &preparation->engines,
                            error));
    }
    return MICA_OK;
}

enum mica_status
mica_preparation_start(struct mica_preparation *preparation,
                       struct mica_server *server, void (*swap)(void *data),
                       void *data, struct mica_error *error)
{
    unsigned limit = thread_limit(preparation);
    sigset_t before;

    if (preparation->count == 0)
        return MICA_OK;
    MICA_TRY(find_toolchains(preparation, error));
    MICA_TRY(mica_project_make_folder("build", error));
    mica_cli_tell("mica: building %zu tool%s; requests for tools wait\n",
                  preparation->count, preparation->count == 1 ? "" : "s");
    preparation->swap = swap;
    preparation->data = data;
    preparation->coming =
        (struct mica_coming){.data = preparation, .expects = tools_expect};
    preparation->server = server;
    server->coming = &preparation->coming;
    mica_stop_block(&before);
    while (preparation->thread_count < limit &&
           pthread_create(&preparation->threads[preparation->thread_count],
                          NULL, tools_prepare, preparation) == 0)
        preparation->thread_count++;
    mica_stop_unblock(&before);
    if (preparation->thread_count == 0)
        (void)tools_prepare(preparation); // slower, and just as well
    return MICA_OK;
}

void
mica_preparation_end(struct mica_preparation *self)
{
    if (self == NULL)
        return;
    pthread_mutex_lock(&self->lock);
    self->stopped = true;
    bool building = self->done < self->count;
    pthread_mutex_unlock(&self->lock);
    if (building && self->thread_count > 0)
        mica_process_end_all();
    for (unsigned i = 0; i < self->thread_count; i++)
        pthread_join(self->threads[i], NULL);
    self->thread_count = 0;
    if (self->server != NULL)
        self->server->coming = NULL;
    self->server = NULL;
}

void
mica_preparation_close(struct mica_preparation **preparation)
{
    struct mica_preparation *self = *preparation;

    if (self == NULL)
        return;
    mica_preparation_end(self);
    pthread_mutex_destroy(&self->lock);
    pthread_mutex_destroy(&self->swap_lock);
    free(self->items);
    free(self);
    *preparation = NULL;
}
