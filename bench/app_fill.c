// SPDX-License-Identifier: Apache-2.0
//
// Fills a store with published apps: copies of one that was published as people do it, so
// that its version and its widget are as a server has made them.
//
//     bench-app-fill STORE SLUG COUNT      copies SLUG as app-0, app-1, …
#include "store/store_apps.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    ARENA_BYTES = 8 << 20
};

static struct mica_store *store;
static struct mica_error error;
static struct mica_arena arena;

static void
must(enum mica_status status)
{
    if (status == MICA_OK)
        return;
    fprintf(stderr, "%s: %s\n", mica_status_code(status), error.message);
    exit(1);
}

static void
copy_publish(const struct mica_store_app_content *content,
             const struct mica_store_app_release *release, unsigned number)
{
    char id[32], slug[32];
    struct mica_store_app_outcome outcome;
    int64_t now = (int64_t)time(NULL) * 1000;

    (void)snprintf(id, sizeof id, "copy-%u", number);
    (void)snprintf(slug, sizeof slug, "app-%u", number);
    must(mica_store_app_create(store, mica_text(id), mica_text(slug),
                               MICA_LITERAL("local"), content, now, &error,
                               &outcome));
    must(mica_store_app_publish(
        store, &(struct mica_store_app_target){.id = mica_text(id), .now = now},
        release, &error, &outcome));
}

int
main(int count, char **words)
{
    struct mica_store_published_app published;
    struct mica_store_app app;
    struct mica_text slug, html;

    if (count != 4) {
        fprintf(stderr, "usage: bench-app-fill STORE SLUG COUNT\n");
        return 2;
    }
    slug = mica_text(words[2]);
    mica_arena_init(&arena, ARENA_BYTES);
    must(mica_store_open(words[1], NULL, &error, &store));
    must(mica_store_app_find(store, slug, &arena, &error, &app));
    must(mica_store_app_published(store, slug, &arena, &error, &published));
    must(mica_store_app_widget(store, slug, published.version.widget, &arena,
                               &error, &html));
    const struct mica_store_app_content content = {.draft = app.draft,
                                                   .summary = app.summary};
    const struct mica_store_app_release release = {
        published.version.text, published.version.widget, html,
        MICA_LITERAL("get_order_status")};
    for (unsigned i = 0; i < (unsigned)strtoul(words[3], NULL, 10); i++)
        copy_publish(&content, &release, i);
    mica_store_close(&store);
    mica_arena_fini(&arena);
    return 0;
}
