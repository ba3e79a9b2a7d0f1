// SPDX-License-Identifier: Apache-2.0
//
// Acts on the history of an app: its versions, one of them, the difference between two.
#include "apps/app_difference.h"
#include "publish/act_work.h"

// ---- Versions --------------------------------------------------------------------

static void
write_versions(const struct mica_act_work *work,
               const struct mica_store_app_versions *versions, size_t count,
               struct mica_json_writer *writer)
{
    mica_json_name(writer, "versions");
    mica_json_open_array(writer);
    for (size_t i = 0; i < count; i++) {
        const struct mica_store_app_version *version = &versions->items[i];
        mica_json_open_object(writer);
        mica_json_name(writer, "version");
        mica_json_integer(writer, version->version);
        mica_app_write_time(writer, "publishedAt", version->published_at);
        mica_json_field(writer, "widget", version->widget);
        mica_json_name(writer, "current");
        mica_json_boolean(writer,
                          work->facts.published &&
                              version->version == work->app.publish_version);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

enum mica_status
mica_act_versions(struct mica_act_work *work)
{
    struct mica_store_app_versions versions;
    struct mica_act_output output;
    int64_t limit, before;
    size_t count;

    MICA_TRY(mica_act_number(work, "limit", 1, MICA_ACT_LIST,
                             MICA_ACT_LIST_DEFAULT, &limit));
    MICA_TRY(mica_act_number(work, "before", 0, INT64_MAX, 0, &before));
    MICA_TRY(mica_store_app_versions(work->acts->store, work->app.id, before,
                                     (size_t)limit + 1, work->arena,
                                     work->error, &versions));
    count = versions.count > (size_t)limit ? (size_t)limit : versions.count;
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    write_versions(work, &versions, count, &output.writer);
    return mica_act_page_end(
        work, &output,
        count < versions.count ? versions.items[count - 1].version : 0);
}

// ---- One of them -----------------------------------------------------------------

// A version that is not there is a missing thing, as a missing app is.
static enum mica_status
version_read(struct mica_act_work *work, int64_t number,
             struct mica_app_version *version_out)
{
    enum mica_status status = mica_act_read_version(work, number, version_out);

    if (status != MICA_E_NOT_FOUND)
        return status;
    return mica_error_set(work->error, MICA_E_APP, "/version",
                          "the app has no version %lld, or the store keeps it "
                          "no longer; it has 1 to %lld",
                          (long long)number,
                          (long long)work->app.publish_version);
}

enum mica_status
mica_act_version(struct mica_act_work *work)
{
    struct mica_app_version version;
    struct mica_act_output text;
    int64_t number;

    MICA_TRY(mica_act_number(work, "version", 1, INT32_MAX,
                             work->app.publish_version, &number));
    MICA_TRY(version_read(work, number, &version));
    mica_act_output_init(work, &text);
    mica_app_version_write(&text.writer, &version);
    MICA_TRY(mica_act_output_end(work, &text));
    return mica_act_redact(work, work->answer->json, false,
                           &work->answer->json);
}

// ---- Difference ------------------------------------------------------------------

// The draft of a version, or the draft itself (0), as a value without what the person may
// not read.
static enum mica_status
side_read(struct mica_act_work *work, int64_t number,
          struct mica_json *value_out)
{
    const struct mica_json_limits limits = {.bytes =
                                                MICA_STORE_APP_VERSION_BYTES};
    struct mica_app_version version;
    struct mica_text json = work->app.draft;

    if (number > 0) {
        MICA_TRY(version_read(work, number, &version));
        MICA_TRY(mica_app_draft_text(&version.draft, work->arena, work->error,
                                     &json));
    }
    MICA_TRY(mica_act_redact(work, json, false, &json));
    return mica_json_read(work->arena, json, &limits, work->error, value_out);
}

enum mica_status
mica_act_difference(struct mica_act_work *work)
{
    struct mica_act_output output;
    struct mica_json before, after;
    int64_t from, to;

    MICA_TRY(mica_act_number(work, "from", 0, INT32_MAX,
                             work->app.publish_version, &from));
    MICA_TRY(mica_act_number(work, "to", 0, INT32_MAX, 0, &to));
    MICA_TRY(side_read(work, from, &before));
    MICA_TRY(side_read(work, to, &after));
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "from");
    mica_json_integer(&output.writer, from);
    mica_json_name(&output.writer, "to");
    mica_json_integer(&output.writer, to);
    mica_json_name(&output.writer, "changes");
    mica_app_difference_write(&output.writer, &before, &after);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}
