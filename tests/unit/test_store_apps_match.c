// SPDX-License-Identifier: Apache-2.0
//
// Published apps do what the model does (store_model_apps.h): 1,000 random sequences of acts, with
// small limits so that all of them are met, in memory and on a store that now and then does not
// know whether a transaction was committed, and 200 in a file. After each act its result and the
// app are compared, and after each sequence everything.
#include "store/store.h"
#include "store_model_apps.h"
#include "test_store.h"

// The address sanitizer makes a sequence ten times slower.
#if defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define WATCHED 1
#    endif
#endif
#if defined(WATCHED) || defined(__SANITIZE_ADDRESS__)
enum {
    SEQUENCES = 150
};
#else
enum {
    SEQUENCES = 1000
};
#endif

enum {
    FILE_SEQUENCES = SEQUENCES / 5, // the statements are those of the memory
    STEPS = 60
};

static const struct mica_store_options limits = {
    .apps = 5, .app_versions = 3, .app_widgets = 4, .changes = 20};

// ---- Unknown outcomes ------------------------------------------------------------

static struct {
    bool on, last;
    uint64_t random;
    unsigned committed, undone;
} doubt;

enum mica_status __real_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *why,
                                       unsigned *refusal_out,
                                       bool *unknown_out);
enum mica_status __wrap_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *why,
                                       unsigned *refusal_out,
                                       bool *unknown_out);

// What a lost connection leaves: no rows, and no knowledge.
static enum mica_status
lose(const struct mica_store_part *parts, size_t count, struct mica_error *why,
     bool *unknown_out)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].given != NULL)
            memset(parts[i].given, 0,
                   MICA_STORE_STEPS * sizeof *parts[i].given);
    }
    *unknown_out = true;
    return mica_error_set(why, MICA_E_IO, "", "the outcome is not known");
}

static bool
is_app_act(const struct mica_store_part *parts)
{
    return parts[0].operation->writes &&
           strncmp(parts[0].operation->name, "app_", 4) == 0;
}

// One in four acts: it is committed, or was not begun. What follows at once succeeds.
enum mica_status
__wrap_mica_store_run(struct mica_store *store,
                      const struct mica_store_part *parts, size_t count,
                      struct mica_arena *arena, struct mica_error *why,
                      unsigned *refusal_out, bool *unknown_out)
{
    enum mica_status status;
    bool doubts;

    doubt.random = doubt.random * 6364136223846793005u + 1442695040888963407u;
    doubts =
        doubt.on && !doubt.last && is_app_act(parts) && doubt.random >> 62 == 0;
    if (is_app_act(parts))
        doubt.last = doubts;
    if (doubts && (doubt.random >> 61 & 1) != 0) {
        doubt.undone++;
        return lose(parts, count, why, unknown_out);
    }
    status = __real_mica_store_run(store, parts, count, arena, why, refusal_out,
                                   unknown_out);
    if (!doubts || status != MICA_OK || *refusal_out != 0)
        return status;
    doubt.committed++;
    return lose(parts, count, why, unknown_out);
}

// ---- Texts -----------------------------------------------------------------------

static const char *const ids[APP_MODEL_IDS] = {"i0", "i1", "i2", "i3",
                                               "i4", "i5", "i6", "i7"};
