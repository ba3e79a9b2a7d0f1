// SPDX-License-Identifier: Apache-2.0
//
// What all acts share: members of the body, the app as the store has it, the text of an
// answer.
#include "publish/act_work.h"

#include <string.h>

// ---- The body --------------------------------------------------------------------

static const struct mica_json *
body_member(const struct mica_act_work *work, const char *namez)
{
    const struct mica_json *value = mica_json_get(&work->body, namez);

    return value != NULL && value->kind != MICA_JSON_NULL ? value : NULL;
}

// Members have short names without characters that a pointer escapes.
static enum mica_status
refuse_type(struct mica_act_work *work, const char *namez, const char *wantz)
{
    char path[64] = "/";
    size_t length = strlen(namez);

    memcpy(path + 1, namez, length < sizeof path - 2 ? length : 0);
    return mica_error_set(work->error, MICA_E_CONFIG, path, "%s must be %s",
                          namez, wantz);
}

enum mica_status
mica_act_number(struct mica_act_work *work, const char *namez, int64_t least,
                int64_t most, int64_t otherwise, int64_t *number_out)
{
    const struct mica_json *value = body_member(work, namez);
    char want[96];
    struct mica_buffer text = {
        .ptr = want, .capacity = sizeof want - 1, .max = sizeof want - 1};

    *number_out = otherwise;
    if (value == NULL)
        return MICA_OK;
    if (value->kind == MICA_JSON_NUMBER &&
        mica_integer_read(value->text, number_out) && *number_out >= least &&
        *number_out <= most)
        return MICA_OK;
    mica_buffer_format(&text, "a whole number from %lld to %lld",
                       (long long)least, (long long)most);
    want[text.len] = '\0';
    return refuse_type(work, namez, want);
}

enum mica_status
mica_act_text(struct mica_act_work *work, const char *namez,
              struct mica_text *text_out)
{
    const struct mica_json *value = body_member(work, namez);

    *text_out = (struct mica_text){NULL, 0};
    if (value == NULL)
        return MICA_OK;
    if (value->kind != MICA_JSON_STRING)
        return refuse_type(work, namez, "a string");
    *text_out = value->text;
    return MICA_OK;
}

enum mica_status
mica_act_flag(struct mica_act_work *work, const char *namez, bool *flag_out)
{
    const struct mica_json *value = body_member(work, namez);

    *flag_out = value != NULL && value->kind == MICA_JSON_TRUE;
    if (value == NULL || value->kind == MICA_JSON_TRUE ||
        value->kind == MICA_JSON_FALSE)
        return MICA_OK;
    return refuse_type(work, namez, "true or false");
}

enum mica_status
mica_act_refuse_member(struct mica_act_work *work, struct mica_text name,
                       const char *takesz)
{
    char path_room[192];
    struct mica_buffer path = {.ptr = path_room,
                               .capacity = sizeof path_room - 1,
                               .max = sizeof path_room - 1};

    mica_json_pointer_add(&path, mica_utf8_cut(name, 64));
    path_room[path.len] = '\0';
    return mica_error_set(work->error, MICA_E_CONFIG, path_room,
                          "the act \"%s\" takes no such member; it takes: %s",
                          work->actz, takesz);
}

enum mica_status
mica_act_refuse_unknown(struct mica_act_work *work, const char *nounz)
{
    return mica_error_set(work->error, MICA_E_APP, "", "there is no such %s",
                          nounz);
}

// ---- The app ---------------------------------------------------------------------

struct mica_app_facts
mica_act_facts(const struct mica_store_app *app)
{
    return (struct mica_app_facts){.id = app->id,
                                   .slug = app->slug,
                                   .owner = app->owner,
                                   .published =
                                       app->status == MICA_STORE_APP_PUBLISHED,
                                   .revision = app->revision,
                                   .publish_version = app->publish_version,
                                   .published_at = app->published_at,
                                   .created_at = app->created,
                                   .updated_at = app->changed};
}

struct mica_store_app_target
mica_act_target(const struct mica_act_work *work)
{
    return (struct mica_store_app_target){.id = work->app.id,
                                          .revision = work->app.revision,
                                          .now = work->acts->now()};
}

void
mica_act_changed(struct mica_act_work *work,
                 const struct mica_store_app_outcome *outcome)
{
    work->app.revision = work->answer->revision = outcome->revision;
    work->app.status = outcome->status;
    work->app.publish_version = outcome->publish_version;
    work->app.published_at = outcome->published_at;
    work->facts = mica_act_facts(&work->app);
}

// The store has the number, the time and the widget of a version beside its text, which a
// rollback shares with a later version.
enum mica_status
mica_act_read_version(struct mica_act_work *work, int64_t number,
                      struct mica_app_version *version_out)
{
    struct mica_store_app_version stored;

    MICA_TRY(mica_store_app_version(work->acts->store, work->app.id, number,
                                    work->arena, work->error, &stored));
    MICA_TRY(mica_app_version_read(stored.text, work->arena, work->error,
                                   version_out));
    version_out->version = stored.version;
    version_out->published_at = stored.published_at;
    version_out->widget = stored.widget;
    return MICA_OK;
}

// ---- The answer ------------------------------------------------------------------

void
mica_act_output_init(struct mica_act_work *work, struct mica_act_output *output)
{
    mica_buffer_init(&output->buffer, work->arena, MICA_ACT_ANSWER_BYTES);
    mica_json_writer_init(&output->writer, &output->buffer);
}

enum mica_status
mica_act_output_end(struct mica_act_work *work, struct mica_act_output *output)
{
    if (output->buffer.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "",
                              "the answer has more than %d bytes; ask for less",
                              MICA_ACT_ANSWER_BYTES);
    work->answer->json = mica_buffer_as_text(&output->buffer);
    return MICA_OK;
}

enum mica_status
mica_act_page_end(struct mica_act_work *work, struct mica_act_output *output,
                  int64_t next)
{
    mica_json_name(&output->writer, "next");
    if (next > 0)
        mica_json_integer(&output->writer, next);
    else
        mica_json_null(&output->writer);
    mica_json_close_object(&output->writer);
    return mica_act_output_end(work, output);
}

void
mica_act_write_text_block(struct mica_json_writer *writer,
                          struct mica_text text)
{
    mica_json_open_object(writer);
    mica_json_name(writer, "type");
    mica_json_stringz(writer, "text");
    mica_json_field(writer, "text", text);
    mica_json_close_object(writer);
}
