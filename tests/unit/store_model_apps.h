// SPDX-License-Identifier: Apache-2.0
//
// Published apps once more, in plain C: arrays and loops, no SQL. What the store has to do with
// the same acts. Texts are short: an app is known by its index, texts by numbers.
#ifndef MICA_TESTS_STORE_MODEL_APPS_H
#define MICA_TESTS_STORE_MODEL_APPS_H

#include <stdio.h>
#include <string.h>

#include "store/store_apps.h"

enum {
    APP_MODEL_IDS = 8,
    APP_MODEL_SLUGS = 512,
    APP_MODEL_OWNERS = 3,
    APP_MODEL_DAYS = 3,
    APP_MODEL_VERSIONS = 256,
    APP_MODEL_HASHES = 8
};

struct app_model_version {
    bool kept;
    int64_t published_at;
    int text, hash;
};

struct app_model_app {
    bool lives;
    size_t slug; // index
    int owner, draft;
    bool shared[APP_MODEL_OWNERS];
    enum mica_store_app_status status;
    int64_t number, revision, publish_version, published_at, created, changed;
    struct app_model_version versions[APP_MODEL_VERSIONS]; // by number
    int html[APP_MODEL_HASHES]; // of each widget; 0: none
    int64_t calls[APP_MODEL_DAYS];
};

struct app_model_slug {
    char text[MICA_STORE_APP_SLUG_SIZE];
    int owner;
    int app; // index; -1: none
    int64_t suffix, serial;
};

struct app_model {
    int64_t most_apps, most_versions, most_widgets;
    int64_t serial;
    struct app_model_app apps[APP_MODEL_IDS];
    struct app_model_slug slugs[APP_MODEL_SLUGS];
    size_t slug_count;
};

// ---- Slugs -----------------------------------------------------------------------

static inline struct app_model_slug *
app_model_slug(struct app_model *model, const char *text)
{
    for (size_t i = 0; i < model->slug_count; i++) {
        if (strcmp(model->slugs[i].text, text) == 0)
            return &model->slugs[i];
    }
    return NULL;
}

static inline bool
app_model_is_free(struct app_model *model, const char *text, int owner)
{
    const struct app_model_slug *slug = app_model_slug(model, text);

    return slug == NULL || (slug->app < 0 && slug->owner == owner);
}

static inline void
app_model_numbered(const char *base, int64_t number,
                   char slug_out[MICA_STORE_APP_SLUG_SIZE])
{
    char suffix[24];
    int length = snprintf(suffix, sizeof suffix, "-%lld", (long long)number);
    size_t most = MICA_STORE_APP_SLUG_BYTES - (size_t)length,
           kept = strlen(base) < most ? strlen(base) : most;

    while (kept > 0 && base[kept - 1] == '-')
        kept--;
    memcpy(slug_out, base, kept);
    memcpy(slug_out + kept, suffix, (size_t)length + 1);
}

static inline struct app_model_slug *
app_model_take_slug(struct app_model *model, const char *base, int owner)
{
    char text[MICA_STORE_APP_SLUG_SIZE];
    struct app_model_slug *slug = app_model_slug(model, base);

    (void)snprintf(text, sizeof text, "%s", base);
    if (!app_model_is_free(model, base, owner)) {
        do
            app_model_numbered(base, ++slug->suffix, text);
        while (!app_model_is_free(model, text, owner));
    }
    slug = app_model_slug(model, text);
    if (slug == NULL) {
        slug = &model->slugs[model->slug_count++];
        memcpy(slug->text, text, sizeof text);
        slug->suffix = 1;
    }
    slug->owner = owner;
    return slug;
}

// ---- Acts ------------------------------------------------------------------------

static inline int64_t
app_model_count(const struct app_model *model)
{
    int64_t count = 0;

    for (int i = 0; i < APP_MODEL_IDS; i++)
        count += model->apps[i].lives;
    return count;
}

static inline enum mica_status
app_model_create(struct app_model *model, int id, const char *base, int owner,
                 int draft, int shared_with, int64_t now)
{
    struct app_model_app *app = &model->apps[id];
    struct app_model_slug *slug;

    if (app_model_count(model) >= model->most_apps)
        return MICA_E_LIMIT;
    if (app->lives)
        return MICA_E_EXISTS;
    slug = app_model_take_slug(model, base, owner);
    slug->app = id;
    slug->serial = ++model->serial;
    memset(app, 0, sizeof *app);
    app->lives = true;
    app->slug = (size_t)(slug - model->slugs);
    app->owner = owner;
    app->draft = draft;
    app->shared[shared_with] = true;
    app->status = MICA_STORE_APP_DRAFT;
    app->number = model->serial;
    app->revision = 1;
    app->created = app->changed = now;
    return MICA_OK;
}

// Whether an act may change the app.
static inline enum mica_status
app_model_may(const struct app_model_app *app, int64_t revision)
{
    if (!app->lives)
        return MICA_E_NOT_FOUND;
    return revision == 0 || revision == app->revision ? MICA_OK
                                                      : MICA_E_REVISION;
}

static inline void
app_model_changed(struct app_model *model, struct app_model_app *app,
                  int64_t now)
{
    model->slugs[app->slug].serial = ++model->serial;
    app->revision++;
    app->changed = now;
}

static inline void
app_model_release(struct app_model *model, struct app_model_app *app, int text,
                  int hash, int64_t now)
{
    int64_t oldest;

    app->versions[++app->publish_version] =
        (struct app_model_version){true, now, text, hash};
    oldest = app->publish_version - model->most_versions;
    if (oldest > 0)
        app->versions[oldest].kept = false;
    app->status = MICA_STORE_APP_PUBLISHED;
    app->published_at = now;
    app_model_changed(model, app, now);
}

static inline enum mica_status
app_model_publish(struct app_model *model, struct app_model_app *app, int text,
                  int hash, int html, int64_t now)
{
    int64_t widgets = 0;

    for (int i = 0; i < APP_MODEL_HASHES; i++)
        widgets += app->html[i] != 0;
    if (app->html[hash] == 0 && widgets >= model->most_widgets)
        return MICA_E_LIMIT;
    if (app->html[hash] != 0 && app->html[hash] != html)
        return MICA_E_USAGE;
    app->html[hash] = html;
    app_model_release(model, app, text, hash, now);
    return MICA_OK;
}

static inline enum mica_status
app_model_rollback(struct app_model *model, struct app_model_app *app,
                   int64_t version, int64_t now)
{
    if (!app->versions[version].kept)
        return MICA_E_NOT_FOUND;
    app_model_release(model, app, app->versions[version].text,
                      app->versions[version].hash, now);
    return MICA_OK;
}

static inline void
app_model_unpublish(struct app_model *model, struct app_model_app *app,
                    int64_t now)
{
    bool used[APP_MODEL_HASHES] = {false};

    if (app->status != MICA_STORE_APP_PUBLISHED)
        return;
    for (int i = 0; i < APP_MODEL_VERSIONS; i++) {
        if (app->versions[i].kept)
            used[app->versions[i].hash] = true;
    }
    for (int i = 0; i < APP_MODEL_HASHES; i++) {
        if (!used[i])
            app->html[i] = 0;
    }
    app->status = MICA_STORE_APP_DRAFT;
    app_model_changed(model, app, now);
}

static inline void
app_model_delete(struct app_model *model, struct app_model_app *app)
{
    model->slugs[app->slug].app = -1;
    model->slugs[app->slug].serial = ++model->serial;
    app->lives = false;
}

#endif