static const char *const owners[APP_MODEL_OWNERS] = {"ann", "ben", "cid"};
static const char *const bases[] = {
    "app", "app-2", "b",
    // 64 bytes, and a hyphen where a number cuts it
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-aa"};

struct number_text {
    char bytes[24];
};

static struct mica_text
text_of(const char *kind, int number, struct number_text *memory)
{
    (void)snprintf(memory->bytes, sizeof memory->bytes, "%s%d", kind, number);
    return mica_text(memory->bytes);
}

// ---- Acts ------------------------------------------------------------------------

struct sequence {
    struct mica_store *store;
    struct app_model model;
    struct mica_arena arena;
    uint64_t random;
    int64_t now;
    unsigned met[MICA_STATUS_COUNT];
};

static int
pick(struct sequence *run, int below)
{
    run->random = run->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((run->random >> 33) % (uint64_t)below);
}

static void
must_be(struct sequence *run, const char *act, enum mica_status real,
        enum mica_status model)
{
    run->met[model]++;
    UNIT_MUST(real == model, "%s: %s instead of %s: %s", act,
              mica_status_code(real), mica_status_code(model), error.message);
}

static void
outcome_must_match(struct sequence *run, int id,
                   const struct mica_store_app_outcome *outcome)
{
    const struct app_model_app *app = &run->model.apps[id];

    ck_assert_str_eq(outcome->slug, run->model.slugs[app->slug].text);
    ck_assert_int_eq(outcome->status, app->status);
    ck_assert_int_eq(outcome->revision, app->revision);
    ck_assert_int_eq(outcome->publish_version, app->publish_version);
    ck_assert_int_eq(outcome->published_at, app->published_at);
}

struct content_memory {
    struct number_text draft, summary;
    struct mica_store_app_person person;
    struct mica_store_app_content content;
};

static const struct mica_store_app_content *
content_of(int draft, int person, struct content_memory *memory)
{
    memory->person = (struct mica_store_app_person){mica_text(owners[person]),
                                                    MICA_STORE_APP_VIEWER};
    memory->content = (struct mica_store_app_content){
        .draft = text_of("draft ", draft, &memory->draft),
        .summary = text_of("summary ", draft, &memory->summary),
        .people = &memory->person,
        .people_count = 1};
    return &memory->content;
}

static void
do_create(struct sequence *run)
{
    int id = pick(run, APP_MODEL_IDS), owner = pick(run, APP_MODEL_OWNERS),
        draft = pick(run, 1000), person = pick(run, APP_MODEL_OWNERS);
    const char *base = bases[pick(run, (int)MICA_COUNT(bases))];
    struct mica_store_app_outcome outcome;
    struct content_memory memory;
    enum mica_status real, model;

    real = mica_store_app_create(run->store, mica_text(ids[id]),
                                 mica_text(base), mica_text(owners[owner]),
                                 content_of(draft, person, &memory), run->now,
                                 &error, &outcome);
    model =
        app_model_create(&run->model, id, base, owner, draft, person, run->now);
    must_be(run, "create", real, model);
    if (model == MICA_OK)
        outcome_must_match(run, id, &outcome);
}

// The target of an act: any revision, the present one, or another.
static struct mica_store_app_target
pick_target(struct sequence *run, int *id_out)
{
    static const int64_t steps[] = {0, 0, 0, -1, 1};
    int id = pick(run, APP_MODEL_IDS);

    for (int tries = 0; tries < 4 && !run->model.apps[id].lives; tries++)
        id = pick(run, APP_MODEL_IDS);
    int64_t revision = run->model.apps[id].revision + steps[pick(run, 5)];
    *id_out = id;
    return (struct mica_store_app_target){.id = mica_text(ids[id]),
                                          .revision =
                                              pick(run, 2) == 0 ? 0 : revision,
                                          .now = run->now};
}

static void
act_must_match(struct sequence *run, const char *act, int id,
               enum mica_status real, enum mica_status model,
               const struct mica_store_app_outcome *outcome)
{
    must_be(run, act, real, model);
    if (model == MICA_OK || model == MICA_E_REVISION)
        outcome_must_match(run, id, outcome);
}

static void
do_edit(struct sequence *run)
{
    int id, draft = pick(run, 1000), person = pick(run, APP_MODEL_OWNERS);
    struct mica_store_app_target target = pick_target(run, &id);
    struct app_model_app *app = &run->model.apps[id];
    struct mica_store_app_outcome outcome;
    struct content_memory memory;
    enum mica_status real = mica_store_app_edit(
        run->store, &target, content_of(draft, person, &memory), &error,
        &outcome);
    enum mica_status model = app_model_may(app, target.revision);

    if (model == MICA_OK) {
        app->draft = draft;
        memset(app->shared, 0, sizeof app->shared);
        app->shared[person] = true;
        app_model_changed(&run->model, app, run->now);
    }
    act_must_match(run, "edit", id, real, model, &outcome);
}

static void
do_publish(struct sequence *run)
{
    int id, text = pick(run, 1000), hash = pick(run, APP_MODEL_HASHES),
            html = pick(run, 4) == 0 ? 99 : hash + 1;
    struct mica_store_app_target target = pick_target(run, &id);
    struct app_model_app *app = &run->model.apps[id];
    struct number_text memory[3];
    const struct mica_store_app_release release = {
        .text = text_of("text ", text, &memory[0]),
        .widget = text_of("h", hash, &memory[1]),
        .html = text_of("html ", html, &memory[2])};
    struct mica_store_app_outcome outcome;
    enum mica_status real =
        mica_store_app_publish(run->store, &target, &release, &error, &outcome);
    enum mica_status model = app_model_may(app, target.revision);

    if (model == MICA_OK)
        model = app_model_publish(&run->model, app, text, hash, html, run->now);
    act_must_match(run, "publish", id, real, model, &outcome);
}

static void
do_rollback(struct sequence *run)
{
    int id;
    struct mica_store_app_target target = pick_target(run, &id);
    struct app_model_app *app = &run->model.apps[id];
    int64_t version = app->publish_version - pick(run, 4);
    struct mica_store_app_outcome outcome;
    enum mica_status real, model = app_model_may(app, target.revision);

    version = version < 0 ? 0 : version;
    real =
        mica_store_app_rollback(run->store, &target, version, &error, &outcome);
    if (model == MICA_OK)
        model = app_model_rollback(&run->model, app, version, run->now);
    act_must_match(run, "rollback", id, real, model, &outcome);
}

static void
do_unpublish(struct sequence *run)
{
    int id;
    struct mica_store_app_target target = pick_target(run, &id);
    struct mica_store_app_outcome outcome;
    enum mica_status real =
        mica_store_app_unpublish(run->store, &target, &error, &outcome);
    enum mica_status model =
        app_model_may(&run->model.apps[id], target.revision);

    if (model == MICA_OK)
        app_model_unpublish(&run->model, &run->model.apps[id], run->now);
    act_must_match(run, "unpublish", id, real, model, &outcome);
}

static void
do_hand_over(struct sequence *run)
{
    int id, owner = pick(run, APP_MODEL_OWNERS);
    struct mica_store_app_target target = pick_target(run, &id);
    struct app_model_app *app = &run->model.apps[id];
    struct mica_store_app_outcome outcome;
    enum mica_status real = mica_store_app_hand_over(
        run->store, &target, mica_text(owners[owner]), &error, &outcome);
    enum mica_status model = app_model_may(app, target.revision);

    if (model == MICA_OK) {
        app->owner = run->model.slugs[app->slug].owner = owner;
        app_model_changed(&run->model, app, run->now);
    }
    act_must_match(run, "hand over", id, real, model, &outcome);
}

static void
do_delete(struct sequence *run)
{
    int id;
    struct mica_store_app_target target = pick_target(run, &id);
    struct app_model_app *app = &run->model.apps[id];
    struct mica_store_app_outcome outcome;
    enum mica_status real =
        mica_store_app_delete(run->store, &target, &error, &outcome);
    enum mica_status model = app_model_may(app, target.revision);

    if (model == MICA_OK)
        app_model_delete(&run->model, app);
    must_be(run, "delete", real, model);
}

static void
do_usage(struct sequence *run)
{
    struct mica_store_app_usage items[4];

    for (size_t i = 0; i < MICA_COUNT(items); i++) {
        int id = pick(run, APP_MODEL_IDS), day = pick(run, APP_MODEL_DAYS);
        items[i] =
            (struct mica_store_app_usage){mica_text(ids[id]), day, 1, 0, 2};
        run->model.apps[id].calls[day] += run->model.apps[id].lives;
    }
    MUST(
        mica_store_app_usage_add(run->store, items, MICA_COUNT(items), &error));
}

// ---- Comparisons -----------------------------------------------------------------

static void
app_must_match(struct sequence *run, int id)
{
    const struct app_model_app *model = &run->model.apps[id];
    struct number_text memory;
    struct mica_store_app app;
    enum mica_status status = mica_store_app_read(
        run->store, mica_text(ids[id]), &run->arena, &error, &app);

    ck_assert_int_eq(status, model->lives ? MICA_OK : MICA_E_NOT_FOUND);
    if (!model->lives)
        return;
    UNIT_TEXT_EQ(app.id, ids[id]);
    UNIT_TEXT_EQ(app.slug, run->model.slugs[model->slug].text);
    UNIT_TEXT_EQ(app.owner, owners[model->owner]);
    ck_assert(
        mica_text_equal(app.draft, text_of("draft ", model->draft, &memory)));
    ck_assert(mica_text_equal(app.summary,
                              text_of("summary ", model->draft, &memory)));
    ck_assert_int_eq(app.number, model->number);
    ck_assert_int_eq(app.status, model->status);
    ck_assert_int_eq(app.revision, model->revision);
    ck_assert_int_eq(app.publish_version, model->publish_version);
    ck_assert_int_eq(app.published_at, model->published_at);
    ck_assert_int_eq(app.created, model->created);
    ck_assert_int_eq(app.changed, model->changed);
}

static void
versions_must_match(struct sequence *run, int id)
{
    const struct app_model_app *model = &run->model.apps[id];
    struct mica_store_app_version version;
    struct number_text memory;

    for (int64_t i = 0; i <= model->publish_version + 1; i++) {
        const struct app_model_version *kept = &model->versions[i];
        enum mica_status status = mica_store_app_version(
            run->store, mica_text(ids[id]), i, &run->arena, &error, &version);
        ck_assert_int_eq(status, model->lives && kept->kept ? MICA_OK
                                                            : MICA_E_NOT_FOUND);
        if (status != MICA_OK)
            continue;
        ck_assert_int_eq(version.version, i);
        ck_assert_int_eq(version.published_at, kept->published_at);
        ck_assert(mica_text_equal(version.text,
                                  text_of("text ", kept->text, &memory)));
        ck_assert(
            mica_text_equal(version.widget, text_of("h", kept->hash, &memory)));
    }
}

static void
widgets_must_match(struct sequence *run, const char *slug,
                   const struct app_model_app *model)
{
    struct number_text hash, html;
    struct mica_text found;

    for (int i = 0; i < APP_MODEL_HASHES; i++) {
        bool has = model != NULL && model->status == MICA_STORE_APP_PUBLISHED &&
                   model->html[i] != 0;
        enum mica_status status = mica_store_app_widget(
            run->store, mica_text(slug), text_of("h", i, &hash), &run->arena,
            &error, &found);
        ck_assert_int_eq(status, has ? MICA_OK : MICA_E_NOT_FOUND);
        if (has)
            ck_assert(mica_text_equal(found,
                                      text_of("html ", model->html[i], &html)));
    }
}

static void
slug_must_match(struct sequence *run, const struct app_model_slug *slug)
{
    const struct app_model_app *model =
        slug->app >= 0 ? &run->model.apps[slug->app] : NULL;
    bool is_published =
        model != NULL && model->status == MICA_STORE_APP_PUBLISHED;
    struct mica_store_published_app published;
    struct number_text memory;
    struct mica_store_app app;
    struct mica_text html;

    ck_assert_int_eq(mica_store_app_find(run->store, mica_text(slug->text),
                                         &run->arena, &error, &app),
                     model != NULL ? MICA_OK : MICA_E_NOT_FOUND);
    if (model != NULL)
        UNIT_TEXT_EQ(app.id, ids[slug->app]);
    ck_assert_int_eq(mica_store_app_published(run->store, mica_text(slug->text),
                                              &run->arena, &error, &published),
                     is_published ? MICA_OK : MICA_E_NOT_FOUND);
    widgets_must_match(run, slug->text, model);
    if (!is_published)
        return;
    const struct app_model_version *version =
        &model->versions[model->publish_version];
    UNIT_TEXT_EQ(published.id, ids[slug->app]);
    UNIT_TEXT_EQ(published.owner, owners[model->owner]);
    ck_assert_int_eq(published.version.version, model->publish_version);
    ck_assert_int_eq(published.version.published_at, version->published_at);
    ck_assert(mica_text_equal(published.version.text,
                              text_of("text ", version->text, &memory)));
    MUST(mica_store_app_widget(run->store, mica_text(slug->text),
                               (struct mica_text){NULL, 0}, &run->arena, &error,
                               &html));
    ck_assert(mica_text_equal(
        html, text_of("html ", model->html[version->hash], &memory)));
}

// The living apps of a person in the order of their numbers.
static size_t
model_list(const struct app_model *model, int person, bool shared,
           int found[APP_MODEL_IDS])
{
    size_t count = 0;

    for (int i = 0; i < APP_MODEL_IDS; i++) {
        const struct app_model_app *app = &model->apps[i];
        size_t at = count;
        if (!app->lives || (person >= 0 && app->owner != person &&
                            !(shared && app->shared[person])))
            continue;
        for (; at > 0 && model->apps[found[at - 1]].number > app->number; at--)
            found[at] = found[at - 1];
        found[at] = i;
        count++;
    }
    return count;
}

static void
lists_must_match(struct sequence *run)
{
    struct mica_store_apps apps;
    int found[APP_MODEL_IDS];

    for (int person = -1; person < APP_MODEL_OWNERS; person++) {
        for (int shared = 0; shared < 2; shared++) {
            size_t count = model_list(&run->model, person, shared != 0, found);
            int64_t after = 0;
            for (size_t i = 0; i <= count; i++) { // pages of one
                MUST(mica_store_app_list(
                    run->store, mica_text(person < 0 ? "" : owners[person]),
                    shared != 0, after, 1, &run->arena, &error, &apps));
                ck_assert_uint_eq(apps.count, i < count);
                if (i < count)
                    UNIT_TEXT_EQ(apps.items[0].id, ids[found[i]]);
                after = i < count ? apps.items[0].number : after;
            }
        }
    }
}

static void
change_must_match(struct sequence *run,
                  const struct mica_store_app_change *change)
{
    char slug[MICA_STORE_APP_SLUG_SIZE] = "";
    const struct app_model_slug *model;

    ck_assert_uint_lt(change->slug.len, sizeof slug);
    memcpy(slug, change->slug.ptr, change->slug.len);
    model = app_model_slug(&run->model, slug);
    ck_assert_ptr_nonnull(model);
    ck_assert_int_eq(change->serial, model->serial);
    UNIT_TEXT_EQ(change->id, model->app >= 0 ? ids[model->app] : "");
    if (model->app < 0)
        return;
    ck_assert_int_eq(change->status, run->model.apps[model->app].status);
    ck_assert_int_eq(change->publish_version,
                     run->model.apps[model->app].publish_version);
}

static void
changes_must_match(struct sequence *run, int64_t since)
{
    struct mica_store_app_changes changes;
    size_t expected = 0;
    int64_t serial, last = since;

    MUST(mica_store_app_serial(run->store, &error, &serial));
    ck_assert_int_eq(serial, run->model.serial);
    for (size_t i = 0; i < run->model.slug_count; i++)
        expected += run->model.slugs[i].serial > since;
    MUST(mica_store_app_changed_since(run->store, since, 1000, &run->arena,
                                      &error, &changes));
    ck_assert_uint_eq(changes.count, expected);
    for (size_t i = 0; i < changes.count; i++) {
        ck_assert_int_gt(changes.items[i].serial, last);
        last = changes.items[i].serial;
        change_must_match(run, &changes.items[i]);
    }
}

static void
usage_must_match(struct sequence *run, int id)
{
    const struct app_model_app *model = &run->model.apps[id];
    int64_t found[APP_MODEL_DAYS] = {0};
    struct mica_store_app_days days;

    MUST(mica_store_app_usage(run->store, mica_text(ids[id]), 0,
                              APP_MODEL_DAYS - 1, &run->arena, &error, &days));
    for (size_t i = 0; i < days.count; i++) {
        found[days.items[i].day] = days.items[i].calls;
        ck_assert_int_eq(days.items[i].tokens, 2 * days.items[i].calls);
    }
    for (int day = 0; day < APP_MODEL_DAYS && model->lives; day++)
        ck_assert_int_eq(found[day], model->calls[day]);
    if (!model->lives)
        ck_assert_uint_eq(days.count, 0);
}

static void
counts_must_match(struct sequence *run)
{
    struct mica_store_statistics counts = store_count(run->store);
    int64_t published = 0, versions = 0, widgets = 0;

    for (int i = 0; i < APP_MODEL_IDS; i++) {
        const struct app_model_app *app = &run->model.apps[i];
        if (!app->lives)
            continue;
        published += app->status == MICA_STORE_APP_PUBLISHED;
        for (int v = 0; v < APP_MODEL_VERSIONS; v++)
            versions += app->versions[v].kept;
        for (int h = 0; h < APP_MODEL_HASHES; h++)
            widgets += app->html[h] != 0;
    }
    ck_assert_int_eq(counts.apps, app_model_count(&run->model));
    ck_assert_int_eq(counts.published_apps, published);
    ck_assert_int_eq(counts.app_versions, versions);
    ck_assert_int_eq(counts.app_widgets, widgets);
    ck_assert_int_le(counts.changes, (int64_t)limits.changes);
}

static void
all_must_match(struct sequence *run)
{
    for (int i = 0; i < APP_MODEL_IDS; i++) {
        app_must_match(run, i);
        versions_must_match(run, i);
        usage_must_match(run, i);
    }
    for (size_t i = 0; i < run->model.slug_count; i++)
        slug_must_match(run, &run->model.slugs[i]);
    lists_must_match(run);
    changes_must_match(run, 0);
    changes_must_match(run, pick(run, (int)run->model.serial + 1));
    counts_must_match(run);
    store_must_be_sound(run->store);
}

// ---- Sequences -------------------------------------------------------------------

static void
do_step(struct sequence *run)
{
    static void (*const acts[])(struct sequence *) = {
        do_create,    do_create,    do_create,  do_edit,
        do_publish,   do_publish,   do_publish, do_rollback,
        do_unpublish, do_hand_over, do_delete,  do_usage};

    mica_arena_reset(&run->arena);
    run->now += pick(run, 3);
    acts[pick(run, (int)MICA_COUNT(acts))](run);
    app_must_match(run, pick(run, APP_MODEL_IDS));
}

static void
run_sequence(struct sequence *run, const char *backend, uint64_t seed)
{
    run->random = seed * 2654435761u + 1;
    run->now = 1;
    memset(&run->model, 0, sizeof run->model);
    run->model.most_apps = (int64_t)limits.apps;
    run->model.most_versions = (int64_t)limits.app_versions;
    run->model.most_widgets = (int64_t)limits.app_widgets;
    mica_arena_init(&run->arena, 1 << 20);
    MUST(mica_store_open(store_spec(backend, "mica.db"), &limits, &error,
                         &run->store));
    for (unsigned i = 0; i < STEPS; i++)
        do_step(run);
    all_must_match(run);
    mica_store_close(&run->store);
    mica_arena_fini(&run->arena);
    store_remove_folder();
}

static void
run_sequences(const char *backend, unsigned count)
{
    static const enum mica_status met[] = {MICA_OK,         MICA_E_NOT_FOUND,
                                           MICA_E_REVISION, MICA_E_LIMIT,
                                           MICA_E_USAGE,    MICA_E_EXISTS};
    static struct sequence run;

    memset(&run, 0, sizeof run);
    for (unsigned i = 0; i < count; i++)
        run_sequence(&run, backend, i);
    for (size_t i = 0; i < MICA_COUNT(met); i++)
        ck_assert_msg(run.met[met[i]] > count / 4, "%s: %u",
                      mica_status_code(met[i]), run.met[met[i]]);
}

START_TEST(random_sequences_in_memory)
{
    run_sequences("memory", SEQUENCES);
}
END_TEST

START_TEST(random_sequences_in_a_file)
{
    run_sequences("sqlite", FILE_SEQUENCES);
}
END_TEST

START_TEST(random_sequences_with_unknown_outcomes)
{
    doubt.on = true;
    doubt.random = 7;
    run_sequences("memory", SEQUENCES);
    doubt.on = false;
    ck_assert_uint_gt(doubt.committed, SEQUENCES);
    ck_assert_uint_gt(doubt.undone, SEQUENCES);
}
END_TEST

UNIT_MAIN("store apps match", random_sequences_in_memory,
          random_sequences_in_a_file, random_sequences_with_unknown_outcomes)
