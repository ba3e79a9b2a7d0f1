// SPDX-License-Identifier: Apache-2.0
//
// Puts apps into a store, for tests of a server that serves them.
//
//     app_store STORE publish ID SLUG TEXT HASH HTML    creates it if it is not there
//     app_store STORE create ID SLUG TEXT
//     app_store STORE edit ID TEXT
//     app_store STORE rollback ID VERSION
//     app_store STORE unpublish ID
//     app_store STORE delete ID
//     app_store STORE many COUNT TEXT HASH HTML         app-0, app-1, …
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store_apps.h"

static struct mica_error error;

static int64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static enum mica_status
app_create(struct mica_store *store, const char *id, const char *slug,
           const char *text)
{
    const struct mica_store_app_content content = {.draft = mica_text(text)};
    struct mica_store_app_outcome outcome;
    enum mica_status status = mica_store_app_create(
        store, mica_text(id), mica_text(slug), mica_text("local"), &content,
        now_ms(), &error, &outcome);

    return status == MICA_E_EXISTS ? MICA_OK : status;
}

static enum mica_status
app_publish(struct mica_store *store, char **words)
{
    const struct mica_store_app_target target = {.id = mica_text(words[0]),
                                                 .now = now_ms()};
    const struct mica_store_app_release release = {.text = mica_text(words[2]),
                                                   .widget =
                                                       mica_text(words[3]),
                                                   .html = mica_text(words[4])};
    struct mica_store_app_outcome outcome;

    MICA_TRY(app_create(store, words[0], words[1], words[2]));
    return mica_store_app_publish(store, &target, &release, &error, &outcome);
}

static enum mica_status
apps_publish(struct mica_store *store, char **words)
{
    enum mica_status status = MICA_OK;
    char id[32], slug[32];

    for (int i = 0; i < atoi(words[0]) && status == MICA_OK; i++) {
        char *own[] = {id, slug, words[1], words[2], words[3]};
        (void)snprintf(id, sizeof id, "id-%d", i);
        (void)snprintf(slug, sizeof slug, "app-%d", i);
        status = app_publish(store, own);
    }
    return status;
}

static enum mica_status
app_act(struct mica_store *store, const char *act, char **words)
{
    const struct mica_store_app_target target = {.id = mica_text(words[0]),
                                                 .now = now_ms()};
    struct mica_store_app_outcome outcome;

    if (strcmp(act, "publish") == 0)
        return app_publish(store, words);
    if (strcmp(act, "many") == 0)
        return apps_publish(store, words);
    if (strcmp(act, "create") == 0)
        return app_create(store, words[0], words[1], words[2]);
    if (strcmp(act, "edit") == 0)
        return mica_store_app_edit(
            store, &target,
            &(struct mica_store_app_content){.draft = mica_text(words[1])},
            &error, &outcome);
    if (strcmp(act, "rollback") == 0)
        return mica_store_app_rollback(store, &target, atoi(words[1]), &error,
                                       &outcome);
    if (strcmp(act, "unpublish") == 0)
        return mica_store_app_unpublish(store, &target, &error, &outcome);
    if (strcmp(act, "delete") == 0)
        return mica_store_app_delete(store, &target, &error, &outcome);
    return mica_error_set(&error, MICA_E_USAGE, "", "no act \"%s\"", act);
}

int
main(int argc, char **argv)
{
    struct mica_store *store;
    enum mica_status status;

    if (argc < 4) {
        fprintf(stderr, "usage: %s STORE ACT …\n", argv[0]);
        return 2;
    }
    status = mica_store_open(argv[1], NULL, &error, &store);
    if (status == MICA_OK) {
        status = app_act(store, argv[2], argv + 3);
        mica_store_close(&store);
    }
    if (status == MICA_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", mica_status_code(status), error.message);
    return 1;
}
