// SPDX-License-Identifier: Apache-2.0
//
// Acts that read: one app, lists, layouts, an export, usage.
#include "publish/act_work.h"

enum {
    DAY_MS = 86400000,
    DATE_BYTES = 16
};

enum mica_status
mica_act_read(struct mica_act_work *work)
{
    return mica_act_answer_app(work);
}

// ---- Lists -----------------------------------------------------------------------

static void
write_apps(struct mica_act_work *work, const struct mica_store_apps *apps,
           size_t count, struct mica_act_output *output)
{
    mica_json_name(&output->writer, "apps");
    mica_json_open_array(&output->writer);
    for (size_t i = 0; i < count; i++) {
        const struct mica_store_app *app = &apps->items[i];
        struct mica_app_facts facts = mica_act_facts(app);
        if (i > 0)
            mica_buffer_char(&output->buffer, ',');
        mica_act_write_app(work, &facts, app->summary, &output->buffer);
    }
    output->writer.comma = count > 0;
    mica_json_close_array(&output->writer);
}

// One more than the page shows whether there is another page.
enum mica_status
mica_act_list(struct mica_act_work *work)
{
    const struct mica_text all = {NULL, 0};
    struct mica_store_apps apps;
    struct mica_act_output output;
    int64_t limit, after;
    size_t count;

    MICA_TRY(mica_act_number(work, "limit", 1, MICA_ACT_LIST,
                             MICA_ACT_LIST_DEFAULT, &limit));
    MICA_TRY(mica_act_number(work, "after", 0, INT64_MAX, 0, &after));
    MICA_TRY(mica_store_app_list(
        work->acts->store, work->person->is_operator ? all : work->person->name,
        true, after, (size_t)limit + 1, work->arena, work->error, &apps));
    count = apps.count > (size_t)limit ? (size_t)limit : apps.count;
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    write_apps(work, &apps, count, &output);
    return mica_act_page_end(
        work, &output, count < apps.count ? apps.items[count - 1].number : 0);
}

// "providers" is null where the server does not know whether there are any.
static void
write_providers(const struct mica_acts *acts, struct mica_json_writer *writer)
{
    mica_json_name(writer, "providers");
    if (!acts->knows_providers) {
        mica_json_null(writer);
        return;
    }
    mica_json_open_array(writer);
    for (size_t i = 0; i < acts->provider_count; i++)
        mica_json_string(writer, acts->providers[i]);
    mica_json_close_array(writer);
}

enum mica_status
mica_act_layouts(struct mica_act_work *work)
{
    struct mica_act_output output;

    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "layouts");
    mica_json_open_array(&output.writer);
    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        const struct mica_app_layout_row *row = &mica_app_layouts[i];
        mica_json_open_object(&output.writer);
        mica_json_field(&output.writer, "name", row->name);
        mica_json_field(&output.writer, "title", row->title);
        mica_json_field(&output.writer, "summary", row->summary);
        mica_json_name(&output.writer, "schema");
        mica_json_raw(&output.writer, row->schema);
        mica_json_name(&output.writer, "mockData");
        mica_json_raw(&output.writer, row->mock);
        mica_json_close_object(&output.writer);
    }
    mica_json_close_array(&output.writer);
    write_providers(work->acts, &output.writer);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}

// ---- Export ----------------------------------------------------------------------

// People and providers belong to the server that the app comes from, so the text is the
// same for each reader.
enum mica_status
mica_act_export(struct mica_act_work *work)
{
    struct mica_act_output output;
    struct mica_text draft;

    MICA_TRY(mica_act_redact(work, work->app.draft, true, &draft));
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "micaApp");
    mica_json_integer(&output.writer, 1);
    mica_json_field(&output.writer, "mcpSlug", work->app.slug);
    mica_json_name(&output.writer, "draft");
    mica_json_raw(&output.writer, draft);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}

// ---- Usage -----------------------------------------------------------------------

static enum mica_status
read_day(struct mica_act_work *work, const char *namez, const char *pathz,
         int64_t otherwise, int64_t *day_out)
{
    struct mica_text text;
    struct mica_date date;

    MICA_TRY(mica_act_text(work, namez, &text));
    *day_out = otherwise;
    if (text.len == 0)
        return MICA_OK;
    if (mica_date_read(text, &date)) {
        *day_out = mica_date_to_days(date);
        if (*day_out >= 0) // the store has no day before 1970
            return MICA_OK;
    }
    return mica_error_set(work->error, MICA_E_CONFIG, pathz,
                          "%s must be a day like 2026-11-26 (UTC), 1970-01-01 "
                          "or later",
                          namez);
}

static void
write_day(struct mica_json_writer *writer, const char *namez, int64_t day)
{
    char room[DATE_BYTES];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_date_write(&text, mica_date_from_days(day));
    mica_json_field(writer, namez, mica_buffer_as_text(&text));
}

static void
write_numbers(struct mica_json_writer *writer,
              const struct mica_store_app_usage *usage)
{
    mica_json_name(writer, "calls");
    mica_json_integer(writer, usage->calls);
    mica_json_name(writer, "failures");
    mica_json_integer(writer, usage->failures);
    mica_json_name(writer, "tokens");
    mica_json_integer(writer, usage->tokens);
}

static void
write_usage(struct mica_json_writer *writer,
            const struct mica_store_app_days *days)
{
    struct mica_store_app_usage total = {.calls = 0};

    mica_json_name(writer, "days");
    mica_json_open_array(writer);
    for (size_t i = 0; i < days->count; i++) {
        const struct mica_store_app_usage *usage = &days->items[i];
        mica_json_open_object(writer);
        write_day(writer, "day", usage->day);
        write_numbers(writer, usage);
        mica_json_close_object(writer);
        total.calls += usage->calls;
        total.failures += usage->failures;
        total.tokens += usage->tokens;
    }
    mica_json_close_array(writer);
    mica_json_name(writer, "total");
    mica_json_open_object(writer);
    write_numbers(writer, &total);
    mica_json_close_object(writer);
}

enum mica_status
mica_act_usage(struct mica_act_work *work)
{
    int64_t today = work->acts->now() / DAY_MS, before, from, to;
    struct mica_store_app_days days;
    struct mica_act_output output;

    MICA_TRY(read_day(work, "to", "/to", today, &to));
    before = to - MICA_ACT_USAGE_DEFAULT + 1;
    MICA_TRY(read_day(work, "from", "/from", before > 0 ? before : 0, &from));
    if (from > to || to - from >= MICA_ACT_USAGE_DAYS)
        return mica_error_set(work->error, MICA_E_CONFIG, "/from",
                              "from must be at most %d days before to, and not "
                              "after it",
                              MICA_ACT_USAGE_DAYS - 1);
    MICA_TRY(mica_store_app_usage(work->acts->store, work->app.id, from, to,
                                  work->arena, work->error, &days));
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    write_day(&output.writer, "from", from);
    write_day(&output.writer, "to", to);
    write_usage(&output.writer, &days);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}
