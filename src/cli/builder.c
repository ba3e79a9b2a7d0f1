// SPDX-License-Identifier: Apache-2.0
//
// A few threads that take the next source each; the calling one waits for the
// results in order. If no thread can be started it does the work itself.
#include "cli/builder.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum {
    THREADS = 8,
    DIAGNOSTICS_BYTES = 1 << 20
};

struct builder {
    const struct mica_source_kind *kind;
    const struct mica_build_options *options;
    struct mica_built *built;
    size_t count, next;
    pthread_mutex_t lock;
    pthread_cond_t finished;
};

static void
build_one(const struct builder *builder, struct mica_built *built)
{
    mica_buffer_init(&built->diagnostics, NULL, DIAGNOSTICS_BYTES);
    built->status = builder->kind->build(builder->options, built->source,
                                         &built->diagnostics, &built->error,
                                         &built->outcome);
    if (built->diagnostics.len > 0 &&
        built->diagnostics.ptr[built->diagnostics.len - 1] != '\n')
        mica_buffer_char(&built->diagnostics, '\n');
}

static void *
builder_work(void *data)
{
    struct builder *builder = data;

    pthread_mutex_lock(&builder->lock);
    while (builder->next < builder->count) {
        struct mica_built *built = &builder->built[builder->next++];
        pthread_mutex_unlock(&builder->lock);
        build_one(builder, built);
        pthread_mutex_lock(&builder->lock);
        built->done = true;
        pthread_cond_signal(&builder->finished);
    }
    pthread_mutex_unlock(&builder->lock);
    return NULL;
}

static unsigned
builder_start(struct builder *builder, pthread_t threads[THREADS])
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned count = 0;

    while (count < THREADS && (long)count < processors &&
           count < builder->count &&
           pthread_create(&threads[count], NULL, builder_work, builder) == 0)
        count++;
    if (count == 0)
        (void)builder_work(builder);
    return count;
}

static enum mica_status
report_all(struct builder *builder, struct mica_cli *cli,
           struct mica_build_report report, struct mica_error *error)
{
    enum mica_status first = MICA_OK;

    for (size_t i = 0; i < builder->count; i++) {
        struct mica_built *built = &builder->built[i];
        pthread_mutex_lock(&builder->lock);
        while (!built->done)
            pthread_cond_wait(&builder->finished, &builder->lock);
        pthread_mutex_unlock(&builder->lock);
        report.built(report.data, built);
        if (built->status != MICA_OK && first == MICA_OK) {
            first = built->status;
            *error = built->error;
        } else if (built->status != MICA_OK) {
            mica_cli_complain(cli, &built->error); // the first comes last
        }
        mica_buffer_fini(&built->diagnostics);
    }
    return first;
}

enum mica_status
mica_builder_run(struct mica_cli *cli, const struct mica_source_kind *kind,
                 const struct mica_build_options *options,
                 const char *const *sources, struct mica_build_report report,
                 struct mica_error *error)
{
    struct builder builder = {.kind = kind, .options = options};
    pthread_t threads[THREADS];

    while (sources[builder.count] != NULL)
        builder.count++;
    builder.built =
        mica_arena_zero(&cli->arena, builder.count, sizeof *builder.built);
    if (builder.built == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < builder.count; i++)
        builder.built[i].source = sources[i];
    pthread_mutex_init(&builder.lock, NULL);
    pthread_cond_init(&builder.finished, NULL);
    unsigned count = builder_start(&builder, threads);
    enum mica_status status = report_all(&builder, cli, report, error);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&builder.finished);
    pthread_mutex_destroy(&builder.lock);
    return status;
}
