// SPDX-License-Identifier: Apache-2.0
//
// Short forms of the functions of published apps, for the programs that are built once for each
// back end.
#ifndef MICA_TESTS_STORE_APPS_H
#define MICA_TESTS_STORE_APPS_H

#include "store/store_apps.h"
#include "store_plans.h"
#include "test_store_both.h"

static struct mica_store_app_outcome outcome;

// No statement reads a table from end to end.
static inline void
end_apps(void)
{
    ck_assert_uint_gt(plans_check(store), 0);
    end_test();
}

static inline struct mica_store_app_content
content_of(const char *draft)
{
    return (struct mica_store_app_content){.draft = mica_text(draft),
                                           .summary = mica_text("{}")};
}

static inline void
create(const char *id, const char *slug, const char *owner)
{
    struct mica_store_app_content content = content_of("{\"name\":\"x\"}");

    MUST(mica_store_app_create(store, mica_text(id), mica_text(slug),
                               mica_text(owner), &content, 10, &error,
                               &outcome));
}

// Creates an app that must get the slug `expected`.
static inline void
create_as(const char *id, const char *slug, const char *owner,
          const char *expected)
{
    create(id, slug, owner);
    ck_assert_str_eq(outcome.slug, expected);
}

static inline struct mica_store_app_target
target(const char *id, int64_t revision)
{
    return (struct mica_store_app_target){
        .id = mica_text(id), .revision = revision, .now = 20};
}

static inline enum mica_status
publish(const char *id, int64_t revision, const char *text, const char *hash,
        const char *html)
{
    struct mica_store_app_target app = target(id, revision);
    const struct mica_store_app_release release = {.text = mica_text(text),
                                                   .widget = mica_text(hash),
                                                   .html = mica_text(html)};

    return mica_store_app_publish(store, &app, &release, &error, &outcome);
}

static enum mica_status delete (const char *id) {
    struct mica_store_app_target app = target(id, 0);

        return mica_store_app_delete(store, &app, &error, &outcome);
}

static inline enum mica_status
hand_over(const char *id, const char *owner)
{
    struct mica_store_app_target app = target(id, 0);

    return mica_store_app_hand_over(store, &app, mica_text(owner), &error,
                                    &outcome);
}

static inline enum mica_status
unpublish(const char *id)
{
    struct mica_store_app_target app = target(id, 0);

    return mica_store_app_unpublish(store, &app, &error, &outcome);
}

static inline enum mica_status
rollback(const char *id, int64_t version)
{
    struct mica_store_app_target app = target(id, 0);

    return mica_store_app_rollback(store, &app, version, &error, &outcome);
}

static inline struct mica_store_app
read_app(const char *id)
{
    struct mica_store_app app;

    MUST(mica_store_app_read(store, mica_text(id), &arena, &error, &app));
    return app;
}

static inline struct mica_store_published_app
published(const char *slug)
{
    struct mica_store_published_app app;

    MUST(
        mica_store_app_published(store, mica_text(slug), &arena, &error, &app));
    return app;
}

static inline enum mica_status
try_published(const char *slug)
{
    struct mica_store_published_app app;

    return mica_store_app_published(store, mica_text(slug), &arena, &error,
                                    &app);
}

static inline enum mica_status
widget(const char *slug, const char *hash, struct mica_text *html_out)
{
    return mica_store_app_widget(store, mica_text(slug), mica_text(hash),
                                 &arena, &error, html_out);
}

static inline int64_t
serial(void)
{
    int64_t number = -1;

    MUST(mica_store_app_serial(store, &error, &number));
    return number;
}

static inline struct mica_store_app_changes
changed_since(int64_t since)
{
    struct mica_store_app_changes changes;

    MUST(mica_store_app_changed_since(store, since, 100, &arena, &error,
                                      &changes));
    return changes;
}

#endif
